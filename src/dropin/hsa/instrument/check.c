/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/hsa/base/check.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unwind.h>

#include "common/array.h"
#include "dropin/hsa/base/protected.h"
#include "gpu/codeobj/host_symbols.h"
#include "gpu/codeobj/line_table.h"
#include "gpu/wave/core/wave.h"
#include "gpu/wave/grid/schedule.h"

enum { DEPTH = 48 };

/* Line tables of the program and its libraries, by the path of the file. They
 * stay until the process ends: so do the frames that name them. */
typedef struct host_module {
  const char *path;
  bool fixed; /* it has the addresses of the file (-no-pie) */
  aq_host_symbols symbols;
  aq_code_lines lines; /* none where it was compiled without -g */
} host_module;

static struct {
  host_module *list;
  size_t count, capacity;
} modules;

/* Where the frame of HIP's function continues whose call initialised the
 * runtime. */
static const void *opened_by;

/* ---- frames of the host ---- */

static void module_read(aqdrop *runtime, host_module *out)
{
  struct stat state;
  const int fd = open(out->path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return;
  if (fstat(fd, &state) == 0 && state.st_size > 0) {
    const size_t size = (size_t)state.st_size;
    void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes != MAP_FAILED) {
      aq_diag why = AQ_DIAG_INIT;
      if (aq_code_lines_read(bytes, size, NULL, &out->lines, &why) != AQ_OK) {
        out->lines = (aq_code_lines){.files = AQ_NAMES_INIT};
        aq_check_lines_unread(runtime->check, &why);
      }
      (void)aq_host_symbols_read(bytes, size, &out->symbols, &out->fixed);
      munmap(bytes, size);
    }
  }
  close(fd);
}

/* Called under the checker's lock. */
static const host_module *module_of(aqdrop *runtime, const char *path)
{
  for (size_t i = 0; i < modules.count; i++)
    if (strcmp(modules.list[i].path, path) == 0)
      return &modules.list[i];
  host_module made = {.path = path};
  module_read(runtime, &made);
  if (!AQ_ARRAY_PUSH(modules.list, modules.count, modules.capacity, made)) {
    aq_code_lines_fini(&made.lines);
    aq_host_symbols_fini(&made.symbols);
    return NULL;
  }
  return &modules.list[modules.count - 1];
}

static bool frame_is_ours(const Dl_info *info)
{
  Dl_info ours;
  return dladdr((void *)(uintptr_t)frame_is_ours, &ours) &&
         info->dli_fbase == ours.dli_fbase;
}

static const char *base_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* The call is before the address that it returns to. The library between the
 * program and HIP has no line, and counts as the program's in frame_owner_of,
 * since HIP's frames behind it are HIP's own affair. */
static bool frame_text(void *user, const void *address,
                       char text[AQ_CHECK_FRAME])
{
  const char *at = (const char *)address - 1;
  Dl_info info;
  if (!dladdr(at, &info) || !info.dli_fname || frame_is_ours(&info) ||
      strstr(info.dli_fname, "libaqueduct-pools"))
    return false;
  const host_module *module = module_of(user, info.dli_fname);
  const uint64_t offset = (uint64_t)(at - (const char *)info.dli_fbase),
                 place = module && module->fixed ? (uintptr_t)at : offset;
  uint32_t line;
  const char *file =
      module ? aq_code_lines_user(&module->lines, place, &line) : NULL;
  const char *symbol = info.dli_sname;
  if (!symbol && module)
    symbol = aq_host_symbols_find(&module->symbols, place);
  const char *name = symbol ? symbol : "?";
  if (file) {
    snprintf(text, AQ_CHECK_FRAME, "%.3000s at %.1000s:%u", name, file, line);
    return true;
  }
  if (!info.dli_sname && strstr(info.dli_fname, "libamdhip64"))
    return false; /* inside of HIP */
  snprintf(text, AQ_CHECK_FRAME, "%.3000s (%.1000s+0x%llx)", name,
           base_name(info.dli_fname), (unsigned long long)offset);
  return true;
}

typedef enum frame_owner { NOBODY, PROGRAM, HIP, OURS } frame_owner;

/* Whose code an address is in. The loader takes microseconds to say, and every
 * doorbell asks for the same addresses: some are kept, with the answer in their
 * lowest bits. */
