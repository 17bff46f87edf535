/* SPDX-License-Identifier: MIT */
/* Samples of the devices' metrics, taken by a thread of their own and handed to
 * the record sink when the transport closes: sinks take one thread at a time.
 */
#include "config.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backend_hsa/core.h"
#include "backend_hsa/gpu_metrics.h"
#include "common/array.h"

enum { FOLDER_BYTES = 300 };

#define INTERVAL_LEAST (100 * AQ_US)

typedef struct metered {
  char folder[FOLDER_BYTES]; /* "": it offers nothing */
  aqhsa_metrics last;
} metered;

struct aqhsa_meter {
  aqhsa *hsa;
  aq_record_sink *records; /* borrowed */
  aq_time interval;
  pthread_t thread;
  bool runs, ends; /* the thread; it shall end: under the lock */
  pthread_mutex_t lock;
  pthread_cond_t wake;
  metered *devices;
  aq_sample *samples; /* the ordinal is the device's of the transport */
  size_t count, capacity, lost; /* without memory for them */
};

/* ---- the devices ---- */

static const char *root_of(void)
{
  const char *root = getenv("AQUEDUCT_SYSFS");
  return root && *root ? root : "/sys";
}

static void folder_find(const aqhsa *hsa, uint32_t device, char *folder)
{
  enum { BUS_SHIFT = 8, DEVICE_SHIFT = 3 };
  uint32_t place = 0, domain = 0;
  unsigned revision;
  aqhsa_metrics now;
  const hsa_agent_t agent = hsa->devices[device].agent;
  if (hsa->api->hsa_agent_get_info(agent, HSA_AMD_AGENT_INFO_BDFID, &place) !=
          HSA_STATUS_SUCCESS ||
      hsa->api->hsa_agent_get_info(agent, HSA_AMD_AGENT_INFO_DOMAIN, &domain) !=
          HSA_STATUS_SUCCESS)
    return;
  const int length =
      snprintf(folder, FOLDER_BYTES, "%s/bus/pci/devices/%04x:%02x:%02x.%x",
               root_of(), domain, place >> BUS_SHIFT & 0xff,
               place >> DEVICE_SHIFT & 0x1f, place & 7);
  if (length >= FOLDER_BYTES || !aqhsa_metrics_read(folder, &now, &revision))
    *folder = '\0';
}

bool aqhsa_meter_offers(const aqhsa *hsa)
{
  char folder[FOLDER_BYTES] = "";
  for (uint32_t i = 0; i < hsa->device_count && !*folder; i++)
    folder_find(hsa, i, folder);
  return *folder;
}

/* ---- the thread ---- */

static void device_sample(aqhsa_meter *m, uint32_t device)
{
  metered *of = &m->devices[device];
  aqhsa_metrics now;
  unsigned revision;
  if (!*of->folder || !aqhsa_metrics_read(of->folder, &now, &revision))
    return;
  const aq_time time = aqhsa_now(&m->hsa->base);
  for (int c = 0; c < AQ_COUNTER_COUNT; c++) {
    if (now.values[c] == AQ_NONE || now.values[c] == of->last.values[c])
      continue;
    of->last.values[c] = now.values[c];
    const aq_sample sample = {c, device, time, now.values[c]};
    m->lost += !AQ_ARRAY_PUSH(m->samples, m->count, m->capacity, sample);
  }
}

static void devices_sample(aqhsa_meter *m)
{
  for (uint32_t i = 0; i < m->hsa->device_count; i++)
    device_sample(m, i);
}

static void until(aq_time span, struct timespec *out)
{
  clock_gettime(CLOCK_MONOTONIC, out);
  const int64_t ns = out->tv_nsec + span / AQ_NS;
  out->tv_sec += ns / (AQ_S / AQ_NS);
  out->tv_nsec = ns % (AQ_S / AQ_NS);
}

/* Between the samples of opening and closing. */
static void *meter_run(void *user)
{
  aqhsa_meter *m = user;
  pthread_mutex_lock(&m->lock);
  while (!m->ends) {
    struct timespec next;
    until(m->interval, &next);
    while (!m->ends && pthread_cond_timedwait(&m->wake, &m->lock, &next) == 0)
      ;
    if (!m->ends)
      devices_sample(m);
  }
  pthread_mutex_unlock(&m->lock);
  return NULL;
}

/* ---- life ---- */

