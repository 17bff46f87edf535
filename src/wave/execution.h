/* SPDX-License-Identifier: MIT */
/* One dispatch: its workgroups and what their waves begin with. Within wave. */
#ifndef AQ_WAVE_EXECUTION_H
#define AQ_WAVE_EXECUTION_H

#include "codeobj/descriptor.h"
#include "wave/program.h"

/* A place for a workgroup. */
typedef struct aq_wave_resident {
  bool occupied;
  aq_wave_group group;
  aq_wave *waves;      /* of the execution's number */
  unsigned char *lds;  /* and all registers and scratch behind it */
  uint32_t *registers; /* of all waves */
  unsigned char *scratch;
} aq_wave_resident;

typedef struct aq_wave_execution {
  aq_execution_desc desc;
  aq_kernel_packet packet;
  aq_wave_program *program; /* borrowed, as the maps */
  aq_wave_maps *maps;
  uint64_t number; /* of the machine's executions */
  aq_kernel_descriptor kernel;
  uint8_t target;           /* AQ_ISA_GFX… */
  uint32_t group_counts[3]; /* workgroups of the grid */
  uint64_t groups, next_group;
  unsigned waves; /* a workgroup */
  uint32_t lds_size, private_size;
  aq_wave_resident *residents;
  unsigned resident_count;
} aq_wave_execution;

/* Reads the kernel's descriptor; at most `residents` workgroups run at once. */
aq_status aq_wave_execution_setup(aq_wave_execution *execution,
                                  unsigned residents, aq_diag *diag);

/* Gives a workgroup of the grid its initial state. False: out of memory. */
bool aq_wave_group_begin(aq_wave_execution *execution,
                         aq_wave_resident *resident, uint64_t number);

/* Whether a workgroup still runs. */
bool aq_wave_execution_is_alive(const aq_wave_execution *execution);

void aq_wave_execution_end(aq_wave_execution *execution);

#endif
