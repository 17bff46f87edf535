/* SPDX-License-Identifier: MIT */
/*
 * Arguments of a kernel as `launch` takes them:
 *   TYPE:VALUE               a number, "i32:5"
 *   buf:TYPE[N][=FILL]       a buffer that goes in
 *   out:TYPE[N][:FILE][=FILL]  a buffer whose contents are printed afterwards,
 *                            and written to FILE
 * TYPE is one of i8 u8 i16 u16 i32 u32 i64 u64 f32 f64; FILL is a number, iota
 * (0, 1, 2, ...), or @FILE: the bytes of a file, little endian, of which there
 * are as many as the buffer has, or N is left out. 0 without.
 */
#ifndef AQ_STUDY_LAUNCH_ARGS_H
#define AQ_STUDY_LAUNCH_ARGS_H

#include "common/json_out.h"
#include "common/transport.h"
#include "gpu/codeobj/codeobj.h"
#include "study/launch/launch.h"

typedef struct aq_launch_arg {
  const char *text; /* as it was given; borrowed */
  uint32_t type;    /* of a table of its own */
  bool is_buffer, is_out;
  uint64_t count;   /* elements of a buffer, 0: as the file has; else 1 */
  char fill[32];    /* "iota", a number, or the value */
  const char *from; /* file that fills it, of `text`, or NULL */
  const char *to;   /* file that it is written to, of `text`, or NULL */
  int to_length;    /* bytes of `to` */
  void *memory;     /* of a buffer, once it is made */
} aq_launch_arg;

/* Reads one. AQ_ERR_INPUT names it and the expected form. */
aq_status aq_launch_arg_read(const char *text, aq_launch_arg *out,
                             aq_diag *diag);

/* Writes an out buffer to its file, if it has one. AQ_ERR_IO names it. */
aq_status aq_launch_arg_write(const aq_launch_arg *arg, aq_diag *diag);

/* Makes the buffers and the kernarg segment of a launch, and fills both; the
 * runtime's arguments (grid, workgroup, group segment) too. AQ_ERR_INPUT where
 * the kernel wants others. The transport owns all memory. */
aq_status aq_launch_args_place(aq_transport *t, const aq_code_kernel *kernel,
                               aq_launch *launch, aq_launch_arg *args,
                               size_t count, aq_diag *diag);

/* A buffer of the same type and size that is filled as `fill` says: a number,
 * "iota" or "@FILE". Its memory is the caller's to free(). */
aq_status aq_launch_arg_like(const aq_launch_arg *arg, const char *fill,
                             aq_launch_arg *out, aq_diag *diag);

/* Whether element `i` of `a` is farther from that of `b` than the tolerance,
 * which is relative where `b` is above 1. Two NaNs are alike. */
bool aq_launch_arg_differs(const aq_launch_arg *a, const aq_launch_arg *b,
                           uint64_t i, double tolerance);

/* Reads "X[,Y[,Z]]", each from 1 to `most`; 1 for a size that is left out, all
 * 0 for NULL. AQ_ERR_INPUT names the option. */
aq_status aq_launch_sizes_read(const char *option, const char *text,
                               uint32_t most, uint32_t out[3], aq_diag *diag);

/* An element as text. */
enum { AQ_LAUNCH_ELEMENT_SIZE = 32 };
void aq_launch_arg_element(const aq_launch_arg *arg, uint64_t i,
                           char out[static AQ_LAUNCH_ELEMENT_SIZE]);

/* Prints an out buffer, at most `most` elements. */
void aq_launch_arg_print(const aq_launch_arg *arg, uint64_t most, FILE *out);
void aq_launch_arg_json(const aq_launch_arg *arg, uint64_t most,
                        aq_json_out *json);

#endif
