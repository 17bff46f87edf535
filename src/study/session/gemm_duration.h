/* SPDX-License-Identifier: MIT */
/*
 * The duration of a matrix product on a device, by words: the words of
 * gpu/duration/gemm.h, and "us=120 from=mi300x", a measurement on another
 * device. Pure but for reading device models.
 */
#ifndef AQ_STUDY_SESSION_GEMM_DURATION_H
#define AQ_STUDY_SESSION_GEMM_DURATION_H

#include "gpu/duration/gemm.h"

/* AQ_ERR_INPUT: a word, the model, or a GPU without a table. */
aq_status aq_product_predict(const char *device, const char *const *words,
                             size_t count, aq_predicted *out, aq_diag *diag);

#endif
