/* SPDX-License-Identifier: MIT */
#include "oracles/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/sim.h"
#include "support/aqtest.h"
#include "transport/registry/device_models.h"

enum { RINGS = 512 };

/* ---- the seam ---- */

/* What passed it in this run; one test program runs one at a time. */
static struct {
  uint64_t doorbells, packets;
  uint64_t next[RINGS]; /* the first packet that was not rung for */
} passed;

static void counted_doorbell(aq_transport *t, aq_ring *ring, uint64_t id)
{
  ck_assert_uint_lt(ring->id, RINGS);
  passed.doorbells++;
  passed.packets += id + 1 - passed.next[ring->id];
  passed.next[ring->id] = id + 1;
  aqsim_transport_ops.queue_doorbell(t, ring, id);
}

static aq_transport_ops counted;

/* The simulator, whose doorbells are counted on their way to it. */
static aq_status counted_open(const aq_transport_options *options,
                              aq_transport **out, aq_diag *diag)
{
  const aq_status status = aqsim_transport_ops.open(options, out, diag);
  if (status == AQ_OK)
    (*out)->ops = &counted;
  return status;
}

const aq_transport_ops *device_begin(void)
{
  memset(&passed, 0, sizeof passed);
  counted = aqsim_transport_ops;
  counted.open = counted_open;
  counted.queue_doorbell = counted_doorbell;
  return &counted;
}

void device_end(station_result *out)
{
  out->published = passed.packets;
  out->rung = passed.doorbells;
}

/* ---- its costs ---- */

static void edit_add(char **edits, size_t *count, const char *format,
                     uint32_t value)
{
  ck_assert_int_ge(asprintf(&edits[(*count)++], format, value), 0);
}

/* Every cost of the device that is a time becomes 0; what says how stamps are
 * rounded or when a queue counts as idle stays, and there are slots enough. */
char **device_edits(const station_spec *spec)
{
  aq_device_model *model;
  aq_diag diag = AQ_DIAG_INIT;
  size_t count = 0;
  ck_assert_status(aq_device_model_load("mi300x", NULL, &model, &diag), AQ_OK,
                   &diag);
  char **edits = calloc(model->count + 8, sizeof *edits);
  /* A slot for every server. */
  edit_add(edits, &count, "slots_per_pipe=%u", spec->one_slot ? 1 : 32);
  edit_add(edits, &count, "pipes=%u", spec->one_slot ? 1 : 8);
  edit_add(edits, &count, "wave_state=%u B", 0);
  if (spec->quantum)
    edit_add(edits, &count, "queue_quantum=%u ns",
             (uint32_t)(spec->quantum / AQ_NS));
  if (spec->by == STATION_UNITS) {
    edit_add(edits, &count, "cus=%u", spec->cus ? spec->cus : 1);
    edit_add(edits, &count, "xccs=%u", 1);
    edit_add(edits, &count, "waves_per_simd=%u",
             spec->per_cu ? spec->per_cu : 1);
    edit_add(edits, &count, "simds_per_cu=%u", 1);
  }
  if (spec->by == STATION_MEMORY)
    edit_add(edits, &count, "memory_bandwidth=%u GB/s", 1000);
  for (size_t i = 0; i < model->count; i++) {
    const aq_device_constant *c = &model->constants[i];
    const bool is_time = strlen(c->unit) == 2 && c->unit[1] == 's';
    if (!c->timing || !is_time || strcmp(c->key, "timestamp_step") == 0 ||
        strcmp(c->key, "unmap_after") == 0 || strstr(c->key, "quantum"))
      continue;
    ck_assert_int_ge(asprintf(&edits[count++], "%s=0 ns", c->key), 0);
  }
  aq_device_model_free(model);
  return edits;
}
