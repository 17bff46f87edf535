/* SPDX-License-Identifier: MIT */
/* Texts of fields that are no registers. Within isa only. Pure functions. */
#ifndef AQ_GPU_ISA_PRINT_FIELDS_H
#define AQ_GPU_ISA_PRINT_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/isa/isa.h"

enum { AQ_ISA_FIELD_SIZE = 160 };

void aq_isa_hwreg_print(uint16_t imm, uint16_t target,
                        char text[AQ_ISA_FIELD_SIZE]);
void aq_isa_waitcnt_print(uint16_t imm, char text[AQ_ISA_FIELD_SIZE]);
void aq_isa_message_print(uint16_t imm, char text[AQ_ISA_FIELD_SIZE]);
void aq_isa_index_mode_print(uint16_t imm, char text[AQ_ISA_FIELD_SIZE]);
void aq_isa_dpp_print(uint16_t ctrl, char text[AQ_ISA_FIELD_SIZE]);
void aq_isa_swizzle_print(uint32_t offset, char text[AQ_ISA_FIELD_SIZE]);

/* False for the format that is not printed. */
bool aq_isa_format_print(uint8_t format, char text[AQ_ISA_FIELD_SIZE]);

/* Of graphics: "attr1.x", "p10", "mrt0". */
void aq_isa_attribute_print(uint16_t imm, char text[AQ_ISA_FIELD_SIZE]);
void aq_isa_parameter_print(uint8_t code, char text[AQ_ISA_FIELD_SIZE]);
void aq_isa_target_print(uint16_t imm, char text[AQ_ISA_FIELD_SIZE]);

/* ---- RDNA's (print_rdna.c) ---- */

/* A hardware register's name, or NULL. */
const char *aq_isa_rdna_register_name(unsigned id, uint16_t target);

void aq_isa_rdna_message_print(uint16_t imm, uint16_t target,
                               char text[AQ_ISA_FIELD_SIZE]);
void aq_isa_rdna_waitcnt_print(uint16_t imm, uint16_t target,
                               char text[AQ_ISA_FIELD_SIZE]);
void aq_isa_rdna_unit_waits_print(uint16_t imm, uint16_t target,
                                  char text[AQ_ISA_FIELD_SIZE]);
void aq_isa_rdna_version_print(uint16_t imm, char text[AQ_ISA_FIELD_SIZE]);
void aq_isa_rdna_delay_print(uint16_t imm, char text[AQ_ISA_FIELD_SIZE]);

/* Temporal hint and scope. */
void aq_isa_rdna_cache_print(const aq_isa_inst *inst,
                             char text[AQ_ISA_FIELD_SIZE]);

/* False for the format that is not printed. */
bool aq_isa_rdna_format_print(uint8_t format, uint16_t target,
                              char text[AQ_ISA_FIELD_SIZE]);

/* Types, scales and reuse of a matrix instruction of gfx1250. */
enum { AQ_ISA_MATRIX_SIZE = 320 };
void aq_isa_gfx1250_matrix_print(const aq_isa_inst *inst,
                                 char text[AQ_ISA_MATRIX_SIZE]);

/* False: gfx9 has the control, too. */
bool aq_isa_rdna_dpp_print(uint16_t ctrl, char text[AQ_ISA_FIELD_SIZE]);

#endif
