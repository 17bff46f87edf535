/* SPDX-License-Identifier: MIT */
/* Code objects of HSA 1.0 and of the program, and external variables. */
#include <stdlib.h>
#include <string.h>

#include "dropin/hsa/client.h"
#include "dropin/hsa/object.h"

static hsa_code_object_t code_make(object *bytes)
{
  hsa_code_object_t code;
  ck_assert_done(
      hsa_code_object_deserialize(bytes, sizeof *bytes, NULL, &code));
  memset(bytes, 0, sizeof *bytes); /* it was copied */
  return code;
}

static hsa_executable_t executable_make(void)
{
  hsa_executable_t e;
  ck_assert_done(hsa_executable_create_alt(HSA_PROFILE_BASE, 0, NULL, &e));
  return e;
}

static uint64_t symbol_word(hsa_executable_t executable,
                            const hsa_agent_t *agent, const char *name,
                            uint32_t attribute)
{
  hsa_executable_symbol_t found;
  uint64_t value = 0;
  ck_assert_done(
      hsa_executable_get_symbol_by_name(executable, name, agent, &found));
  ck_assert_done(hsa_executable_symbol_get_info(found, attribute, &value));
  return value;
}
#define WORD(e, agent, name, what)                                             \
  symbol_word(e, agent, name, HSA_EXECUTABLE_SYMBOL_INFO_##what)

/* ---- code objects ---- */

static hsa_status_t bytes_give(size_t size, hsa_callback_data_t data,
                               void **address)
{
  *address = malloc(size);
  *(size_t *)(uintptr_t)data.handle = size;
  return *address ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

static hsa_status_t bytes_refuse(size_t size, hsa_callback_data_t data,
                                 void **address)
{
  (void)size, (void)data, (void)address;
  return HSA_STATUS_ERROR_INVALID_REGION;
}

START_TEST(a_code_object_is_the_bytes_that_it_was_made_of)
{
  client c;
  object expected = *object_make(OBJECT_GFX942);
  size_t asked = 0, size;
  void *bytes;
  const hsa_callback_data_t data = {(uintptr_t)&asked};
  client_open(&c);
  hsa_code_object_t code = code_make(object_make(OBJECT_GFX942));
  ck_assert_hsa(
      hsa_code_object_serialize(code, bytes_refuse, data, NULL, &bytes, &size),
      HSA_STATUS_ERROR_INVALID_REGION);
  ck_assert_done(
      hsa_code_object_serialize(code, bytes_give, data, NULL, &bytes, &size));
  ck_assert_uint_eq(asked, sizeof expected);
  ck_assert_uint_eq(size, sizeof expected);
  ck_assert_mem_eq(bytes, &expected, size);
  free(bytes);
  ck_assert_done(hsa_code_object_destroy(code));
  ck_assert_hsa(hsa_code_object_destroy(code),
                HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  ck_assert_hsa(
      hsa_code_object_serialize(code, bytes_give, data, NULL, &bytes, &size),
      HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  char damaged[] = "no ELF";
  ck_assert_hsa(
      hsa_code_object_deserialize(damaged, sizeof damaged, NULL, &code),
      HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(a_code_object_tells_what_it_is)
{
  client c;
  char version[64], name[64];
  uint32_t number = 9;
  hsa_isa_t isa;
  client_open(&c);
  hsa_code_object_t code = code_make(object_make(OBJECT_GFX942));
#define CODE(what, value)                                                      \
  hsa_code_object_get_info(code, HSA_CODE_OBJECT_INFO_##what, value)
  ck_assert_done(CODE(VERSION, version));
  ck_assert_str_eq(version, "4.0");
  ck_assert_done(CODE(TYPE, &number));
  ck_assert_uint_eq(number, HSA_CODE_OBJECT_TYPE_PROGRAM);
  ck_assert_done(CODE(MACHINE_MODEL, &number));
  ck_assert_uint_eq(number, HSA_MACHINE_MODEL_LARGE);
  ck_assert_done(CODE(PROFILE, &number));
  ck_assert_uint_eq(number, HSA_PROFILE_BASE);
  ck_assert_done(CODE(DEFAULT_FLOAT_ROUNDING_MODE, &number));
  ck_assert_uint_eq(number, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR);
  ck_assert_done(CODE(ISA, &isa));
  ck_assert_done(hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME, name));
  ck_assert_ptr_nonnull(strstr(name, "gfx942"));
  code = code_make(object_make(OBJECT_GFX90A)); /* no device of it is there */
  ck_assert_hsa(CODE(ISA, &isa), HSA_STATUS_ERROR_INVALID_ISA_NAME);
  ck_assert_hsa(
      hsa_executable_load_code_object(executable_make(), c.device, code, NULL),
      HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
  ck_assert_done(hsa_shut_down()); /* which destroys both */
}
END_TEST

static hsa_status_t names_join(hsa_code_object_t code, hsa_code_symbol_t symbol,
                               void *data)
{
  uint32_t length, room;
  char *joined = data;
  (void)code;
  ck_assert_done(hsa_code_symbol_get_info(
      symbol, HSA_CODE_SYMBOL_INFO_NAME_LENGTH, &length));
  room = (uint32_t)strlen(joined);
  ck_assert_done(hsa_code_symbol_get_info(symbol, HSA_CODE_SYMBOL_INFO_NAME,
                                          joined + room));
  joined[room + length] = ' ';
  return joined[room] == 'v' ? HSA_STATUS_INFO_BREAK : HSA_STATUS_SUCCESS;
}

START_TEST(a_code_object_has_symbols_before_it_is_loaded)
{
  client c;
  hsa_code_symbol_t symbol;
  uint32_t number = 9;
  bool defined = false;
  char joined[64] = "";
  client_open(&c);
  hsa_code_object_t code = code_make(object_make_referring(OBJECT_GFX942));
  ck_assert_done(hsa_code_object_get_symbol(code, "add.kd", &symbol));
#define SYMBOL(what, value)                                                    \
  hsa_code_symbol_get_info(symbol, HSA_CODE_SYMBOL_INFO_##what, value)
  ck_assert_done(SYMBOL(TYPE, &number));
  ck_assert_uint_eq(number, HSA_SYMBOL_KIND_KERNEL);
  ck_assert_done(SYMBOL(KERNEL_KERNARG_SEGMENT_SIZE, &number));
  ck_assert_uint_eq(number, 24);
  ck_assert_done(SYMBOL(KERNEL_GROUP_SEGMENT_SIZE, &number));
  ck_assert_uint_eq(number, 128);
  ck_assert_done(SYMBOL(IS_DEFINITION, &defined));
  ck_assert(defined);
  ck_assert_hsa(hsa_code_symbol_get_info(
                    symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &number),
                HSA_STATUS_ERROR_INVALID_ARGUMENT); /* it is not loaded */
  ck_assert_done(
      hsa_code_object_get_symbol_from_name(code, "", "variable", &symbol));
  ck_assert_done(SYMBOL(VARIABLE_SIZE, &number));
  ck_assert_uint_eq(number, 8);
  ck_assert_hsa(
      hsa_code_object_get_symbol_from_name(code, "module", "variable", &symbol),
      HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
  ck_assert_hsa(hsa_code_object_get_symbol(code, "outside", &symbol),
                HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
  ck_assert_hsa(hsa_code_object_iterate_symbols(code, names_join, joined),
                HSA_STATUS_INFO_BREAK);
  ck_assert_str_eq(joined, "add.kd other.kd variable ");
  ck_assert_done(hsa_code_object_destroy(code));
  ck_assert_hsa(SYMBOL(TYPE, &number), HSA_STATUS_ERROR_INVALID_CODE_SYMBOL);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(a_code_object_is_loaded_for_a_device)
{
  client c;
  uint64_t word;
  client_open(&c);
  hsa_executable_t e = executable_make();
  hsa_code_object_t code = code_make(object_make(OBJECT_GFX942));
  ck_assert_done(hsa_executable_load_code_object(e, c.device, code, NULL));
  ck_assert_hsa(hsa_executable_load_code_object(e, c.device, code, NULL),
                HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED);
  ck_assert_done(hsa_code_object_destroy(code)); /* the loaded code stays */
  ck_assert_done(hsa_executable_freeze(e, NULL));
  memcpy(&word,
         (void *)(uintptr_t)WORD(e, &c.device, "variable", VARIABLE_ADDRESS),
         sizeof word);
  ck_assert_uint_eq(word, WORD(e, &c.device, "add.kd", KERNEL_OBJECT));
  code = code_make(object_make(OBJECT_GFX942));
  ck_assert_hsa(hsa_executable_load_code_object(e, c.device, code, NULL),
                HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
  ck_assert_hsa(
      hsa_executable_load_code_object(executable_make(), c.host, code, NULL),
      HSA_STATUS_ERROR_INVALID_AGENT);
  ck_assert_done(hsa_shut_down());
}
END_TEST

static hsa_status_t count(hsa_executable_t e, hsa_executable_symbol_t symbol,
                          void *data)
{
  (void)e, (void)symbol;
  ++*(int *)data;
  return HSA_STATUS_SUCCESS;
}

START_TEST(a_program_code_object_has_symbols_of_the_program)
{
  client c;
  hsa_code_object_reader_t reader;
  hsa_executable_symbol_t found;
  hsa_loaded_code_object_t loaded;
  int visited = 0;
  client_open(&c);
  hsa_executable_t e = executable_make();
  ck_assert_done(hsa_code_object_reader_create_from_memory(
      object_make(OBJECT_GFX942), sizeof(object), &reader));
  ck_assert_done(
      hsa_executable_load_program_code_object(e, reader, NULL, &loaded));
  ck_assert_uint_ne(loaded.handle, 0);
  ck_assert_done(hsa_executable_iterate_program_symbols(e, count, &visited));
  ck_assert_int_eq(visited, 3);
  ck_assert_uint_eq(WORD(e, NULL, "variable", VARIABLE_ALLOCATION),
                    HSA_VARIABLE_ALLOCATION_PROGRAM);
  ck_assert_uint_eq(WORD(e, NULL, "variable", AGENT), 0);
  ck_assert_hsa(
      hsa_executable_get_symbol_by_name(e, "variable", &c.device, &found),
      HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
  /* The deprecated form looks for both. */
  ck_assert_done(
      hsa_executable_get_symbol(e, NULL, "variable", c.device, 0, &found));
  ck_assert_done(hsa_shut_down());
}
END_TEST

/* ---- external variables ---- */

/* Loads what refers to "outside"; where it then thinks that this is. */
static hsa_status_t referring_load(const client *c, hsa_executable_t e,
                                   uint64_t *outside, uint64_t *halves)
{
  object *o = object_make_referring(OBJECT_GFX942);
  hsa_code_object_t code = code_make(o);
  hsa_status_t status =
      hsa_executable_load_code_object(e, c->device, code, NULL);
  ck_assert_done(hsa_code_object_destroy(code));
  if (status != HSA_STATUS_SUCCESS)
    return status;
  const char *variable = (const char *)(uintptr_t)WORD(
      e, &c->device, "variable", VARIABLE_ADDRESS);
  memcpy(outside, variable + 8, sizeof *outside);
  memcpy(halves, variable + 16, sizeof *halves);
  return HSA_STATUS_SUCCESS;
}

START_TEST(code_reaches_a_variable_of_the_client_by_its_name)
{
  client c;
  uint64_t mine, outside = 0, halves = 0;
  client_open(&c);
  hsa_executable_t e = executable_make();
  ck_assert_hsa(referring_load(&c, e, &outside, &halves),
                HSA_STATUS_ERROR_VARIABLE_UNDEFINED);
  ck_assert_done(hsa_executable_agent_global_variable_define(e, c.device,
                                                             "outside", &mine));
  ck_assert_done(referring_load(&c, e, &outside, &halves));
  ck_assert_uint_eq(outside, (uintptr_t)&mine);
  ck_assert_uint_eq(halves, (uintptr_t)&mine);
  ck_assert_uint_eq(WORD(e, &c.device, "outside", VARIABLE_ADDRESS),
                    (uintptr_t)&mine);
  ck_assert_uint_eq(WORD(e, &c.device, "outside", VARIABLE_SEGMENT),
                    HSA_VARIABLE_SEGMENT_GLOBAL);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(a_variable_of_the_program_is_reached_from_every_device)
{
  client c;
  uint64_t mine, outside = 0, halves = 0;
  client_open(&c);
  hsa_executable_t e = executable_make();
  ck_assert_done(hsa_executable_global_variable_define(e, "outside", &mine));
  ck_assert_done(referring_load(&c, e, &outside, &halves));
  ck_assert_uint_eq(outside, (uintptr_t)&mine);
  ck_assert_uint_eq(WORD(e, NULL, "outside", VARIABLE_ALLOCATION),
                    HSA_VARIABLE_ALLOCATION_PROGRAM);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(a_variable_is_defined_once_and_before_the_executable_is_frozen)
{
  client c;
  uint64_t mine;
  bool is_const = false;
  hsa_executable_symbol_t found;
  client_open(&c);
  hsa_executable_t e = executable_make();
  ck_assert_done(
      hsa_executable_readonly_variable_define(e, c.device, "table", &mine));
  ck_assert_hsa(
      hsa_executable_agent_global_variable_define(e, c.device, "table", &mine),
      HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED);
  ck_assert_done(hsa_executable_global_variable_define(e, "table", &mine));
  ck_assert_hsa(hsa_executable_global_variable_define(e, "table", &mine),
                HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED);
  ck_assert_uint_eq(WORD(e, &c.device, "table", VARIABLE_SEGMENT),
                    HSA_VARIABLE_SEGMENT_READONLY);
  ck_assert_done(
      hsa_executable_get_symbol_by_name(e, "table", &c.device, &found));
  ck_assert_done(hsa_executable_symbol_get_info(
      found, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_IS_CONST, &is_const));
  ck_assert(is_const);
  ck_assert_hsa(
      hsa_executable_readonly_variable_define(e, c.host, "other", &mine),
      HSA_STATUS_ERROR_INVALID_AGENT);
  ck_assert_done(hsa_executable_freeze(e, NULL));
  ck_assert_hsa(hsa_executable_global_variable_define(e, "late", &mine),
                HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
  ck_assert_done(hsa_shut_down());
}
END_TEST

AQ_TEST_MAIN("dropin/hsa/codes", a_code_object_is_the_bytes_that_it_was_made_of,
             a_code_object_tells_what_it_is,
             a_code_object_has_symbols_before_it_is_loaded,
             a_code_object_is_loaded_for_a_device,
             a_program_code_object_has_symbols_of_the_program,
             code_reaches_a_variable_of_the_client_by_its_name,
             a_variable_of_the_program_is_reached_from_every_device,
             a_variable_is_defined_once_and_before_the_executable_is_frozen)
