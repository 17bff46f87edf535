/* SPDX-License-Identifier: MIT */
/*
 * Perfetto traces: packets of sequences become slices with their tracks, times
 * and annotations (perfetto.c), and slices rows, calls and ranges
 * (perfetto_rows.c). Field numbers and rules follow perfetto_trace.proto
 * of google/perfetto; doc/formats/perfetto.md.
 *
 * Packets are read in the order of the file, which is that of each sequence; a
 * sequence is what one thread wrote. Views are borrowed for a packet.
 * Memory: each different text once, the tracks, the slices that are open, and
 * the packet that is read. Times are ns of the source's clock.
 * Thread rule: one thread at a time per import.
 */
#ifndef AQ_TRACE_FORMATS_PERFETTO_H
#define AQ_TRACE_FORMATS_PERFETTO_H

#include "trace/formats/rocprofv3.h"
#include "trace/text/protobuf_reader.h"

/* The annotations that are read, under the names that the tools write. */
typedef enum aq_perfetto_annotation {
  AQ_PERFETTO_CORRELATION,
  AQ_PERFETTO_QUEUE,
  AQ_PERFETTO_TID,
  AQ_PERFETTO_STREAM,
  AQ_PERFETTO_AGENT,
  AQ_PERFETTO_SOURCE,
  AQ_PERFETTO_DESTINATION,
  AQ_PERFETTO_BYTES,
  AQ_PERFETTO_SCRATCH,
  AQ_PERFETTO_LDS,
  AQ_PERFETTO_WORKGROUP,
  AQ_PERFETTO_GRID,
  AQ_PERFETTO_ANNOTATIONS,
} aq_perfetto_annotation;

/* A value: a number, or the numbers of a text such as "(256,1,1)". */
typedef struct aq_perfetto_value {
  int count; /* 0: absent */
  int64_t numbers[3];
  bool cpu;     /* the text names a CPU */
  bool too_big; /* the number behind these exceeds 2^63 - 1 */
} aq_perfetto_value;

typedef enum aq_perfetto_kind {
  AQ_PERFETTO_OTHER, /* only to find the ends of slices */
  AQ_PERFETTO_DISPATCH,
  AQ_PERFETTO_COPY,
  AQ_PERFETTO_ACTIVITY, /* either: by its name */
  AQ_PERFETTO_CALL,
  AQ_PERFETTO_RANGE,
} aq_perfetto_kind;

typedef struct aq_perfetto_slice {
  aq_perfetto_kind kind;
  int64_t name; /* of `texts` */
  int64_t begin, end;
  int64_t flow; /* AQ_NONE: none */
  aq_perfetto_value values[AQ_PERFETTO_ANNOTATIONS];
  size_t sequence; /* that began it */
  size_t next;     /* the one around it on its track, plus 1; 0: none */
} aq_perfetto_slice;

typedef struct aq_perfetto_track {
  uint64_t parent;
  bool has_parent;
  int64_t name; /* of `texts`, or AQ_NONE */
  int64_t pid, tid;
  size_t open; /* its innermost open slice, plus 1; 0: none */
} aq_perfetto_track;

/* Ids of clocks: builtin ones, and from 64 on a sequence's own. */
enum {
  AQ_PERFETTO_BOOT = 6, /* of a trace that names none */
  AQ_PERFETTO_LOCAL = 64,
  AQ_PERFETTO_LOCAL_END = 128,
};

/* A clock that a sequence defined. */
typedef struct aq_perfetto_clock {
  bool known, incremental;
  int64_t unit;    /* ns */
  int64_t last;    /* of an incremental one, else its snapshot's; ns */
  uint64_t global; /* the builtin clock that it is measured against: */
  int64_t offset;  /* ns from this to that, */
  int64_t earlier; /* and before `last`: by the snapshot before */
} aq_perfetto_clock;

/* A time on a builtin clock. */
typedef struct aq_perfetto_stamp {
  bool known;
  uint64_t clock;
  int64_t ns;
} aq_perfetto_stamp;

