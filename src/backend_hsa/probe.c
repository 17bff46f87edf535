/* SPDX-License-Identifier: MIT */
#include "backend_hsa/probe.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* As in hsa.h of the HSA Runtime Programmer's Reference 1.2. */
typedef struct agent {
  uint64_t handle;
} agent;
enum {
  STATUS_SUCCESS = 0,
  AGENT_INFO_NAME = 0, /* char[64] */
  AGENT_INFO_DEVICE = 17,
  DEVICE_CPU = 0,
  DEVICE_GPU = 1,
};

/* S(name, result, arguments): what is used of the runtime. */
#define SYMBOLS(S)                                                             \
  S(hsa_init, uint32_t, (void))                                                \
  S(hsa_shut_down, uint32_t, (void))                                           \
  S(hsa_status_string, uint32_t, (uint32_t, const char **))                    \
  S(hsa_iterate_agents, uint32_t, (uint32_t(*)(agent, void *), void *))        \
  S(hsa_agent_get_info, uint32_t, (agent, uint32_t, void *))

typedef struct runtime {
/* NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration */
#define S(name, result, arguments) result(*name) arguments;
  SYMBOLS(S)
#undef S
} runtime;

static const struct {
  const char *name;
  size_t offset;
} symbols[] = {
#define S(name, result, arguments) {#name, offsetof(runtime, name)},
    SYMBOLS(S)
#undef S
};

static const char *const places[] = {
    "libhsa-runtime64.so.1", "/opt/rocm/lib/libhsa-runtime64.so.1", NULL};

static void say(aqhsa_probe_result *out, const char *text)
{
  snprintf(out->problem, sizeof out->problem, "%s", text ? text : "");
}

static void *library_open(const char *path, aqhsa_probe_result *out)
{
  const char *const given[] = {path, NULL};
  const char *const *tries = path ? given : places;
  snprintf(out->path, sizeof out->path, "%s", tries[0]);
  for (size_t i = 0; tries[i]; i++) {
    void *library = dlopen(tries[i], RTLD_NOW | RTLD_LOCAL);
    struct link_map *map;
    if (!library) {
      if (i == 0)
        say(out, dlerror());
      continue;
    }
    snprintf(out->path, sizeof out->path, "%s",
             dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map->l_name[0]
                 ? map->l_name
                 : tries[i]);
    say(out, NULL);
    return library;
  }
  return NULL;
}

static int library_bind(void *library, runtime *hsa, aqhsa_probe_result *out)
{
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
    void *symbol = dlsym(library, symbols[i].name);
    if (!symbol) {
      snprintf(out->problem, sizeof out->problem, "it has no symbol %s",
               symbols[i].name);
      return 0;
    }
    memcpy((char *)hsa + symbols[i].offset, &symbol, sizeof symbol);
  }
  return 1;
}

typedef struct visit {
  const runtime *hsa;
  aqhsa_probe_result *out;
} visit;

static uint32_t visit_agent(agent one, void *user)
{
  visit *v = user;
  uint32_t device = DEVICE_CPU;
  char name[64] = "";
  if (v->hsa->hsa_agent_get_info(one, AGENT_INFO_DEVICE, &device) !=
      STATUS_SUCCESS)
    return STATUS_SUCCESS; /* the others may tell more */
  if (device == DEVICE_CPU)
    v->out->cpus++;
  if (device != DEVICE_GPU)
    return STATUS_SUCCESS;
  v->hsa->hsa_agent_get_info(one, AGENT_INFO_NAME, name);
  if (v->out->gpus++ == 0)
    snprintf(v->out->gpu, sizeof v->out->gpu, "%.63s", name);
  return STATUS_SUCCESS;
}

static void runtime_try(const runtime *hsa, aqhsa_probe_result *out)
{
  visit v = {hsa, out};
  const char *text = NULL;
  uint32_t status = hsa->hsa_init();
  if (status == STATUS_SUCCESS) {
    hsa->hsa_iterate_agents(visit_agent, &v);
    hsa->hsa_shut_down();
    out->state = AQHSA_PROBE_READY;
    return;
  }
  out->state = AQHSA_PROBE_FAILED;
  if (hsa->hsa_status_string(status, &text) != STATUS_SUCCESS || !text)
    snprintf(out->problem, sizeof out->problem, "hsa_init returned 0x%x",
             (unsigned)status);
  else
    say(out, text);
}

void aqhsa_probe(const char *path, aqhsa_probe_result *out)
{
  runtime hsa;
  *out = (aqhsa_probe_result){.state = AQHSA_PROBE_ABSENT};
  void *library = library_open(path, out);
  if (!library)
    return;
  if (library_bind(library, &hsa, out))
    runtime_try(&hsa, out);
  else
    out->state = AQHSA_PROBE_FOREIGN;
  dlclose(library);
}
