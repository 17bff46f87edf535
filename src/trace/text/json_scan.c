/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "trace/text/json_scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "trace/text/json_block.h"
#include "trace/text/json_slice.h"

/* The meaning of a byte outside strings. Everything else is part of a scalar.
 */
enum byte_class { OTHER, SPACE, QUOTE, OPEN, CLOSE, COMMA, COLON, WORD };

static const unsigned char classes[256] = {
    [' '] = SPACE, ['\t'] = SPACE, ['\n'] = SPACE, ['\r'] = SPACE,
    ['"'] = QUOTE, ['{'] = OPEN,   ['['] = OPEN,   ['}'] = CLOSE,
    [']'] = CLOSE, [','] = COMMA,  [':'] = COLON,  ['N'] = WORD,
    ['I'] = WORD,  ['n'] = WORD,   ['i'] = WORD,
};

enum { DEPTH_MAX = 1000 };

/* More than this is not held back from the parser. */
enum { HELD_MAX = 1 << 20 };

/* Where the piece is: [run, at) is still to be copied. */
typedef struct piece {
  const char *bytes, *run, *at, *end;
} piece;

void aq_json_scan_init(aq_json_scan *scan, const aq_json_filter *filter,
                       void *client)
{
  memset(scan, 0, sizeof *scan);
  scan->filter = filter;
  scan->client = client;
}

void aq_json_scan_fini(aq_json_scan *scan)
{
  free(scan->out);
  free(scan->marks);
}

/* ---- the text for the parser ---- */

static bool out_reserve(aq_json_scan *scan, size_t size)
{
  scan->no_memory |=
      !AQ_ARRAY_RESERVE(scan->out, scan->out_capacity, scan->out_size + size);
  return !scan->no_memory;
}

static void mark(aq_json_scan *scan, uint64_t source)
{
  if (scan->mark_count > 0) {
    aq_json_mark *last = &scan->marks[scan->mark_count - 1];
    if (last->source - last->out == source - scan->out_size)
      return;
  }
  scan->no_memory |=
      !AQ_ARRAY_PUSH(scan->marks, scan->mark_count, scan->mark_capacity,
                     (aq_json_mark){scan->out_size, source});
}

static void out_add(aq_json_scan *scan, uint64_t source, const char *bytes,
                    size_t size)
{
  if (!out_reserve(scan, size))
    return;
  mark(scan, source);
  memcpy(scan->out + scan->out_size, bytes, size);
  scan->out_size += size;
}

static uint64_t source_at(const aq_json_scan *scan, const piece *p,
                          const char *at)
{
  return scan->source + (uint64_t)(at - p->bytes);
}

/* Copies pending text, up to `to`. */
static void copy_run(aq_json_scan *scan, piece *p, const char *to)
{
  if (scan->fate != AQ_JSON_DROP && to > p->run)
    out_add(scan, source_at(scan, p, p->run), p->run, (size_t)(to - p->run));
  p->run = to;
}

static void set_fault(aq_json_scan *scan, const piece *p, const char *fault)
{
  scan->fault = fault;
  scan->fault_at = source_at(scan, p, p->at);
}

/* Takes `out` back to an earlier size. */
static void out_rewind(aq_json_scan *scan, size_t size)
{
  scan->out_size = size;
  while (scan->mark_count > 0 && scan->marks[scan->mark_count - 1].out >= size)
    scan->mark_count--;
}

uint64_t aq_json_scan_source(const aq_json_scan *scan, size_t at)
{
  size_t i = scan->mark_count;
  while (i > 0 && scan->marks[i - 1].out > at)
    i--;
  if (i == 0)
    return scan->source;
  return scan->marks[i - 1].source + (at - scan->marks[i - 1].out);
}

static bool is_space(char c)
{
  return classes[(unsigned char)c] == SPACE;
}

/* The place of a comma or sign that ends `out`, spaces aside; else its end. */
static size_t before_tail(const aq_json_scan *scan)
{
  size_t end = scan->out_size;
  while (end > 0 && is_space(scan->out[end - 1]))
    end--;
  if (end > 0 && strchr(",+-", scan->out[end - 1]))
    return end - 1;
  return scan->out_size;
}

/* Whether the text of the present element stays here. */
static bool is_held(const aq_json_scan *scan)
{
  return scan->fate == AQ_JSON_UNKNOWN || scan->fate == AQ_JSON_ASIDE;
}

size_t aq_json_scan_ready(const aq_json_scan *scan)
{
  if (scan->in_array && is_held(scan))
    return scan->element_at;
  if (scan->in_string)
    return scan->watched ? scan->string_at : scan->out_size;
  return before_tail(scan);
}

