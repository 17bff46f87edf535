/* SPDX-License-Identifier: MIT */
/*
 * Records: the one shape in which measured and simulated events are kept.
 *
 * record.def lists the fields. Backends and importers produce records into an
 * aq_record_sink; the store, the exporters and the statistics consume them.
 * A sink is driven by one thread at a time. Rows passed to put() are borrowed
 * for the call; names are copied by the sink.
 */
#ifndef AQ_COMMON_RECORD_H
#define AQ_COMMON_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counted.h"
#include "diag.h"
#include "export.h"
#include "finding.h"
#include "instruction.h"
#include "ops.h"
#include "preempted.h"
#include "request.h"
#include "status.h"
#include "time.h"
#include "traced.h"

AQ_BEGIN_DECLS

#define AQ_NONE INT64_MIN /* a field that is not known */

typedef enum aq_record_kind {
  AQ_KIND_KERNEL = 1,
  AQ_KIND_COPY = 2,
  AQ_KIND_FILL = 3,
  AQ_KIND_BARRIER_AND = 4,
  AQ_KIND_BARRIER_OR = 5,
  AQ_KIND_AGENT = 6,
  AQ_KIND_VENDOR = 7,
  AQ_KIND_WAIT = 8,       /* a host call that waited for the device */
  AQ_KIND_CALL = 9,       /* any other host call */
  AQ_KIND_OPERATION = 10, /* of a host queue: the packets are others' rows */
  AQ_KIND_RANGE = 11,     /* time that the program marked, with its name: of the
                             host, or, with a queue, of the device */
  AQ_KIND_COUNT
} aq_record_kind;

typedef enum aq_record_via {
  AQ_VIA_NONE = 0,   /* no host call is known: it cannot be scored */
  AQ_VIA_DIRECT = 1, /* one host call, one packet */
  AQ_VIA_GRAPH = 2,  /* one host call launched a graph of packets */
  AQ_VIA_COUNT
} aq_record_via;

enum aq_record_flag {
  AQ_FLAG_BACK_TO_BACK = 1 << 0, /* start is the end of the packet before it */
  AQ_FLAG_PINNED = 1 << 1,       /* replayed at its measured time: not scored */
  AQ_FLAG_GRAPH_FIRST = 1 << 2,  /* first packet of a graph launch */
  AQ_FLAG_EDGE = 1 << 3,         /* waited for another queue */
  AQ_FLAG_ERROR = 1 << 4,        /* ended in a queue error */
  AQ_FLAG_LEARNED = 1 << 5,      /* durations were learned of it: not scored */
  AQ_FLAG_EXECUTED = 1 << 6,     /* its end is the end of its executed code,
                                    later than its cost model's */
  AQ_FLAG_PREDICTED = 1 << 7,    /* its duration is a prediction */
  AQ_FLAG_LOST = 1 << 8,         /* of a host call: the trace has no record of
                                    the launched work */
  AQ_FLAG_CONTRADICTED = 1 << 9, /* later rows of its queue, or a wait for the
                                    device, contradict its end, which is
                                    unknown */
};

/* The reasons for a packet's wait between its decode and its first wave. */
enum aq_stall {
  AQ_STALL_ORDER = 1 << 0,   /* the packets before it on its queue to launch */
  AQ_STALL_BARRIER = 1 << 1, /* them to complete, by its barrier bit */
  AQ_STALL_BLOCKED = 1 << 2, /* a barrier packet or the like before it */
  AQ_STALL_SLOT = 1 << 3,    /* a hardware slot for its queue */
  AQ_STALL_PIPE = 1 << 4,    /* the launch unit of its pipe */
  AQ_STALL_ROOM = 1 << 5,    /* room on the compute units, or its turn there */
};

typedef struct aq_record {
#define F(field, unit, meaning) int64_t field;
#include "record.def"
#undef F
} aq_record;

/* A description of each field, in the order of the struct. */
typedef struct aq_record_field {
  const char *name, *unit, *meaning;
} aq_record_field;

