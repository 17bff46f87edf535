/* SPDX-License-Identifier: MIT */
/*
 * The subset of YAML that LLVM writes as metadata of code object version 2:
 * block maps and lists by indentation, plain and quoted texts, lists of numbers
 * in one line. Lines are read one by one; nothing recurses. The first pass
 * counts kernels and arguments, the second fills them.
 */
#include "config.h"

#include <string.h>

#include "gpu/codeobj/metadata.h"

enum { DEPTH_MAX = 8, ALIGN_MAX = 1 << 16, KEY_MAX = 40 };

/* The kind of the lines at an indentation. */
typedef enum context {
  ROOT,
  KERNELS, /* a list */
  KERNEL,
  ATTRIBUTES,
  PROPERTIES,
  ARGS, /* a list */
  ARG,
  PASSED, /* no line is read */
} context;

typedef enum value_kind {
  VALUE_TEXT,
  VALUE_WORD,   /* a text in CamelCase that becomes snake_case */
  VALUE_NUMBER, /* uint32_t */
  VALUE_PAIR,   /* uint32_t[2] */
  VALUE_TRIPLE, /* uint32_t[3] */
  VALUE_NESTED, /* the lines that follow, further in */
} value_kind;

/* Whose field it is. */
typedef enum owner { OF_OBJECT, OF_KERNEL, OF_ARG, OF_READER } owner;

typedef struct member {
  context in;
  const char *key;
  value_kind kind;
  owner of;
  size_t offset; /* NESTED: the context inside */
} member;

typedef struct level {
  context in;
  size_t indent; /* SIZE_MAX until its first line */
} level;

typedef struct reader {
  unsigned line;
  level levels[DEPTH_MAX];
  size_t depth;
  aq_codeobj *out;
  aq_diag *diag;
  aq_code_kernel *kernels; /* NULL while counting */
  aq_code_arg *args;
  size_t kernel_count, arg_count;
  uint32_t align; /* of the argument at hand */
} reader;

#define K(key, kind, field)                                                    \
  {                                                                            \
    KERNEL, key, VALUE_##kind, OF_KERNEL, offsetof(aq_code_kernel, field)      \
  }
#define P(key, field)                                                          \
  {                                                                            \
    PROPERTIES, key, VALUE_NUMBER, OF_KERNEL, offsetof(aq_code_kernel, field)  \
  }
#define A(key, kind, field)                                                    \
  {                                                                            \
    ARG, key, VALUE_##kind, OF_ARG, offsetof(aq_code_arg, field)               \
  }
static const member members[] = {
    {ROOT, "Version", VALUE_PAIR, OF_OBJECT,
     offsetof(aq_codeobj, metadata_version)},
    {ROOT, "Kernels", VALUE_NESTED, OF_OBJECT, KERNELS},
    {KERNEL, "Args", VALUE_NESTED, OF_KERNEL, ARGS},
    {KERNEL, "Attrs", VALUE_NESTED, OF_KERNEL, ATTRIBUTES},
    {KERNEL, "CodeProps", VALUE_NESTED, OF_KERNEL, PROPERTIES},
    K("Name", TEXT, name),
    K("SymbolName", TEXT, symbol),
    {ATTRIBUTES, "ReqdWorkGroupSize", VALUE_TRIPLE, OF_KERNEL,
     offsetof(aq_code_kernel, workgroup)},
    P("KernargSegmentSize", kernarg_size),
    P("KernargSegmentAlign", kernarg_align),
    P("GroupSegmentFixedSize", group_size),
    P("PrivateSegmentFixedSize", private_size),
    P("MaxFlatWorkGroupSize", workgroup_max),
    P("WavefrontSize", wave_size),
    P("NumSGPRs", sgprs),
    P("NumVGPRs", vgprs),
    P("NumSpilledSGPRs", sgpr_spills),
    P("NumSpilledVGPRs", vgpr_spills),
    A("Name", TEXT, name),
    A("TypeName", TEXT, type),
    A("ValueKind", WORD, kind),
    A("AddrSpaceQual", WORD, space),
    A("AccQual", WORD, access),
    A("Size", NUMBER, size),
    {ARG, "Align", VALUE_NUMBER, OF_READER, offsetof(reader, align)},
};
#undef K
#undef P
#undef A

