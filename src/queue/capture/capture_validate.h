/* SPDX-License-Identifier: MIT */
/* The rules that the records of a capture have to keep, so that a replay or
 * printer need not look. */
#ifndef AQ_QUEUE_CAPTURE_CAPTURE_VALIDATE_H
#define AQ_QUEUE_CAPTURE_CAPTURE_VALIDATE_H

#include "queue/capture/reader.h"

/* Checks record `number`, whose bytes are all there, against those before it,
 * and enters it into the tables of `file`. AQ_ERR_INPUT names the record. */
aq_status aq_cap_record_check(aq_cap_file *file, uint32_t number,
                              const aq_cap_head *head, aq_diag *diag);

#endif
