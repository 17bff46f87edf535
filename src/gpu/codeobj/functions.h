/* SPDX-License-Identifier: MIT */
/*
 * The functions of a code object: kernels' code and device functions, by
 * address, of its full table of symbols if it has one, else of the dynamic one.
 *
 * The bytes may be anything: they are checked. Names point into them. Pure
 * functions.
 */
#ifndef AQ_GPU_CODEOBJ_FUNCTIONS_H
#define AQ_GPU_CODEOBJ_FUNCTIONS_H

#include "gpu/codeobj/codeobj.h"

typedef struct aq_code_function {
  const char *name;       /* within the bytes */
  uint64_t address, size; /* size > 0, and all of it lies in a segment */
  const unsigned char *bytes;
  const aq_code_kernel *kernel; /* whose code it is, or NULL */
} aq_code_function;

typedef struct aq_code_functions {
  aq_code_function *list; /* by address; none overlap */
  size_t count, capacity;
} aq_code_functions;

/* `code` was read from `bytes`. A function without a size ends
 * where the next one begins, or its segment. AQ_ERR_INPUT, AQ_ERR_NO_MEMORY. */
aq_status aq_code_functions_read(const void *bytes, size_t size,
                                 const aq_codeobj *code, aq_code_functions *out,
                                 aq_diag *diag);
void aq_code_functions_fini(aq_code_functions *functions);

/* The function that an address lies in, or NULL. */
const aq_code_function *aq_code_function_at(const aq_code_functions *functions,
                                            uint64_t address);

#endif
