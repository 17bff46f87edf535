/* SPDX-License-Identifier: MIT */
/*
 * Readers, code objects, executables and their symbols. A handle is the address
 * of the object and is looked for in the lists of the runtime before it is
 * used.
 */
#ifndef AQDROP_EXECUTABLES_H
#define AQDROP_EXECUTABLES_H

#include "dropin/hsa/base/runtime.h"
#include "gpu/codeobj/loader.h"

typedef struct aqdrop_reader {
  struct aqdrop_reader *next;
  const void *bytes;
  size_t size;
  void *mapped; /* the mapping to remove, or NULL */
  size_t mapped_size;
  int file; /* -1: memory of the client */
} aqdrop_reader;

typedef struct aqdrop_executable aqdrop_executable;
typedef struct aqdrop_loaded aqdrop_loaded;

typedef struct aqdrop_symbol {
  struct aqdrop_symbol *next; /* of the executable */
  aqdrop_agent *agent;        /* NULL: it is the program's */
  const aq_code_symbol *code; /* of a code object, or the client's */
  uint64_t address;           /* of the descriptor, or of the variable */
  uint32_t segment;           /* of variables: HSA_VARIABLE_SEGMENT_* */
} aqdrop_symbol;

/* A code object that is loaded for a device, or for all (agent NULL). */
struct aqdrop_loaded {
  aq_kernel_scope scope; /* of its kernels' host functions */
  aqdrop_loaded *next;
  aqdrop *runtime;
  aqdrop_executable *executable;
  aqdrop_agent *agent;
  aq_code_image image;
  aqdrop_symbol *symbols;         /* one for each of the image, in its order */
  struct aqdrop_missing *missing; /* of kernels that compute nothing */
  const void *storage;            /* of its reader, borrowed: only told */
  size_t storage_size;
};

/* A variable that the client has, and code objects refer to by its name. */
typedef struct aqdrop_external {
  struct aqdrop_external *next;
  aq_code_symbol code; /* owns the name */
  aqdrop_symbol symbol;
} aqdrop_external;

/* The runtime's lock guards the state and the heads of the lists. */
struct aqdrop_executable {
  aqdrop_executable *next;
  uint32_t profile, rounding;
  uint32_t state; /* HSA_EXECUTABLE_STATE_* */
  aqdrop_loaded *first;
  aqdrop_external *externals;
  aqdrop_symbol *symbols; /* of both, the newest first */
};

/* A code object of HSA 1.0: a copy of the file, and its contents. */
typedef struct aqdrop_code {
  struct aqdrop_code *next;
  void *bytes;
  size_t size;
  aq_codeobj code;
} aqdrop_code;

/* Makes a reader of part of a file (size 0: up to its end). */
hsa_status_t aqdrop_reader_open(aqdrop *runtime, int file, size_t offset,
                                size_t size, hsa_code_object_reader_t *out);

/* NULL for unknown handles. */
aqdrop_executable *aqdrop_executable_from(aqdrop *runtime,
                                          hsa_executable_t executable);
const aqdrop_reader *aqdrop_reader_from(aqdrop *runtime,
                                        hsa_code_object_reader_t reader);

/* Loads a code object for a device, or for all (NULL). */
hsa_status_t aqdrop_executable_load(aqdrop *runtime,
                                    hsa_executable_t executable,
                                    aqdrop_agent *agent, const void *bytes,
                                    size_t size, hsa_loaded_code_object_t *out);

/* The symbol of a name that is an agent's, or the program's (NULL). The second
 * is for whoever holds the runtime's lock. */
aqdrop_symbol *aqdrop_symbol_find(aqdrop *runtime,
                                  const aqdrop_executable *executable,
                                  const char *name, const aqdrop_agent *agent);
aqdrop_symbol *aqdrop_symbol_find_locked(const aqdrop_executable *executable,
                                         const char *name,
                                         const aqdrop_agent *agent);

/* The symbol that code of a loaded code object refers to by name, whether it
 * defines it or not: the executable's of the agent, or else of the program.
 * NULL: there is none. Takes the runtime's lock. */
const aqdrop_symbol *aqdrop_symbol_resolve(const aqdrop_loaded *loaded,
                                           const char *name);

/* The variable of a name for host functions, as aq_kernel_scope.variable. */
void *aqdrop_scope_variable(const aq_kernel_scope *scope, const char *name,
                            uint64_t *size);

/* Answers the attributes that symbols of code objects and of executables
 * share; they have the same numbers. */
hsa_status_t aqdrop_symbol_info(const aq_code_symbol *symbol, uint64_t address,
                                uint32_t attribute, void *value);

/* The loaded code object at an address, or NULL; whoever may run beside a
 * thread that destroys executables holds the runtime's lock. */
aqdrop_loaded *aqdrop_loaded_at(aqdrop *runtime, const void *address);

/* Reports to the user that the kernel whose descriptor lies at an address has
 * no host function; false: there is no such kernel. Any thread. */
bool aqdrop_kernel_missing_report(aqdrop *runtime, uint64_t object,
                                  uint32_t queue);

/* The functions of the AMD loader extension, in the order of its table. */
extern const aqdrop_any_function aqdrop_loader_functions[7];

/* Unload and free everything, after the transport is closed. */
void aqdrop_executables_fini(aqdrop *runtime);
void aqdrop_codes_fini(aqdrop *runtime);
void aqdrop_readers_fini(aqdrop *runtime);

#endif
