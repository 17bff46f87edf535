/* SPDX-License-Identifier: MIT */
/* Dispatch files: memory goes into one and comes back; damaged ones are
 * refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/dispatch_file.h"
#include "common/dispatch_selector.h"
#include "support/aqtest.h"

enum { PAGE = AQ_ALLOCATION_PAGE, PAGES = 5 };

static const aq_kernel_packet packet = {
    .workgroup_size = {64, 1, 1}, .grid_size = {128, 2, 1}, .kernel_object = 7};

/* Allocations in pages 0 and 1, which touch, and 3; page 4 is of another
 * device. Page 1 is all zeros. */
static unsigned char *memory_make(aq_allocations *map)
{
  unsigned char *memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ck_assert(memory != MAP_FAILED);
  const uint64_t base = (uint64_t)(uintptr_t)memory;
  aq_allocation list[] = {
      {.base = base + 3 * PAGE, .size = PAGE, .readers = 1, .executable = true},
      {.base = base, .size = 100, .readers = 1, .writers = 1},
      {.base = base + PAGE, .size = PAGE, .readers = 1, .writers = 1},
      {.base = base + 4 * PAGE, .size = PAGE, .readers = 2, .writers = 2}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    list[i].kind = AQ_ALLOCATION_CODE;
    ck_assert(aq_allocations_add(map, &list[i]));
  }
  aq_allocations_open(map, false);
  memory[5] = 50;
  memory[3 * PAGE + 9] = 90;
  memory[4 * PAGE] = 1;
  return memory;
}

static void path_make(char path[64])
{
  snprintf(path, 64, "/tmp/aqdispatch-%ld", (long)getpid());
  unlink(path);
}

START_TEST(memory_of_the_device_comes_back_at_its_addresses)
{
  aq_allocations *map = aq_allocations_create();
  unsigned char *memory = memory_make(map);
  const uint64_t base = (uint64_t)(uintptr_t)memory;
  aq_dispatch_file f;
  aq_diag diag = AQ_DIAG_INIT;
  char path[64];
  path_make(path);
  ck_assert_status(
      aq_dispatch_file_write(path, &packet, "gfx90a", "work", 0, map, &diag),
      AQ_OK, &diag);
  ck_assert_status(
      aq_dispatch_file_write(path, &packet, "gfx90a", "work", 0, map, &diag),
      AQ_ERR_EXISTS, &diag);
  ck_assert(aq_dispatch_file_is(path));
  ck_assert_status(aq_dispatch_file_open(path, &f, &diag), AQ_OK, &diag);
  unlink(path);
  ck_assert_str_eq(f.kernel, "work");
  ck_assert_str_eq(f.gfx, "gfx90a");
  ck_assert_mem_eq(&f.packet, &packet, sizeof packet);
  ck_assert_uint_eq(f.allocation_count, 3);
  ck_assert_uint_eq(f.allocations[0].base, base);
  ck_assert_uint_eq(f.allocations[0].size, 100);
  ck_assert_uint_eq(f.allocations[2].writers, 0);
  ck_assert(f.allocations[2].executable && !f.allocations[1].executable);
  ck_assert_uint_eq(f.run_count, 2);
  ck_assert_uint_eq(f.runs[0].base, base);
  ck_assert_uint_eq(f.runs[0].size, 2 * PAGE);
  ck_assert_uint_eq(f.bytes_count, 2);
  ck_assert_uint_eq(f.bytes[0].size, PAGE);
  ck_assert_mem_eq(f.bytes[0].bytes, memory, PAGE);
  ck_assert_uint_eq(f.bytes[1].address, base + 3 * PAGE);
  ck_assert_mem_eq(f.bytes[1].bytes, memory + 3 * PAGE, PAGE);
  aq_dispatch_file_close(&f);
  aq_allocations_destroy(map);
  munmap(memory, PAGES * PAGE);
}
END_TEST