enum {
#define F(field, unit, meaning) AQ_RECORD_FIELD_##field,
#include "record.def"
#undef F
  AQ_RECORD_FIELD_COUNT
};

AQ_STATIC_ASSERT(sizeof(aq_record) == AQ_RECORD_FIELD_COUNT * sizeof(int64_t),
                 "a record is an array of its fields");

/* By AQ_RECORD_FIELD_name; static. */
AQ_API extern const aq_record_field aq_record_fields[AQ_RECORD_FIELD_COUNT];

/* A record with every field unknown. */
AQ_API void aq_record_init(aq_record *record);

/* The fields as an array of AQ_RECORD_FIELD_COUNT values, borrowed. */
static inline const int64_t *aq_record_values(const aq_record *record)
{
  return &record->kind;
}

/* Whether the row's flags are known and have a bit. */
static inline bool aq_record_is(const aq_record *record, int64_t flag)
{
  return record->flags != AQ_NONE && record->flags & flag;
}

/* Sets a bit; unknown flags become known. */
static inline void aq_record_flag(aq_record *record, int64_t flag)
{
  record->flags = (record->flags == AQ_NONE ? 0 : record->flags) | flag;
}

/* Of a kernel; 0 where its grid is not known, or more than a number holds. */
static inline int64_t aq_record_work_items(const aq_record *record)
{
  int64_t items;
  return record->grid_x > 0 && record->grid_y > 0 && record->grid_z > 0 &&
                 !__builtin_mul_overflow(record->grid_x, record->grid_y,
                                         &items) &&
                 !__builtin_mul_overflow(items, record->grid_z, &items)
             ? items
             : 0;
}

/* Lower-case names ("kernel", "graph"), or NULL outside the enumeration. */
AQ_API const char *aq_record_kind_name(int64_t kind);
AQ_API const char *aq_record_via_name(int64_t via);

/* A device and a queue of a run, as their source names them. Text is borrowed
 * and may be NULL where it is not known. */
typedef struct aq_run_device {
  int64_t source_id; /* the source's own id: unique in the run */
  const char *name;  /* marketing name, "AMD Instinct MI300X" */
  const char *gfx;   /* ISA, "gfx942" */
  int64_t cus;       /* compute units, or AQ_NONE */
} aq_run_device;

typedef struct aq_run_queue {
  int64_t device;    /* ordinal of its device */
  int64_t source_id; /* the source's queue or stream id: unique in the device */
} aq_run_queue;

typedef enum aq_edge_kind {
  AQ_EDGE_CALL = 1,     /* a host call made a stream wait for another */
  AQ_EDGE_INFERRED = 2, /* only from the times */
  AQ_EDGE_COUNT
} aq_edge_kind;

/* A dependency across queues: row `to` waited until row `from` had completed.
 * Rows are numbers in the order they were put. */
typedef struct aq_edge {
  int64_t from, to;
  int64_t kind;       /* aq_edge_kind */
  int64_t confidence; /* percent that it is one, 1 to 100 */
} aq_edge;

/* "call" or "inferred", NULL outside the enumeration. */
AQ_API const char *aq_edge_kind_name(int64_t kind);

/* Counters, sampled over time: counters.def lists them. */
typedef enum aq_counter_scope {
  AQ_COUNTER_OF_DEVICE,
  AQ_COUNTER_OF_QUEUE,
} aq_counter_scope;

typedef enum aq_counter_kind {
  AQ_COUNTER_IS_LEVEL, /* the value at the instant */
  AQ_COUNTER_IS_RATE,  /* what happened since the sample before, a second */
} aq_counter_kind;

enum {
#define C(name, unit, scope, kind, meaning) AQ_COUNTER_##name,
#include "counters.def"
#undef C
  AQ_COUNTER_COUNT
};

typedef struct aq_counter {
  const char *name, *unit, *meaning;
  aq_counter_scope scope;
  aq_counter_kind kind;
} aq_counter;

/* By AQ_COUNTER_name; static. */
AQ_API extern const aq_counter aq_counters[AQ_COUNTER_COUNT];

/* From `time` on, until the next sample of the same counter and ordinal, the
 * value is this; before the first it is 0. */
