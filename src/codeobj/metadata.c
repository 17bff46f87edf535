/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "codeobj/metadata.h"

#include <msgpack.h>
#include <string.h>

/* ---- before it is unpacked ---- */

/* How many bytes of a MessagePack value follow its first, and how many values
 * it holds, for the formats that have a length. */
typedef struct head {
  unsigned length_bytes; /* that hold the count */
  unsigned fixed;        /* payload bytes beside the counted ones */
  unsigned values;       /* values for each counted: 0 (bytes), 1, 2 */
} head;

static bool head_of(unsigned char first, head *out)
{
  static const struct {
    unsigned char from, to;
    head head;
  } heads[] = {
      {0xc4, 0xc4, {1, 0, 0}},  {0xc5, 0xc5, {2, 0, 0}},
      {0xc6, 0xc6, {4, 0, 0}},  {0xc7, 0xc7, {1, 1, 0}},
      {0xc8, 0xc8, {2, 1, 0}},  {0xc9, 0xc9, {4, 1, 0}},
      {0xca, 0xca, {0, 4, 0}},  {0xcb, 0xcb, {0, 8, 0}},
      {0xcc, 0xcc, {0, 1, 0}},  {0xcd, 0xcd, {0, 2, 0}},
      {0xce, 0xce, {0, 4, 0}},  {0xcf, 0xcf, {0, 8, 0}},
      {0xd0, 0xd0, {0, 1, 0}},  {0xd1, 0xd1, {0, 2, 0}},
      {0xd2, 0xd2, {0, 4, 0}},  {0xd3, 0xd3, {0, 8, 0}},
      {0xd4, 0xd4, {0, 2, 0}},  {0xd5, 0xd5, {0, 3, 0}},
      {0xd6, 0xd6, {0, 5, 0}},  {0xd7, 0xd7, {0, 9, 0}},
      {0xd8, 0xd8, {0, 17, 0}}, {0xd9, 0xd9, {1, 0, 0}},
      {0xda, 0xda, {2, 0, 0}},  {0xdb, 0xdb, {4, 0, 0}},
      {0xdc, 0xdc, {2, 0, 1}},  {0xdd, 0xdd, {4, 0, 1}},
      {0xde, 0xde, {2, 0, 2}},  {0xdf, 0xdf, {4, 0, 2}},
  };
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
    if (heads[i].from == first) {
      *out = heads[i].head;
      return true;
    }
  *out = (head){0, 0, 0};
  return first != 0xc1; /* never used */
}

/* Whether no value claims more than the bytes that are left: the unpacker
 * allocates what arrays and maps claim. */
static bool claims_fit(const unsigned char *bytes, size_t size)
{
  size_t at = 0;
  uint64_t pending = 1;
  while (pending > 0) {
    head h;
    uint64_t count = 0, skip;
    if (at >= size || pending > size - at || !head_of(bytes[at], &h))
      return false;
    const unsigned char first = bytes[at++];
    if (h.length_bytes > size - at)
      return false;
    for (unsigned i = 0; i < h.length_bytes; i++)
      count = count << 8 | bytes[at++];
    if (first >= 0x80 && first <= 0x9f) {
      count = first & 0xf;
      h.values = first < 0x90 ? 2 : 1;
    } else if (first >= 0xa0 && first <= 0xbf) {
      count = first & 0x1f;
    }
    skip = h.fixed + (h.values ? 0 : count);
    if (skip > size - at)
      return false;
    at += skip;
    pending += count * h.values - 1;
  }
  return true;
}

/* ---- values ---- */

enum { KERNEL_BYTES_MIN = 16, ARG_BYTES_MIN = 12 }; /* in the note */

typedef struct reader {
  aq_codeobj *out;
  size_t size; /* of the note */
  aq_diag *diag;
  const char *kernel; /* for messages, or NULL */
} reader;

static aq_status say(reader *r, const char *what)
{
  return aq_diag_set(r->diag, AQ_ERR_INPUT, "metadata%s%.100s: %s",
                     r->kernel ? " of kernel " : "", r->kernel ? r->kernel : "",
                     what);
}

static aq_status say_no_memory(reader *r)
{
  return aq_diag_set(r->diag, AQ_ERR_NO_MEMORY,
                     "out of memory for a code object");
}

