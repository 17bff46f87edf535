/* SPDX-License-Identifier: MIT */
/*
 * Preloaded by `aqueduct exec --check`: HIP's calls for memory of its pools,
 * which reaches the HSA runtime only when a pool grows. Each makes HIP's own
 * call and reports it to the drop-in.
 *
 * It is loaded into every process of the program, so it touches only these
 * names.
 */
#include "config.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>

#include "common/hsa_sim.h"

#define EXPORT __attribute__((visibility("default")))

typedef uint32_t extension_function(uint16_t, uint16_t, size_t, void *);

static void tell(aq_hsa_pool call)
{
  extension_function *extension = (extension_function *)dlsym(
      RTLD_DEFAULT, "hsa_system_get_major_extension_table");
  aq_hsa_sim sim = {0};
  if (extension &&
      extension(AQ_HSA_EXTENSION_SIM, AQ_HSA_SIM_MAJOR, sizeof sim, &sim) ==
          0 &&
      sim.size >= sizeof sim)
    (void)sim.pool(&call);
}

enum { PATH = 4096 };

/* HIP may have been loaded where only its users see it. The loader's list is
 * locked here: nothing is opened. */
static int library_find(struct dl_phdr_info *info, size_t size, void *user)
{
  (void)size;
  const char *name = info->dlpi_name;
  if (!name || !strstr(name, "libamdhip64.so") || strlen(name) >= PATH)
    return 0;
  memcpy(user, name, strlen(name) + 1);
  return 1;
}

static void *hip_function(const char *name)
{
  char path[PATH];
  void *function = dlsym(RTLD_NEXT, name), *library = NULL;
  if (!function && dl_iterate_phdr(library_find, path))
    library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  if (library) {
    function = dlsym(library, name);
    dlclose(library);
  }
  return function;
}

/* As HIP has them: 0 is success, and 98 hipErrorInvalidDeviceFunction. */
enum { NO_FUNCTION = 98 };

EXPORT int hipMallocAsync(void **out, size_t size, void *stream);
EXPORT int hipMallocAsync(void **out, size_t size, void *stream)
{
  int (*real)(void **, size_t, void *) =
      (int (*)(void **, size_t, void *))hip_function("hipMallocAsync");
  const int result = real ? real(out, size, stream) : NO_FUNCTION;
  if (result == 0)
    tell(
        (aq_hsa_pool){AQ_HSA_POOL_ALLOCATED, *out, size, stream, (void *)real});
  return result;
}

EXPORT int hipMallocFromPoolAsync(void **out, size_t size, void *pool,
                                  void *stream);
EXPORT int hipMallocFromPoolAsync(void **out, size_t size, void *pool,
                                  void *stream)
{
  int (*real)(void **, size_t, void *, void *) = (int (*)(
      void **, size_t, void *, void *))hip_function("hipMallocFromPoolAsync");
  const int result = real ? real(out, size, pool, stream) : NO_FUNCTION;
  if (result == 0)
    tell(
        (aq_hsa_pool){AQ_HSA_POOL_ALLOCATED, *out, size, stream, (void *)real});
  return result;
}

EXPORT int hipFreeAsync(void *base, void *stream);
EXPORT int hipFreeAsync(void *base, void *stream)
{
  int (*real)(void *, void *) =
      (int (*)(void *, void *))hip_function("hipFreeAsync");
  tell((aq_hsa_pool){AQ_HSA_POOL_FREES, base, 0, stream, (void *)real});
  const int result = real ? real(base, stream) : NO_FUNCTION;
  tell((aq_hsa_pool){AQ_HSA_POOL_ENDS, result == 0 ? base : NULL, 0, stream,
                     (void *)real});
  return result;
}

EXPORT int hipFree(void *base);
EXPORT int hipFree(void *base)
{
  int (*real)(void *) = (int (*)(void *))hip_function("hipFree");
  const int result = real ? real(base) : NO_FUNCTION;
  if (result == 0 && base)
    tell((aq_hsa_pool){AQ_HSA_POOL_FREED, base, 0, NULL, (void *)real});
  return result;
}