static frame_owner frame_owner_of(const void *address)
{
  enum { KEPT = 1024, BITS = 2 };
  static uint64_t kept[KEPT];
  const uint64_t key = (uint64_t)(uintptr_t)address << BITS;
  uint64_t *slot =
      &kept[((uintptr_t)address ^ (uintptr_t)address >> 10) % KEPT];
  const uint64_t had = __atomic_load_n(slot, __ATOMIC_RELAXED);
  if (had >> BITS == key >> BITS && (had ^ key) != NOBODY)
    return (frame_owner)(had ^ key);
  Dl_info info;
  const frame_owner owner =
      !dladdr(address, &info)                                   ? PROGRAM
      : frame_is_ours(&info)                                    ? OURS
      : info.dli_fname && strstr(info.dli_fname, "libamdhip64") ? HIP
                                                                : PROGRAM;
  __atomic_store_n(slot, key | owner, __ATOMIC_RELAXED);
  return owner;
}

/* The last walk of a thread: the frames, the places of their return addresses
 * on the stack, and the program's callers among them. A loop that launches
 * rings from the same frames each time; to walk them takes longer than to
 * launch. */
typedef struct stack_walk {
  int begin, count; /* the frame that called stack_read; frames */
  void *frames[DEPTH];
  uintptr_t places[DEPTH];
  void *callers[AQ_CHECK_STACK];
} stack_walk;

/* The unwinder of GCC, which glibc's backtrace loads too: the drop-in needs no
 * library that its program may not have. NULL: it is not there. */
static struct {
  pthread_once_t once;
  __typeof__(_Unwind_Backtrace) *backtrace;
  __typeof__(_Unwind_GetIP) *ip;
  __typeof__(_Unwind_GetCFA) *cfa;
} unwinder = {.once = PTHREAD_ONCE_INIT};

static void unwinder_load(void)
{
  void *library = dlopen("libgcc_s.so.1", RTLD_NOW);
  if (!library)
    return;
  void *ip = dlsym(library, "_Unwind_GetIP"),
       *cfa = dlsym(library, "_Unwind_GetCFA"),
       *backtrace = dlsym(library, "_Unwind_Backtrace");
  if (!ip || !cfa || !backtrace)
    return;
  unwinder.ip = (__typeof__(unwinder.ip))ip;
  unwinder.cfa = (__typeof__(unwinder.cfa))cfa;
  unwinder.backtrace = (__typeof__(unwinder.backtrace))backtrace;
}

static _Unwind_Reason_Code frame_take(struct _Unwind_Context *context,
                                      void *user)
{
  stack_walk *walk = user;
  if (walk->count == DEPTH)
    return _URC_END_OF_STACK;
  walk->frames[walk->count] = (void *)unwinder.ip(context);
  walk->places[walk->count++] = unwinder.cfa(context) - sizeof(void *);
  return _URC_NO_REASON;
}

/* Whether the stack is as it was: stack_read was called at the same place, and
 * each place behind that has the return address of then. The places of a
 * thread's stack stay mapped. */
static bool walk_holds(const stack_walk *walk, uintptr_t place)
{
  enum { NEAR = 1 << 16 /* bytes */ };
  bool holds = walk->begin < walk->count && walk->places[walk->begin] == place;
  for (int i = walk->begin; i < walk->count && holds; i++)
    holds = walk->places[i] >= place && walk->places[i] - place < NEAR &&
            *(void *const *)walk->places[i] == walk->frames[i];
  return holds;
}

static void walk_make(stack_walk *walk, uintptr_t place)
{
  int first = 0, kept = 0;
  walk->begin = walk->count = 0;
  pthread_once(&unwinder.once, unwinder_load);
  if (unwinder.backtrace)
    unwinder.backtrace(frame_take, walk);
  while (walk->count > 0 && !walk->frames[walk->count - 1])
    walk->count--; /* the end of a thread's stack */
  while (walk->begin < walk->count && walk->places[walk->begin] != place)
    walk->begin++;
  for (int i = 0; i < walk->count; i++) {
    const frame_owner owner = frame_owner_of(walk->frames[i]);
    first = owner == OURS ? i + 1 : owner == HIP ? i : first;
  }
  for (int i = first; i < walk->count && kept < AQ_CHECK_STACK - 1; i++)
    walk->callers[kept++] = walk->frames[i];
  walk->callers[kept] = NULL;
}

/* The program's callers: from the call of HIP that it made, or of HSA where it
 * made that itself. */
static void __attribute__((noinline)) stack_read(void *out[AQ_CHECK_STACK])
{
  static __thread stack_walk last;
  const uintptr_t place =
      (uintptr_t)__builtin_frame_address(0) + sizeof(void *);
  if (!walk_holds(&last, place))
    walk_make(&last, place);
  memcpy(out, last.callers, sizeof last.callers);
}

static void stack_get(void *user, void *out[AQ_CHECK_STACK])
{
  (void)user;
  stack_read(out);
}

/* ---- life ---- */

