/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/hostcall/device_printf.h"

#include <stdbool.h>
#include <string.h>

enum { SPEC_SIZE = 64, STARS = 2 };

typedef struct arguments {
  const uint64_t *words;
  size_t count;
} arguments;

static bool word_take(arguments *left, uint64_t *out)
{
  if (left->count == 0)
    return false;
  *out = *left->words++;
  left->count--;
  return true;
}

/* A text that ends within the words. */
static const char *text_take(arguments *left)
{
  const char *text = (const char *)left->words;
  const char *end = memchr(text, 0, left->count * sizeof(uint64_t));
  if (!end)
    return NULL;
  const size_t used = (size_t)(end - text) / sizeof(uint64_t) + 1;
  left->words += used;
  left->count -= used;
  return text;
}

/* A conversion: "%-8.3lx" is flags, two numbers, a width and a letter. */
typedef struct conversion {
  char
      spec[SPEC_SIZE]; /* without width and letter, ended by a place for both */
  size_t length;       /* of the spec */
  size_t size;         /* in the format */
  int stars[STARS];
  int star_count;
  char width[4], letter;
} conversion;

/* False: it is no conversion, or an argument is missing. */
static bool conversion_read(const char *at, arguments *left, conversion *out)
{
  static const char before[] = "-+ #0123456789.*";
  size_t n = 1, w = 0;
  *out = (conversion){.spec = "%", .length = 1};
  for (; at[n] && strchr(before, at[n]) && n < SPEC_SIZE - 4; n++) {
    uint64_t star;
    if (at[n] == '*' && (out->star_count == STARS || !word_take(left, &star)))
      return false;
    if (at[n] == '*')
      out->stars[out->star_count++] = (int)star;
    out->spec[out->length++] = at[n];
  }
  while (w < sizeof out->width - 1 && at[n] && strchr("hljztL", at[n]))
    out->width[w++] = at[n++];
  out->letter = at[n];
  out->size = n + 1;
  return out->letter && strchr("diouxXcsaAeEfFgGpn", out->letter);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#define PRINT(value)                                                             \
  (c->star_count == 2   ? fprintf(out, c->spec, c->stars[0], c->stars[1], value) \
   : c->star_count == 1 ? fprintf(out, c->spec, c->stars[0], value)              \
                        : fprintf(out, c->spec, value))

static void letter_set(conversion *c, const char *width)
{
  const size_t length = strlen(width);
  memcpy(c->spec + c->length, width, length);
  c->spec[c->length + length] = c->letter;
  c->spec[c->length + length + 1] = 0;
}

static int integer_print(FILE *out, conversion *c, uint64_t word)
{
  const bool is_signed = c->letter == 'd' || c->letter == 'i';
  const bool wide = strchr(c->width, 'l') || strpbrk(c->width, "jzt");
  if (strcmp(c->width, "hh") == 0)
    word = is_signed ? (uint64_t)(int8_t)word : (uint8_t)word;
  else if (strcmp(c->width, "h") == 0)
    word = is_signed ? (uint64_t)(int16_t)word : (uint16_t)word;
  else if (!wide)
    word = is_signed ? (uint64_t)(int32_t)word : (uint32_t)word;
  letter_set(c, "ll");
  return is_signed ? PRINT((long long)word) : PRINT((unsigned long long)word);
}

static int conversion_print(FILE *out, conversion *c, arguments *left)
{
  uint64_t word = 0;
  double real;
  if (c->letter == 's') {
    const char *text = text_take(left);
    letter_set(c, "");
    return text ? PRINT(text) : 0;
  }
  if (!word_take(left, &word))
    return fprintf(out, "%%%c", c->letter);
  switch (c->letter) {
  case 'n':
    return 0;
  case 'c':
    letter_set(c, "");
    return PRINT((int)(unsigned char)word);
  case 'p':
    letter_set(c, "");
    return PRINT((void *)(uintptr_t)word);
  case 'd':
  case 'i':
  case 'o':
  case 'u':
  case 'x':
  case 'X':
    return integer_print(out, c, word);
  default:
    memcpy(&real, &word, sizeof real);
    letter_set(c, "");
    return PRINT(real);
  }
}
#pragma GCC diagnostic pop

int aq_device_printf(FILE *out, const uint64_t *words, size_t count)
{
  arguments left = {words, count};
  const char *at = text_take(&left);
  int printed = 0;
  if (!at)
    return -1;
  while (*at) {
    conversion c;
    if (at[0] == '%' && at[1] == '%') {
      printed += fputc('%', out) == '%';
      at += 2;
    } else if (at[0] == '%' && conversion_read(at, &left, &c)) {
      printed += conversion_print(out, &c, &left);
      at += c.size;
    } else {
      printed += fputc(*at++, out) != EOF;
    }
  }
  return printed;
}