static const msgpack_object *member(const msgpack_object *map, const char *key)
{
  for (uint32_t i = 0; i < map->via.map.size; i++) {
    const msgpack_object_kv *pair = &map->via.map.ptr[i];
    if (pair->key.type == MSGPACK_OBJECT_STR &&
        pair->key.via.str.size == strlen(key) &&
        memcmp(pair->key.via.str.ptr, key, strlen(key)) == 0)
      return &pair->val;
  }
  return NULL;
}

/* Stays as it is where there is no such member. */
static aq_status text_read(reader *r, const msgpack_object *map,
                           const char *key, const char **out)
{
  const msgpack_object *value = member(map, key);
  if (!value)
    return AQ_OK;
  if (value->type != MSGPACK_OBJECT_STR ||
      memchr(value->via.str.ptr, 0, value->via.str.size))
    return aq_diag_set(r->diag, AQ_ERR_INPUT,
                       "metadata: %s is not a text; expected one", key);
  *out = aq_arena_text(&r->out->arena, value->via.str.ptr, value->via.str.size);
  return *out ? AQ_OK : say_no_memory(r);
}

static aq_status number_read(reader *r, const msgpack_object *map,
                             const char *key, uint32_t *out)
{
  const msgpack_object *value = member(map, key);
  if (!value)
    return AQ_OK;
  if (value->type != MSGPACK_OBJECT_POSITIVE_INTEGER ||
      value->via.u64 > UINT32_MAX)
    return aq_diag_set(r->diag, AQ_ERR_INPUT,
                       "metadata: %s is no number from 0 to 4294967295", key);
  *out = (uint32_t)value->via.u64;
  return AQ_OK;
}

static aq_status numbers_read(reader *r, const msgpack_object *map,
                              const char *key, uint32_t *out, uint32_t count)
{
  const msgpack_object *value = member(map, key);
  if (!value)
    return AQ_OK;
  if (value->type != MSGPACK_OBJECT_ARRAY || value->via.array.size != count)
    return aq_diag_set(r->diag, AQ_ERR_INPUT,
                       "metadata: %s is no array of %u numbers", key, count);
  for (uint32_t i = 0; i < count; i++) {
    const msgpack_object *item = &value->via.array.ptr[i];
    if (item->type != MSGPACK_OBJECT_POSITIVE_INTEGER ||
        item->via.u64 > UINT32_MAX)
      return aq_diag_set(r->diag, AQ_ERR_INPUT,
                         "metadata: %s has no number at %u", key, i);
    out[i] = (uint32_t)item->via.u64;
  }
  return AQ_OK;
}

/* ---- arguments ---- */

static aq_status arg_read(reader *r, const msgpack_object *map,
                          const aq_code_kernel *kernel, aq_code_arg *arg)
{
  if (map->type != MSGPACK_OBJECT_MAP)
    return say(r, "an argument is not a map");
  aq_status status = text_read(r, map, ".name", &arg->name);
  if (status == AQ_OK)
    status = text_read(r, map, ".type_name", &arg->type);
  if (status == AQ_OK)
    status = text_read(r, map, ".value_kind", &arg->kind);
  if (status == AQ_OK)
    status = text_read(r, map, ".address_space", &arg->space);
  if (status == AQ_OK)
    status = text_read(r, map, ".access", &arg->access);
  if (status == AQ_OK)
    status = number_read(r, map, ".offset", &arg->offset);
  if (status == AQ_OK)
    status = number_read(r, map, ".size", &arg->size);
  if (status != AQ_OK)
    return status;
  if (!arg->kind)
    return say(r, "an argument has no .value_kind");
  if ((uint64_t)arg->offset + arg->size > kernel->kernarg_size)
    return say(r, "an argument lies outside of the kernarg segment");
  arg->hidden = strncmp(arg->kind, "hidden_", 7) == 0;
  return AQ_OK;
}

static aq_status args_read(reader *r, const msgpack_object *map,
                           aq_code_kernel *kernel)
{
  const msgpack_object *list = member(map, ".args");
  if (!list)
    return AQ_OK;
  if (list->type != MSGPACK_OBJECT_ARRAY ||
      list->via.array.size > r->size / ARG_BYTES_MIN)
    return say(r, ".args is not an array of arguments");
  const uint32_t count = list->via.array.size;
  aq_code_arg *args =
      aq_arena_alloc(&r->out->arena, (count + 1) * sizeof *args);
  if (!args)
    return say_no_memory(r);
  for (uint32_t i = 0; i < count; i++) {
    aq_status status = arg_read(r, &list->via.array.ptr[i], kernel, &args[i]);
    if (status != AQ_OK)
      return status;
  }
  kernel->args = args;
  kernel->arg_count = count;
  return AQ_OK;
}

