/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/op_work.h"

#include <stdio.h>
#include <string.h>

#include "report/stats/op_arguments.h"

const char *const aq_op_family_names[AQ_OP_FAMILY_COUNT] = {
#define F(id, name) name,
    AQ_OP_FAMILIES(F)
#undef F
};

const char *const aq_op_type_names[AQ_TYPE_COUNT] = {
#define T(id, name, bytes) name,
    AQ_OP_TYPES(T)
#undef T
};

typedef struct figures {
  double flops, bytes;
} figures;

/* Computes the figures from the arguments; false: they lack something. `at` is
 * of the operator's row in the table. */
typedef bool work_function(const aq_op_arguments *a, int at, figures *out);

static bool is_tensor(const aq_op_arguments *a, size_t i, int rank)
{
  return i < a->count && a->inputs[i].tensor && a->inputs[i].rank >= rank;
}

static double dim(const aq_op_input *input, int i)
{
  return (double)input->dims[i < 0 ? input->rank + i : i];
}

/* ---- GEMM ---- */

/* [B,] M x K times K x N, with `bias` bytes of operations of their own. */
static bool gemm(const aq_op_input *x, const aq_op_input *y, bool transposed,
                 const aq_op_input *bias, figures *out)
{
  double rows = 1;
  const double k = dim(x, -1), n = dim(y, transposed ? -2 : -1);
  for (int i = 0; i < x->rank - 1; i++)
    rows *= dim(x, i);
  if (dim(y, transposed ? -1 : -2) != k)
    return false;
  out->flops = 2 * rows * n * k + (bias ? rows * n : 0);
  out->bytes = aq_op_bytes(x) + aq_op_bytes(y) +
               rows * n * aq_op_type_bytes[x->type] +
               (bias ? aq_op_bytes(bias) : 0);
  return true;
}

/* mm, bmm, _scaled_mm, matmul of equal batches: input `at` times the next. */
static bool product_work(const aq_op_arguments *a, int at, figures *out)
{
  if (!is_tensor(a, (size_t)at, 2) || !is_tensor(a, (size_t)at + 1, 2))
    return false;
  const aq_op_input *x = &a->inputs[at], *y = x + 1;
  for (int i = 0; y->rank > 2 && i < y->rank - 2; i++)
    if (x->rank != y->rank || x->dims[i] != y->dims[i])
      return false;
  return gemm(x, y, false, at ? &a->inputs[0] : NULL, out);
}

static bool linear_work(const aq_op_arguments *a, int at, figures *out)
{
  (void)at;
  if (!is_tensor(a, 0, 1) || !is_tensor(a, 1, 2) || a->inputs[1].rank != 2)
    return false;
  return gemm(&a->inputs[0], &a->inputs[1], true,
              is_tensor(a, 2, 1) ? &a->inputs[2] : NULL, out);
}

/* ---- convolution ---- */

/* Value i of a list; the last one counts for those behind. */
static double list_value(const aq_op_arguments *a, int at, int i, double none)
{
  int64_t values[AQ_OP_RANKS];
  if (at < 0 || (size_t)at >= a->count)
    return none;
  const int count = aq_op_integers(&a->inputs[at], values, AQ_OP_RANKS);
  return count ? (double)values[i < count ? i : count - 1] : none;
}

/* Where the arguments of a convolution are. */
typedef struct convolution {
  int input, weight, bias, stride, padding, dilation, transposed;
} convolution;

static bool convolve(const aq_op_arguments *a, const convolution *at,
                     double *flops, double *output)
{
  if ((size_t)at->stride >= a->count || (size_t)at->padding >= a->count ||
      !*a->inputs[at->stride].value || !*a->inputs[at->padding].value ||
      !is_tensor(a, (size_t)at->input, 3) ||
      !is_tensor(a, (size_t)at->weight, 3) ||
      a->inputs[at->input].rank != a->inputs[at->weight].rank)
    return false;
  const aq_op_input *x = &a->inputs[at->input], *w = &a->inputs[at->weight];
  const bool transposed = at->transposed >= 0 &&
                          (size_t)at->transposed < a->count &&
                          aq_op_is_true(&a->inputs[at->transposed]);
  double places = dim(x, 0), kernel = 1, inputs = dim(x, 0);
  for (int i = 2; i < x->rank; i++) {
    const double size = dim(w, i), step = list_value(a, at->stride, i - 2, 1);
    const double pad = list_value(a, at->padding, i - 2, 0);
    const double spread =
        list_value(a, at->dilation, i - 2, 1) * (size - 1) + 1;
    const double room = dim(x, i) + 2 * pad - spread;
    if (step < 1 || (!transposed && room < 0))
      return false;
    kernel *= size;
    inputs *= dim(x, i);
    places *= transposed ? (dim(x, i) - 1) * step - 2 * pad + spread
                         : (double)(int64_t)(room / step) + 1;
  }
  /* The weight is [out, in / groups, …], of a transposed one [in, out /
   * groups, …]: each place of the output, or input, meets dim 1 of it. */
  *flops = 2 * (transposed ? inputs : places) * dim(w, 0) * dim(w, 1) * kernel;
  *output = places * (transposed ? dim(w, 1) : dim(w, 0));
  return true;
}

