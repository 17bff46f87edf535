/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/hsa/base/check.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/array.h"
#include "gpu/codeobj/lines.h"
#include "gpu/wave/grid/schedule.h"

enum { DEPTH = 48 };

/* Line tables of the program and its libraries, by the path of the file. They
 * stay until the process ends: so do the frames that name them. */
typedef struct host_module {
  const char *path;
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

static aq_code_lines lines_of(const char *path)
{
  aq_code_lines lines = {.count = 0};
  struct stat state;
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return lines;
  if (fstat(fd, &state) == 0 && state.st_size > 0) {
    const size_t size = (size_t)state.st_size;
    void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes != MAP_FAILED) {
      if (aq_code_lines_read(bytes, size, NULL, &lines, NULL) != AQ_OK)
        lines = (aq_code_lines){.count = 0};
      munmap(bytes, size);
    }
  }
  close(fd);
  return lines;
}

/* Called under the checker's lock. */
static const aq_code_lines *module_lines(const char *path)
{
  for (size_t i = 0; i < modules.count; i++)
    if (strcmp(modules.list[i].path, path) == 0)
      return &modules.list[i].lines;
  host_module made = {.path = path, .lines = lines_of(path)};
  if (!AQ_ARRAY_PUSH(modules.list, modules.count, modules.capacity, made)) {
    aq_code_lines_fini(&made.lines);
    return NULL;
  }
  return &modules.list[modules.count - 1].lines;
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

/* The call is before the address that it returns to. */
static bool frame_text(void *user, const void *address,
                       char text[AQ_CHECK_TEXT])
{
  const char *at = (const char *)address - 1;
  Dl_info info;
  (void)user;
  if (!dladdr(at, &info) || !info.dli_fname || frame_is_ours(&info))
    return false;
  const aq_code_lines *lines = module_lines(info.dli_fname);
  const uint64_t offset = (uint64_t)(at - (const char *)info.dli_fbase);
  const char *name = info.dli_sname ? info.dli_sname : "?";
  const aq_code_line *line = lines ? aq_code_lines_find(lines, offset) : NULL;
  if (line && line->line > 0) {
    snprintf(text, AQ_CHECK_TEXT, "%.150s at %.250s:%u", name,
             aq_names_text(&lines->files, line->file), line->line);
    return true;
  }
  if (!info.dli_sname && strstr(info.dli_fname, "libamdhip64"))
    return false; /* inside of HIP */
  snprintf(text, AQ_CHECK_TEXT, "%.150s (%.200s+0x%llx)", name,
           base_name(info.dli_fname), (unsigned long long)offset);
  return true;
}

/* The program's callers: from the call of HIP that it made, or of HSA where it
 * made that itself. */
static void stack_read(void *out[AQ_CHECK_STACK])
{
  void *all[DEPTH];
  Dl_info info;
  const int count = backtrace(all, DEPTH);
  int first = 0, kept = 0;
  for (int i = 0; i < count; i++)
    if (dladdr(all[i], &info) &&
        (frame_is_ours(&info) ||
         (info.dli_fname && strstr(info.dli_fname, "libamdhip64"))))
      first = frame_is_ours(&info) ? i + 1 : i;
  for (int i = first; i < count && kept < AQ_CHECK_STACK - 1; i++)
    out[kept++] = all[i];
  out[kept] = NULL;
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
  if (runtime->check && aq_check_put(runtime->check, &diag) != AQ_OK)
    fprintf(stderr, "aqueduct: %s\n", diag.text);
  if (runtime->check && aq_check_unfollowed(runtime->check))
    fprintf(stderr,
            "aqueduct: check init: %llu allocations of more than %d MiB count "
            "as written\n",
            (unsigned long long)aq_check_unfollowed(runtime->check),
            AQ_CHECK_FOLLOWED_MAX >> 20);
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

void aqdrop_check_allocated(aqdrop *runtime, const void *base, size_t size,
                            const aqdrop_pool *pool)
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