static aq_status schedule_open(const aqdrop *runtime, aq_diag *diag)
{
  const char *text = secure_getenv("AQUEDUCT_SCHEDULE");
  aq_wave_schedule schedule;
  if (!text || !*text)
    return AQ_OK;
  if (aq_wave_schedule_read(text, &schedule, diag) != AQ_OK)
    return aq_diag_prefix(diag, "AQUEDUCT_SCHEDULE");
  aq_wave_machine_schedule(runtime->machine, &schedule);
  return AQ_OK;
}

aq_status aqdrop_check_open(aqdrop *runtime, aq_diag *diag)
{
  const char *text = secure_getenv("AQUEDUCT_CHECK");
  aq_check_options options = {
      .sink = aqdrop_recording_results_sink(runtime->recording),
      .allocations = aq_wave_machine_executor(runtime->machine)->allocations,
      .user = runtime,
      .frame = frame_text,
      .stack = stack_get};
  aq_status status = schedule_open(runtime, diag);
  if (status != AQ_OK || !text || !*text)
    return status;
  void *stack[AQ_CHECK_STACK];
  stack_read(stack);
  opened_by = stack[0];
  status = aq_check_read(text, &options.checks, diag);
  if (status != AQ_OK)
    return aq_diag_prefix(diag, "AQUEDUCT_CHECK");
  status = aq_check_create(&options, &runtime->check, diag);
  if (status == AQ_OK)
    aq_wave_machine_observe(runtime->machine,
                            aq_check_observer(runtime->check));
  return status;
}

static void unrung_report(aqdrop *runtime, uint32_t queue, uint64_t packet)
{
  aq_check_unrung(runtime->check, queue, packet);
}

void aqdrop_check_put(aqdrop *runtime)
{
  aq_diag diag = AQ_DIAG_INIT;
  if (runtime->check) {
    runtime->queues_unrung(runtime, unrung_report);
    aq_check_end(runtime->check);
  }
  if (runtime->check && aq_check_put(runtime->check, &diag) != AQ_OK) {
    fprintf(stderr, "aqueduct: %s\n", diag.text);
    aqdrop_recording_unchecked(runtime->recording);
  }
}

void aqdrop_check_close(aqdrop *runtime)
{
  aq_check_destroy(runtime->check);
  runtime->check = NULL;
}

/* ---- memory ---- */

size_t aqdrop_check_room(const aqdrop *runtime)
{
  enum { ROOM = 1 << 16 };
  return runtime->check && aq_check_kinds(runtime->check) & AQ_CHECK_MEMORY
             ? ROOM
             : 0;
}

/* ---- what unwritten memory has ---- */

/* A file of the pattern, which fresh memory is a private mapping of: so only
 * touched pages take memory, and a write never meets the pattern's. Made once;
 * the program may close it or another may take its number. */
static struct {
  int file;
  struct stat made;
} pattern = {.file = -1};

static bool pattern_open(void)
{
  struct stat now;
  if (pattern.file >= 0 && fstat(pattern.file, &now) == 0 &&
      now.st_dev == pattern.made.st_dev && now.st_ino == pattern.made.st_ino)
    return true;
  void *bytes = MAP_FAILED;
  pattern.file = memfd_create("aqueduct-unwritten", MFD_CLOEXEC);
  if (pattern.file >= 0 && ftruncate(pattern.file, AQ_CHECK_PATTERN) == 0 &&
      fstat(pattern.file, &pattern.made) == 0)
    bytes = mmap(NULL, AQ_CHECK_PATTERN, PROT_READ | PROT_WRITE, MAP_SHARED,
                 pattern.file, 0);
  if (bytes == MAP_FAILED) {
    if (pattern.file >= 0)
      close(pattern.file);
    pattern.file = -1;
    return false;
  }
  aq_check_pattern_put(bytes, 0, AQ_CHECK_PATTERN);
  munmap(bytes, AQ_CHECK_PATTERN);
  return true;
}

/* Small memory is filled: each mapping of the process counts against a limit.
 */
static bool pattern_map(aq_check *check, const aq_check_block *block)
{
  enum { SMALL = 1 << 17, PAGE = 4096 };
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  const uint64_t address = block->base;
  char *const base = (char *)(uintptr_t)address;
  const size_t bytes = (block->size + PAGE - 1) & ~(size_t)(PAGE - 1);
  if (block->size <= SMALL)
    return aq_check_fill(check, block, base);
  pthread_mutex_lock(&lock);
  bool done = pattern_open();
  for (size_t at = 0; at < bytes && done;) {
    const size_t from = (address + at) % AQ_CHECK_PATTERN,
                 left = AQ_CHECK_PATTERN - from,
                 part = left < bytes - at ? left : bytes - at;
    done = mmap(base + at, part, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, pattern.file,
                (off_t)from) != MAP_FAILED;
    at += part;
  }
  pthread_mutex_unlock(&lock);
  return done || aq_check_fill(check, block, base);
}

