/* SPDX-License-Identifier: MIT */
/* The table's index. Within isa only. */
#ifndef AQ_GPU_ISA_TABLE_H
#define AQ_GPU_ISA_TABLE_H

#include "gpu/isa/isa.h"

/* The decoder's row of an opcode that the encoding can hold, or NULL. */
const aq_isa_row *aq_isa_table_find(const aq_isa_decoder *decoder,
                                    aq_isa_encoding encoding, uint32_t opcode);

#endif
