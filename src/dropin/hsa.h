/* SPDX-License-Identifier: MIT */
/*
 * The HSA runtime as its clients see it: the types of common/hsa_types.h and
 * the functions of functions.def. A test compares them with <hsa/…> where those
 * are installed.
 *
 * Thread rule: functions may be called from any thread, hsa_init and
 * hsa_shut_down too, but not while another thread shuts down.
 */
#ifndef AQDROP_HSA_H
#define AQDROP_HSA_H

#include "common/hsa_types.h"

#pragma GCC visibility push(default)
#define R(name, returns, group, parameters, text) returns name parameters;
#define S(name, returns, group, parameters, text) returns name parameters;
#define U(name, group, status, parameters, text)  hsa_status_t name parameters;
#define D(name, group, status, agent, parameters, text)                        \
  hsa_status_t name parameters;
#include "dropin/functions.def"
#undef R
#undef S
#undef U
#undef D
#pragma GCC visibility pop

#endif
