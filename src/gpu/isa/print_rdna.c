/* SPDX-License-Identifier: MIT */
/* Fields that only RDNA has, or that it encodes in its own way. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "gpu/isa/print_fields.h"

/* ---- named registers and messages ---- */

typedef struct named {
  uint16_t code, targets;
  const char *name;
} named;

static const char *name_find(const named *names, size_t count, unsigned code,
                             uint16_t target)
{
  for (size_t i = 0; i < count; i++)
    if (names[i].code == code && names[i].targets & target)
      return names[i].name;
  return NULL;
}

enum {
  TO_11 = AQ_ISA_GFX10 | AQ_ISA_GFX11,
  GFX10 = AQ_ISA_GFX10,
  GFX11 = AQ_ISA_GFX11,
  GFX12 = AQ_ISA_GFX12,
  FROM_11 = AQ_ISA_FROM_GFX11,
  ALL = AQ_ISA_RDNA,
};

const char *aq_isa_rdna_register_name(unsigned id, uint16_t target)
{
  static const named names[] = {
      {1, GFX12, "HW_REG_WAVE_MODE"},
      {1, TO_11, "HW_REG_MODE"},
      {2, GFX12, "HW_REG_WAVE_STATUS"},
      {2, TO_11, "HW_REG_STATUS"},
      {3, TO_11, "HW_REG_TRAPSTS"},
      {4, GFX12, "HW_REG_WAVE_STATE_PRIV"},
      {5, GFX12, "HW_REG_WAVE_GPR_ALLOC"},
      {5, TO_11, "HW_REG_GPR_ALLOC"},
      {6, GFX12, "HW_REG_WAVE_LDS_ALLOC"},
      {6, TO_11, "HW_REG_LDS_ALLOC"},
      {7, ALL, "HW_REG_IB_STS"},
      {10, GFX12, "HW_REG_PERF_SNAPSHOT_DATA"},
      {11, GFX12, "HW_REG_PERF_SNAPSHOT_PC_LO"},
      {12, GFX12, "HW_REG_PERF_SNAPSHOT_PC_HI"},
      {15, TO_11, "HW_REG_SH_MEM_BASES"},
      {15, GFX12, "HW_REG_PERF_SNAPSHOT_DATA1"},
      {16, GFX10, "HW_REG_TBA_LO"},
      {16, GFX12, "HW_REG_PERF_SNAPSHOT_DATA2"},
      {17, GFX10, "HW_REG_TBA_HI"},
      {17, GFX12, "HW_REG_WAVE_EXCP_FLAG_PRIV"},
      {18, GFX10, "HW_REG_TMA_LO"},
      {18, GFX11, "HW_REG_PERF_SNAPSHOT_PC_LO"},
      {18, GFX12, "HW_REG_WAVE_EXCP_FLAG_USER"},
      {19, GFX10, "HW_REG_TMA_HI"},
      {19, GFX11, "HW_REG_PERF_SNAPSHOT_PC_HI"},
      {19, GFX12, "HW_REG_WAVE_TRAP_CTRL"},
      {20, TO_11, "HW_REG_FLAT_SCR_LO"},
      {20, GFX12, "HW_REG_WAVE_SCRATCH_BASE_LO"},
      {21, TO_11, "HW_REG_FLAT_SCR_HI"},
      {21, GFX12, "HW_REG_WAVE_SCRATCH_BASE_HI"},
      {22, AQ_ISA_GFX1010, "HW_REG_XNACK_MASK"},
      {23, GFX12, "HW_REG_WAVE_HW_ID1"},
      {23, TO_11, "HW_REG_HW_ID1"},
      {24, GFX12, "HW_REG_WAVE_HW_ID2"},
      {24, TO_11, "HW_REG_HW_ID2"},
      {25, GFX10, "HW_REG_POPS_PACKER"},
      {26, GFX12, "HW_REG_WAVE_SCHED_MODE"},
      {27, GFX11, "HW_REG_PERF_SNAPSHOT_DATA"},
      {29, AQ_ISA_GFX1030 | GFX11, "HW_REG_SHADER_CYCLES"},
      {28, AQ_ISA_GFX1250, "HW_REG_IB_STS2"},
      {29, GFX12, "HW_REG_SHADER_CYCLES_LO"},
      {30, GFX12, "HW_REG_SHADER_CYCLES_HI"},
      {31, GFX12, "HW_REG_WAVE_DVGPR_ALLOC_LO"},
      {32, GFX12, "HW_REG_WAVE_DVGPR_ALLOC_HI"},
      {33, AQ_ISA_GFX1250, "HW_REG_XNACK_STATE_PRIV"},
      {34, AQ_ISA_GFX1250, "HW_REG_XNACK_MASK"},
  };
  return name_find(names, sizeof names / sizeof *names, id, target);
}