void aq_json_scan_drain(aq_json_scan *scan, size_t size)
{
  if (size == 0)
    return;
  aq_json_mark first = {0, aq_json_scan_source(scan, size)};
  scan->out_size -= size;
  memmove(scan->out, scan->out + size, scan->out_size);
  /* The mark of byte 0 goes in any case, so there is room for the new one. */
  size_t kept = 0;
  if (scan->out_size > 0)
    scan->marks[kept++] = first;
  for (size_t i = 1; i < scan->mark_count; i++)
    if (scan->marks[i].out > size)
      scan->marks[kept++] =
          (aq_json_mark){scan->marks[i].out - size, scan->marks[i].source};
  scan->mark_count = kept;
  scan->element_at -= size < scan->element_at ? size : scan->element_at;
  scan->string_at -= size < scan->string_at ? size : scan->string_at;
}

/* ---- the elements of the array ---- */

/* Whether strings have to be read here: keys that find the array, or the keys
 * and values of an element whose fate is open. */
static bool watching(const aq_json_scan *scan)
{
  if (!scan->filter)
    return false;
  if (!scan->in_array)
    return scan->depth == 1;
  return scan->fate == AQ_JSON_UNKNOWN && scan->depth == scan->array_depth + 1;
}

static void drop_element(aq_json_scan *scan)
{
  scan->fate = AQ_JSON_DROP;
  scan->in_word = false; /* its text goes with the element's */
  out_rewind(scan, scan->element_at);
}

/* Where the text of the element begins, behind the comma before it. */
static size_t element_text(const aq_json_scan *scan)
{
  return scan->element_at + scan->element_before;
}

uint64_t aq_json_scan_aside(const aq_json_scan *scan)
{
  return aq_json_scan_source(scan, element_text(scan));
}

static void hand_over(aq_json_scan *scan, bool whole)
{
  const size_t at = element_text(scan);
  scan->handing = true;
  if (!scan->no_memory)
    scan->refused |= !scan->filter->aside(scan->client, scan->out + at,
                                          scan->out_size - at, whole);
  scan->handing = false;
  drop_element(scan);
}

static aq_json_fate fate_of(const aq_json_filter *filter, const char *text,
                            size_t length)
{
  if (filter->wanted(text, length))
    return AQ_JSON_KEEP;
  return filter->sets_aside && filter->sets_aside(text, length) ? AQ_JSON_ASIDE
                                                                : AQ_JSON_DROP;
}

/* The fate of the element that begins here, where its key is among the first
 * members and in this piece. */
static aq_json_fate fate_ahead(const aq_json_scan *scan, const piece *p)
{
  enum { MEMBERS = 4 };
  const size_t length = strlen(scan->filter->key);
  aq_json_slice value;
  aq_json_members m;
  aq_json_members_begin(&m, (aq_json_slice){p->at, (size_t)(p->end - p->at)});
  for (int i = 0; i < MEMBERS && aq_json_members_next(&m); i++)
    if (aq_json_slice_is(m.key, scan->filter->key, length) &&
        aq_json_slice_string(m.value, &value))
      return fate_of(scan->filter, value.text, value.length);
  return AQ_JSON_UNKNOWN;
}

static bool equals(const char *text, size_t length, const char *word)
{
  return strlen(word) == length && memcmp(text, word, length) == 0;
}

/* A string that was watched has ended: a value decides, a key may announce. */
static void string_ended(aq_json_scan *scan)
{
  const char *text = scan->out + scan->string_at + 1;
  size_t length = scan->out_size - scan->string_at - 2;
  if (scan->in_array && scan->key_is_next) {
    scan->key_is_next = false;
    scan->fate = fate_of(scan->filter, text, length);
    if (scan->fate == AQ_JSON_DROP)
      drop_element(scan);
  } else if (scan->in_array) {
    scan->key_is_next = equals(text, length, scan->filter->key);
  } else {
    scan->array_is_next = equals(text, length, scan->filter->array);
  }
}

/* ---- the scan ---- */

/* One level deeper, within reason. */
static bool descend(aq_json_scan *scan, piece *p)
{
  if (++scan->depth <= DEPTH_MAX)
    return true;
  set_fault(scan, p, "nested too deep");
  return false;
}

static void scan_open(aq_json_scan *scan, piece *p)
{
  scan->comma = false;
  bool array = *p->at == '[';
  bool root = scan->depth == 0;
  if (scan->in_array && scan->depth == scan->array_depth && !array) {
    p->run = p->at;
    scan->element_at = scan->out_size;
    scan->fate = fate_ahead(scan, p);
    scan->key_is_next = false;
    if (scan->element_before && scan->fate != AQ_JSON_DROP)
      out_add(scan, source_at(scan, p, p->at), ",", 1);
  }
  if (!descend(scan, p))
    return;
  if (scan->filter && !scan->in_array && array &&
      (root || (scan->depth == 2 && scan->array_is_next))) {
    copy_run(scan, p, p->at + 1);
    scan->in_array = true;
    scan->array_depth = scan->depth;
    scan->element_before = false;
    scan->fate = AQ_JSON_DROP;
  }
  scan->array_is_next = false;
  scan->began = true;
}

