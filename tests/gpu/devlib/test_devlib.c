/* SPDX-License-Identifier: MIT */
/*
 * The host functions equal the definition: the device source is compiled for
 * the host here, and run work-item by work-item.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/devlib/devlib.h"
#include "support/aqtest.h"

static uint64_t item_now, clock_now;
static const unsigned char *kernarg_now;

#define DEVICE_KERNEL static void
static uint64_t device_item(void)
{
  return item_now;
}
static const unsigned char *device_kernarg(void)
{
  return kernarg_now;
}
static uint64_t device_clock(void)
{
  return clock_now++;
}
static void device_pause(void) {}
static void device_publish(uint32_t *word, uint32_t value)
{
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

#define DEVICE_ATOMICS(BITS)                                                   \
  static uint##BITS##_t device_change##BITS(uint##BITS##_t *at, uint32_t op,   \
                                            uint##BITS##_t operand,            \
                                            uint##BITS##_t expected)           \
  {                                                                            \
    const uint##BITS##_t value = *at;                                          \
    *at = op == AQ_ATOMIC_ADD                        ? value + operand         \
          : op == AQ_ATOMIC_AND                      ? value & operand         \
          : op == AQ_ATOMIC_OR                       ? value | operand         \
          : op == AQ_ATOMIC_XOR                      ? value ^ operand         \
          : op == AQ_ATOMIC_CAS && value != expected ? value                   \
                                                     : operand;                \
    return value;                                                              \
  }                                                                            \
  static uint##BITS##_t device_look##BITS(const uint##BITS##_t *at)            \
  {                                                                            \
    looks++;                                                                   \
    return *at;                                                                \
  }
static unsigned looks;
DEVICE_ATOMICS(32)
DEVICE_ATOMICS(64)

#include "gpu/devlib/device/kernels.c"

enum { ROOM = 700 };

static uint64_t items_of(uint64_t bytes)
{
  uint64_t begun = (bytes + AQ_DEVLIB_BYTES - 1) / AQ_DEVLIB_BYTES;
  return (begun + AQ_DEVLIB_WORKGROUP - 1) / AQ_DEVLIB_WORKGROUP *
         AQ_DEVLIB_WORKGROUP;
}

static void host_run(aq_devlib_kernel kernel, void *kernarg)
{
  aq_devlib_entries[kernel].function(
      &(aq_kernel_call){.kernarg = kernarg, .ticks = 77});
}

START_TEST(fill_is_equal_to_its_definition)
{
  static const uint64_t sizes[] = {1, 2, 4, 8};
  _Alignas(16) unsigned char a[ROOM], b[ROOM];
  for (uint64_t bytes = 0; bytes <= 600; bytes += 8)
    for (int i = 0; i < 4; i++)
      for (int offset = 0; offset < 17; offset += 4) {
        aq_fill_args args = {a + offset, bytes, UINT64_C(0x1122334455667788),
                             sizes[i]};
        memset(a, 0xcc, ROOM);
        memset(b, 0xcc, ROOM);
        host_run(AQ_DEVLIB_FILL, &args);
        args.target = b + offset;
        for (item_now = 0; item_now < items_of(bytes); item_now++)
          aq_fill(args);
        ck_assert_mem_eq(a, b, ROOM);
      }
}
END_TEST

/* It would never end. */
START_TEST(a_fill_with_a_pattern_of_no_bytes_or_too_many_is_an_error)
{
  static const uint64_t sizes[] = {0, 9};
  for (int i = 0; i < 2; i++) {
    char error[AQ_KERNEL_ERROR_SIZE] = "";
    unsigned char target[16] = {0};
    aq_fill_args args = {target, sizeof target, UINT64_MAX, sizes[i]};
    aq_devlib_entries[AQ_DEVLIB_FILL].function(
        &(aq_kernel_call){.kernarg = &args, .error = error});
    ck_assert_ptr_nonnull(strstr(error, "expected 1 to 8"));
    ck_assert_uint_eq(target[0], 0);
  }
}
END_TEST

