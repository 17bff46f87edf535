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

/* Inside of the library its functions have symbols of their own: clients come
 * in by entries.c. */
#ifdef AQDROP_INSIDE
#define SYMBOL(name) __asm__("aqdrop_" #name)
#pragma GCC visibility push(hidden)
#else
#define SYMBOL(name)
#pragma GCC visibility push(default)
#endif
#define R(name, returns, group, parameters, text)                              \
  returns name parameters SYMBOL(name);
#define S(name, returns, group, parameters, text)                              \
  returns name parameters SYMBOL(name);
#define U(name, group, status, parameters, text)                               \
  hsa_status_t name parameters SYMBOL(name);
#define D(name, group, status, agent, parameters, text)                        \
  hsa_status_t name parameters SYMBOL(name);
#include "dropin/hsa/base/functions.def"
#undef R
#undef S
#undef U
#undef D
#undef SYMBOL
#pragma GCC visibility pop

#endif
