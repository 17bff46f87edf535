/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/codeobj/decompress.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

enum { METHOD_ZLIB = 0, METHOD_ZSTD = 1, HEAD_SIZE_MIN = 8 };

/* What stands before the compressed bytes. */
typedef struct packed {
  uint16_t version, method;
  uint64_t file_size; /* with the head; 0: not told (version 1) */
  uint64_t size;      /* when it is unpacked */
  size_t head_size;
} packed;

bool aq_unpack_is(const void *bytes, size_t size)
{
  return size >= HEAD_SIZE_MIN && memcmp(bytes, "CCOB", 4) == 0;
}

static uint64_t number_at(const unsigned char *bytes, size_t at, size_t width)
{
  uint64_t number = 0;
  memcpy(&number, bytes + at, width);
  return number;
}

/* magic 4, version 2, method 2, then file size (from version 2 on) and
 * unpacked size, of 4 bytes, from version 3 on of 8, then a hash of 8. */
static bool head_read(const unsigned char *bytes, size_t size, packed *out)
{
  out->version = (uint16_t)number_at(bytes, 4, 2);
  out->method = (uint16_t)number_at(bytes, 6, 2);
  size_t at = HEAD_SIZE_MIN, width = out->version >= 3 ? 8 : 4;
  out->head_size = at + (out->version >= 2 ? 2 : 1) * width + 8;
  if (out->version < 1 || out->version > 3 || size < out->head_size)
    return false;
  out->file_size = 0;
  if (out->version >= 2) {
    out->file_size = number_at(bytes, at, width);
    at += width;
  }
  out->size = number_at(bytes, at, width);
  return out->file_size == 0 ||
         (out->file_size >= out->head_size && out->file_size <= size);
}

size_t aq_unpack_extent(const void *bytes, size_t size)
{
  packed head;
  return head_read(bytes, size, &head) ? head.file_size : 0;
}

static aq_status damaged(const char *what, const char *method, aq_diag *diag)
{
  return aq_diag_set(diag, AQ_ERR_INPUT, "%s: %s's data are damaged", what,
                     method);
}

static aq_status library_lacks(const char *what, const char *name,
                               aq_diag *diag)
{
  return aq_diag_set(diag, AQ_ERR_UNSUPPORTED, "%s: there is no %s", what,
                     name);
}

/* The drop-in needs no library but C's, so these are loaded when the first
 * compressed bytes come, and stay. NULL: the machine has none. */
static void *function_of(const char *library, const char *name)
{
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  return handle ? dlsym(handle, name) : NULL;
}

static aq_status inflate_zlib(const char *what, const void *from, size_t size,
                              void *to, size_t expected, aq_diag *diag)
{
  static const char library[] = "libz.so.1";
  __typeof__(uncompress) *function;
  *(void **)&function = function_of(library, "uncompress");
  uLongf got = expected;
  if (!function)
    return library_lacks(what, library, diag);
  return function(to, &got, from, size) == Z_OK && got == expected
             ? AQ_OK
             : damaged(what, "zlib", diag);
}

static aq_status inflate_zstd(const char *what, const void *from, size_t size,
                              void *to, size_t expected, aq_diag *diag)
{
#ifdef HAVE_ZSTD
  static const char library[] = "libzstd.so.1";
  __typeof__(ZSTD_decompress) *function;
  __typeof__(ZSTD_isError) *is_error;
  *(void **)&function = function_of(library, "ZSTD_decompress");
  *(void **)&is_error = function_of(library, "ZSTD_isError");
  if (!function || !is_error)
    return library_lacks(what, library, diag);
  const size_t got = function(to, expected, from, size);
  return !is_error(got) && got == expected ? AQ_OK
                                           : damaged(what, "zstd", diag);
#else
  (void)from, (void)size, (void)to, (void)expected;
  return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                     "%s: it needs zstd, which this build was made without",
                     what);
#endif
}

aq_status aq_inflate(aq_compression method, const char *what, const void *from,
                     size_t size, void *to, size_t expected, aq_diag *diag)
{
  return method == AQ_COMPRESSION_ZLIB
             ? inflate_zlib(what, from, size, to, expected, diag)
             : inflate_zstd(what, from, size, to, expected, diag);
}

aq_status aq_unpack(const void *bytes, size_t size, uint64_t max,
                    unsigned char **out, size_t *out_size, aq_diag *diag)
{
  packed head;
  if (!head_read(bytes, size, &head))
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "compressed bundle: its head is damaged; expected "
                       "version 1, 2 or 3");
  if (head.method != METHOD_ZLIB && head.method != METHOD_ZSTD)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "compressed bundle: method %u; expected 0 (zlib) or 1 "
                       "(zstd)",
                       head.method);
  if (head.size > max)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "compressed bundle: %llu bytes when unpacked; at most "
                       "%llu are read",
                       (unsigned long long)head.size, (unsigned long long)max);
  unsigned char *to = malloc(head.size + 1);
  if (!to)
    return aq_diag_no_memory(diag);
  const unsigned char *from = (const unsigned char *)bytes + head.head_size;
  size_t left = (head.file_size ? head.file_size : size) - head.head_size;
  const aq_compression method =
      head.method == METHOD_ZLIB ? AQ_COMPRESSION_ZLIB : AQ_COMPRESSION_ZSTD;
  const aq_status status =
      aq_inflate(method, "compressed bundle", from, left, to, head.size, diag);
  if (status != AQ_OK) {
    free(to);
    return status;
  }
  *out = to;
  *out_size = head.size;
  return AQ_OK;
}
