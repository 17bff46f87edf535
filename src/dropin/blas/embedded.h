/* SPDX-License-Identifier: MIT */
/* The objects of the kernels, in one offload bundle: made by embed.sh. */
#ifndef AQ_DROPIN_BLAS_EMBEDDED_H
#define AQ_DROPIN_BLAS_EMBEDDED_H

extern const unsigned char aqblas_bundle[];

#endif
