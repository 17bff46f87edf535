/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/inspect/counters.h"

#include <string.h>

#include "common/record.h"

const aq_code_counter_text aq_code_counters[AQ_CODE_COUNTER_COUNT] = {
#define C(id, name, unit, meaning)                                             \
  [AQ_CODE_COUNTER_##id] = {name, unit, meaning},
#include "gpu/inspect/counters.def"
#undef C
};

static bool begins(const char *text, const char *with)
{
  return strncmp(text, with, strlen(with)) == 0;
}

static aq_code_counter branch_counter(const char *text)
{
  return begins(text, "s_endpgm") ? AQ_CODE_COUNTER_WAVES
         : begins(text, "s_branch") || begins(text, "s_cbranch")
             ? AQ_CODE_COUNTER_BRANCH
             : AQ_CODE_COUNTER_SALU;
}

static void vmem_add(const char *text, int64_t issued, int64_t *out)
{
  out[AQ_CODE_COUNTER_VMEM] += issued;
  if (begins(text, "flat_"))
    out[AQ_CODE_COUNTER_FLAT] += issued;
  if (strstr(text, "_load_"))
    out[AQ_CODE_COUNTER_LOADS] += issued;
  else if (strstr(text, "_store_"))
    out[AQ_CODE_COUNTER_STORES] += issued;
  else if (strstr(text, "_atomic_"))
    out[AQ_CODE_COUNTER_ATOMICS] += issued;
}

static void class_add(const aq_profile_line *line, int64_t *out)
{
  const int64_t issued = line->row->issued;
  switch (line->class) {
  case AQ_ISA_CLASS_MATRIX:
    out[AQ_CODE_COUNTER_MFMA] += issued;
    out[AQ_CODE_COUNTER_VALU] += issued;
    break;
  case AQ_ISA_CLASS_VALU:
    out[AQ_CODE_COUNTER_VALU] += issued;
    break;
  case AQ_ISA_CLASS_SALU:
    out[AQ_CODE_COUNTER_SALU] += issued;
    break;
  case AQ_ISA_CLASS_BRANCH:
    out[branch_counter(line->text)] += issued;
    if (begins(line->text, "s_endpgm"))
      out[AQ_CODE_COUNTER_SENDMSG] += issued;
    break;
  case AQ_ISA_CLASS_WAIT:
    out[begins(line->text, "s_barrier") ? AQ_CODE_COUNTER_BARRIERS
                                        : AQ_CODE_COUNTER_WAITS] += issued;
    break;
  case AQ_ISA_CLASS_MESSAGE:
    if (begins(line->text, "s_sendmsg"))
      out[AQ_CODE_COUNTER_SENDMSG] += issued;
    break;
  case AQ_ISA_CLASS_SMEM:
    out[AQ_CODE_COUNTER_SMEM] += issued;
    break;
  case AQ_ISA_CLASS_VMEM:
  case AQ_ISA_CLASS_SCRATCH:
    vmem_add(line->text, issued, out);
    break;
  case AQ_ISA_CLASS_LDS:
    out[AQ_CODE_COUNTER_LDS] += issued;
    break;
  case AQ_ISA_CLASS_COUNT:
    break;
  }
}

static int64_t known(int64_t value)
{
  return value == AQ_NONE ? 0 : value;
}

void aq_code_counters_sum(const aq_profile_kernel *kernel,
                          int64_t out[AQ_CODE_COUNTER_COUNT])
{
  const aq_profile_sum *all = &kernel->all;
  memset(out, 0, AQ_CODE_COUNTER_COUNT * sizeof *out);
  for (size_t i = 0; i < kernel->line_count; i++)
    class_add(&kernel->lines[i], out);
  out[AQ_CODE_COUNTER_ISSUED] = all->issued;
  out[AQ_CODE_COUNTER_LANES] = known(all->lanes);
  out[AQ_CODE_COUNTER_BYTES] = known(all->bytes);
  out[AQ_CODE_COUNTER_SEGMENTS] = known(all->segments);
  out[AQ_CODE_COUNTER_SEGMENTS_LEAST] = known(all->segments_least);
  out[AQ_CODE_COUNTER_BANKS] = known(all->bank_cycles);
  out[AQ_CODE_COUNTER_CONFLICTS] =
      known(all->bank_cycles) - known(all->bank_cycles_least);
}