static aq_status say(reader *r, const char *what)
{
  return aq_diag_set(r->diag, AQ_ERR_INPUT, "metadata: line %u: %s", r->line,
                     what);
}

/* ---- values ---- */

typedef struct text {
  const char *at;
  size_t length;
} text;

static text text_trim(const char *at, const char *end)
{
  while (at < end && *at == ' ')
    at++;
  while (at < end && (end[-1] == ' ' || end[-1] == '\r'))
    end--;
  return (text){at, (size_t)(end - at)};
}

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static aq_status number_read(reader *r, text value, uint32_t *out)
{
  uint64_t number = 0;
  for (size_t i = 0; i < value.length; i++) {
    if (!is_digit(value.at[i]) || number > UINT32_MAX)
      return say(r, "expected a number from 0 to 4294967295");
    number = number * 10 + (uint64_t)(value.at[i] - '0');
  }
  if (value.length == 0 || number > UINT32_MAX)
    return say(r, "expected a number from 0 to 4294967295");
  *out = (uint32_t)number;
  return AQ_OK;
}

/* "[ 1, 0 ]" */
static aq_status numbers_read(reader *r, text value, uint32_t *out,
                              uint32_t count)
{
  aq_status status = AQ_OK;
  if (value.length < 2 || value.at[0] != '[' ||
      value.at[value.length - 1] != ']')
    return say(r, "expected a list of numbers in brackets");
  const char *at = value.at + 1, *end = value.at + value.length - 1;
  for (uint32_t i = 0; i < count && status == AQ_OK; i++) {
    const char *comma = memchr(at, ',', (size_t)(end - at));
    if ((i + 1 < count) != (comma != NULL))
      return say(r, "a list of numbers has another length than expected");
    status = number_read(r, text_trim(at, comma ? comma : end), &out[i]);
    at = comma ? comma + 1 : end;
  }
  return status;
}

/* The bytes of a scalar, which take no more than `value`. */
static bool scalar_unquote(text value, char *to, size_t *length)
{
  char quote = 0;
  if (value.length > 0)
    quote = value.at[0];
  *length = value.length;
  if (quote != '\'' && quote != '"') {
    memcpy(to, value.at, value.length);
    return !quote || !memchr("[]{}&*!|>%@`#,", quote, 14);
  }
  if (value.length < 2 || value.at[value.length - 1] != quote)
    return false;
  *length = 0;
  for (size_t i = 1; i + 1 < value.length; i++) {
    const char c = value.at[i];
    const bool doubled = c == quote && quote == '\'' && i + 2 < value.length &&
                         value.at[i + 1] == quote;
    if ((c == quote && !doubled) || (quote == '"' && c == '\\'))
      return false;
    i += doubled;
    to[(*length)++] = c;
  }
  return true;
}

static aq_status text_read(reader *r, text value, const char **out)
{
  char *copy = aq_arena_alloc(&r->out->arena, value.length + 1);
  size_t length;
  if (!copy)
    return aq_diag_no_memory(r->diag);
  if (memchr(value.at, 0, value.length) ||
      !scalar_unquote(value, copy, &length))
    return say(r, "expected a text, plain or in quotes without escapes");
  copy[length] = 0;
  *out = copy;
  return AQ_OK;
}

/* "HiddenGlobalOffsetX" is "hidden_global_offset_x" in later versions. */
static aq_status word_read(reader *r, text value, const char **out)
{
  char word[2 * KEY_MAX + 1];
  size_t length = 0;
  if (value.length > KEY_MAX)
    return say(r, "expected a word of up to 40 letters");
  for (size_t i = 0; i < value.length; i++) {
    const char c = value.at[i];
    const bool upper = c >= 'A' && c <= 'Z';
    if (!upper && (c < 'a' || c > 'z'))
      return say(r, "expected a word of up to 40 letters");
    if (upper && i > 0)
      word[length++] = '_';
    word[length++] = (char)(upper ? c - 'A' + 'a' : c);
  }
  *out = aq_arena_text(&r->out->arena, word, length);
  return *out ? AQ_OK : aq_diag_no_memory(r->diag);
}

/* ---- kernels and arguments ---- */

static aq_code_kernel *kernel_last(reader *r)
{
  return &r->kernels[r->kernel_count - 1];
}