START_TEST(memory_that_is_gone_and_an_open_map_are_errors)
{
  aq_allocations *map = aq_allocations_create();
  unsigned char *memory = memory_make(map);
  aq_diag diag = AQ_DIAG_INIT;
  char path[64];
  path_make(path);
  munmap(memory + 3 * PAGE, PAGE);
  ck_assert_status(
      aq_dispatch_file_write(path, &packet, "gfx90a", "work", 0, map, &diag),
      AQ_ERR_IO, &diag);
  ck_assert_ptr_nonnull(strstr(diag.text, "cannot be read"));
  aq_allocations_open(map, true);
  ck_assert_status(
      aq_dispatch_file_write(path, &packet, "gfx90a", "work", 0, map, &diag),
      AQ_ERR_UNSUPPORTED, &diag);
  ck_assert_int_ne(access(path, F_OK), 0);
  aq_allocations_destroy(map);
  munmap(memory, PAGES * PAGE);
}
END_TEST

/* A file of one run in memory, to be damaged. */
static size_t file_make(unsigned char *bytes, size_t room)
{
  aq_allocations *map = aq_allocations_create();
  unsigned char *memory = memory_make(map);
  aq_diag diag = AQ_DIAG_INIT;
  char path[64];
  path_make(path);
  ck_assert_status(
      aq_dispatch_file_write(path, &packet, "gfx90a", "work", 0, map, &diag),
      AQ_OK, &diag);
  FILE *file = fopen(path, "rb");
  const size_t size = fread(bytes, 1, room, file);
  fclose(file);
  unlink(path);
  aq_allocations_destroy(map);
  munmap(memory, PAGES * PAGE);
  return size;
}

START_TEST(files_that_are_cut_off_or_longer_are_refused)
{
  static unsigned char bytes[8 * PAGE];
  const size_t size = file_make(bytes, sizeof bytes - 1);
  aq_dispatch_file f;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aq_dispatch_file_read(bytes, size, &f, &diag), AQ_OK, &diag);
  aq_dispatch_file_close(&f);
  for (size_t cut = 0; cut < size; cut += cut < 400 ? 1 : 997)
    ck_assert_status(aq_dispatch_file_read(bytes, cut, &f, &diag), AQ_ERR_INPUT,
                     &diag);
  ck_assert_status(aq_dispatch_file_read(bytes, size + 1, &f, &diag),
                   AQ_ERR_INPUT, &diag);
  ck_assert_ptr_nonnull(strstr(diag.text, "more follows"));
}
END_TEST

START_TEST(damaged_heads_are_refused_or_place_all_within_runs)
{
  static unsigned char bytes[8 * PAGE];
  const size_t size = file_make(bytes, sizeof bytes);
  for (size_t i = 0; i < 400; i++)
    for (unsigned bit = 0; bit < 8; bit++) {
      aq_dispatch_file f;
      bytes[i] ^= 1u << bit;
      if (aq_dispatch_file_read(bytes, size, &f, NULL) == AQ_OK) {
        for (uint32_t k = 0; k < f.bytes_count; k++)
          ck_assert(f.bytes[k].address >= f.runs[0].base);
        aq_dispatch_file_close(&f);
      }
      bytes[i] ^= 1u << bit;
    }
  bytes[4] = 2;
  aq_dispatch_file f;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aq_dispatch_file_read(bytes, size, &f, &diag), AQ_ERR_INPUT,
                   &diag);
  ck_assert_ptr_nonnull(strstr(diag.text, "version 2 of the format"));
}
END_TEST

START_TEST(a_choice_is_a_number_from_1_and_a_file)
{
  static const char *const wrong[] = {"",
                                      "1",
                                      "1:",
                                      "0:f",
                                      "-1:f",
                                      "x:f",
                                      ":f",
                                      "1f:f",
                                      "1 :f",
                                      " 1:f",
                                      "99999999999999999999:f"};
  aq_dispatch_choice choice;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aq_dispatch_choice_read("12:a:b", &choice, &diag), AQ_OK,
                   &diag);
  ck_assert_uint_eq(choice.number, 12);
  ck_assert_str_eq(choice.file, "a:b");
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    ck_assert_status(aq_dispatch_choice_read(wrong[i], &choice, &diag),
                     AQ_ERR_INPUT, &diag);
}
END_TEST

AQ_TEST_MAIN("common/dispatch_file",
             memory_of_the_device_comes_back_at_its_addresses,
             memory_that_is_gone_and_an_open_map_are_errors,
             files_that_are_cut_off_or_longer_are_refused,
             damaged_heads_are_refused_or_place_all_within_runs,
             a_choice_is_a_number_from_1_and_a_file)
