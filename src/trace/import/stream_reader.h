/* SPDX-License-Identifier: MIT */
/*
 * A streaming reader of plain, gzip or zstd bytes, told apart by content.
 *
 * Memory is two fixed buffers, whatever the file's size. A UTF-8 byte order
 * mark at the front is dropped; packed files of several members are one stream.
 * Ownership: the name is borrowed; pieces are valid until the next call.
 * Thread rule: one thread at a time per reader.
 */
#ifndef AQ_TRACE_IMPORT_STREAM_READER_H
#define AQ_TRACE_IMPORT_STREAM_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/diag.h"

typedef struct aq_stream_reader aq_stream_reader;

/* Opens a file, or bytes in memory (borrowed) under a name for messages. An
 * empty file is AQ_ERR_INPUT. */
aq_status aq_stream_reader_open(const char *path, aq_stream_reader **out,
                                aq_diag *diag);
aq_status aq_stream_reader_open_bytes(const char *name, const void *bytes,
                                      size_t size, aq_stream_reader **out,
                                      aq_diag *diag);
void aq_stream_reader_close(aq_stream_reader *reader);

const char *aq_stream_reader_name(const aq_stream_reader *reader);

/* The next piece; *size is 0 at the end. A packed stream that stops early or is
 * damaged is AQ_ERR_INPUT, naming the byte of the file. */
aq_status aq_stream_reader_next(aq_stream_reader *reader, const char **bytes,
                                size_t *size, aq_diag *diag);

/* The first piece again, for whoever detects the format before it is read. */
aq_status aq_stream_reader_peek(aq_stream_reader *reader, const char **bytes,
                                size_t *size, aq_diag *diag);

/* Whether the last error was the end of a compressed stream that has not ended;
 * and the bytes that were read of the file. */
bool aq_stream_reader_is_cut(const aq_stream_reader *reader);
uint64_t aq_stream_reader_consumed(const aq_stream_reader *reader);

/* Unpacks a zlib stream of at most `most` bytes; *out is the caller's to free,
 * NULL where the stream is damaged or longer. */
aq_status aq_stream_unpack(const void *bytes, size_t size, size_t most,
                           unsigned char **out, size_t *out_size,
                           aq_diag *diag);

/* Bytes of the file read so far, and its size. */
void aq_stream_reader_progress(const aq_stream_reader *reader, uint64_t *done,
                               uint64_t *total);

#endif