static const convolution convolutions[] = {
    {0, 1, 2, 3, 4, 5, 6},   /* aten::convolution, _convolution */
    {0, 1, 2, 4, 3, 5, -1},  /* aten::miopen_convolution */
    {0, 1, -1, 3, 2, 4, -1}, /* aten::cudnn_convolution */
};

static bool convolution_work(const aq_op_arguments *a, int at, figures *out)
{
  const convolution *c = &convolutions[at];
  double output;
  if (!convolve(a, c, &out->flops, &output))
    return false;
  const bool bias = c->bias >= 0 && is_tensor(a, (size_t)c->bias, 1);
  out->flops += bias ? output : 0;
  out->bytes = aq_op_bytes(&a->inputs[0]) + aq_op_bytes(&a->inputs[1]) +
               output * aq_op_type_bytes[a->inputs[0].type] +
               (bias ? aq_op_bytes(&a->inputs[c->bias]) : 0);
  return true;
}

/* aten::convolution_backward: one convolution for each gradient asked for. */
static bool convolution_backward_work(const aq_op_arguments *a, int at,
                                      figures *out)
{
  static const convolution c = {1, 2, -1, 4, 5, 6, 7};
  enum { MASK = 10 };
  double forward, output;
  (void)at;
  if (!is_tensor(a, 0, 3) || a->count <= MASK ||
      !convolve(a, &c, &forward, &output))
    return false;
  const char *mask = a->inputs[MASK].value;
  const bool input = strncmp(mask, "[True", 5) == 0;
  const char *comma = strchr(mask, ',');
  const bool weight = comma && strncmp(comma, ", True", 6) == 0;
  if (!comma)
    return false;
  const double x = aq_op_bytes(&a->inputs[1]), w = aq_op_bytes(&a->inputs[2]);
  out->flops = forward * (input + weight);
  out->bytes = aq_op_bytes(&a->inputs[0]) * (input + weight) +
               (input ? w + x : 0) + (weight ? x + w : 0);
  return true;
}

/* ---- attention ---- */

/* Queries, keys and values [B, H, N, d] from input `at` % 8 on; the flag of
 * causal attention is input `at` / 8. */
static bool attention_work(const aq_op_arguments *a, int at, figures *out)
{
  const size_t q = (size_t)at % 8, causal = (size_t)at / 8;
  if (!is_tensor(a, q, 4) || !is_tensor(a, q + 1, 4) ||
      !is_tensor(a, q + 2, 4) ||
      (causal < a->count && !*a->inputs[causal].value))
    return false;
  const aq_op_input *queries = &a->inputs[q], *keys = queries + 1,
                    *values = queries + 2;
  const double pairs =
      dim(queries, 0) * dim(queries, 1) * dim(queries, 2) * dim(keys, 2);
  out->flops = 2 * pairs * (dim(queries, 3) + dim(values, 3));
  if (causal < a->count && aq_op_is_true(&a->inputs[causal]) &&
      queries->dims[2] == keys->dims[2])
    out->flops /= 2;
  out->bytes = aq_op_bytes(queries) + aq_op_bytes(keys) + aq_op_bytes(values) +
               aq_op_elements(queries) / dim(queries, 3) * dim(values, 3) *
                   aq_op_type_bytes[queries->type];
  if (q == 0)
    return true;
  /* The backward: five products for two; it reads the output and writes three
   * gradients. */
  out->flops *= 2.5;
  out->bytes *= 2;
  return true;
}

/* ---- the rest ---- */

/* Operations an element of the input: `at`. */
static bool norm_work(const aq_op_arguments *a, int at, figures *out)
{
  if (!is_tensor(a, 0, 1))
    return false;
  out->flops = at * aq_op_elements(&a->inputs[0]);
  out->bytes = 2 * aq_op_bytes(&a->inputs[0]);
  for (size_t i = 1; i < a->count; i++)
    out->bytes += aq_op_bytes(&a->inputs[i]);
  return true;
}

