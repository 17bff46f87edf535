/* SPDX-License-Identifier: MIT */
/*
 * Messages of kernels to their host: a printf arrives in slots of seven words,
 * each behind a descriptor that says which message it continues. One thread.
 */
#ifndef AQ_GPU_HOSTCALL_MESSAGES_H
#define AQ_GPU_HOSTCALL_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { AQ_MESSAGE_SLOT = 8 /* words */ };

struct aq_message;

/* Zeros: no messages. */
typedef struct aq_messages {
  struct aq_message *list;
  size_t count, capacity;
} aq_messages;

void aq_messages_fini(aq_messages *messages);

/* Takes one slot, and writes the answer for the kernel into it: the descriptor
 * to continue with; for the last slot, after it has printed the message to
 * `out`, the number of characters. False: the slot continues no message, or
 * memory is out, and the text is incomplete. */
bool aq_messages_read(aq_messages *messages, uint64_t slot[AQ_MESSAGE_SLOT],
                      FILE *out);

#endif
