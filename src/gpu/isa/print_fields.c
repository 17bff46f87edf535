/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/isa/print_fields.h"

#include <stdio.h>
#include <string.h>

#include "gpu/isa/isa.h"

void aq_isa_hwreg_print(uint16_t imm, uint16_t target,
                        char text[AQ_ISA_FIELD_SIZE])
{
  static const char *const names[] = {
      [1] = "HW_REG_MODE",
      [2] = "HW_REG_STATUS",
      [3] = "HW_REG_TRAPSTS",
      [4] = "HW_REG_HW_ID",
      [5] = "HW_REG_GPR_ALLOC",
      [6] = "HW_REG_LDS_ALLOC",
      [7] = "HW_REG_IB_STS",
      [15] = "HW_REG_SH_MEM_BASES",
      [16] = "HW_REG_TBA_LO",
      [17] = "HW_REG_TBA_HI",
      [18] = "HW_REG_TMA_LO",
      [19] = "HW_REG_TMA_HI",
      [20] = "HW_REG_XCC_ID", /* from gfx940 on, as the next ones */
      [21] = "HW_REG_SQ_PERF_SNAPSHOT_DATA",
      [22] = "HW_REG_SQ_PERF_SNAPSHOT_DATA1",
      [23] = "HW_REG_SQ_PERF_SNAPSHOT_PC_LO",
      [24] = "HW_REG_SQ_PERF_SNAPSHOT_PC_HI",
  };
  const unsigned id = imm & 63, offset = imm >> 6 & 31, width = (imm >> 11) + 1;
  const bool named = id < sizeof names / sizeof *names &&
                     (id < 20 || target & AQ_ISA_FROM_940);
  const char *name = target & AQ_ISA_RDNA
                         ? aq_isa_rdna_register_name(id, target)
                     : named ? names[id]
                             : NULL;
  int used = name ? snprintf(text, AQ_ISA_FIELD_SIZE, "hwreg(%s", name)
                  : snprintf(text, AQ_ISA_FIELD_SIZE, "hwreg(%u", id);
  if (offset == 0 && width == 32)
    snprintf(text + used, AQ_ISA_FIELD_SIZE - (size_t)used, ")");
  else
    snprintf(text + used, AQ_ISA_FIELD_SIZE - (size_t)used, ", %u, %u)", offset,
             width);
}

