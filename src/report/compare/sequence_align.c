/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/compare/sequence_align.h"

#include <stdlib.h>

#include "common/array.h"

typedef struct aligner {
  const uint32_t *a, *b;
  aq_alignment *out;
  /* Furthest ends by diagonal, from the front and from the back. */
  ptrdiff_t *forward, *backward;
} aligner;

/* A box of the two sequences, and the middle of the best path through it. */
typedef struct box {
  ptrdiff_t a0, a1, b0, b1;
} box;

typedef struct middle {
  ptrdiff_t a, b;
  bool found; /* false: too many differences; split anywhere */
} middle;

static bool run_add(aligner *x, ptrdiff_t a, ptrdiff_t b)
{
  aq_alignment *out = x->out;
  aq_align_run *last = out->count ? &out->runs[out->count - 1] : NULL;
  if (last && last->a + last->length == (size_t)a &&
      last->b + last->length == (size_t)b) {
    last->length++;
    return true;
  }
  return AQ_ARRAY_PUSH(out->runs, out->count, out->capacity,
                       (aq_align_run){(size_t)a, (size_t)b, 1});
}

/* The end on diagonal k after one more difference, from the better one of the
 * neighbours. Diagonals outside of the box (n by m) have no ends. */
static ptrdiff_t end_step(const ptrdiff_t *v, ptrdiff_t k, ptrdiff_t d,
                          ptrdiff_t n, ptrdiff_t m)
{
  const bool below = k > -d && k > -m, above = k < d && k < n;
  return !below || (above && v[k - 1] < v[k + 1]) ? v[k + 1] : v[k - 1] + 1;
}

/* One more difference from the front. Diagonals k = a - b, relative to the
 * box; true when the paths meet. */
static bool forward_step(const aligner *x, box w, ptrdiff_t d, bool odd,
                         ptrdiff_t delta, middle *out)
{
  const ptrdiff_t n = w.a1 - w.a0, m = w.b1 - w.b0;
  ptrdiff_t *v = x->forward;
  for (ptrdiff_t k = -d; k <= d; k += 2) {
    if (k < -m || k > n)
      continue;
    ptrdiff_t i = end_step(v, k, d, n, m);
    while (i < n && i - k < m && x->a[w.a0 + i] == x->b[w.b0 + i - k])
      i++;
    v[k] = i;
    const ptrdiff_t c = delta - k; /* the same diagonal from the back */
    if (odd && c >= -(d - 1) && c <= d - 1 && v[k] + x->backward[c] >= n) {
      *out = (middle){w.a0 + i, w.b0 + i - k, true};
      return true;
    }
  }
  return false;
}

static bool backward_step(const aligner *x, box w, ptrdiff_t d, bool odd,
                          ptrdiff_t delta, middle *out)
{
  const ptrdiff_t n = w.a1 - w.a0, m = w.b1 - w.b0;
  ptrdiff_t *v = x->backward;
  for (ptrdiff_t k = -d; k <= d; k += 2) {
    if (k < -m || k > n)
      continue;
    ptrdiff_t i = end_step(v, k, d, n, m);
    while (i < n && i - k < m && x->a[w.a1 - 1 - i] == x->b[w.b1 - 1 - (i - k)])
      i++;
    v[k] = i;
    const ptrdiff_t c = delta - k;
    if (!odd && c >= -d && c <= d && v[k] + x->forward[c] >= n) {
      *out = (middle){w.a1 - i, w.b1 - (i - k), true};
      return true;
    }
  }
  return false;
}

static middle middle_find(const aligner *x, box w)
{
  const ptrdiff_t n = w.a1 - w.a0, m = w.b1 - w.b0, delta = n - m;
  const bool odd = delta & 1;
  ptrdiff_t most = (n + m + 1) / 2;
  middle found = {w.a0 + n / 2, w.b0 + m / 2, false};
  if (most > AQ_ALIGN_EFFORT)
    most = AQ_ALIGN_EFFORT;
  x->forward[1] = x->backward[1] = 0;
  for (ptrdiff_t d = 0; d <= most; d++)
    if (forward_step(x, w, d, odd, delta, &found) ||
        backward_step(x, w, d, odd, delta, &found))
      break;
  return found;
}

/* Equal elements at the front are part of every best alignment. */
static bool front_take(aligner *x, box *w)
{
  while (w->a0 < w->a1 && w->b0 < w->b1 && x->a[w->a0] == x->b[w->b0])
    if (!run_add(x, w->a0++, w->b0++))
      return false;
  return true;
}

static bool box_align(aligner *x, box w)
{
  if (!front_take(x, &w))
    return false;
  ptrdiff_t tail = 0;
  while (w.a0 < w.a1 - tail && w.b0 < w.b1 - tail &&
         x->a[w.a1 - 1 - tail] == x->b[w.b1 - 1 - tail])
    tail++;
  box inner = {w.a0, w.a1 - tail, w.b0, w.b1 - tail};
  if (inner.a0 < inner.a1 && inner.b0 < inner.b1) {
    const middle m = middle_find(x, inner);
    x->out->exact &= m.found;
    if (!box_align(x, (box){inner.a0, m.a, inner.b0, m.b}) ||
        !box_align(x, (box){m.a, inner.a1, m.b, inner.b1}))
      return false;
  }
  for (ptrdiff_t i = tail; i > 0; i--)
    if (!run_add(x, w.a1 - i, w.b1 - i))
      return false;
  return true;
}

bool aq_align(const uint32_t *a, size_t a_count, const uint32_t *b,
              size_t b_count, aq_alignment *out)
{
  enum { WIDTH = 2 * AQ_ALIGN_EFFORT + 8 };
  ptrdiff_t *ends = malloc(2 * WIDTH * sizeof *ends);
  aq_alignment alignment = {.exact = true};
  aligner x = {.a = a, .b = b, .out = &alignment};
  if (!ends)
    return false;
  x.forward = ends + WIDTH / 2;
  x.backward = ends + WIDTH + WIDTH / 2;
  const bool made =
      box_align(&x, (box){0, (ptrdiff_t)a_count, 0, (ptrdiff_t)b_count});
  free(ends);
  if (made)
    *out = alignment;
  else
    aq_alignment_fini(&alignment);
  return made;
}

void aq_alignment_fini(aq_alignment *alignment)
{
  free(alignment->runs);
  *alignment = (aq_alignment){0};
}