static void scan_close(aq_json_scan *scan, piece *p)
{
  if (scan->comma) {
    /* The comma before this bracket, spaces aside, becomes a space. */
    scan->trailing_commas++;
    scan->comma = false;
    copy_run(scan, p, p->at);
    size_t at = before_tail(scan);
    if (scan->fate != AQ_JSON_DROP && at < scan->out_size)
      scan->out[at] = ' ';
  }
  if (scan->depth == 0) /* one too many: the parser words it */
    return;
  if (scan->in_array && scan->depth == scan->array_depth) {
    p->run = p->at;
    scan->in_array = false;
    scan->fate = AQ_JSON_KEEP;
  }
  scan->depth--;
  if (scan->in_array && scan->depth == scan->array_depth) {
    if (scan->fate == AQ_JSON_UNKNOWN)
      drop_element(scan);
    copy_run(scan, p, p->at + 1);
    if (scan->fate == AQ_JSON_ASIDE)
      hand_over(scan, true);
    scan->element_before |= scan->fate == AQ_JSON_KEEP;
    scan->fate = AQ_JSON_DROP; /* nothing between elements is copied */
  }
}

/* Runs through a string to its end or the piece's; `at` is behind it. */
static void scan_string(aq_json_scan *scan, piece *p)
{
  while (p->at < p->end) {
    if (scan->escaped) {
      scan->escaped = false;
      p->at++;
      continue;
    }
    const char *quote = memchr(p->at, '"', (size_t)(p->end - p->at));
    const char *stop = quote ? quote : p->end;
    const char *slash = memchr(p->at, '\\', (size_t)(stop - p->at));
    /* Writes the control bytes of a string, which JSON forbids, as escapes. */
    const char *to = slash ? slash : stop;
    bool any = false;
    for (const char *c = p->at; c < to; c++)
      any |= (unsigned char)*c < ' ';
    for (const char *c = p->at; any && c < to; c++) {
      char text[8];
      if ((unsigned char)*c >= ' ')
        continue;
      copy_run(scan, p, c);
      snprintf(text, sizeof text, "\\u%04x", (unsigned)*c);
      if (scan->fate != AQ_JSON_DROP)
        out_add(scan, source_at(scan, p, c), text, 6);
      p->run = c + 1;
      scan->control_bytes++;
    }
    if (slash) {
      scan->escaped = true;
      p->at = slash + 1;
      continue;
    }
    p->at = stop;
    if (!quote)
      return;
    p->at++;
    scan->in_string = false;
    if (scan->watched) {
      scan->watched = false;
      copy_run(scan, p, p->at);
      if (!scan->no_memory)
        string_ended(scan);
    }
    return;
  }
}

static void scan_quote(aq_json_scan *scan, piece *p)
{
  scan->comma = false;
  scan->in_string = true;
  scan->watched = watching(scan);
  if (scan->watched) {
    copy_run(scan, p, p->at);
    scan->string_at = scan->out_size;
  }
  p->at++;
  scan_string(scan, p);
}

/* null, or one of the words for what JSON cannot write. */
static void word_ended(aq_json_scan *scan, piece *p)
{
  static const char *const words[] = {"NaN", "nan", "NAN",      "Infinity",
                                      "inf", "Inf", "infinity", "INFINITY"};
  scan->in_word = false;
  bool mend = false;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    mend |= equals(scan->word, scan->word_size, words[i]);
  uint64_t source = source_at(scan, p, p->at) - scan->word_size;
  if (!mend) {
    out_add(scan, source, scan->word, scan->word_size);
    return;
  }
  if (scan->out_size > 0 && strchr("+-", scan->out[scan->out_size - 1]))
    scan->out_size--;
  out_add(scan, source, "null", 4);
}

/* Gathers a word up to what ends it. */
static void scan_word(aq_json_scan *scan, piece *p)
{
  while (p->at < p->end) {
    unsigned class = classes[(unsigned char)*p->at];
    if ((class != OTHER && class != WORD) ||
        scan->word_size == sizeof scan->word) {
      word_ended(scan, p);
      p->run = p->at;
      return;
    }
    scan->word[scan->word_size++] = *p->at++;
  }
  p->run = p->at;
}

