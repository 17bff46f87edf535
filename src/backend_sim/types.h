/* SPDX-License-Identifier: MIT */
/*
 * The names of the simulator's state, for headers that only point to it.
 */
#ifndef AQSIM_TYPES_H
#define AQSIM_TYPES_H

typedef struct aqsim aqsim;
typedef struct aqsim_device aqsim_device;
typedef struct aqsim_queue aqsim_queue;
typedef struct aqsim_inflight aqsim_inflight;
typedef struct aqsim_copy aqsim_copy;
typedef struct aqsim_sdma aqsim_sdma;
typedef struct aqsim_pipe aqsim_pipe;
typedef struct aqsim_slot aqsim_slot;
typedef struct aqsim_sampler aqsim_sampler;
typedef struct aqsim_wait aqsim_wait;
typedef struct aqsim_live aqsim_live;
typedef struct aqsim_packet_type_ops aqsim_packet_type_ops;
typedef struct aqsim_roofline_load aqsim_roofline_load;
typedef struct aqsim_policy aqsim_policy;
typedef struct aqsim_policy_kernel aqsim_policy_kernel;

#endif
