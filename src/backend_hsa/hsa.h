/* SPDX-License-Identifier: MIT */
/*
 * The transport "hsa": real HSA queues, through libhsa-runtime64.
 *
 * Packets, indices and doorbells are stored to the queue's memory; no HSA call
 * is made for a packet. Always live: any thread may use it. The setting
 * lib=PATH names the library; options.device selects agents: an ordinal, or
 * the instruction set, product name or UUID of one. NULL: all GPUs.
 *
 * A runtime that is the simulator (common/hsa_sim.h) runs host functions too,
 * and its devices have a model; on hardware kernel_register is refused. With
 * the setting kernels=objects it is refused everywhere.
 */
#ifndef AQHSA_HSA_H
#define AQHSA_HSA_H

#include "common/transport.h"

extern const aq_transport_ops aqhsa_transport_ops;

#endif
