/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/session/device_choice.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json_in.h"
#include "report/stats/timestamp_resolution.h"
#include "transport/registry/device_models.h"

enum { DEVICES_MAX = 64 };

/* Profilers, by the formats that they write. */
#define KINETO   "Kineto"
#define ROCPROF1 "rocprof v1"
#define ROCPROF3 "rocprofv3"
#define RPD      "rocmProfileData"
static const struct {
  const char *format, *profiler;
} profilers[] = {
    {"kineto", KINETO},           {"rocprof-v1", ROCPROF1},
    {"rocprof-v1-db", ROCPROF1},  {"rpd", RPD},
    {"rocprofv3-json", ROCPROF3}, {"rocprofv3-csv", ROCPROF3},
    {"rocpd", ROCPROF3},
};

/* The first that fits; a condition that is not given always does. A part of
 * the name is more than the ISA, which several GPUs share. Rows of one GPU that
 * name a stack stand together: the nearest counts. */
static const struct {
  const char *name; /* part of the marketing name */
  const char *gfx;
  int64_t cus;
  int64_t from, to;     /* versions of HIP that it was measured on: major × 100
                           + minor; 0: any */
  const char *profiler; /* under which; NULL: the model is of no trace */
  const char *model;
} choices[] = {
    {.name = "MI300X VF", .profiler = KINETO, .model = "mi300x-rocm6.4-vf"},
#define MI300X_OF(version, last, tool, which, ...)                             \
  {                                                                            \
    __VA_ARGS__, .from = version, .to = last, .profiler = tool, .model = which \
  }
#define MI300X(...)                                                            \
  MI300X_OF(701, 702, KINETO, "mi300x", __VA_ARGS__),                          \
      MI300X_OF(604, 604, KINETO, "mi300x-rocm6.4-vf", __VA_ARGS__),           \
      MI300X_OF(700, 700, KINETO, "mi300x-rocm7.0", __VA_ARGS__),              \
      MI300X_OF(713, 713, KINETO, "mi300x-rocm7.13", __VA_ARGS__),             \
      MI300X_OF(714, 714, KINETO, "mi300x-rocm7.14", __VA_ARGS__),             \
      MI300X_OF(0, 0, ROCPROF1, "mi300x-rocprof1", __VA_ARGS__),               \
      MI300X_OF(0, 0, RPD, "mi300x-rpd", __VA_ARGS__)
    MI300X(.name = "MI300X"),
    {.name = "MI300A", .model = "mi300a"},
    {.name = "MI325X", .model = "mi325x"},
    {.name = "MI350X", .profiler = ROCPROF3, .model = "mi350x"},
    {.name = "MI355X", .model = "mi355x"},
    {.name = "MI250", .profiler = KINETO, .model = "mi250"},
    {.name = "MI250", .profiler = ROCPROF1, .model = "mi250x"},
    {.name = "MI210", .profiler = KINETO, .model = "mi210"},
    {.name = "MI100", .model = "mi100"},
    {.name = "MI50", .model = "mi50"},
    {.name = "MI25", .model = "mi25"},
    {.name = "RX 6900 XT", .model = "rx6900xt"},
    {.name = "RX 7900 XTX", .model = "rx7900xtx"},
    {.name = "RX 9070 XT", .model = "rx9070xt"},
    {.name = "R9700", .profiler = ROCPROF3, .model = "r9700"},
    {.name = "R9700", .profiler = ROCPROF1, .model = "r9700-rocprof1"},
    {.name = "8060S", .model = "gfx1151"},
    {.name = "8050S", .model = "gfx1151"},
    MI300X(.gfx = "gfx942", .cus = 304),
    {.gfx = "gfx942", .cus = 228, .model = "mi300a"},
    {.gfx = "gfx950", .cus = 256, .profiler = ROCPROF3, .model = "mi350x"},
    {.gfx = "gfx90a", .cus = 104, .profiler = KINETO, .model = "mi210"},
    {.gfx = "gfx90a", .cus = 110, .profiler = KINETO, .model = "mi250"},
    {.gfx = "gfx90a", .cus = 110, .profiler = ROCPROF1, .model = "mi250x"},
    {.gfx = "gfx908", .model = "mi100"},
    {.gfx = "gfx906", .model = "mi50"},
    {.gfx = "gfx900", .model = "mi25"},
    {.gfx = "gfx1030", .model = "rx6900xt"},
    {.gfx = "gfx1100", .model = "rx7900xtx"},
    {.gfx = "gfx1151", .model = "gfx1151"},
    {.gfx = "gfx1201", .profiler = ROCPROF1, .model = "r9700-rocprof1"},
    {.gfx = "gfx1201", .model = "r9700"},
    /* Older drivers call every part "AMD Radeon Graphics". */
    {.name = "AMD Radeon Graphics", .cus = 104, .model = "mi250"},
    {.name = "AMD Radeon Graphics", .cus = 110, .model = "mi250"},
    /* No other AMD GPU has as many: sources that leave the name empty. */
    MI300X(.name = "", .cus = 304),
};

