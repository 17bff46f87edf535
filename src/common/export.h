/* SPDX-License-Identifier: MIT */
/*
 * Visibility and language marks of every public header: AQ_API marks a function
 * or table that libaqueduct exports (all other symbols are hidden); the
 * declarations of a header lie between AQ_BEGIN_DECLS and AQ_END_DECLS, so that
 * C++ includes it too.
 */
#ifndef AQ_COMMON_EXPORT_H
#define AQ_COMMON_EXPORT_H

#if defined(__GNUC__)
#define AQ_API               __attribute__((visibility("default")))
#define AQ_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define AQ_API
#define AQ_PRINTF(fmt, args)
#endif

#ifdef __cplusplus
#define AQ_BEGIN_DECLS                    extern "C" {
#define AQ_END_DECLS                      }
#define AQ_STATIC_ASSERT(condition, text) static_assert(condition, text)
#else
#define AQ_BEGIN_DECLS
#define AQ_END_DECLS
#define AQ_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#endif

#endif
