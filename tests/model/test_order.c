/* SPDX-License-Identifier: MIT */
/* Random programs on the simulator against the model of the ordering rules,
 * and corrupted timelines against the same model: it must be able to fail. */
#include "model/check.h"

#include "backend_sim/sim.h"
#include "support/aqtest.h"

START_TEST(random_programs_keep_the_rules_to_the_picosecond)
{
  uint64_t exact, failed = model_check_seeds(0, 1000, &exact);
  fflush(stdout); /* a failing program, before the test process ends */
  ck_assert_uint_eq(failed, 0);
  ck_assert_uint_gt(exact, 500);
}
END_TEST

START_TEST(programs_on_few_slots_keep_the_order_and_end_the_same_again)
{
  uint64_t later;
  ck_assert_uint_eq(model_check_contended(0, 1000, &later), 0);
  ck_assert_uint_gt(later, 150);
}
END_TEST

START_TEST(programs_cover_what_can_happen)
{
  unsigned types[MODEL_TYPES] = {0}, back_to_back = 0, wraps = 0, waited = 0;
  unsigned overtaken = 0, late = 0;
  for (uint64_t seed = 0; seed < 200; seed++) {
    model_program p;
    model_timeline t;
    model_program_make(&p, seed);
    model_drive(&p, &aqsim_transport_ops, &t);
    for (unsigned i = 0; i < p.packet_count; i++) {
      types[p.packets[i].type]++;
      back_to_back += (t.rows[i].flags & AQ_FLAG_BACK_TO_BACK) != 0;
      wraps += p.packets[i].id >= p.queue_size[p.packets[i].queue];
      late += t.rows[i].submit > t.published[i];
      waited += model_is_barrier(&p.packets[i]) &&
                t.rows[i].start > t.rows[i].launch + model_look(&p, i);
      for (unsigned k = 0; k < i; k++)
        overtaken += p.packets[k].queue == p.packets[i].queue &&
                     t.rows[i].complete != AQ_NONE &&
                     t.rows[k].complete > t.rows[i].complete;
    }
  }
  ck_assert_uint_gt(types[AQ_PACKET_KERNEL_DISPATCH], 1000);
  ck_assert_uint_gt(types[AQ_PACKET_BARRIER_AND], 200);
  ck_assert_uint_gt(types[AQ_PACKET_BARRIER_OR], 100);
  ck_assert_uint_gt(types[AQ_PACKET_AGENT_DISPATCH], 100);
  ck_assert_uint_gt(types[MODEL_VALUE_TYPE], 200);
  ck_assert_uint_gt(types[MODEL_PM4_TYPE], 200);
  ck_assert_uint_gt(types[MODEL_BAD_TYPE], 10);
  ck_assert_uint_gt(back_to_back, 30);
  ck_assert_uint_gt(wraps, 300);
  ck_assert_uint_gt(late, 100);
  ck_assert_uint_gt(waited, 100);
  ck_assert_uint_gt(overtaken, 100);
}
END_TEST

START_TEST(programs_and_timelines_are_the_same_again)
{
  for (uint64_t seed = 0; seed < 20; seed++) {
    model_program a, b;
    model_timeline one, two;
    char text[256];
    model_program_make(&a, seed);
    model_program_make(&b, seed);
    ck_assert_mem_eq(&a, &b, sizeof a);
    model_drive(&a, &aqsim_transport_ops, &one);
    model_drive(&b, &aqsim_transport_ops, &two);
    ck_assert_msg(model_timeline_same(&a, &one, &two, text), "%s", text);
  }
}
END_TEST

/* ---- corrupted timelines ---- */

/* Corrupts packet `i`, given one before it in the same queue (or -1); returns
 * whether there was something to corrupt. */
typedef bool mutation(const model_program *p, model_timeline *t, unsigned i,
                      int previous);

static bool is_good(const model_program *p, unsigned i)
{
  return p->packets[i].type != MODEL_BAD_TYPE;
}

static bool launch_before_the_one_before(const model_program *p,
                                         model_timeline *t, unsigned i,
                                         int previous)
{
  if (previous < 0 || !is_good(p, i))
    return false;
  t->rows[i].launch = t->rows[previous].launch - 1;
  return true;
}

static bool launch_late(const model_program *p, model_timeline *t, unsigned i,
                        int previous)
{
  (void)previous;
  t->rows[i].launch++;
  return is_good(p, i) && t->rows[i].end > t->rows[i].launch;
}

