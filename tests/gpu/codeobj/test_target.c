/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "gpu/codeobj/target.h"
#include "support/aqtest.h"

static aq_target parse(const char *text)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_target target;
  ck_assert_status(aq_target_parse(text, strlen(text), &target, &diag), AQ_OK,
                   &diag);
  return target;
}

START_TEST(a_target_id_reads_back_as_it_was_written)
{
  static const char *const ids[] = {"gfx942", "gfx90a:sramecc+:xnack-",
                                    "gfx906:xnack+", "gfx11-generic"};
  for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
    char text[AQ_TARGET_TEXT_SIZE];
    aq_target target = parse(ids[i]);
    aq_target_print(&target, text);
    ck_assert_str_eq(text, ids[i]);
  }
  aq_target full = parse("amdgcn-amd-amdhsa--gfx90a:xnack-");
  ck_assert_int_eq(full.xnack, AQ_FEATURE_OFF);
  ck_assert_int_eq(full.sramecc, AQ_FEATURE_ANY);
}
END_TEST

START_TEST(a_bad_target_id_is_refused)
{
  static const char *const ids[] = {"",
                                    "gfx",
                                    "gfx942:",
                                    "gfx942:xnack",
                                    "gfx942:xnack+:xnack+",
                                    "gfx1030:xnack+",
                                    "gfx942:what+",
                                    "amdgcn-amd-amdhsa--"};
  for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
    aq_diag diag = AQ_DIAG_INIT;
    aq_target target;
    ck_assert_status(aq_target_parse(ids[i], strlen(ids[i]), &target, &diag),
                     AQ_ERR_INPUT, &diag);
  }
}
END_TEST

START_TEST(code_fits_by_llvms_rules)
{
  static const struct {
    const char *code, *device;
    aq_target_fit fit;
  } cases[] = {
      {"gfx942", "gfx942", AQ_FIT_EXACT},
      {"gfx942", "gfx941", AQ_FIT_NONE},
      {"gfx9-generic", "gfx906:sramecc+:xnack-", AQ_FIT_GENERIC},
      {"gfx9-generic", "gfx90a", AQ_FIT_NONE},
      {"gfx9-generic", "gfx908", AQ_FIT_NONE},
      {"gfx10-3-generic", "gfx1036", AQ_FIT_GENERIC},
      {"gfx10-1-generic", "gfx1030", AQ_FIT_NONE},
      {"gfx11-generic", "gfx1151", AQ_FIT_GENERIC},
      {"gfx90a", "gfx90a:sramecc+:xnack-", AQ_FIT_EXACT},
      {"gfx90a:xnack-", "gfx90a:sramecc+:xnack-", AQ_FIT_EXACT},
      {"gfx90a:xnack+", "gfx90a:sramecc+:xnack-", AQ_FIT_NONE},
      {"gfx90a:sramecc-", "gfx90a:sramecc+:xnack-", AQ_FIT_NONE},
      {"gfx90a:xnack+", "gfx90a", AQ_FIT_EXACT},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    aq_target code = parse(cases[i].code), device = parse(cases[i].device);
    ck_assert_msg(aq_target_fits(&code, &device) == cases[i].fit, "%s on %s",
                  cases[i].code, cases[i].device);
  }
}
END_TEST

START_TEST(flags_tell_the_settings_by_version)
{
  static const struct {
    uint32_t abi, flags;
    const char *target;
  } cases[] = {
      {1, 0x13f, "gfx90a:sramecc-:xnack+"},
      {2, 0x53f, "gfx90a"},
      {3, 0xe3f, "gfx90a:sramecc+:xnack-"},
      {4, 0x1000054, "gfx11-generic"},
      {2, 0x036, "gfx1030"},
  };
  aq_diag diag = AQ_DIAG_INIT;
  aq_target target;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[AQ_TARGET_TEXT_SIZE];
    ck_assert_status(
        aq_target_from_flags(cases[i].abi, cases[i].flags, &target, &diag),
        AQ_OK, &diag);
    aq_target_print(&target, text);
    ck_assert_str_eq(text, cases[i].target);
  }
  ck_assert_uint_eq((aq_target_from_flags(4, 0x1000054, &target, &diag),
                     target.generic_version),
                    1);
  ck_assert_status(aq_target_from_flags(0, 0x3f, &target, &diag), AQ_ERR_INPUT,
                   &diag);
  ck_assert_status(aq_target_from_flags(2, 0xff, &target, &diag), AQ_ERR_INPUT,
                   &diag);
}
END_TEST

START_TEST(version_2_names_its_target_by_the_note_of_the_isa)
{
  static const struct {
    uint32_t isa[3], flags;
    const char *target; /* NULL: refused */
  } cases[] = {
      {{9, 0, 7}, 0x32f, "gfx906:sramecc+:xnack+"}, /* as LLVM 15 writes them */
      {{9, 0, 6}, 0x02f, "gfx906:sramecc-:xnack-"},
      {{9, 0, 1}, 0x12c, "gfx900:xnack+"},
      {{8, 0, 3}, 0x02a, "gfx803"},
      {{8, 0, 3}, 0x002, "gfx803"}, /* before e_flags had a processor */
      {{8, 0, 1}, 0x001, "gfx801:xnack+"},
      {{9, 0, 6}, 0x02c, NULL}, /* e_flags of gfx900 */
      {{0, 0, 0}, 0x02f, NULL}, /* no note */
      {{9, 0, 6}, 0x0fe, NULL},
      {{UINT32_MAX, UINT32_MAX, UINT32_MAX}, 0, NULL},
  };
  aq_diag diag = AQ_DIAG_INIT;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[AQ_TARGET_TEXT_SIZE];
    aq_target target;
    const aq_status status =
        aq_target_from_isa(cases[i].isa, cases[i].flags, &target, &diag);
    ck_assert_int_eq(status, cases[i].target ? AQ_OK : AQ_ERR_INPUT);
    if (status == AQ_OK) {
      aq_target_print(&target, text);
      ck_assert_str_eq(text, cases[i].target);
    }
  }
}
END_TEST

START_TEST(generic_targets_have_a_version_and_others_have_none)
{
  static const struct {
    uint32_t abi, flags;
  } refused[] = {{4, 0x0000054},  /* generic without a version */
                 {3, 0x0000054},  /* generic before version 6 */
                 {4, 0x100003f}}; /* gfx90a with one */
  static const uint32_t taken[] = {0x1000054, 0x2000054, 0xff000054};
  aq_diag diag = AQ_DIAG_INIT;
  aq_target code, device;
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    ck_assert_status(
        aq_target_from_flags(refused[i].abi, refused[i].flags, &code, &diag),
        AQ_ERR_INPUT, &diag);
  aq_target_parse("gfx1100", 7, &device, NULL);
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
    ck_assert_status(aq_target_from_flags(4, taken[i], &code, &diag), AQ_OK,
                     &diag);
    ck_assert_uint_eq(code.generic_version, taken[i] >> 24);
    ck_assert_int_eq(aq_target_fits(&code, &device), AQ_FIT_GENERIC);
  }
}
END_TEST

AQ_TEST_MAIN("gpu/codeobj/target", a_target_id_reads_back_as_it_was_written,
             a_bad_target_id_is_refused, code_fits_by_llvms_rules,
             flags_tell_the_settings_by_version,
             version_2_names_its_target_by_the_note_of_the_isa,
             generic_targets_have_a_version_and_others_have_none)
