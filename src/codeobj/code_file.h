/* SPDX-License-Identifier: MIT */
/*
 * Files with code objects, plain or in an offload bundle, as `show` and
 * `launch` take them.
 */
#ifndef AQ_CODEOBJ_CODE_FILE_H
#define AQ_CODEOBJ_CODE_FILE_H

#include "codeobj/bundle.h"
#include "codeobj/codeobj.h"

typedef struct aq_code_file {
  const char *path; /* borrowed */
  unsigned char *bytes;
  size_t size;
  aq_bundle bundle;
  bool is_bundle;
} aq_code_file;

/* Whether a file starts as a code object or a bundle does. */
bool aq_code_file_is(const char *path);

/* Reads a file of at most AQ_BUNDLE_SIZE_MAX bytes. */
aq_status aq_code_file_open(const char *path, aq_code_file *out, aq_diag *diag);
void aq_code_file_close(aq_code_file *file);

/* Whether it has code for an instruction set. */
bool aq_code_file_fits(const aq_code_file *file, const char *gfx);

/* The bytes for a device, named by its instruction set ("gfx942"); they stay
 * until the file is closed. AQ_ERR_INPUT says what there is. */
aq_status aq_code_file_find(const aq_code_file *file, const char *gfx,
                            const void **bytes, size_t *size, aq_diag *diag);

/* Reads a code object of the file; errors name the file. */
aq_status aq_code_file_read(const aq_code_file *file, const void *bytes,
                            size_t size, aq_codeobj *out, aq_diag *diag);

#endif