/* The arguments lie one behind another, each at its alignment. */
static aq_status arg_end(reader *r)
{
  if (!r->kernels)
    return AQ_OK;
  aq_code_kernel *kernel = kernel_last(r);
  aq_code_arg *arg = &r->args[r->arg_count - 1];
  const aq_code_arg *before = kernel->arg_count > 1 ? arg - 1 : NULL;
  const uint64_t from = before ? (uint64_t)before->offset + before->size : 0;
  if (!arg->kind)
    return say(r, "the argument above has no ValueKind");
  if (r->align == 0 || r->align > ALIGN_MAX || r->align & (r->align - 1))
    return say(r, "the argument above has no Align, or one that is no power "
                  "of two up to 65536");
  const uint64_t offset = (from + r->align - 1) & ~((uint64_t)r->align - 1);
  if (offset + arg->size > UINT32_MAX)
    return say(r, "the argument above lies outside of the kernarg segment");
  arg->offset = (uint32_t)offset;
  arg->hidden = strncmp(arg->kind, "hidden_", 7) == 0;
  if (arg->access && strcmp(arg->access, "default") == 0)
    arg->access = NULL;
  return AQ_OK;
}

static aq_status kernel_end(reader *r)
{
  if (!r->kernels)
    return AQ_OK;
  aq_code_kernel *kernel = kernel_last(r);
  const size_t length = kernel->symbol ? strlen(kernel->symbol) : 0;
  if (!kernel->name || length < 4 ||
      strcmp(kernel->symbol + length - 3, "@kd") != 0)
    return say(r, "the kernel above has no Name, or no SymbolName that ends "
                  "with @kd");
  for (size_t i = 0; i < kernel->arg_count; i++)
    if ((uint64_t)kernel->args[i].offset + kernel->args[i].size >
        kernel->kernarg_size)
      return say(r, "an argument of the kernel above lies outside of the "
                    "kernarg segment");
  kernel->has_metadata = true;
  return AQ_OK;
}

static aq_status level_end(reader *r)
{
  const context in = r->levels[--r->depth].in;
  return in == ARG ? arg_end(r) : in == KERNEL ? kernel_end(r) : AQ_OK;
}

static aq_status level_begin(reader *r, context in, size_t indent)
{
  if (r->depth == DEPTH_MAX)
    return say(r, "nested too deep");
  r->levels[r->depth++] = (level){in, indent};
  return AQ_OK;
}

/* An item of a list begins. */
static aq_status item_begin(reader *r, size_t indent)
{
  const bool arg = r->levels[r->depth - 1].in == ARGS;
  if (arg)
    r->arg_count++;
  else
    r->kernel_count++;
  r->align = 0;
  if (r->kernels && arg) {
    aq_code_kernel *kernel = kernel_last(r);
    if (kernel->arg_count == 0)
      kernel->args = &r->args[r->arg_count - 1];
    kernel->arg_count++;
  }
  return level_begin(r, arg ? ARG : KERNEL, indent);
}

/* ---- lines ---- */

static const member *member_find(context in, text key)
{
  for (size_t i = 0; i < sizeof members / sizeof *members; i++)
    if (members[i].in == in && strlen(members[i].key) == key.length &&
        memcmp(members[i].key, key.at, key.length) == 0)
      return &members[i];
  return NULL;
}

static aq_status value_read(reader *r, const member *m, text value)
{
  void *whole = m->of == OF_OBJECT ? (void *)r->out : (void *)r;
  if (!r->kernels && m->of != OF_OBJECT)
    return AQ_OK; /* counting */
  if (m->of == OF_KERNEL)
    whole = kernel_last(r);
  else if (m->of == OF_ARG)
    whole = &r->args[r->arg_count - 1];
  void *field = (char *)whole + m->offset;
  switch (m->kind) {
  case VALUE_TEXT:
    return text_read(r, value, field);
  case VALUE_WORD:
    return word_read(r, value, field);
  case VALUE_NUMBER:
    return number_read(r, value, field);
  case VALUE_PAIR:
    return numbers_read(r, value, field, 2);
  case VALUE_TRIPLE:
    return numbers_read(r, value, field, 3);
  case VALUE_NESTED:
    break;
  }
  return AQ_OK;
}

/* "Key: value"; keys that are not known are passed over, with the lines
 * further in. */
