/* SPDX-License-Identifier: MIT */
/* A code object's kernels as a plug-in in C whose functions are to be written.
 */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gpu/codeobj/kernel_text.h"

enum { NAME_SIZE = 48 };

typedef struct stub {
  aq_code_line *line;
  void *user;
} stub;

static void put(const stub *s, const char *fmt, ...) AQ_PRINTF(2, 3);

static void put(const stub *s, const char *fmt, ...)
{
  char line[AQ_CODE_LINE_SIZE];
  va_list args;
  va_start(args, fmt);
  vsnprintf(line, sizeof line, fmt, args);
  va_end(args);
  s->line(line, s->user);
}

/* ---- names ---- */

static bool is_word(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_';
}

/* The part of a text that C takes in a name; NULL and "": nothing. */
static void word_of(const char *text, char to[NAME_SIZE])
{
  size_t n = 0;
  for (; text && *text && n + 1 < NAME_SIZE; text++)
    to[n++] = (char)(is_word(*text) ? *text : '_');
  to[n] = 0;
}

/* Unique by its number, whatever the code object calls it. */
static void kernel_word(const aq_codeobj *code, const aq_code_kernel *kernel,
                        char to[NAME_SIZE + 24])
{
  char word[NAME_SIZE];
  word_of(kernel->name, word);
  snprintf(to, NAME_SIZE + 24, "k%zu_%s", (size_t)(kernel - code->kernels),
           word);
}

/* As a C literal. */
static void literal_of(const char *text, char to[AQ_CODE_LINE_SIZE / 2])
{
  size_t n = 0;
  for (; *text && n + 5 < AQ_CODE_LINE_SIZE / 2; text++)
    if (*text == '"' || *text == '\\' || *text == '?' || *text < ' ' ||
        *text > '~')
      n += (size_t)sprintf(to + n, "\\%03o", (unsigned char)*text);
    else
      to[n++] = *text;
  to[n] = 0;
}

/* ---- arguments ---- */

/* Types as OpenCL and HIP name them, with their size. */
static const struct {
  const char *name, *c;
  uint32_t size;
} types[] = {
    {"char", "int8_t", 1},
    {"uchar", "uint8_t", 1},
    {"short", "int16_t", 2},
    {"ushort", "uint16_t", 2},
    {"int", "int32_t", 4},
    {"uint", "uint32_t", 4},
    {"unsigned int", "uint32_t", 4},
    {"float", "float", 4},
    {"long", "int64_t", 8},
    {"ulong", "uint64_t", 8},
    {"unsigned long", "uint64_t", 8},
    {"double", "double", 8},
};

static const char *type_named(const char *name, size_t length, uint32_t size)
{
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strlen(types[i].name) == length &&
        memcmp(types[i].name, name, length) == 0 &&
        (size == 0 || types[i].size == size))
      return types[i].c;
  return NULL;
}

static const char *type_sized(uint32_t size)
{
  switch (size) {
  case 1:
    return "uint8_t";
  case 2:
    return "uint16_t";
  case 4:
    return "uint32_t";
  case 8:
    return "uint64_t";
  default:
    return NULL;
  }
}

static bool is_pointer(const aq_code_arg *arg)
{
  return arg->size == 8 && arg->kind && strcmp(arg->kind, "global_buffer") == 0;
}

/* The type of a field, "float *" or "uint32_t "; NULL: bytes. */
static const char *type_of(const aq_code_arg *arg, char to[NAME_SIZE])
{
  const char *declared = arg->type ? arg->type : "";
  const size_t length = strcspn(declared, "*");
  const char *c;
  if (is_pointer(arg)) {
    c = declared[length] && !declared[length + 1]
            ? type_named(declared, length, 0)
            : NULL;
    snprintf(to, NAME_SIZE, "%s *", c ? c : "void");
    return to;
  }
  c = declared[length] ? NULL : type_named(declared, length, arg->size);
  c = c ? c : type_sized(arg->size);
  if (!c)
    return NULL;
  snprintf(to, NAME_SIZE, "%s ", c);
  return to;
}

static void field_put(const stub *s, const aq_code_arg *arg, size_t index)
{
  char word[NAME_SIZE], type[NAME_SIZE];
  const char *c = arg->offset % arg->size == 0 ? type_of(arg, type) : NULL;
  word_of(arg->name, word);
  if (c)
    put(s, "  %sa%zu%s%s; /* offset %u */", c, index, word[0] ? "_" : "", word,
        arg->offset);
  else
    put(s, "  unsigned char a%zu%s%s[%u]; /* offset %u */", index,
        word[0] ? "_" : "", word, arg->size, arg->offset);
}

/* Only the caller's arguments; overlapping ones are left out. */
static void args_put(const stub *s, const aq_code_kernel *kernel,
                     const char *word)
{
  uint32_t at = 0;
  size_t fields = 0;
  put(s, "typedef struct %s_args {", word);
  for (size_t i = 0; i < kernel->arg_count; i++) {
    const aq_code_arg *arg = &kernel->args[i];
    if (arg->hidden || arg->size == 0 || arg->offset < at)
      continue;
    if (arg->offset > at)
      put(s, "  unsigned char pad%zu[%u];", i, arg->offset - at);
    field_put(s, arg, i);
    at = arg->offset + arg->size;
    fields++;
  }
  if (fields == 0)
    put(s, "  unsigned char bytes[%u]; /* nothing describes them */",
        kernel->kernarg_size ? kernel->kernarg_size : 1);
  put(s, "} __attribute__((packed)) %s_args;", word);
  put(s, "%s", "");
}

