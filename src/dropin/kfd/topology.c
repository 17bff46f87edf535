/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/kfd/topology.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend_sim/devices.h"
#include "dropin/hsa/base/device_identity.h"
#include "gpu/codeobj/target.h"

enum {
  PCIE = 2, /* types of links */
  XGMI = 11,
  WEIGHT_PCIE = 20,
  WEIGHT_XGMI = 15,
  SYSTEM = 0, /* types of memory */
  VISIBLE = 1,
};

/* ---- files ---- */

typedef struct place {
  char path[PATH_MAX];
  aq_status status; /* of all that was written so far */
  aq_diag *diag;
} place;

static void fail(place *p)
{
  if (p->status == AQ_OK)
    p->status =
        aq_diag_set(p->diag, AQ_ERR_IO, "%s: %s", p->path, strerror(errno));
}

/* A folder below; returns where its name ends, for leave(). */
__attribute__((format(printf, 2, 3))) static size_t
enter(place *p, const char *format, ...)
{
  const size_t was = strlen(p->path);
  va_list list;
  va_start(list, format);
  vsnprintf(p->path + was, sizeof p->path - was, format, list);
  va_end(list);
  if (p->status == AQ_OK && mkdir(p->path, 0755) != 0 && errno != EEXIST)
    fail(p);
  return was;
}

static void leave(place *p, size_t was)
{
  p->path[was] = 0;
}

__attribute__((format(printf, 3, 4))) static void
put(place *p, const char *name, const char *format, ...)
{
  const size_t was = strlen(p->path);
  va_list list;
  snprintf(p->path + was, sizeof p->path - was, "/%s", name);
  FILE *file = p->status == AQ_OK ? fopen(p->path, "we") : NULL;
  if (file) {
    va_start(list, format);
    const bool written = vfprintf(file, format, list) >= 0;
    va_end(list);
    if (fclose(file) != 0 || !written)
      fail(p);
  } else {
    fail(p);
  }
  leave(p, was);
}

/* ---- parts of a node ---- */

typedef struct edge {
  uint32_t from, to, type, weight;
  uint64_t bandwidth; /* MB a second */
} edge;

static void link_put(place *p, const char *kind, uint32_t index, const edge *e)
{
  const size_t was = enter(p, "/%s", kind), inner = enter(p, "/%u", index);
  put(p, "properties",
      "type %u\nversion_major 0\nversion_minor 0\nnode_from %u\nnode_to %u\n"
      "weight %u\nmin_latency 0\nmax_latency 0\nmin_bandwidth 312\n"
      "max_bandwidth %" PRIu64 "\nrecommended_transfer_size 0\n"
      "recommended_sdma_engine_id_mask 0\nflags 1\n",
      e->type, e->from, e->to, e->weight, e->bandwidth);
  leave(p, inner);
  leave(p, was);
}

static edge host_link(const aqsim_model *model, uint32_t from, uint32_t to)
{
  const bool xgmi = model->host_link == AQSIM_LINK_XGMI;
  return (edge){from, to, xgmi ? XGMI : PCIE, xgmi ? WEIGHT_XGMI : WEIGHT_PCIE,
                (uint64_t)model->host_link_bandwidth / 1000000};
}

/* Devices with links to each other are neighbours; others go over the host. */
static edge peer_link(const aqsim_device_set *devices, uint32_t from,
                      uint32_t to)
{
  const aqsim_model *a = devices->models[from], *b = devices->models[to];
  if (a->peer_links > 0 && b->peer_links > 0)
    return (edge){from + 1, to + 1, XGMI, WEIGHT_XGMI,
                  (uint64_t)a->peer_link_bandwidth / 1000000};
  return (edge){from + 1, to + 1, PCIE, 2 * WEIGHT_PCIE,
                (uint64_t)a->host_link_bandwidth / 1000000};
}

static void bank_put(place *p, uint32_t type, uint64_t size, uint32_t width,
                     uint32_t mhz)
{
  const size_t was = enter(p, "/mem_banks"), inner = enter(p, "/0");
  put(p, "properties",
      "heap_type %u\nsize_in_bytes %" PRIu64
      "\nflags 0\nwidth %u\nmem_clk_max %u\n",
      type, size, width, mhz);
  leave(p, inner);
  leave(p, was);
}

