/* SPDX-License-Identifier: MIT */
/*
 * Packets that change a value in memory or wait for one, for the block
 * processor and for queues. Pure functions; the same source is compiled for
 * GPUs (device/library.c).
 *
 * A wait is AMD's barrier-value packet, which reads the 8 bytes behind the
 * handle of a signal: a handle 8 bytes below the value names any memory
 * (assumed of hardware: its packet processor reads nothing else of a signal
 * that it does not change). Or it is a PM4 command, or a kernel that polls. A
 * change is a kernel or a PM4 command.
 *
 * Each function writes the body of one packet and AQ_VALUE_KERNARG bytes of
 * kernel arguments, or fewer, and returns the packet's type and setup as they
 * go into a header word; scopes and the barrier bit are the caller's.
 */
#ifndef AQ_CMDBUF_VALUE_PACKETS_H
#define AQ_CMDBUF_VALUE_PACKETS_H

#include "cmdbuf/builtins.h"

enum { AQ_VALUE_KERNARG = 64 /* a line */ };

/* Anything but AQ_VALUE_CHOOSE. object: of the kernel that waits. */
uint32_t aq_wait_packet_write(const aq_wait_args *wait, aq_value_way way,
                              uint64_t object, aq_packet *slot,
                              unsigned char *kernarg, uint64_t completion);

/* By a kernel; by a command, which has no result. */
uint32_t aq_atomic_packet_write(const aq_atomic_args *atomic, uint64_t object,
                                aq_packet *slot, unsigned char *kernarg,
                                uint64_t completion);
uint32_t aq_atomic_pm4_write(const aq_atomic_args *atomic, aq_packet *slot,
                             unsigned char *kernarg, uint64_t completion);

enum { AQ_VALUE_WORDS = 9 /* of a command, at most */ };

/* The words of the commands; how many. */
uint32_t aq_wait_words(const aq_wait_args *wait,
                       uint32_t words[AQ_VALUE_WORDS]);
uint32_t aq_atomic_words(const aq_atomic_args *atomic,
                         uint32_t words[AQ_VALUE_WORDS]);

/* The wait of a barrier-value packet; false: it names no signal. */
bool aq_wait_of_packet(const aq_barrier_value_packet *packet,
                       aq_wait_args *out);

#endif