/* One tensor in, one of its type out; of copy_ the second is read. */
static bool unary_work(const aq_op_arguments *a, int at, figures *out)
{
  if (!is_tensor(a, 0, 0))
    return false;
  const double bytes = aq_op_bytes(&a->inputs[0]);
  out->flops = aq_op_elements(&a->inputs[0]);
  out->bytes =
      at && is_tensor(a, 1, 0) ? bytes + aq_op_bytes(&a->inputs[1]) : 2 * bytes;
  return true;
}

/* Two tensors that are made as large as each other; a number is none. */
static bool binary_work(const aq_op_arguments *a, int at, figures *out)
{
  if (!is_tensor(a, 0, 0))
    return false;
  if (!is_tensor(a, 1, 0))
    return unary_work(a, at, out);
  const aq_op_input *x = &a->inputs[0], *y = &a->inputs[1];
  const int rank = x->rank > y->rank ? x->rank : y->rank;
  double elements = 1;
  for (int i = 1; i <= rank; i++) {
    const int64_t m = i <= x->rank ? x->dims[x->rank - i] : 1;
    const int64_t n = i <= y->rank ? y->dims[y->rank - i] : 1;
    elements *= (double)(m > n ? m : n);
  }
  double size = aq_op_type_bytes[x->type];
  if (x->rank == 0 || (y->rank > 0 && aq_op_type_bytes[y->type] > size))
    size = aq_op_type_bytes[y->type];
  out->flops = elements;
  out->bytes = aq_op_bytes(x) + aq_op_bytes(y) + elements * size;
  return true;
}

/* Over the dimensions that the second value lists, else over all. */
static bool reduce_work(const aq_op_arguments *a, int at, figures *out)
{
  (void)at;
  if (!is_tensor(a, 0, 0))
    return false;
  const aq_op_input *x = &a->inputs[0];
  int64_t over[AQ_OP_RANKS];
  const int count = a->count > 1 && !a->inputs[1].tensor
                        ? aq_op_integers(&a->inputs[1], over, AQ_OP_RANKS)
                        : 0;
  double left = aq_op_elements(x);
  out->flops = left;
  for (int i = 0; i < count; i++) {
    const int64_t at_dim = over[i] < 0 ? over[i] + x->rank : over[i];
    if (at_dim < 0 || at_dim >= x->rank || x->dims[at_dim] == 0)
      return false;
    left /= (double)x->dims[at_dim];
  }
  out->bytes = aq_op_bytes(x) + (count ? left : 1) * aq_op_type_bytes[x->type];
  return true;
}