static bool barrier_bit_ignored(const model_program *p, model_timeline *t,
                                unsigned i, int previous)
{
  if (previous < 0 || !p->packets[i].barrier || !is_good(p, i))
    return false;
  t->rows[i].launch = t->rows[previous].complete - 1;
  return t->rows[i].launch >= t->rows[i].fetch;
}

static bool barrier_packet_passed(const model_program *p, model_timeline *t,
                                  unsigned i, int previous)
{
  if (previous < 0 || !model_blocks(&p->packets[previous]))
    return false;
  t->rows[i].launch = t->rows[previous].complete - 1;
  return t->rows[i].launch >= t->rows[i].fetch;
}

static bool dependency_ignored(const model_program *p, model_timeline *t,
                               unsigned i, int previous)
{
  (void)previous;
  const model_packet *packet = &p->packets[i];
  if (packet->type != AQ_PACKET_BARRIER_AND)
    return false;
  for (int k = 0; k < AQ_BARRIER_DEPENDENCIES; k++) {
    model_change changes[MODEL_PACKETS + 1];
    if (packet->dependency[k] == MODEL_NONE)
      continue;
    unsigned count = model_history(p, t, packet->dependency[k], changes);
    if (count > 0 && changes[count - 1].time > t->rows[i].launch) {
      t->rows[i].start = changes[count - 1].time - 1;
      return true;
    }
  }
  return false;
}

static bool dependency_seen_late(const model_program *p, model_timeline *t,
                                 unsigned i, int previous)
{
  (void)previous;
  aq_time look = t->rows[i].launch + model_look(p, i);
  if (!model_is_barrier(&p->packets[i]) || t->rows[i].start <= look)
    return false;
  t->rows[i].start += 1;
  t->rows[i].end = t->rows[i].complete;
  return t->rows[i].end >= t->rows[i].start;
}

static bool before_the_doorbell(const model_program *p, model_timeline *t,
                                unsigned i, int previous)
{
  (void)p, (void)previous;
  t->rows[i].submit = t->published[i] - 1;
  return true;
}

static bool recorded_twice(const model_program *p, model_timeline *t,
                           unsigned i, int previous)
{
  (void)p, (void)previous;
  t->records[i]++;
  return true;
}

static bool never_recorded(const model_program *p, model_timeline *t,
                           unsigned i, int previous)
{
  (void)p, (void)previous;
  t->records[i] = 0;
  return true;
}

static bool completed_twice(const model_program *p, model_timeline *t,
                            unsigned i, int previous)
{
  (void)previous;
  if (p->packets[i].completion == MODEL_NONE)
    return false;
  t->values[p->packets[i].completion]--;
  return true;
}

static bool slot_lost(const model_program *p, model_timeline *t, unsigned i,
                      int previous)
{
  (void)previous;
  t->read_index[p->packets[i].queue]--;
  return true;
}

static bool called_twice(const model_program *p, model_timeline *t, unsigned i,
                         int previous)
{
  (void)p, (void)previous;
  t->calls[i]++;
  return is_good(p, i);
}

static bool error_swallowed(const model_program *p, model_timeline *t,
                            unsigned i, int previous)
{
  (void)previous;
  t->errors[p->packets[i].queue] = 0;
  return !is_good(p, i);
}

static bool error_completes(const model_program *p, model_timeline *t,
                            unsigned i, int previous)
{
  (void)previous;
  t->rows[i].complete = t->rows[i].launch + 1;
  return !is_good(p, i);
}

static int previous_of(const model_program *p, unsigned i)
{
  for (unsigned k = i; k-- > 0;)
    if (p->packets[k].queue == p->packets[i].queue)
      return (int)k;
  return -1;
}

/* How often the rules caught a mutation, of how many they were given. */
static void mutate(mutation *apply, unsigned *caught, unsigned *given)
{
  *caught = *given = 0;
  for (uint64_t seed = 0; seed < 100; seed++) {
    model_program p;
    static model_timeline good, bad;
    char text[256];
    model_program_make(&p, seed);
    model_drive(&p, &aqsim_transport_ops, &good);
    for (unsigned i = 0; i < p.packet_count; i++) {
      bad = good;
      if (!apply(&p, &bad, i, previous_of(&p, i)))
        continue;
      ++*given;
      *caught += !model_rules_check(&p, &bad, text);
    }
  }
}