static void scan_word_begin(aq_json_scan *scan, piece *p)
{
  scan->comma = false;
  if (scan->fate == AQ_JSON_DROP) {
    p->at++;
    return;
  }
  copy_run(scan, p, p->at);
  scan->in_word = true;
  scan->word_size = 0;
  scan_word(scan, p);
}

/* Runs through whole blocks of an element of known fate. It stops before a
 * bracket that does more than go one level up or down, and before a block with
 * bytes to repair or to read one by one: a control byte, an escape, a comma
 * before a closing bracket, a word that is not left out. Returns the end of
 * these bytes. */
static const char *scan_blocks(aq_json_scan *scan, piece *p)
{
  const bool words = scan->fate != AQ_JSON_DROP;
  for (; p->end - p->at >= AQ_JSON_BLOCK; p->at += AQ_JSON_BLOCK) {
    const aq_json_block b = aq_json_block_read(p->at);
    const uint64_t inside = aq_json_block_strings(b.quotes, scan->in_string);
    const uint64_t blanks = b.blanks & ~inside, closes = b.closes & ~inside;
    const uint64_t commas = b.commas & ~inside;
    const uint64_t odd = b.slashes | (b.controls & (inside | ~b.lines)) |
                         (words ? b.words & ~inside : 0);
    /* A comma's bit runs over the blanks behind it: the sum carries. */
    uint64_t sum;
    const bool runs_on =
        __builtin_add_overflow(commas << 1 | scan->comma, blanks, &sum);
    if (odd || (sum & ~blanks & closes))
      return p->at + AQ_JSON_BLOCK;
    for (uint64_t rest = closes | (b.opens & ~inside); rest; rest &= rest - 1) {
      const int at = __builtin_ctzll(rest);
      const bool close = closes >> at & 1;
      if (close
              ? scan->depth <= scan->array_depth + 1
              : scan->depth == scan->array_depth || scan->depth == DEPTH_MAX) {
        p->at += at;
        scan->in_string = scan->comma = false;
        return p->at + 1;
      }
      scan->depth += close ? -1 : 1;
    }
    scan->in_string = inside >> (AQ_JSON_BLOCK - 1);
    scan->comma = runs_on || commas >> (AQ_JSON_BLOCK - 1);
  }
  return p->end;
}

static void scan_byte(aq_json_scan *scan, piece *p)
{
  switch (classes[(unsigned char)*p->at]) {
  case QUOTE:
    scan_quote(scan, p);
    return;
  case OPEN:
    scan_open(scan, p);
    break;
  case CLOSE:
    scan_close(scan, p);
    break;
  case COMMA:
    scan->comma = true;
    scan->key_is_next = false;
    break;
  case WORD:
    scan_word_begin(scan, p);
    return;
  case COLON:
  case OTHER:
    scan->comma = false;
    break;
  default:
    break;
  }
  p->at++;
}

bool aq_json_scan_feed(aq_json_scan *scan, const char *bytes, size_t size)
{
  piece p = {bytes, bytes, bytes, bytes + size};
  const char *slow = bytes; /* up to here, byte by byte */
  while (p.at < p.end && !scan->no_memory && !scan->fault && !scan->refused) {
    if (scan->in_string)
      scan_string(scan, &p);
    else if (scan->in_word)
      scan_word(scan, &p);
    else if (scan->depth == 0 && scan->began) {
      /* Only spaces may follow the document. */
      copy_run(scan, &p, p.at);
      while (p.at < p.end && is_space(*p.at))
        p.at++;
      p.run = p.at;
      if (p.at < p.end)
        set_fault(scan, &p, "text after the end of the document");
    } else if (p.at < slow || !scan->in_array ||
               scan->fate == AQ_JSON_UNKNOWN) {
      scan_byte(scan, &p);
    } else {
      slow = scan_blocks(scan, &p);
    }
  }
  if (!scan->fault)
    copy_run(scan, &p, p.end);
  /* Keeps `out` bounded whatever the text is: a very long string or element is
   * not watched any more, spaces behind a comma are dropped. */
  if (scan->fate == AQ_JSON_UNKNOWN && scan->in_array &&
      scan->out_size - scan->element_at > HELD_MAX)
    scan->fate = AQ_JSON_KEEP;
  if (scan->fate == AQ_JSON_ASIDE &&
      scan->out_size - scan->element_at > HELD_MAX)
    hand_over(scan, false);
  if (scan->watched && scan->out_size - scan->string_at > HELD_MAX)
    scan->watched = false;
  size_t tail = before_tail(scan);
  if (!scan->in_string && scan->out_size - tail > HELD_MAX)
    out_rewind(scan, tail + 1);
  scan->source += size;
  return !scan->no_memory && !scan->fault && !scan->refused;
}
