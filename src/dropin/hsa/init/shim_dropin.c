/* SPDX-License-Identifier: MIT */
/*
 * The driver that programs on the drop-in find: /dev/kfd is /dev/null, with the
 * calls that ask for the version and for clocks. Every name of the HSA library
 * opens the drop-in. It needs nothing but libc.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "common/hsa_sim.h"
#include "dropin/hsa/init/shim.h"

const char *aqshim_path(const char *path, char room[PATH_MAX])
{
  (void)room;
  return strcmp(path, "/dev/kfd") == 0 ? "/dev/null" : path;
}

bool aqshim_open(const char *path, int flags, int *fd)
{
  (void)path, (void)flags, (void)fd;
  return false;
}

/* ---- the library ---- */

/* "libhsa-runtime64.so" with or without a version, in any folder: the drop-in,
 * which is preloaded and has its SONAME only. */
const char *aqshim_library(const char *name)
{
  static const char hsa[] = "libhsa-runtime64.so";
  const char *slash = name ? strrchr(name, '/') : NULL;
  const char *base = slash ? slash + 1 : name;
  if (!base || strncmp(base, hsa, sizeof hsa - 1) != 0 ||
      (base[sizeof hsa - 1] && base[sizeof hsa - 1] != '.'))
    return name;
  void *init = dlsym(RTLD_DEFAULT, "hsa_init");
  Dl_info library;
  return init && dladdr(init, &library) ? library.dli_fname : name;
}

/* ---- the driver ---- */

enum {
  KFD_VERSION = 0x01,
  KFD_CLOCKS = 0x05,
  KFD_MAJOR = 1, /* of the interface that this is of */
  KFD_MINOR = 14,
};

/* As <linux/kfd_ioctl.h> has them. */
typedef struct kfd_version {
  uint32_t major, minor;
} kfd_version;

typedef struct kfd_clocks {
  uint64_t gpu, cpu, system; /* counters */
  uint64_t system_hz;
  uint32_t gpu_id, pad;
} kfd_clocks;

_Static_assert(sizeof(kfd_clocks) == 40, "struct kfd_ioctl_get_clock_counters");

typedef uint32_t extension_function(uint16_t, uint16_t, size_t, void *);

/* The clocks of the simulator, if the process has opened it. */
static bool clocks_read(kfd_clocks *clocks)
{
  extension_function *extension = (extension_function *)dlsym(
      RTLD_DEFAULT, "hsa_system_get_major_extension_table");
  aq_hsa_sim sim = {0};
  uint64_t device, system;
  if (!extension ||
      extension(AQ_HSA_EXTENSION_SIM, AQ_HSA_SIM_MAJOR, sizeof sim, &sim) !=
          0 ||
      sim.size < sizeof sim || sim.clocks(0, &device, &system) != 0)
    return false;
  /* The driver's counters are not 0 once a machine is up, and clients take 0
   * for a failure. The simulator's clock begins there. */
  clocks->gpu = device ? device : 1;
  clocks->cpu = clocks->system = system ? system : 1;
  clocks->system_hz = UINT64_C(1000000000);
  return true;
}

static int kfd_ioctl(unsigned long request, void *argument)
{
  switch (_IOC_NR(request)) {
  case KFD_VERSION:
    if (_IOC_SIZE(request) != sizeof(kfd_version))
      break;
    *(kfd_version *)argument = (kfd_version){KFD_MAJOR, KFD_MINOR};
    return 0;
  case KFD_CLOCKS:
    if (_IOC_SIZE(request) != sizeof(kfd_clocks))
      break;
    if (clocks_read(argument))
      return 0;
    errno = ENODEV;
    return -1;
  default:
    break;
  }
  errno = EINVAL;
  return -1;
}

static bool is_kfd(int fd)
{
  struct stat state;
  return fstat(fd, &state) == 0 && S_ISCHR(state.st_mode) &&
         state.st_rdev == makedev(1, 3);
}

bool aqshim_mapping(int fd, size_t size, int *file, off_t *offset)
{
  (void)fd, (void)size, (void)file, (void)offset;
  return false;
}

void aqshim_unmapping(void *address, size_t size)
{
  (void)address, (void)size;
}

bool aqshim_ioctl(int fd, unsigned long request, void *argument, int *result)
{
  if (_IOC_TYPE(request) != 'K' || !is_kfd(fd))
    return false;
  *result = kfd_ioctl(request, argument);
  return true;
}
