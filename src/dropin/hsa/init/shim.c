/* SPDX-License-Identifier: MIT */
/*
 * Preloaded by `aqueduct exec`: the names of libc by which a program looks for
 * the kernel driver, its files and the HSA library. The answers are functions
 * of shim.h, once for the drop-in (shim_dropin.c) and once for the driver
 * (kfd/door/preload.c); here is what both have: the module's state is "live",
 * lsmod shows it, yields are counted (thread_yield.h), and the
 * drop-in ends its work before _exit (process_end.h).
 *
 * It is loaded into every process of the program, so it touches only these
 * names.
 */
#include "config.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "backend_sim/thread_yield.h"
#include "dropin/hsa/base/process_end.h"
#include "dropin/hsa/init/shim.h"

#define EXPORT __attribute__((visibility("default")))

/* The next definition of a function behind this one. Asked for once at each
 * place: dlsym waits while another thread loads a library. */
#define NEXT(type, name)                                                       \
  __extension__({                                                              \
    static void *next;                                                         \
    (type *)next_of(&next, name);                                              \
  })

static void *next_of(void **next, const char *name)
{
  void *found = __atomic_load_n(next, __ATOMIC_RELAXED);
  if (!found) {
    found = dlsym(RTLD_NEXT, name);
    __atomic_store_n(next, found, __ATOMIC_RELAXED);
  }
  return found;
}

/* ---- paths ---- */

#define MODULE "/sys/module/amdgpu"
#define STATE  MODULE "/initstate"

static bool is(const char *path, const char *name)
{
  return path && strcmp(path, name) == 0;
}

/* What stands for a path: something of the same kind. */
static const char *path_of(const char *path, char room[PATH_MAX])
{
  if (is(path, MODULE))
    return "/proc/self";
  if (is(path, STATE))
    return "/proc/self/comm";
  return path && path[0] == '/' ? aqshim_path(path, room) : path;
}

/* A file that says that the module is loaded, or -1. */
static int state_open(void)
{
  static const char live[] = "live\n";
  int fd = memfd_create("initstate", MFD_CLOEXEC);
  if (fd >= 0 && (write(fd, live, sizeof live - 1) != sizeof live - 1 ||
                  lseek(fd, 0, SEEK_SET) != 0)) {
    close(fd);
    fd = -1;
  }
  return fd;
}

/* A file of no file system; NOT_OURS: the path is another's. */
enum { NOT_OURS = -2 };