/* For runs without the name of their GPU: the candidates by the step of the
 * timestamps and the profiler. */
static const struct {
  const char *format; /* NULL: any other */
  int step;           /* ns */
  const char *model;  /* all of them have waves of 64 work-items */
} guesses[] = {
    {"rocprof-v1", 160, "mi250x"},
    {"rocprof-v1", 40, "mi300x-rocprof1"},
    {NULL, 160, "mi210"},
    {NULL, 40, "mi300x"},
};

/* The stack and GPU that a run's notes name; 0: the notes name none. */
typedef struct stack_notes {
  int64_t hip;  /* major × 100 + minor */
  int64_t wave; /* work-items */
  bool edited;  /* constants of a simulated run's device model */
  bool cuda;    /* its host calls are CUDA's: no GPU of AMD */
} stack_notes;

static int64_t notes_number(const aq_json_node *root, const char *key)
{
  aq_json_node node;
  int64_t number;
  return aq_json_member(root, key, &node) &&
                 aq_json_integer(&node, 0, INT64_MAX, &number) == AQ_OK
             ? number
             : 0;
}

static stack_notes notes_of(const char *notes)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_json_doc doc;
  stack_notes out = {0};
  if (!notes ||
      aq_json_parse(&doc, notes, strlen(notes), "notes", &diag) != AQ_OK)
    return out;
  const aq_json_node root = aq_json_root(&doc);
  if (aq_json_is_object(&root)) {
    aq_json_node edits;
    out.edited = aq_json_member(&root, "edits", &edits);
    out.hip = notes_number(&root, "hip_version") / 100000;
    out.wave = notes_number(&root, "wave_size");
    aq_json_node cuda;
    out.cuda = aq_json_member(&root, "cuda", &cuda);
  }
  aq_json_free(&doc);
  return out;
}

static bool fits(size_t i, const aq_run_device *device)
{
  if (choices[i].name &&
      (choices[i].name[0]
           ? !device->name || !strstr(device->name, choices[i].name)
           : device->name && device->name[0]))
    return false;
  if (choices[i].gfx &&
      (!device->gfx || strcmp(device->gfx, choices[i].gfx) != 0))
    return false;
  return !choices[i].cus || choices[i].cus == device->cus;
}

/* The distance of a version from the versions of a choice's measurements. */
static int64_t distance(size_t i, int64_t hip)
{
  if (!choices[i].from || !hip)
    return 0;
  return hip < choices[i].from ? choices[i].from - hip
         : hip > choices[i].to ? hip - choices[i].to
                               : 0;
}

/* The name as the list of models has it; NULL: this build has none of it. */
static const char *model_find(const char *name)
{
  for (size_t i = 0; aq_device_model_name(i); i++)
    if (strcmp(aq_device_model_name(i), name) == 0)
      return aq_device_model_name(i);
  return NULL;
}

/* How far a choice is from a run: another profiler counts more than any other
 * version of HIP. */
static int64_t farness(size_t i, int64_t hip, const char *profiler)
{
  enum { OTHER_PROFILER = 1000000 };
  const bool other = profiler && choices[i].profiler &&
                     strcmp(choices[i].profiler, profiler) != 0;
  /* A run that does not name its profiler is like one of Kineto's. */
  const bool unlike = !profiler && choices[i].profiler &&
                      strcmp(choices[i].profiler, KINETO) != 0;
  /* Where no model is of its profiler, Kineto's models are the nearest. */
  const bool third = other && strcmp(choices[i].profiler, KINETO) != 0;
  return distance(i, hip) + (other || unlike ? OTHER_PROFILER : 0) + third;
}

