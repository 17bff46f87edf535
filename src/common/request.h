/* SPDX-License-Identifier: MIT */
/*
 * Requests of clients, as they are kept beside the records of a run: the rows
 * that statistics of scheduling are made of. request.def lists the fields.
 *
 * Rows passed to a sink's put_requests() are borrowed for the call.
 */
#ifndef AQ_COMMON_REQUEST_H
#define AQ_COMMON_REQUEST_H

#include <stdint.h>

#include "export.h"

AQ_BEGIN_DECLS

typedef struct aq_request {
#define F(field, unit, meaning) int64_t field;
#include "request.def"
#undef F
} aq_request;

enum {
#define F(field, unit, meaning) AQ_REQUEST_FIELD_##field,
#include "request.def"
#undef F
  AQ_REQUEST_FIELD_COUNT
};

AQ_STATIC_ASSERT(sizeof(aq_request) == AQ_REQUEST_FIELD_COUNT * sizeof(int64_t),
                 "a request is an array of its fields");

AQ_END_DECLS

#endif
