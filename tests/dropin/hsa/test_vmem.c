/* SPDX-License-Identifier: MIT */
/* Virtual memory: addresses, physical memory and mappings between them. */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dropin/hsa/client.h"

enum { SIZE = 8192 };

static void access_allow(const client *c, void *va)
{
  hsa_amd_memory_access_desc_t rw = {HSA_ACCESS_PERMISSION_RW, c->device};
  ck_assert_done(hsa_amd_vmem_set_access(va, SIZE, &rw, 1));
}

START_TEST(one_memory_is_seen_at_two_addresses)
{
  client c;
  char *first, *second;
  hsa_amd_vmem_alloc_handle_t memory;
  client_open(&c);
  ck_assert_done(
      hsa_amd_vmem_handle_create(c.device_coarse, SIZE, 1, 0, &memory));
  ck_assert_done(
      hsa_amd_vmem_address_reserve((void **)(void *)&first, SIZE, 0, 0));
  ck_assert_done(hsa_amd_vmem_address_reserve_align((void **)(void *)&second,
                                                    SIZE, 0, 1 << 21, 0));
  ck_assert_uint_eq((uintptr_t)second % (1 << 21), 0);
  ck_assert_done(hsa_amd_vmem_map(first, SIZE, 0, memory, 0));
  ck_assert_done(hsa_amd_vmem_map(second, SIZE, 0, memory, 0));
  access_allow(&c, first);
  access_allow(&c, second);
  strcpy(first + 5000, "seen");
  ck_assert_str_eq(second + 5000, "seen");
  ck_assert_hsa(hsa_amd_vmem_address_free(first, SIZE),
                HSA_STATUS_ERROR_RESOURCE_FREE);
  ck_assert_done(hsa_amd_vmem_unmap(first, SIZE));
  ck_assert_done(hsa_amd_vmem_address_free(first, SIZE));
  ck_assert_hsa(hsa_amd_vmem_address_free(first, SIZE),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_shut_down()); /* which unmaps the other */
}
END_TEST

START_TEST(access_is_told_as_it_was_set)
{
  client c;
  void *va;
  uint32_t perms, type;
  hsa_amd_vmem_alloc_handle_t memory, same;
  hsa_amd_memory_pool_t pool;
  client_open(&c);
  ck_assert_done(
      hsa_amd_vmem_handle_create(c.device_fine, SIZE, 0, 0, &memory));
  ck_assert_done(hsa_amd_vmem_address_reserve(&va, SIZE, 0, 0));
  ck_assert_done(hsa_amd_vmem_map(va, SIZE, 0, memory, 0));
  ck_assert_done(hsa_amd_vmem_get_access(va, &perms, c.device));
  ck_assert_uint_eq(perms, HSA_ACCESS_PERMISSION_NONE);
  access_allow(&c, va);
  ck_assert_done(hsa_amd_vmem_get_access(va, &perms, c.device));
  ck_assert_uint_eq(perms, HSA_ACCESS_PERMISSION_RW);
  ck_assert_done(hsa_amd_vmem_get_access(va, &perms, c.host));
  ck_assert_uint_eq(perms, HSA_ACCESS_PERMISSION_NONE);
  ck_assert_done(hsa_amd_vmem_retain_alloc_handle(&same, (char *)va + 1));
  ck_assert_uint_eq(same.handle, memory.handle);
  ck_assert_done(
      hsa_amd_vmem_get_alloc_properties_from_handle(same, &pool, &type));
  ck_assert_uint_eq(pool.handle, c.device_fine.handle);
  ck_assert_done(hsa_amd_vmem_handle_release(same));
  ck_assert_done(hsa_amd_vmem_handle_release(memory));
  ck_assert_hsa(hsa_amd_vmem_handle_release(memory),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_amd_vmem_unmap(va, SIZE)); /* the last reference */
  ck_assert_hsa(hsa_amd_vmem_handle_release(memory),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_shut_down());
}
END_TEST

static uint64_t memory_left(const client *c)
{
  uint64_t left;
  ck_assert_done(
      hsa_agent_get_info(c->device, HSA_AMD_AGENT_INFO_MEMORY_AVAIL, &left));
  return left;
}

