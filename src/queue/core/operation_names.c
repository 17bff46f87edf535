/* SPDX-License-Identifier: MIT */
/* The words for operations and for the rules that their waits met. */
#include "config.h"

#include "queue/operations.h"

const char *aq_operation_name(aq_operation operation)
{
  static const char *const names[AQ_OPERATION_COUNT] = {
#define OP(NAME, name) [AQ_OPERATION_##NAME] = (name),
#include "queue/operations.def"
#undef OP
  };
  return (unsigned)operation < AQ_OPERATION_COUNT ? names[operation] : NULL;
}

static const char *const rule_names[AQ_WAIT_RULES] = {
    [AQ_WAIT_COMPLETE] = "0",   [AQ_WAIT_SAME_QUEUE] = "1a",
    [AQ_WAIT_DOMINATED] = "1b", [AQ_WAIT_ALL_DOMINATED] = "1c",
    [AQ_WAIT_ONE_EDGE] = "2a",  [AQ_WAIT_MANY_EDGES] = "2b",
    [AQ_WAIT_DEFERRED] = "3",
};

const char *aq_wait_rule_name(aq_wait_rule rule)
{
  return (unsigned)rule < AQ_WAIT_RULES ? rule_names[rule] : NULL;
}
