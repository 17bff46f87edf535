/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include <string.h>

#include "common/host_kernels.h"

/* The calls of a kernel, in their order. */
typedef struct seen {
  uint32_t groups, items;
  uint32_t ids[64][3];
  uint32_t sizes[64];
  uint64_t hash; /* of the global ids, in order */
  bool fresh;    /* the group segment was filled each time */
} seen;

static void look(const aq_workgroup *group)
{
  seen *s = *(seen **)group->kernarg;
  unsigned char *lds = group->lds;
  memcpy(s->ids[s->groups], group->id, sizeof group->id);
  s->sizes[s->groups++] = group->items;
  s->fresh &= group->lds_size == 256;
  for (uint32_t i = 0; i < group->lds_size; i++)
    s->fresh &= lds[i] == AQ_LDS_FILL;
  memset(lds, 0, group->lds_size);
  AQ_WORK_ITEMS(item, group)
  {
    s->hash = s->hash * 31 + item.global[0] + 100 * item.global[1] +
              10000 * item.global[2];
    ck_assert_uint_eq(
        item.flat, item.id[0] + group->size[0] *
                                    (item.id[1] + group->size[1] * item.id[2]));
    s->items++;
  }
}

static void play(const aq_kernel_entry *entry, const aq_kernel_packet *packet,
                 void *kernarg, char *error)
{
  aq_kernel_desc desc = {.name = entry->name};
  aq_kernel_entry_describe(entry, &desc);
  desc.function(&(aq_kernel_call){
      .packet = packet, .kernarg = kernarg, .user = desc.user, .error = error});
}

START_TEST(workgroups_come_x_first_and_the_last_are_smaller)
{
  const aq_kernel_entry entry = {.name = "look", .workgroup = look};
  const aq_kernel_packet packet = {.setup = 3,
                                   .workgroup_size = {4, 2, 1},
                                   .grid_size = {10, 3, 2},
                                   .group_segment_size = 256};
  seen s = {.fresh = true}, again = {.fresh = true};
  seen *args = &s, *more = &again;
  char error[AQ_KERNEL_ERROR_SIZE] = "";
  play(&entry, &packet, &args, error);
  ck_assert_uint_eq(s.groups, 3 * 2 * 2);
  ck_assert_uint_eq(s.items, 60);
  ck_assert(s.fresh);
  ck_assert_uint_eq(s.ids[1][0], 1);
  ck_assert_uint_eq(s.ids[3][1], 1);
  ck_assert_uint_eq(s.ids[6][2], 1);
  ck_assert_uint_eq(s.sizes[0], 8);
  ck_assert_uint_eq(s.sizes[2], 4); /* 2 of 4 wide */
  ck_assert_uint_eq(s.sizes[5], 2); /* and 1 of 2 high */
  play(&entry, &packet, &more, NULL);
  ck_assert(s.hash == again.hash);
}
END_TEST

static void sum_by_tree(const aq_workgroup *group)
{
  uint32_t *part = group->lds;
  AQ_WORK_ITEMS(item, group)
  part[item.flat] = item.global[0] + 1;
  for (uint32_t half = group->items / 2; half > 0; half /= 2)
    AQ_WORK_ITEMS(item, group)
  if (item.flat < half)
    part[item.flat] += part[item.flat + half];
  **(uint32_t **)group->kernarg += part[0];
}

START_TEST(the_end_of_a_loop_over_work_items_is_a_barrier)
{
  const aq_kernel_entry entry = {.name = "sum", .workgroup = sum_by_tree};
  const aq_kernel_packet packet = {.setup = 3,
                                   .workgroup_size = {64, 1, 1},
                                   .grid_size = {256, 1, 1},
                                   .group_segment_size = 256};
  uint32_t sum = 0, *args = &sum;
  play(&entry, &packet, &args, NULL);
  ck_assert_uint_eq(sum, 256 * 257 / 2);
}
END_TEST

static void refuse(const aq_workgroup *group)
{
  ++**(int **)group->kernarg;
  aq_kernel_fail(group->call, "expected more");
  aq_kernel_fail(group->call, "and this is too late");
}

START_TEST(the_first_failure_ends_the_dispatch)
{
  const aq_kernel_entry entry = {.name = "refuse", .workgroup = refuse};
  const aq_kernel_packet packet = {
      .setup = 3, .workgroup_size = {1, 1, 1}, .grid_size = {5, 1, 1}};
  char error[AQ_KERNEL_ERROR_SIZE] = "";
  int calls = 0, *args = &calls;
  play(&entry, &packet, &args, error);
  ck_assert_int_eq(calls, 1);
  ck_assert_str_eq(error, "expected more");
}
END_TEST

static void nothing(const aq_kernel_call *call)
{
  (void)call;
}

