/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/launch/args.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/atomic_file.h"
#include "common/text.h"
#include "gpu/codeobj/hidden.h"

typedef enum kind { SIGNED, UNSIGNED, REAL } kind;

static const struct {
  const char *name;
  kind kind;
  uint32_t size;
} types[] = {
    {"i8", SIGNED, 1},    {"u8", UNSIGNED, 1},  {"i16", SIGNED, 2},
    {"u16", UNSIGNED, 2}, {"i32", SIGNED, 4},   {"u32", UNSIGNED, 4},
    {"i64", SIGNED, 8},   {"u64", UNSIGNED, 8}, {"f32", REAL, 4},
    {"f64", REAL, 8},
};

static const uint64_t bytes_max = UINT64_C(1) << 32; /* of a buffer */

/* ---- reading ---- */

static aq_status say_expected(const char *text, const char *expected,
                              aq_diag *diag)
{
  return aq_diag_set(diag, AQ_ERR_INPUT, "argument '%.100s': expected %s", text,
                     expected);
}

static bool type_read(const char *text, size_t length, uint32_t *out)
{
  for (uint32_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strlen(types[i].name) == length &&
        memcmp(types[i].name, text, length) == 0) {
      *out = i;
      return true;
    }
  return false;
}

/* Stores a number as an element; false if it is none, or does not fit. */
static bool number_put(uint32_t type, const char *text, void *to)
{
  const uint32_t size = types[type].size;
  const int64_t most =
      size == 8 ? INT64_MAX : (INT64_C(1) << (size * 8 - 1)) - 1;
  char *end;
  errno = 0;
  if (types[type].kind == REAL) {
    const double value = strtod(text, &end);
    const float narrow = (float)value;
    memcpy(to, size == 4 ? (const void *)&narrow : &value, size);
  } else if (types[type].kind == SIGNED) {
    const int64_t value = strtoll(text, &end, 0);
    if (value > most || value < -most - 1)
      return false;
    memcpy(to, &value, size); /* little endian */
  } else {
    const uint64_t value = strtoull(text, &end, 0);
    if (strchr(text, '-') || (size < 8 && value >> (size * 8)))
      return false;
    memcpy(to, &value, size);
  }
  return end != text && !*end && errno != ERANGE;
}

static aq_status fill_read(aq_launch_arg *arg, const char *text, aq_diag *diag)
{
  unsigned char element[8];
  if (strlen(text) >= sizeof arg->fill ||
      !((arg->is_buffer && strcmp(text, "iota") == 0) ||
        number_put(arg->type, text, element)))
    return say_expected(arg->text,
                        arg->is_buffer
                            ? "iota or a number of that type behind '='"
                            : "a number of that type",
                        diag);
  memcpy(arg->fill, text, strlen(text) + 1);
  return AQ_OK;
}

/* [N], or [] for as many as a file has; *end is behind it. */
static aq_status count_read(aq_launch_arg *arg, const char *text,
                            const char **end, aq_diag *diag)
{
  char *stop = (char *)(uintptr_t)text + 1;
  errno = 0;
  if (text[1] >= '0' && text[1] <= '9') {
    arg->count = strtoull(text + 1, &stop, 10);
    if (errno || arg->count == 0 ||
        arg->count > bytes_max / types[arg->type].size)
      return say_expected(arg->text, "1 element to 4 GiB", diag);
  } else {
    arg->count = 0;
  }
  *end = *stop == ']' ? stop + 1 : NULL;
  return AQ_OK;
}

/* TYPE[N][:FILE][=FILL] */
static aq_status buffer_read(aq_launch_arg *arg, const char *text,
                             aq_diag *diag)
{
  static const char shape[] =
      "buf:TYPE[N] or out:TYPE[N], with =FILL or not; of out :FILE before it";
  const size_t length = strcspn(text, "[");
  const char *end = NULL;
  if (!type_read(text, length, &arg->type) || text[length] != '[')
    return say_expected(arg->text, shape, diag);
  aq_status status = count_read(arg, text + length, &end, diag);
  if (status != AQ_OK)
    return status;
  if (end && *end == ':' && arg->is_out && end[1] && end[1] != '=') {
    arg->to = end + 1;
    arg->to_length = (int)strcspn(arg->to, "=");
    end = arg->to + arg->to_length;
  }
  if (!end || (*end && *end != '='))
    return say_expected(arg->text, shape, diag);
  if (end[0] && end[1] == '@' && end[2]) {
    arg->from = end + 2;
    return AQ_OK;
  }
  if (arg->count == 0)
    return say_expected(arg->text, "a number in [], or =@FILE", diag);
  return fill_read(arg, *end ? end + 1 : "0", diag);
}

