/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "wave/program.h"

#include <stdlib.h>
#include <string.h>

#include "wave/instructions.h"

enum { LANES = AQ_WAVE_LANES };

const aq_wave_instruction *
aq_wave_instruction_find(const aq_wave_instruction *table, size_t count,
                         const char *name)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(table[i].name, name) == 0)
      return &table[i];
  return NULL;
}

/* ---- constants ---- */

/* A constant's value at an operand's width: a float's bits, or an integer,
 * extended by its sign. */
static uint64_t constant_value(const aq_isa_inst *inst,
                               const aq_isa_operand *operand)
{
  static const uint16_t halves[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
                                    0xc000, 0x4400, 0xc400, 0x3118};
  static const uint32_t singles[] = {0x3f000000, 0xbf000000, 0x3f800000,
                                     0xbf800000, 0x40000000, 0xc0000000,
                                     0x40800000, 0xc0800000, 0x3e22f983};
  static const uint64_t doubles[] = {
      0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
      0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
      0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};
  const unsigned code = operand->code;
  if (code == AQ_ISA_LITERAL)
    return operand->bits == 64
               ? (operand->type == 'f'
                      ? (uint64_t)inst->literal << 32
                      : (uint64_t)(int64_t)(int32_t)inst->literal)
               : inst->literal;
  if (code < AQ_ISA_INT_NEGATIVE)
    return code - AQ_ISA_INT_0;
  if (code < AQ_ISA_SHARED_BASE)
    return (uint64_t)((int64_t)AQ_ISA_INT_NEGATIVE - 1 - (int64_t)code);
  if (code < AQ_ISA_POPS) {
    static const uint32_t apertures[] = {
        AQ_WAVE_SHARED_APERTURE, AQ_WAVE_SHARED_APERTURE,
        AQ_WAVE_PRIVATE_APERTURE, AQ_WAVE_PRIVATE_APERTURE};
    const unsigned number = code - AQ_ISA_SHARED_BASE;
    return (uint64_t)apertures[number] << 32 | (number & 1 ? ~0u : 0);
  }
  const unsigned number = code - AQ_ISA_HALF;
  return operand->bits == 64   ? doubles[number]
         : operand->bits == 32 ? singles[number]
                               : halves[number];
}

/* The width that a constant has in packed instructions: of their elements. */
static uint16_t constant_bits(const aq_isa_inst *inst,
                              const aq_isa_operand *operand)
{
  const uint16_t flags = inst->row->flags;
  if (flags & AQ_ISA_MIX)
    return inst->op_sel_hi >> (operand->role - 'A') & 1 ? 16 : 32;
  if (flags & AQ_ISA_PACKED)
    return operand->bits == 64 || strncmp(inst->row->name, "v_pk_", 5) != 0
               ? 32
               : 16;
  return operand->bits;
}

static bool is_constant(unsigned code)
{
  return (code >= AQ_ISA_INT_0 && code < AQ_ISA_POPS) ||
         (code >= AQ_ISA_HALF && code <= AQ_ISA_INV_2PI) ||
         code == AQ_ISA_LITERAL;
}

/* ---- operands ---- */

static unsigned operand_rows(const aq_isa_operand *operand)
{
  return operand->bits == 1632 || operand->bits <= 32 ? 1 : operand->bits / 32;
}

/* AccVGPRs follow the VGPRs: `accs` says where. */
static unsigned vector_number(const aq_isa_operand *operand)
{
  enum { ACC_BASE = 256 };
  return operand->code + (operand->file == 'a' ? ACC_BASE : 0);
}

/* False: out of memory, or a special register that is no source here. */
static bool source_make(aq_wave_page *page, const aq_isa_inst *inst,
                        const aq_isa_operand *operand, aq_wave_source *out)
{
  *out = (aq_wave_source){.rows = (uint8_t)operand_rows(operand)};
  if (operand->role != 'K' && operand->file != 's') {
    out->kind = operand->file ? AQ_WAVE_VGPR : AQ_WAVE_NONE;
    out->number = (uint16_t)vector_number(operand);
    return true;
  }
  if (operand->role != 'K' && !is_constant(operand->code)) {
    out->kind = AQ_WAVE_SGPR;
    out->number = operand->code;
    return operand->code < AQ_ISA_INT_0 || operand->code == AQ_ISA_SCC;
  }
  aq_isa_operand literal = *operand;
  if (operand->role == 'K')
    literal.code = AQ_ISA_LITERAL;
  const bool repeats = literal.bits == 64 && constant_bits(inst, operand) == 32;
  literal.bits = constant_bits(inst, operand);
  out->kind = AQ_WAVE_CONSTANT;
  out->value = constant_value(inst, &literal);
  out->constant = aq_arena_alloc(&page->arena, out->rows * LANES * 4u + 64);
  if (!out->constant)
    return false;
  out->constant =
      (uint32_t *)(((uintptr_t)out->constant + 63) & ~(uintptr_t)63);
  for (unsigned r = 0; r < out->rows; r++)
    for (unsigned i = 0; i < LANES; i++)
      out->constant[r * LANES + i] =
          (uint32_t)(out->value >> (repeats ? 0 : 32 * r));
  return true;
}