static const char *message_name(unsigned id, uint16_t target)
{
  static const named names[] = {
      {1, ALL, "MSG_INTERRUPT"},
      {2, GFX10, "MSG_GS"},
      {2, FROM_11, "MSG_HS_TESSFACTOR"},
      {3, GFX10, "MSG_GS_DONE"},
      {3, FROM_11, "MSG_DEALLOC_VGPRS"},
      {4, GFX10, "MSG_SAVEWAVE"},
      {5, TO_11, "MSG_STALL_WAVE_GEN"},
      {6, TO_11, "MSG_HALT_WAVES"},
      {7, GFX10, "MSG_ORDERED_PS_DONE"},
      {8, GFX10, "MSG_EARLY_PRIM_DEALLOC"},
      {9, ALL, "MSG_GS_ALLOC_REQ"},
      {10, AQ_ISA_GFX1250, "MSG_SAVEWAVE_HAS_TDM"},
      {10, GFX10, "MSG_GET_DOORBELL"},
      {11, GFX10, "MSG_GET_DDID"},
      {15, ALL, "MSG_SYSMSG"},
      {128, FROM_11, "MSG_RTN_GET_DOORBELL"},
      {129, FROM_11, "MSG_RTN_GET_DDID"},
      {130, FROM_11, "MSG_RTN_GET_TMA"},
      {131, FROM_11, "MSG_RTN_GET_REALTIME"},
      {132, FROM_11, "MSG_RTN_SAVE_WAVE"},
      {133, FROM_11, "MSG_RTN_GET_TBA"},
      {134, FROM_11, "MSG_RTN_GET_TBA_TO_PC"},
      {135, GFX12, "MSG_RTN_GET_SE_AID_ID"},
      {136, AQ_ISA_GFX1250, "MSG_RTN_GET_CLUSTER_BARRIER_STATE"},
  };
  return name_find(names, sizeof names / sizeof *names, id, target);
}

void aq_isa_rdna_message_print(uint16_t imm, uint16_t target,
                               char text[AQ_ISA_FIELD_SIZE])
{
  enum { GS = 2, GS_DONE = 3, SYSMSG = 15 };
  static const char *const gs[] = {"GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT",
                                   "GS_OP_EMIT_CUT"};
  static const char *const system[8] = {[1] = "SYSMSG_OP_ECC_ERR_INTERRUPT",
                                        [2] = "SYSMSG_OP_REG_RD",
                                        [4] = "SYSMSG_OP_TTRACE_PC"};
  const bool from_11 = target & FROM_11;
  const unsigned id = imm & (from_11 ? 0xff : 15);
  const unsigned op = from_11 ? imm >> 8 : imm >> 4 & 7;
  const unsigned stream = from_11 ? 0 : imm >> 8 & 3;
  const char *name = message_name(id, target);
  const bool stage = !from_11 && (id == GS || id == GS_DONE);
  if (stage && op >= 1 && op <= 3)
    snprintf(text, AQ_ISA_FIELD_SIZE, "sendmsg(%s, %s, %u)", name, gs[op],
             stream);
  else if (!from_11 && id == GS_DONE && op == 0 && stream == 0)
    snprintf(text, AQ_ISA_FIELD_SIZE, "sendmsg(%s, %s)", name, gs[0]);
  else if (!from_11 && id == SYSMSG && system[op] && stream == 0)
    snprintf(text, AQ_ISA_FIELD_SIZE, "sendmsg(%s, %s)", name, system[op]);
  else if (!stage && (id != SYSMSG || from_11) && name && op == 0 &&
           stream == 0)
    snprintf(text, AQ_ISA_FIELD_SIZE, "sendmsg(%s)", name);
  else if (imm & ~(from_11 ? 0xff : 0x37f))
    snprintf(text, AQ_ISA_FIELD_SIZE, "%u", imm);
  else
    snprintf(text, AQ_ISA_FIELD_SIZE, "sendmsg(%u, %u, %u)", id, op, stream);
}

