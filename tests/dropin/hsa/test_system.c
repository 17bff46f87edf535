/* SPDX-License-Identifier: MIT */
/* System, agents, caches and instruction sets. */
#include <stdlib.h>
#include <string.h>

#include "dropin/hsa/client.h"

START_TEST(the_system_is_hsa_1_with_a_clock_that_advances)
{
  uint16_t major;
  uint64_t first, second, frequency;
  uint32_t model;
  ck_assert_done(hsa_init());
  ck_assert_done(hsa_system_get_info(HSA_SYSTEM_INFO_VERSION_MAJOR, &major));
  ck_assert_uint_eq(major, 1);
  ck_assert_done(hsa_system_get_info(HSA_SYSTEM_INFO_MACHINE_MODEL, &model));
  ck_assert_uint_eq(model, HSA_MACHINE_MODEL_LARGE);
  ck_assert_done(
      hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency));
  ck_assert_uint_eq(frequency, 1000000000);
  ck_assert_done(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &first));
  ck_assert_done(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &second));
  ck_assert_uint_gt(second, first);
  ck_assert_hsa(hsa_system_get_info(99, &major),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(extensions_have_names_and_the_loader_and_images_are_there)
{
  const char *name;
  uint16_t minor;
  bool yes = true;
  client c;
  client_open(&c);
  ck_assert_done(hsa_extension_get_name(HSA_EXTENSION_IMAGES, &name));
  ck_assert_str_eq(name, "HSA_EXTENSION_IMAGES");
  ck_assert_done(
      hsa_system_extension_supported(HSA_EXTENSION_IMAGES, 1, 0, &yes));
  ck_assert(yes);
  ck_assert_done(hsa_agent_major_extension_supported(
      HSA_EXTENSION_AMD_LOADER, c.device, 1, &minor, &yes));
  ck_assert(yes);
  ck_assert_uint_eq(minor, 3);
  ck_assert_hsa(hsa_system_extension_supported(77, 1, 0, &yes),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(every_status_has_a_text_that_begins_with_its_name)
{
  const char *text;
  ck_assert_done(
      hsa_status_string(HSA_STATUS_ERROR_INVALID_QUEUE_CREATION, &text));
  ck_assert_uint_eq(
      strncmp(text, "HSA_STATUS_ERROR_INVALID_QUEUE_CREATION: ", 41), 0);
  ck_assert_hsa(hsa_status_string(0x7777, &text),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(the_device_is_the_persona_of_its_model)
{
  char name[64];
  uint32_t cus, wave, chip;
  client c;
  setenv("AQUEDUCT_SET", "gfx=gfx90a;cus=104", 1);
  client_open(&c);
  ck_assert_done(hsa_agent_get_info(c.device, HSA_AGENT_INFO_NAME, name));
  ck_assert_str_eq(name, "gfx90a");
  ck_assert_done(hsa_agent_get_info(
      c.device, HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT, &cus));
  ck_assert_uint_eq(cus, 104);
  ck_assert_done(
      hsa_agent_get_info(c.device, HSA_AGENT_INFO_WAVEFRONT_SIZE, &wave));
  ck_assert_uint_eq(wave, 64);
  ck_assert_done(
      hsa_agent_get_info(c.device, HSA_AMD_AGENT_INFO_CHIP_ID, &chip));
  ck_assert_uint_eq(chip, 0x740f);
  ck_assert_done(hsa_shut_down());
  unsetenv("AQUEDUCT_SET");
}
END_TEST

/* What AMD's data sheets and rocminfo say of them. */
START_TEST(each_shipped_device_has_a_persona_of_its_own)
{
  static const struct {
    const char *device, *isa;
    uint64_t gib;
    uint32_t revision;
  } parts[] = {
      {"mi350x", "amdgcn-amd-amdhsa--gfx950:sramecc+:xnack-", 288, 0},
      {"rx9070xt", "amdgcn-amd-amdhsa--gfx1201", 16, 1},
      {"mi25", "amdgcn-amd-amdhsa--gfx900:xnack-", 16, 1},
      {"mi100", "amdgcn-amd-amdhsa--gfx908:sramecc+:xnack-", 32, 2},
  };
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    client c;
    hsa_isa_t isa;
    char name[64] = "";
    size_t bytes;
    uint32_t chip = 0, revision = 99;
    setenv("AQUEDUCT_DEVICE", parts[i].device, 1);
    client_open(&c);
    ck_assert_done(hsa_agent_get_info(c.device, HSA_AGENT_INFO_ISA, &isa));
    ck_assert_done(hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME, name));
    ck_assert_str_eq(name, parts[i].isa);
    ck_assert_done(hsa_amd_memory_pool_get_info(
        c.device_coarse, HSA_AMD_MEMORY_POOL_INFO_SIZE, &bytes));
    ck_assert_uint_eq(bytes, parts[i].gib << 30);
    ck_assert_done(
        hsa_agent_get_info(c.device, HSA_AMD_AGENT_INFO_CHIP_ID, &chip));
    ck_assert_uint_ne(chip, 0);
    ck_assert_done(hsa_agent_get_info(
        c.device, HSA_AMD_AGENT_INFO_ASIC_REVISION, &revision));
    ck_assert_uint_eq(revision, parts[i].revision);
    ck_assert_done(hsa_shut_down());
  }
  unsetenv("AQUEDUCT_DEVICE");
}
END_TEST

/* Time moves by it. */
static void barrier_pass(const client *c)
{
  hsa_queue_t *queue = client_queue(c, 64);
  hsa_signal_t done = client_signal(1);
  client_submit(queue, &(aq_packet){.barrier.completion_signal = done},
                AQ_PACKET_BARRIER_AND);
  client_wait_zero(done);
  ck_assert_done(hsa_queue_destroy(queue));
}

/* hsa_amd_clock_counters_t. Clients refuse a counter of 0. */
START_TEST(addresses_of_the_host_are_accessible_with_xnack_alone)
{
  for (int on = 0; on < 2; on++) {
    client c;
    bool all = !on, enabled = !on;
    setenv("HSA_XNACK", on ? "1" : "0", 1);
    client_open(&c);
    ck_assert_done(hsa_system_get_info(
        HSA_AMD_SYSTEM_INFO_SVM_ACCESSIBLE_BY_DEFAULT, &all));
    ck_assert_done(
        hsa_system_get_info(HSA_AMD_SYSTEM_INFO_XNACK_ENABLED, &enabled));
    ck_assert_int_eq(all, on);
    ck_assert_int_eq(enabled, on);
    ck_assert_done(hsa_shut_down());
  }
  unsetenv("HSA_XNACK");
}
END_TEST

START_TEST(the_counters_of_clocks_grow_and_are_never_0)
{
  client c;
  uint64_t first[4], second[4];
  client_open(&c);
  ck_assert_done(
      hsa_agent_get_info(c.device, HSA_AMD_AGENT_INFO_CLOCK_COUNTERS, first));
  barrier_pass(&c);
  ck_assert_done(
      hsa_agent_get_info(c.device, HSA_AMD_AGENT_INFO_CLOCK_COUNTERS, second));
  for (int i = 0; i < 3; i++) {
    ck_assert_uint_gt(first[i], 0);
    ck_assert_uint_gt(second[i], first[i]);
  }
  ck_assert_uint_eq(first[3], 1000000000);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(a_device_model_that_is_not_there_fails_hsa_init)
{
  setenv("AQUEDUCT_DEVICE", "no-such-device", 1);
  ck_assert_hsa(hsa_init(), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
  setenv("AQUEDUCT_DEVICE", "mi300x", 1);
  ck_assert_done(hsa_init());
  ck_assert_done(hsa_shut_down());
  unsetenv("AQUEDUCT_DEVICE");
}
END_TEST

typedef struct seen {
  int count;
  uint64_t last;
} seen;

static hsa_status_t cache_note(hsa_cache_t cache, void *data)
{
  seen *s = data;
  uint8_t level;
  uint32_t size, sizes[4], length;
  char name[8] = "";
  ck_assert_done(hsa_cache_get_info(cache, HSA_CACHE_INFO_LEVEL, &level));
  ck_assert_done(hsa_cache_get_info(cache, HSA_CACHE_INFO_SIZE, &size));
  ck_assert_done(
      hsa_cache_get_info(cache, HSA_CACHE_INFO_NAME_LENGTH, &length));
  ck_assert_uint_eq(length, 2);
  ck_assert_done(hsa_cache_get_info(cache, HSA_CACHE_INFO_NAME, name));
  ck_assert_int_eq(name[1], '0' + level);
  ck_assert_done(hsa_agent_get_info((hsa_agent_t){s->last},
                                    HSA_AGENT_INFO_CACHE_SIZE, sizes));
  ck_assert_uint_eq(sizes[level - 1], size);
  s->count++;
  return HSA_STATUS_SUCCESS;
}

START_TEST(caches_have_the_sizes_that_the_agent_tells)
{
  client c;
  client_open(&c);
  seen s = {.last = c.device.handle};
  ck_assert_done(hsa_agent_iterate_caches(c.device, cache_note, &s));
  ck_assert_int_eq(s.count, 3);
  ck_assert_hsa(hsa_cache_get_info((hsa_cache_t){12}, HSA_CACHE_INFO_SIZE, &s),
                HSA_STATUS_ERROR_INVALID_CACHE);
  ck_assert_done(hsa_shut_down());
}
END_TEST

static hsa_status_t isa_note(hsa_isa_t isa, void *data)
{
  seen *s = data;
  s->count++;
  s->last = isa.handle;
  return HSA_STATUS_SUCCESS;
}

static hsa_status_t wavefront_note(hsa_wavefront_t wavefront, void *data)
{
  return hsa_wavefront_get_info(wavefront, HSA_WAVEFRONT_INFO_SIZE, data);
}

START_TEST(the_instruction_set_is_found_by_its_name)
{
  client c;
  seen s = {0};
  char name[64];
  uint32_t length, wave, conventions;
  hsa_isa_t found;
  bool same;
  client_open(&c);
  ck_assert_done(hsa_agent_iterate_isas(c.device, isa_note, &s));
  ck_assert_int_eq(s.count, 1);
  hsa_isa_t isa = {s.last};
  ck_assert_done(hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME_LENGTH, &length));
  ck_assert_uint_le(length, sizeof name);
  ck_assert_done(hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME, name));
  ck_assert_str_eq(name, "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-");
  ck_assert_done(hsa_isa_from_name(name, &found));
  ck_assert_uint_eq(found.handle, isa.handle);
  ck_assert_hsa(hsa_isa_from_name("amdgcn-amd-amdhsa--gfx1", &found),
                HSA_STATUS_ERROR_INVALID_ISA_NAME);
  ck_assert_done(hsa_isa_compatible(isa, found, &same));
  ck_assert(same);
  ck_assert_done(hsa_isa_iterate_wavefronts(isa, wavefront_note, &wave));
  ck_assert_uint_eq(wave, 64);
  ck_assert_done(hsa_isa_get_info(isa, HSA_ISA_INFO_CALL_CONVENTION_COUNT, 0,
                                  &conventions));
  ck_assert_uint_eq(conventions, 1);
  ck_assert_hsa(
      hsa_isa_get_info(isa, HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONT_SIZE,
                       conventions, &wave),
      HSA_STATUS_ERROR_INVALID_INDEX);
  ck_assert_hsa(hsa_isa_get_info(isa, HSA_ISA_INFO_NAME_LENGTH, 1, &length),
                HSA_STATUS_ERROR_INVALID_INDEX);
  ck_assert_done(hsa_shut_down());
}
END_TEST

/* ROCr's registry (rocr-runtime of August 2025) spells the names so. */
START_TEST(the_generic_instruction_set_that_covers_a_device_has_a_name)
{
  client c;
  seen s = {0};
  const char *name = "amdgcn-amd-amdhsa--gfx9-4-generic:sramecc+:xnack-";
  char told[64];
  hsa_isa_t generic;
  bool runs;
  client_open(&c);
  ck_assert_done(hsa_agent_iterate_isas(c.device, isa_note, &s));
  const hsa_isa_t own = {s.last};
  ck_assert_done(hsa_isa_from_name(name, &generic));
  ck_assert_uint_ne(generic.handle, own.handle);
  ck_assert_done(hsa_isa_get_info_alt(generic, HSA_ISA_INFO_NAME, told));
  ck_assert_str_eq(told, name);
  ck_assert_done(hsa_isa_compatible(generic, own, &runs));
  ck_assert(runs);
  ck_assert_done(hsa_isa_compatible(own, generic, &runs));
  ck_assert(!runs);
  ck_assert_hsa(hsa_isa_from_name("amdgcn-amd-amdhsa--gfx11-generic", &generic),
                HSA_STATUS_ERROR_INVALID_ISA_NAME);
  ck_assert_hsa(hsa_isa_from_name("", &generic),
                HSA_STATUS_ERROR_INVALID_ISA_NAME);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(exceptions_and_images_are_none)
{
  client c;
  seen s = {0};
  uint16_t mask = 7;
  uint32_t method, largest[3] = {1, 1, 1};
  client_open(&c);
  ck_assert_done(
      hsa_agent_get_exception_policies(c.device, HSA_PROFILE_BASE, &mask));
  ck_assert_uint_eq(mask, 0);
  ck_assert_done(hsa_agent_iterate_isas(c.device, isa_note, &s));
  mask = 7;
  ck_assert_done(hsa_isa_get_exception_policies((hsa_isa_t){s.last},
                                                HSA_PROFILE_BASE, &mask));
  ck_assert_uint_eq(mask, 0);
  ck_assert_done(hsa_isa_get_round_method((hsa_isa_t){s.last}, HSA_FP_TYPE_32,
                                          HSA_FLUSH_MODE_FTZ, &method));
  ck_assert_uint_eq(method, HSA_ROUND_METHOD_SINGLE);
  ck_assert_done(hsa_amd_image_get_info_max_dim(
      c.device, HSA_EXT_AGENT_INFO_IMAGE_3D_MAX_ELEMENTS, largest));
  ck_assert_uint_eq(largest[0] | largest[1] | largest[2], 0);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(a_device_has_registers_to_flush_what_the_host_wrote)
{
  client c;
  volatile uint32_t *device[2], *host[2];
  client_open(&c);
  ck_assert_done(hsa_agent_get_info(c.device, HSA_AMD_AGENT_INFO_HDP_FLUSH,
                                    (void *)device));
  *device[0] = 1; /* as drivers do before each packet */
  *device[1] = 1;
  ck_assert(device[0] != device[1]);
  ck_assert_done(
      hsa_agent_get_info(c.host, HSA_AMD_AGENT_INFO_HDP_FLUSH, (void *)host));
  ck_assert(!host[0] && !host[1]);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(the_host_answers_what_is_asked_of_every_agent)
{
  client c;
  uint64_t frequency, nearest = 7;
  uint32_t line, cores, families[4];
  const uint32_t none[] = {
      HSA_AMD_AGENT_INFO_ASIC_FAMILY_ID, HSA_AMD_AGENT_INFO_UCODE_VERSION,
      HSA_AMD_AGENT_INFO_SDMA_UCODE_VERSION, HSA_AMD_AGENT_INFO_DRIVER_UID};
  client_open(&c);
  for (size_t i = 0; i < 4; i++) {
    ck_assert_done(hsa_agent_get_info(c.host, none[i], &families[i]));
    ck_assert_uint_eq(families[i], 0);
  }
  ck_assert_done(hsa_agent_get_info(
      c.host, HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY, &frequency));
  ck_assert_uint_eq(frequency, 1000000000);
  ck_assert_done(
      hsa_agent_get_info(c.host, HSA_AMD_AGENT_INFO_NEAREST_CPU, &nearest));
  ck_assert_uint_eq(nearest, 0);
  ck_assert_done(
      hsa_agent_get_info(c.host, HSA_AMD_AGENT_INFO_CACHELINE_SIZE, &line));
  ck_assert_uint_eq(line, 64);
  ck_assert_done(hsa_agent_get_info(
      c.host, HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT, &cores));
  ck_assert_uint_ge(cores, 1);
  ck_assert_done(hsa_agent_get_info(c.device, HSA_AMD_AGENT_INFO_AQL_EXTENSIONS,
                                    &frequency));
  ck_assert_uint_eq(frequency, 0);
  ck_assert_done(hsa_shut_down());
}
END_TEST

AQ_TEST_MAIN("dropin/hsa/system",
             the_system_is_hsa_1_with_a_clock_that_advances,
             extensions_have_names_and_the_loader_and_images_are_there,
             every_status_has_a_text_that_begins_with_its_name,
             the_device_is_the_persona_of_its_model,
             each_shipped_device_has_a_persona_of_its_own,
             addresses_of_the_host_are_accessible_with_xnack_alone,
             the_counters_of_clocks_grow_and_are_never_0,
             a_device_model_that_is_not_there_fails_hsa_init,
             caches_have_the_sizes_that_the_agent_tells,
             the_instruction_set_is_found_by_its_name,
             the_generic_instruction_set_that_covers_a_device_has_a_name,
             a_device_has_registers_to_flush_what_the_host_wrote,
             the_host_answers_what_is_asked_of_every_agent,
             exceptions_and_images_are_none)
