/* SPDX-License-Identifier: MIT */
/*
 * Preloaded by `aqueduct exec`: a program that looks for the kernel module or
 * opens /dev/kfd before it calls HSA finds both. /dev/kfd is /dev/null here.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* The next definition of a function behind this one. */
#define NEXT(type, name) ((type *)next_of(name))

static void *next_of(const char *name)
{
  return dlsym(RTLD_NEXT, name);
}

static const char *path_of(const char *path)
{
  return path && strcmp(path, "/dev/kfd") == 0 ? "/dev/null" : path;
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
    MODE_READ(flags, mode);                                                    \
    return NEXT(open_function, #name)(path_of(path), flags, mode);             \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                           \
  EXPORT int name(int folder, const char *path, int flags, ...)                \
  {                                                                            \
    mode_t mode = 0;                                                           \
    MODE_READ(flags, mode);                                                    \
    return NEXT(openat_function, #name)(folder, path_of(path), flags, mode);   \
  }
OPENAT(openat)
OPENAT(openat64)

typedef FILE *fopen_function(const char *, const char *);

EXPORT FILE *fopen(const char *path, const char *mode)
{
  return NEXT(fopen_function, "fopen")(path_of(path), mode);
}

EXPORT FILE *fopen64(const char *path, const char *mode)
{
  return NEXT(fopen_function, "fopen64")(path_of(path), mode);
}

typedef int access_function(const char *, int);

EXPORT int access(const char *path, int mode)
{
  return NEXT(access_function, "access")(path_of(path), mode);
}

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
