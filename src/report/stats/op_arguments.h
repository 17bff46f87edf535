/* SPDX-License-Identifier: MIT */
/*
 * The recorded arguments of an operator, from the JSON that the store has of
 * them. Pure but for memory; one thread.
 */
#ifndef AQ_REPORT_STATS_OP_ARGUMENTS_H
#define AQ_REPORT_STATS_OP_ARGUMENTS_H

#include "report/stats/op_work.h"

enum { AQ_OP_INPUTS = 16, AQ_OP_RANKS = 8 };

typedef struct aq_op_input {
  aq_op_type type; /* AQ_TYPE_UNKNOWN: no tensor */
  bool tensor;
  int rank;
  int64_t dims[AQ_OP_RANKS];
  char value[64]; /* of other inputs; "": not recorded */
} aq_op_input;

typedef struct aq_op_arguments {
  size_t count; /* of inputs, the first ones */
  aq_op_input inputs[AQ_OP_INPUTS];
  char collective[32]; /* "": none */
  aq_op_type collective_type;
  int64_t elements_in, elements_out, group; /* -1: not known */
} aq_op_arguments;

/* False: not the JSON of arguments, or no memory. */
bool aq_op_arguments_read(const char *text, aq_op_arguments *out);

/* Elements of an input; 1 of a tensor without dimensions. */
double aq_op_elements(const aq_op_input *input);

/* Bytes of an element; 0 of an unknown type. */
extern const double aq_op_type_bytes[AQ_TYPE_COUNT];

/* Bytes of an input; 0 of an unknown type. */
double aq_op_bytes(const aq_op_input *input);

/* Integers of a value "[1, 2]" or "3"; how many there are, `max` at most. */
int aq_op_integers(const aq_op_input *input, int64_t *out, int max);

/* Whether a value is True. */
bool aq_op_is_true(const aq_op_input *input);

#endif
