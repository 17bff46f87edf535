/* SPDX-License-Identifier: MIT */
/* Pools, allocations, what addresses belong to, copies. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dropin/hsa/client.h"

enum { SIZE = 10000 };

static uint64_t memory_left(const client *c)
{
  uint64_t left;
  ck_assert_done(
      hsa_agent_get_info(c->device, HSA_AMD_AGENT_INFO_MEMORY_AVAIL, &left));
  return left;
}

START_TEST(allocations_count_against_the_memory_of_the_device)
{
  client c;
  void *memory;
  client_open(&c);
  uint64_t left = memory_left(&c);
  ck_assert_done(
      hsa_amd_memory_pool_allocate(c.device_coarse, SIZE, 0, &memory));
  ck_assert_uint_eq((uintptr_t)memory % 4096, 0);
  memset(memory, 1, SIZE);
  ck_assert_uint_eq(memory_left(&c), left - 3 * 4096);
  ck_assert_done(hsa_amd_memory_pool_free(memory));
  ck_assert_uint_eq(memory_left(&c), left);
  ck_assert_hsa(hsa_amd_memory_pool_free(memory),
                HSA_STATUS_ERROR_INVALID_ALLOCATION);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(bad_allocations_are_refused)
{
  client c;
  void *memory;
  client_open(&c);
  ck_assert_hsa(hsa_amd_memory_pool_allocate(c.device_coarse, 0, 0, &memory),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_hsa(
      hsa_amd_memory_pool_allocate(c.device_coarse, SIZE_MAX, 0, &memory),
      HSA_STATUS_ERROR_INVALID_ALLOCATION);
  ck_assert_hsa(hsa_memory_allocate((hsa_region_t){99}, SIZE, &memory),
                HSA_STATUS_ERROR_INVALID_REGION);
  ck_assert_hsa(hsa_amd_memory_pool_allocate((hsa_amd_memory_pool_t){99}, SIZE,
                                             0, &memory),
                HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
  ck_assert_done(hsa_shut_down());
}
END_TEST

static void freed_note(void *address, void *user)
{
  *(void **)user = address;
}

START_TEST(pointer_info_tells_pool_owner_access_and_user_data)
{
  client c;
  char *memory;
  uint32_t count;
  hsa_agent_t *agents = NULL;
  hsa_amd_pointer_info_t info = {.size = sizeof info};
  client_open(&c);
  ck_assert_done(hsa_amd_memory_pool_allocate(c.host_fine, SIZE, 0,
                                              (void **)(void *)&memory));
  ck_assert_done(hsa_amd_pointer_info_set_userdata(memory, &c));
  ck_assert_done(hsa_amd_agents_allow_access(1, &c.device, NULL, memory));
  ck_assert_done(
      hsa_amd_pointer_info(memory + 77, &info, malloc, &count, &agents));
  ck_assert_uint_eq(info.type, HSA_EXT_POINTER_TYPE_HSA);
  ck_assert_ptr_eq(info.agent_base, memory);
  ck_assert_uint_eq(info.bytes, SIZE);
  ck_assert_ptr_eq(info.user_data, &c);
  ck_assert_uint_eq(info.owner.handle, c.host.handle);
  ck_assert_uint_eq(info.global_flags, HSA_REGION_GLOBAL_FLAG_FINE_GRAINED);
  ck_assert_uint_eq(count, 2);
  ck_assert_uint_eq(agents[1].handle, c.device.handle);
  free(agents);
  ck_assert_done(hsa_amd_pointer_info(memory + SIZE, &info, NULL, NULL, NULL));
  ck_assert_uint_eq(info.type, HSA_EXT_POINTER_TYPE_UNKNOWN);
  ck_assert_done(hsa_memory_free(memory));
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(freeing_calls_who_asked_for_it)
{
  client c;
  void *memory, *first = NULL, *second = NULL;
  client_open(&c);
  ck_assert_done(hsa_memory_allocate(c.region, SIZE, &memory));
  ck_assert_done(
      hsa_amd_register_deallocation_callback(memory, freed_note, &first));
  ck_assert_done(hsa_memory_free(memory));
  ck_assert_ptr_eq(first, memory);
  ck_assert_done(hsa_memory_allocate(c.region, SIZE, &memory));
  ck_assert_done(
      hsa_amd_register_deallocation_callback(memory, freed_note, &second));
  ck_assert_done(hsa_amd_deregister_deallocation_callback(memory, freed_note));
  ck_assert_hsa(hsa_amd_deregister_deallocation_callback(memory, freed_note),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_memory_free(memory));
  ck_assert_ptr_null(second);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(a_callback_of_freeing_gets_the_address_it_was_registered_with)
{
  client c;
  char *memory;
  void *freed = NULL;
  client_open(&c);
  ck_assert_done(hsa_memory_allocate(c.region, SIZE, (void **)(void *)&memory));
  ck_assert_done(
      hsa_amd_register_deallocation_callback(memory + 512, freed_note, &freed));
  ck_assert_hsa(hsa_amd_deregister_deallocation_callback(memory, freed_note),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_memory_free(memory));
  ck_assert_ptr_eq(freed, memory + 512);
  ck_assert_done(hsa_shut_down());
}
END_TEST

/* The address that devices have for locked memory. */
static uintptr_t alias_of(const void *host)
{
  hsa_amd_pointer_info_t info = {.size = sizeof info};
  ck_assert_done(hsa_amd_pointer_info(host, &info, NULL, NULL, NULL));
  ck_assert_uint_eq(info.type, HSA_EXT_POINTER_TYPE_LOCKED);
  return (uintptr_t)info.agent_base +
         ((uintptr_t)host - (uintptr_t)info.host_base);
}

