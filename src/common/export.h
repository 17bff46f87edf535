/* SPDX-License-Identifier: MIT */
/* AQ_API marks what libaqueduct exports; everything else stays hidden. */
#ifndef AQ_COMMON_EXPORT_H
#define AQ_COMMON_EXPORT_H

#if defined(__GNUC__)
#define AQ_API               __attribute__((visibility("default")))
#define AQ_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define AQ_API
#define AQ_PRINTF(fmt, args)
#endif

#endif
