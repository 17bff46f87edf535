/* SPDX-License-Identifier: MIT */
/* The functions that are not supported: each gives its documented status. */
#include "dropin/hsa.h"
#include "dropin/runtime.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define R(name, returns, group, parameters, text)
#define S(name, returns, group, parameters, text)
#define U(name, group, status, parameters, text)                               \
  hsa_status_t name parameters                                                 \
  {                                                                            \
    return aqdrop_runtime() ? (hsa_status_t)(status)                           \
                            : (hsa_status_t)HSA_STATUS_ERROR_NOT_INITIALIZED;  \
  }
#include "dropin/functions.def"
