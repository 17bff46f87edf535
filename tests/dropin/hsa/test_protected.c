/* SPDX-License-Identifier: MIT */
/* Strict memory: accesses of the host, and all that still reaches it. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dropin/hsa/client.h"

enum { SIZE = 10000 };

static void strict_open(client *c, const char *mode)
{
  setenv("AQUEDUCT_STRICT_MEMORY", mode, 1);
  client_open(c);
}

static void strict_close(void)
{
  ck_assert_done(hsa_shut_down());
  unsetenv("AQUEDUCT_STRICT_MEMORY");
}

static char *memory_of(hsa_amd_memory_pool_t pool)
{
  void *memory;
  ck_assert_done(hsa_amd_memory_pool_allocate(pool, SIZE, 0, &memory));
  return memory;
}

/* ---- accesses of the host ---- */

static sigjmp_buf out;
static void *volatile fault_at;

static void fault_note(int number, siginfo_t *info, void *context)
{
  (void)number, (void)context;
  fault_at = info->si_addr;
  siglongjmp(out, 1);
}

static void handler_set(struct sigaction *before)
{
  struct sigaction ours = {.sa_sigaction = fault_note, .sa_flags = SA_SIGINFO};
  ck_assert_int_eq(sigaction(SIGSEGV, &ours, before), 0);
}

/* Whether the host may write there; a handler notes that it may not. */
static bool host_writes(volatile char *at)
{
  fault_at = NULL;
  if (sigsetjmp(out, 1) != 0)
    return false;
  *at = 3;
  return true;
}

static void body_touch(const char *mode, bool write)
{
  client c;
  signal(SIGSEGV, SIG_DFL); /* a sanitizer has a handler */
  strict_open(&c, mode);
  volatile char *memory = memory_of(c.device_coarse);
  if (write)
    memory[17] = 1;
  exit(memory[18]);
}

static void body_write(void)
{
  body_touch("never", true);
}

static void body_read(void)
{
  body_touch("allowed", false);
}

/* Runs it with its standard error in a file, and returns that. */
static const char *child_error(void (*body)(void), int *status)
{
  static char text[4096];
  FILE *file = tmpfile();
  const int err = dup(2);
  ck_assert_ptr_nonnull(file);
  dup2(fileno(file), 2);
  *status = client_child(body);
  dup2(err, 2);
  close(err);
  rewind(file);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  return text;
}

START_TEST(the_host_dies_of_an_access_with_a_line_that_names_the_allocation)
{
  int status;
  const char *text = child_error(body_write, &status);
  ck_assert_int_eq(status, 256 + SIGSEGV);
  ck_assert_ptr_nonnull(strstr(text, "byte 17 of 10000 bytes of pool memory of "
                                     "device 0 at 0x"));
  ck_assert_ptr_nonnull(strstr(text, "hsa_amd_memory_async_copy"));
  ck_assert_ptr_eq(strchr(text, '\n'), strrchr(text, '\n'));
#if defined(__x86_64__)
  ck_assert_ptr_nonnull(strstr(text, "the host wrote 0x"));
#endif
  text = child_error(body_read, &status);
  ck_assert_int_eq(status, 256 + SIGSEGV);
  ck_assert_ptr_nonnull(strstr(text, "byte 18 of 10000 bytes"));
  ck_assert_ptr_nonnull(strstr(text, "until hsa_amd_agents_allow_access"));
}
END_TEST

static void body_before(void)
{
  client c;
  handler_set(NULL);
  strict_open(&c, "never");
  char *memory = memory_of(c.device_coarse);
  const bool caught = !host_writes(memory + 5) && fault_at == memory + 5;
  strict_close();
  exit(caught ? 0 : 1);
}

START_TEST(handlers_of_the_program_get_the_signal)
{
  client c;
  struct sigaction before, now;
  int status;
  const char *text = child_error(body_before, &status);
  ck_assert_int_eq(status, 0);
  ck_assert_ptr_nonnull(strstr(text, "byte 5 of 10000 bytes"));
  strict_open(&c, "never");
  char *memory = memory_of(c.device_coarse);
  handler_set(&before); /* later than the runtime's */
  ck_assert(!host_writes(memory + 6));
  ck_assert_ptr_eq(fault_at, memory + 6);
  strict_close();
  sigaction(SIGSEGV, NULL, &now);
  ck_assert_ptr_eq(now.sa_sigaction, fault_note); /* and it stays */
}
END_TEST

