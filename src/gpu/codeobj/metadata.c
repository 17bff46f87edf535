/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/codeobj/metadata.h"

#include <string.h>

#include "gpu/codeobj/msgpack.h"

/* The least size of a kernel and of an argument in the note: bounds the
 * allocation. */
enum { KERNEL_BYTES_MIN = 16, ARG_BYTES_MIN = 12 };

typedef struct reader {
  aq_msgpack from;
  aq_codeobj *out;
  aq_diag *diag;
  aq_code_kernel *kernels;
} reader;

static aq_status say(reader *r, const char *kernel, const char *what)
{
  return aq_diag_set(r->diag, AQ_ERR_INPUT, "metadata%s%.100s: %s",
                     kernel ? " of kernel " : "", kernel ? kernel : "", what);
}

static aq_status say_damaged(reader *r)
{
  return say(r, NULL, "damaged MessagePack");
}

/* ---- members of maps ---- */

/* How the value of a key is read into a field. */
typedef enum member_kind {
  MEMBER_TEXT,    /* const char * */
  MEMBER_NUMBER,  /* uint32_t */
  MEMBER_PAIR,    /* uint32_t[2] */
  MEMBER_TRIPLE,  /* uint32_t[3] */
  MEMBER_BOOL,    /* bool; anything else counts as false */
  MEMBER_ARGS,    /* of an aq_code_kernel */
  MEMBER_KERNELS, /* of the reader */
} member_kind;

typedef struct member {
  const char *key; /* NULL ends a table */
  member_kind kind;
  size_t offset;
} member;

static aq_status map_read(reader *r, const aq_msgpack_value *map,
                          const member *members, void *to);

static aq_status text_read(reader *r, const char *key,
                           const aq_msgpack_value *value, const char **out)
{
  if (value->kind != AQ_MSGPACK_TEXT || memchr(value->text, 0, value->length))
    return aq_diag_set(r->diag, AQ_ERR_INPUT,
                       "metadata: %s is not a text; expected one", key);
  *out = aq_arena_text(&r->out->arena, value->text, value->length);
  return *out ? AQ_OK : aq_diag_no_memory(r->diag);
}

static aq_status number_read(reader *r, const char *key,
                             const aq_msgpack_value *value, uint32_t *out)
{
  if (value->kind != AQ_MSGPACK_UINT || value->number > UINT32_MAX)
    return aq_diag_set(r->diag, AQ_ERR_INPUT,
                       "metadata: %s is not a number from 0 to 4294967295",
                       key);
  *out = (uint32_t)value->number;
  return AQ_OK;
}

static aq_status numbers_read(reader *r, const char *key,
                              const aq_msgpack_value *list, uint32_t *out,
                              uint32_t count)
{
  aq_msgpack_value item;
  aq_status status = AQ_OK;
  if (list->kind != AQ_MSGPACK_ARRAY || list->number != count)
    return aq_diag_set(r->diag, AQ_ERR_INPUT,
                       "metadata: %s is not an array of %u numbers", key,
                       count);
  for (uint32_t i = 0; i < count && status == AQ_OK; i++)
    status = aq_msgpack_next(&r->from, &item)
                 ? number_read(r, key, &item, &out[i])
                 : say_damaged(r);
  return status;
}

/* Allocates an array of maps; `least` bytes is the smallest of them. */
static aq_status list_begin(reader *r, const char *key,
                            const aq_msgpack_value *list, size_t least,
                            size_t size, void **out)
{
  const size_t left = (size_t)(r->from.end - r->from.at);
  if (list->kind != AQ_MSGPACK_ARRAY || list->number > left / least + 1)
    return aq_diag_set(r->diag, AQ_ERR_INPUT,
                       "metadata: %s is not an array of maps", key);
  *out = aq_arena_alloc(&r->out->arena, (list->number + 1) * size);
  return *out ? AQ_OK : aq_diag_no_memory(r->diag);
}

/* ---- arguments and kernels ---- */

static const member arg_members[] = {
    {".name", MEMBER_TEXT, offsetof(aq_code_arg, name)},
    {".type_name", MEMBER_TEXT, offsetof(aq_code_arg, type)},
    {".value_kind", MEMBER_TEXT, offsetof(aq_code_arg, kind)},
    {".address_space", MEMBER_TEXT, offsetof(aq_code_arg, space)},
    {".access", MEMBER_TEXT, offsetof(aq_code_arg, access)},
    {".offset", MEMBER_NUMBER, offsetof(aq_code_arg, offset)},
    {".size", MEMBER_NUMBER, offsetof(aq_code_arg, size)},
    {NULL},
};

static const member kernel_members[] = {
#define K(key, kind, field)                                                    \
  {                                                                            \
    key, MEMBER_##kind, offsetof(aq_code_kernel, field)                        \
  }
    K(".name", TEXT, name),
    K(".symbol", TEXT, symbol),
    K(".kernarg_segment_size", NUMBER, kernarg_size),
    K(".kernarg_segment_align", NUMBER, kernarg_align),
    K(".group_segment_fixed_size", NUMBER, group_size),
    K(".private_segment_fixed_size", NUMBER, private_size),
    K(".max_flat_workgroup_size", NUMBER, workgroup_max),
    K(".wavefront_size", NUMBER, wave_size),
    K(".sgpr_count", NUMBER, sgprs),
    K(".vgpr_count", NUMBER, vgprs),
    K(".agpr_count", NUMBER, agprs),
    K(".sgpr_spill_count", NUMBER, sgpr_spills),
    K(".vgpr_spill_count", NUMBER, vgpr_spills),
    K(".reqd_workgroup_size", TRIPLE, workgroup),
    K(".uses_dynamic_stack", BOOL, dynamic_stack),
    K(".args", ARGS, args),
#undef K
    {NULL},
};

