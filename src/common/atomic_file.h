/* SPDX-License-Identifier: MIT */
/*
 * A file that appears whole or not at all: it is written under a name of its
 * own beside the one that it gets, flushed to the disk, and renamed. Two
 * writers do not meet, and no link is followed.
 * Ownership: open takes a file, keep or drop gives it back. One thread.
 */
#ifndef AQ_COMMON_ATOMIC_FILE_H
#define AQ_COMMON_ATOMIC_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "common/diag.h"

typedef struct aq_atomic_file {
  FILE *file;
  char path[4096];
} aq_atomic_file;

/* Makes the file beside `path`, with the permissions of an ordinary one. */
aq_status aq_atomic_file_open(aq_atomic_file *atomic, const char *path,
                              aq_diag *diag);

/* Gives it the name `path`; a file that cannot be written whole is removed. */
aq_status aq_atomic_file_commit(aq_atomic_file *atomic, const char *path,
                                aq_diag *diag);

/* Removes it. */
void aq_atomic_file_discard(aq_atomic_file *atomic);

#endif