static const struct {
  const char *name; /* behind "aten::"; in place, with a '_' behind it, too */
  aq_op_family family;
  work_function *work; /* NULL: not modelled */
  int at;
} models[] = {
    {"mm", AQ_OP_FAMILY_GEMM, product_work, 0},
    {"bmm", AQ_OP_FAMILY_GEMM, product_work, 0},
    {"matmul", AQ_OP_FAMILY_GEMM, product_work, 0},
    {"_scaled_mm", AQ_OP_FAMILY_GEMM, product_work, 0},
    {"addmm", AQ_OP_FAMILY_GEMM, product_work, 1},
    {"baddbmm", AQ_OP_FAMILY_GEMM, product_work, 1},
    {"_addmm_activation", AQ_OP_FAMILY_GEMM, product_work, 1},
    {"linear", AQ_OP_FAMILY_GEMM, linear_work, 0},
    {"convolution", AQ_OP_FAMILY_CONVOLUTION, convolution_work, 0},
    {"_convolution", AQ_OP_FAMILY_CONVOLUTION, convolution_work, 0},
    {"miopen_convolution", AQ_OP_FAMILY_CONVOLUTION, convolution_work, 1},
    {"cudnn_convolution", AQ_OP_FAMILY_CONVOLUTION, convolution_work, 2},
    {"convolution_backward", AQ_OP_FAMILY_CONVOLUTION,
     convolution_backward_work, 0},
    {"_scaled_dot_product_flash_attention", AQ_OP_FAMILY_ATTENTION,
     attention_work, 4 * 8},
    {"_scaled_dot_product_efficient_attention", AQ_OP_FAMILY_ATTENTION,
     attention_work, 6 * 8},
    {"_scaled_dot_product_flash_attention_backward", AQ_OP_FAMILY_ATTENTION,
     attention_work, 11 * 8 + 1},
    {"native_layer_norm", AQ_OP_FAMILY_NORM, norm_work, 8},
    {"layer_norm", AQ_OP_FAMILY_NORM, norm_work, 8},
    {"native_group_norm", AQ_OP_FAMILY_NORM, norm_work, 8},
    {"group_norm", AQ_OP_FAMILY_NORM, norm_work, 8},
    {"native_batch_norm", AQ_OP_FAMILY_NORM, norm_work, 8},
    {"miopen_batch_norm", AQ_OP_FAMILY_NORM, norm_work, 8},
    {"cudnn_batch_norm", AQ_OP_FAMILY_NORM, norm_work, 8},
    {"batch_norm", AQ_OP_FAMILY_NORM, norm_work, 8},
    {"rms_norm", AQ_OP_FAMILY_NORM, norm_work, 4},
    {"_fused_rms_norm", AQ_OP_FAMILY_NORM, norm_work, 4},
    {"native_layer_norm_backward", AQ_OP_FAMILY_NORM, NULL, 0},
    {"native_group_norm_backward", AQ_OP_FAMILY_NORM, NULL, 0},
    {"native_batch_norm_backward", AQ_OP_FAMILY_NORM, NULL, 0},
    {"miopen_batch_norm_backward", AQ_OP_FAMILY_NORM, NULL, 0},
    {"_fused_rms_norm_backward", AQ_OP_FAMILY_NORM, NULL, 0},
    {"copy_", AQ_OP_FAMILY_ELEMENTWISE, unary_work, 1},
    {"pow", AQ_OP_FAMILY_ELEMENTWISE, unary_work, 0},
    {"silu", AQ_OP_FAMILY_ELEMENTWISE, unary_work, 0},
    {"gelu", AQ_OP_FAMILY_ELEMENTWISE, unary_work, 0},
    {"relu", AQ_OP_FAMILY_ELEMENTWISE, unary_work, 0},
    {"sigmoid", AQ_OP_FAMILY_ELEMENTWISE, unary_work, 0},
    {"tanh", AQ_OP_FAMILY_ELEMENTWISE, unary_work, 0},
    {"exp", AQ_OP_FAMILY_ELEMENTWISE, unary_work, 0},
    {"log", AQ_OP_FAMILY_ELEMENTWISE, unary_work, 0},
    {"sqrt", AQ_OP_FAMILY_ELEMENTWISE, unary_work, 0},
    {"rsqrt", AQ_OP_FAMILY_ELEMENTWISE, unary_work, 0},
    {"neg", AQ_OP_FAMILY_ELEMENTWISE, unary_work, 0},
    {"abs", AQ_OP_FAMILY_ELEMENTWISE, unary_work, 0},
    {"cos", AQ_OP_FAMILY_ELEMENTWISE, unary_work, 0},
    {"sin", AQ_OP_FAMILY_ELEMENTWISE, unary_work, 0},
    {"clamp", AQ_OP_FAMILY_ELEMENTWISE, unary_work, 0},
    {"clamp_min", AQ_OP_FAMILY_ELEMENTWISE, unary_work, 0},
    {"add", AQ_OP_FAMILY_ELEMENTWISE, binary_work, 0},
    {"sub", AQ_OP_FAMILY_ELEMENTWISE, binary_work, 0},
    {"mul", AQ_OP_FAMILY_ELEMENTWISE, binary_work, 0},
    {"div", AQ_OP_FAMILY_ELEMENTWISE, binary_work, 0},
    {"mean", AQ_OP_FAMILY_REDUCE, reduce_work, 0},
    {"sum", AQ_OP_FAMILY_REDUCE, reduce_work, 0},
    {"amax", AQ_OP_FAMILY_REDUCE, reduce_work, 0},
    {"amin", AQ_OP_FAMILY_REDUCE, reduce_work, 0},
};

enum { NO_MODEL = -1 };

static int model_of(const char *name)
{
  static const char prefix[] = "aten::";
  if (strncmp(name, prefix, sizeof prefix - 1) != 0)
    return NO_MODEL;
  name += sizeof prefix - 1;
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    const size_t length = strlen(models[i].name);
    if (strncmp(models[i].name, name, length) == 0 &&
        (!name[length] || strcmp(name + length, "_") == 0))
      return (int)i;
  }
  return NO_MODEL;
}

/* ---- collectives ---- */

