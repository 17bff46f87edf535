/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/duration/kernel_class.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/duration/rccl_name.h"

/* Parts of the time, in percent: likely, least, most. */
typedef struct part {
  int likely, least, most;
} part;

static const struct {
  const char *name;
  part compute, memory;
} families[AQ_FAMILY_COUNT] = {
#define F(id, name, compute, least, most, memory, memory_least, memory_most)   \
  [AQ_FAMILY_##id] = {                                                         \
      name, {compute, least, most}, {memory, memory_least, memory_most}},
#include "gpu/duration/families.def"
#undef F
};

static const struct {
  const char *text;
  aq_family family;
} patterns[] = {
#define P(text, family) {text, AQ_FAMILY_##family},
#include "gpu/duration/patterns.def"
#undef P
};

/* Inductor joins the names of the operators that a kernel computes, or whose
 * results it reads: none of its kernels is a collective. */
static bool is_of_inductor(const char *kernel)
{
  return strncmp(kernel, "triton_", 7) == 0 && strstr(kernel, "_fused_");
}

aq_family aq_family_find(const char *kernel)
{
  if (!kernel)
    return AQ_FAMILY_UNKNOWN;
  if (aq_kernel_is_of_rccl(kernel))
    return AQ_FAMILY_COLLECTIVE;
  const bool computes = is_of_inductor(kernel);
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
    if (!(computes && patterns[i].family == AQ_FAMILY_COLLECTIVE) &&
        strcasestr(kernel, patterns[i].text))
      return patterns[i].family;
  return AQ_FAMILY_UNKNOWN;
}

/* Room for the id, or false. */
static bool memo_grow(aq_family_memo *memo, int64_t id)
{
  if ((uint64_t)id < memo->size)
    return true;
  const size_t size = 2 * (size_t)id + 64;
  uint8_t *grown =
      id < INT32_MAX ? realloc(memo->families, size * sizeof *grown) : NULL;
  if (!grown)
    return false;
  memset(grown + memo->size, 0, size - memo->size);
  memo->families = grown;
  memo->size = size;
  return true;
}

aq_family aq_family_recall(aq_family_memo *memo, int64_t id, const char *name)
{
  if (id < 0 || !memo_grow(memo, id))
    return aq_family_find(name);
  if (memo->families[id] == 0)
    memo->families[id] = (uint8_t)(1 + aq_family_find(name));
  return (aq_family)(memo->families[id] - 1);
}

void aq_family_memo_fini(aq_family_memo *memo)
{
  free(memo->families);
}

const char *aq_family_name(aq_family family)
{
  return families[family].name;
}

/* The time after a change, as a part of the time before. */
static double scaled(double compute, double memory, double clock,
                     double bandwidth)
{
  return 1 + compute * (1 / clock - 1) + memory * (1 / bandwidth - 1);
}

/* Its least or most over all parts within their bounds that make up at most the
 * whole. It is linear, so it lies at a corner. */
static double scaled_end(const part *compute, const part *memory, double clock,
                         double bandwidth, aq_end end)
{
  const int computes[] = {compute->least, compute->most, 100 - memory->least,
                          100 - memory->most};
  double best = -1;
  for (int i = 0; i < 12; i++) {
    const int c = computes[i / 3];
    const int memories[] = {memory->least, memory->most, 100 - c};
    const int m = memories[i % 3];
    if (c < compute->least || c > compute->most || m < memory->least ||
        m > memory->most || c + m > 100)
      continue;
    const double at = scaled(c / 100.0, m / 100.0, clock, bandwidth);
    if (best < 0 || (end == AQ_END_MOST ? at > best : at < best))
      best = at;
  }
  return best;
}

aq_time aq_family_scale(aq_family family, aq_time measured, double clock,
                        double bandwidth, aq_end end)
{
  const part *compute = &families[family].compute;
  const part *memory = &families[family].memory;
  const double factor =
      end == AQ_END_MIDDLE ? scaled(compute->likely / 100.0,
                                    memory->likely / 100.0, clock, bandwidth)
                           : scaled_end(compute, memory, clock, bandwidth, end);
  return (aq_time)llround((double)measured * factor);
}