static uint32_t caches_put(place *p, const aqdrop_identity *persona)
{
  enum { DATA = 1, OF_CU = 8 };
  const uint32_t kib[] = {persona->l1_kib, persona->l2_kib, persona->l3_kib};
  const size_t was = enter(p, "/caches");
  uint32_t count = 0;
  for (uint32_t level = 1; level <= 3; level++) {
    if (kib[level - 1] == 0)
      continue;
    const size_t inner = enter(p, "/%u", count++);
    put(p, "properties",
        "processor_id_low 2147487744\nlevel %u\nsize %u\ncache_line_size %u\n"
        "cache_lines_per_tag 1\nassociation 16\nlatency 0\ntype %u\n"
        "sibling_map 1\n",
        level, kib[level - 1], level == 1 ? 64 : 128, DATA | OF_CU);
    leave(p, inner);
  }
  leave(p, was);
  return count;
}

/* ---- nodes ---- */

static void host_put(place *p, const aqsim_device_set *devices)
{
  const size_t was = enter(p, "/0");
  enter(p, "/caches");
  leave(p, was + 2);
  for (uint32_t i = 0; i < devices->count; i++) {
    const edge e = host_link(devices->models[i], 0, i + 1);
    link_put(p, "io_links", i, &e);
  }
  bank_put(p, SYSTEM,
           (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE),
           64, 3200);
  put(p, "gpu_id", "0\n");
  put(p, "name", "\n");
  put(p, "properties",
      "cpu_cores_count %ld\nsimd_count 0\nmem_banks_count 1\ncaches_count 0\n"
      "io_links_count %u\np2p_links_count 0\ncpu_core_id_base 0\n"
      "simd_id_base 0\nmax_waves_per_simd 0\nlds_size_in_kb 0\n"
      "gds_size_in_kb 0\nnum_gws 0\nwave_front_size 0\narray_count 0\n"
      "simd_arrays_per_engine 0\ncu_per_simd_array 0\nsimd_per_cu 0\n"
      "max_slots_scratch_cu 0\ngfx_target_version 0\nvendor_id 0\n"
      "device_id 0\nlocation_id 0\ndomain 0\ndrm_render_minor 0\nhive_id 0\n"
      "num_sdma_engines 0\nnum_sdma_xgmi_engines 0\n"
      "num_sdma_queues_per_engine 0\nnum_cp_queues 0\n"
      "max_engine_clk_ccompute 3000\n",
      sysconf(_SC_NPROCESSORS_ONLN), devices->count);
  leave(p, was);
}

/* "gfx90a" is 9.0.10: the last two digits are hexadecimal. */
static bool version_read(const char *gfx, uint32_t *out)
{
  unsigned major, minor, step;
  int length = 0;
  const size_t digits = strlen(gfx);
  if (digits < 6 || digits > 7)
    return false;
  if (sscanf(gfx, digits == 6 ? "gfx%1u%1x%1x%n" : "gfx%2u%1x%1x%n", &major,
             &minor, &step, &length) != 3 ||
      (size_t)length != digits)
    return false;
  *out = major * 10000 + minor * 100 + step;
  return true;
}

static uint32_t capability_of(const aqsim_model *model,
                              const aqdrop_identity *persona)
{
  enum {
    WATCHED = 1 << 7,
    WATCH_BITS = 2 << 8,
    DOORBELL_64 = 2 << 12,
    REVISION = 22,
    SRAM_ECC = 1 << 26,
    SVM = 1 << 27,
    COHERENT = 1 << 28
  };
  aq_target target;
  uint32_t bits = WATCHED | WATCH_BITS | DOORBELL_64 | SVM |
                  (persona->revision & 15) << REVISION;
  if (aq_target_of_device(model->gfx, false, &target, NULL) == AQ_OK &&
      target.sramecc == AQ_FEATURE_ON)
    bits |= SRAM_ECC;
  return model->host_link == AQSIM_LINK_XGMI ? bits | COHERENT : bits;
}