START_TEST(physical_memory_has_its_type_and_goes_back_with_its_last_use)
{
  for (uint32_t type = 0; type < 2; type++) {
    client c;
    void *va;
    uint32_t found;
    hsa_amd_memory_pool_t pool;
    hsa_amd_vmem_alloc_handle_t memory;
    client_open(&c);
    const uint64_t left = memory_left(&c);
    ck_assert_done(
        hsa_amd_vmem_handle_create(c.device_coarse, SIZE, type, 0, &memory));
    ck_assert_done(
        hsa_amd_vmem_get_alloc_properties_from_handle(memory, &pool, &found));
    ck_assert_uint_eq(found, type);
    ck_assert_done(hsa_amd_vmem_address_reserve(&va, SIZE, 0, 0));
    ck_assert_done(hsa_amd_vmem_map(va, SIZE, 0, memory, 0));
    ck_assert_done(hsa_amd_vmem_handle_release(memory));
    ck_assert_uint_eq(memory_left(&c), left - SIZE);
    ck_assert_done(hsa_amd_vmem_unmap(va, SIZE));
    ck_assert_uint_eq(memory_left(&c), left);
    ck_assert_done(hsa_shut_down());
  }
}
END_TEST

static void read_only_map(bool write)
{
  client c;
  volatile char *va;
  hsa_amd_vmem_alloc_handle_t memory;
  client_open(&c);
  ck_assert_done(
      hsa_amd_vmem_handle_create(c.device_fine, SIZE, 0, 0, &memory));
  ck_assert_done(
      hsa_amd_vmem_address_reserve((void **)(void *)&va, SIZE, 0, 0));
  ck_assert_done(hsa_amd_vmem_map((void *)(uintptr_t)va, SIZE, 0, memory, 0));
  const hsa_amd_memory_access_desc_t ro = {HSA_ACCESS_PERMISSION_RO, c.host};
  /* Half of a mapping has no access of its own. */
  ck_assert_hsa(
      hsa_amd_vmem_set_access((void *)(uintptr_t)va, SIZE / 2, &ro, 1),
      HSA_STATUS_ERROR_INVALID_ALLOCATION);
  ck_assert_done(hsa_amd_vmem_set_access((void *)(uintptr_t)va, SIZE, &ro, 1));
  ck_assert_int_eq(va[5], 0);
  signal(SIGSEGV, SIG_DFL); /* a sanitizer has a handler */
  if (write)
    va[5] = 1;
  ck_assert_done(hsa_shut_down());
  _exit(0);
}

static void read_only_read(void)
{
  read_only_map(false);
}

static void read_only_write(void)
{
  read_only_map(true);
}

START_TEST(a_mapping_to_be_read_faults_a_host_that_writes)
{
  ck_assert_int_eq(client_child(read_only_read), 0);
  ck_assert_int_eq(client_child(read_only_write), 256 + SIGSEGV);
}
END_TEST