void aq_isa_waitcnt_print(uint16_t imm, char text[AQ_ISA_FIELD_SIZE])
{
  enum { VM_MAX = 63, EXP_MAX = 7, LGKM_MAX = 15 };
  const unsigned vm = (imm & 15u) | (imm >> 14) << 4, expcnt = imm >> 4 & 7u,
                 lgkm = imm >> 8 & 15u;
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

void aq_isa_message_print(uint16_t imm, char text[AQ_ISA_FIELD_SIZE])
{
  enum { GS = 2, GS_DONE = 3, SYSMSG = 15 };
  static const char *const names[16] = {
      [1] = "MSG_INTERRUPT",       [GS] = "MSG_GS",
      [GS_DONE] = "MSG_GS_DONE",   [4] = "MSG_SAVEWAVE",
      [5] = "MSG_STALL_WAVE_GEN",  [6] = "MSG_HALT_WAVES",
      [7] = "MSG_ORDERED_PS_DONE", [8] = "MSG_EARLY_PRIM_DEALLOC",
      [9] = "MSG_GS_ALLOC_REQ",    [10] = "MSG_GET_DOORBELL",
      [SYSMSG] = "MSG_SYSMSG",
  };
  static const char *const gs[] = {"GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT",
                                   "GS_OP_EMIT_CUT"};
  static const char *const system[8] = {[1] = "SYSMSG_OP_ECC_ERR_INTERRUPT",
                                        [2] = "SYSMSG_OP_REG_RD",
                                        [4] = "SYSMSG_OP_TTRACE_PC"};
  const unsigned id = imm & 15, op = imm >> 4 & 7, stream = imm >> 8 & 3;
  if ((id == GS || id == GS_DONE) && op >= 1 && op <= 3)
    snprintf(text, AQ_ISA_FIELD_SIZE, "sendmsg(%s, %s, %u)", names[id], gs[op],
             stream);
  else if (id == GS_DONE && op == 0 && stream == 0)
    snprintf(text, AQ_ISA_FIELD_SIZE, "sendmsg(%s, %s)", names[id], gs[0]);
  else if (id == SYSMSG && system[op] && stream == 0)
    snprintf(text, AQ_ISA_FIELD_SIZE, "sendmsg(%s, %s)", names[id], system[op]);
  else if (id != GS && id != GS_DONE && id != SYSMSG && names[id] && op == 0 &&
           stream == 0)
    snprintf(text, AQ_ISA_FIELD_SIZE, "sendmsg(%s)", names[id]);
  else if (imm & ~0x37f)
    snprintf(text, AQ_ISA_FIELD_SIZE, "%u", imm);
  else
    snprintf(text, AQ_ISA_FIELD_SIZE, "sendmsg(%u, %u, %u)", id, op, stream);
}

void aq_isa_index_mode_print(uint16_t imm, char text[AQ_ISA_FIELD_SIZE])
{
  static const char *const names[] = {"SRC0", "SRC1", "SRC2", "DST"};
  if (imm > 15) {
    snprintf(text, AQ_ISA_FIELD_SIZE, "0x%x", imm);
    return;
  }
  char *at = text + sprintf(text, "gpr_idx(");
  for (unsigned i = 0; i < 4; i++)
    if (imm >> i & 1)
      at += sprintf(at, "%s%s", at[-1] == '(' ? "" : ",", names[i]);
  sprintf(at, ")");
}

void aq_isa_dpp_print(uint16_t ctrl, char text[AQ_ISA_FIELD_SIZE])
{
  static const struct {
    uint16_t ctrl;
    const char *text;
  } names[] = {
      {0x130, "wave_shl:1"},   {0x134, "wave_rol:1"},
      {0x138, "wave_shr:1"},   {0x13c, "wave_ror:1"},
      {0x140, "row_mirror"},   {0x141, "row_half_mirror"},
      {0x142, "row_bcast:15"}, {0x143, "row_bcast:31"},
  };
  static const char *const shifts[4] = {"row_shl", "row_shr", "row_ror"};
  if (ctrl < 0x100) {
    snprintf(text, AQ_ISA_FIELD_SIZE, "quad_perm:[%d,%d,%d,%d]", ctrl & 3,
             ctrl >> 2 & 3, ctrl >> 4 & 3, ctrl >> 6);
    return;
  }
  if (ctrl < 0x130 || ctrl >= 0x150) {
    const char *name =
        ctrl < 0x130 ? shifts[(ctrl - 0x100) >> 4 & 3] : "row_newbcast";
    snprintf(text, AQ_ISA_FIELD_SIZE, "%s:%d", name, ctrl & 15);
    return;
  }
  *text = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].ctrl == ctrl)
      snprintf(text, AQ_ISA_FIELD_SIZE, "%s", names[i].text);
}

static void bitmask_print(unsigned and_mask, unsigned or_mask,
                          unsigned xor_mask, char text[AQ_ISA_FIELD_SIZE])
{
  enum { LANES = 31 };
  if (and_mask == LANES && or_mask == 0 && xor_mask &&
      (xor_mask & (xor_mask - 1)) == 0) {
    snprintf(text, AQ_ISA_FIELD_SIZE, "swizzle(SWAP,%u)", xor_mask);
    return;
  }
  if (and_mask == LANES && or_mask == 0 && xor_mask &&
      (xor_mask & (xor_mask + 1)) == 0) {
    snprintf(text, AQ_ISA_FIELD_SIZE, "swizzle(REVERSE,%u)", xor_mask + 1);
    return;
  }
  const unsigned group = LANES - and_mask + 1;
  if (group > 1 && (group & (group - 1)) == 0 && or_mask < group &&
      xor_mask == 0) {
    snprintf(text, AQ_ISA_FIELD_SIZE, "swizzle(BROADCAST,%u,%u)", group,
             or_mask);
    return;
  }
  char *at = text + sprintf(text, "swizzle(BITMASK_PERM,\"");
  for (int i = 4; i >= 0; i--) {
    /* What becomes of the bit if it is 0, and if it is 1. */
    const unsigned zero = ((or_mask ^ xor_mask) >> i) & 1u;
    const unsigned one = (((and_mask | or_mask) ^ xor_mask) >> i) & 1u;
    *at++ = (char)(zero == one ? (zero ? '1' : '0') : zero ? 'i' : 'p');
  }
  sprintf(at, "\")");
}

