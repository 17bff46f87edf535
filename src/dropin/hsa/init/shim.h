/* SPDX-License-Identifier: MIT */
/*
 * The answers of a preloaded library in the place of the kernel driver: shim.c
 * asks. Any thread; nothing here may call a function that shim.c overrides with
 * a path of these.
 */
#ifndef AQSHIM_SHIM_H
#define AQSHIM_SHIM_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* What stands for a path from the root: the path itself, a constant, or a text
 * in `room`. */
const char *aqshim_path(const char *path, char room[PATH_MAX]);

/* Whether the path is a file that is made when it is opened: *fd, or -1 with
 * errno. */
bool aqshim_open(const char *path, int flags, int *fd);

/* Whether the descriptor is the driver's: *result is 0, or -1 with errno. */
bool aqshim_ioctl(int fd, unsigned long request, void *argument, int *result);

/* Whether a mapping of the driver's file is one of another file: its
 * descriptor, for the caller to close, and the offset there. */
bool aqshim_mapping(int fd, size_t size, int *file, off_t *offset);

/* Memory of the process is about to be unmapped. */
void aqshim_unmapping(void *address, size_t size);

/* The library that a name opens; it may be NULL. */
const char *aqshim_library(const char *name);

#endif
