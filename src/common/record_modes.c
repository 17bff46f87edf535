/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "common/record_modes.h"

#include <string.h>

#include "common/record.h"

#define KIND(id) (UINT64_C(1) << AQ_KIND_##id)

enum {
  EVENTS = 1 << AQ_PROFILING_QUEUE_EVENTS |
           1 << AQ_PROFILING_DEVICE_QUEUE_EVENTS |
           1 << AQ_PROFILING_DISPATCH_EVENTS,
  CODE = 1 << AQ_PROFILING_EXECUTABLE_METADATA | 1 << AQ_PROFILING_COUNTERS
};

/* The kinds of rows of each mode of events. */
static const uint64_t kinds[] = {
    [AQ_PROFILING_QUEUE_EVENTS] =
        KIND(WAIT) | KIND(CALL) | KIND(OPERATION) | KIND(RANGE),
    [AQ_PROFILING_DEVICE_QUEUE_EVENTS] = KIND(COPY) | KIND(FILL) |
                                         KIND(BARRIER_AND) | KIND(BARRIER_OR) |
                                         KIND(AGENT) | KIND(VENDOR),
    [AQ_PROFILING_DISPATCH_EVENTS] = KIND(KERNEL)};

_Static_assert(AQ_KIND_COUNT == 12, "a mode of events for each kind of row");

static const char *const names[AQ_PROFILING_COUNT] = {
#define M(id, name, meaning) [AQ_PROFILING_##id] = name,
#include "common/record_modes.def"
#undef M
};

/* The mode of a name that ends at a comma or at the end of the text. */
static bool mode_take(const char **at, unsigned *modes)
{
  const size_t length = strcspn(*at, ",");
  for (unsigned i = 0; i < AQ_PROFILING_COUNT; i++)
    if (strlen(names[i]) == length && strncmp(*at, names[i], length) == 0) {
      const bool more = (*at)[length] == ',';
      *modes |= 1u << i;
      *at += length + more;
      return !more || **at;
    }
  return false;
}

static bool modes_read(const char *text, unsigned *out)
{
  bool ok = *text != 0;
  *out = 0;
  if (strcmp(text, "all") == 0)
    *out = (1u << AQ_PROFILING_COUNT) - 1;
  else
    while (ok && *text)
      ok = mode_take(&text, out);
  return ok;
}

unsigned aq_profiling_events_read(const char *text)
{
  unsigned modes;
  return modes_read(text, &modes) && !(modes & ~(unsigned)EVENTS) ? modes : 0;
}

bool aq_profiling_events_have(unsigned events, int64_t kind)
{
  uint64_t all = 0;
  for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
    all |= events >> i & 1 ? kinds[i] : 0;
  return all >> kind & 1;
}

const char *aq_profiling_events_text(unsigned events)
{
  static const char *const texts[] = {
      [1] = "queue-events",
      [2] = "device-queue-events",
      [3] = "queue-events,device-queue-events",
      [4] = "dispatch-events",
      [5] = "queue-events,dispatch-events",
      [6] = "device-queue-events,dispatch-events",
      [7] = "queue-events,device-queue-events,dispatch-events"};
  return texts[events & EVENTS];
}

aq_status aq_profiling_read(const char *text, const char *record,
                            aq_profiling *out, aq_diag *diag)
{
  unsigned modes = 0;
  if (text && !modes_read(text, &modes))
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "profile '%s': expected all, or with commas between "
                       "them some of queue-events, device-queue-events, "
                       "dispatch-events, executable-metadata, counters, "
                       "executable-traces",
                       text);
  const unsigned events = modes & EVENTS;
  if (events && record)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "profile %s with rows %s: both choose rows; "
                       "expected one of them",
                       text, record);
  *out = (aq_profiling){.modes = modes,
                        .record =
                            events ? aq_profiling_events_text(events) : record,
                        .code = modes & CODE,
                        .traces = modes >> AQ_PROFILING_EXECUTABLE_TRACES & 1};
  return AQ_OK;
}

const char *aq_profiling_traced(const aq_profiling *profiling,
                                const char *chosen)
{
  return !profiling->traces ? NULL : chosen ? chosen : "wave=0";
}
