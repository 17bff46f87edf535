/* SPDX-License-Identifier: MIT */
/*
 * The validator: whether a program from anywhere can be replayed.
 *
 * What passes cannot make a link, a processor or the printer read or write
 * outside of its blocks, its reservation and the buffers that it was given:
 * every count of every header is exact, every ordinal exists, every buffer is
 * stated as large as it is touched, every cycle of blocks makes a packet, and
 * calls nest at most AQ_CALL_DEPTH deep. How long a loop runs cannot be known:
 * the processor's visit budget ends it.
 *
 * The pointers and counts of the aq_program itself are trusted. The diagnostic
 * names block and offset. Thread rule: pure, but for its own memory.
 */
#ifndef AQ_CMDBUF_VALIDATE_H
#define AQ_CMDBUF_VALIDATE_H

#include "cmdbuf/program.h"
#include "common/diag.h"
#include "common/export.h"

AQ_BEGIN_DECLS

/* AQ_ERR_INPUT: the program cannot be replayed; the line says where and why. */
AQ_API aq_status aq_program_validate(const aq_program *program, aq_diag *diag);

AQ_END_DECLS

#endif
