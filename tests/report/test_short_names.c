/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "common/demangle.h"
#include "report/stats/short_names.h"
#include "support/aqtest.h"

static void is_short(const char *name, const char *wanted)
{
  char *text = aq_name_short(name);
  ck_assert_str_eq(text, wanted);
  free(text);
}

/* The mangled names are from the traces; c++filt gives the same text. */
START_TEST(mangled_names_are_demangled)
{
  if (!aq_demangler())
    return aqtest_skip("no C++ runtime library");
  char *text = aq_demangle("_Z4vaddPKfS0_Pfi.kd");
  ck_assert_str_eq(text, "vadd(float const*, float const*, float*, int)");
  free(text);
  is_short("_Z4vaddPKfS0_Pfi", "vadd");
}
END_TEST

START_TEST(other_names_stay_as_they_are)
{
  ck_assert_ptr_null(aq_demangle("vadd"));
  const char *scale = "_ZN2ns5scaleIfEEvPT_i";
  ck_assert(aq_name_is(scale, scale));
  ck_assert(aq_name_is(scale, "void ns::scale<float>(float*, int)"));
  ck_assert(aq_name_is(scale, "ns::scale<float>(float*, int)"));
  ck_assert(aq_name_is(scale, "ns::scale<float>"));
  ck_assert(!aq_name_is(scale, "ns::scale"));
  ck_assert(!aq_name_is(scale, "scale<float>"));
  ck_assert(!aq_name_is(scale, ""));
  ck_assert(aq_name_is("_Z5twicePFivE", "twice"));
  ck_assert(aq_name_is("_Z5twicePFivE", "twice(int (*)())"));
  ck_assert(aq_name_is("vadd", "vadd") && !aq_name_is("vadd", "vad"));
  ck_assert_ptr_null(aq_demangle("_Zbroken"));
  is_short("_Zbroken", "_Zbroken");
  is_short("batched_transpose_32x32_half", "batched_transpose_32x32_half");
  is_short("Memcpy DtoD (Device -> Device)", "Memcpy DtoD (Device -> Device)");
  is_short("", "");
  is_short("(", "(");
  is_short(")", ")");
  is_short("::", "::");
}
END_TEST

START_TEST(namespaces_return_types_and_parameters_are_left_out)
{
  is_short("void at::native::vectorized_elementwise_kernel<8, "
           "at::native::CUDAFunctor_add<c10::BFloat16>, "
           "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add"
           "<c10::BFloat16>, std::array<char*, 3ul>)",
           "vectorized_elementwise_kernel<8, CUDAFunctor_add<BFloat16>, "
           "array<char*, 3ul> >");
  is_short("void at::native::(anonymous namespace)::max_pool_backward_nchw"
           "<c10::BFloat16, float>(int)",
           "max_pool_backward_nchw<BFloat16, float>");
}
END_TEST

START_TEST(a_gemm_of_tensile_shows_its_operands_and_tile)
{
  is_short("Cijk_Ailk_Bljk_BBS_BH_MT32x32x128_MI16x16x1",
           "gemm NN BBS_BH_MT32x32x128_MI16x16x1");
  is_short("Cijk_Alik_Bjlk_HHS_MT64", "gemm TT HHS_MT64");
  is_short("Cijk_Ail", "Cijk_Ail");
}
END_TEST

START_TEST(different_names_have_different_short_ones)
{
  static const char *const given[][2] = {
      {"void a::f<c10::Half>(int)", "void a::f<c10::Half>(int)"},
      {"void b::f<c10::Half>(int)", "void b::f<c10::Half>(int)"},
      {"f<Half>", "f<Half>"},
      {"void a::g(float)", "g"},
      {"void a::g(float)", "g"},
      {"Cijk_Ailk_Bljk_HHS_MT64", "Cijk_Ailk_Bljk_HHS_MT64"},
      {"gemm NN HHS_MT64", "gemm NN HHS_MT64"},
  };
  enum { COUNT = sizeof given / sizeof *given };
  char *names[COUNT];
  for (int i = 0; i < COUNT; i++)
    names[i] = strdup(given[i][0]);
  ck_assert_int_eq(aq_names_short(names, COUNT), 0);
  for (int i = 0; i < COUNT; i++)
    ck_assert_str_eq(names[i], given[i][1]);
  for (int i = 0; i < COUNT; i++)
    free(names[i]);
  ck_assert_int_eq(aq_names_short(NULL, 0), 0);
}
END_TEST

AQ_TEST_MAIN("report/short_names", mangled_names_are_demangled,
             other_names_stay_as_they_are,
             namespaces_return_types_and_parameters_are_left_out,
             a_gemm_of_tensile_shows_its_operands_and_tile,
             different_names_have_different_short_ones)