START_TEST(copy_and_update_are_equal_to_their_definitions)
{
  _Alignas(16) unsigned char a[ROOM], b[ROOM], source[ROOM];
  _Alignas(16) unsigned char kernarg[sizeof(aq_update_args) + ROOM];
  for (int i = 0; i < ROOM; i++)
    source[i] = (unsigned char)(i * 7 + 1);
  for (uint64_t bytes = 0; bytes <= 600; bytes += 3)
    for (int offset = 0; offset < 17; offset += 5) {
      aq_copy_args copy = {a + offset, source + offset % 3, bytes};
      memset(a, 0, ROOM);
      memset(b, 0, ROOM);
      host_run(AQ_DEVLIB_COPY, &copy);
      copy.target = b + offset;
      for (item_now = 0; item_now < items_of(bytes); item_now++)
        aq_copy(copy);
      ck_assert_mem_eq(a, b, ROOM);

      aq_update_args update = {a + offset, bytes};
      memset(a, 0, ROOM);
      memset(b, 0, ROOM);
      memcpy(kernarg, &update, sizeof update);
      memcpy(kernarg + sizeof update, source, bytes);
      host_run(AQ_DEVLIB_UPDATE, kernarg);
      update.target = b + offset;
      kernarg_now = kernarg;
      for (item_now = 0; item_now < items_of(bytes); item_now++)
        aq_update(update);
      ck_assert_mem_eq(a, b, ROOM);
      ck_assert_mem_eq(a + offset, source, bytes);
    }
}
END_TEST

START_TEST(patch_is_equal_to_its_definition)
{
  aq_packet a = {.qword = {1, 2, 3, 4, 5, 6, 7, 8}}, b = a;
  const uint32_t grid[] = {64, 3, 2};
  aq_patch_args args = {grid, &a, 0x30b02, 0};
  host_run(AQ_DEVLIB_PATCH, &args);
  args.packet = &b;
  aq_patch(args);
  ck_assert_mem_eq(&a, &b, sizeof a);
  ck_assert_mem_eq(a.kernel.grid_size, grid, sizeof grid);
  ck_assert_uint_eq(a.header_setup, 0x30b02);
}
END_TEST

START_TEST(atomic_is_equal_to_its_definition)
{
  static const uint64_t values[] = {0, 1, UINT64_C(0x80000000ffffffff),
                                    UINT64_MAX};
  for (uint32_t op = 0; op < AQ_ATOMIC_OP_COUNT; op++)
    for (int i = 0; i < 64; i++)
      for (uint32_t size = 4; size <= 8; size += 4) {
        uint64_t a[4] = {7, values[i % 4], 7, 7}, b[4];
        aq_atomic_args args = {&a[1],          &a[2], values[i / 4 % 4],
                               values[i / 16], op,    size};
        memcpy(b, a, sizeof b);
        host_run(AQ_DEVLIB_ATOMIC, &args);
        args.target = &b[1];
        args.result = &b[2];
        aq_atomic(args);
        ck_assert_mem_eq(a, b, sizeof a);
        /* Without a result. Copies, since the atomic is of other types. */
        memcpy(&b[1], &values[i % 4], sizeof b[1]);
        memcpy(&b[2], &a[0], sizeof b[2]);
        args.result = NULL;
        aq_atomic(args);
        ck_assert_mem_eq(&b[1], &a[1], sizeof b[1]);
        ck_assert_mem_eq(&b[2], &a[0], sizeof b[2]);
      }
}
END_TEST

START_TEST(an_atomic_of_another_size_or_place_is_an_error)
{
  uint64_t value[2] = {5, 5};
  char error[AQ_KERNEL_ERROR_SIZE];
  for (int i = 0; i < 3; i++) {
    aq_atomic_args args = {value, NULL, 1, 0, AQ_ATOMIC_ADD, 8};
    args.size = i == 0 ? 2 : 8;
    if (i == 1)
      args.target = (char *)value + 4;
    if (i == 2)
      args.result = (char *)value + 4;
    error[0] = 0;
    aq_devlib_entries[AQ_DEVLIB_ATOMIC].function(
        &(aq_kernel_call){.kernarg = &args, .error = error});
    ck_assert_ptr_nonnull(strstr(error, "expected 4 or 8, aligned to them"));
    ck_assert_uint_eq(value[0], 5);
  }
}
END_TEST

START_TEST(wait_ends_when_the_value_fulfils_the_condition)
{
  const uint64_t value = 0xfff05;
  looks = 0;
  aq_wait((aq_wait_args){&value, 5, 0xff, AQ_EQ, 4});
  aq_wait((aq_wait_args){&value, 5, 0xff, AQ_GE, 8});
  aq_wait((aq_wait_args){&value, 6, 0xff, AQ_LT, 8});
  aq_wait((aq_wait_args){&value, 0, 0x100, AQ_NE, 4});
  ck_assert_uint_eq(looks, 4);
}
END_TEST

