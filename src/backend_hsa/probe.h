/* SPDX-License-Identifier: MIT */
/*
 * Is there an HSA runtime, and does it find GPUs? Loads libhsa-runtime64 with
 * dlopen, initialises it, counts its agents and shuts it down again. No HSA
 * headers are needed. One thread at a time; the result owns nothing.
 */
#ifndef AQHSA_PROBE_H
#define AQHSA_PROBE_H

#include <stdint.h>

typedef enum aqhsa_probe_state {
  AQHSA_PROBE_ABSENT,  /* no such library */
  AQHSA_PROBE_FOREIGN, /* a library, but not an HSA runtime */
  AQHSA_PROBE_FAILED,  /* it did not initialise */
  AQHSA_PROBE_READY,
} aqhsa_probe_state;

typedef struct aqhsa_probe_result {
  aqhsa_probe_state state;
  char path[1024];   /* of the library that was loaded, else "" */
  char problem[512]; /* in the words of the loader or the runtime */
  uint32_t cpus, gpus;
  char gpu[64]; /* name of the first GPU agent, "gfx942" */
} aqhsa_probe_result;

/* Probes the runtime at `path`; NULL: what aqhsa_library_find finds. */
void aqhsa_probe(const char *path, aqhsa_probe_result *out);

#endif