aq_status aq_launch_arg_read(const char *text, aq_launch_arg *out,
                             aq_diag *diag)
{
  aq_launch_arg arg = {.text = text, .count = 1};
  const size_t length = strcspn(text, ":");
  aq_status status;
  arg.is_out = strncmp(text, "out:", 4) == 0;
  arg.is_buffer = arg.is_out || strncmp(text, "buf:", 4) == 0;
  if (arg.is_buffer)
    status = buffer_read(&arg, text + 4, diag);
  else if (text[length] && type_read(text, length, &arg.type))
    status = fill_read(&arg, text + length + 1, diag);
  else
    status = say_expected(text,
                          "TYPE:VALUE, buf:TYPE[N]=FILL or out:TYPE[N]; TYPE "
                          "is i8 to i64, u8 to u64, f32 or f64",
                          diag);
  if (status == AQ_OK)
    *out = arg;
  return status;
}

/* ---- placing ---- */

static void iota_put(uint32_t type, uint64_t i, void *to)
{
  const double real = (double)i;
  const float narrow = (float)i;
  if (types[type].kind == REAL)
    memcpy(to, types[type].size == 4 ? (const void *)&narrow : &real,
           types[type].size);
  else
    memcpy(to, &i, types[type].size);
}

static aq_status say_file(const aq_launch_arg *arg, aq_diag *diag)
{
  return aq_diag_set(diag, AQ_ERR_INPUT, "argument '%.100s': %s: %s", arg->text,
                     arg->from, strerror(errno));
}

/* How many elements there are, told or found. */
static aq_status file_measure(aq_launch_arg *arg, FILE *in, aq_diag *diag)
{
  const uint32_t size = types[arg->type].size;
  struct stat facts;
  if (fstat(fileno(in), &facts) != 0)
    return say_file(arg, diag);
  const uint64_t bytes = (uint64_t)facts.st_size;
  const uint64_t wanted = arg->count ? arg->count * size : bytes;
  if (bytes != wanted || bytes == 0 || bytes % size || bytes > bytes_max)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "argument '%.100s': %s has %" PRIu64
                       " bytes; expected %s%" PRIu64,
                       arg->text, arg->from, bytes,
                       arg->count ? "" : "4 GiB at most, a multiple of ",
                       arg->count ? wanted : size);
  arg->count = bytes / size;
  return AQ_OK;
}

/* Writes only where the contents differ: zeroed memory that stays 0 takes no
 * pages of the host, however large the grid is whose part is executed. */
static void number_fill(aq_launch_arg *arg)
{
  enum { PART = 1 << 16 };
  const uint64_t size = types[arg->type].size, bytes = arg->count * size;
  unsigned char part[PART];
  number_put(arg->type, arg->fill, part);
  for (uint64_t i = size; i < PART && i < bytes; i += size)
    memcpy(part + i, part, size);
  for (uint64_t at = 0; at < bytes; at += PART) {
    unsigned char *to = (unsigned char *)arg->memory + at;
    const size_t length = bytes - at < PART ? (size_t)(bytes - at) : PART;
    if (memcmp(to, part, length) != 0)
      memcpy(to, part, length);
  }
}

static void buffer_fill(aq_launch_arg *arg)
{
  if (strcmp(arg->fill, "iota") == 0) {
    const uint32_t size = types[arg->type].size;
    for (uint64_t i = 0; i < arg->count; i++)
      iota_put(arg->type, i, (unsigned char *)arg->memory + i * size);
  } else {
    number_fill(arg);
  }
}

/* Fills a buffer in memory of the transport, or (NULL) of the heap. */
static aq_status buffer_make(aq_transport *t, uint32_t device,
                             aq_launch_arg *arg, aq_diag *diag)
{
  const uint32_t size = types[arg->type].size;
  FILE *in = arg->from ? fopen(arg->from, "re") : NULL;
  if (arg->from && !in)
    return say_file(arg, diag);
  aq_status status = in ? file_measure(arg, in, diag) : AQ_OK;
  if (status == AQ_OK && t)
    status = t->ops->mem_alloc(t, device, AQ_MEMORY_HOST, arg->count * size,
                               &arg->memory, diag);
  else if (status == AQ_OK && !(arg->memory = calloc(arg->count, size)))
    status = aq_diag_no_memory(diag);
  if (status == AQ_OK && !in)
    buffer_fill(arg);
  else if (status == AQ_OK &&
           fread(arg->memory, size, arg->count, in) != arg->count)
    status = say_file(arg, diag);
  if (in)
    fclose(in);
  if (status == AQ_OK && t)
    t->ops->mem_publish(t, arg->memory, arg->count * size);
  return status;
}

