/* SPDX-License-Identifier: MIT */
/* The objects of functions' frames are the objects that llvm-dwarfdump prints.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "common/rng.h"
#include "gpu/codeobj/frames.h"
#include "support/aqtest.h"

enum { ROOM = 1 << 21, TEXT = 1 << 16 };
static unsigned char bytes[ROOM];

static size_t file_load(const char *path)
{
  FILE *file = fopen(path, "rb");
  ck_assert_msg(file != NULL, "%s", path);
  const size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  ck_assert(size < sizeof bytes);
  return size;
}

static int by_text(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Lines "offset name", sorted. */
static void frames_print(const aq_code_frames *frames, char out[TEXT])
{
  char **lines = calloc(frames->object_count + 1, sizeof *lines);
  size_t used = 0;
  for (size_t i = 0; i < frames->object_count; i++) {
    const aq_code_frame_object *o = &frames->objects[i];
    ck_assert(
        asprintf(&lines[i], "%lld %s", (long long)o->offset,
                 o->name < 0 ? "?" : aq_names_text(&frames->names, o->name)) >
        0);
  }
  qsort(lines, frames->object_count, sizeof *lines, by_text);
  for (size_t i = 0; i < frames->object_count; i++) {
    used += (size_t)snprintf(out + used, TEXT - used, "%s\n", lines[i]);
    ck_assert(used < TEXT);
    free(lines[i]);
  }
  free(lines);
}

static void command_read(const char *command, char out[TEXT])
{
  FILE *from = popen(command, "r"); /* NOLINT: fixed names */
  ck_assert(from != NULL);
  out[fread(out, 1, TEXT - 1, from)] = 0;
  pclose(from);
}

static void target_compare(const char *gfx)
{
  static char command[4096], expected[TEXT], read[TEXT];
  const char *srcdir = getenv("AQ_SRCDIR");
  char path[] = "/tmp/aqframesXXXXXX";
  const int file = mkstemp(path);
  ck_assert(file >= 0);
  close(file);
  snprintf(command, sizeof command,
           "clang-22 -w -x cl -cl-std=CL1.2 -target amdgcn-amd-amdhsa "
           "-mcpu=%s -nogpulib -g -O0 -o %s %s/tests/gpu/check/stack.cl",
           gfx, path, srcdir ? srcdir : ".");
  ck_assert_int_eq(system(command), 0); /* NOLINT: fixed names */
  snprintf(
      command, sizeof command,
      "llvm-dwarfdump-22 --debug-info %s | awk '"
      "/DW_AT_location.*DW_OP_fbreg/ { at = $3; gsub(/[^0-9]/, \"\", at) } "
      "/DW_AT_name/ && at != \"\" { gsub(/[(\")]/, \"\", $2); "
      "print at, $2; at = \"\" }' | LC_ALL=C sort",
      path);
  command_read(command, expected);
  aq_code_frames frames;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aq_code_frames_read(bytes, file_load(path), &frames, &diag),
                   AQ_OK, &diag);
  unlink(path);
  frames_print(&frames, read);
  ck_assert(frames.object_count > 100);
  ck_assert_str_eq(read, expected);
  for (size_t i = 0; i < frames.count; i++)
    ck_assert(frames.list[i].plain && frames.list[i].base == 33);
  aq_code_frames_fini(&frames);
}

static void compiler_need(void)
{
  if (system("command -v clang-22 > /dev/null && command -v ld.lld-22 "
             "> /dev/null && command -v llvm-dwarfdump-22 > /dev/null") !=
      0) /* NOLINT: fixed names */
    aqtest_skip("no clang-22 with ld.lld-22 here");
}

START_TEST(objects_are_what_the_compiler_wrote)
{
  compiler_need();
  target_compare("gfx90a");
  target_compare("gfx942");
  target_compare("gfx1030");
  target_compare("gfx1100");
}
END_TEST

/* Of a source of OpenCL, not optimized; the object stays in `bytes`. */
static size_t bytes_read;

static aq_code_frames source_read(const char *standard, const char *source)
{
  char path[] = "/tmp/aqframesXXXXXX", command[1024];
  aq_code_frames frames;
  aq_diag diag = AQ_DIAG_INIT;
  compiler_need();
  const int file = mkstemp(path);
  ck_assert(file >= 0);
  close(file);
  snprintf(command, sizeof command,
           "echo '%s' | clang-22 -w -x cl -cl-std=%s -target amdgcn-amd-amdhsa "
           "-mcpu=gfx90a -nogpulib -g -O0 -o %s -",
           source, standard, path);
  ck_assert_int_eq(system(command), 0); /* NOLINT: fixed names */
  bytes_read = file_load(path);
  ck_assert_status(aq_code_frames_read(bytes, bytes_read, &frames, &diag),
                   AQ_OK, &diag);
  unlink(path);
  return frames;
}

