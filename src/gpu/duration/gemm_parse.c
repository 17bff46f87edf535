/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/duration/gemm.h"

enum { SIZE_MAX_READ = 1 << 24 };

static const char *const type_names[] = {
#define T(name, bytes, x, y) #name,
    AQ_GEMM_TYPES(T)
#undef T
};

static const char *const library_names[] = {
#define L(name, x, y) #name,
    AQ_GEMM_LIBRARIES(L)
#undef L
};

static bool size_read(const char *text, const char *end, int64_t *out)
{
  char *rest;
  if (*text < '0' || *text > '9')
    return false;
  errno = 0;
  *out = strtoll(text, &rest, 10);
  return errno == 0 && rest == end && *out >= 1 && *out <= SIZE_MAX_READ;
}

static bool tile_read(const char *text, aq_gemm *out)
{
  const char *mark = strchr(text, 'x');
  return mark && size_read(text, mark, &out->tile_m) &&
         size_read(mark + 1, text + strlen(text), &out->tile_n) &&
         out->tile_m >= 8 && out->tile_n >= 8;
}

static bool name_read(const char *text, const char *const *names, int count,
                      int *out)
{
  for (int i = 0; i < count; i++)
    if (strcmp(names[i], text) == 0) {
      *out = i;
      return true;
    }
  return false;
}

/* Words that were read, a bit each. */
enum { GOT_M = 1, GOT_N = 2, GOT_K = 4, GOT_TYPE = 8, GOT_ALL = 15 };

static bool word_read(const char *word, aq_gemm *g, int *got)
{
  const char *value = strchr(word, '=');
  const size_t length = value ? (size_t)(value - word) : 0;
  int index;
  if (!value)
    return false;
  value++;
  const char *end = value + strlen(value);
#define IS(key) (length == strlen(key) && memcmp(word, key, length) == 0)
  if (IS("m"))
    return *got |= GOT_M, size_read(value, end, &g->m);
  if (IS("n"))
    return *got |= GOT_N, size_read(value, end, &g->n);
  if (IS("k"))
    return *got |= GOT_K, size_read(value, end, &g->k);
  if (IS("splits"))
    return size_read(value, end, &g->splits);
  if (IS("tile"))
    return tile_read(value, g);
  if (IS("shuffled"))
    return (g->shuffled = strcmp(value, "yes") == 0) ||
           strcmp(value, "no") == 0;
  if (IS("type") && name_read(value, type_names, AQ_GEMM_TYPE_COUNT, &index))
    return *got |= GOT_TYPE, g->type = (aq_gemm_type)index, true;
  if (IS("library") &&
      name_read(value, library_names, AQ_GEMM_LIBRARY_COUNT, &index))
    return g->library = (aq_gemm_library)index, true;
#undef IS
  return false;
}

aq_status aq_gemm_read(const char *const *words, size_t count, aq_gemm *out,
                       aq_diag *diag)
{
  aq_gemm read = {.splits = 1, .library = AQ_GEMM_LIBRARY_ck};
  int got = 0;
  for (size_t i = 0; i < count; i++)
    if (!word_read(words[i], &read, &got))
      return aq_diag_set(
          diag, AQ_ERR_INPUT,
          "product '%.80s': expected m=, n=, k= (1 to 16777216), "
          "type=bf16, a8w8, a8w8_blockscale or a4w4_blockscale, "
          "tile=MxN, splits=, library= or shuffled=yes",
          words[i]);
  if (got != GOT_ALL)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "product: expected all of m=, n=, k= and type=");
  *out = read;
  return AQ_OK;
}