/* ---- kernels ---- */

static aq_status kernel_numbers_read(reader *r, const msgpack_object *map,
                                     aq_code_kernel *k)
{
  const struct {
    const char *key;
    uint32_t *to;
  } numbers[] = {
      {".kernarg_segment_size", &k->kernarg_size},
      {".kernarg_segment_align", &k->kernarg_align},
      {".group_segment_fixed_size", &k->group_size},
      {".private_segment_fixed_size", &k->private_size},
      {".max_flat_workgroup_size", &k->workgroup_max},
      {".wavefront_size", &k->wave_size},
      {".sgpr_count", &k->sgprs},
      {".vgpr_count", &k->vgprs},
      {".agpr_count", &k->agprs},
      {".sgpr_spill_count", &k->sgpr_spills},
      {".vgpr_spill_count", &k->vgpr_spills},
  };
  aq_status status = AQ_OK;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers && status == AQ_OK;
       i++)
    status = number_read(r, map, numbers[i].key, numbers[i].to);
  if (status == AQ_OK)
    status = numbers_read(r, map, ".reqd_workgroup_size", k->workgroup, 3);
  return status;
}

static aq_status kernel_read(reader *r, const msgpack_object *map,
                             aq_code_kernel *kernel)
{
  r->kernel = NULL;
  if (map->type != MSGPACK_OBJECT_MAP)
    return say(r, "a kernel is not a map");
  aq_status status = text_read(r, map, ".name", &kernel->name);
  if (status == AQ_OK)
    status = text_read(r, map, ".symbol", &kernel->symbol);
  if (status != AQ_OK)
    return status;
  if (!kernel->name || !kernel->symbol)
    return say(r, "a kernel has no .name or no .symbol");
  r->kernel = kernel->name;
  kernel->has_metadata = true;
  status = kernel_numbers_read(r, map, kernel);
  const msgpack_object *stack = member(map, ".uses_dynamic_stack");
  kernel->dynamic_stack =
      stack && stack->type == MSGPACK_OBJECT_BOOLEAN && stack->via.boolean;
  return status == AQ_OK ? args_read(r, map, kernel) : status;
}

static aq_status root_read(reader *r, const msgpack_object *root,
                           aq_code_kernel **kernels)
{
  if (root->type != MSGPACK_OBJECT_MAP)
    return say(r, "it is not a map");
  aq_status status =
      numbers_read(r, root, "amdhsa.version", r->out->metadata_version, 2);
  if (status != AQ_OK)
    return status;
  const msgpack_object *list = member(root, "amdhsa.kernels");
  if (!list)
    return AQ_OK;
  if (list->type != MSGPACK_OBJECT_ARRAY ||
      list->via.array.size > r->size / KERNEL_BYTES_MIN)
    return say(r, "amdhsa.kernels is not an array of kernels");
  const uint32_t count = list->via.array.size;
  *kernels = aq_arena_alloc(&r->out->arena, (count + 1) * sizeof **kernels);
  if (!*kernels)
    return say_no_memory(r);
  for (uint32_t i = 0; i < count && status == AQ_OK; i++)
    status = kernel_read(r, &list->via.array.ptr[i], &(*kernels)[i]);
  r->out->kernel_count = count;
  return status;
}

aq_status aq_metadata_read(const void *bytes, size_t size, aq_codeobj *out,
                           aq_code_kernel **kernels, aq_diag *diag)
{
  reader r = {.out = out, .size = size, .diag = diag};
  msgpack_unpacked unpacked;
  size_t at = 0;
  if (!claims_fit(bytes, size))
    return say(&r, "it is damaged");
  msgpack_unpacked_init(&unpacked);
  aq_status status = AQ_OK;
  switch (msgpack_unpack_next(&unpacked, bytes, size, &at)) {
  case MSGPACK_UNPACK_SUCCESS:
    status = root_read(&r, &unpacked.data, kernels);
    break;
  case MSGPACK_UNPACK_NOMEM_ERROR:
    status = say(&r, "it is nested too deeply, or memory is out");
    break;
  default:
    status = say(&r, "it is no MessagePack");
  }
  msgpack_unpacked_destroy(&unpacked);
  return status;
}
