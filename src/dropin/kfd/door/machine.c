/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/kfd/door/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dropin/hsa/base/exec_options.h"
#include "dropin/hsa/base/process_end.h"
#include "dropin/hsa/base/recording.h"
#include "dropin/kfd/door/loaded_code.h"
#include "gpu/check/core/check.h"
#include "gpu/wave/core/wave.h"

/* The process's: a preloaded library has no caller to pass it on. */
static struct {
  pthread_mutex_t lock;
  bool failed, watched;
  pid_t open; /* atomic: the process; 0: it has ended */
  aqkfd *driver;
  aqkfd_process *process; /* atomic */
  aqdrop_recording *recording;
  aq_jit_builder *builder;
  aq_wave_machine *waves;
  aq_check *check;      /* NULL: nothing is checked */
  aq_order_hooks order; /* its hooks, but for launch */
} machine = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- --check ---- */

/* Memory of devices that is not coherent begins unwritten, under init. */
static void memory_note(const aq_allocation *a, aqkfd_memory_change change,
                        void *user)
{
  void *const nobody[AQ_CHECK_STACK] = {NULL};
  aq_check_block block = {
      .base = a->base, .size = a->size, .device = a->device, .fine = a->fine};
  (void)user;
  if (change == AQKFD_MEMORY_GONE) {
    aq_check_freed(machine.check, a->base, nobody);
    return;
  }
  block.unwritten = change == AQKFD_MEMORY_FRESH &&
                    aq_check_is_fresh(machine.check, &block) &&
                    aq_check_fill(machine.check, &block,
                                  (void *)(uintptr_t)(a->base - a->shift));
  block.ours = true; /* the runtime alone knows the leaks */
  aq_check_allocated(machine.check, &block);
}

/* Its code may be new. */
static void order_launch(void *user, const aq_order_packet *packet)
{
  aqkfd_loaded_code_note(user);
  aq_check_hooks(user)->launch(user, packet);
}

static aq_status check_open(aq_diag *diag)
{
  const char *text = secure_getenv("AQUEDUCT_CHECK");
  aq_check_options options = {
      .sink = aqdrop_recording_results_sink(machine.recording),
      .allocations = aq_wave_machine_executor(machine.waves)->allocations,
      .host_unseen = true};
  if (!text || !*text)
    return AQ_OK;
  aq_status status = aq_check_read(text, &options.checks, diag);
  if (status != AQ_OK)
    return aq_diag_prefix(diag, "AQUEDUCT_CHECK");
  status = aq_check_create(&options, &machine.check, diag);
  if (status != AQ_OK)
    return status;
  aq_wave_machine_observe(machine.waves, aq_check_observer(machine.check));
  machine.order = *aq_check_hooks(machine.check);
  machine.order.launch = order_launch;
  aqkfd_loaded_code_open(machine.check);
  return AQ_OK;
}

static void check_end(void)
{
  aq_diag diag = AQ_DIAG_INIT;
  if (!machine.check)
    return;
  aq_check_end(machine.check);
  if (aq_check_put(machine.check, &diag) != AQ_OK) {
    fprintf(stderr, "aqueduct: %s\n", diag.text);
    aqdrop_recording_unchecked(machine.recording);
  }
}

/* ---- waves ---- */

/* What --compile, --profile-isa, --trace-isa and --timeout of exec ask for. */
static aq_status waves_open(aq_diag *diag)
{
  aq_status status = aq_wave_machine_create(&machine.waves, diag);
  if (status == AQ_OK)
    status = aqdrop_exec_compile(machine.waves, &machine.builder, diag);
  if (status == AQ_OK)
    status = aqdrop_exec_report_at(machine.waves, diag);
  if (status == AQ_OK)
    status = aqdrop_exec_profile(machine.waves, diag);
  if (status == AQ_OK)
    status = aqdrop_exec_trace(machine.waves, diag);
  return status == AQ_OK ? check_open(diag) : status;
}

/* ---- life ---- */

/* The parent's threads are not here, and the locks of its machine may be held:
 * it stays where it is, as memory without a user. */
static void child_begin(void)
{
  /* First: the door of munmap would look at the parent's memory. */
  __atomic_store_n(&machine.process, NULL, __ATOMIC_RELEASE);
  pthread_mutex_init(&machine.lock, NULL);
  if (machine.recording)
    aqdrop_recording_abandon(machine.recording);
  machine.driver = NULL;
  machine.waves = NULL;
  machine.check = NULL;
  machine.builder = NULL;
  machine.recording = NULL;
  machine.failed = false;
}