START_TEST(a_kernel_without_a_cost_has_the_usual_one)
{
  const aq_kernel_entry plain = {.name = "a", .function = nothing};
  const aq_kernel_entry costly = {
      .name = "b", .function = nothing, .cost = {AQ_COST_FIXED, AQ_MS}};
  aq_kernel_desc desc = {.name = "a"};
  aq_kernel_entry_describe(&plain, &desc);
  ck_assert(desc.function == nothing);
  ck_assert_int_eq(desc.cost.kind, AQ_COST_PER_WORKGROUP);
  ck_assert_int_eq(desc.cost.base, 2 * AQ_US);
  aq_kernel_entry_describe(&costly, &desc);
  ck_assert_int_eq(desc.cost.base, AQ_MS);
  aq_kernel_entry_describe(NULL, &desc);
  ck_assert_ptr_null(desc.function);
}
END_TEST

START_TEST(sizes_beyond_the_dimensions_of_a_packet_do_not_count)
{
  const aq_kernel_entry entry = {.name = "look", .workgroup = look};
  const aq_kernel_packet packet = {.setup = 1,
                                   .workgroup_size = {4, 0, 7},
                                   .grid_size = {10, 0, 0},
                                   .group_segment_size = 256};
  seen s = {.fresh = true}, *args = &s;
  play(&entry, &packet, &args, NULL);
  ck_assert_uint_eq(s.groups, 3);
  ck_assert_uint_eq(s.items, 10);
  ck_assert_uint_eq(s.sizes[2], 2);
}
END_TEST

START_TEST(built_in_tables_are_searched_by_the_whole_name)
{
  static const aq_kernel_entry first[] = {{.name = "a", .function = nothing},
                                          {.name = NULL}};
  static const aq_kernel_entry second[] = {{.name = "a", .workgroup = refuse},
                                           {.name = "ab", .workgroup = refuse},
                                           {.name = NULL}};
  static const aq_kernel_entry *const tables[] = {first, second, NULL};
  static const char *const missing[] = {"/nonexistent/kernels.so", NULL};
  aq_host_kernels set;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aq_host_kernels_open(&set, NULL, tables, &diag), AQ_OK,
                   &diag);
  ck_assert_ptr_eq(aq_host_kernels_find(&set, "a.kd", 1), &first[0]);
  ck_assert_ptr_eq(aq_host_kernels_find(&set, "ab", 2), &second[1]);
  ck_assert_ptr_null(aq_host_kernels_find(&set, "abc", 3));
  aq_host_kernels_close(&set);
  ck_assert_int_ne(aq_host_kernels_open(&set, missing, tables, &diag), AQ_OK);
  ck_assert_ptr_nonnull(strstr(diag.text, "/nonexistent/kernels.so"));
}
END_TEST

static uint32_t known_variable = 5;

static void *known_find(const aq_kernel_scope *scope, const char *name,
                        uint64_t *size)
{
  (void)scope;
  if (strcmp(name, "known") != 0 && strcmp(name, "sizeless") != 0)
    return NULL;
  *size = name[0] == 'k' ? sizeof known_variable : 0;
  return &known_variable;
}

START_TEST(a_variable_is_found_or_the_line_says_why_not)
{
  const aq_kernel_scope scope = {known_find};
  char error[AQ_KERNEL_ERROR_SIZE] = "";
  aq_kernel_call call = {.error = error, .scope = &scope};
  ck_assert_ptr_eq(aq_kernel_variable(&call, "known", 4), &known_variable);
  ck_assert_ptr_eq(aq_kernel_variable(&call, "sizeless", 99), &known_variable);
  ck_assert_str_eq(error, "");
  ck_assert_ptr_null(aq_kernel_variable(&call, "known", 5));
  ck_assert_str_eq(error,
                   "variable known has 4 bytes; its host function uses 5");
  ck_assert_ptr_null(aq_kernel_variable(&call, "unknown", 1));
  ck_assert_ptr_nonnull(strstr(error, "known has 4 bytes")); /* the first */
  error[0] = 0;
  ck_assert_ptr_null(aq_kernel_variable(&call, "unknown", 1));
  ck_assert_str_eq(error, "its code object has no variable unknown");
  error[0] = 0;
  call.scope = NULL;
  ck_assert_ptr_null(aq_kernel_variable(&call, "known", 4));
  ck_assert_str_eq(error, "no code object has it: no variable known");
  call.error = NULL;
  ck_assert_ptr_null(aq_kernel_variable(&call, "known", 4));
}
END_TEST

AQ_TEST_MAIN("common/kernel_set",
             workgroups_come_x_first_and_the_last_are_smaller,
             the_end_of_a_loop_over_work_items_is_a_barrier,
             the_first_failure_ends_the_dispatch,
             sizes_beyond_the_dimensions_of_a_packet_do_not_count,
             a_kernel_without_a_cost_has_the_usual_one,
             built_in_tables_are_searched_by_the_whole_name,
             a_variable_is_found_or_the_line_says_why_not)
