/* SPDX-License-Identifier: MIT */
/*
 * The HSA runtime library: where it is searched for, and its functions
 * (symbols.def) by name. No HSA headers and no HSA library are needed to build.
 *
 * One thread at a time for opening and closing; the functions have the thread
 * rules of HSA.
 */
#ifndef AQHSA_LIBRARY_H
#define AQHSA_LIBRARY_H

#include "common/diag.h"
#include "common/hsa_types.h"

typedef struct aqhsa_api {
/* NOLINTBEGIN(bugprone-macro-parentheses): declarations */
#define C(name, returns, parameters) returns(*name) parameters;
#define H(name, returns, parameters) returns(*name) parameters;
#define O(name, returns, parameters) returns(*name) parameters;
#include "backend_hsa/symbols.def"
#undef C
#undef H
#undef O
  /* NOLINTEND(bugprone-macro-parentheses) */
} aqhsa_api;

typedef enum aqhsa_api_part {
  AQHSA_API_PROBE, /* the few functions that the probe calls */
  AQHSA_API_ALL,
  AQHSA_API_OPTIONAL,
} aqhsa_api_part;

typedef struct aqhsa_library {
  void *handle;
  char path[1024]; /* of the file that was loaded */
  aqhsa_api api;
} aqhsa_library;

/* Loads the runtime at `path`, or, if that is NULL, at AQUEDUCT_LIBHSA_PATH (a
 * file or its folder), or the first of: beside the program, where the loader
 * looks, ROCm's usual place. AQ_ERR_NOT_FOUND lists every tried path.
 */
aq_status aqhsa_library_find(const char *path, aqhsa_library *out,
                             aq_diag *diag);

/* Looks the functions up; AQ_ERR_UNSUPPORTED names one of that part or of those
 * before it that is missing. */
aq_status aqhsa_library_bind(aqhsa_library *library, aqhsa_api_part part,
                             aq_diag *diag);

/* Nothing may be called any more. */
void aqhsa_library_close(aqhsa_library *library);

/* The runtime's words for a status, static. */
const char *aqhsa_status_text(const aqhsa_api *api, hsa_status_t status);

/* The status of ours that a failure of HSA is. */
aq_status aqhsa_status(hsa_status_t status);

/* "hsa: WHAT: the runtime's words". */
aq_status aqhsa_fail(const aqhsa_api *api, hsa_status_t status, aq_diag *diag,
                     const char *what);

#endif
