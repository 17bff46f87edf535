/* SPDX-License-Identifier: MIT */
/*
 * AQ_HOST_LEVEL: for which level of x86-64 a file of handlers is compiled: 3
 * has AVX2, FMA and F16C, 4 has AVX-512 as well; 0 elsewhere.
 *
 * A file whose pragma chooses the target defines its level first. The
 * compiler's own __AVX2__ does not exist behind the pragma in preprocessed text
 * (gcc -E), by which ccache finds objects: it would miss changes of what
 * depends on it. clang ignores such a pragma: there only its own macros count.
 */
#ifndef AQ_GPU_WAVE_CORE_HOST_LEVEL_H
#define AQ_GPU_WAVE_CORE_HOST_LEVEL_H

#if defined(__clang__)
#undef AQ_HOST_LEVEL
#endif

#if defined(AQ_HOST_LEVEL)
#elif defined(__AVX512F__)
#define AQ_HOST_LEVEL 4
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define AQ_HOST_LEVEL 3
#else
#define AQ_HOST_LEVEL 0
#endif

#endif
