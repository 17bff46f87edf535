/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/exec/driver_files.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend_sim/model/device_set.h"
#include "backend_sim/sim.h"
#include "cli/exec/spools.h"
#include "dropin/kfd/topology.h"

static aq_status folder_make(const char *path, aq_diag *diag)
{
  return mkdir(path, 0755) == 0 || errno == EEXIST
             ? AQ_OK
             : aq_diag_set(diag, AQ_ERR_IO, "%s: %s", path, strerror(errno));
}

/* A node is a name: the program opens the driver in its place. */
static aq_status nodes_make(uint32_t count, const char *folder, aq_diag *diag)
{
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/dri", folder);
  aq_status status = folder_make(path, diag);
  for (uint32_t i = 0; i < count && status == AQ_OK; i++) {
    snprintf(path, sizeof path, "%s/dri/renderD%u", folder,
             AQKFD_RENDER_FIRST + i);
    if (symlink("/dev/null", path) != 0)
      status = aq_diag_set(diag, AQ_ERR_IO, "%s: %s", path, strerror(errno));
  }
  return status;
}

/* ---- caches of the host ---- */

/* A cache, as sysfs describes it. */
typedef struct cache {
  int level;
  const char *type;
  int size, ways; /* names of sysconf */
  long kib;       /* where that does not know */
} cache;

static aq_status value_put(const char *folder, const char *name, aq_diag *diag,
                           const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static aq_status value_put(const char *folder, const char *name, aq_diag *diag,
                           const char *format, ...)
{
  char path[PATH_MAX];
  va_list list;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "we");
  bool written = false;
  if (file) {
    va_start(list, format);
    written = vfprintf(file, format, list) >= 0;
    va_end(list);
    written = fclose(file) == 0 && written;
  }
  return written
             ? AQ_OK
             : aq_diag_set(diag, AQ_ERR_IO, "%s: %s", path, strerror(errno));
}

static aq_status cache_put(const char *folder, const cache *c, aq_diag *diag)
{
  enum { KIB = 1024, LINE = 64, WAYS = 8 };
  const long bytes = sysconf(c->size), ways = sysconf(c->ways);
  aq_status status = value_put(folder, "level", diag, "%d\n", c->level);
  if (status == AQ_OK)
    status = value_put(folder, "type", diag, "%s\n", c->type);
  if (status == AQ_OK)
    status = value_put(folder, "size", diag, "%ldK\n",
                       bytes > 0 ? bytes / KIB : c->kib);
  if (status == AQ_OK)
    status = value_put(folder, "ways_of_associativity", diag, "%ld\n",
                       ways > 0 ? ways : WAYS);
  if (status == AQ_OK)
    status = value_put(folder, "coherency_line_size", diag, "%d\n", LINE);
  if (status == AQ_OK)
    status = value_put(folder, "physical_line_partition", diag, "1\n");
  if (status == AQ_OK) /* the first processor lists them for all */
    status = value_put(folder, "shared_cpu_list", diag, "0\n");
  return status == AQ_OK ? value_put(folder, "shared_cpu_map", diag, "1\n")
                         : status;
}

/* libhsakmt gives up where the host does not report its caches, as virtual
 * machines do: then the door shows these in the place of every processor's. */
static aq_status caches_make(const char *folder, aq_diag *diag)
{
  static const cache caches[] = {
      {1, "Data", _SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL1_DCACHE_ASSOC, 32},
      {1, "Instruction", _SC_LEVEL1_ICACHE_SIZE, _SC_LEVEL1_ICACHE_ASSOC, 32},
      {2, "Unified", _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL2_CACHE_ASSOC, 512}};
  char path[PATH_MAX];
  if (access("/sys/devices/system/cpu/cpu0/cache/index0", F_OK) == 0)
    return AQ_OK;
  snprintf(path, sizeof path, "%s/cache", folder);
  aq_status status = folder_make(path, diag);
  for (size_t i = 0; i < sizeof caches / sizeof *caches && status == AQ_OK;
       i++) {
    snprintf(path, sizeof path, "%s/cache/index%zu", folder, i);
    status = folder_make(path, diag);
    if (status == AQ_OK)
      status = cache_put(path, &caches[i], diag);
  }
  return status;
}

static aq_status files_make(const aqsim_device_set *devices, const char *folder,
                            aq_diag *diag)
{
  static const char *const above[] = {"", "/kfd", "/kfd/kfd"};
  char path[PATH_MAX];
  aq_status status = AQ_OK;
  for (size_t i = 0; i < sizeof above / sizeof *above && status == AQ_OK; i++) {
    snprintf(path, sizeof path, "%s%s", folder, above[i]);
    status = folder_make(path, diag);
  }
  snprintf(path, sizeof path, "%s/kfd/kfd/topology", folder);
  if (status == AQ_OK)
    status = aqkfd_topology_write(devices, path, diag);
  if (status == AQ_OK)
    status = nodes_make(devices->count, folder, diag);
  if (status == AQ_OK)
    status = caches_make(folder, diag);
  if (status != AQ_OK)
    return status;
  char *whole = realpath(folder, NULL);
  const bool set = whole && setenv("AQUEDUCT_DRIVER_FILES", whole, 1) == 0;
  free(whole);
  return set ? AQ_OK : aq_diag_no_memory(diag);
}

aq_status aq_exec_driver_files(const char *spools, const char **device,
                               const char *const *edits, aq_diag *diag)
{
  aqsim_device_set devices;
  char *folder;
  if (!*device)
    *device = AQSIM_DEFAULT_DEVICE;
  aq_status status = aqsim_device_set_load(*device, edits, &devices, diag);
  if (status != AQ_OK)
    return status;
  if (asprintf(&folder, "%s/" AQ_SPOOLS_DRIVER, spools) < 0) {
    status = aq_diag_no_memory(diag);
  } else {
    status = files_make(&devices, folder, diag);
    free(folder);
  }
  aqsim_device_set_fini(&devices);
  return status;
}

aq_status aq_exec_topology_write(const char *device, const char *folder,
                                 aq_diag *diag)
{
  aqsim_device_set devices;
  aq_status status = aqsim_device_set_load(device, NULL, &devices, diag);
  if (status != AQ_OK)
    return status;
  status = aqkfd_topology_write(&devices, folder, diag);
  aqsim_device_set_fini(&devices);
  return status;
}

static int entry_remove(const char *path, const struct stat *state, int kind,
                        struct FTW *place)
{
  (void)state, (void)kind, (void)place;
  remove(path);
  return 0;
}

void aq_exec_driver_files_remove(const char *folder)
{
  enum { FILES = 8 };
  if (folder)
    nftw(folder, entry_remove, FILES, FTW_DEPTH | FTW_PHYS);
}
