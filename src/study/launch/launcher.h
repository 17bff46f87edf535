/* SPDX-License-Identifier: MIT */
/*
 * Launching one kernel of a file with code objects: on any transport, with
 * arguments in text form, into a stored run.
 *
 * Open it, run it, read the results, close it: buffers of arguments live until
 * then. One thread; texts are borrowed.
 */
#ifndef AQ_STUDY_LAUNCH_LAUNCHER_H
#define AQ_STUDY_LAUNCH_LAUNCHER_H

#include "common/host_kernels.h"
#include "common/notes.h"
#include "gpu/codeobj/code_file.h"
#include "gpu/hostcall/hostcall.h"
#include "study/launch/args.h"
#include "study/launch/dispatch_memory.h"
#include "study/session/row_filter.h"
#include "study/session/session.h"

typedef struct aq_launch_ask {
  const char *path;
  const char *kernel;    /* NULL: of a dispatch file, which has all of it */
  const char *source;    /* that the file was compiled from, or NULL */
  uint32_t grid[3];      /* work-items */
  uint32_t workgroup[3]; /* all 0: the kernel's own, else 256 */
  uint32_t lds;          /* bytes of group segment besides the kernel's own */
  uint32_t repeats;      /* at least 1 */
  aq_launch_arg *args;   /* as aq_launch_arg_read reads them */
  size_t arg_count;
  const char *const *kernels; /* plug-ins of host functions, ended by NULL */
  aq_kernels_from from;
  bool may_miss; /* a kernel without a host function computes nothing */
} aq_launch_ask;

typedef struct aq_launcher {
  aq_launch_ask ask;
  aq_session *session;
  const aq_notes *notes;
  aq_code_file file; /* or */
  aq_dispatch_file dispatch;
  bool is_dispatch, is_mapped;
  aq_host_kernels kernels;
  aq_transport *t; /* NULL: not open */
  aq_transport_info info;
  char durations[AQ_STORE_DURATIONS_SIZE]; /* the run's info borrows it */
  char *recorded;                          /* likewise; NULL: all rows */
  aq_record_filter rows;
  aq_row_filter filter;         /* of the run's writer */
  const aq_device_info *device; /* that ran it, while the transport is open */
  aq_codeobj code;
  bool code_is_read;
  bool executes; /* the simulator runs the kernel's code */
  aq_launch launch;
  aq_launch_times *times; /* a dispatch each */
  aq_hostcall *hostcall;
  aq_launch_faults faults;
  FILE *print_to; /* the text below, while it is written */
  char *printed;  /* what kernels printed, or NULL */
  size_t printed_size;
  int64_t run; /* its id in the store */
  bool hangs;  /* a thread runs on that uses all of this: leave by _exit */
} aq_launcher;

/* Whether the file is a dispatch, as `exec --extract-dispatch` makes it. */
bool aq_launcher_repeats(const char *path);

/* Reads the file and opens the plug-ins. A session without a device that is
 * not for hardware gets the first device model that the file has code for. On
 * errors there is nothing to close. */
aq_status aq_launcher_open(aq_launcher *out, const aq_launch_ask *ask,
                           aq_session *session, const aq_notes *notes,
                           aq_diag *diag);

/* Dispatches the kernel and stores the run under `info`; out buffers go to
 * their files. `printed` is set whatever the result. Nothing stays in the store
 * on errors. */
aq_status aq_launcher_run(aq_launcher *launcher, aq_store *store,
                          aq_run_info *info, aq_diag *diag);

/* Does nothing where something hangs. */
void aq_launcher_close(aq_launcher *launcher);

#endif
