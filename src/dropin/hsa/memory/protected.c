/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/hsa/base/protected.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "common/allocations.h"
#include "dropin/hsa/base/pools.h"

enum { PAGE = 4096, TRIES = 16 };

/* Where the second mapping of an address is. */
static char *second(char *base)
{
  return base - AQDROP_PROTECTED_SHIFT;
}

/* ---- addresses ---- */

static void *reserve(void *at, size_t size, int more)
{
  return mmap(at, size, PROT_NONE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | more, -1, 0);
}

/* The second addresses of a range; false: something else is there. */
static bool second_take(char *base, size_t size)
{
  char *const wanted = second(base);
  if ((uintptr_t)base < 2 * AQDROP_PROTECTED_SHIFT)
    return false;
  char *const got = reserve(wanted, size, 0); /* a flag would end TSan */
  if (got != MAP_FAILED && got != wanted)
    munmap(got, size);
  return got == wanted;
}

char *aqdrop_protected_reserve(void *hint, size_t size, size_t alignment)
{
  size_t total;
  if (__builtin_add_overflow(size, alignment - PAGE, &total))
    return NULL;
  /* Where the second addresses are taken, other first ones may do. */
  for (uint64_t i = 0; i < TRIES; i++) {
    void *const wish =
        i == 0 ? hint : (void *)(uintptr_t)(i << 43); /* NOLINT */
    char *base = reserve(wish, total, 0);
    if (base == MAP_FAILED)
      return NULL;
    const size_t lead = -(uintptr_t)base & (alignment - 1);
    if (lead > 0)
      munmap(base, lead);
    base += lead;
    if (total - lead > size)
      munmap(base + size, total - lead - size);
    if (second_take(base, size))
      return base;
    munmap(base, size);
  }
  return NULL;
}

void aqdrop_protected_release(char *base, size_t size)
{
  munmap(base, size);
  munmap(second(base), size);
}

/* ---- pages ---- */

bool aqdrop_protected_map(char *base, size_t size, int file, off_t offset,
                          int host, int devices)
{
  return mmap(second(base), size, devices, MAP_SHARED | MAP_FIXED, file,
              offset) != MAP_FAILED &&
         mmap(base, size, host, MAP_SHARED | MAP_FIXED, file, offset) !=
             MAP_FAILED;
}

bool aqdrop_protected_clear(char *base, size_t size)
{
  return reserve(base, size, MAP_FIXED) != MAP_FAILED &&
         reserve(second(base), size, MAP_FIXED) != MAP_FAILED;
}

bool aqdrop_protected_is_file(int file)
{
  static const char ours[] = "/memfd:" AQDROP_PROTECTED_FILE;
  char path[64], name[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(path, name, sizeof name);
  return length >= (ssize_t)sizeof ours - 1 &&
         memcmp(name, ours, sizeof ours - 1) == 0;
}

bool aqdrop_pool_is_protected(const aqdrop *runtime, const aqdrop_pool *pool)
{
  return runtime->strict != AQ_STRICT_OFF && pool->agent->info &&
         aqdrop_pool_is_global(pool) &&
         pool->flags & HSA_REGION_GLOBAL_FLAG_COARSE_GRAINED;
}

/* ---- accesses of the host ---- */

/* Signal handlers are the process's. */
static struct {
  const aqdrop *runtime; /* atomic: whose memory is watched, or NULL */
  struct sigaction before;
} watch;

/* "wrote", "read", or both where the host does not say. */
static const char *verb_of(const void *context)
{
#if defined(__x86_64__)
  enum { WRITE = 2 }; /* of the page fault's error code */
  const ucontext_t *at = context;
  return at->uc_mcontext.gregs[REG_ERR] & WRITE ? "wrote" : "read";
#else
  (void)context;
  return "accessed";
#endif
}

static void access_report(const aqdrop *runtime, uint64_t address,
                          const void *context)
{
  char place[AQ_ALLOCATION_TEXT_SIZE], line[AQ_ALLOCATION_TEXT_SIZE + 200];
  aq_allocation found;
  if (!aq_allocations_protected(runtime->allocations, address, &found))
    return;
  aq_allocation_name(&found, place, sizeof place);
  const int length = snprintf(
      line, sizeof line,
      "aqueduct: the host %s 0x%" PRIx64 ", byte %" PRIu64
      " of %s: strict memory leaves it to devices%s\n",
      verb_of(context), address, address - found.base, place,
      aqdrop_protected_opens(runtime)
          ? " until hsa_amd_agents_allow_access names the host"
          : "; hsa_amd_memory_async_copy and hsa_memory_copy reach it");
  if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0)
    return; /* the signal is passed on without the line */
}