/* Collectives in which all ranks wait for all, by words of their names. What
 * each rank's links carry of a message, of n ranks, is `passes` times
 * (n - 1) / n of it, as NCCL's tests count it; 0: no such rule. */
static const struct {
  const char *word;
  double passes;
} collectives[] = {{"all_reduce", 2}, {"allreduce", 2},      {"all_gather", 1},
                   {"allgather", 1},  {"reduce_scatter", 1}, {"all_to_all", 1},
                   {"alltoall", 1},   {"barrier", 0}};

static const double *passes_of(const char *collective)
{
  for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
    if (strstr(collective, collectives[i].word))
      return &collectives[i].passes;
  return NULL;
}

bool aq_op_waits_for_all(const char *collective)
{
  return passes_of(collective) != NULL;
}

static double bus_factor(const char *collective, double n)
{
  const double *passes = passes_of(collective);
  return passes && *passes > 0 ? *passes * (n - 1) / n : 1;
}

static aq_op_work collective_work(const aq_op_arguments *a)
{
  aq_op_work work = {.family = AQ_OP_FAMILY_COMMUNICATION,
                     .type = a->collective_type,
                     .ranks = a->group};
  const int64_t elements =
      a->elements_in > a->elements_out ? a->elements_in : a->elements_out;
  if (elements <= 0 || aq_op_type_bytes[a->collective_type] <= 0)
    return work;
  work.known = true;
  work.bytes = (double)elements * aq_op_type_bytes[a->collective_type];
  if (a->group > 1)
    work.bus_bytes = work.bytes * bus_factor(a->collective, (double)a->group);
  return work;
}

/* ---- shapes ---- */

static void input_put(FILE *to, const aq_op_input *input)
{
  fprintf(to, "%s[", aq_op_type_names[input->type]);
  for (int i = 0; i < input->rank; i++)
    fprintf(to, "%s%lld", i ? "," : "", (long long)input->dims[i]);
  if (!input->shaped)
    fputs(input->rank > 0 ? ",?" : "?", to);
  fputc(']', to);
}

static void shape_put(FILE *to, const char *name, const aq_op_arguments *a)
{
  const char *between = "";
  fprintf(to, "%s(", name);
  for (size_t i = 0; i < a->count; i++) {
    if (!a->inputs[i].tensor && !a->inputs[i].unreadable)
      continue;
    fputs(between, to);
    input_put(to, &a->inputs[i]);
    between = ", ";
  }
  fputc(')', to);
}

static aq_op_work operator_work(const char *name, const aq_op_arguments *a)
{
  figures f;
  const int model = model_of(name);
  aq_op_work work = {.family =
                         model < 0 ? AQ_OP_FAMILY_OTHER : models[model].family,
                     .unreadable = a->unreadable,
                     .ranks = -1};
  for (size_t i = a->count; i-- > 0;)
    if (a->inputs[i].tensor)
      work.type = a->inputs[i].type;
  work.known = !a->unreadable && model >= 0 && models[model].work &&
               models[model].work(a, models[model].at, &f);
  if (work.known) {
    work.flops = f.flops;
    work.bytes = f.bytes;
  }
  return work;
}

bool aq_op_work_of(const char *name, const char *arguments, aq_op_work *work,
                   char **shape, char **group)
{
  aq_op_arguments a = {.collective = "", .group_name = "", .group_ranks = ""};
  aq_diag diag = AQ_DIAG_INIT;
  aq_status status =
      arguments ? aq_op_arguments_read(arguments, &a, &diag) : AQ_OK;
  size_t size;
  FILE *to = status == AQ_ERR_NO_MEMORY ? NULL : open_memstream(shape, &size);
  if (!to) {
    aq_op_arguments_fini(&a);
    return false;
  }
  a.unreadable |= status != AQ_OK;
  if (*a.collective) {
    *work = collective_work(&a);
    fprintf(to, "%s %s[%lld], %lld ranks", a.collective,
            aq_op_type_names[a.collective_type], (long long)a.elements_in,
            (long long)a.group);
  } else {
    *work = operator_work(name, &a);
    if (arguments && status == AQ_OK)
      shape_put(to, name, &a);
    else
      fputs(name, to);
  }
  const bool grouped =
      asprintf(group, "%s %s", a.group_name, a.group_ranks) >= 0;
  if (!grouped)
    *group = NULL;
  aq_op_arguments_fini(&a);
  const bool wrote = !ferror(to);
  return fclose(to) == 0 && wrote && grouped;
}