/* A builtin clock and the trace's at one time, ns. */
typedef struct aq_perfetto_reading {
  int64_t ns, to_trace;
} aq_perfetto_reading;

typedef struct aq_perfetto_readings {
  aq_perfetto_reading *list;
  size_t count, capacity;
} aq_perfetto_readings;

/* The kinds of interned texts that are read. */
enum {
  AQ_PERFETTO_CATEGORY_TEXTS,
  AQ_PERFETTO_EVENT_TEXTS,
  AQ_PERFETTO_ANNOTATION_TEXTS,
  AQ_PERFETTO_VALUE_TEXTS,
  AQ_PERFETTO_TEXT_KINDS,
};

typedef struct aq_perfetto_sequence {
  bool valid;     /* it has its interned texts and defaults */
  bool lost;      /* packets, and with them begins of slices */
  uint64_t clock; /* of packets that name none; 0: the trace's */
  uint64_t track; /* of events that name none */
  bool has_track;
  aq_map interned[AQ_PERFETTO_TEXT_KINDS]; /* id → text */
  aq_perfetto_clock clocks[AQ_PERFETTO_LOCAL_END - AQ_PERFETTO_LOCAL];
} aq_perfetto_sequence;

typedef struct aq_perfetto {
  aq_import *import;
  aq_correlation *join;
  const char *file;
  uint64_t offset; /* of the packet in the file */
  bool malformed;  /* the packet is */
  bool unpacked;   /* it was compressed in one at `offset` */
  aq_names texts;
  aq_map sequence_by_id, track_by_id, processes;
  aq_perfetto_sequence *sequences;
  size_t sequence_count, sequence_capacity;
  aq_perfetto_track *tracks;
  size_t track_count, track_capacity;
  aq_perfetto_slice *slices;
  size_t slice_count, slice_capacity, free_slice;   /* plus 1; 0: none */
  aq_perfetto_readings readings[AQ_PERFETTO_LOCAL]; /* by builtin clock */
  uint64_t trace_clock; /* the builtin one that the others are related to */
  uint64_t clock;       /* the builtin one of the run's times; 0: none yet */
  uint64_t chunks_lost;
  aq_agents agents;
} aq_perfetto;

/* The next field of a message in a packet; false: its end, or malformed. */
bool aq_perfetto_field(aq_perfetto *p, aq_pb_view *in, aq_pb_field *out);

/* Takes readings of several clocks at one time. */
aq_status aq_perfetto_clocks_read(aq_perfetto *p,
                                  aq_perfetto_sequence *sequence,
                                  aq_pb_view from);

/* The timestamp of a packet (clock 0: on the sequence's default clock) on a
 * builtin clock. Call it once for each packet with a timestamp: it moves an
 * incremental clock on. */
aq_perfetto_stamp aq_perfetto_stamp_read(const aq_perfetto *p,
                                         aq_perfetto_sequence *sequence,
                                         uint64_t clock, uint64_t time);

/* The same on the clock of the run, in ns. False: not known. */
bool aq_perfetto_time(aq_perfetto *p, const aq_perfetto_stamp *stamp,
                      int64_t *out);

/* The kind of slices in a category. */
aq_perfetto_kind aq_perfetto_category(const char *text, size_t length);

/* The annotation of that name, or AQ_PERFETTO_ANNOTATIONS. */
aq_perfetto_annotation aq_perfetto_annotation_find(const char *text,
                                                   size_t length);

/* The numbers of a text, in their order. */
aq_perfetto_value aq_perfetto_numbers(const char *text, size_t length);

/* Takes a complete slice of a track. */
aq_status aq_perfetto_slice_add(aq_perfetto *p, const aq_perfetto_track *track,
                                const aq_perfetto_slice *slice);

/* Notes which agents are GPUs, as the name of a track says. */
aq_status aq_perfetto_track_agent(aq_perfetto *p, const char *name,
                                  size_t length);

#endif