/* Where a role of the instruction set goes in an op. */
static aq_wave_source *source_of(aq_wave_op *op, char role)
{
  const uint8_t encoding = op->inst->row->encoding;
  const bool flat = encoding == AQ_ISA_FLAT || encoding == AQ_ISA_GLOBAL ||
                    encoding == AQ_ISA_SCRATCH;
  switch (role) {
  case 'A':
    return &op->a;
  case 'B':
    return flat ? &op->c : &op->b;
  case 'S':
    return flat ? &op->b : NULL;
  case 'C':
    return &op->c;
  case 'K': /* madak adds it, madmk multiplies by it */
    return strstr(op->inst->row->name, "mk") ? &op->b : &op->c;
  default:
    return NULL;
  }
}

static bool operands_make(aq_wave_page *page, aq_wave_op *op)
{
  const aq_isa_inst *inst = op->inst;
  const bool multiplied =
      strstr(inst->row->name, "madmk") || strstr(inst->row->name, "fmamk");
  for (unsigned i = 0; i < inst->operand_count; i++) {
    const aq_isa_operand *operand = &inst->operands[i];
    if (operand->role == 'D' && operand->file == 's') {
      op->dst = op->sdst = operand->code;
      continue;
    }
    if (operand->role == 'D') {
      op->dst = (uint16_t)vector_number(operand);
      op->dst_rows = (uint8_t)operand_rows(operand);
      continue;
    }
    if (operand->role == 'E') {
      op->sdst = operand->code;
      continue;
    }
    aq_wave_source *source = source_of(op, operand->role);
    if (multiplied && operand->role == 'B')
      source = &op->c;
    if (source && !source_make(page, inst, operand, source))
      return false;
  }
  return true;
}

/* Instructions that add to their destination read it as third source. */
static void accumulator_make(aq_wave_op *op)
{
  const char *name = op->inst->row->name;
  if (strncmp(name, "v_fmac_", 7) != 0 && strncmp(name, "v_mac_", 6) != 0)
    return;
  op->c = (aq_wave_source){
      .kind = AQ_WAVE_VGPR, .rows = op->dst_rows, .number = op->dst};
}

static uint8_t result_float_bits(const char *name)
{
  const size_t length = strlen(name);
  static const char *const converted[] = {"v_cvt_f16_", "v_cvt_f32_",
                                          "v_cvt_f64_"};
  static const uint8_t bits[] = {16, 32, 64};
  for (unsigned i = 0; i < 3; i++)
    if (strncmp(name, converted[i], strlen(converted[i])) == 0)
      return bits[i];
  if (strncmp(name, "v_cvt_", 6) == 0 || strstr(name, "_exp_i") || length < 4)
    return 0;
  return strcmp(name + length - 4, "_f32") == 0   ? 32
         : strcmp(name + length - 4, "_f64") == 0 ? 64
         : strcmp(name + length - 4, "_f16") == 0 ? 16
                                                  : 0;
}

static bool is_plain(const aq_isa_inst *inst)
{
  for (unsigned i = 0; i < inst->operand_count; i++)
    if (inst->operands[i].modifiers)
      return false;
  return inst->form != AQ_ISA_SDWA && inst->form != AQ_ISA_DPP &&
         !inst->clamp && !inst->omod && !inst->op_sel;
}

/* ---- functions ---- */

static void vector_bind(const aq_wave_program *program, aq_wave_op *op)
{
  const char *name = op->inst->row->name;
  char compared[32];
  op->float_bits = result_float_bits(name);
  op->plain = is_plain(op->inst);
  const aq_wave_instruction *cross = aq_wave_cross_find(name);
  if (cross) {
    op->execute = cross->execute;
    return;
  }
  if (op->inst->clamp && !op->float_bits)
    return; /* saturating integers */
  if (strncmp(name, "v_cmpx_", 7) == 0 && strlen(name) < sizeof compared) {
    op->compare_exec = true;
    strcpy(compared, "v_cmp_");
    strcat(compared, name + 7);
    name = compared;
  }
  if (strcmp(name, "v_accvgpr_mov_b32") == 0)
    name = "v_mov_b32";
  const aq_wave_value_row *row = aq_wave_values_find(program->values, name);
  if (!row)
    return;
  op->value = row->value;
  op->mask = row->mask;
  op->execute = row->value ? aq_wave_value_execute : aq_wave_mask_execute;
}

