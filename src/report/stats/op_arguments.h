/* SPDX-License-Identifier: MIT */
/*
 * The recorded arguments of an operator, from the JSON that the store has of
 * them. One thread.
 */
#ifndef AQ_REPORT_STATS_OP_ARGUMENTS_H
#define AQ_REPORT_STATS_OP_ARGUMENTS_H

#include "common/diag.h"
#include "common/json_in.h"
#include "report/stats/op_work.h"

enum { AQ_OP_RANKS = 8 };

typedef struct aq_op_input {
  aq_op_type type; /* AQ_TYPE_UNKNOWN: no tensor, or not readable */
  bool tensor;
  bool unreadable; /* a tensor of a type or rank that is not known here */
  bool shaped;     /* `dims` are all of its dimensions, not the first ones */
  int rank;
  int64_t dims[AQ_OP_RANKS];
  const char *value; /* of other inputs; "": not recorded */
} aq_op_input;

/* Texts live as long as it does. */
typedef struct aq_op_arguments {
  aq_json_doc doc;
  aq_op_input *inputs;
  size_t count, capacity;
  bool unreadable;        /* one of the inputs */
  const char *collective; /* "": none */
  aq_op_type collective_type;
  int64_t elements_in, elements_out, group; /* -1: not known */
  const char *group_name, *group_ranks;     /* "": not known */
} aq_op_arguments;

/* AQ_ERR_INPUT: not the JSON of arguments. The caller ends it in any case. */
aq_status aq_op_arguments_read(const char *text, aq_op_arguments *out,
                               aq_diag *diag);
void aq_op_arguments_fini(aq_op_arguments *arguments);

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