/* Links of a device: to the host, and to the other devices. */
static void links_put(place *p, const aqsim_device_set *devices, uint32_t i,
                      uint32_t *io, uint32_t *peer)
{
  const edge host = host_link(devices->models[i], i + 1, 0);
  *io = *peer = 0;
  link_put(p, "io_links", (*io)++, &host);
  for (uint32_t j = 0; j < devices->count; j++) {
    if (j == i)
      continue;
    const edge e = peer_link(devices, i, j);
    if (e.type == XGMI)
      link_put(p, "io_links", (*io)++, &e);
    else
      link_put(p, "p2p_links", (*peer)++, &e);
  }
}

static void device_put(place *p, const aqsim_device_set *devices, uint32_t i,
                       uint32_t version)
{
  const aqsim_model *m = devices->models[i];
  const aqdrop_identity *persona = aqdrop_identity_find(m->product, m->gfx);
  const uint32_t arrays = persona->engines * persona->arrays;
  const uint32_t cus = (uint32_t)m->cus, simds = (uint32_t)m->simds_per_cu;
  const size_t was = enter(p, "/%u", i + 1);
  uint32_t io, peer;
  links_put(p, devices, i, &io, &peer);
  bank_put(p, VISIBLE, persona->memory_gib << 30, persona->bus_bits,
           persona->memory_mhz);
  const uint32_t caches = caches_put(p, persona);
  put(p, "gpu_id", "%u\n", i + 2);
  put(p, "name", "%s\n", m->gfx);
  put(p, "properties",
      "cpu_cores_count 0\nsimd_count %u\nmem_banks_count 1\ncaches_count %u\n"
      "io_links_count %u\np2p_links_count %u\ncpu_core_id_base 0\n"
      "simd_id_base 2147487744\nmax_waves_per_simd %u\nlds_size_in_kb %u\n"
      "gds_size_in_kb 0\nnum_gws 64\nwave_front_size %u\narray_count %u\n"
      "simd_arrays_per_engine %u\ncu_per_simd_array %u\nsimd_per_cu %u\n"
      "max_slots_scratch_cu 32\ngfx_target_version %u\nvendor_id 4098\n"
      "device_id %u\nlocation_id %u\ndomain %u\ndrm_render_minor %u\n"
      "hive_id %u\nnum_sdma_engines %u\nnum_sdma_xgmi_engines %u\n"
      "num_sdma_queues_per_engine %u\nnum_cp_queues 24\n"
      "max_engine_clk_fcompute %u\nlocal_mem_size 0\nfw_version 70\n"
      "capability %u\ndebug_prop 0\nsdma_fw_version 8\nunique_id %" PRIu64
      "\nnum_xcc %u\nmax_engine_clk_ccompute 3000\n",
      cus * simds, caches, io, peer, (uint32_t)m->waves_per_simd,
      (uint32_t)(m->lds_per_workgroup / 1024), (uint32_t)m->wave_size, arrays,
      persona->arrays, arrays ? (cus + arrays - 1) / arrays : cus, simds,
      version, persona->chip, (i + 1) << 8, AQKFD_PCI_DOMAIN,
      AQKFD_RENDER_FIRST + i, m->peer_links > 0 ? AQKFD_PCI_DOMAIN : 0,
      (uint32_t)m->copy_engines, (uint32_t)m->copy_engines_peer,
      (uint32_t)m->copy_rings, (uint32_t)(m->clock / 1000000),
      capability_of(m, persona), aqsim_device_unique(m, i), (uint32_t)m->xccs);
  leave(p, was);
}

aq_status aqkfd_topology_write(const aqsim_device_set *devices,
                               const char *folder, aq_diag *diag)
{
  uint32_t versions[AQSIM_DEVICES_MAX];
  place p = {.status = AQ_OK, .diag = diag};
  for (uint32_t i = 0; i < devices->count; i++)
    if (!version_read(devices->models[i]->gfx, &versions[i]))
      return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                         "device %s: its instruction set %s has no topology; "
                         "expected a name as gfx942",
                         devices->models[i]->name, devices->models[i]->gfx);
  enter(&p, "%s", folder);
  put(&p, "generation_id", "2\n");
  put(&p, "system_properties",
      "platform_oem 0\nplatform_id 0\nplatform_rev 0\n");
  enter(&p, "/nodes");
  host_put(&p, devices);
  for (uint32_t i = 0; i < devices->count; i++)
    device_put(&p, devices, i, versions[i]);
  return p.status;
}
