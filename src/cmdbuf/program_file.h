/* SPDX-License-Identifier: MIT */
/*
 * Programs in files: doc/formats/program.md.
 *
 * A file is a header, the tables, and the blocks as they are, from a page on;
 * mapped back it is used in place. Kernels are kept by name and buffers by the
 * size that they need at least; a link gives them addresses.
 *
 * Reading validates: its result can be linked, replayed and printed
 * whatever the file was. A mapped file must not be changed while it is used.
 * Thread rule: an open program is read-only.
 */
#ifndef AQ_CMDBUF_PROGRAM_FILE_H
#define AQ_CMDBUF_PROGRAM_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "cmdbuf/program.h"
#include "common/diag.h"
#include "common/export.h"

AQ_BEGIN_DECLS

enum {
  AQ_PROGRAM_MAGIC = 0x47505141, /* "AQPG", little endian */
  AQ_PROGRAM_VERSION = 2,        /* of header and tables */
  AQ_PROGRAM_PAGE = 4096,        /* bytes: the blocks start at a multiple */
};

typedef struct aq_program_header {
  uint32_t magic;
  uint16_t version;
  uint16_t header_size;
  uint32_t flags;
  uint32_t block_size, block_count;
  uint32_t kernel_count, slot_count, static_count;
  uint32_t names_size; /* bytes of the names of the kernels, each ended by 0 */
  uint32_t kernarg_max;
  uint64_t commands, packets, kernarg_size; /* sums of the blocks */
} aq_program_header;

AQ_STATIC_ASSERT(sizeof(aq_program_header) == 64, "a file header is 64 bytes");
AQ_STATIC_ASSERT(offsetof(aq_program_header, commands) == 40, "commands at 40");

typedef struct aq_program_file aq_program_file;

/* Writes a program; the file is there only when all of it is. */
AQ_API aq_status aq_program_save(const aq_program *program, const char *path,
                                 aq_diag *diag);

/* The same to a stream that is at its start; false: it could not be written. */
AQ_API bool aq_program_write(const aq_program *program, FILE *file);

/* Maps a file. The program in `out` lives until the file is closed. */
AQ_API aq_status aq_program_open(const char *path, aq_program_file **file,
                                 aq_program *out, aq_diag *diag);

/* The same from memory, aligned to 64 bytes, borrowed until it is closed.
 * `name` stands for it in diagnostics. */
AQ_API aq_status aq_program_parse(const char *name, const void *bytes,
                                  size_t size, aq_program_file **file,
                                  aq_program *out, aq_diag *diag);
AQ_API void aq_program_close(aq_program_file *file);

AQ_END_DECLS

#endif
