/* SPDX-License-Identifier: MIT */
/*
 * `show --asm` for code objects: their disassembly, and which instructions that
 * their kernels reach cannot be executed.
 */
#ifndef AQ_CLI_ASM_SHOW_H
#define AQ_CLI_ASM_SHOW_H

#include "cli/cli.h"
#include "codeobj/codeobj.h"

/* Prints a code object, or with a second argument on the command line the
 * kernel or function of that name and its callees; `*found` is set where the
 * object has it. `id` is NULL where the file is no bundle. */
aq_status aq_cli_show_asm(aq_cli *cli, aq_json_out *json, const char *id,
                          const aq_codeobj *code, const void *bytes,
                          size_t size, bool *found);

#endif
