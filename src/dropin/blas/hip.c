/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/blas/hip.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static aqblas_hip hip;
static const char *missing; /* the first function that was not found */

/* A library that was opened with RTLD_LOCAL has HIP in its own scope, which
 * RTLD_DEFAULT includes; a program that opened HIP alone has it nowhere. */
static void *symbol_find(const char *name)
{
  static const char *const files[] = {"libamdhip64.so.7", "libamdhip64.so.6",
                                      "libamdhip64.so.5", "libamdhip64.so"};
  void *found = dlsym(RTLD_DEFAULT, name);
  for (size_t i = 0; !found && i < sizeof files / sizeof *files; i++) {
    void *library = dlopen(files[i], RTLD_NOLOAD | RTLD_LAZY);
    if (library)
      found = dlsym(library, name);
  }
  return found;
}

static void hip_read(void)
{
#define F(name, args)                                                          \
  *(void **)&hip.name = symbol_find(#name);                                    \
  if (!hip.name && !missing)                                                   \
    missing = #name;
  AQBLAS_HIP_FUNCTIONS(F)
#undef F
  if (missing)
    fprintf(stderr, "aqueduct: blas: the program has no HIP runtime: %s\n",
            missing);
}

const aqblas_hip *aqblas_hip_find(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, hip_read);
  return missing ? NULL : &hip;
}
