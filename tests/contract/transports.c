/* SPDX-License-Identifier: MIT */
#include "contract/transports.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/null.h"
#include "backend_sim/sim.h"

static const contract_transport known[] = {
    {"sim", &aqsim_transport_ops, NULL},
    {"null", &aqsim_null_transport_ops, NULL},
};
enum { KNOWN = sizeof known / sizeof *known };

static const contract_transport *transport_find(const char *name, size_t length)
{
  for (size_t i = 0; i < KNOWN; i++)
    if (strlen(known[i].label) == length &&
        strncmp(known[i].label, name, length) == 0)
      return &known[i];
  fprintf(stderr, "AQ_TRANSPORT: no transport '%.*s'\n", (int)length, name);
  exit(99);
}

static void *array(size_t count)
{
  contract_transport *on = calloc(count, sizeof *on);
  if (!on)
    abort();
  return on;
}

contract_transport *contract_transports(size_t *count)
{
  const char *names = getenv("AQ_TRANSPORT");
  if (!names || !*names) {
    *count = KNOWN;
    return memcpy(array(KNOWN), known, sizeof known);
  }
  contract_transport *on = array(strlen(names) + 1);
  for (*count = 0; *names; names += *names == ',') {
    size_t length = strcspn(names, ",");
    on[(*count)++] = *transport_find(names, length);
    names += length;
  }
  return on;
}