static void revisions_report(const aqhsa_meter *m, uint32_t device)
{
  char line[200];
  unsigned revision;
  aqhsa_metrics now;
  if (!*m->devices[device].folder ||
      !aqhsa_metrics_read(m->devices[device].folder, &now, &revision) ||
      !revision || !m->hsa->report)
    return;
  snprintf(line, sizeof line,
           "device %u: its gpu_metrics is %u.%u, and 1.1 to 1.5 are read: "
           "counters come from other files of sysfs alone",
           device, revision >> 8, revision & 0xff);
  m->hsa->report(line, m->hsa->report_user);
}

static aq_status options_check(const aqhsa *hsa, aq_time interval,
                               aq_diag *diag)
{
  if (interval < INTERVAL_LEAST)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "hsa: samples of counters each %lld ns; expected 100 us "
                       "or more",
                       (long long)(interval / AQ_NS));
  return aqhsa_meter_offers(hsa)
             ? AQ_OK
             : aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                           "hsa: no counters: no device has metrics below "
                           "%s/bus/pci/devices; AQUEDUCT_SYSFS names another "
                           "root",
                           root_of());
}

static aq_status meter_make(aqhsa *hsa, const aq_transport_options *options,
                            aq_diag *diag)
{
  pthread_condattr_t attributes;
  aqhsa_meter *m = calloc(1, sizeof *m);
  if (!m)
    return aq_diag_no_memory(diag);
  m->hsa = hsa;
  m->records = options->records;
  m->interval = options->counters;
  pthread_mutex_init(&m->lock, NULL);
  hsa->meter = m;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&m->wake, &attributes);
  pthread_condattr_destroy(&attributes);
  m->devices = calloc(hsa->device_count + 1, sizeof *m->devices);
  if (!m->devices)
    return aq_diag_no_memory(diag);
  for (uint32_t i = 0; i < hsa->device_count; i++) {
    folder_find(hsa, i, m->devices[i].folder);
    for (int c = 0; c < AQ_COUNTER_COUNT; c++)
      m->devices[i].last.values[c] = AQ_NONE;
    revisions_report(m, i);
  }
  devices_sample(m);
  m->runs = pthread_create(&m->thread, NULL, meter_run, m) == 0;
  return m->runs ? AQ_OK
                 : aq_diag_set(diag, AQ_ERR_RESOURCES,
                               "hsa: no thread for samples of counters");
}

aq_status aqhsa_meter_open(aqhsa *hsa, const aq_transport_options *options,
                           aq_diag *diag)
{
  if (options->counters == 0)
    return AQ_OK;
  aq_status status = options_check(hsa, options->counters, diag);
  if (status == AQ_OK && options->records && options->records->put_counters)
    status = meter_make(hsa, options, diag);
  return status;
}

/* Samples name devices by their ordinals in the sink. */
static void samples_put(const aqhsa_meter *m)
{
  for (uint32_t i = 0; i < m->hsa->device_count; i++) {
    const aq_device_info *info = &m->hsa->infos[i];
    int64_t ordinal;
    if (!*m->devices[i].folder ||
        m->records->device(m->records,
                           &(aq_run_device){.source_id = i,
                                            .name = info->name,
                                            .gfx = info->gfx,
                                            .cus = info->cus},
                           &ordinal, NULL) != AQ_OK)
      continue;
    for (size_t s = 0; s < m->count; s++) {
      aq_sample sample = m->samples[s];
      if (sample.ordinal != i)
        continue;
      sample.ordinal = ordinal;
      m->records->put_counters(m->records, &sample, 1, NULL);
    }
  }
}

void aqhsa_meter_close(aqhsa *hsa)
{
  aqhsa_meter *m = hsa->meter;
  char line[80];
  if (!m)
    return;
  if (m->runs) {
    pthread_mutex_lock(&m->lock);
    m->ends = true;
    pthread_cond_signal(&m->wake);
    pthread_mutex_unlock(&m->lock);
    pthread_join(m->thread, NULL);
    devices_sample(m);
  }
  samples_put(m);
  snprintf(line, sizeof line, "%zu samples of counters were lost: no memory",
           m->lost);
  if (m->lost && hsa->report)
    hsa->report(line, hsa->report_user);
  pthread_cond_destroy(&m->wake);
  pthread_mutex_destroy(&m->lock);
  free(m->samples);
  free(m->devices);
  free(m);
  hsa->meter = NULL;
}
