/* SPDX-License-Identifier: MIT */
/* All handlers, by the names of their instructions. */
#include "config.h"

#include "gpu/wave/core/execution_state.h"
#include "gpu/wave/core/observe.h"
#include "gpu/wave/core/wave.h"
#include "gpu/wave/matrix/matrix.h"

typedef struct host_level {
  const char *name;
  const aq_wave_semantics *vector, *access, *small, *packed, *division,
      *functions, *matrix;
  aq_wave_access_info_lanes *touch;
} host_level;

static const host_level levels[] = {
    {"base", aq_wave_vector_base, aq_wave_access_base, aq_wave_small_base,
     aq_wave_packed_base, aq_wave_division_base, aq_wave_functions_base,
     aq_wave_matrix_base, aq_wave_access_info_base},
#if defined(__x86_64__) && !defined(AQ_BASE_HOST_LEVEL)
    {"x86-64-v3", aq_wave_vector_v3, aq_wave_access_v3, aq_wave_small_v3,
     aq_wave_packed_v3, aq_wave_division_v3, aq_wave_functions_v3,
     aq_wave_matrix_v3, aq_wave_access_info_v3},
    {"x86-64-v4", aq_wave_vector_v4, aq_wave_access_v4, aq_wave_small_v4,
     aq_wave_packed_v4, aq_wave_division_v4, aq_wave_functions_v4,
     aq_wave_matrix_v4, aq_wave_access_info_v4},
#endif
};

unsigned aq_wave_level_count(void)
{
#if defined(__x86_64__) && !defined(AQ_BASE_HOST_LEVEL)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
      !__builtin_cpu_supports("bmi2"))
    return 1;
  if (!__builtin_cpu_supports("avx512f") ||
      !__builtin_cpu_supports("avx512bw") ||
      !__builtin_cpu_supports("avx512dq") ||
      !__builtin_cpu_supports("avx512vl"))
    return 2;
#endif
  return sizeof levels / sizeof *levels;
}

const char *aq_wave_level_name(unsigned level)
{
  return levels[level].name;
}

aq_wave_access_info_lanes *aq_wave_access_info_best(void)
{
  return levels[aq_wave_level_count() - 1].touch;
}

static aq_wave_handler *list_find(const aq_wave_semantics *list,
                                  const char *name)
{
  for (; list->name; list++)
    if (strcmp(list->name, name) == 0)
      return list->run;
  return NULL;
}

aq_wave_handler *aq_wave_handler_named(unsigned level, const char *name)
{
  const aq_wave_semantics *lists[] = {
      levels[level].vector, levels[level].access,   levels[level].small,
      levels[level].packed, levels[level].division, levels[level].functions,
      aq_wave_scalar,       aq_wave_smem,           aq_wave_control,
      aq_wave_memory,       aq_wave_shared,         aq_wave_cross,
      aq_wave_packed,       aq_wave_special,        aq_wave_division,
      aq_wave_half,         aq_wave_short,          aq_wave_rare,
      aq_wave_shared_lanes, aq_wave_typed,          aq_wave_direct,
      levels[level].matrix, aq_wave_convert,        aq_wave_gws_semantics,
      aq_wave_rdna,         aq_wave_scalar_float,   aq_wave_wmma,
      aq_wave_images,       aq_wave_samples};
  aq_wave_handler *run = NULL;
  for (size_t i = 0; !run && i < sizeof lists / sizeof *lists; i++)
    run = list_find(lists[i], name);
  const char *same = aq_wave_name_of(name);
  return run || same == name ? run : aq_wave_handler_named(level, same);
}