aq_status aq_launch_arg_like(const aq_launch_arg *arg, const char *fill,
                             aq_launch_arg *out, aq_diag *diag)
{
  aq_launch_arg like = {.text = arg->text,
                        .type = arg->type,
                        .is_buffer = true,
                        .count = arg->count};
  aq_status status = AQ_OK;
  if (*fill == '@')
    like.from = fill + 1;
  else
    status = fill_read(&like, fill, diag);
  if (status == AQ_OK)
    status = buffer_make(NULL, 0, &like, diag);
  if (status == AQ_OK)
    *out = like;
  else
    free(like.memory);
  return status;
}

static aq_status arg_put(const aq_launch_arg *arg, const aq_code_arg *wanted,
                         size_t index, unsigned char *to, aq_diag *diag)
{
  const uint32_t size = arg->is_buffer ? 8 : types[arg->type].size;
  const bool pointer = wanted->kind && strcmp(wanted->kind, "by_value") != 0;
  if (size != wanted->size || (pointer && !arg->is_buffer))
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "argument '%.100s' has %u bytes; argument %zu of the "
                       "kernel is %s of %u bytes",
                       arg->text, size, index + 1,
                       pointer ? "a buffer's address" : "a value",
                       wanted->size);
  if (arg->is_buffer)
    memcpy(to + wanted->offset, &arg->memory, size);
  else
    number_put(arg->type, arg->fill, to + wanted->offset);
  return AQ_OK;
}

static size_t args_wanted(const aq_code_kernel *kernel)
{
  size_t wanted = 0;
  for (size_t i = 0; i < kernel->arg_count; i++)
    wanted += !kernel->args[i].hidden;
  return wanted;
}

static aq_status args_check(const aq_code_kernel *kernel, size_t count,
                            aq_diag *diag)
{
  if (!kernel->has_metadata && kernel->kernarg_size > 0)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "kernel %.100s: nothing describes its arguments",
                       kernel->name);
  if (count == args_wanted(kernel))
    return AQ_OK;
  return aq_diag_set(diag, AQ_ERR_INPUT,
                     "kernel %.100s takes %zu argument%s, %zu given",
                     kernel->name, args_wanted(kernel),
                     aq_text_plural(args_wanted(kernel)), count);
}

aq_status aq_launch_args_place(aq_transport *t, const aq_code_kernel *kernel,
                               aq_launch *launch, aq_launch_arg *args,
                               size_t count, aq_diag *diag)
{
  const uint32_t device = launch->device;
  void **kernarg = &launch->kernarg;
  const size_t size = kernel->kernarg_size ? kernel->kernarg_size : 1;
  aq_launch_shape shape = {.lds = launch->lds};
  size_t at = 0;
  memcpy(shape.grid, launch->grid, sizeof shape.grid);
  memcpy(shape.workgroup, launch->workgroup, sizeof shape.workgroup);
  aq_status status = args_check(kernel, count, diag);
  if (status == AQ_OK)
    status =
        t->ops->mem_alloc(t, device, AQ_MEMORY_KERNARG, size, kernarg, diag);
  if (status != AQ_OK)
    return status;
  memset(*kernarg, 0, size);
  for (size_t i = 0; i < kernel->arg_count && status == AQ_OK; i++) {
    const aq_code_arg *wanted = &kernel->args[i];
    if (wanted->hidden) {
      aq_launch_hidden_put(wanted, &shape, *kernarg);
      continue;
    }
    if (args[at].is_buffer)
      status = buffer_make(t, device, &args[at], diag);
    if (status == AQ_OK)
      status = arg_put(&args[at], wanted, at, *kernarg, diag);
    at++;
  }
  t->ops->mem_publish(t, *kernarg, size);
  return status;
}

/* ---- output ---- */

static int64_t whole_at(const aq_launch_arg *arg, uint64_t i)
{
  const uint32_t size = types[arg->type].size;
  uint64_t value = 0;
  memcpy(&value, (const char *)arg->memory + i * size, size);
  if (types[arg->type].kind == SIGNED && size < 8 &&
      value >> (size * 8 - 1) & 1)
    value |= ~UINT64_C(0) << (size * 8);
  return (int64_t)value;
}

static double real_at(const aq_launch_arg *arg, uint64_t i)
{
  float narrow;
  double value;
  if (types[arg->type].size == 8) {
    memcpy(&value, (const double *)arg->memory + i, sizeof value);
    return value;
  }
  memcpy(&narrow, (const float *)arg->memory + i, sizeof narrow);
  return narrow;
}

