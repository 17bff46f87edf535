/* SPDX-License-Identifier: MIT */
/* Memory that processes and libraries share. */
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dropin/hsa/client.h"

enum { SIZE = 10000 };

static char *device_memory(const client *c)
{
  void *memory;
  ck_assert_done(
      hsa_amd_memory_pool_allocate(c->device_coarse, SIZE, 0, &memory));
  return memory;
}

static hsa_amd_pointer_info_t info_of(const void *address)
{
  hsa_amd_pointer_info_t info = {.size = sizeof info};
  ck_assert_done(hsa_amd_pointer_info(address, &info, NULL, NULL, NULL));
  return info;
}

/* The other process: it has the memory, and answers through it. */
static void owner_run(int to, int from)
{
  client c;
  hsa_amd_ipc_memory_t handle;
  char byte;
  client_open(&c);
  char *memory = device_memory(&c);
  memset(memory, 7, SIZE);
  ck_assert_done(hsa_amd_ipc_memory_create(memory, SIZE, &handle));
  ck_assert_int_eq(memory[SIZE - 1], 7);
  ck_assert_int_eq(write(to, &handle, sizeof handle), sizeof handle);
  ck_assert_int_eq(read(from, &byte, 1), 1);
  ck_assert_int_eq(memory[1], 8);
  memory[2] = 9;
  ck_assert_int_eq(write(to, "", 1), 1);
  ck_assert_int_eq(read(from, &byte, 1), 1);
  ck_assert_done(hsa_amd_memory_pool_free(memory));
  ck_assert_done(hsa_shut_down());
}

START_TEST(two_processes_share_an_allocation_by_its_handle)
{
  client c;
  hsa_amd_ipc_memory_t handle;
  void *mapped;
  char byte;
  int there[2], back[2], status;
  ck_assert_int_eq(pipe(there) | pipe(back), 0);
  pid_t owner = fork();
  if (owner == 0) {
    owner_run(there[1], back[0]);
    _exit(0);
  }
  ck_assert_int_eq(read(there[0], &handle, sizeof handle), sizeof handle);
  client_open(&c);
  ck_assert_hsa(hsa_amd_ipc_memory_attach(&handle, SIZE - 1, 0, NULL, &mapped),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(
      hsa_amd_ipc_memory_attach(&handle, SIZE, 1, &c.device, &mapped));
  char *memory = mapped;
  ck_assert_int_eq(memory[0], 7);
  ck_assert_int_eq(memory[SIZE - 1], 7);
  ck_assert_uint_eq(info_of(memory + 5).type, HSA_EXT_POINTER_TYPE_IPC);
  memory[1] = 8;
  ck_assert_int_eq(write(back[1], "", 1), 1);
  ck_assert_int_eq(read(there[0], &byte, 1), 1);
  ck_assert_int_eq(memory[2], 9);
  ck_assert_hsa(hsa_amd_memory_pool_free(memory),
                HSA_STATUS_ERROR_INVALID_ALLOCATION);
  ck_assert_hsa(hsa_amd_memory_unlock(memory),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_amd_ipc_memory_detach(memory));
  ck_assert_hsa(hsa_amd_ipc_memory_detach(memory),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_uint_eq(info_of(memory).type, HSA_EXT_POINTER_TYPE_UNKNOWN);
  ck_assert_int_eq(write(back[1], "", 1), 1);
  ck_assert_int_eq(waitpid(owner, &status, 0), owner);
  ck_assert_int_eq(status, 0);
  ck_assert_hsa(hsa_amd_ipc_memory_attach(&handle, SIZE, 0, NULL, &mapped),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_shut_down());
  for (int i = 0; i < 2; i++) {
    close(there[i]);
    close(back[i]);
  }
}
END_TEST

START_TEST(only_a_whole_allocation_has_a_handle)
{
  client c;
  hsa_amd_ipc_memory_t handle = {{0}};
  char here[64];
  void *mapped;
  client_open(&c);
  char *memory = device_memory(&c);
  ck_assert_hsa(hsa_amd_ipc_memory_create(here, sizeof here, &handle),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_hsa(hsa_amd_ipc_memory_create(memory + 1, 8, &handle),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_hsa(hsa_amd_ipc_memory_attach(&handle, SIZE, 0, NULL, &mapped),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_amd_memory_pool_free(memory));
  ck_assert_done(hsa_shut_down());
}
END_TEST

/* HIP asks for whole pages, whatever the program asked for. */
START_TEST(a_handle_may_be_of_whole_pages)
{
  enum { ODD = 5000, WHOLE = 8192 };
  client c;
  hsa_amd_ipc_memory_t handle;
  void *memory, *mapped;
  client_open(&c);
  ck_assert_done(
      hsa_amd_memory_pool_allocate(c.device_coarse, ODD, 0, &memory));
  ck_assert_done(hsa_amd_ipc_memory_create(memory, WHOLE, &handle));
  ck_assert_done(
      hsa_amd_ipc_memory_attach(&handle, WHOLE, 1, &c.device, &mapped));
  ck_assert_done(hsa_amd_ipc_memory_detach(mapped));
  ck_assert_hsa(hsa_amd_ipc_memory_create(memory, WHOLE + 1, &handle),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_amd_memory_pool_free(memory));
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(an_exported_descriptor_maps_the_same_bytes)
{
  client c;
  uint64_t offset = 0;
  size_t size = 0;
  int file;
  void *mapped;
  client_open(&c);
  char *memory = device_memory(&c);
  memory[100] = 3;
  ck_assert_done(
      hsa_amd_portable_export_dmabuf(memory + 100, 8, &file, &offset));
  ck_assert_uint_eq(offset, 100);
  ck_assert_done(hsa_amd_interop_map_buffer(1, &c.device, file, 0, &size,
                                            &mapped, NULL, NULL));
  ck_assert_uint_ge(size, SIZE);
  ck_assert_int_eq(((char *)mapped)[offset], 3);
  ((char *)mapped)[offset] = 4;
  ck_assert_int_eq(memory[100], 4);
  ck_assert_done(hsa_amd_interop_unmap_buffer(mapped));
  ck_assert_hsa(hsa_amd_interop_unmap_buffer(mapped),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_amd_portable_close_dmabuf(file));
  ck_assert_hsa(hsa_amd_portable_close_dmabuf(file),
                HSA_STATUS_ERROR_RESOURCE_FREE);
  ck_assert_done(
      hsa_amd_portable_export_dmabuf_v2(memory, SIZE, &file, &offset, 1));
  ck_assert_uint_eq(offset, 0);
  ck_assert_done(hsa_amd_portable_close_dmabuf(file));
  ck_assert_hsa(
      hsa_amd_portable_export_dmabuf(memory, SIZE + 4096, &file, &offset),
      HSA_STATUS_ERROR_INVALID_ALLOCATION);
  ck_assert_hsa(hsa_amd_portable_close_dmabuf(0),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_amd_memory_pool_free(memory));
  ck_assert_done(hsa_shut_down());
}
END_TEST

AQ_TEST_MAIN("dropin/hsa/sharing",
             two_processes_share_an_allocation_by_its_handle,
             only_a_whole_allocation_has_a_handle,
             a_handle_may_be_of_whole_pages,
             an_exported_descriptor_maps_the_same_bytes)