START_TEST(the_rules_catch_every_corrupted_timeline)
{
  static const struct {
    const char *name;
    mutation *apply;
  } mutations[] = {
      {"launch before the packet before it", launch_before_the_one_before},
      {"launch late", launch_late},
      {"barrier bit ignored", barrier_bit_ignored},
      {"barrier packet passed", barrier_packet_passed},
      {"dependency ignored", dependency_ignored},
      {"dependency seen late", dependency_seen_late},
      {"before the doorbell", before_the_doorbell},
      {"recorded twice", recorded_twice},
      {"never recorded", never_recorded},
      {"completed twice", completed_twice},
      {"slot lost", slot_lost},
      {"called twice", called_twice},
      {"error swallowed", error_swallowed},
      {"error completes", error_completes},
  };
  for (size_t i = 0; i < sizeof mutations / sizeof *mutations; i++) {
    unsigned caught, given;
    mutate(mutations[i].apply, &caught, &given);
    ck_assert_msg(given > 0, "%s: nothing to corrupt", mutations[i].name);
    ck_assert_msg(caught == given, "%s: caught %u of %u", mutations[i].name,
                  caught, given);
  }
}
END_TEST

START_TEST(a_picosecond_anywhere_is_a_difference)
{
  model_program p;
  model_timeline got, expected;
  char text[256];
  uint64_t seed = 0;
  do
    model_program_make(&p, seed++);
  while (!model_is_exact(&p) || p.packet_count < 20);
  model_expect(&p, &expected);
  model_drive(&p, &aqsim_transport_ops, &got);
  ck_assert_msg(model_timeline_same(&p, &got, &expected, text), "%s", text);
  for (unsigned i = 0; i < p.packet_count; i++) {
    int64_t *const fields[] = {&got.rows[i].submit, &got.rows[i].fetch,
                               &got.rows[i].launch, &got.rows[i].start,
                               &got.rows[i].end,    &got.rows[i].complete};
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
      ++*fields[k];
      ck_assert(!model_timeline_same(&p, &got, &expected, text));
      --*fields[k];
    }
  }
}
END_TEST

/* Every constant and every bit of the program must matter somewhere. */
static bool program_differs(uint64_t seed, void (*change)(model_program *p))
{
  model_program p;
  model_timeline expected, got;
  char text[256];
  model_program_make(&p, seed);
  if (!model_is_exact(&p))
    return false;
  model_expect(&p, &expected);
  change(&p);
  model_drive(&p, &aqsim_transport_ops, &got);
  return !model_timeline_same(&p, &got, &expected, text);
}

#define T(name)                                                                \
  static void change_##name(model_program *p)                                  \
  {                                                                            \
    p->device.name += AQ_US;                                                   \
  }
MODEL_TIMES(T)
#undef T

static void change_batch(model_program *p)
{
  p->device.fetch_batch++;
}

static void change_barrier_bit(model_program *p)
{
  for (unsigned i = 0; i < p->packet_count; i++)
    p->packets[i].barrier = false;
}

static void change_scopes(model_program *p)
{
  for (unsigned i = 0; i < p->packet_count; i++)
    p->packets[i].release = AQ_SCOPE_NONE;
}

static void change_dependencies(model_program *p)
{
  for (unsigned i = 0; i < p->packet_count; i++)
    if (p->packets[i].type == AQ_PACKET_BARRIER_AND)
      p->packets[i].dependency[0] = MODEL_NONE;
}

START_TEST(every_constant_and_bit_moves_the_timeline)
{
  static const struct {
    const char *name;
    void (*change)(model_program *p);
  } changes[] = {
#define T(name) {#name, change_##name},
      MODEL_TIMES(T)
#undef T
          {"fetch_batch", change_batch},
      {"barrier bits", change_barrier_bit},
      {"release scopes", change_scopes},
      {"dependencies", change_dependencies},
  };
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    bool differs = false;
    for (uint64_t seed = 0; seed < 100 && !differs; seed++)
      differs = program_differs(seed, changes[i].change);
    ck_assert_msg(differs, "%s moves nothing", changes[i].name);
  }
}
END_TEST

AQ_TEST_MAIN("model/order", random_programs_keep_the_rules_to_the_picosecond,
             programs_on_few_slots_keep_the_order_and_end_the_same_again,
             programs_cover_what_can_happen,
             programs_and_timelines_are_the_same_again,
             the_rules_catch_every_corrupted_timeline,
             a_picosecond_anywhere_is_a_difference,
             every_constant_and_bit_moves_the_timeline)