/* Whether HIP allocated on its own account: its caller did not ask for memory,
 * or this part of the call initialises HIP, which is done in the first one. */
static bool stack_is_internal(void *const *stack)
{
  static const char *const calls[] = {
      "hipMalloc", "hipHostMalloc", "hipExtMalloc", "hipMemAlloc", "hipArray"};
  Dl_info info;
  if (!stack[0] || !dladdr(stack[0], &info) || !info.dli_fname ||
      !strstr(info.dli_fname, "libamdhip64"))
    return false;
  bool asked = false;
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    asked |= info.dli_sname &&
             strncmp(info.dli_sname, calls[i], strlen(calls[i])) == 0;
  return !asked || stack[0] == opened_by;
}

void aqdrop_check_allocated(aqdrop *runtime, void *base, size_t size,
                            bool protected, const aqdrop_pool *pool)
{
  if (!runtime->check)
    return;
  aq_check_block block = {
      .base = (uintptr_t)base,
      .size = size,
      .device = pool->agent->info ? pool->agent->ordinal : AQ_DEVICE_HOST,
      .fine = !(pool->flags & HSA_REGION_GLOBAL_FLAG_COARSE_GRAINED)};
  stack_read(block.stack);
  block.ours = stack_is_internal(block.stack);
  block.unwritten = aq_check_is_fresh(runtime->check, &block) &&
                    (protected ? aq_check_fill(runtime->check, &block,
                                               aqdrop_reach(runtime, base))
                               : pattern_map(runtime->check, &block));
  aq_check_allocated(runtime->check, &block);
}

void aqdrop_check_freed(aqdrop *runtime, const void *base)
{
  void *stack[AQ_CHECK_STACK] = {NULL};
  if (!runtime->check)
    return;
  stack_read(stack);
  aq_check_freed(runtime->check, (uintptr_t)base, stack);
}

/* ---- memory of pools ---- */

/* The call of the thread that frees memory; base NULL: none. */
static __thread struct {
  void *base;
  const void *stream;
  bool ordered; /* it published a packet */
} freeing;

/* The callers of a call that ended, and the call. */
static void __attribute__((noinline))
ended_stack(const void *function, void *stack[AQ_CHECK_STACK])
{
  stack_read(stack);
  memmove(&stack[1], stack, (AQ_CHECK_STACK - 2) * sizeof *stack);
  stack[0] = (char *)(uintptr_t)function + 1; /* a place in it */
  stack[AQ_CHECK_STACK - 1] = NULL;
}

void aqdrop_check_pool(aqdrop *runtime, const aq_hsa_pool *call)
{
  const aq_hsa_pool_kind kind = call->kind;
  const uint64_t base = (uintptr_t)call->base;
  void *stack[AQ_CHECK_STACK] = {NULL};
  if (!runtime->check)
    return;
  const bool ordered = freeing.ordered;
  freeing.base = kind == AQ_HSA_POOL_FREES ? call->base : NULL;
  freeing.stream = call->stream;
  freeing.ordered = false;
  if (kind == AQ_HSA_POOL_FREES || !base)
    return;
  ended_stack(call->function, stack);
  if (kind == AQ_HSA_POOL_ALLOCATED)
    aq_check_pool_allocated(runtime->check, base, call->size, call->stream,
                            stack);
  else if (kind == AQ_HSA_POOL_FREED || !ordered)
    aq_check_pool_freed(runtime->check, base, kind == AQ_HSA_POOL_FREED, stack);
}

void aqdrop_check_publish(const aqdrop *runtime, const aq_amd_queue *queue,
                          uint64_t id)
{
  void *stack[AQ_CHECK_STACK] = {NULL};
  if (!runtime->check)
    return;
  if (freeing.base) {
    freeing.ordered = true;
    stack_read(stack);
    aq_check_pool_frees(runtime->check, (uintptr_t)freeing.base, freeing.stream,
                        queue, id, stack);
  }
  aq_check_publish(runtime->check, queue, id);
}

/* ---- code ---- */

void aqdrop_check_code(aqdrop *runtime, const aq_code_image *image,
                       const void *bytes, size_t size)
{
  if (runtime->check)
    aq_check_code(runtime->check, (uintptr_t)image->base, image->span,
                  image->bias, &image->code, bytes, size);
}

void aqdrop_check_code_gone(aqdrop *runtime, const aq_code_image *image)
{
  if (runtime->check)
    aq_check_code_gone(runtime->check, (uintptr_t)image->base);
}