/* ---- waits ---- */

void aq_isa_rdna_waitcnt_print(uint16_t imm, uint16_t target,
                               char text[AQ_ISA_FIELD_SIZE])
{
  enum { VM_MAX = 63, EXP_MAX = 7, LGKM_MAX = 63 };
  const bool is_11 = target & GFX11;
  const unsigned vm = is_11 ? imm >> 10 : (imm & 15u) | (imm >> 14) << 4;
  const unsigned expcnt = (is_11 ? imm : imm >> 4) & 7u;
  const unsigned lgkm = imm >> (is_11 ? 4 : 8) & 63u;
  const bool all = vm == VM_MAX && expcnt == EXP_MAX && lgkm == LGKM_MAX;
  char *at = text;
  *at = 0;
  if (vm != VM_MAX || all)
    at += sprintf(at, "vmcnt(%u)", vm);
  if (expcnt != EXP_MAX || all)
    at += sprintf(at, "%sexpcnt(%u)", at == text ? "" : " ", expcnt);
  if (lgkm != LGKM_MAX || all)
    sprintf(at, "%slgkmcnt(%u)", at == text ? "" : " ", lgkm);
}

void aq_isa_rdna_unit_waits_print(uint16_t imm, uint16_t target,
                                  char text[AQ_ISA_FIELD_SIZE])
{
  static const struct {
    const char *name;
    uint8_t shift, width;
  } units[] = {{"hold_cnt", 7, 1}, {"sa_sdst", 0, 1}, {"va_vdst", 12, 4},
               {"va_sdst", 9, 3},  {"va_ssrc", 8, 1}, {"va_vcc", 1, 1},
               {"vm_vsrc", 2, 3}};
  const size_t first = target & AQ_ISA_GFX1010 ? 1 : 0;
  unsigned used = 0, differ = 0;
  for (size_t i = first; i < sizeof units / sizeof *units; i++) {
    const unsigned mask = (1u << units[i].width) - 1;
    used |= mask << units[i].shift;
    differ += (imm >> units[i].shift & mask) != mask;
  }
  /* Bits of no unit are 0, or this is a number. */
  if (imm & ~used) {
    snprintf(text, AQ_ISA_FIELD_SIZE, "0x%x", imm);
    return;
  }
  char *at = text;
  for (size_t i = first; i < sizeof units / sizeof *units; i++) {
    const unsigned mask = (1u << units[i].width) - 1;
    const unsigned value = imm >> units[i].shift & mask;
    if (value != mask || !differ)
      at += sprintf(at, "%sdepctr_%s(%u)", at == text ? "" : " ", units[i].name,
                    value);
  }
}

