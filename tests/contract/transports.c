/* SPDX-License-Identifier: MIT */
#include "contract/transports.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* hsa is the drop-in library of this build, never what else is there. */
static const char built_in[] =
    "sim sim,live null hsa hsa,strict fault+sim fault+null "
    "sim*4 sim*2,live null*3 fault+sim*2";
static const char live[] = ",live", strict[] = ",strict";

/* Takes a suffix off a name; false: it has another end. */
static bool tail_take(const char *name, size_t *length, const char *tail)
{
  const size_t size = strlen(tail);
  if (*length <= size || memcmp(name + *length - size, tail, size) != 0)
    return false;
  *length -= size;
  return true;
}

static void transport_take(contract_transport *on, const char *name,
                           size_t length)
{
  aq_diag diag = AQ_DIAG_INIT;
  on->label = strndup(name, length);
  if (!on->label)
    abort();
  if (tail_take(name, &length, live))
    on->mode = AQ_MODE_LIVE;
  on->strict = tail_take(name, &length, strict);
  const char *star = memchr(name, '*', length);
  if (star) {
    snprintf(on->devices, sizeof on->devices, "mi300x%.*s",
             (int)(name + length - star), star);
    length = (size_t)(star - name);
  }
  char *names = strndup(name, length);
  if (!names)
    abort();
  aq_status status = aq_transport_stack_create(names, NULL, &on->stack, &diag);
  free(names);
  if (status == AQ_OK)
    return;
  fprintf(stderr, "AQ_TRANSPORT: %s\n", diag.text);
  exit(99);
}

static void dropin_choose(void)
{
  char path[4096];
  const char *root = getenv("AQ_BUILDDIR");
  snprintf(path, sizeof path, "%s/.libs/libhsa-runtime64.so.1",
           root ? root : ".");
  setenv("AQUEDUCT_LIBHSA_PATH", path, 1);
}

contract_transport *contract_transports(size_t *count)
{
  const char *names = getenv("AQ_TRANSPORT");
  if (!names || !*names) {
    dropin_choose();
    names = built_in;
  }
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

/* The drop-in reads its variable when it is opened, which comes next. */
aq_transport_options contract_options(const contract_transport *on)
{
  if (on->strict)
    setenv("AQUEDUCT_STRICT_MEMORY", "never", 1);
  else
    unsetenv("AQUEDUCT_STRICT_MEMORY");
  return (aq_transport_options){.size = sizeof(aq_transport_options),
                                .edits = on->edits,
                                .mode = on->mode,
                                .device = on->devices[0] ? on->devices : NULL,
                                .layer = aq_transport_stack_top(on->stack),
                                .executor =
                                    aq_transport_stack_executor(on->stack)};
}