typedef struct aq_sample {
  int64_t counter; /* AQ_COUNTER_… */
  int64_t ordinal; /* of the device or the queue, as its scope says */
  aq_time time;
  int64_t value;
} aq_sample;

/* Where a run goes: its devices, queues, names and rows, in any order but a
 * device before its queues and both before the rows that name them.
 * Implementations embed this struct first. */
typedef struct aq_record_sink aq_record_sink;
struct aq_record_sink {
  /* The ordinal of a device or queue: the same ids give the same ordinal;
   * fields that were unknown before are filled in. */
  aq_status (*device)(aq_record_sink *sink, const aq_run_device *device,
                      int64_t *ordinal, aq_diag *diag);
  aq_status (*queue)(aq_record_sink *sink, const aq_run_queue *queue,
                     int64_t *ordinal, aq_diag *diag);
  /* The id of a name: the same text gives the same id. Text is length bytes,
   * any content, not necessarily terminated. */
  aq_status (*name)(aq_record_sink *sink, const char *text, size_t length,
                    int64_t *id, aq_diag *diag);
  /* Takes `count` rows, in order. After an error the sink takes no more. */
  aq_status (*put)(aq_record_sink *sink, const aq_record *rows, size_t count,
                   aq_diag *diag);
  /* Takes dependencies between rows that were put; NULL: it keeps none. */
  aq_status (*put_edges)(aq_record_sink *sink, const aq_edge *edges,
                         size_t count, aq_diag *diag);
  /* Takes back the ends of `count` rows that were put, by their numbers, and
   * sets AQ_FLAG_CONTRADICTED; NULL: it cannot. */
  aq_status (*contradict)(aq_record_sink *sink, const int64_t *rows,
                          size_t count, aq_diag *diag);
  /* Takes requests that have ended, in any order; NULL: it keeps none. */
  aq_status (*put_requests)(aq_record_sink *sink, const aq_request *requests,
                            size_t count, aq_diag *diag);
  /* Takes preemptions that have ended, in any order; NULL: it keeps none. */
  aq_status (*put_preempted)(aq_record_sink *sink, const aq_preempted *rows,
                             size_t count, aq_diag *diag);
  /* Takes counts of instructions, in any order; NULL: it keeps none. */
  aq_status (*put_instructions)(aq_record_sink *sink,
                                const aq_instruction *rows, size_t count,
                                aq_diag *diag);
  /* Takes findings of a checker, in any order; NULL: it keeps none. */
  aq_status (*put_findings)(aq_record_sink *sink, const aq_finding *rows,
                            size_t count, aq_diag *diag);
  /* Takes the work of dispatches, in any order; NULL: it keeps none. */
  aq_status (*put_counted)(aq_record_sink *sink, const aq_counted *rows,
                           size_t count, aq_diag *diag);
  /* Takes samples, in the order of their times for each counter and ordinal;
   * NULL: it keeps none. */
  aq_status (*put_counters)(aq_record_sink *sink, const aq_sample *samples,
                            size_t count, aq_diag *diag);
  /* Takes steps of traced waves, each wave's in order; NULL: it keeps none. */
  aq_status (*put_traced)(aq_record_sink *sink, const aq_traced *rows,
                          size_t count, aq_diag *diag);
  /* Take the program around launches: ops and frames, parents first, then the
   * rows that they launched; NULL: it keeps none. */
  aq_status (*put_ops)(aq_record_sink *sink, const aq_host_op *rows,
                       size_t count, aq_diag *diag);
  aq_status (*put_frames)(aq_record_sink *sink, const aq_frame *rows,
                          size_t count, aq_diag *diag);
  aq_status (*put_launched)(aq_record_sink *sink, const aq_launched *rows,
                            size_t count, aq_diag *diag);
  /* Takes allocations of memory, behind the ops that they name; NULL: it keeps
   * none. */
  aq_status (*put_memory_blocks)(aq_record_sink *sink,
                                 const aq_memory_block *rows, size_t count,
                                 aq_diag *diag);
};

AQ_END_DECLS

#endif