static aq_status driver_open(const aqdrop_edits *edits, aq_diag *diag)
{
  const char *device = secure_getenv("AQUEDUCT_DEVICE");
  const aqkfd_options options = {
      .device = device && *device ? device : NULL,
      .edits = edits->list,
      .records = aqdrop_recording_sink(machine.recording),
      .epoch = aqdrop_recording_epoch(machine.recording),
      .executor = aq_wave_machine_executor(machine.waves),
      .order = machine.check ? &machine.order : NULL,
      .memory = machine.check ? memory_note : NULL,
      .line = aqdrop_line_print};
  aqkfd_process *process = NULL;
  aq_status status = aqkfd_create(&options, &machine.driver, diag);
  if (status == AQ_OK)
    status = aqkfd_process_open(machine.driver, &process, diag);
  if (status != AQ_OK)
    return status;
  aqdrop_recording_attach(machine.recording, aqkfd_transport(machine.driver));
  __atomic_store_n(&machine.process, process, __ATOMIC_RELEASE);
  aqdrop_exec_tell();
  return AQ_OK;
}

/* Other threads of the program may still run: nothing is freed. Once, and
 * not in a child that has this memory. */
__attribute__((destructor)) static void machine_end(void)
{
  if (!aqdrop_process_end_claim(&machine.open))
    return;
  aq_diag diag = AQ_DIAG_INIT;
  aq_record_sink *sink = aqdrop_recording_results_sink(machine.recording);
  if (sink && machine.waves &&
      aq_wave_machine_profile_put(machine.waves, sink, &diag) != AQ_OK)
    fprintf(stderr, "aqueduct: profile not stored: %s\n", diag.text);
  check_end();
  if (machine.recording)
    aqdrop_recording_end(machine.recording);
}

static aq_status machine_open(aq_diag *diag)
{
  aqdrop_edits edits = {NULL, NULL};
  if (!machine.watched) {
    machine.watched = pthread_atfork(NULL, NULL, child_begin) == 0;
    aqdrop_process_end_set(machine_end);
  }
  __atomic_store_n(&machine.open, getpid(), __ATOMIC_RELEASE);
  aq_status status = aqdrop_recording_create(&machine.recording, diag);
  if (status == AQ_OK)
    status = waves_open(diag);
  if (status == AQ_OK)
    status = aqdrop_edits_read(&edits, diag);
  if (status == AQ_OK)
    status = driver_open(&edits, diag);
  aqdrop_edits_fini(&edits);
  return status;
}

static aqkfd_process *process_known(void)
{
  return __atomic_load_n(&machine.process, __ATOMIC_ACQUIRE);
}

static aqkfd_process *process_make(void)
{
  aq_diag diag = AQ_DIAG_INIT;
  if (process_known())
    return process_known();
  pthread_mutex_lock(&machine.lock);
  if (!machine.process && !machine.failed && machine_open(&diag) != AQ_OK) {
    machine.failed = true;
    fprintf(stderr, "aqueduct: /dev/kfd: %s\n", diag.text);
  }
  pthread_mutex_unlock(&machine.lock);
  return process_known();
}

/* ---- descriptors ---- */

static int file_open(off_t at, int flags)
{
  char path[64];
  const aqkfd_process *process = process_make();
  if (!process) {
    errno = ENODEV;
    return -1;
  }
  snprintf(path, sizeof path, "/proc/self/fd/%d", aqkfd_process_file(process));
  const int fd = open(path, O_RDWR | (flags & O_CLOEXEC));
  if (fd >= 0 && lseek(fd, at, SEEK_SET) != at) {
    close(fd);
    errno = ENODEV;
    return -1;
  }
  return fd;
}

static off_t file_stands(const aqkfd_process *process, int fd)
{
  struct stat theirs, ours;
  return fstat(fd, &theirs) == 0 &&
                 fstat(aqkfd_process_file(process), &ours) == 0 &&
                 theirs.st_ino == ours.st_ino && theirs.st_dev == ours.st_dev
             ? lseek(fd, 0, SEEK_CUR)
             : -1;
}

__attribute__((visibility("default")))
const aqkfd_machine aqueduct_machine = {.size = sizeof aqueduct_machine,
                                        .process = process_make,
                                        .known = process_known,
                                        .open = file_open,
                                        .stands = file_stands,
                                        .file = aqkfd_process_file,
                                        .import_file = aqkfd_import_file,
                                        .ioctl = aqkfd_ioctl,
                                        .render_ioctl = aqkfd_render_ioctl,
                                        .unmapping = aqkfd_unmapping};