START_TEST(parameters_of_a_local_class_are_of_no_frame)
{
  static char read[TEXT];
  aq_code_frames frames =
      source_read("clc++", "kernel void k(global int *a) { struct p { int v; "
                           "int get(int i) const { return v + i; } }; volatile "
                           "int after[2]; p one; one.v = after[a[0]]; a[1] = "
                           "one.v; }");
  frames_print(&frames, read);
  ck_assert(strstr(read, " a\n") && strstr(read, " after\n") &&
            strstr(read, " one\n"));
  for (size_t i = 0; i < frames.count; i++)
    ck_assert(frames.list[i].plain);
  aq_code_frames_fini(&frames);
}
END_TEST

/* As sizeof of the language: a vector of 3 elements has the size of 4. */
START_TEST(vectors_of_three_elements_have_the_size_of_four)
{
  static const struct {
    const char *name;
    uint32_t size;
  } expected[] = {{"x", 48}, {"y", 16}, {"c", 20}, {"m", 96}};
  unsigned found = 0;
  aq_code_frames frames = source_read(
      "CL1.2", "kernel void k(global int *a) { volatile int3 x[3], y; volatile "
               "char3 c[5]; volatile float3 m[2][3]; x[a[0]] = 1; y = x[1]; "
               "c[a[0]] = 1; m[1][a[0]] = 1; a[1] = y.x + c[1].x; }");
  for (size_t i = 0; i < frames.object_count; i++) {
    const aq_code_frame_object *o = &frames.objects[i];
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++)
      if (strcmp(aq_names_text(&frames.names, o->name), expected[k].name) ==
          0) {
        ck_assert_uint_eq(o->size, expected[k].size);
        found++;
      }
  }
  ck_assert_uint_eq(found, 4);
  aq_code_frames_fini(&frames);
}
END_TEST

/* A reference is a pointer, whatever it refers to. */
START_TEST(references_have_the_size_of_pointers)
{
  unsigned found = 0;
  aq_code_frames frames = source_read(
      "clc++", "struct s { int v[4]; }; int f(struct s &&r, struct s &q) { "
               "return r.v[0] + q.v[1]; } kernel void k(global int *a) { "
               "struct s x; x.v[0] = 1; x.v[1] = 2; "
               "a[0] = f(static_cast<__private struct s &&>(x), x); }");
  for (size_t i = 0; i < frames.object_count; i++) {
    const char *name = aq_names_text(&frames.names, frames.objects[i].name);
    if (strcmp(name, "r") == 0 || strcmp(name, "q") == 0) {
      ck_assert_uint_eq(frames.objects[i].size, 8);
      found++;
    }
  }
  ck_assert_uint_eq(found, 2);
  aq_code_frames_fini(&frames);
}
END_TEST

static const aq_code_frame_object *object_find(const aq_code_frames *frames,
                                               const char *name)
{
  for (size_t i = 0; i < frames->object_count; i++)
    if (strcmp(aq_names_text(&frames->names, frames->objects[i].name), name) ==
        0)
      return &frames->objects[i];
  ck_abort_msg("no object is called %s", name);
}

/* Writes a byte of the only place in the object that has a run of bytes, and
 * reads the object anew. */
static aq_code_frames patched_read(const unsigned char *run, size_t size,
                                   size_t at, int value)
{
  unsigned char *there = memmem(bytes, bytes_read, run, size);
  aq_code_frames frames;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_ptr_nonnull(there);
  ck_assert_ptr_null(
      memmem(there + 1, bytes_read - (size_t)(there + 1 - bytes), run, size));
  there[at] = (unsigned char)value;
  ck_assert_status(aq_code_frames_read(bytes, bytes_read, &frames, &diag),
                   AQ_OK, &diag);
  return frames;
}

/* Clang writes how many elements there are, others which is the last. */
START_TEST(the_last_element_is_one_of_an_array)
{
  /* DW_TAG_subrange_type without children: DW_AT_type, DW_AT_count. */
  static const unsigned char subrange[] = {0x21, 0, 0x49, 0x13, 0x37, 0x0b};
  aq_code_frames frames = source_read(
      "CL1.2", "kernel void k(global int *a) { volatile int x[3]; x[a[0]] = 1; "
               "a[1] = x[0]; }");
  ck_assert_uint_eq(object_find(&frames, "x")->size, 12);
  aq_code_frames_fini(&frames);
  frames = patched_read(subrange, sizeof subrange, 4, 0x2f);
  ck_assert_uint_eq(object_find(&frames, "x")->size, 16);
  aq_code_frames_fini(&frames);
}
END_TEST

