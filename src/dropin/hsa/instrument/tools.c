/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/hsa/instrument/tools.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dropin/hsa/base/fidelity.h"
#include "dropin/hsa/base/runtime.h"

enum { TOOLS_MAX = 16 };

/* The head of each table; functions follow (entries.c). */
typedef struct table {
  uint32_t major, size, step, reserved;
} table;

extern __attribute__((visibility("hidden"))) table aqdrop_table_core,
    aqdrop_table_amd, aqdrop_table_finalizer, aqdrop_table_image;

static struct {
  table head;
  table *tables[4]; /* in the order of HsaApiTable */
} root = {{1, sizeof root, 0, 0},
          {&aqdrop_table_core, &aqdrop_table_amd, &aqdrop_table_finalizer,
           &aqdrop_table_image}};

enum { TABLES = sizeof root.tables / sizeof *root.tables };

typedef bool tool_load(void *tables, uint64_t version, uint64_t failed_count,
                       const char *const *failed);
typedef void tool_unload(void);

static struct {
  char *names; /* the text that `failed` points into */
  void *handles[TOOLS_MAX];
  uint32_t count;
  const char *failed[TOOLS_MAX];
  uint64_t failed_count;
  void *saved[TABLES]; /* the tables as they were */
} tools;

/* `failed` has room: as many tools are opened at most. */
static void tool_failed(const char *name, const char *why)
{
  fprintf(stderr, "aqueduct: HSA_TOOLS_LIB: %s: %s\n", name, why);
  tools.failed[tools.failed_count++] = name;
}

static void tool_open(const char *name)
{
  void *handle = dlopen(name, RTLD_NOW);
  if (!handle) {
    tool_failed(name, dlerror());
    return;
  }
  tool_load *load;
  void *symbol = dlsym(handle, "OnLoad");
  memcpy(&load, &symbol, sizeof load);
  if (load && load(&root, root.head.major, tools.failed_count, tools.failed)) {
    tools.handles[tools.count++] = handle;
    return;
  }
  tool_failed(name, load ? "its OnLoad returned false" : "it has no OnLoad");
  dlclose(handle);
}

static bool tables_save(void)
{
  for (int i = 0; i < TABLES; i++) {
    tools.saved[i] = malloc(root.tables[i]->size);
    if (!tools.saved[i])
      return false;
    memcpy(tools.saved[i], root.tables[i], root.tables[i]->size);
  }
  return true;
}

static void tables_restore(void)
{
  for (int i = 0; i < TABLES; i++) {
    if (tools.saved[i])
      memcpy(root.tables[i], tools.saved[i], ((table *)tools.saved[i])->size);
    free(tools.saved[i]);
    tools.saved[i] = NULL;
  }
}

void aqdrop_tools_load(void)
{
  const char *list = secure_getenv("HSA_TOOLS_LIB");
  char *rest;
  if (!list || !*list)
    return;
  tools.names = strdup(list);
  if (!tools.names || !tables_save()) {
    fprintf(stderr, "aqueduct: HSA_TOOLS_LIB: out of memory\n");
    aqdrop_tools_unload();
    return;
  }
  uint32_t seen = 0;
  for (char *name = strtok_r(tools.names, " ", &rest); name;
       name = strtok_r(NULL, " ", &rest))
    if (seen++ < TOOLS_MAX)
      tool_open(name);
    else
      fprintf(stderr, "aqueduct: HSA_TOOLS_LIB: %s: at most %d tools\n", name,
              TOOLS_MAX);
}

void aqdrop_tools_unload(void)
{
  for (uint32_t i = tools.count; i-- > 0;) {
    tool_unload *unload;
    void *symbol = dlsym(tools.handles[i], "OnUnload");
    memcpy(&unload, &symbol, sizeof unload);
    if (unload)
      unload();
  }
  tables_restore(); /* before their functions go */
  while (tools.count > 0)
    dlclose(tools.handles[--tools.count]);
  free(tools.names);
  tools.names = NULL;
  tools.failed_count = 0;
}

bool aqdrop_tools_are_loaded(void)
{
  return tools.names != NULL;
}

/* ---- functions that only tools call ---- */

hsa_status_t aqdrop_hsa_amd_queue_intercept_create(void);
hsa_status_t aqdrop_hsa_amd_queue_intercept_register(void);
hsa_status_t aqdrop_hsa_amd_runtime_queue_create_register(void);

/* Packets go from the client's ring to the device, without a step between. */
hsa_status_t aqdrop_hsa_amd_queue_intercept_create(void)
{
  static bool reported;
  AQDROP_ENTER_UNRECORDED(runtime);
  aqdrop_fidelity_function(runtime, "hsa_amd_queue_intercept_create",
                           &reported);
  return HSA_STATUS_ERROR_INVALID_QUEUE_CREATION;
}

hsa_status_t aqdrop_hsa_amd_queue_intercept_register(void)
{
  AQDROP_ENTER_UNRECORDED(runtime);
  (void)runtime;
  return HSA_STATUS_ERROR_INVALID_QUEUE; /* none was made to intercept */
}

/* The library makes no queues of its own that it could report. */
hsa_status_t aqdrop_hsa_amd_runtime_queue_create_register(void)
{
  AQDROP_ENTER_UNRECORDED(runtime);
  (void)runtime;
  return HSA_STATUS_SUCCESS;
}