START_TEST(each_lock_of_the_same_or_an_inner_range_needs_its_unlock)
{
  client c;
  static char host[SIZE];
  void *agent_ptr;
  hsa_amd_pointer_info_t info = {.size = sizeof info};
  client_open(&c);
  for (char *in = host; in <= host + 100; in += 100) {
    ck_assert_done(hsa_amd_memory_lock(host, SIZE, NULL, 0, &agent_ptr));
    ck_assert_done(hsa_amd_memory_lock(host, SIZE, NULL, 0, &agent_ptr));
    ck_assert_done(hsa_amd_memory_lock(in, 50, &c.device, 1, &agent_ptr));
    ck_assert_uint_eq(alias_of(in), (uintptr_t)agent_ptr);
    ck_assert_done(hsa_amd_pointer_info(in + 20, &info, NULL, NULL, NULL));
    ck_assert_uint_eq(info.bytes, 50);
    ck_assert_done(hsa_amd_memory_unlock(host));
    ck_assert_done(hsa_amd_memory_unlock(in));
    ck_assert_done(hsa_amd_pointer_info(in + 20, &info, NULL, NULL, NULL));
    ck_assert_uint_eq(info.bytes, SIZE);
    ck_assert_done(hsa_amd_memory_unlock(host));
  }
  ck_assert_hsa(hsa_amd_memory_unlock(host), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(an_allocation_can_be_locked_and_stays_one)
{
  client c;
  void *memory, *agent_ptr;
  hsa_amd_pointer_info_t info = {.size = sizeof info};
  client_open(&c);
  ck_assert_done(hsa_memory_allocate(c.region, SIZE, &memory));
  ck_assert_done(hsa_amd_memory_lock(memory, SIZE, NULL, 0, &agent_ptr));
  ck_assert_ptr_eq(agent_ptr, memory);
  ck_assert_done(hsa_amd_pointer_info(memory, &info, NULL, NULL, NULL));
  ck_assert_uint_eq(info.type, HSA_EXT_POINTER_TYPE_HSA);
  ck_assert_done(hsa_amd_memory_unlock(memory));
  ck_assert_done(hsa_memory_free(memory));
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(locked_memory_is_known_until_it_is_unlocked)
{
  client c;
  static char host[SIZE];
  void *agent_ptr;
  hsa_amd_pointer_info_t info = {.size = sizeof info};
  client_open(&c);
  ck_assert_done(hsa_amd_memory_lock(host, SIZE, NULL, 0, &agent_ptr));
  ck_assert_done(hsa_amd_pointer_info(host + 1, &info, NULL, NULL, NULL));
  ck_assert_uint_eq(info.type, HSA_EXT_POINTER_TYPE_LOCKED);
  ck_assert_done(hsa_amd_memory_unlock(host));
  ck_assert_done(hsa_amd_pointer_info(host + 1, &info, NULL, NULL, NULL));
  ck_assert_uint_eq(info.type, HSA_EXT_POINTER_TYPE_UNKNOWN);
  ck_assert_done(hsa_amd_memory_lock_to_pool(host, SIZE, &c.device, 1,
                                             c.host_fine, 0, &agent_ptr));
  ck_assert_done(hsa_amd_memory_unlock(host));
  ck_assert_hsa(hsa_amd_memory_lock_to_pool(host, SIZE, &c.device, 1,
                                            c.device_fine, 0, &agent_ptr),
                HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(devices_have_an_address_of_their_own_for_locked_memory)
{
  client c;
  static uint32_t host[SIZE / 4];
  uint32_t *agent_ptr, *same, word = 5;
  hsa_amd_pointer_info_t info = {.size = sizeof info};
#if !defined(__x86_64__)
  aqtest_skip("processes may have memory at any address of a device");
#endif
  client_open(&c);
  ck_assert_done(
      hsa_amd_memory_lock(host, SIZE, NULL, 0, (void **)(void *)&agent_ptr));
  ck_assert_ptr_ne(agent_ptr, host);
  ck_assert_done(hsa_amd_pointer_info(agent_ptr + 1, &info, NULL, NULL, NULL));
  ck_assert_uint_eq(info.type, HSA_EXT_POINTER_TYPE_LOCKED);
  ck_assert_ptr_eq(info.agent_base, agent_ptr);
  ck_assert_ptr_eq(info.host_base, host);
  ck_assert_done(hsa_amd_memory_fill(agent_ptr + 2, 9, 1));
  ck_assert_uint_eq(host[2], 9);
  ck_assert_done(hsa_memory_copy(agent_ptr + 1, &word, sizeof word));
  ck_assert_uint_eq(host[1], 5);
  ck_assert_done(hsa_memory_copy(&word, agent_ptr + 2, sizeof word));
  ck_assert_uint_eq(word, 9);
  hsa_signal_t done = client_signal(1);
  ck_assert_done(hsa_amd_memory_async_copy(agent_ptr + 3, c.device, agent_ptr,
                                           c.device, 12, 0, NULL, done));
  client_wait_zero(done);
  ck_assert_uint_eq(host[5], 9);
  ck_assert_done(hsa_signal_destroy(done));
  ck_assert_done(
      hsa_amd_memory_lock(host, SIZE, NULL, 0, (void **)(void *)&same));
  ck_assert_ptr_eq(same, agent_ptr);
  ck_assert_done(hsa_amd_memory_unlock(host));
  ck_assert_done(hsa_amd_memory_unlock(host));
  ck_assert_hsa(hsa_memory_copy(agent_ptr, &word, sizeof word),
                HSA_STATUS_ERROR_INVALID_ALLOCATION);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(locked_memory_stays_where_it_is_if_the_library_is_asked)
{
  client c;
  static char host[SIZE];
  void *agent_ptr;
  setenv("HSA_USE_SVM", "1", 1);
  client_open(&c);
  ck_assert_done(hsa_amd_memory_lock(host, SIZE, NULL, 0, &agent_ptr));
  ck_assert_ptr_eq(agent_ptr, host);
  ck_assert_uint_eq(alias_of(host + 7), (uintptr_t)host + 7);
  ck_assert_done(hsa_amd_memory_unlock(host));
  ck_assert_done(hsa_shut_down());
  unsetenv("HSA_USE_SVM");
}
END_TEST

START_TEST(agents_reach_their_own_pools_and_ask_for_others)
{
  client c;
  uint32_t access, hops;
  bool can = true;
  client_open(&c);
  ck_assert_done(hsa_amd_agent_memory_pool_get_info(
      c.device, c.host_fine, HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, &access));
  ck_assert_uint_eq(access, HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT);
  ck_assert_done(hsa_amd_agent_memory_pool_get_info(
      c.device, c.device_coarse, HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS,
      &access));
  ck_assert_uint_eq(access, HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT);
  ck_assert_done(hsa_amd_agent_memory_pool_get_info(
      c.host, c.device_coarse, HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, &access));
  ck_assert_uint_eq(access, HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT);
  ck_assert_done(hsa_amd_agent_memory_pool_get_info(
      c.host, c.device_coarse, HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS,
      &hops));
  ck_assert_uint_eq(hops, 1);
  ck_assert_done(
      hsa_amd_memory_pool_can_migrate(c.host_fine, c.device_coarse, &can));
  ck_assert(can);
  ck_assert_done(hsa_shut_down());
}
END_TEST

static hsa_status_t kernarg_note(hsa_region_t region, void *data)
{
  uint32_t flags;
  ck_assert_done(
      hsa_region_get_info(region, HSA_REGION_INFO_GLOBAL_FLAGS, &flags));
  if (!(flags & HSA_REGION_GLOBAL_FLAG_KERNARG))
    return HSA_STATUS_SUCCESS;
  *(hsa_region_t *)data = region;
  return HSA_STATUS_INFO_BREAK;
}

START_TEST(a_device_has_a_region_for_kernel_arguments)
{
  client c;
  hsa_region_t region = {0};
  void *memory;
  client_open(&c);
  ck_assert_hsa(hsa_agent_iterate_regions(c.device, kernarg_note, &region),
                HSA_STATUS_INFO_BREAK);
  ck_assert_done(hsa_memory_allocate(region, SIZE, &memory));
  ck_assert_done(hsa_memory_free(memory));
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(pools_say_where_they_are_and_for_whom)
{
  client c;
  client_open(&c);
  const struct {
    hsa_amd_memory_pool_t pool;
    uint32_t location;
    uint64_t granule;
    bool by_all;
  } pools[] = {
      {c.host_fine, HSA_AMD_MEMORY_POOL_LOCATION_CPU, 4096, true},
      {c.host_kernarg, HSA_AMD_MEMORY_POOL_LOCATION_CPU, 4096, true},
      {c.device_coarse, HSA_AMD_MEMORY_POOL_LOCATION_GPU, 2 << 20, false},
      {c.device_fine, HSA_AMD_MEMORY_POOL_LOCATION_GPU, 2 << 20, false}};
  for (size_t i = 0; i < sizeof pools / sizeof *pools; i++) {
    uint32_t location, width, bits;
    uint64_t granule;
    bool by_all, host;
    const hsa_amd_memory_pool_t pool = pools[i].pool;
    const hsa_region_t region = {pool.handle};
    ck_assert_done(hsa_amd_memory_pool_get_info(
        pool, HSA_AMD_MEMORY_POOL_INFO_LOCATION, &location));
    ck_assert_done(hsa_amd_memory_pool_get_info(
        pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_REC_GRANULE, &granule));
    ck_assert_done(hsa_amd_memory_pool_get_info(
        pool, HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL, &by_all));
    ck_assert_done(hsa_region_get_info(
        region, HSA_AMD_REGION_INFO_HOST_ACCESSIBLE, &host));
    ck_assert_uint_eq(location, pools[i].location);
    ck_assert_uint_eq(granule, pools[i].granule);
    ck_assert(by_all == pools[i].by_all);
    ck_assert(host); /* without strict memory */
    if (by_all)
      continue;
    ck_assert_done(
        hsa_region_get_info(region, HSA_AMD_REGION_INFO_BUS_WIDTH, &bits));
    ck_assert_done(
        hsa_agent_get_info(c.device, HSA_AMD_AGENT_INFO_MEMORY_WIDTH, &width));
    ck_assert_uint_eq(bits, width);
  }
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(nothing_is_copied_anywhere_and_fills_are_of_words)
{
  client c;
  char *memory;
  client_open(&c);
  ck_assert_done(hsa_memory_copy((void *)8, (const void *)16, 0));
  ck_assert_hsa(hsa_memory_copy((void *)8, (const void *)16, 1),
                HSA_STATUS_ERROR_INVALID_ALLOCATION);
  ck_assert_done(hsa_amd_memory_pool_allocate(c.host_fine, SIZE, 0,
                                              (void **)(void *)&memory));
  ck_assert_hsa(hsa_amd_memory_fill(memory + 2, 0, 1),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_amd_memory_fill(memory + 4, 0, 1));
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(a_box_begins_at_its_own_offset_on_each_side)
{
  enum { X = 8, Y = 4, Z = 3 };
  client c;
  client_open(&c);
  char from[Z][Y][X], to[Y][Z][2 * X];
  for (int i = 0; i < X * Y * Z; i++)
    (&from[0][0][0])[i] = (char)(i + 1);
  memset(to, 0, sizeof to);
  hsa_signal_t done = client_signal(1);
  hsa_pitched_ptr_t source = {from, X, X * Y};
  hsa_pitched_ptr_t target = {to, 2 * X, (size_t)2 * X * Z};
  hsa_dim3_t there = {3, 1, 2}, here = {1, 2, 1}, range = {4, 2, 2};
  ck_assert_done(hsa_amd_memory_async_copy_rect(
      &target, &there, &source, &here, &range, c.device, 1, 0, NULL, done));
  client_wait_zero(done);
  for (int z = 0; z < Y; z++)
    for (int y = 0; y < Z; y++)
      for (int x = 0; x < 2 * X; x++) {
        const bool inside = z >= 2 && y >= 1 && x >= 3 && x < 7;
        ck_assert_int_eq(to[z][y][x],
                         inside ? from[z - 2 + 1][y - 1 + 2][x - 3 + 1] : 0);
      }
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(only_memory_that_is_known_can_be_filled)
{
  client c;
  static uint32_t host[4];
  uint32_t *memory;
  void *locked;
  client_open(&c);
  ck_assert_hsa(hsa_amd_memory_fill(host, 7, 4),
                HSA_STATUS_ERROR_INVALID_ALLOCATION);
  ck_assert_uint_eq(host[0], 0);
  ck_assert_done(hsa_amd_memory_lock(host, sizeof host, NULL, 0, &locked));
  ck_assert_done(hsa_amd_memory_fill(host, 7, 4));
  ck_assert_uint_eq(host[3], 7);
  ck_assert_done(hsa_memory_allocate(c.region, SIZE, (void **)(void *)&memory));
  ck_assert_hsa(hsa_amd_memory_fill(memory + 1, 7, SIZE / 4),
                HSA_STATUS_ERROR_INVALID_ALLOCATION);
  ck_assert_done(hsa_amd_memory_fill(memory + SIZE, 7, 0));
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(registering_nothing_at_an_address_is_refused)
{
  client c;
  char bytes[16];
  client_open(&c);
  ck_assert_hsa(hsa_memory_register(bytes, 0),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_memory_register(NULL, 0));
  ck_assert_done(hsa_memory_register(bytes, sizeof bytes));
  ck_assert_done(hsa_memory_deregister(bytes, sizeof bytes));
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(fill_and_copy_move_bytes)
{
  client c;
  uint32_t *memory, copy[16] = {0};
  uint32_t type;
  client_open(&c);
  ck_assert_done(hsa_amd_memory_pool_allocate(c.device_fine, SIZE, 0,
                                              (void **)(void *)&memory));
  ck_assert_done(hsa_amd_memory_fill(memory, 0xabcd1234, 16));
  ck_assert_uint_eq(memory[15], 0xabcd1234);
  ck_assert_uint_eq(memory[16], 0);
  ck_assert_done(hsa_memory_copy(copy, memory, sizeof copy));
  ck_assert_uint_eq(copy[15], 0xabcd1234);
  ck_assert_done(
      hsa_amd_coherency_set_type(c.device, HSA_AMD_COHERENCY_TYPE_NONCOHERENT));
  ck_assert_done(hsa_amd_coherency_get_type(c.device, &type));
  ck_assert_uint_eq(type, HSA_AMD_COHERENCY_TYPE_NONCOHERENT);
  ck_assert_done(hsa_shut_down());
}
END_TEST

/* ---- copies ---- */

START_TEST(a_copy_waits_for_its_dependency_moves_and_decrements)
{
  client c;
  static char from[1 << 20] = "bytes", to[sizeof from];
  hsa_amd_profiling_async_copy_time_t time;
  client_open(&c);
  hsa_signal_t gate = client_signal(1), done = client_signal(1);
  ck_assert_done(hsa_amd_profiling_async_copy_enable(true));
  ck_assert_done(hsa_amd_memory_async_copy(to, c.device, from, c.host,
                                           sizeof from, 1, &gate, done));
  ck_assert_int_eq(hsa_signal_load_scacquire(done), 1);
  ck_assert_str_eq(to, "");
  hsa_signal_store_screlease(gate, 0);
  client_wait_zero(done);
  ck_assert_str_eq(to, "bytes");
  ck_assert_done(hsa_amd_profiling_get_async_copy_time(done, &time));
  ck_assert_uint_gt(time.end, time.start);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(copies_with_inconsistent_dependencies_are_refused)
{
  client c;
  char from[] = "bytes", to[sizeof from] = "";
  client_open(&c);
  hsa_signal_t done = client_signal(1);
  ck_assert_hsa(hsa_amd_memory_async_copy(to, c.device, from, c.host,
                                          sizeof from, 1, NULL, done),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_hsa(hsa_amd_memory_async_copy(to, c.device, from, c.host,
                                          sizeof from, 0, &done, done),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(
      hsa_amd_memory_async_copy(to, c.device, from, c.host, 0, 0, NULL, done));
  ck_assert_int_eq(hsa_signal_load_scacquire(done), 1);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(engines_are_offered_and_copy)
{
  client c;
  char from[] = "bytes", to[sizeof from] = "";
  uint32_t idle, preferred;
  client_open(&c);
  hsa_signal_t done = client_signal(1);
  ck_assert_done(hsa_amd_memory_copy_engine_status(c.device, c.host, &idle));
  ck_assert_done(
      hsa_amd_memory_get_preferred_copy_engine(c.device, c.host, &preferred));
  ck_assert_uint_eq(idle & preferred, 3); /* the MI300X has two for the host */
  ck_assert_done(hsa_amd_memory_async_copy_on_engine(
      to, c.device, from, c.host, sizeof from, 0, NULL, done, 2, false));
  client_wait_zero(done);
  ck_assert_str_eq(to, "bytes");
  ck_assert_hsa(hsa_amd_memory_async_copy_on_engine(to, c.device, from, c.host,
                                                    sizeof from, 0, NULL, done,
                                                    1 << 16, false),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(a_box_is_copied_row_by_row_and_nothing_beside_it)
{
  enum { PITCH = 16, ROWS = 4, SLICES = 2 };
  static unsigned char from[SLICES][ROWS][PITCH], to[SLICES][ROWS][PITCH];
  client c;
  client_open(&c);
  for (size_t i = 0; i < sizeof from; i++)
    ((unsigned char *)from)[i] = (unsigned char)(i + 1);
  hsa_signal_t done = client_signal(1);
  hsa_pitched_ptr_t source = {from, PITCH, PITCH * ROWS};
  hsa_pitched_ptr_t target = {to, PITCH, PITCH * ROWS};
  hsa_dim3_t offset = {2, 1, 0}, range = {5, 3, 2};
  ck_assert_done(hsa_amd_memory_async_copy_rect(
      &target, &offset, &source, &offset, &range, c.device, 1, 0, NULL, done));
  client_wait_zero(done);
  for (int z = 0; z < SLICES; z++)
    for (int y = 0; y < ROWS; y++)
      for (int x = 0; x < PITCH; x++) {
        bool inside = x >= 2 && x < 7 && y >= 1;
        ck_assert_int_eq(to[z][y][x], inside ? from[z][y][x] : 0);
      }
  ck_assert_done(hsa_shut_down());
}
END_TEST

static hsa_amd_profiling_async_copy_time_t copy_time(hsa_signal_t done)
{
  hsa_amd_profiling_async_copy_time_t time;
  client_wait_zero(done);
  ck_assert_done(hsa_amd_profiling_get_async_copy_time(done, &time));
  ck_assert_uint_lt(time.start, time.end);
  hsa_signal_store_relaxed(done, 1);
  return time;
}

START_TEST(a_box_takes_the_time_of_as_many_bytes)
{
  enum {
    WIDTH = 2048,
    ROWS = 64,
    SLICES = 8,
    PITCH = 2 * WIDTH,
    STEP = 40 /* ns, of the device's clock */
  };
  const size_t size = (size_t)WIDTH * ROWS * SLICES;
  client c;
  client_open(&c);
  char *from, *to;
  ck_assert_done(hsa_amd_memory_pool_allocate(c.host_fine, 2 * size, 0,
                                              (void **)(void *)&from));
  ck_assert_done(hsa_amd_memory_pool_allocate(c.device_coarse, 2 * size, 0,
                                              (void **)(void *)&to));
  ck_assert_done(hsa_amd_profiling_async_copy_enable(true));
  hsa_signal_t done = client_signal(1);
  ck_assert_done(hsa_amd_memory_async_copy(to, c.device, from, c.host, size, 0,
                                           NULL, done));
  const hsa_amd_profiling_async_copy_time_t run = copy_time(done);
  hsa_pitched_ptr_t source = {from, PITCH, (size_t)PITCH * ROWS};
  hsa_pitched_ptr_t target = {to, PITCH, (size_t)PITCH * ROWS};
  hsa_dim3_t offset = {0, 0, 0}, range = {WIDTH, ROWS, SLICES};
  ck_assert_done(hsa_amd_memory_async_copy_rect(
      &target, &offset, &source, &offset, &range, c.device, 1, 0, NULL, done));
  const hsa_amd_profiling_async_copy_time_t box = copy_time(done);
  ck_assert_uint_le(box.end - box.start, run.end - run.start + STEP);
  ck_assert_uint_le(run.end - run.start, box.end - box.start + STEP);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(a_box_that_leaves_the_address_space_is_refused)
{
  client c;
  char from[8] = "", to[8] = "";
  client_open(&c);
  hsa_signal_t done = client_signal(1);
  hsa_pitched_ptr_t source = {from, 1, 4}, target = {to, SIZE_MAX / 2, 4};
  hsa_dim3_t offset = {0, 0, 0}, range = {1, 4, 1},
             endless = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
  ck_assert_hsa(hsa_amd_memory_async_copy_rect(&target, &offset, &source,
                                               &offset, &range, c.device, 1, 0,
                                               NULL, done),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_hsa(hsa_amd_memory_async_copy_rect(&source, &offset, &source,
                                               &offset, &endless, c.device, 1,
                                               0, NULL, done),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_int_eq(hsa_signal_load_scacquire(done), 1);
  ck_assert_done(hsa_shut_down());
}
END_TEST

/* Nothing is mapped between the rows, nor below them. */
START_TEST(a_box_may_have_holes_between_its_rows_but_none_in_them)
{
  enum { PAGE = 4096, ROWS = 3 };
  client c;
  client_open(&c);
  char *from = mmap(NULL, 2 * ROWS * PAGE, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char to[ROWS * 8] = "";
  ck_assert_ptr_ne(from, MAP_FAILED);
  for (int i = 0; i < ROWS; i++) {
    snprintf(from + 2 * i * PAGE, 8, "row %d", i);
    ck_assert_int_eq(munmap(from + (2 * i + 1) * PAGE, PAGE), 0);
  }
  hsa_signal_t done = client_signal(1);
  hsa_pitched_ptr_t source = {from, 2 * PAGE, 0}, target = {to, 8, 0};
  hsa_dim3_t offset = {0, 0, 0}, range = {8, ROWS, 1};
  ck_assert_done(hsa_amd_memory_async_copy_rect(
      &target, &offset, &source, &offset, &range, c.device, 1, 0, NULL, done));
  client_wait_zero(done);
  ck_assert_str_eq(to, "row 0");
  ck_assert_str_eq(to + 16, "row 2");
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(ranges_keep_their_attributes_and_can_be_prefetched)
{
  client c;
  static char bytes[8192];
  client_open(&c);
  hsa_amd_svm_attribute_pair_t set[] = {
      {HSA_AMD_SVM_ATTRIB_READ_ONLY, 1},
      {HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS, c.device.handle}};
  hsa_amd_svm_attribute_pair_t get[] = {
      {HSA_AMD_SVM_ATTRIB_READ_ONLY, 9},
      {HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION, 9},
      {HSA_AMD_SVM_ATTRIB_ACCESS_QUERY, c.device.handle}};
  ck_assert_done(hsa_amd_svm_attributes_set(bytes, 4096, set, 2));
  hsa_signal_t gate = client_signal(1), done = client_signal(1);
  ck_assert_done(
      hsa_amd_svm_prefetch_async(bytes, 8192, c.device, 1, &gate, done));
  ck_assert_int_eq(hsa_signal_load_relaxed(done), 1);
  hsa_signal_store_screlease(gate, 0);
  client_wait_zero(done);
  ck_assert_done(hsa_amd_svm_attributes_get(bytes + 1, 100, get, 3));
  ck_assert_uint_eq(get[0].value, 1);
  ck_assert_uint_eq(get[1].value, c.device.handle);
  ck_assert_uint_eq(get[2].attribute, HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS);
  ck_assert_done(hsa_amd_svm_attributes_get(bytes + 4096, 100, get, 1));
  ck_assert_uint_eq(get[0].value, 0);
  ck_assert_hsa(hsa_amd_svm_attributes_set(bytes, 0, set, 2),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(only_mapped_pages_of_no_pool_have_attributes)
{
  enum { PAGE = 4096 };
  client c;
  void *pooled;
  client_open(&c);
  hsa_amd_svm_attribute_pair_t pair = {HSA_AMD_SVM_ATTRIB_READ_ONLY, 1};
  hsa_amd_svm_attribute_pair_t place = {HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION};
  ck_assert_done(hsa_amd_memory_pool_allocate(c.host_fine, PAGE, 0, &pooled));
  char *pages =
      mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ck_assert_ptr_ne(pages, MAP_FAILED);
  ck_assert_int_eq(munmap(pages + 2 * PAGE, PAGE), 0);
  ck_assert_done(hsa_amd_svm_attributes_set(pages, 2 * PAGE, &pair, 1));
  ck_assert_done(hsa_amd_svm_attributes_get(pages, 2 * PAGE, &pair, 1));
  void *refused[] = {pages + PAGE, pooled};
  for (size_t i = 0; i < 2; i++) {
    ck_assert_hsa(hsa_amd_svm_attributes_set(refused[i], 2 * PAGE, &pair, 1),
                  HSA_STATUS_ERROR);
    ck_assert_hsa(hsa_amd_svm_attributes_get(refused[i], 2 * PAGE, &pair, 1),
                  HSA_STATUS_ERROR);
    ck_assert_done(hsa_amd_svm_attributes_get(refused[i], PAGE + 1, NULL, 0));
    ck_assert_done(hsa_amd_svm_attributes_get(refused[i], 2 * PAGE, &place, 1));
  }
  ck_assert_hsa(hsa_amd_svm_attributes_get(pages, PAGE, NULL, 1),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_int_eq(munmap(pages, 2 * PAGE), 0);
  ck_assert_done(hsa_memory_free(pooled));
  ck_assert_done(hsa_shut_down());
}
END_TEST

typedef struct heard {
  int count;
  hsa_amd_event_t event;
} heard;

static hsa_status_t event_hear(const hsa_amd_event_t *event, void *data)
{
  heard *h = data;
  h->event = *event;
  __atomic_fetch_add(&h->count, 1, __ATOMIC_RELEASE);
  return HSA_STATUS_SUCCESS;
}

START_TEST(memory_that_is_not_there_goes_to_the_handler_of_events)
{
  client c;
  char bytes[16];
  heard h = {0};
  client_open(&c);
  void *gone = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ck_assert_ptr_ne(gone, MAP_FAILED);
  ck_assert_done(hsa_amd_register_system_event_handler(event_hear, &h));
  ck_assert_hsa(hsa_amd_register_system_event_handler(event_hear, &h),
                HSA_STATUS_ERROR);
  hsa_signal_t done = client_signal(1), later = client_signal(1);
  ck_assert_done(hsa_amd_memory_async_copy(bytes, c.device, gone, c.host,
                                           sizeof bytes, 0, NULL, done));
  ck_assert_done(hsa_amd_memory_async_copy(bytes, c.device, bytes + 8, c.host,
                                           1, 0, NULL, later));
  client_wait_zero(later);
  for (int i = 0; i < 10000 && !__atomic_load_n(&h.count, __ATOMIC_ACQUIRE);
       i++)
    usleep(1000); /* the handler has a thread of its own */
  ck_assert_int_eq(__atomic_load_n(&h.count, __ATOMIC_ACQUIRE), 1);
  ck_assert_uint_eq(h.event.type, HSA_AMD_GPU_MEMORY_FAULT_EVENT);
  ck_assert_uint_eq(h.event.agent.handle, c.device.handle);
  ck_assert_uint_eq(h.event.address, (uintptr_t)gone);
  ck_assert_int_eq(hsa_signal_load_scacquire(done), 1);
  munmap(gone, 4096);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(the_ring_of_a_queue_is_not_freed_and_the_handler_is_told)
{
  client c;
  heard h = {0};
  client_open(&c);
  hsa_queue_t *queue = client_queue(&c, 64);
  void *ring = queue->base;
  ck_assert_done(hsa_amd_register_system_event_handler(event_hear, &h));
  ck_assert_hsa(hsa_memory_free(ring), HSA_STATUS_ERROR);
  ck_assert_int_eq(h.count, 1);
  ck_assert_uint_eq(h.event.type, HSA_AMD_GPU_MEMORY_ERROR_EVENT);
  ck_assert_uint_eq(h.event.agent.handle, c.device.handle);
  ck_assert_uint_eq(h.event.address, (uintptr_t)ring);
  ck_assert_uint_eq(h.event.reasons, HSA_AMD_MEMORY_ERROR_MEMORY_IN_USE);
  hsa_signal_t done = client_signal(1);
  client_submit(queue, &(aq_packet){.barrier.completion_signal = done},
                AQ_PACKET_BARRIER_AND);
  client_wait_zero(done);
  ck_assert_done(hsa_queue_destroy(queue));
  ck_assert_done(hsa_shut_down());
}
END_TEST

AQ_TEST_MAIN("dropin/hsa/memory",
             allocations_count_against_the_memory_of_the_device,
             bad_allocations_are_refused,
             pointer_info_tells_pool_owner_access_and_user_data,
             freeing_calls_who_asked_for_it,
             a_callback_of_freeing_gets_the_address_it_was_registered_with,
             locked_memory_is_known_until_it_is_unlocked,
             each_lock_of_the_same_or_an_inner_range_needs_its_unlock,
             an_allocation_can_be_locked_and_stays_one,
             devices_have_an_address_of_their_own_for_locked_memory,
             locked_memory_stays_where_it_is_if_the_library_is_asked,
             a_device_has_a_region_for_kernel_arguments,
             pools_say_where_they_are_and_for_whom,
             nothing_is_copied_anywhere_and_fills_are_of_words,
             a_box_begins_at_its_own_offset_on_each_side,
             only_memory_that_is_known_can_be_filled,
             registering_nothing_at_an_address_is_refused,
             agents_reach_their_own_pools_and_ask_for_others,
             fill_and_copy_move_bytes,
             a_copy_waits_for_its_dependency_moves_and_decrements,
             copies_with_inconsistent_dependencies_are_refused,
             engines_are_offered_and_copy,
             a_box_is_copied_row_by_row_and_nothing_beside_it,
             a_box_takes_the_time_of_as_many_bytes,
             a_box_that_leaves_the_address_space_is_refused,
             a_box_may_have_holes_between_its_rows_but_none_in_them,
             ranges_keep_their_attributes_and_can_be_prefetched,
             only_mapped_pages_of_no_pool_have_attributes,
             memory_that_is_not_there_goes_to_the_handler_of_events,
             the_ring_of_a_queue_is_not_freed_and_the_handler_is_told)