bool aq_launch_arg_differs(const aq_launch_arg *a, const aq_launch_arg *b,
                           uint64_t i, double tolerance)
{
  const uint32_t size = types[a->type].size;
  const bool same = memcmp((const char *)a->memory + i * size,
                           (const char *)b->memory + i * size, size) == 0;
  if (types[a->type].kind != REAL)
    return !same && !(fabs((double)whole_at(a, i) - (double)whole_at(b, i)) <=
                          tolerance * fmax(1, fabs((double)whole_at(b, i))) &&
                      tolerance > 0);
  const double x = real_at(a, i), y = real_at(b, i);
  return !same && x != y && !(isnan(x) && isnan(y)) &&
         !(fabs(x - y) <= tolerance * fmax(1, fabs(y)));
}

void aq_launch_arg_element(const aq_launch_arg *arg, uint64_t i,
                           char out[static AQ_LAUNCH_ELEMENT_SIZE])
{
  if (types[arg->type].kind == REAL)
    snprintf(out, AQ_LAUNCH_ELEMENT_SIZE, "%.9g", real_at(arg, i));
  else if (types[arg->type].kind == UNSIGNED)
    snprintf(out, AQ_LAUNCH_ELEMENT_SIZE, "%" PRIu64,
             (uint64_t)whole_at(arg, i));
  else
    snprintf(out, AQ_LAUNCH_ELEMENT_SIZE, "%" PRId64, whole_at(arg, i));
}

static uint64_t shown(const aq_launch_arg *arg, uint64_t most)
{
  return arg->count < most ? arg->count : most;
}

void aq_launch_arg_print(const aq_launch_arg *arg, uint64_t most, FILE *out)
{
  char element[AQ_LAUNCH_ELEMENT_SIZE];
  fprintf(out, "%s:", arg->text);
  for (uint64_t i = 0; i < shown(arg, most); i++) {
    aq_launch_arg_element(arg, i, element);
    fprintf(out, " %s", element);
  }
  fprintf(out, "%s\n", shown(arg, most) < arg->count ? " ..." : "");
}

void aq_launch_arg_json(const aq_launch_arg *arg, uint64_t most,
                        aq_json_out *json)
{
  char text[32];
  aq_json_out_map(json, NULL);
  aq_json_out_text(json, "argument", arg->text);
  aq_json_out_array(json, "values");
  for (uint64_t i = 0; i < shown(arg, most); i++) {
    if (types[arg->type].kind == SIGNED) {
      aq_json_out_int(json, NULL, whole_at(arg, i));
      continue;
    }
    /* Not a number and infinity have no JSON: they become texts. */
    if (types[arg->type].kind == REAL)
      snprintf(text, sizeof text, "%.17g", real_at(arg, i));
    else
      snprintf(text, sizeof text, "%" PRIu64, (uint64_t)whole_at(arg, i));
    aq_json_out_raw(json, NULL, text);
  }
  aq_json_out_close_array(json);
  aq_json_out_close_map(json);
}

/* Whole, or not at all. */
aq_status aq_launch_arg_write(const aq_launch_arg *arg, aq_diag *diag)
{
  char *path;
  aq_atomic_file part;
  if (!arg->to)
    return AQ_OK;
  if (asprintf(&path, "%.*s", arg->to_length, arg->to) < 0)
    return aq_diag_no_memory(diag);
  aq_diag why = AQ_DIAG_INIT;
  aq_status status = aq_atomic_file_open(&part, path, &why);
  if (status == AQ_OK) {
    fwrite(arg->memory, types[arg->type].size, arg->count, part.file);
    status = aq_atomic_file_commit(&part, path, &why);
  }
  if (status != AQ_OK)
    aq_diag_set(diag, status, "argument '%.100s': %s", arg->text, why.text);
  free(path);
  return status;
}

aq_status aq_launch_sizes_read(const char *option, const char *text,
                               uint32_t most, uint32_t out[3], aq_diag *diag)
{
  const char *at = text;
  for (int i = 0; i < 3; i++)
    out[i] = text != NULL;
  for (int i = 0; text && i < 3; i++) {
    char *end;
    const unsigned long long value = strtoull(at, &end, 10);
    if (*at < '0' || *at > '9' || value == 0 || value > most ||
        (*end && (*end != ',' || i == 2)))
      return aq_diag_set(diag, AQ_ERR_INPUT,
                         "--%s %s: expected X, X,Y or X,Y,Z, whole numbers "
                         "from 1 to %u",
                         option, text, most);
    out[i] = (uint32_t)value;
    if (!*end)
      break;
    at = end + 1;
  }
  return AQ_OK;
}