static const char *profiler_of(const aq_run_info *run)
{
  for (size_t i = 0; run->format && i < sizeof profilers / sizeof *profilers;
       i++)
    if (strcmp(run->format, profilers[i].format) == 0)
      return profilers[i].profiler;
  return NULL;
}

/* Adds the nearest version and profiler, where they are not the run's. */
static void nearest_say(size_t i, int64_t hip, const char *profiler,
                        char *reason, size_t size)
{
  const int64_t far = distance(i, hip);
  size_t used = strlen(reason);
  if (choices[i].from && hip)
    used += (size_t)snprintf(reason + used, size - used, " and its HIP %d.%d",
                             (int)hip / 100, (int)hip % 100);
  else if (choices[i].from)
    used += (size_t)snprintf(reason + used, size - used,
                             "; it does not name its version of HIP");
  if (far && used < size)
    used += (size_t)snprintf(
        reason + used, size - used, ", the nearest of those measured: %d.%d%s",
        (int)choices[i].from / 100, (int)choices[i].from % 100,
        far >= 50 ? " (warning: another major version)" : "");
  if (used < size && profiler && choices[i].profiler &&
      strcmp(profiler, choices[i].profiler) != 0)
    snprintf(reason + used, size - used,
             "; warning: no model of this GPU is of %s, under which launches "
             "can start some us later than under %s, whose model this is",
             profiler, choices[i].profiler);
}

/* The nearest stack and profiler among the choices of the first GPU that fits.
 */
static const char *choose(const aq_run_device *device, const aq_run_info *run,
                          int64_t hip, char *reason, size_t size)
{
  const size_t count = sizeof choices / sizeof *choices;
  const char *profiler = profiler_of(run);
  size_t first = 0;
  while (first < count && !fits(first, device))
    first++;
  if (first == count)
    return NULL;
  size_t best = first;
  for (size_t i = first; i < count && (choices[i].name == choices[first].name &&
                                       choices[i].gfx == choices[first].gfx);
       i++)
    if (farness(i, hip, profiler) < farness(best, hip, profiler))
      best = i;
  snprintf(reason, size, "%s",
           choices[first].name && choices[first].name[0]
               ? "by the GPU that the run names"
               : "by the run's ISA and compute units");
  nearest_say(best, hip, profiler, reason, size);
  return model_find(choices[best].model);
}

/* ---- guesses ---- */

static const char *guess(const aq_run_info *run, int step, int64_t wave)
{
  if (wave && wave != 64)
    return NULL; /* RDNA: its traces do not reveal the device */
  for (size_t i = 0; i < sizeof guesses / sizeof *guesses; i++)
    if (guesses[i].step == step &&
        (!guesses[i].format ||
         (run->format && strcmp(run->format, guesses[i].format) == 0)))
      return model_find(guesses[i].model);
  return NULL;
}

static bool is_unnamed(const aq_run_device *device)
{
  return (!device->name || !device->name[0]) &&
         (!device->gfx || !device->gfx[0]) &&
         (device->cus == AQ_NONE || device->cus == 0);
}

/* The first model of the same ISA; NULL: none. */
static const char *relative(const aq_run_device *device)
{
  const size_t count = sizeof choices / sizeof *choices;
  for (size_t i = 0; device && device->gfx && i < count; i++)
    if (choices[i].gfx && strcmp(choices[i].gfx, device->gfx) == 0)
      return model_find(choices[i].model);
  return NULL;
}

static aq_status refuse(const aq_run_device *device, const char *why,
                        const char *option, aq_diag *diag)
{
  char known[AQ_DIAG_TEXT_MAX] = "", gpu[160];
  const char *near = relative(device);
  for (size_t i = 0; aq_device_model_name(i); i++) {
    size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
             aq_device_model_name(i));
  }
  snprintf(gpu, sizeof gpu, "%.80s%s%.40s",
           device && device->name && device->name[0] ? device->name
                                                     : "unnamed GPU",
           device && device->gfx ? " " : "",
           device && device->gfx ? device->gfx : "");
  return aq_diag_set(diag, AQ_ERR_INPUT, "%s (%s)%s%s; choose one with %s: %s",
                     why, gpu, near ? "; nearest, of the same ISA: " : "",
                     near ? near : "", option, known);
}