void aq_isa_rdna_delay_print(uint16_t imm, char text[AQ_ISA_FIELD_SIZE])
{
  static const char *const ids[16] = {
      "NO_DEP",        "VALU_DEP_1",    "VALU_DEP_2",
      "VALU_DEP_3",    "VALU_DEP_4",    "TRANS32_DEP_1",
      "TRANS32_DEP_2", "TRANS32_DEP_3", "FMA_ACCUM_CYCLE_1",
      "SALU_CYCLE_1",  "SALU_CYCLE_2",  "SALU_CYCLE_3"};
  static const char *const skips[8] = {"SAME",   "NEXT",   "SKIP_1",
                                       "SKIP_2", "SKIP_3", "SKIP_4"};
  const struct {
    const char *field, *name;
  } parts[] = {{imm & 15 ? "instid0" : NULL, ids[imm & 15]},
               {imm >> 4 & 7 ? "instskip" : NULL, skips[imm >> 4 & 7]},
               {imm >> 7 & 15 ? "instid1" : NULL, ids[imm >> 7 & 15]}};
  char *at = text;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (parts[i].field)
      at += sprintf(at, "%s%s(%s)", at == text ? "" : " | ", parts[i].field,
                    parts[i].name ? parts[i].name : "/* invalid */");
  if (at == text)
    sprintf(at, "0");
}

void aq_isa_rdna_version_print(uint16_t imm, char text[AQ_ISA_FIELD_SIZE])
{
  static const char *const versions[] = {[0] = "UC_VERSION_GFX7",
                                         [4] = "UC_VERSION_GFX10",
                                         [6] = "UC_VERSION_GFX11",
                                         [9] = "UC_VERSION_GFX12"};
  static const char *const bits[] = {"UC_VERSION_W64_BIT", "UC_VERSION_W32_BIT",
                                     "UC_VERSION_MDP_BIT"};
  enum { FIRST = 13, KNOWN = 0xe0ff };
  const unsigned version = imm & 0xff;
  const char *name =
      version < sizeof versions / sizeof *versions ? versions[version] : NULL;
  if (imm & ~KNOWN) {
    snprintf(text, AQ_ISA_FIELD_SIZE, "0x%x", imm);
    return;
  }
  /* An expression, whose parentheses end before each operator but the last. */
  const int operators = __builtin_popcount(imm >> FIRST);
  char *at = text;
  if (name)
    at += sprintf(at, "%s", name);
  else
    at +=
        sprintf(at, "%.*s%u", operators > 1 ? operators - 1 : 0, "((", version);
  for (int i = 0, done = 0; i < 3; i++)
    if (imm >> (FIRST + i) & 1) {
      done++;
      at += sprintf(at, "|%s%s", bits[i], !name && done < operators ? ")" : "");
    }
}

/* ---- caches of gfx12 ---- */

static void temporal_print(unsigned hint, unsigned scope, bool store,
                           char text[AQ_ISA_FIELD_SIZE])
{
  enum { BYPASS = 3, RESERVED = 7, SYSTEM = 3 };
  static const char *const names[] = {"",      "NT",    "HT",    "",
                                      "NT_RT", "RT_NT", "NT_HT", "NT_WB"};
  if (!store && hint == RESERVED) {
    snprintf(text, AQ_ISA_FIELD_SIZE, " th:0x%x", hint);
    return;
  }
  const char *name = hint != BYPASS    ? names[hint]
                     : scope == SYSTEM ? "BYPASS"
                     : store           ? "WB"
                                       : "LU";
  snprintf(text, AQ_ISA_FIELD_SIZE, " th:TH_%s_%s", store ? "STORE" : "LOAD",
           name);
}

static void atomic_hint_print(unsigned hint, unsigned scope,
                              char text[AQ_ISA_FIELD_SIZE])
{
  enum { RETURN = 1, NT = 2, CASCADE = 4, DEVICE = 2 };
  const char *name = NULL;
  if (hint & CASCADE)
    name = scope < DEVICE ? NULL : hint & NT ? "CASCADE_NT" : "CASCADE_RT";
  else if (hint & NT)
    name = hint & RETURN ? "NT_RETURN" : "NT";
  else if (hint & RETURN)
    name = "RETURN";
  if (name)
    snprintf(text, AQ_ISA_FIELD_SIZE, " th:TH_ATOMIC_%s", name);
  else
    snprintf(text, AQ_ISA_FIELD_SIZE, " th:TH_ATOMIC_0x%x", hint);
}

