/* SPDX-License-Identifier: MIT */
/*
 * Preloaded by `aqueduct exec`: a program that looks for the kernel driver
 * before it calls HSA finds it. /dev/kfd is /dev/null here, with the ioctls
 * that ask for the version and for clocks; the module's state is "live". Every
 * name of the HSA library opens the drop-in. Yields are counted: yields.h.
 *
 * It is loaded into every process of the program, so it needs nothing but
 * libc, and touches only these names.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "backend_sim/yields.h"
#include "common/hsa_sim.h"

#define EXPORT __attribute__((visibility("default")))

/* The next definition of a function behind this one. */
#define NEXT(type, name) ((type *)next_of(name))

static void *next_of(const char *name)
{
  return dlsym(RTLD_NEXT, name);
}

/* ---- paths ---- */

#define MODULE "/sys/module/amdgpu"
#define STATE  MODULE "/initstate"

static bool is(const char *path, const char *name)
{
  return path && strcmp(path, name) == 0;
}

/* What stands for a path: something of the same kind. */
static const char *path_of(const char *path)
{
  if (is(path, "/dev/kfd"))
    return "/dev/null";
  if (is(path, MODULE))
    return "/proc/self";
  if (is(path, STATE))
    return "/proc/self/comm";
  return path;
}

/* A file that says that the module is loaded, or -1. */
static int state_open(const char *path)
{
  static const char live[] = "live\n";
  if (!is(path, STATE))
    return -1;
  int fd = memfd_create("initstate", MFD_CLOEXEC);
  if (fd >= 0 && (write(fd, live, sizeof live - 1) != sizeof live - 1 ||
                  lseek(fd, 0, SEEK_SET) != 0)) {
    close(fd);
    fd = -1;
  }
  return fd;
}

/* The mode that follows the flags of open, if one does. */
#define MODE_READ(flags, mode)                                                 \
  do {                                                                         \
    if ((flags) & (O_CREAT | __O_TMPFILE)) {                                   \
      va_list list;                                                            \
      va_start(list, flags);                                                   \
      mode = va_arg(list, mode_t);                                             \
      va_end(list);                                                            \
    }                                                                          \
  } while (0)

typedef int open_function(const char *, int, ...);
typedef int openat_function(int, const char *, int, ...);

#define OPEN(name)                                                             \
  EXPORT int name(const char *path, int flags, ...)                            \
  {                                                                            \
    mode_t mode = 0;                                                           \
    int state = state_open(path);                                              \
    MODE_READ(flags, mode);                                                    \
    return state >= 0                                                          \
               ? state                                                         \
               : NEXT(open_function, #name)(path_of(path), flags, mode);       \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                           \
  EXPORT int name(int folder, const char *path, int flags, ...)                \
  {                                                                            \
    mode_t mode = 0;                                                           \
    int state = state_open(path);                                              \
    MODE_READ(flags, mode);                                                    \
    return state >= 0 ? state                                                  \
                      : NEXT(openat_function, #name)(folder, path_of(path),    \
                                                     flags, mode);             \
  }
OPENAT(openat)
OPENAT(openat64)

/* What programs compiled with _FORTIFY_SOURCE call. */
typedef int open_2_function(const char *, int);

#define OPEN_2(name)                                                           \
  EXPORT int name(const char *path, int flags);                                \
  EXPORT int name(const char *path, int flags)                                 \
  {                                                                            \
    int state = state_open(path);                                              \
    return state >= 0 ? state                                                  \
                      : NEXT(open_2_function, #name)(path_of(path), flags);    \
  }
OPEN_2(__open_2)
OPEN_2(__open64_2)

typedef FILE *fopen_function(const char *, const char *);

#define FOPEN(name)                                                            \
  EXPORT FILE *name(const char *path, const char *mode)                        \
  {                                                                            \
    int state = state_open(path);                                              \
    return state >= 0 ? fdopen(state, "r")                                     \
                      : NEXT(fopen_function, #name)(path_of(path), mode);      \
  }
FOPEN(fopen)
FOPEN(fopen64)

typedef int access_function(const char *, int);
typedef int faccessat_function(int, const char *, int, int);

EXPORT int access(const char *path, int mode)
{
  return NEXT(access_function, "access")(path_of(path), mode);
}

EXPORT int faccessat(int folder, const char *path, int mode, int flags)
{
  return NEXT(faccessat_function, "faccessat")(folder, path_of(path), mode,
                                               flags);
}

typedef int stat_function(const char *, void *);

#define STAT(name, type)                                                       \
  EXPORT int name(const char *path, type *out)                                 \
  {                                                                            \
    return NEXT(stat_function, #name)(path_of(path), out);                     \
  }
STAT(stat, struct stat)
STAT(stat64, struct stat64)
STAT(lstat, struct stat)
STAT(lstat64, struct stat64)

/* ---- commands ---- */

/* `lsmod` shows the module, whatever is done with its output. */
EXPORT FILE *popen(const char *command, const char *type)
{
  static const char lsmod[] = "lsmod";
  char line[512];
  if (command && strncmp(command, lsmod, sizeof lsmod - 1) == 0 &&
      snprintf(line, sizeof line, "echo amdgpu 0 0%s",
               command + sizeof lsmod - 1) < (int)sizeof line)
    command = line;
  return NEXT(fopen_function, "popen")(command, type);
}

/* ---- yields ---- */

EXPORT uint32_t aqueduct_yields[AQ_YIELDS];

EXPORT int sched_yield(void)
{
  static __thread pid_t thread;
  if (thread == 0)
    thread = gettid();
  __atomic_fetch_add(aq_yields_of(thread), 1, __ATOMIC_RELAXED);
  return (int)syscall(SYS_sched_yield);
}

/* ---- the library ---- */

/* "libhsa-runtime64.so" with or without a version, in any folder: the drop-in,
 * which is preloaded and has its SONAME only. */
__attribute__((noinline)) static const char *library_of(const char *name)
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

typedef void *dlopen_function(const char *, int);

/* A sibling call: the next one sees this function's caller, and searches the
 * caller's run path. */
__attribute__((optimize("optimize-sibling-calls"))) EXPORT void *
dlopen(const char *name, int mode)
{
  return NEXT(dlopen_function, "dlopen")(library_of(name), mode);
}

/* ---- the driver ---- */

enum {
  KFD_TYPE = 'K',
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

typedef int ioctl_function(int, unsigned long, ...);

EXPORT int ioctl(int fd, unsigned long request, ...)
{
  va_list list;
  va_start(list, request);
  void *argument = va_arg(list, void *);
  va_end(list);
  if (_IOC_TYPE(request) == KFD_TYPE && is_kfd(fd))
    return kfd_ioctl(request, argument);
  return NEXT(ioctl_function, "ioctl")(fd, request, argument);
}