START_TEST(timestamp_stores_the_clock)
{
  uint64_t a = 0, b = 0;
  clock_now = 77;
  aq_timestamp((aq_timestamp_args){&b});
  host_run(AQ_DEVLIB_TIMESTAMP, &(aq_timestamp_args){&a});
  ck_assert_uint_eq(a, 77);
  ck_assert_uint_eq(b, 77);
}
END_TEST

START_TEST(spin_waits_as_many_ticks_as_its_duration_has)
{
  static const struct {
    aq_time duration;
    uint32_t khz;
    uint64_t ticks;
  } cases[] = {{0, 0, 0},
               {-5, 0, 0},
               {10 * AQ_US, 0, 1000},
               {10 * AQ_US, 25000, 250},
               {3 * AQ_MS + 10 * AQ_NS, 100000, 300001},
               {AQ_US, 27000, 27}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    clock_now = 1000;
    aq_spin((aq_spin_args){.duration = cases[i].duration,
                           .clock_khz = cases[i].khz});
    /* One reading before, one that sees the end. */
    ck_assert_uint_eq(clock_now - 1000,
                      cases[i].ticks + 1 + (cases[i].ticks == 0));
  }
}
END_TEST

static bool is_embedded(const char *target)
{
  const aq_devlib_object *o = aq_devlib_objects;
  while (target && o->target && strcmp(o->target, target) != 0)
    o++;
  return target && o->target;
}

/* The object of the very processor where configure chose to embed those, else
 * of the generic target, else none: each has one of the two at least. */
START_TEST(a_device_gets_the_object_that_fits)
{
  static const struct {
    const char *device, *exact, *generic;
  } cases[] = {
      {"gfx942", "gfx942", "gfx9-4-generic"},
      {"gfx90a:sramecc+:xnack-", "gfx90a", NULL},
      {"amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-", "gfx906", "gfx9-generic"},
      {"gfx900", "gfx900", "gfx9-generic"},
      {"gfx90c", NULL, "gfx9-generic"},
      {"gfx908:xnack-", "gfx908", NULL},
      {"gfx950", "gfx950", "gfx9-4-generic"},
      {"gfx1010", NULL, "gfx10-1-generic"},
      {"gfx1030", "gfx1030", "gfx10-3-generic"},
      {"gfx1036", NULL, "gfx10-3-generic"},
      {"gfx1100", "gfx1100", "gfx11-generic"},
      {"gfx1151", "gfx1151", "gfx11-generic"},
      {"gfx1201", "gfx1201", "gfx12-generic"}};
  const aq_devlib_object *object;
  unsigned found = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    aq_diag diag = AQ_DIAG_INIT;
    const char *expected = is_embedded(cases[i].exact)     ? cases[i].exact
                           : is_embedded(cases[i].generic) ? cases[i].generic
                                                           : NULL;
    aq_status status = aq_devlib_find(cases[i].device, &object, &diag);
    ck_assert_status(status, expected ? AQ_OK : AQ_ERR_UNSUPPORTED, &diag);
    if (!expected)
      continue;
    ck_assert_str_eq(object->target, expected);
    ck_assert_mem_eq(object->bytes, "\177ELF", 4);
    found++;
  }
  ck_assert_uint_ge(found, 10);
}
END_TEST

START_TEST(a_device_without_an_object_is_told_what_there_is)
{
  static const char *const devices[] = {"gfx803", "sm_90"};
  const aq_devlib_object *object, *each;
  for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
    aq_diag diag = AQ_DIAG_INIT;
    ck_assert_status(aq_devlib_find(devices[i], &object, &diag),
                     AQ_ERR_UNSUPPORTED, &diag);
    ck_assert_ptr_nonnull(strstr(diag.text, devices[i]));
    for (each = aq_devlib_objects; each->target; each++)
      ck_assert_ptr_nonnull(strstr(diag.text, each->target));
  }
}
END_TEST

AQ_TEST_MAIN("gpu/devlib/devlib", fill_is_equal_to_its_definition,
             a_fill_with_a_pattern_of_no_bytes_or_too_many_is_an_error,
             copy_and_update_are_equal_to_their_definitions,
             patch_is_equal_to_its_definition,
             atomic_is_equal_to_its_definition,
             an_atomic_of_another_size_or_place_is_an_error,
             wait_ends_when_the_value_fulfils_the_condition,
             timestamp_stores_the_clock,
             spin_waits_as_many_ticks_as_its_duration_has,
             a_device_gets_the_object_that_fits,
             a_device_without_an_object_is_told_what_there_is)
