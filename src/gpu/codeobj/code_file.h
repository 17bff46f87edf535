/* SPDX-License-Identifier: MIT */
/*
 * Files with code objects, as `show` and `launch` take them: plain, in an
 * offload bundle, or in an executable or library (bundle.h).
 *
 * The file is mapped, and only the requested part is read. One thread at a
 * time.
 */
#ifndef AQ_GPU_CODEOBJ_CODE_FILE_H
#define AQ_GPU_CODEOBJ_CODE_FILE_H

#include "gpu/codeobj/bundle.h"
#include "gpu/codeobj/codeobj.h"

typedef struct aq_code_file {
  const char *path; /* borrowed */
  const unsigned char *bytes;
  size_t size;
  aq_bundles bundles; /* none: the file is one code object */
} aq_code_file;

/* Whether a file has code objects, by its first bytes and its sections. */
bool aq_code_file_is(const char *path);

/* The loader that an executable of the host names, the caller's to free; NULL:
 * it names none, or is no such executable. */
char *aq_code_file_loader(const char *path);

aq_status aq_code_file_open(const char *path, aq_code_file *out, aq_diag *diag);
void aq_code_file_close(aq_code_file *file);

/* Whether it has code for an instruction set, a target id. */
bool aq_code_file_fits(const aq_code_file *file, const char *gfx);

/* Its targets, with commas between, of bundles their entries; the first bundle
 * stands for all. */
void aq_code_file_targets(const aq_code_file *file, char *to, size_t size);

/* The code object for a device, named by its target id ("gfx942"), that has a
 * kernel (NULL: any; where none has it, the first for the device). The bytes
 * stay until the file is closed. AQ_ERR_INPUT says which targets there are. */
aq_status aq_code_file_find(const aq_code_file *file, const char *gfx,
                            const char *kernel, const void **bytes,
                            size_t *size, aq_diag *diag);

/* Reads a code object of the file; errors name the file. */
aq_status aq_code_file_read(const aq_code_file *file, const void *bytes,
                            size_t size, aq_codeobj *out, aq_diag *diag);

#endif