void aq_isa_rdna_cache_print(const aq_isa_inst *inst,
                             char text[AQ_ISA_FIELD_SIZE])
{
  static const char *const scopes[] = {"", " scope:SCOPE_SE",
                                       " scope:SCOPE_DEV", " scope:SCOPE_SYS"};
  const char *name = inst->row->name;
  *text = 0;
  if (inst->temporal && strstr(name, "_atomic_"))
    atomic_hint_print(inst->temporal, inst->scope, text);
  else if (inst->temporal)
    temporal_print(inst->temporal, inst->scope,
                   strstr(name, "_store_") || strstr(name, "tensor_s"), text);
  strcat(text, scopes[inst->scope]);
}

/* ---- formats ---- */

enum { NUMBERS = 7, NUMBER_FLOAT = 6 };

static const struct {
  const char *data;
  uint8_t to_10, from_11; /* a bit for each number that there is */
} formats[] = {{"8", 0x3f, 0x3f},          {"16", 0x7f, 0x7f},
               {"8_8", 0x3f, 0x3f},        {"32", 0x70, 0x70},
               {"16_16", 0x7f, 0x7f},      {"10_11_11", 0x7f, 0x40},
               {"11_11_10", 0x7f, 0x40},   {"10_10_10_2", 0x3f, 0x33},
               {"2_10_10_10", 0x3f, 0x3f}, {"8_8_8_8", 0x3f, 0x3f},
               {"32_32", 0x70, 0x70},      {"16_16_16_16", 0x7f, 0x7f},
               {"32_32_32", 0x70, 0x70},   {"32_32_32_32", 0x70, 0x70}};

/* Formats are numbered from 1 on, in the order of data and numbers. */
bool aq_isa_rdna_format_find(uint8_t format, uint16_t target, unsigned *data,
                             unsigned *number)
{
  enum { GFX9_FLOAT = 7 };
  unsigned left = format;
  for (unsigned d = 0; left && d < sizeof formats / sizeof *formats; d++)
    for (unsigned n = 0; n < NUMBERS; n++)
      if ((target & FROM_11 ? formats[d].from_11 : formats[d].to_10) >> n & 1 &&
          --left == 0) {
        *data = d + 1;
        *number = n == NUMBER_FLOAT ? GFX9_FLOAT : n;
        return true;
      }
  return false;
}

bool aq_isa_rdna_format_print(uint8_t format, uint16_t target,
                              char text[AQ_ISA_FIELD_SIZE])
{
  enum { FORMAT_DEFAULT = 1 };
  static const char *const numbers[] = {"UNORM", "SNORM", "USCALED", "SSCALED",
                                        "UINT",  "SINT",  NULL,      "FLOAT"};
  unsigned data, number;
  if (format == FORMAT_DEFAULT)
    return false;
  if (format == 0)
    snprintf(text, AQ_ISA_FIELD_SIZE, "[BUF_FMT_INVALID]");
  else if (aq_isa_rdna_format_find(format, target, &data, &number))
    snprintf(text, AQ_ISA_FIELD_SIZE, "[BUF_FMT_%s_%s]", formats[data - 1].data,
             numbers[number]);
  else
    snprintf(text, AQ_ISA_FIELD_SIZE, "%u", format);
  return true;
}

/* ---- lanes ---- */

bool aq_isa_rdna_dpp_print(uint16_t ctrl, char text[AQ_ISA_FIELD_SIZE])
{
  enum { SHARE = 0x150, XMASK = 0x160, END = 0x170 };
  if (ctrl < SHARE || ctrl >= END)
    return false;
  snprintf(text, AQ_ISA_FIELD_SIZE, "row_%s:%d",
           ctrl < XMASK ? "share" : "xmask", ctrl & 15);
  return true;
}