START_TEST(a_word_that_is_no_mode_is_refused)
{
  setenv("AQUEDUCT_STRICT_MEMORY", "yes", 1);
  ck_assert_hsa(hsa_init(), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  unsetenv("AQUEDUCT_STRICT_MEMORY");
}
END_TEST

/* ---- access of the host ---- */

static uint32_t access_of(const client *c, hsa_amd_memory_pool_t pool)
{
  uint32_t access;
  ck_assert_done(hsa_amd_agent_memory_pool_get_info(
      c->host, pool, HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, &access));
  return access;
}

START_TEST(pools_tell_what_the_host_may)
{
  static const char *const modes[] = {"off", "allowed", "never"};
  for (int i = 0; i < 3; i++) {
    client c;
    strict_open(&c, modes[i]);
    ck_assert_uint_eq(access_of(&c, c.device_coarse),
                      i == 2
                          ? HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED
                          : HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT);
    ck_assert_uint_eq(access_of(&c, c.device_fine),
                      HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT);
    memory_of(c.device_fine)[1] = 1; /* only coarse memory is protected */
    memory_of(c.host_fine)[1] = 1;
    strict_close();
  }
}
END_TEST

START_TEST(access_opens_and_closes_memory_for_the_host)
{
  client c;
  uint32_t count;
  hsa_amd_pointer_info_t info = {.size = sizeof info};
  strict_open(&c, "allowed");
  handler_set(NULL);
  char *memory = memory_of(c.device_coarse);
  const hsa_agent_t both[] = {c.device, c.host};
  ck_assert(!host_writes(memory));
  ck_assert_done(hsa_amd_agents_allow_access(2, both, NULL, memory));
  ck_assert(host_writes(memory));
  ck_assert_done(hsa_amd_pointer_info(memory, &info, NULL, &count, NULL));
  ck_assert_uint_eq(count, 2);
  ck_assert_done(hsa_amd_agents_allow_access(1, both, NULL, memory));
  ck_assert(!host_writes(memory));
  strict_close();
  strict_open(&c, "never");
  memory = memory_of(c.device_coarse);
  ck_assert_done(hsa_amd_agents_allow_access(
      2, (hsa_agent_t[]){c.device, c.host}, NULL, memory));
  ck_assert(!host_writes(memory));
  ck_assert_done(hsa_amd_pointer_info(memory, &info, NULL, &count, NULL));
  ck_assert_uint_eq(count, 1);
  strict_close();
}
END_TEST

/* ---- what reaches it all the same ---- */

static char byte_at(int i, int seed)
{
  return (char)(i * 31 + i / 256 + seed);
}

static void bytes_make(char *bytes, int seed)
{
  for (int i = 0; i < SIZE; i++)
    bytes[i] = byte_at(i, seed);
}

static void bytes_check(const char *bytes, int seed)
{
  for (int i = 0; i < SIZE; i++)
    ck_assert_int_eq(bytes[i], byte_at(i, seed));
}

static void engine_copy(const client *c, void *to, bool to_device,
                        const void *from, bool from_device)
{
  hsa_signal_t done = client_signal(1);
  ck_assert_done(hsa_amd_memory_async_copy(
      to, to_device ? c->device : c->host, from,
      from_device ? c->device : c->host, SIZE, 0, NULL, done));
  client_wait_zero(done);
  ck_assert_done(hsa_signal_destroy(done));
}

START_TEST(copies_and_fills_move_its_bytes)
{
  client c;
  static char from[SIZE], back[SIZE];
  strict_open(&c, "never");
  char *a = memory_of(c.device_coarse), *b = memory_of(c.device_coarse);
  ck_assert_done(hsa_memory_copy(back, a, SIZE));
  for (int i = 0; i < SIZE; i++)
    ck_assert_int_eq(back[i], 0); /* fresh memory is zeros */
  bytes_make(from, 1);
  engine_copy(&c, a, true, from, false);
  engine_copy(&c, b, true, a, true);
  engine_copy(&c, back, false, b, true);
  bytes_check(back, 1);
  bytes_make(from, 2);
  ck_assert_done(hsa_memory_copy(a, from, SIZE));
  ck_assert_done(hsa_memory_copy(b, a, SIZE));
  ck_assert_done(hsa_memory_copy(back, b, SIZE));
  bytes_check(back, 2);
  ck_assert_done(hsa_amd_memory_fill(a, 0x01020304, SIZE / 4));
  ck_assert_done(hsa_memory_copy(back, a, SIZE));
  ck_assert_int_eq(back[SIZE - 1], 1);
  ck_assert_done(hsa_amd_memory_pool_free(a));
  a = memory_of(c.device_coarse); /* not the bytes of the freed one */
  ck_assert_done(hsa_memory_copy(back, a, SIZE));
  ck_assert_int_eq(back[0] | back[SIZE - 1], 0);
  strict_close();
}
END_TEST

START_TEST(boxes_are_copied_into_it)
{
  enum { ROW = 50, ROWS = 20, PITCH = 100 };
  client c;
  static char from[SIZE], back[SIZE];
  strict_open(&c, "never");
  char *memory = memory_of(c.device_coarse);
  hsa_signal_t done = client_signal(1);
  const hsa_dim3_t origin = {0, 0, 0}, range = {ROW, ROWS, 1};
  const hsa_pitched_ptr_t to = {memory, PITCH, PITCH * ROWS},
                          source = {from, ROW, ROW * ROWS};
  bytes_make(from, 3);
  ck_assert_done(hsa_amd_memory_async_copy_rect(
      &to, &origin, &source, &origin, &range, c.device, 1, 0, NULL, done));
  client_wait_zero(done);
  ck_assert_done(hsa_memory_copy(back, memory, SIZE));
  for (int y = 0; y < ROWS; y++) {
    ck_assert_mem_eq(back + y * PITCH, from + y * ROW, ROW);
    ck_assert_int_eq(back[y * PITCH + ROW], 0);
  }
  strict_close();
}
END_TEST

START_TEST(virtual_memory_of_a_device_is_protected_too)
{
  enum { PAGES = 8192 };
  client c;
  void *va;
  static char from[SIZE], back[SIZE];
  hsa_amd_vmem_alloc_handle_t device, second, host;
  strict_open(&c, "allowed");
  handler_set(NULL);
  ck_assert_done(
      hsa_amd_vmem_handle_create(c.device_coarse, PAGES, 1, 0, &device));
  ck_assert_done(
      hsa_amd_vmem_handle_create(c.device_coarse, PAGES, 1, 0, &second));
  ck_assert_done(hsa_amd_vmem_handle_create(c.host_fine, PAGES, 1, 0, &host));
  ck_assert_done(hsa_amd_vmem_address_reserve(&va, 3 * PAGES, 0, 0));
  char *memory = va;
  ck_assert_done(hsa_amd_vmem_map(memory, PAGES, 0, device, 0));
  ck_assert_done(hsa_amd_vmem_map(memory + PAGES, PAGES, 0, second, 0));
  ck_assert_done(hsa_amd_vmem_map(memory + 2 * PAGES, PAGES, 0, host, 0));
  hsa_amd_memory_access_desc_t rw[] = {{HSA_ACCESS_PERMISSION_RW, c.device},
                                       {HSA_ACCESS_PERMISSION_RW, c.host}};
  ck_assert_done(hsa_amd_vmem_set_access(va, 3 * PAGES, rw, 1));
  ck_assert(!host_writes(memory));
  ck_assert(host_writes(memory + 2 * PAGES)); /* the host's own */
  /* One copy across both mappings of the device's. */
  bytes_make(from, 4);
  engine_copy(&c, memory, true, from, false);
  engine_copy(&c, back, false, memory, true);
  bytes_check(back, 4);
  ck_assert_done(hsa_amd_vmem_set_access(va, PAGES, rw, 2));
  ck_assert_int_eq(memory[100], byte_at(100, 4));
  ck_assert(!host_writes(memory + PAGES));
  ck_assert_done(hsa_amd_vmem_unmap(memory, PAGES));
  ck_assert(!host_writes(memory));
  strict_close();
}
END_TEST

/* Another process's allocation is as protected as this one's. */
START_TEST(shared_memory_stays_protected)
{
  client c;
  hsa_amd_ipc_memory_t handle;
  static char back[SIZE];
  char byte = 0;
  void *mapped;
  int there[2], back_to[2], status;
  ck_assert_int_eq(pipe(there) | pipe(back_to), 0);
  const pid_t owner = fork();
  if (owner == 0) {
    strict_open(&c, "never");
    char *memory = memory_of(c.device_coarse);
    bytes_make(back, 5);
    ck_assert_done(hsa_memory_copy(memory, back, SIZE));
    ck_assert_done(hsa_amd_ipc_memory_create(memory, SIZE, &handle));
    ck_assert_int_eq(write(there[1], &handle, sizeof handle), sizeof handle);
    ck_assert_int_eq(read(back_to[0], &byte, 1), 1);
    ck_assert_done(hsa_memory_copy(back, memory, SIZE));
    ck_assert_int_eq(back[9], 3);
    strict_close();
    _exit(0);
  }
  ck_assert_int_eq(read(there[0], &handle, sizeof handle), sizeof handle);
  strict_open(&c, "never");
  handler_set(NULL);
  ck_assert_done(
      hsa_amd_ipc_memory_attach(&handle, SIZE, 1, &c.device, &mapped));
  ck_assert(!host_writes(mapped));
  ck_assert_done(hsa_memory_copy(back, mapped, SIZE));
  bytes_check(back, 5);
  back[9] = 3;
  engine_copy(&c, mapped, true, back, false);
  ck_assert_int_eq(write(back_to[1], "", 1), 1);
  ck_assert_int_eq(waitpid(owner, &status, 0), owner);
  ck_assert_int_eq(status, 0);
  ck_assert_done(hsa_amd_ipc_memory_detach(mapped));
  strict_close();
}
END_TEST

START_TEST(locking_and_attributes_leave_it_protected)
{
  client c;
  void *there;
  static char from[SIZE], back[SIZE];
  strict_open(&c, "never");
  handler_set(NULL);
  char *memory = memory_of(c.device_coarse);
  bytes_make(from, 6);
  ck_assert_done(hsa_amd_memory_lock(memory, SIZE, NULL, 0, &there));
  ck_assert_ptr_eq(there, memory);
  ck_assert(!host_writes(memory));
  engine_copy(&c, there, true, from, false);
  hsa_amd_svm_attribute_pair_t pair = {HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE,
                                       c.device.handle};
  ck_assert_hsa(hsa_amd_svm_attributes_set(memory, SIZE, &pair, 1),
                HSA_STATUS_ERROR);
  engine_copy(&c, back, false, memory, true);
  bytes_check(back, 6);
  ck_assert_done(hsa_amd_memory_unlock(memory));
  /* Memory of the host is locked as ever. */
  ck_assert_done(hsa_amd_memory_lock(from, SIZE, NULL, 0, &there));
  engine_copy(&c, memory, true, there, false);
  from[3] = 1;
  ck_assert_done(hsa_amd_memory_unlock(from));
  strict_close();
}
END_TEST

START_TEST(many_allocations_take_no_descriptors)
{
  enum { MANY = 3000 };
  client c;
  static char *memories[MANY];
  int value = 0;
  strict_open(&c, "never");
  for (int i = 0; i < MANY; i++) {
    memories[i] = memory_of(c.device_coarse);
    ck_assert_done(hsa_memory_copy(memories[i] + 100, &i, sizeof i));
  }
  for (int i = 0; i < MANY; i++) {
    ck_assert_done(hsa_memory_copy(&value, memories[i] + 100, sizeof i));
    ck_assert_int_eq(value, i);
    ck_assert_done(hsa_amd_memory_pool_free(memories[i]));
  }
  strict_close();
}
END_TEST

AQ_TEST_MAIN("dropin/hsa/protected",
             the_host_dies_of_an_access_with_a_line_that_names_the_allocation,
             handlers_of_the_program_get_the_signal,
             a_word_that_is_no_mode_is_refused, pools_tell_what_the_host_may,
             access_opens_and_closes_memory_for_the_host,
             copies_and_fills_move_its_bytes, boxes_are_copied_into_it,
             virtual_memory_of_a_device_is_protected_too,
             shared_memory_stays_protected,
             locking_and_attributes_leave_it_protected,
             many_allocations_take_no_descriptors)