void aq_isa_swizzle_print(uint32_t offset, char text[AQ_ISA_FIELD_SIZE])
{
  enum { QUAD_PERM = 0x8000, ROTATE = 0xc000, FFT = 0xe000 };
  if (offset >= FFT)
    snprintf(text, AQ_ISA_FIELD_SIZE, "swizzle(FFT,%u)", offset & 31);
  else if (offset >= ROTATE)
    snprintf(text, AQ_ISA_FIELD_SIZE, "swizzle(ROTATE,%u,%u)", offset >> 10 & 1,
             offset >> 5 & 31);
  else if ((offset & ~0xffu) == QUAD_PERM)
    snprintf(text, AQ_ISA_FIELD_SIZE, "swizzle(QUAD_PERM,%u,%u,%u,%u)",
             offset & 3, offset >> 2 & 3, offset >> 4 & 3, offset >> 6 & 3);
  else if (offset & QUAD_PERM)
    snprintf(text, AQ_ISA_FIELD_SIZE, "%u", offset);
  else
    bitmask_print(offset & 31, offset >> 5 & 31, offset >> 10 & 31, text);
}

bool aq_isa_format_print(uint8_t format, char text[AQ_ISA_FIELD_SIZE])
{
  enum { FORMAT_DEFAULT = 1 };
  static const char *const data[] = {
      "INVALID",     "8",          "16",          "8_8",
      "32",          "16_16",      "10_11_11",    "11_11_10",
      "10_10_10_2",  "2_10_10_10", "8_8_8_8",     "32_32",
      "16_16_16_16", "32_32_32",   "32_32_32_32", "RESERVED_15"};
  static const char *const number[] = {"UNORM",      "SNORM", "USCALED",
                                       "SSCALED",    "UINT",  "SINT",
                                       "RESERVED_6", "FLOAT"};
  const unsigned d = format & 15, n = format >> 4;
  if (format == FORMAT_DEFAULT)
    return false;
  if (n == 0)
    snprintf(text, AQ_ISA_FIELD_SIZE, "[BUF_DATA_FORMAT_%s]", data[d]);
  else if (d == FORMAT_DEFAULT)
    snprintf(text, AQ_ISA_FIELD_SIZE, "[BUF_NUM_FORMAT_%s]", number[n]);
  else
    snprintf(text, AQ_ISA_FIELD_SIZE, "[BUF_DATA_FORMAT_%s,BUF_NUM_FORMAT_%s]",
             data[d], number[n]);
  return true;
}

void aq_isa_attribute_print(uint16_t imm, char text[AQ_ISA_FIELD_SIZE])
{
  snprintf(text, AQ_ISA_FIELD_SIZE, "attr%d.%c", imm & 63,
           "xyzw"[imm >> 6 & 3]);
}

void aq_isa_parameter_print(uint8_t code, char text[AQ_ISA_FIELD_SIZE])
{
  static const char *const names[] = {"p10", "p20", "p0"};
  if (code < sizeof names / sizeof *names)
    snprintf(text, AQ_ISA_FIELD_SIZE, "%s", names[code]);
  else
    snprintf(text, AQ_ISA_FIELD_SIZE, "invalid_param_%u", code);
}

void aq_isa_target_print(uint16_t imm, char text[AQ_ISA_FIELD_SIZE])
{
  enum { DEPTH = 8, NOTHING = 9, POSITION = 12, PARAMETER = 32 };
  if (imm < DEPTH)
    snprintf(text, AQ_ISA_FIELD_SIZE, "mrt%u", imm);
  else if (imm == DEPTH || imm == NOTHING)
    snprintf(text, AQ_ISA_FIELD_SIZE, imm == DEPTH ? "mrtz" : "null");
  else if (imm >= POSITION && imm < POSITION + 4)
    snprintf(text, AQ_ISA_FIELD_SIZE, "pos%d", imm - POSITION);
  else if (imm >= PARAMETER)
    snprintf(text, AQ_ISA_FIELD_SIZE, "param%d", imm - PARAMETER);
  else
    snprintf(text, AQ_ISA_FIELD_SIZE, "invalid_target_%u", imm);
}