/* Saturation is of half and single floats only, and not executed. */
static void packed_bind(const aq_wave_program *program, aq_wave_op *op)
{
  const char *name = op->inst->row->name;
  const bool moves = strncmp(name, "v_accvgpr_", 10) == 0;
  const aq_wave_instruction *found =
      op->inst->clamp ? NULL : aq_wave_packed_find(name);
  op->plain = true;
  if (found)
    op->execute = found->execute;
  else if (moves) {
    op->value = aq_wave_values_find(program->values, "v_mov_b32")->value;
    op->execute = aq_wave_value_execute;
  }
}

static void function_bind(const aq_wave_program *program, aq_wave_op *op)
{
  switch (op->inst->row->encoding) {
  case AQ_ISA_VOP1:
  case AQ_ISA_VOP2:
  case AQ_ISA_VOPC:
  case AQ_ISA_VOP3:
    vector_bind(program, op);
    break;
  case AQ_ISA_VOP3P:
    packed_bind(program, op);
    break;
  case AQ_ISA_DS:
    op->execute = aq_wave_lds_find(op);
    break;
  case AQ_ISA_FLAT:
  case AQ_ISA_GLOBAL:
  case AQ_ISA_SCRATCH:
  case AQ_ISA_MUBUF:
  case AQ_ISA_MTBUF:
    op->execute = aq_wave_memory_find(op);
    break;
  default: {
    const aq_wave_instruction *found = aq_wave_scalar_find(op->inst->row->name);
    op->execute = found ? found->execute : NULL;
  }
  }
}

static bool instruction_acts(const char *name)
{
  static const char *const idle[] = {"s_waitcnt", "s_nop", "v_nop"};
  for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
    if (strcmp(name, idle[i]) == 0)
      return false;
  return true;
}

aq_status aq_wave_program_decode(aq_wave_program *program, aq_wave_page *page,
                                 uint64_t pc, const aq_wave_op **out,
                                 aq_diag *diag)
{
  const size_t offset = (size_t)(pc - page->address);
  aq_isa_inst *inst = aq_arena_alloc(&page->arena, sizeof *inst);
  aq_wave_op *op = aq_arena_alloc(&page->arena, sizeof *op);
  if (!inst || !op)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "no memory for decoded code");
  aq_status status = aq_isa_decode(&program->decoder, page->bytes + offset,
                                   sizeof page->bytes - offset, pc, inst, diag);
  if (status)
    return status;
  op->inst = inst;
  op->size = inst->size;
  op->acts = instruction_acts(inst->row->name);
  const bool valid = operands_make(page, op);
  accumulator_make(op);
  if (valid)
    function_bind(program, op);
  if (!op->execute) {
    char text[AQ_ISA_TEXT_SIZE];
    aq_isa_print(inst, text);
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED, "'%s' is not executed", text);
  }
  page->ops[offset / 4] = op;
  *out = op;
  return AQ_OK;
}

/* ---- pages ---- */

aq_status aq_wave_program_init(aq_wave_program *program,
                               const aq_processor *processor, aq_diag *diag)
{
  aq_isa_decoder decoder;
  aq_status status = aq_isa_decoder_init(&decoder, processor, diag);
  if (status)
    return status;
  *program =
      (aq_wave_program){.decoder = decoder, .values = aq_wave_values_choose()};
  return AQ_OK;
}

void aq_wave_program_fini(aq_wave_program *program)
{
  for (size_t i = 0; i < AQ_WAVE_PAGE_BUCKETS; i++)
    for (aq_wave_page *page = program->buckets[i], *next; page; page = next) {
      next = page->next;
      aq_arena_fini(&page->arena);
      free(page);
    }
}

static void page_check(aq_wave_page *page, size_t size)
{
  const void *memory = (const void *)(uintptr_t)page->address;
  if (memcmp(page->bytes, memory, size) == 0)
    return;
  aq_arena_reset(&page->arena);
  memset(page->ops, 0, sizeof page->ops);
  memset(page->bytes, 0xff, sizeof page->bytes); /* no instruction */
  memcpy(page->bytes, memory, size);
}

aq_wave_page *aq_wave_program_page(aq_wave_program *program, uint64_t address,
                                   uint64_t execution, size_t size)
{
  const uint64_t start = address & ~(uint64_t)(AQ_WAVE_PAGE_BYTES - 1);
  aq_wave_page **bucket =
      &program->buckets[start / AQ_WAVE_PAGE_BYTES % AQ_WAVE_PAGE_BUCKETS];
  aq_wave_page *page = *bucket;
  while (page && page->address != start)
    page = page->next;
  if (!page) {
    page = calloc(1, sizeof *page);
    if (!page)
      return NULL;
    page->address = start;
    page->next = *bucket;
    *bucket = page;
  }
  if (page->execution != execution)
    page_check(page, size);
  page->execution = execution;
  return page;
}
