/* SPDX-License-Identifier: MIT */
/*
 * The device that a program runs on: the user's, or by the program's code.
 */
#ifndef AQ_CLI_EXEC_DEVICE_H
#define AQ_CLI_EXEC_DEVICE_H

#include "common/diag.h"
#include "common/notes.h"

typedef struct aq_exec_device_wish {
  const char *program;      /* as execvp finds it */
  const char *device;       /* a list of device models; NULL: by the code */
  const char *const *edits; /* of the models, ended by NULL */
} aq_exec_device_wish;

/* The name of the device, `wish->device` or a static text; a note names a
 * device that the program's code chose. A program without code gets the default
 * device. Where there are several the choice is the device that most of the
 * code fits, then the default, then one of gfx9, then the newest processor.
 *
 * AQ_ERR_INPUT: a device or an edit is not known, or the program has code that
 * fits no shipped device model. A device of the user's that the code does not
 * fit is a note: the program may compile its kernels. */
aq_status aq_exec_device_choose(const aq_exec_device_wish *wish,
                                const char **out, const aq_notes *notes,
                                aq_diag *diag);

/* After the program: where a signal ended it (`status` is of waitpid) and none
 * of its code fits the device of the user's, AQ_ERR_UNSUPPORTED names both;
 * else AQ_OK. Many a library uses the code object that its runtime did not
 * find. */
aq_status aq_exec_device_blame(const aq_exec_device_wish *wish, int status,
                               aq_diag *diag);

#endif
