/* SPDX-License-Identifier: MIT */
/*
 * Kernels of code objects as text, in one format for every list: by `show`, and
 * where a kernel has no host function. And as C: a plug-in (common/kernel.h)
 * whose functions are still to be written.
 *
 * Texts of the code object may be anything; in lines, other characters than
 * printable ASCII become '?', in C a text that is no identifier gets a name of
 * ours. Pure functions, but for aq_code_file_stub_print(), which allocates.
 */
#ifndef AQ_GPU_CODEOBJ_KERNEL_TEXT_H
#define AQ_GPU_CODEOBJ_KERNEL_TEXT_H

#include <stddef.h>

#include "gpu/codeobj/code_file.h"
#include "gpu/codeobj/codeobj.h"

/* Receives a line; borrowed for the call. */
typedef void aq_code_line(const char *line, void *user);

enum { AQ_CODE_LINE_SIZE = 512 };

/* A text of a code object as printable ASCII, cut to `size` with its end; NULL
 * is "". Returns `to`. */
const char *aq_code_text(const char *text, char *to, size_t size);

/* "vadd: 28 bytes of arguments, …", then a line an argument, indented. The
 * runtime's arguments are summed up in one line. */
void aq_code_kernel_print(const aq_code_kernel *kernel, aq_code_line *line,
                          void *user);

/* A whole code object: its target and versions, then its kernels with an empty
 * line before each. */
void aq_codeobj_print(const aq_codeobj *codeobj, aq_code_line *line,
                      void *user);

/* The C of a plug-in for all of its kernels, with its variables in a comment.
 * `name`: of the plug-in. */
void aq_code_stub_print(const aq_codeobj *codeobj, const char *name,
                        aq_code_line *line, void *user);

/* The same for the kernels and variables of all bundles of a file, joined: of
 * the entries that fit `target` best (NULL: the target of the first code
 * object, since kernels are the same for every target). AQ_ERR_INPUT when the
 * file has no code for a GPU. */
aq_status aq_code_file_stub_print(const aq_code_file *file,
                                  const aq_target *target, aq_code_line *line,
                                  void *user, aq_diag *diag);

#endif
