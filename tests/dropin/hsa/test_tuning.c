/* SPDX-License-Identifier: MIT */
/* What changes how the runtime works: pools, limits, logs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dropin/hsa/client.h"

enum { SIZE = 10000, MAPPED = 12288 };

static uint64_t device_left(const client *c)
{
  uint64_t left;
  ck_assert_done(
      hsa_agent_get_info(c->device, HSA_AMD_AGENT_INFO_MEMORY_AVAIL, &left));
  return left;
}

static hsa_amd_pointer_info_t info_of(const void *address)
{
  hsa_amd_pointer_info_t info = {.size = sizeof info};
  ck_assert_done(hsa_amd_pointer_info(address, &info, NULL, NULL, NULL));
  return info;
}

START_TEST(an_allocation_moves_to_another_pool_with_its_bytes)
{
  client c;
  void *memory;
  client_open(&c);
  const uint64_t left = device_left(&c);
  ck_assert_done(hsa_amd_memory_pool_allocate(c.host_fine, SIZE, 0, &memory));
  memset(memory, 5, SIZE);
  ck_assert_uint_eq(info_of(memory).owner.handle, c.host.handle);
  ck_assert_done(hsa_amd_memory_migrate(memory, c.device_coarse, 0));
  ck_assert_uint_eq(info_of(memory).owner.handle, c.device.handle);
  ck_assert_uint_eq(info_of(memory).global_flags,
                    HSA_REGION_GLOBAL_FLAG_COARSE_GRAINED);
  ck_assert_uint_eq(device_left(&c), left - MAPPED);
  ck_assert_int_eq(((char *)memory)[SIZE - 1], 5);
  ck_assert_done(hsa_amd_memory_migrate(memory, c.device_coarse, 0));
  ck_assert_uint_eq(device_left(&c), left - MAPPED);
  ck_assert_done(hsa_amd_memory_migrate(memory, c.host_kernarg, 0));
  ck_assert_uint_eq(device_left(&c), left);
  ck_assert_done(hsa_amd_memory_pool_free(memory));
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(only_allocations_move_and_only_to_pools_that_have_room)
{
  client c;
  char here[8];
  void *memory;
  hsa_amd_vmem_alloc_handle_t rest; /* it needs no addresses */
  uint64_t size;
  client_open(&c);
  ck_assert_done(hsa_amd_memory_pool_allocate(c.host_fine, SIZE, 0, &memory));
  ck_assert_hsa(hsa_amd_memory_migrate(here, c.device_coarse, 0),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_hsa(hsa_amd_memory_migrate((char *)memory + 1, c.device_coarse, 0),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_hsa(hsa_amd_memory_migrate(memory, c.device_coarse, 1),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_hsa(hsa_amd_memory_migrate(memory, (hsa_amd_memory_pool_t){7}, 0),
                HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
  ck_assert_done(hsa_amd_memory_pool_get_info(
      c.device_coarse, HSA_AMD_MEMORY_POOL_INFO_SIZE, &size));
  ck_assert_done(
      hsa_amd_vmem_handle_create(c.device_coarse, size - 4096, 0, 0, &rest));
  ck_assert_hsa(hsa_amd_memory_migrate(memory, c.device_coarse, 0),
                HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  ck_assert_uint_eq(info_of(memory).owner.handle, c.host.handle);
  ck_assert_done(hsa_shut_down());
}
END_TEST

static uint64_t scratch(hsa_agent_t agent, uint32_t attribute)
{
  uint64_t bytes;
  ck_assert_done(hsa_agent_get_info(agent, attribute, &bytes));
  return bytes;
}

START_TEST(the_limit_of_scratch_memory_is_what_it_was_set_to)
{
  client c;
  client_open(&c);
  const uint64_t most = scratch(c.device, HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_MAX);
  ck_assert_uint_le(scratch(c.device, HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_CURRENT),
                    most);
  ck_assert_done(hsa_amd_agent_set_async_scratch_limit(c.device, 4096));
  ck_assert_uint_eq(scratch(c.device, HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_CURRENT),
                    4096);
  ck_assert_hsa(hsa_amd_agent_set_async_scratch_limit(c.device, most + 1),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_uint_eq(scratch(c.device, HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_CURRENT),
                    4096);
  ck_assert_hsa(hsa_amd_agent_set_async_scratch_limit(c.host, 4096),
                HSA_STATUS_ERROR_INVALID_AGENT);
  ck_assert_uint_eq(scratch(c.host, HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_MAX), 0);
  ck_assert_done(hsa_shut_down());
}
END_TEST

static void copy_run(const client *c, size_t size)
{
  static char from[64], to[64];
  hsa_signal_t done = client_signal(1);
  ck_assert_done(hsa_amd_memory_async_copy(to, c->device, from, c->host, size,
                                           0, NULL, done));
  client_wait_zero(done);
}

START_TEST(copies_are_logged_while_the_client_wants_it)
{
  client c;
  uint8_t flags[8] = {1 << HSA_AMD_LOG_FLAG_SDMA};
  char *text = NULL;
  size_t size;
  client_open(&c);
  FILE *log = open_memstream(&text, &size);
  ck_assert_ptr_nonnull(log);
  copy_run(&c, 11);
  ck_assert_done(hsa_amd_enable_logging(flags, log));
  copy_run(&c, 22);
  flags[0] = 0;
  ck_assert_done(hsa_amd_enable_logging(flags, log));
  copy_run(&c, 33);
  fclose(log);
  ck_assert_ptr_nonnull(strstr(text, " 22 bytes from 0x"));
  ck_assert_ptr_null(strstr(text, " 11 bytes"));
  ck_assert_ptr_null(strstr(text, " 33 bytes"));
  ck_assert_ptr_eq(strchr(text, '\n'), text + size - 1); /* one line */
  free(text);
  ck_assert_hsa(hsa_amd_enable_logging(NULL, NULL),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_shut_down());
}
END_TEST

AQ_TEST_MAIN("dropin/hsa/tuning",
             an_allocation_moves_to_another_pool_with_its_bytes,
             only_allocations_move_and_only_to_pools_that_have_room,
             the_limit_of_scratch_memory_is_what_it_was_set_to,
             copies_are_logged_while_the_client_wants_it)
