/* SPDX-License-Identifier: MIT */
/* `show` for files and devices. */
#ifndef AQ_CLI_COMMANDS_SHOW_FILE_H
#define AQ_CLI_COMMANDS_SHOW_FILE_H

#include "cli/commands/cli.h"
#include "gpu/codeobj/code_file.h"
#include "gpu/codeobj/codeobj.h"

/* Whether a file starts as programs do; its disassembly, as text or JSON. */
bool aq_cli_is_program(const char *path);
aq_status aq_cli_show_program(aq_cli *cli, const char *path);

/* Of code objects: text, JSON, or a plug-in to be filled in. */
aq_status aq_cli_show_code(aq_cli *cli, const char *path);

/* Of captures: packets counted, or operations listed. */
aq_status aq_cli_show_packets(aq_cli *cli);
aq_status aq_cli_show_capture(aq_cli *cli);

/* Prints a code object's disassembly, or with a second argument on the command
 * line the kernel or function of that name and its callees; `*found` is set
 * where the object has it. `id` is NULL where the file is no bundle. */
aq_status aq_cli_show_asm(aq_cli *cli, aq_json_out *json, const char *id,
                          const aq_codeobj *code, const void *bytes,
                          size_t size, bool *found);

/* Prints how many workgroups of each kernel of a file a device holds, on the
 * device of the command line or on all models of the code's processor. */
aq_status aq_cli_show_occupancy(aq_cli *cli, const aq_code_file *file,
                                const aq_target *target);

/* Opens the devices of a list ("mi300x*4") on the simulator and prints them and
 * their links, or JSON if that is asked for. */
aq_status aq_cli_show_topology(aq_cli *cli, const char *devices);

#endif
