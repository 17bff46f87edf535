/* SPDX-License-Identifier: MIT */
/*
 * Machine code of AMD's gfx9 (gfx900, gfx906, gfx908, gfx90a, gfx94x, gfx950)
 * and RDNA (gfx10, gfx11, gfx12, gfx1250).
 * One table of instructions (instructions.def), a decoder from bytes to decoded
 * instructions, and a printer whose text equals llvm-objdump's.
 *
 * A decoder is constant once initialized: any number of threads may share it.
 * Decoded instructions are plain values and point only to the static table.
 */
#ifndef AQ_GPU_ISA_ISA_H
#define AQ_GPU_ISA_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/diag.h"
#include "gpu/codeobj/target.h"

typedef enum aq_isa_encoding {
  AQ_ISA_SOP2,
  AQ_ISA_SOPK,
  AQ_ISA_SOP1,
  AQ_ISA_SOPC,
  AQ_ISA_SOPP,
  AQ_ISA_SMEM,
  AQ_ISA_VOP2,
  AQ_ISA_VOP1,
  AQ_ISA_VOPC,
  AQ_ISA_VOP3, /* opcodes that no shorter encoding has */
  AQ_ISA_VOP3P,
  AQ_ISA_VOP3PX2, /* of 16 bytes: scales, then VOP3P */
  AQ_ISA_VOPD,    /* two instructions: X below 16 and Y */
  AQ_ISA_VOPD3,   /* gfx1250: the same in 12 bytes, with three sources each */
  AQ_ISA_TENSOR,  /* gfx1250: copies between memory and LDS */
  AQ_ISA_DS,
  AQ_ISA_FLAT,
  AQ_ISA_SCRATCH,
  AQ_ISA_GLOBAL,
  AQ_ISA_MUBUF,
  AQ_ISA_MTBUF,
  AQ_ISA_MIMG, /* the last three are of graphics */
  AQ_ISA_EXP,
  AQ_ISA_VINTRP,
  AQ_ISA_ENCODINGS,
} aq_isa_encoding;

/* Targets, one bit each; gfx940, gfx941 and gfx942 are one. */
enum {
  AQ_ISA_GFX900 = 1,
  AQ_ISA_GFX906 = 2,
  AQ_ISA_GFX908 = 4,
  AQ_ISA_GFX90A = 8,
  AQ_ISA_GFX940 = 16,
  AQ_ISA_GFX950 = 32,
  AQ_ISA_FROM_90A = AQ_ISA_GFX90A | AQ_ISA_GFX940 | AQ_ISA_GFX950,
  AQ_ISA_FROM_940 = AQ_ISA_GFX940 | AQ_ISA_GFX950,
  AQ_ISA_GFX1010 = 64, /* and gfx10-1-generic */
  AQ_ISA_GFX1030 = 128,
  AQ_ISA_GFX1100 = 256,
  AQ_ISA_GFX1150 = 512,
  AQ_ISA_GFX1200 = 1024,
  AQ_ISA_GFX1250 = 2048,
  AQ_ISA_GFX10 = AQ_ISA_GFX1010 | AQ_ISA_GFX1030,
  AQ_ISA_GFX11 = AQ_ISA_GFX1100 | AQ_ISA_GFX1150,
  AQ_ISA_GFX12 = AQ_ISA_GFX1200 | AQ_ISA_GFX1250,
  AQ_ISA_FROM_GFX11 = AQ_ISA_GFX11 | AQ_ISA_GFX12,
  AQ_ISA_RDNA = AQ_ISA_GFX10 | AQ_ISA_FROM_GFX11,
  AQ_ISA_IMAGES = AQ_ISA_GFX900 | AQ_ISA_GFX906 | AQ_ISA_GFX908 |
                  AQ_ISA_GFX90A | AQ_ISA_GFX10, /* whose images are decoded */
};

/* Properties of an instruction of the table. */
enum {
  AQ_ISA_CLAMP = 1 << 0, /* VOP3: result modifiers */
  AQ_ISA_OMOD = 1 << 1,
  AQ_ISA_OPSEL = 1 << 2,  /* VOP3: selects halves of its operands */
  AQ_ISA_NO_E64 = 1 << 3, /* no VOP3, SDWA or DPP form of a short encoding */
  AQ_ISA_NO_SDWA = 1 << 4,
  AQ_ISA_NO_DPP = 1 << 5,
  AQ_ISA_PACKED = 1 << 6,    /* VOP3P: two halves, op_sel and neg for each */
  AQ_ISA_MIX = 1 << 7,       /* VOP3P: each operand is f32 or a half */
  AQ_ISA_DOT = 1 << 8,       /* VOP3P: no op_sel */
  AQ_ISA_MATRIX = 1 << 9,    /* MFMA and SMFMAC */
  AQ_ISA_RETURN = 1 << 10,   /* atomics: returns the old value if GLC is set */
  AQ_ISA_OFFSET2 = 1 << 11,  /* DS: two offsets of 8 bits */
  AQ_ISA_GDS = 1 << 12,      /* DS: global data share only */
  AQ_ISA_SWIZZLE = 1 << 13,  /* DS: the offset is a pattern */
  AQ_ISA_TRUTH = 1 << 14,    /* VOP3: `imm` is a table of truth */
  AQ_ISA_NO_GLC = 1 << 15,   /* SMEM */
  AQ_ISA_WHOLE = 1 << 16,    /* SDWA: writes whole registers */
  AQ_ISA_INTERP = 1 << 17,   /* VOP3: source 0 is an attribute */
  AQ_ISA_GATHER = 1 << 18,   /* MIMG: four words whatever the mask says */
  AQ_ISA_NO_DPP64 = 1 << 19, /* no VOP3 form with DPP */
  AQ_ISA_WMMA = 1 << 20,     /* VOP3P: matrices of RDNA */
};

