/* SPDX-License-Identifier: MIT */
#include "contract/transports.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char built_in[] = "sim null fault+sim fault+null";

static void transport_take(contract_transport *on, const char *name,
                           size_t length)
{
  aq_diag diag = AQ_DIAG_INIT;
  on->label = strndup(name, length);
  if (!on->label)
    abort();
  if (aq_transport_stack_create(on->label, NULL, &on->stack, &diag) == AQ_OK)
    return;
  fprintf(stderr, "AQ_TRANSPORT: %s\n", diag.text);
  exit(99);
}

contract_transport *contract_transports(size_t *count)
{
  const char *names = getenv("AQ_TRANSPORT");
  if (!names || !*names)
    names = built_in;
  contract_transport *on = calloc(strlen(names) + 1, sizeof *on);
  if (!on)
    abort();
  *count = 0;
  for (; *names; names += *names == ' ') {
    size_t length = strcspn(names, " ");
    transport_take(&on[(*count)++], names, length);
    names += length;
  }
  return on;
}

void contract_transports_free(contract_transport *on, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    aq_transport_stack_destroy(on[i].stack);
    free(on[i].label);
  }
  free(on);
}

aq_transport_options contract_options(const contract_transport *on)
{
  return (aq_transport_options){.size = sizeof(aq_transport_options),
                                .edits = on->edits,
                                .layer = aq_transport_stack_top(on->stack)};
}
