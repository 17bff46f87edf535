/* SPDX-License-Identifier: MIT */
/*
 * Folders of the toolchain: one for the files of an invocation, and the cache
 * of results. One thread at a time; several processes may use the cache.
 */
#ifndef AQ_GPU_COMPILE_TEMP_DIR_H
#define AQ_GPU_COMPILE_TEMP_DIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/diag.h"

/* A new folder below $TMPDIR; its path is the caller's to free. */
aq_status aq_folder_make(char **out, aq_diag *diag);

/* Removes it with its files, folders and links; NULL is allowed. Frees the
 * path. */
void aq_folder_remove(char *path);

/* "FOLDER/NAME", the caller's to free; NULL: out of memory. */
char *aq_folder_path(const char *folder, const char *name);

/* A whole file; the caller frees *out, which has a zero byte behind it.
 * AQ_ERR_NOT_FOUND or AQ_ERR_IO name it. */
aq_status aq_file_read(const char *path, char **out, size_t *size,
                       aq_diag *diag);

/* Writes a whole file, or none. */
aq_status aq_file_write(const char *path, const void *bytes, size_t size,
                        aq_diag *diag);

/* Makes a folder, which may be there already. */
aq_status aq_folder_ensure(const char *path, aq_diag *diag);

/* ---- the cache ---- */

/* Everything that a result depends on, added up. */
typedef struct aq_cache_key {
  uint64_t words[2];
} aq_cache_key;

aq_cache_key aq_cache_key_begin(void);
void aq_cache_key_add(aq_cache_key *key, const void *bytes, size_t size);
/* A file by its path, size and time of change: tools, libraries. */
void aq_cache_key_add_file(aq_cache_key *key, const char *path);

/* The path of a result, there or not: in $AQUEDUCT_CACHE, else in
 * $XDG_CACHE_HOME/aqueduct, else below ~/.cache. NULL: AQUEDUCT_CACHE is
 * "none", or the folder cannot be made. The caller frees it. */
char *aq_cache_path(const aq_cache_key *key, const char *suffix);

/* Puts a result there, and removes the oldest when there are too many. What
 * fails leaves the cache as it was. */
void aq_cache_put(const char *path, const void *bytes, size_t size);

#endif