static int special_open(const char *path, int flags)
{
  int fd;
  if (!path || path[0] != '/')
    return NOT_OURS;
  if (is(path, STATE))
    return state_open();
  return aqshim_open(path, flags, &fd) ? fd : NOT_OURS;
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
    char room[PATH_MAX];                                                       \
    mode_t mode = 0;                                                           \
    int special = special_open(path, flags);                                   \
    MODE_READ(flags, mode);                                                    \
    return special != NOT_OURS                                                 \
               ? special                                                       \
               : NEXT(open_function, #name)(path_of(path, room), flags, mode); \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                           \
  EXPORT int name(int folder, const char *path, int flags, ...)                \
  {                                                                            \
    char room[PATH_MAX];                                                       \
    mode_t mode = 0;                                                           \
    int special = special_open(path, flags);                                   \
    MODE_READ(flags, mode);                                                    \
    return special != NOT_OURS                                                 \
               ? special                                                       \
               : NEXT(openat_function, #name)(folder, path_of(path, room),     \
                                              flags, mode);                    \
  }
OPENAT(openat)
OPENAT(openat64)

/* What programs compiled with _FORTIFY_SOURCE call. */
typedef int open_2_function(const char *, int);

#define OPEN_2(name)                                                           \
  EXPORT int name(const char *path, int flags);                                \
  EXPORT int name(const char *path, int flags)                                 \
  {                                                                            \
    char room[PATH_MAX];                                                       \
    int special = special_open(path, flags);                                   \
    return special != NOT_OURS                                                 \
               ? special                                                       \
               : NEXT(open_2_function, #name)(path_of(path, room), flags);     \
  }
OPEN_2(__open_2)
OPEN_2(__open64_2)

typedef FILE *fopen_function(const char *, const char *);

#define FOPEN(name)                                                            \
  EXPORT FILE *name(const char *path, const char *mode)                        \
  {                                                                            \
    char room[PATH_MAX];                                                       \
    int special = special_open(path, O_RDONLY);                                \
    if (special != NOT_OURS)                                                   \
      return special >= 0 ? fdopen(special, "r") : NULL;                       \
    return NEXT(fopen_function, #name)(path_of(path, room), mode);             \
  }
FOPEN(fopen)
FOPEN(fopen64)

typedef int access_function(const char *, int);
typedef int faccessat_function(int, const char *, int, int);

EXPORT int access(const char *path, int mode)
{
  char room[PATH_MAX];
  return NEXT(access_function, "access")(path_of(path, room), mode);
}

EXPORT int faccessat(int folder, const char *path, int mode, int flags)
{
  char room[PATH_MAX];
  return NEXT(faccessat_function, "faccessat")(folder, path_of(path, room),
                                               mode, flags);
}

typedef int stat_function(const char *, void *);

#define STAT(name, type)                                                       \
  EXPORT int name(const char *path, type *out)                                 \
  {                                                                            \
    char room[PATH_MAX];                                                       \
    return NEXT(stat_function, #name)(path_of(path, room), out);               \
  }
STAT(stat, struct stat)
STAT(stat64, struct stat64)
STAT(lstat, struct stat)
STAT(lstat64, struct stat64)

typedef DIR *opendir_function(const char *);
typedef ssize_t readlink_function(const char *, char *, size_t);

EXPORT DIR *opendir(const char *path)
{
  char room[PATH_MAX];
  return NEXT(opendir_function, "opendir")(path_of(path, room));
}

EXPORT ssize_t readlink(const char *path, char *out, size_t size)
{
  char room[PATH_MAX];
  return NEXT(readlink_function, "readlink")(path_of(path, room), out, size);
}

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

/* ---- libraries ---- */

typedef void *dlopen_function(const char *, int);

/* A sibling call: the next one sees this function's caller, and searches the
 * caller's run path. */
__attribute__((optimize("optimize-sibling-calls"))) EXPORT void *
dlopen(const char *name, int mode)
{
  return NEXT(dlopen_function, "dlopen")(aqshim_library(name), mode);
}

/* ---- the end ---- */

EXPORT void (*aqueduct_process_end)(void);

static int exit_code;

static void exit_late(int number)
{
  (void)number;
  syscall(SYS_exit_group, exit_code); /* NOLINT(bugprone-signal-handler) */
}

/* A handler of signals may have interrupted a holder of locks that the end
 * needs: it gets a few seconds. */
static _Noreturn void exit_now(int code)
{
  enum { END_S = 5 };
  void (*end)(void) = __atomic_load_n(&aqueduct_process_end, __ATOMIC_ACQUIRE);
  sigset_t alarms;
  if (end) {
    exit_code = code;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    signal(SIGALRM, exit_late);
    pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
    alarm(END_S);
    end();
  }
  for (;;)
    syscall(SYS_exit_group, code);
}

EXPORT void _exit(int code)
{
  exit_now(code);
}

EXPORT void _Exit(int code)
{
  exit_now(code);
}

/* ---- memory ---- */

#define MMAP(name)                                                             \
  EXPORT void *name(void *address, size_t size, int protection, int flags,     \
                    int fd, off_t offset)                                      \
  {                                                                            \
    return map(address, size, protection, flags, fd, offset);                  \
  }

static void *map(void *address, size_t size, int protection, int flags, int fd,
                 off_t offset)
{
  int file = fd;
  const bool elsewhere = fd >= 0 && aqshim_mapping(fd, size, &file, &offset);
  void *mapped =
      (void *)syscall(SYS_mmap, address, size, protection, flags, file, offset);
  const int error = errno;
  if (elsewhere)
    syscall(SYS_close, file);
  errno = error;
  return mapped;
}

MMAP(mmap)
MMAP(mmap64)

EXPORT int munmap(void *address, size_t size)
{
  aqshim_unmapping(address, size);
  return (int)syscall(SYS_munmap, address, size);
}

/* ---- calls of drivers ---- */

typedef int ioctl_function(int, unsigned long, ...);

EXPORT int ioctl(int fd, unsigned long request, ...)
{
  va_list list;
  va_start(list, request);
  void *argument = va_arg(list, void *);
  va_end(list);
  int result;
  if ((_IOC_TYPE(request) == 'K' || _IOC_TYPE(request) == 'd') &&
      aqshim_ioctl(fd, request, argument, &result))
    return result;
  return NEXT(ioctl_function, "ioctl")(fd, request, argument);
}