typedef struct aq_isa_row {
  uint8_t encoding; /* aq_isa_encoding */
  uint16_t targets;
  uint16_t opcode;
  uint32_t flags;
  const char *name;
  const char *operands; /* see instructions.def */
} aq_isa_row;

/* Rows of the table; a row's number is stable within a build. */
size_t aq_isa_row_count(void);
const aq_isa_row *aq_isa_row_at(size_t number);

/* Codes of scalar operands below 256, beside SGPRs (0 to 101; RDNA: to 105). M0
 * and NULL have these codes on each target, whatever their encodings. */
enum {
  AQ_ISA_FLAT_SCRATCH = 102,
  AQ_ISA_XNACK_MASK = 104,
  AQ_ISA_VCC = 106,
  AQ_ISA_TTMP0 = 108,
  AQ_ISA_M0 = 124,
  AQ_ISA_NULL = 125, /* RDNA: reads as 0, writes are dropped */
  AQ_ISA_EXEC = 126,
  AQ_ISA_INT_0 = 128, /* 0 to 64, then -1 to -16 */
  AQ_ISA_INT_NEGATIVE = 193,
  AQ_ISA_SCRATCH_BASE = 230, /* gfx1250: low and high word */
  AQ_ISA_SHARED_BASE = 235,  /* base, limit, then of private memory */
  AQ_ISA_POPS = 239,
  AQ_ISA_HALF = 240, /* 0.5 -0.5 1.0 -1.0 2.0 -2.0 4.0 -4.0 1/(2 pi) */
  AQ_ISA_INV_2PI = 248,
  AQ_ISA_VCCZ = 251,
  AQ_ISA_EXECZ = 252,
  AQ_ISA_SCC = 253,
  AQ_ISA_LDS_DIRECT = 254, /* on gfx1250 a literal of two words */
  AQ_ISA_LITERAL = 255,
};

enum { AQ_ISA_NEG = 1, AQ_ISA_ABS = 2, AQ_ISA_SEXT = 4 };

enum { AQ_ISA_BITS_MAX = 1024 };

typedef struct aq_isa_operand {
  char role; /* the letter of instructions.def */
  char file; /* 's' scalar code, 'v' VGPR, 'a' AccVGPR, 0: no register */
  char type; /* 'f' takes neg and abs, else 'b' */
  uint8_t modifiers; /* AQ_ISA_NEG … */
  uint8_t select;    /* SDWA, halves of gfx11: 0-3 byte, 4-5 word, 6 all */
  uint8_t code;      /* the register's number or a scalar code */
  uint8_t bank;      /* VGPRs of gfx1250: 256 of them each */
  uint16_t bits;     /* 16 to AQ_ISA_BITS_MAX; 1632: packed halves */
} aq_isa_operand;

typedef enum aq_isa_form {
  AQ_ISA_E32, /* the encoding's own */
  AQ_ISA_E64, /* VOP3 of a shorter encoding */
  AQ_ISA_SDWA,
  AQ_ISA_DPP,
  AQ_ISA_DPP8,
  AQ_ISA_E64_DPP,
  AQ_ISA_E64_DPP8,
} aq_isa_form;

/* Bits of images, then of exports. */
enum {
  AQ_ISA_UNORM = 1,
  AQ_ISA_A16 = 2,
  AQ_ISA_LWE = 4,
  AQ_ISA_DA = 8,
  AQ_ISA_D16 = 16,
  AQ_ISA_R128 = 32,
  AQ_ISA_DONE = 1,
  AQ_ISA_COMPRESSED = 2,
  AQ_ISA_VALID_MASK = 4,
};

enum { AQ_ISA_OPERANDS = 8, AQ_ISA_PLACES = 9 };

/* How many coordinates an image instruction of RDNA has. */
typedef enum aq_isa_dim {
  AQ_ISA_1D,
  AQ_ISA_2D,
  AQ_ISA_3D,
  AQ_ISA_CUBE,
  AQ_ISA_1D_ARRAY,
  AQ_ISA_2D_ARRAY,
  AQ_ISA_2D_MSAA,
  AQ_ISA_2D_MSAA_ARRAY,
} aq_isa_dim;

