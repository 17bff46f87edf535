/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/op_arguments.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* How PyTorch spells the types of elements. */
static const struct {
  const char *text;
  aq_op_type type;
} spellings[] = {
    {"float", AQ_TYPE_F32},
    {"double", AQ_TYPE_F64},
    {"c10::BFloat16", AQ_TYPE_BF16},
    {"c10::Half", AQ_TYPE_F16},
    {"long int", AQ_TYPE_I64},
    {"long", AQ_TYPE_I64},
    {"int", AQ_TYPE_I32},
    {"short int", AQ_TYPE_I16},
    {"short", AQ_TYPE_I16},
    {"signed char", AQ_TYPE_I8},
    {"char", AQ_TYPE_I8},
    {"unsigned char", AQ_TYPE_U8},
    {"bool", AQ_TYPE_BOOL},
    {"Float", AQ_TYPE_F32},
    {"Double", AQ_TYPE_F64},
    {"BFloat16", AQ_TYPE_BF16},
    {"Half", AQ_TYPE_F16},
    {"Long", AQ_TYPE_I64},
    {"Int", AQ_TYPE_I32},
    {"Short", AQ_TYPE_I16},
    {"Char", AQ_TYPE_I8},
    {"Byte", AQ_TYPE_U8},
    {"Bool", AQ_TYPE_BOOL},
};

const double aq_op_type_bytes[AQ_TYPE_COUNT] = {
#define T(id, name, bytes) bytes,
    AQ_OP_TYPES(T)
#undef T
};

static aq_op_type type_of(const char *text)
{
  if (strstr(text, "Float8"))
    return AQ_TYPE_F8;
  for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
    if (strcmp(spellings[i].text, text) == 0)
      return spellings[i].type;
  return AQ_TYPE_UNKNOWN;
}

/* What PyTorch calls inputs that are no tensors. */
static bool is_other(const char *type)
{
  static const char *const words[] = {"",       "Scalar",   "ComplexDouble",
                                      "SymInt", "SymFloat", "SymBool"};
  const size_t length = strlen(type);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(words[i], type) == 0)
      return true;
  return length >= 4 && strcmp(type + length - 4, "List") == 0;
}

/* An element of an array; false: the array has none there. */
static bool element(const aq_json_node *array, size_t i, aq_json_node *out)
{
  size_t count;
  if (!aq_json_is_array(array) ||
      aq_json_array(array, 0, SIZE_MAX, &count) != AQ_OK || i >= count)
    return false;
  *out = aq_json_element(array, i);
  return true;
}

/* The text of a string; "" of anything else. */
static const char *text_of(const aq_json_node *node)
{
  const char *text = "";
  if (!aq_json_is_text(node) || aq_json_text(node, &text) != AQ_OK)
    return "";
  return text;
}

/* False: more dimensions than are kept, or others than numbers. */
static bool dims_read(const aq_json_node *node, aq_op_input *out)
{
  aq_json_node dim;
  if (!aq_json_is_array(node))
    return false;
  for (out->rank = 0; element(node, (size_t)out->rank, &dim); out->rank++)
    if (out->rank == AQ_OP_RANKS ||
        aq_json_integer(&dim, 0, INT64_MAX, &out->dims[out->rank]) != AQ_OK)
      return false;
  return true;
}

/* False: no memory. */
static bool inputs_read(const aq_json_node *root, aq_op_arguments *out)
{
  aq_json_node dims, types, values, one;
  const bool has_dims = aq_json_member(root, "dims", &dims);
  const bool has_values = aq_json_member(root, "values", &values);
  if (!aq_json_member(root, "types", &types))
    return true;
  for (size_t i = 0; element(&types, i, &one); i++) {
    const char *type = text_of(&one);
    if (!AQ_ARRAY_PUSH(out->inputs, out->count, out->capacity,
                       (aq_op_input){.type = type_of(type), .value = ""}))
      return false;
    aq_op_input *input = &out->inputs[i];
    const bool other = input->type == AQ_TYPE_UNKNOWN && is_other(type);
    input->shaped =
        !other && has_dims && element(&dims, i, &one) && dims_read(&one, input);
    input->tensor = input->shaped && input->type != AQ_TYPE_UNKNOWN;
    input->unreadable = !other && !input->tensor;
    out->unreadable |= input->unreadable;
    if (has_values && element(&values, i, &one))
      input->value = text_of(&one);
  }
  return true;
}

static int64_t number_of(const aq_json_node *root, const char *key)
{
  aq_json_node node;
  int64_t value = -1;
  if (!aq_json_member(root, key, &node) ||
      aq_json_integer(&node, 0, INT64_MAX, &value) != AQ_OK)
    return -1;
  return value;
}

aq_status aq_op_arguments_read(const char *text, aq_op_arguments *out,
                               aq_diag *diag)
{
  aq_json_node node;
  *out = (aq_op_arguments){.collective = "",
                           .elements_in = -1,
                           .elements_out = -1,
                           .group = -1,
                           .group_name = "",
                           .group_ranks = ""};
  aq_status status =
      aq_json_parse(&out->doc, text, strlen(text), "arguments", diag);
  if (status != AQ_OK)
    return status;
  const aq_json_node root = aq_json_root(&out->doc);
  if (!aq_json_is_object(&root))
    return aq_json_error(&root, "expected an object");
  if (!inputs_read(&root, out))
    return aq_diag_no_memory(diag);
  if (aq_json_member(&root, "collective", &node))
    out->collective = text_of(&node);
  if (aq_json_member(&root, "dtype", &node))
    out->collective_type = type_of(text_of(&node));
  out->elements_in = number_of(&root, "in");
  out->elements_out = number_of(&root, "out");
  out->group = number_of(&root, "group");
  if (aq_json_member(&root, "group_name", &node))
    out->group_name = text_of(&node);
  if (aq_json_member(&root, "group_ranks", &node))
    out->group_ranks = text_of(&node);
  return AQ_OK;
}

void aq_op_arguments_fini(aq_op_arguments *arguments)
{
  aq_json_free(&arguments->doc);
  free(arguments->inputs);
}

double aq_op_elements(const aq_op_input *input)
{
  double elements = 1;
  for (int i = 0; i < input->rank; i++)
    elements *= (double)input->dims[i];
  return elements;
}

double aq_op_bytes(const aq_op_input *input)
{
  return input->tensor ? aq_op_elements(input) * aq_op_type_bytes[input->type]
                       : 0;
}

int aq_op_integers(const aq_op_input *input, int64_t *out, int max)
{
  int count = 0;
  const char *at = input->value;
  while (count < max) {
    char *end;
    at += strspn(at, "[, ");
    out[count] = strtoll(at, &end, 10);
    if (end == at)
      break;
    at = end;
    count++;
  }
  return count;
}

bool aq_op_is_true(const aq_op_input *input)
{
  return strcmp(input->value, "True") == 0;
}
