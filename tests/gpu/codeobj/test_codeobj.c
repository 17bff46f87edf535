/* SPDX-License-Identifier: MIT */
/* Real code objects, of the device library. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "gpu/codeobj/bundle.h"
#include "gpu/codeobj/codeobj.h"
#include "gpu/devlib/devlib.h"
#include "support/aqtest.h"

START_TEST(every_object_of_the_device_library_is_what_it_is_listed_as)
{
  for (const aq_devlib_object *o = aq_devlib_objects; o->target; o++) {
    aq_diag diag = AQ_DIAG_INIT;
    aq_codeobj code;
    char text[AQ_TARGET_TEXT_SIZE];
    ck_assert_status(aq_codeobj_read(o->bytes, o->size, &code, &diag), AQ_OK,
                     &diag);
    aq_target_print(&code.target, text);
    ck_assert_str_eq(text, o->target);
    ck_assert_uint_eq(code.version, aq_target_is_generic(&code.target) ? 6 : 5);
    /* The block processor and aq_wait, which no host function is for. */
    ck_assert_uint_eq(code.kernel_count, AQ_DEVLIB_KERNEL_COUNT + 2);
    for (int i = 0; i < AQ_DEVLIB_KERNEL_COUNT; i++) {
      const aq_code_kernel *k =
          aq_codeobj_kernel(&code, aq_devlib_entries[i].name);
      ck_assert_ptr_nonnull(k);
      ck_assert(k->has_metadata && k->has_descriptor);
      ck_assert_uint_eq(k->kernarg_size, aq_devlib_kernarg_sizes[i]);
      ck_assert_uint_eq(k->descriptor.kernarg_size, k->kernarg_size);
      ck_assert_uint_eq(k->descriptor.group_size, 0);
      ck_assert_uint_eq(k->wave_size, strncmp(text, "gfx9", 4) ? 32 : 64);
      ck_assert_uint_eq(k->workgroup_max, 1024);
      ck_assert_uint_eq(k->arg_count, 1);
      ck_assert(!k->args[0].hidden);
    }
    aq_codeobj_fini(&code);
  }
}
END_TEST

START_TEST(no_damage_to_one_byte_or_the_length_is_fatal)
{
  const aq_devlib_object *o = &aq_devlib_objects[0];
  unsigned char *bytes = malloc(o->size);
  ck_assert_ptr_nonnull(bytes);
  size_t refused = 0;
  for (size_t i = 0; i < o->size; i += i < 0x1000 ? 3 : 61) {
    aq_codeobj code;
    memcpy(bytes, o->bytes, o->size);
    bytes[i] ^= 0xff;
    if (aq_codeobj_read(bytes, o->size, &code, NULL) == AQ_OK)
      aq_codeobj_fini(&code);
    else
      refused++;
  }
  free(bytes);
  ck_assert_uint_gt(refused, 50);
  for (size_t size = 0; size < o->size; size += 97) {
    aq_codeobj code;
    unsigned char *part = malloc(size + 1);
    memcpy(part, o->bytes, size);
    if (aq_codeobj_read(part, size, &code, NULL) == AQ_OK)
      aq_codeobj_fini(&code);
    free(part);
  }
}
END_TEST

START_TEST(a_file_of_another_kind_is_no_code_object)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_codeobj code;
  ck_assert(!aq_codeobj_is("\177ELF", 4));
  ck_assert_int_ne(aq_codeobj_read("hello", 5, &code, &diag), AQ_OK);
}
END_TEST

/* ---- bundles ---- */

/* Two objects and the host's empty entry, as clang writes them. */
static size_t bundle_make(unsigned char *to, size_t room)
{
  static const char *const ids[] = {"host-x86_64-unknown-linux-gnu",
                                    "hipv4-amdgcn-amd-amdhsa--gfx9-generic",
                                    "hipv4-amdgcn-amd-amdhsa--gfx906:xnack-"};
  static const char *const bodies[] = {"", "generic", "exact"};
  size_t at = 24, body = 512;
  uint64_t count = 3;
  memset(to, 0, room);
  memcpy(to, "__CLANG_OFFLOAD_BUNDLE__", 24);
  memcpy(to + at, &count, 8);
  at += 8;
  for (int i = 0; i < 3; i++) {
    uint64_t head[] = {body, strlen(bodies[i]), strlen(ids[i])};
    memcpy(to + at, head, sizeof head);
    memcpy(to + at + sizeof head, ids[i], head[2]);
    memcpy(to + body, bodies[i], head[1]);
    at += sizeof head + head[2];
    body += head[1];
  }
  return body;
}

