/* SPDX-License-Identifier: MIT */
/*
 * The code objects that AMD's loader has in this process, which no call of the
 * driver names: a checker needs their lines, variables and kernels. They stand
 * in the list that the loader keeps for debuggers, `_amdgpu_r_debug`.
 *
 * Thread rule: one at a time. The loader may change its list meanwhile: a
 * node that cannot be read now is read the next time.
 */
#ifndef AQKFD_LOADED_CODE_H
#define AQKFD_LOADED_CODE_H

#include "gpu/check/core/check.h"

/* Finds the loader's list; a note of the checker says if there is none. It asks
 * the host's loader, so it is for a thread of the program alone, before the
 * first packet: a device would wait for a library whose constructor waits for
 * the device. */
void aqkfd_loaded_code_open(aq_check *check);

/* Reports to a checker which code has come and gone since the last call. */
void aqkfd_loaded_code_note(aq_check *check);

#endif