/* ---- comments ---- */

static void comment_line(const char *line, void *user)
{
  char text[AQ_CODE_LINE_SIZE];
  snprintf(text, sizeof text, "%s", line);
  for (char *c = text; (c = strstr(c, "*/")); c++)
    *c = '?';
  put(user, " * %.*s", AQ_CODE_LINE_SIZE - 8, text);
}

static void variables_put(const stub *s, const aq_codeobj *code)
{
  char line[AQ_CODE_LINE_SIZE], name[AQ_CODE_LINE_SIZE / 2];
  stub copy = *s;
  bool begun = false;
  for (size_t i = 0; i < code->symbol_count; i++) {
    const aq_code_symbol *symbol = &code->symbols[i];
    if (!symbol->is_object || symbol->kernel)
      continue;
    if (!begun)
      put(s, "/* Variables, by aq_kernel_variable(call, NAME, SIZE):");
    begun = true;
    snprintf(line, sizeof line, "  %s: %llu bytes%s",
             aq_code_text(symbol->name, name, sizeof name),
             (unsigned long long)symbol->size,
             symbol->is_const ? ", constant" : "");
    comment_line(line, &copy);
  }
  if (!begun)
    return;
  put(s, " */");
  put(s, "%s", "");
}

/* ---- functions ---- */

static void kernel_put(const stub *s, const aq_codeobj *code,
                       const aq_code_kernel *kernel)
{
  char word[NAME_SIZE + 24];
  stub copy = *s;
  kernel_word(code, kernel, word);
  put(s, "/*");
  aq_code_kernel_print(kernel, comment_line, &copy);
  put(s, " */");
  args_put(s, kernel, word);
  if (kernel->group_size > 0) {
    put(s, "/* Called once a workgroup; the end of the loop is a barrier. */");
    put(s, "static void %s(const aq_workgroup *group)", word);
    put(s, "{");
    put(s, "  const %s_args *args = group->kernarg;", word);
    put(s, "  AQ_WORK_ITEMS(item, group)");
    put(s, "  {");
    put(s, "    (void)args, (void)item.global;");
    put(s, "  }");
    put(s, "  aq_kernel_fail(group->call, \"not written yet\");");
  } else {
    put(s, "/* Called once a dispatch, for the whole grid. */");
    put(s, "static void %s(const aq_kernel_call *call)", word);
    put(s, "{");
    put(s, "  const %s_args *args = call->kernarg;", word);
    put(s, "  const uint32_t *grid = call->packet->grid_size;");
    put(s, "  (void)args, (void)grid;");
    put(s, "  aq_kernel_fail(call, \"not written yet\");");
  }
  put(s, "}");
  put(s, "%s", "");
}

static void entry_put(const stub *s, const aq_codeobj *code,
                      const aq_code_kernel *kernel)
{
  char word[NAME_SIZE + 24], name[AQ_CODE_LINE_SIZE / 2];
  kernel_word(code, kernel, word);
  literal_of(kernel->name, name);
  put(s, "      {.name = \"%s\",", name);
  put(s, "       .%s = %s},", kernel->group_size > 0 ? "workgroup" : "function",
      word);
}

void aq_code_stub_print(const aq_codeobj *codeobj, const char *name,
                        aq_code_line *line, void *user)
{
  const stub s = {line, user};
  char target[AQ_TARGET_TEXT_SIZE], quoted[AQ_CODE_LINE_SIZE / 2];
  char begin[NAME_SIZE]; /* of the name, so that it fits a line */
  aq_target_print(&codeobj->target, target);
  snprintf(begin, sizeof begin, "%s", name);
  literal_of(begin, quoted);
  put(&s,
      "/* Host functions for a code object of %s: a plug-in that stands for "
      "its",
      target);
  put(&s, " * kernels on the simulator. Build:");
  put(&s, " * cc -std=gnu11 -fPIC -shared $(pkg-config --cflags aqueduct) */");
  put(&s, "#include <aqueduct/kernel.h>");
  put(&s, "%s", "");
  variables_put(&s, codeobj);
  for (size_t i = 0; i < codeobj->kernel_count; i++)
    kernel_put(&s, codeobj, &codeobj->kernels[i]);
  put(&s, "const aq_kernels *aq_kernels_plugin(void)");
  put(&s, "{");
  put(&s, "  static const aq_kernel_entry entries[] = {");
  for (size_t i = 0; i < codeobj->kernel_count; i++)
    entry_put(&s, codeobj, &codeobj->kernels[i]);
  put(&s, "      {.name = NULL}};");
  put(&s, "  static const aq_kernels table = {AQ_KERNELS_ABI, sizeof table,");
  put(&s, "                                   \"%s\",", quoted);
  put(&s, "                                   \"%zu kernels\", entries};",
      codeobj->kernel_count);
  put(&s, "  return &table;");
  put(&s, "}");
}