static aq_status pair_read(reader *r, const char *at, const char *end)
{
  const char *colon = memchr(at, ':', (size_t)(end - at));
  if (!colon || (colon + 1 < end && colon[1] != ' ' && colon[1] != '\r'))
    return say(r, "expected a key, a colon and a value");
  const text key = {at, (size_t)(colon - at)};
  const text value = text_trim(colon + 1, end);
  const member *m = member_find(r->levels[r->depth - 1].in, key);
  for (size_t i = 0; i < key.length; i++)
    if ((key.at[i] < 'A' || key.at[i] > 'Z') &&
        (key.at[i] < 'a' || key.at[i] > 'z'))
      return say(r, "expected a key of letters");
  if (!m)
    return value.length > 0 ? AQ_OK : level_begin(r, PASSED, SIZE_MAX);
  if (m->kind != VALUE_NESTED)
    return value_read(r, m, value);
  return value.length > 0
             ? say(r, "expected the members in the lines that follow")
             : level_begin(r, (context)m->offset, SIZE_MAX);
}

/* Ends the levels that a line at an indentation is not in. */
static aq_status levels_fit(reader *r, size_t indent)
{
  aq_status status = AQ_OK;
  while (r->depth > 1 && status == AQ_OK) {
    const level *top = &r->levels[r->depth - 1];
    const bool inside = top->indent == SIZE_MAX ? indent > top[-1].indent
                                                : indent >= top->indent;
    if (inside)
      break;
    status = level_end(r);
  }
  level *top = &r->levels[r->depth - 1];
  if (top->indent == SIZE_MAX)
    top->indent = indent;
  if (status == AQ_OK && indent != top->indent && top->in != PASSED)
    return say(r, "its indentation fits no line above");
  return status;
}

static aq_status line_read(reader *r, const char *at, const char *end)
{
  const text all = text_trim(at, end);
  const size_t indent = (size_t)(all.at - at);
  if (all.length == 0 || all.at[0] == '#' ||
      (all.length == 3 &&
       (memcmp(all.at, "---", 3) == 0 || memcmp(all.at, "...", 3) == 0)))
    return AQ_OK;
  aq_status status = levels_fit(r, indent);
  const context in = r->levels[r->depth - 1].in;
  if (status != AQ_OK || in == PASSED)
    return status;
  const bool item = all.length > 2 && memcmp(all.at, "- ", 2) == 0;
  if (item != (in == KERNELS || in == ARGS))
    return say(r, item ? "a list where a map is expected"
                       : "expected an item of a list, '- ' and a key");
  if (!item)
    return pair_read(r, all.at, all.at + all.length);
  const text pair = text_trim(all.at + 2, all.at + all.length);
  status = item_begin(r, (size_t)(pair.at - at));
  return status == AQ_OK ? pair_read(r, pair.at, pair.at + pair.length)
                         : status;
}

static aq_status pass(reader *r, const char *bytes, size_t size)
{
  aq_status status = AQ_OK;
  const char *end = bytes + size;
  r->line = 0;
  r->kernel_count = r->arg_count = 0;
  r->levels[0] = (level){ROOT, 0};
  r->depth = 1;
  for (const char *at = bytes; at < end && status == AQ_OK;) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    stop = stop ? stop : end;
    r->line++;
    status = line_read(r, at, stop);
    at = stop + (stop < end);
  }
  while (r->depth > 1 && status == AQ_OK)
    status = level_end(r);
  return status;
}

aq_status aq_metadata_yaml_read(const void *bytes, size_t size, aq_codeobj *out,
                                aq_code_kernel **kernels, aq_diag *diag)
{
  reader r = {.out = out, .diag = diag};
  while (size > 0 && ((const char *)bytes)[size - 1] == 0)
    size--; /* padding */
  aq_status status = pass(&r, bytes, size);
  if (status != AQ_OK)
    return status;
  aq_arena *arena = &out->arena;
  r.args = aq_arena_alloc(arena, (r.arg_count + 1) * sizeof *r.args);
  r.kernels = aq_arena_alloc(arena, (r.kernel_count + 1) * sizeof *r.kernels);
  if (!r.args || !r.kernels)
    return aq_diag_no_memory(diag);
  status = pass(&r, bytes, size);
  out->kernel_count = r.kernel_count;
  *kernels = r.kernels;
  return status;
}
