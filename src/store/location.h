/* SPDX-License-Identifier: MIT */
/*
 * Where a store lies: its default path, the folders above it, and whether
 * several machines may see the file. Pure functions of their arguments, the
 * environment and the file system.
 */
#ifndef AQ_STORE_LOCATION_H
#define AQ_STORE_LOCATION_H

#include <stdbool.h>

#include "common/diag.h"

/* $XDG_DATA_HOME/aqueduct/runs.db, or below ~/.local/share. *out is the
 * caller's to free(). */
aq_status aq_location_default(char **out, aq_diag *diag);

/* AQ_ERR_INPUT where the folder of `path` is not there. */
aq_status aq_location_folder_check(const char *path, aq_diag *diag);

/* Makes the folders above `path` that are missing. */
aq_status aq_location_make(const char *path, aq_diag *diag);

/* Whether the path names a file that can be opened as a store: *missing is set
 * when no file exists, which is no error. */
aq_status aq_location_check(const char *path, bool *missing, aq_diag *diag);

/* Name of the network file system that `path` lies on, static; NULL for a local
 * one. WAL needs memory shared by all processes that have the file open, which
 * these do not offer. */
const char *aq_location_network(const char *path);

/* Whether the folder of `path` is one we cannot write to. */
bool aq_location_is_read_only(const char *path);

#endif
