/* SPDX-License-Identifier: MIT */
/*
 * Device models: every constant of a simulated GPU, with its source.
 *
 * A model is read from a text file (doc/formats/device.md), `KEY = VALUE UNIT ;
 * SOURCE` a line; device_keys.def lists the keys. Times are kept in ps, rates
 * in bytes a second, frequencies in Hz, sizes in bytes, choices as the
 * enumerations below. A file may begin with `base = NAME`: it then lists only
 * its differences from another model. The model owns its texts. One thread at a
 * time changes a model; many may read a model that no thread changes.
 */
#ifndef AQSIM_DEVICE_MODEL_H
#define AQSIM_DEVICE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/diag.h"
#include "common/time.h"

typedef enum aqsim_start_stamp {
  AQSIM_START_WAVE,         /* first wave */
  AQSIM_START_BACK_TO_BACK, /* previous end, for packets decoded early enough */
} aqsim_start_stamp;

typedef enum aqsim_read_advance {
  AQSIM_ADVANCE_COMPLETION,
  AQSIM_ADVANCE_LAUNCH,
} aqsim_read_advance;

/* As aqsim_preempt_mode. */
typedef enum aqsim_preemption {
  AQSIM_PREEMPTION_DRAIN,
  AQSIM_PREEMPTION_SWITCH,
} aqsim_preemption;
/* Numbered as aq_link_type. */
typedef enum aqsim_host_link {
  AQSIM_LINK_PCIE,
  AQSIM_LINK_XGMI,
} aqsim_host_link;

enum {
#define K(key, kind, group, smallest, meaning) AQSIM_KEY_##key,
#include "backend_sim/model/device_keys.def"
#undef K
  AQSIM_KEY_COUNT
};

enum { AQSIM_PIPES_MAX = 1024, AQSIM_SLOTS_PER_PIPE_MAX = 64 };
/* The largest parts. */
enum {
  AQSIM_XCCS_MAX = 16,
  AQSIM_CUS_MAX = 256,        /* of a complex */
  AQSIM_WAVES_MAX = 256,      /* of a compute unit */
  AQSIM_REGISTERS_MAX = 4096, /* of a SIMD */
  AQSIM_LDS_MAX = 1 << 20,    /* bytes of a compute unit */
};

/* Kernels of a queue start so long behind the end of a kernel of this name and
 * grid. Texts are the model's. */
typedef struct aqsim_gap {
  const char *name;
  int64_t grid;         /* work-items; 0: not known */
  aq_time time, spread; /* half of a 90 % interval; 0: not stated */
  const char *source, *from;
} aqsim_gap;

typedef struct aqsim_model {
#define AQSIM_TYPE_TIME                        aq_time
#define AQSIM_TYPE_FREQUENCY                   int64_t
#define AQSIM_TYPE_RATE                        int64_t
#define AQSIM_TYPE_FLOPS                       int64_t
#define AQSIM_TYPE_COUNT                       int64_t
#define AQSIM_TYPE_BYTES                       int64_t
#define AQSIM_TYPE_YESNO                       int64_t
#define AQSIM_TYPE_STAMP                       int64_t
#define AQSIM_TYPE_ADVANCE                     int64_t
#define AQSIM_TYPE_PREEMPTION                  int64_t
#define AQSIM_TYPE_LINK                        int64_t
#define AQSIM_TYPE_TEXT                        const char *
#define K(key, kind, group, smallest, meaning) AQSIM_TYPE_##kind key;
#include "backend_sim/model/device_keys.def"
#undef K
  const char *name;                     /* "mi300x" */
  const char *sources[AQSIM_KEY_COUNT]; /* NULL: not set yet */
  const char *from[AQSIM_KEY_COUNT];    /* the model whose file set it */
  int64_t spreads[AQSIM_KEY_COUNT];     /* half of a 90 % interval; 0: none */
  aq_time launch;  /* aqsim_cost_launch before edits, of a loaded model */
  aqsim_gap *gaps; /* of kernels, in the files' order */
  size_t gap_count, gap_capacity;
  aq_arena arena;
} aqsim_model;

/* One constant as it is shown. Text is borrowed from the model. */
typedef struct aqsim_constant {
  const char *key, *group, *meaning, *source;
  const char *from; /* the model whose file set it, or "an edit" */
  const char *unit; /* "" for counts, choices and texts */
  char value[64];   /* exact, in that unit */
  int64_t number;   /* in the unit that the model keeps; 0 for texts */
  int64_t spread;   /* half of its 90 % interval, so too; 0: not stated */
  bool timing;      /* it moves the timeline */
} aqsim_constant;

/* Reads a model from memory; `place` names the text in diagnostics and the
 * model (its last path component without ".device"). Bytes may be anything. */
aq_status aqsim_model_parse(const char *place, const char *text, size_t size,
                            aqsim_model **out, aq_diag *diag);

/* Loads an embedded model by name, or a file when the name contains '/' or
 * ends in ".device", then applies the NULL-terminated edits (NULL: none). */
aq_status aqsim_model_load(const char *name, const char *const *edits,
                           aqsim_model **out, aq_diag *diag);

void aqsim_model_destroy(aqsim_model *model);

/* Changes one constant: "KEY=VALUE UNIT", or "KEY=0.5x" for a factor of the
 * value in force. On error nothing is changed. */
aq_status aqsim_model_set(aqsim_model *model, const char *edit, aq_diag *diag);

/* Constant `index` (0 .. AQSIM_KEY_COUNT - 1), in the order of the list. */
void aqsim_model_constant(const aqsim_model *model, size_t index,
                          aqsim_constant *out);

enum { AQSIM_HASH_SIZE = 17 };

/* A digest of all constants in force, 16 hex digits, terminated; sources and
 * the name do not count. */
void aqsim_model_hash(const aqsim_model *model, char hash[AQSIM_HASH_SIZE]);

/* "calibrated" when every timing constant is marked measured, "assumed" when
 * none is marked measured or derived: the figures of a data sheet do not show
 * when the part does something. "partly" otherwise. Static text. */
const char *aqsim_model_verdict(const aqsim_model *model);

/* The embedded models: their number, and the name of one. */
size_t aqsim_model_count(void);
const char *aqsim_model_name(size_t index);

/* The text of an embedded model's file, as a list of lines that NULL ends; made
 * from devices/ at build time. */
typedef struct aqsim_embedded {
  const char *name;
  const char *const *lines;
} aqsim_embedded;

extern const aqsim_embedded aqsim_embedded_models[]; /* a NULL name ends it */

#endif