typedef struct aq_isa_inst {
  const aq_isa_row *row;
  const aq_isa_row *second; /* VOPD: of Y, or NULL */
  uint32_t words[4];
  uint32_t literal;      /* the second word where an operand is a literal */
  uint32_t literal_high; /* gfx1250: its upper word where it is `wide` */
  bool wide;
  int32_t offset;  /* SMEM, DS (both bytes of OFFSET2), FLAT, buffers */
  uint16_t imm;    /* SOPK, SOPP, TRUTH; an attribute, mask or target */
  uint8_t size;    /* bytes: 4, 8, 12 or 16 */
  uint8_t form;    /* aq_isa_form */
  uint16_t target; /* the decoder's bit */
  bool wave32;     /* masks of lanes are a word */
  uint8_t operand_count;
  uint8_t first_count; /* VOPD: operands of X */
  bool clamp;
  uint8_t omod;
  uint8_t op_sel, op_sel_hi, neg_hi; /* a bit an operand; 3 the destination */
  uint8_t dst_sel, dst_unused;       /* SDWA */
  uint16_t dpp_ctrl;
  uint8_t row_mask, bank_mask;
  bool bound_ctrl;
  bool fetch_inactive; /* DPP of RDNA: reads lanes that are off */
  uint32_t lanes;      /* DPP8: eight numbers of three bits */
  bool glc, slc, scc, dlc, lds, tfe, nv, gds, idxen, offen;
  uint8_t scope, temporal;  /* gfx12: instead of glc and slc */
  bool scaled;              /* gfx1250: the offset counts elements */
  uint8_t cbsz, abid, blgp; /* MATRIX */
  uint8_t format;           /* MTBUF: dfmt in bits 0-3, nfmt above */
  uint8_t graphics;         /* MIMG, EXP: AQ_ISA_UNORM and so on */
  uint8_t dim;              /* MIMG of RDNA: aq_isa_dim */
  uint8_t place_count;      /* and the VGPRs of its address if they are apart */
  uint8_t places[AQ_ISA_PLACES];
  aq_isa_operand operands[AQ_ISA_OPERANDS]; /* in the order of printing */
} aq_isa_inst;

enum { AQ_ISA_INDEX = 4616 };

typedef struct aq_isa_decoder {
  uint16_t target;
  bool wave32; /* RDNA: of wave32 code, which is the default */
  uint16_t bases[AQ_ISA_ENCODINGS]; /* where their opcodes begin in `rows` */
  uint16_t rows[AQ_ISA_INDEX]; /* by encoding and opcode: a row's number + 1 */
} aq_isa_decoder;

/* AQ_ERR_UNSUPPORTED names a processor without a table. */
aq_status aq_isa_decoder_init(aq_isa_decoder *decoder,
                              const aq_processor *processor, aq_diag *diag);

/* Decodes the instruction at `bytes`, reading at most `size` of them.
 * AQ_ERR_INPUT: no instruction of the target begins there, or it is cut off;
 * the diagnosis names its word and `offset`, where the caller found it. */
aq_status aq_isa_decode(const aq_isa_decoder *decoder, const void *bytes,
                        size_t size, uint64_t offset, aq_isa_inst *out,
                        aq_diag *diag);

/* RDNA's instructions of graphics have no rows: which of them begins with
 * `word`, as "an image instruction", or NULL. */
const char *aq_isa_graphics_kind(uint16_t target, uint32_t word);

/* Whether the form is VOP3, DPP, or both. */
static inline bool aq_isa_form_is_e64(uint8_t form)
{
  return form == AQ_ISA_E64 || form >= AQ_ISA_E64_DPP;
}

static inline bool aq_isa_form_is_dpp(uint8_t form)
{
  return form >= AQ_ISA_DPP;
}

/* gfx1250: the banks that VGPRs are in after an s_set_vgpr_msb of `banks`, two
 * bits each for sources 0 to 2 and the destination. */
void aq_isa_banks_set(aq_isa_inst *inst, uint8_t banks);

/* The banks behind an instruction, as compilers have them: none behind one that
 * may not continue at the next. */
uint8_t aq_isa_banks_next(const aq_isa_inst *inst, uint8_t banks);

/* The operand with a role, or NULL. */
const aq_isa_operand *aq_isa_operand_find(const aq_isa_inst *inst, char role);

/* A format of RDNA's buffers as gfx9 parts it: how components lie (1 is 8 bits,
 * 14 four words) and what their numbers mean (0 UNORM to 7 FLOAT). False: the
 * target has no such format. */
bool aq_isa_rdna_format_find(uint8_t format, uint16_t target, unsigned *data,
                             unsigned *number);

enum { AQ_ISA_TEXT_SIZE = 512 };

/* Assembly, as llvm-objdump prints it between tab and comment. */
void aq_isa_print(const aq_isa_inst *inst, char text[AQ_ISA_TEXT_SIZE]);

#endif