static const member root_members[] = {
    {"amdhsa.version", MEMBER_PAIR, offsetof(aq_codeobj, metadata_version)},
    {"amdhsa.kernels", MEMBER_KERNELS, 0},
    {NULL},
};

static aq_status args_read(reader *r, const char *key,
                           const aq_msgpack_value *list, aq_code_kernel *kernel)
{
  aq_msgpack_value map;
  void *memory;
  aq_status status =
      list_begin(r, key, list, ARG_BYTES_MIN, sizeof(aq_code_arg), &memory);
  if (status != AQ_OK)
    return status;
  aq_code_arg *args = memory;
  for (uint64_t i = 0; i < list->number; i++) {
    if (!aq_msgpack_next(&r->from, &map))
      return say_damaged(r);
    status = map_read(r, &map, arg_members, &args[i]);
    if (status != AQ_OK)
      return status;
    if (!args[i].kind)
      return say(r, kernel->name, "an argument has no .value_kind");
    args[i].hidden = strncmp(args[i].kind, "hidden_", 7) == 0;
  }
  kernel->args = args;
  kernel->arg_count = list->number;
  return AQ_OK;
}

static aq_status kernel_check(reader *r, aq_code_kernel *kernel)
{
  if (!kernel->name || !kernel->symbol)
    return say(r, NULL, "a kernel has no .name or no .symbol");
  for (size_t i = 0; i < kernel->arg_count; i++)
    if ((uint64_t)kernel->args[i].offset + kernel->args[i].size >
        kernel->kernarg_size)
      return say(r, kernel->name,
                 "an argument lies outside of the kernarg segment");
  kernel->has_metadata = true;
  return AQ_OK;
}

static aq_status kernels_read(reader *r, const char *key,
                              const aq_msgpack_value *list)
{
  aq_msgpack_value map;
  void *memory;
  aq_status status = list_begin(r, key, list, KERNEL_BYTES_MIN,
                                sizeof(aq_code_kernel), &memory);
  if (status != AQ_OK)
    return status;
  r->kernels = memory;
  r->out->kernel_count = 0;
  for (uint64_t i = 0; i < list->number && status == AQ_OK; i++) {
    aq_code_kernel *kernel = &r->kernels[i];
    status = aq_msgpack_next(&r->from, &map)
                 ? map_read(r, &map, kernel_members, kernel)
                 : say_damaged(r);
    if (status == AQ_OK)
      status = kernel_check(r, kernel);
  }
  r->out->kernel_count = list->number;
  return status;
}

/* ---- the walk ---- */

static const member *member_find(const member *members,
                                 const aq_msgpack_value *key)
{
  for (; members->key; members++)
    if (strlen(members->key) == key->length &&
        memcmp(members->key, key->text, key->length) == 0)
      return members;
  return NULL;
}

static aq_status member_read(reader *r, const member *m,
                             const aq_msgpack_value *value, void *to)
{
  void *field = (char *)to + m->offset;
  switch (m->kind) {
  case MEMBER_TEXT:
    return text_read(r, m->key, value, field);
  case MEMBER_NUMBER:
    return number_read(r, m->key, value, field);
  case MEMBER_PAIR:
    return numbers_read(r, m->key, value, field, 2);
  case MEMBER_TRIPLE:
    return numbers_read(r, m->key, value, field, 3);
  case MEMBER_ARGS:
    return args_read(r, m->key, value, to);
  case MEMBER_KERNELS:
    return kernels_read(r, m->key, value);
  case MEMBER_BOOL:
    *(bool *)field = value->kind == AQ_MSGPACK_BOOL && value->number;
    break;
  }
  return aq_msgpack_skip(&r->from, value) ? AQ_OK : say_damaged(r);
}

/* Of a key that comes twice, the last one counts. */
static aq_status map_read(reader *r, const aq_msgpack_value *map,
                          const member *members, void *to)
{
  if (map->kind != AQ_MSGPACK_MAP)
    return say(r, NULL, "a kernel, an argument or the whole is not a map");
  for (uint64_t i = 0; i < map->number; i++) {
    aq_msgpack_value key, value;
    if (!aq_msgpack_next(&r->from, &key) || !aq_msgpack_skip(&r->from, &key) ||
        !aq_msgpack_next(&r->from, &value))
      return say_damaged(r);
    const member *m =
        key.kind == AQ_MSGPACK_TEXT ? member_find(members, &key) : NULL;
    aq_status status = AQ_OK;
    if (m)
      status = member_read(r, m, &value, to);
    else if (!aq_msgpack_skip(&r->from, &value))
      status = say_damaged(r);
    if (status != AQ_OK)
      return status;
  }
  return AQ_OK;
}

aq_status aq_metadata_read(const void *bytes, size_t size, aq_codeobj *out,
                           aq_code_kernel **kernels, aq_diag *diag)
{
  reader r = {.from = {bytes, (const unsigned char *)bytes + size},
              .out = out,
              .diag = diag};
  aq_msgpack_value root;
  if (!aq_msgpack_next(&r.from, &root))
    return say_damaged(&r);
  aq_status status = map_read(&r, &root, root_members, out);
  *kernels = r.kernels;
  return status;
}