static void bundle_check(const void *bytes, size_t size)
{
  static const struct {
    const char *device, *body;
  } cases[] = {{"gfx906:sramecc+:xnack-", "exact"},
               {"gfx906:xnack+", "generic"},
               {"gfx900", "generic"},
               {"gfx90a", NULL}};
  aq_diag diag = AQ_DIAG_INIT;
  aq_bundle bundle;
  ck_assert_status(aq_bundle_read(bytes, size, &bundle, &diag), AQ_OK, &diag);
  ck_assert_uint_eq(bundle.count, 3);
  ck_assert(!bundle.entries[0].has_target);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    aq_target device;
    aq_target_parse(cases[i].device, strlen(cases[i].device), &device, NULL);
    const aq_bundle_entry *found = aq_bundle_find(&bundle, &device);
    ck_assert_msg(!found == !cases[i].body, "%s", cases[i].device);
    if (found)
      ck_assert_mem_eq(found->bytes, cases[i].body, found->size);
  }
  aq_bundle_fini(&bundle);
}

START_TEST(a_bundle_gives_the_entry_that_fits_best)
{
  unsigned char bytes[600];
  bundle_check(bytes, bundle_make(bytes, sizeof bytes));
}
END_TEST

START_TEST(a_compressed_bundle_is_the_same)
{
  unsigned char bytes[600], packed[800] = "CCOB";
  size_t size = bundle_make(bytes, sizeof bytes);
  uLongf got = sizeof packed - 24;
  ck_assert_int_eq(compress(packed + 24, &got, bytes, size), Z_OK);
  uint16_t version = 2, method = 0;
  uint32_t whole = 24 + (uint32_t)got, plain = (uint32_t)size;
  memcpy(packed + 4, &version, 2);
  memcpy(packed + 6, &method, 2);
  memcpy(packed + 8, &whole, 4);
  memcpy(packed + 12, &plain, 4);
  bundle_check(packed, whole);
  packed[40] ^= 0xff;
  aq_diag diag = AQ_DIAG_INIT;
  aq_bundle bundle;
  ck_assert_status(aq_bundle_read(packed, whole, &bundle, &diag), AQ_ERR_INPUT,
                   &diag);
  plain = UINT32_MAX; /* a claim of 4 GiB is not believed */
  memcpy(packed + 12, &plain, 4);
  ck_assert_status(aq_bundle_read(packed, whole, &bundle, &diag), AQ_ERR_INPUT,
                   &diag);
}
END_TEST

#ifdef HAVE_ZSTD
START_TEST(so_is_one_packed_with_zstd)
{
  unsigned char bytes[600], packed[800] = "CCOB";
  const size_t size = bundle_make(bytes, sizeof bytes);
  const size_t got =
      ZSTD_compress(packed + 24, sizeof packed - 24, bytes, size, 3);
  ck_assert(!ZSTD_isError(got));
  const uint16_t version = 2, method = 1;
  const uint32_t whole = 24 + (uint32_t)got, plain = (uint32_t)size;
  memcpy(packed + 4, &version, 2);
  memcpy(packed + 6, &method, 2);
  memcpy(packed + 8, &whole, 4);
  memcpy(packed + 12, &plain, 4);
  bundle_check(packed, whole);
  packed[26] ^= 0xff;
  aq_diag diag = AQ_DIAG_INIT;
  aq_bundle bundle;
  ck_assert_status(aq_bundle_read(packed, whole, &bundle, &diag), AQ_ERR_INPUT,
                   &diag);
}
END_TEST
#endif

START_TEST(a_bundle_that_is_cut_off_is_refused)
{
  unsigned char bytes[600];
  size_t size = bundle_make(bytes, sizeof bytes);
  for (size_t cut = 24; cut < size; cut++) {
    unsigned char *part = malloc(cut);
    aq_bundle bundle;
    memcpy(part, bytes, cut);
    ck_assert_int_ne(aq_bundle_read(part, cut, &bundle, NULL), AQ_OK);
    free(part);
  }
}
END_TEST

AQ_TEST_MAIN("gpu/codeobj/codeobj",
             every_object_of_the_device_library_is_what_it_is_listed_as,
             no_damage_to_one_byte_or_the_length_is_fatal,
             a_file_of_another_kind_is_no_code_object,
             a_bundle_gives_the_entry_that_fits_best,
             a_compressed_bundle_is_the_same,
#ifdef HAVE_ZSTD
             so_is_one_packed_with_zstd,
#endif
             a_bundle_that_is_cut_off_is_refused)