/* Acts as the kernel would have, had this handler not been there: returning
 * repeats an access that no handler repairs. */
static void others_take(int number, siginfo_t *info, void *context)
{
  const struct sigaction *before = &watch.before;
  const bool plain = !(before->sa_flags & SA_SIGINFO);
  if (plain &&
      (before->sa_handler == SIG_DFL || before->sa_handler == SIG_IGN)) {
    const struct sigaction deadly = {.sa_handler = SIG_DFL};
    if (before->sa_handler == SIG_IGN && info->si_code <= 0)
      return;
    sigaction(number, &deadly, NULL);
    if (info->si_code <= 0)
      raise(number);
    return;
  }
  pthread_sigmask(SIG_BLOCK, &before->sa_mask, NULL);
  if (plain)
    before->sa_handler(number);
  else
    before->sa_sigaction(number, info, context);
}

static void handle(int number, siginfo_t *info, void *context)
{
  const aqdrop *runtime = __atomic_load_n(&watch.runtime, __ATOMIC_ACQUIRE);
  if (runtime && info->si_code > 0)
    access_report(runtime, (uintptr_t)info->si_addr, context);
  others_take(number, info, context);
}

static bool is_ours(const struct sigaction *action)
{
  return action->sa_flags & SA_SIGINFO && action->sa_sigaction == handle;
}

/* ---- life ---- */

aq_status aqdrop_protected_open(aqdrop *runtime, aq_diag *diag)
{
  const char *text = secure_getenv("AQUEDUCT_STRICT_MEMORY");
  struct sigaction ours = {.sa_sigaction = handle,
                           .sa_flags = SA_SIGINFO | SA_ONSTACK};
  if (text && *text) {
    aq_status status = aq_strict_memory_read(text, &runtime->strict, diag);
    if (status != AQ_OK)
      return aq_diag_prefix(diag, "AQUEDUCT_STRICT_MEMORY");
  }
  if (runtime->strict == AQ_STRICT_OFF)
    return AQ_OK;
  runtime->memory_file = memfd_create(AQDROP_PROTECTED_FILE, MFD_CLOEXEC);
  if (runtime->memory_file < 0)
    return aq_diag_set(diag, AQ_ERR_RESOURCES,
                       "AQUEDUCT_STRICT_MEMORY: no file in memory for the "
                       "memory of devices");
  __atomic_store_n(&watch.runtime, runtime, __ATOMIC_RELEASE);
  sigemptyset(&ours.sa_mask);
  struct sigaction now;
  if (sigaction(SIGSEGV, NULL, &now) == 0 && !is_ours(&now)) {
    watch.before = now;
    sigaction(SIGSEGV, &ours, NULL);
  }
  return AQ_OK;
}

/* A handler that the program has set since stays, and may call this one. */
void aqdrop_protected_close(aqdrop *runtime)
{
  if (runtime->strict == AQ_STRICT_OFF)
    return;
  struct sigaction now;
  __atomic_store_n(&watch.runtime, NULL, __ATOMIC_RELEASE);
  if (sigaction(SIGSEGV, NULL, &now) == 0 && is_ours(&now))
    sigaction(SIGSEGV, &watch.before, NULL);
  if (runtime->memory_file >= 0)
    close(runtime->memory_file);
}
