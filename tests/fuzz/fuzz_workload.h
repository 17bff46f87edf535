/* SPDX-License-Identifier: MIT */
/*
 * Helpers of the targets of workloads: a folder for the files that documents
 * name, and the execution of a workload.
 */
#ifndef AQ_TESTS_FUZZ_WORKLOAD_H
#define AQ_TESTS_FUZZ_WORKLOAD_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "study/workload/scenario.h"

enum { FUZZ_PATH = 128, FUZZ_JOBS = 200 };

static char fuzz_path[FUZZ_PATH];

static inline int fuzz_remove(const char *path, const struct stat *info,
                              int kind, struct FTW *at)
{
  (void)info;
  (void)kind;
  (void)at;
  return remove(path);
}

static inline void fuzz_folder_remove(void)
{
  nftw(fuzz_path, fuzz_remove, 8, FTW_DEPTH | FTW_PHYS);
}

/* The folder of this process, made by the first call, in memory where there is
 * such a thing. */
static inline const char *fuzz_folder(void)
{
  if (fuzz_path[0])
    return fuzz_path;
  snprintf(fuzz_path, sizeof fuzz_path, "%s/aqfuzz-XXXXXX",
           access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  if (!mkdtemp(fuzz_path) || atexit(fuzz_folder_remove) != 0)
    abort();
  return fuzz_path;
}

static inline const char *fuzz_file(const char *name, const void *bytes,
                                    size_t size)
{
  static char path[2 * FUZZ_PATH];
  snprintf(path, sizeof path, "%s/%s", fuzz_folder(), name);
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
    abort();
  return path;
}

/* Errors have one line, with the file. */
static inline void fuzz_check_error(const aq_diag *diag, const char *file)
{
  if (diag->status != AQ_ERR_INPUT || strchr(diag->text, '\n') ||
      !strstr(diag->text, file))
    abort();
}

/* Jobs complete 1 us after they were submitted. */
static inline void fuzz_play(aq_workload_source *source)
{
  aq_diag diag = AQ_DIAG_INIT;
  for (int i = 0; i < FUZZ_JOBS; i++) {
    aq_job job;
    bool got = false;
    if (source->peek(source) == AQ_TIME_MAX ||
        source->next(source, &job, &got, &diag) != AQ_OK)
      break;
    if (got && source->done)
      source->done(source, job.id, job.submit + AQ_US);
  }
  source->close(source);
}

static inline void fuzz_scenario_text(const void *text, size_t size,
                                      const aq_scenario_options *options)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_workload_source *source;
  if (aq_scenario_load_text(text, size, "fuzz.json", options, &source, NULL,
                            &diag) == AQ_OK)
    fuzz_play(source);
  else
    fuzz_check_error(&diag, "fuzz.json");
}

#endif