typedef struct choice_list {
  const char *models[DEVICES_MAX]; /* static texts */
  size_t count;
  int step; /* of the timestamps, ns; 0: not needed, or not known */
  char reason[AQ_DEVICE_REASON]; /* for the last of them */
} choice_list;

/* The lowest device above `after` that a queue belongs to; -1: none. */
static int64_t device_next(aq_run_reader *reader, int64_t after)
{
  int64_t next = -1;
  const size_t queues = aq_run_reader_queue_count(reader);
  for (size_t i = 0; i < queues; i++) {
    const aq_run_queue *queue = aq_run_reader_queue(reader, (int64_t)i);
    if (queue && queue->device > after && (next < 0 || queue->device < next))
      next = queue->device;
  }
  return next;
}

/* The models of the run's devices, in their order. */
static aq_status models_choose(aq_store *store, const aq_run_info *run,
                               aq_run_reader *reader, const char *option,
                               choice_list *list, aq_diag *diag)
{
  const stack_notes notes = notes_of(run->notes);
  *list = (choice_list){.count = 0};
  for (int64_t at = -1; (at = device_next(reader, at)) >= 0;) {
    const aq_run_device *device = aq_run_reader_device(reader, at);
    if (device && is_unnamed(device) && !list->step && !notes.cuda) {
      aq_status status =
          aq_timestamp_step_find(store, run->id, &list->step, diag);
      if (status != AQ_OK)
        return status;
    }
    const char *model =
        !device ? NULL
        : is_unnamed(device)
            ? guess(run, list->step, notes.wave)
            : choose(device, run, notes.hip, list->reason, sizeof list->reason);
    if (!model)
      return refuse(device,
                    notes.cuda ? "the run's host calls are CUDA's, and no "
                                 "device model is of an NVIDIA GPU"
                    : device && is_unnamed(device) && notes.wave == 32
                        ? "the run does not name its GPU, which by its waves "
                          "or registers is of RDNA"
                        : "no device model is known for the run's GPU",
                    option, diag);
    if (list->count == DEVICES_MAX)
      return refuse(device, "the run has more than 64 GPUs", option, diag);
    list->models[list->count++] = model;
  }
  return list->count > 0
             ? AQ_OK
             : refuse(NULL, "the run does not name its GPU", option, diag);
}

/* The models that a simulated run was made on, for the caller to free; NULL: it
 * is none, or this build lacks one of them. */
static char *models_made(const aq_run_info *run, char *reason, size_t size)
{
  char name[256];
  const char *at = run->device_model;
  if (run->kind != AQ_RUN_SIMULATED || !at)
    return NULL;
  for (size_t length; *at; at += length + (at[length] == ',')) {
    length = strcspn(at, ",");
    snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ",*"), at);
    if (!model_find(name))
      return NULL;
  }
  snprintf(reason, size, "on which the run was made%s",
           notes_of(run->notes).edited ? ", without its edits" : "");
  return strdup(run->device_model);
}

/* "mi300x*4,mi250": equal neighbours together. */
static char *list_print(const choice_list *list)
{
  size_t size = sizeof "*64";
  for (size_t i = 0; i < list->count; i++)
    size += strlen(list->models[i]) + 1;
  char *text = malloc(size), *end = text;
  for (size_t i = 0, same; text && i < list->count; i += same) {
    for (same = 1;
         i + same < list->count && list->models[i + same] == list->models[i];)
      same++;
    end += sprintf(end, "%s%s", i ? "," : "", list->models[i]);
    if (same > 1)
      end += sprintf(end, "*%zu", same);
  }
  return text;
}

aq_status aq_device_choose(aq_store *store, const aq_run_info *run,
                           aq_run_reader *reader, const char *option,
                           aq_device_choice *out, aq_diag *diag)
{
  choice_list list;
  out->models = models_made(run, out->reason, sizeof out->reason);
  if (out->models)
    return AQ_OK;
  aq_status status = models_choose(store, run, reader, option, &list, diag);
  if (status != AQ_OK)
    return status;
  char *models = list_print(&list);
  if (!models)
    return aq_diag_no_memory(diag);
  if (list.step)
    snprintf(list.reason, sizeof list.reason,
             "guessed from timestamps that step by %d ns: the run does not "
             "name its GPU",
             list.step);
  *out = (aq_device_choice){.models = models};
  memcpy(out->reason, list.reason, sizeof out->reason);
  return AQ_OK;
}