START_TEST(objects_that_share_bytes_are_one_from_the_first_to_the_last)
{
  aq_code_frames frames = source_read(
      "CL1.2", "kernel void k(global int *a) { volatile int x[3], y[8]; "
               "x[a[0]] = 1; y[a[0]] = 2; a[1] = x[0] + y[0]; }");
  const int64_t x = object_find(&frames, "x")->offset,
                y = object_find(&frames, "y")->offset;
  const size_t count = frames.object_count;
  ck_assert(x + 8 < 64 && y < 64); /* a byte each in DWARF */
  aq_code_frames_fini(&frames);
  /* DW_OP_fbreg y in address space 5. */
  const unsigned char place[] = {0x91, (unsigned char)y, 0x35, 0x16, 0x18};
  frames = patched_read(place, sizeof place, 1, (int)x + 8);
  ck_assert_uint_eq(frames.object_count, count - 1);
  ck_assert_uint_eq(object_find(&frames, "x")->size, 8 + 32);
  ck_assert_int_eq(object_find(&frames, "x")->offset, x);
  aq_code_frames_fini(&frames);
}
END_TEST

START_TEST(objects_of_inlined_functions_have_the_type_of_their_origin)
{
  aq_code_frames frames = source_read(
      "CL1.2", "static inline __attribute__((always_inline)) int f(int i) { "
               "volatile int q[6]; q[i] = 1; return q[2]; } kernel void "
               "k(global int *a) { a[0] = f(a[1]); }");
  ck_assert_uint_eq(object_find(&frames, "q")->size, 24);
  aq_code_frames_fini(&frames);
}
END_TEST

/* In C a structure without members has no bytes. */
START_TEST(a_frame_with_an_object_of_no_size_is_not_known)
{
  aq_code_frames frames = source_read(
      "CL1.2", "struct s {}; int f(int i) { volatile int x[4]; x[i] = 1; "
               "return x[0]; } kernel void k(global int *a) { struct s one; "
               "volatile int y[2]; y[a[0]] = f(a[1]); a[2] = y[0]; }");
  size_t whole = 0;
  for (size_t i = 0; i < frames.count; i++) {
    const aq_code_frame *f = &frames.list[i];
    bool has_y = false;
    for (size_t k = f->first; k < f->first + f->count; k++)
      has_y |= &frames.objects[k] == object_find(&frames, "y");
    ck_assert(!f->plain || !has_y);
    whole += f->plain;
  }
  ck_assert_uint_eq(whole, frames.count - 1);
  aq_code_frames_fini(&frames);
}
END_TEST

/* An object with functions, variables, arrays and joined places. */
START_TEST(damaged_entries_end_their_unit)
{
  aq_code_frames first = source_read(
      "CL1.2",
      "struct s { int x[3]; char c; }; int f(struct s *p, int i) { int "
      "last[4]; last[i & 3] = p->x[i]; return last[3]; } kernel void "
      "k(global int *a) { struct s one[2]; { int b[5]; b[a[1]] = 1; "
      "a[2] = b[0]; } a[0] = f(one, a[3]); }");
  const size_t size = bytes_read;
  unsigned char *whole = malloc(size);
  ck_assert(whole && first.object_count > 6);
  aq_code_frames_fini(&first);
  aq_rng rng;
  aq_rng_init(&rng, 1, 0);
  memcpy(whole, bytes, size);
  for (int i = 0; i < 2000; i++) {
    aq_code_frames frames;
    aq_diag diag = AQ_DIAG_INIT;
    for (int k = 0; k < 4; k++)
      bytes[aq_rng_bits(&rng) % size] = (unsigned char)aq_rng_bits(&rng);
    if (aq_code_frames_read(bytes, size, &frames, &diag) == AQ_OK) {
      for (size_t f = 0; f < frames.count; f++)
        ck_assert(frames.list[f].first + frames.list[f].count <=
                  frames.object_count);
      aq_code_frames_fini(&frames);
    }
    memcpy(bytes, whole, size);
  }
  free(whole);
}
END_TEST

AQ_TEST_MAIN("gpu/codeobj/frames", objects_are_what_the_compiler_wrote,
             parameters_of_a_local_class_are_of_no_frame,
             vectors_of_three_elements_have_the_size_of_four,
             references_have_the_size_of_pointers,
             the_last_element_is_one_of_an_array,
             objects_that_share_bytes_are_one_from_the_first_to_the_last,
             objects_of_inlined_functions_have_the_type_of_their_origin,
             a_frame_with_an_object_of_no_size_is_not_known,
             damaged_entries_end_their_unit)
