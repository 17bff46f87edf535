/* SPDX-License-Identifier: MIT */
/*
 * A code object as JSON: what aq_codeobj_print() says in lines, with all
 * arguments of its kernels. One thread.
 */
#ifndef AQ_GPU_CODEOBJ_CODE_JSON_H
#define AQ_GPU_CODEOBJ_CODE_JSON_H

#include "common/json_out.h"
#include "gpu/codeobj/codeobj.h"

/* Writes one map. `id`: the entry of a bundle that it is; NULL: of none. */
void aq_codeobj_json(aq_json_out *json, const char *id, const aq_codeobj *code);

#endif
