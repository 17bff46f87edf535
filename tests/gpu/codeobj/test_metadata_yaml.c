/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "gpu/codeobj/metadata.h"
#include "support/aqtest.h"

#define HEAD  "---\nVersion:         [ 1, 0 ]\nKernels:         \n"
#define NAMES "  - Name:            k\n    SymbolName:      'k@kd'\n"
#define ARGS  "    Args:            \n"
#define PROPS "    CodeProps:       \n      KernargSegmentSize: 24\n"

static const char whole[] = HEAD NAMES
    "    Language:        OpenCL C\n    LanguageVersion: [ 1, 2 ]\n"
    "    Attrs:           \n      ReqdWorkGroupSize: [ 64, 2, 1 ]\n" ARGS
    "      - Name:            x\n        TypeName:        'it''s*'\n"
    "        Size:            1\n        Align:           1\n"
    "        ValueKind:       ByValue\n        AccQual:         Default\n"
    "      - Size:            8\n        Align:           8\n"
    "        ValueKind:       GlobalBuffer\n"
    "        AddrSpaceQual:   Global\n        AccQual:         ReadOnly\n"
    "      - Size:            8\n        Align:           8\n"
    "        ValueKind:       HiddenGlobalOffsetX\n" PROPS
    "      NumVGPRs:        7\n      WavefrontSize:   64\n"
    "    Later:           \n      - what\n"
    "  - Name:            l\n    SymbolName:      'l@kd'\n...\n";

static aq_status read_text(const char *text, size_t size, aq_codeobj *code,
                           aq_code_kernel **kernels, aq_diag *diag)
{
  char *copy = malloc(size + 1); /* so that reading behind it is found */
  ck_assert_ptr_nonnull(copy);
  memcpy(copy, text, size);
  *code = (aq_codeobj){.arena = AQ_ARENA_INIT};
  *kernels = NULL;
  const aq_status status =
      aq_metadata_yaml_read(copy, size, code, kernels, diag);
  free(copy);
  return status;
}

START_TEST(kernels_arguments_and_properties_are_read)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_codeobj code;
  aq_code_kernel *k;
  ck_assert_status(read_text(whole, sizeof whole - 1, &code, &k, &diag), AQ_OK,
                   &diag);
  ck_assert_uint_eq(code.kernel_count, 2);
  ck_assert_uint_eq(code.metadata_version[0], 1);
  ck_assert_str_eq(k->symbol, "k@kd");
  ck_assert_uint_eq(k->workgroup[0], 64);
  ck_assert_uint_eq(k->vgprs, 7);
  ck_assert_uint_eq(k->kernarg_size, 24);
  ck_assert_uint_eq(k->arg_count, 3);
  ck_assert_str_eq(k->args[0].type, "it's*");
  ck_assert_ptr_null(k->args[0].access);
  ck_assert_uint_eq(k->args[1].offset, 8);
  ck_assert_str_eq(k->args[1].kind, "global_buffer");
  ck_assert_str_eq(k->args[1].access, "read_only");
  ck_assert(!k->args[1].hidden);
  ck_assert_str_eq(k->args[2].kind, "hidden_global_offset_x");
  ck_assert(k->args[2].hidden);
  ck_assert_uint_eq(k->args[2].offset, 16);
  ck_assert_str_eq(k[1].name, "l");
  ck_assert_uint_eq(k[1].arg_count, 0);
  aq_codeobj_fini(&code);
}
END_TEST

START_TEST(what_it_does_not_know_is_refused_with_its_line)
{
#define ARG(text) HEAD NAMES ARGS "      - " text "\n" PROPS
  static const struct {
    const char *text, *says;
  } cases[] = {
      {"Version: 1\n", "line 1: expected a list of numbers"},
      {"Version: [ 1 ]\n", "line 1: a list of numbers has another length"},
      {"Kernels: {}\n", "line 1: expected the members"},
      {"Kernels:\n  Name: k\n", "line 2: expected an item of a list"},
      {HEAD "  - Name: k\n", "no SymbolName"},
      {HEAD "  - Name: *k\n    SymbolName: 'k@kd'\n",
       "line 4: expected a text"},
      {HEAD "  - Name: \"a\\n\"\n", "line 4: expected a text"},
      {HEAD "  - Name: k\n    SymbolName: 'k.kd'\n", "ends with @kd"},
      {HEAD NAMES "      Deeper: 1\n", "line 6: its indentation"},
      {HEAD NAMES "    what\n", "line 6: expected a key, a colon"},
      {HEAD NAMES "    CodeProps:\n      NumVGPRs: 4294967296\n",
       "line 7: expected a number"},
      {ARG("Size: 8"), "no ValueKind"},
      {ARG("Size: 8\n        ValueKind: ByValue"), "no Align"},
      {ARG("Size: 8\n        Align: 3\n        ValueKind: ByValue"),
       "no power of two"},
      {ARG("Size: 32\n        Align: 8\n        ValueKind: ByValue"),
       "outside of the kernarg segment"},
      {ARG("ValueKind: By_Value"), "line 7: expected a word"},
  };
#undef ARG
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    aq_diag diag = AQ_DIAG_INIT;
    aq_codeobj code;
    aq_code_kernel *k;
    ck_assert_int_eq(
        read_text(cases[i].text, strlen(cases[i].text), &code, &k, &diag),
        AQ_ERR_INPUT);
    ck_assert_msg(strstr(diag.text, cases[i].says) != NULL, "case %zu: %s", i,
                  diag.text);
    aq_codeobj_fini(&code);
  }
}
END_TEST

START_TEST(no_damage_to_a_byte_or_the_length_is_fatal)
{
  static const char put[] = {0, '\n', ' ', '-', ':', '\'', '[', '9', (char)255};
  aq_codeobj code;
  aq_code_kernel *k;
  size_t refused = 0;
  for (size_t i = 0; i < sizeof whole - 1; i++) {
    char text[sizeof whole];
    (void)read_text(whole, i, &code, &k, NULL);
    aq_codeobj_fini(&code);
    for (size_t j = 0; j < sizeof put; j++) {
      memcpy(text, whole, sizeof whole);
      text[i] = put[j];
      refused += read_text(text, sizeof whole - 1, &code, &k, NULL) != AQ_OK;
      aq_codeobj_fini(&code);
    }
  }
  ck_assert_uint_gt(refused, sizeof whole);
}
END_TEST

AQ_TEST_MAIN("gpu/codeobj/metadata_yaml",
             kernels_arguments_and_properties_are_read,
             what_it_does_not_know_is_refused_with_its_line,
             no_damage_to_a_byte_or_the_length_is_fatal)