START_TEST(access_is_set_over_mappings_that_follow_each_other)
{
  client c;
  char *va;
  uint32_t perms;
  hsa_amd_vmem_alloc_handle_t memory;
  client_open(&c);
  hsa_amd_memory_access_desc_t rw = {HSA_ACCESS_PERMISSION_RW, c.device};
  ck_assert_done(
      hsa_amd_vmem_handle_create(c.device_fine, SIZE, 0, 0, &memory));
  ck_assert_done(
      hsa_amd_vmem_address_reserve((void **)(void *)&va, 3 * SIZE, 0, 0));
  ck_assert_done(hsa_amd_vmem_map(va, SIZE, 0, memory, 0));
  ck_assert_done(hsa_amd_vmem_map(va + SIZE, SIZE, 0, memory, 0));
  ck_assert_hsa(hsa_amd_vmem_set_access(va, 3 * SIZE, &rw, 1),
                HSA_STATUS_ERROR_INVALID_ALLOCATION);
  ck_assert_done(hsa_amd_vmem_set_access(va, 2 * SIZE, &rw, 1));
  ck_assert_done(hsa_amd_vmem_get_access(va + SIZE, &perms, c.device));
  ck_assert_uint_eq(perms, HSA_ACCESS_PERMISSION_RW);
  ck_assert_done(hsa_amd_memory_fill(va + SIZE, 7, SIZE / 4));
  ck_assert_int_eq(va[0], 7);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(agents_are_let_reach_a_mapping_as_they_are_an_allocation)
{
  client c;
  void *va;
  uint32_t perms;
  hsa_amd_vmem_alloc_handle_t memory;
  client_open(&c);
  ck_assert_done(
      hsa_amd_vmem_handle_create(c.device_fine, SIZE, 0, 0, &memory));
  ck_assert_done(hsa_amd_vmem_address_reserve(&va, SIZE, 0, 0));
  ck_assert_hsa(hsa_amd_agents_allow_access(1, &c.host, NULL, va),
                HSA_STATUS_ERROR_INVALID_ALLOCATION);
  ck_assert_done(hsa_amd_vmem_map(va, SIZE, 0, memory, 0));
  ck_assert_done(hsa_amd_agents_allow_access(1, &c.host, NULL, va));
  ck_assert_done(hsa_amd_vmem_get_access(va, &perms, c.host));
  ck_assert_uint_eq(perms, HSA_ACCESS_PERMISSION_RW);
  ck_assert_done(hsa_amd_vmem_get_access(va, &perms, c.device));
  ck_assert_uint_eq(perms, HSA_ACCESS_PERMISSION_NONE);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(exported_memory_is_the_same_when_it_is_imported)
{
  client c;
  char *va[2];
  int file;
  hsa_amd_vmem_alloc_handle_t memory[2];
  client_open(&c);
  ck_assert_done(
      hsa_amd_vmem_handle_create(c.device_fine, SIZE, 0, 0, &memory[0]));
  ck_assert_done(hsa_amd_vmem_export_shareable_handle(&file, memory[0], 0));
  ck_assert_done(hsa_amd_vmem_import_shareable_handle(file, &memory[1]));
  ck_assert_int_eq(close(file), 0);
  for (int i = 0; i < 2; i++) {
    ck_assert_done(
        hsa_amd_vmem_address_reserve((void **)(void *)&va[i], SIZE, 0, 0));
    ck_assert_done(hsa_amd_vmem_map(va[i], SIZE, 0, memory[i], 0));
    access_allow(&c, va[i]);
  }
  strcpy(va[0], "shared");
  ck_assert_str_eq(va[1], "shared");
  ck_assert_done(hsa_shut_down());
}
END_TEST

/* HIP 7 makes managed memory so. */
START_TEST(addresses_that_are_not_registered_are_memory_of_the_host)
{
  enum { ALIGNMENT = 1 << 21, PLAIN = 1 };
  client c;
  char *va, *other;
  hsa_amd_vmem_alloc_handle_t memory;
  client_open(&c);
  ck_assert_done(hsa_amd_vmem_address_reserve_align((void **)(void *)&va, SIZE,
                                                    0, ALIGNMENT, PLAIN));
  ck_assert_uint_eq((uintptr_t)va % ALIGNMENT, 0);
  memset(va, 23, SIZE);
  ck_assert_done(hsa_amd_memory_pool_allocate(c.device_coarse, SIZE, 0,
                                              (void **)(void *)&other));
  hsa_signal_t done = client_signal(1);
  ck_assert_done(hsa_amd_memory_async_copy(other, c.device, va, c.host, SIZE, 0,
                                           NULL, done));
  while (hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX,
                                   HSA_WAIT_STATE_BLOCKED) != 0) {
  }
  ck_assert_mem_eq(other, va, SIZE);
  ck_assert_done(
      hsa_amd_vmem_handle_create(c.device_fine, SIZE, 0, 0, &memory));
  ck_assert_hsa(hsa_amd_vmem_map(va, SIZE, 0, memory, 0),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_amd_vmem_address_free(va, SIZE));
  ck_assert_hsa(hsa_amd_vmem_address_free(va, SIZE),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(
      hsa_amd_vmem_address_reserve((void **)(void *)&va, SIZE, 0, PLAIN));
  va[SIZE - 1] = 1;
  ck_assert_hsa(
      hsa_amd_vmem_address_reserve((void **)(void *)&va, SIZE, 0, PLAIN << 1),
      HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_shut_down()); /* which gives them back */
}
END_TEST

/* What HOST_ALLOC_DMABUF_SUPPORTED promises. */
START_TEST(memory_of_the_host_is_mapped_for_a_device_and_exported)
{
  client c;
  int file;
  void *va;
  hsa_amd_vmem_alloc_handle_t memory;
  client_open(&c);
  const hsa_amd_memory_access_desc_t access[] = {
      {HSA_ACCESS_PERMISSION_RW, c.host}, {HSA_ACCESS_PERMISSION_RW, c.device}};
  ck_assert_done(hsa_amd_vmem_handle_create(c.host_fine, SIZE, 0, 0, &memory));
  ck_assert_done(hsa_amd_vmem_address_reserve(&va, SIZE, 0, 0));
  ck_assert_done(hsa_amd_vmem_map(va, SIZE, 0, memory, 0));
  ck_assert_done(hsa_amd_vmem_set_access(va, SIZE, access, 2));
  hsa_signal_t done = client_signal(1);
  uint32_t *from;
  ck_assert_done(hsa_amd_memory_pool_allocate(c.device_coarse, SIZE, 0,
                                              (void **)(void *)&from));
  from[1] = 71;
  ck_assert_done(hsa_amd_memory_async_copy(va, c.host, from, c.device, SIZE, 0,
                                           NULL, done));
  while (hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX,
                                   HSA_WAIT_STATE_BLOCKED) != 0) {
  }
  ck_assert_uint_eq(((uint32_t *)va)[1], 71);
  ck_assert_done(hsa_amd_vmem_export_shareable_handle(&file, memory, 0));
  const uint32_t *seen = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, file, 0);
  ck_assert_ptr_ne(seen, MAP_FAILED);
  ck_assert_uint_eq(seen[1], 71);
  ck_assert_int_eq(munmap((void *)(uintptr_t)seen, SIZE), 0);
  ck_assert_int_eq(close(file), 0);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(what_does_not_fit_is_refused)
{
  client c;
  char *va;
  hsa_amd_vmem_alloc_handle_t memory;
  client_open(&c);
  ck_assert_hsa(
      hsa_amd_vmem_handle_create(c.device_fine, SIZE + 1, 0, 0, &memory),
      HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(
      hsa_amd_vmem_handle_create(c.device_fine, SIZE, 0, 0, &memory));
  ck_assert_done(
      hsa_amd_vmem_address_reserve((void **)(void *)&va, SIZE, 0, 0));
  ck_assert_hsa(hsa_amd_vmem_map(va, SIZE, 4096, memory, 0),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_hsa(hsa_amd_vmem_map(va + 4096, SIZE, 0, memory, 0),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_amd_vmem_map(va, 4096, 4096, memory, 0));
  ck_assert_hsa(hsa_amd_vmem_map(va, 4096, 0, memory, 0),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_hsa(hsa_amd_vmem_unmap(va, SIZE),
                HSA_STATUS_ERROR_INVALID_ALLOCATION);
  ck_assert_done(hsa_shut_down());
}
END_TEST

static hsa_status_t event_take(const hsa_amd_event_t *event, void *data)
{
  (void)event, (void)data;
  return HSA_STATUS_SUCCESS;
}

/* Copies read and write it while it goes, or loses its access: each is done, or
 * ends in a memory fault that the handler gets. */
static void copies_disturb(bool unmap)
{
  enum { BYTES = 4 << 20, TIMES = 60 };
  client c;
  char *va, *other;
  hsa_amd_vmem_alloc_handle_t memory;
  client_open(&c);
  const hsa_amd_memory_access_desc_t rw = {HSA_ACCESS_PERMISSION_RW, c.device},
                                     none = {HSA_ACCESS_PERMISSION_NONE,
                                             c.device};
  ck_assert_done(hsa_amd_register_system_event_handler(event_take, NULL));
  ck_assert_done(
      hsa_amd_vmem_handle_create(c.device_fine, BYTES, 0, 0, &memory));
  ck_assert_done(
      hsa_amd_vmem_address_reserve((void **)(void *)&va, BYTES, 0, 0));
  ck_assert_done(hsa_amd_memory_pool_allocate(c.device_fine, BYTES, 0,
                                              (void **)(void *)&other));
  memset(other, 1, BYTES);
  for (int i = 0; i < TIMES; i++) {
    hsa_signal_t done = client_signal(1);
    ck_assert_done(hsa_amd_vmem_map(va, BYTES, 0, memory, 0));
    ck_assert_done(hsa_amd_vmem_set_access(va, BYTES, &rw, 1));
    ck_assert_done(hsa_amd_memory_async_copy(i & 1 ? va : other, c.device,
                                             i & 1 ? other : va, c.device,
                                             BYTES, 0, NULL, done));
    usleep((useconds_t)(i * 37 % TIMES * 20));
    if (!unmap)
      ck_assert_done(hsa_amd_vmem_set_access(va, BYTES, &none, 1));
    ck_assert_done(hsa_amd_vmem_unmap(va, BYTES));
    hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, 20000000,
                              HSA_WAIT_STATE_BLOCKED);
  }
  ck_assert_done(hsa_shut_down());
}

START_TEST(memory_may_be_unmapped_under_copies)
{
  copies_disturb(true);
}
END_TEST

START_TEST(memory_may_lose_its_access_under_copies)
{
  copies_disturb(false);
}
END_TEST

AQ_TEST_MAIN("dropin/hsa/vmem", one_memory_is_seen_at_two_addresses,
             access_is_told_as_it_was_set,
             physical_memory_has_its_type_and_goes_back_with_its_last_use,
             a_mapping_to_be_read_faults_a_host_that_writes,
             access_is_set_over_mappings_that_follow_each_other,
             agents_are_let_reach_a_mapping_as_they_are_an_allocation,
             exported_memory_is_the_same_when_it_is_imported,
             addresses_that_are_not_registered_are_memory_of_the_host,
             memory_of_the_host_is_mapped_for_a_device_and_exported,
             what_does_not_fit_is_refused, memory_may_be_unmapped_under_copies,
             memory_may_lose_its_access_under_copies)
