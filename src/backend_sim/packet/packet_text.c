/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/packet/packet_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "backend_sim/packet/packet_validate.h"
#include "common/memory_value.h"

/* A text that grows to the end of its buffer and no further. */
typedef struct words {
  char *at;
  size_t left;
} words;

__attribute__((format(printf, 2, 3))) static void say(words *w, const char *fmt,
                                                      ...)
{
  va_list args;
  va_start(args, fmt);
  int length = vsnprintf(w->at, w->left, fmt, args);
  va_end(args);
  size_t used = length < 0 ? 0 : (size_t)length;
  if (used >= w->left)
    used = w->left - 1;
  w->at += used;
  w->left -= used;
}

static void say_signal(words *w, const aqsim *sim, const char *what,
                       aq_signal handle)
{
  const aqsim_signal *signal = aqsim_signals_find(&sim->signals, handle);
  if (signal)
    say(w, ", %s signal %" PRIu64, what, signal->number);
  else if (handle.handle)
    say(w, ", %s of a foreign signal", what);
}

static void say_kernel(words *w, const aqsim *sim, const aq_packet *p)
{
  const aq_kernel_packet *k = &p->kernel;
  const aqsim_kernel *kernel =
      aqsim_kernel_from(&sim->kernels, k->kernel_object);
  say(w,
      ", %u dimensions, grid %" PRIu32 "x%" PRIu32 "x%" PRIu32
      ", workgroup %ux%ux%u",
      k->setup, k->grid_size[0], k->grid_size[1], k->grid_size[2],
      k->workgroup_size[0], k->workgroup_size[1], k->workgroup_size[2]);
  if (k->group_segment_size)
    say(w, ", group segment %" PRIu32, k->group_segment_size);
  if (k->private_segment_size)
    say(w, ", private segment %" PRIu32, k->private_segment_size);
  if (kernel)
    say(w, ", kernel %s", kernel->desc.name);
  else
    say(w, ", no kernel");
}

static void say_barrier(words *w, const aqsim *sim, const aq_packet *p)
{
  for (int i = 0; i < AQ_BARRIER_DEPENDENCIES; i++)
    say_signal(w, sim, "needs", p->barrier.dependency[i]);
}

static void say_agent(words *w, const aqsim *sim, const aq_packet *p)
{
  (void)sim;
  say(w, ", function %u", p->agent.type);
  for (int i = 0; i < 4; i++)
    say(w, "%s%#" PRIx64, i ? " " : ", arguments ", p->agent.argument[i]);
}

static void say_vendor(words *w, const aqsim *sim, const aq_packet *p)
{
  const aq_barrier_value_packet *b = &p->barrier_value;
  const char *condition = aq_condition_name((aq_condition)b->condition);
  if (b->format == AQ_AMD_FORMAT_PM4_IB) {
    say(w, ", PM4 indirect buffer, %" PRIu32 " words",
        p->pm4_ib.ib_jump[3] & 0xfffff);
  } else if (b->format == AQ_AMD_FORMAT_BARRIER_VALUE) {
    say(w, ", barrier-value");
    if (b->signal.handle && !aqsim_signals_find(&sim->signals, b->signal))
      say(w, ", needs memory %#" PRIx64,
          b->signal.handle + offsetof(aq_amd_signal, value));
    else
      say_signal(w, sim, "needs", b->signal);
    say(w, " & %#" PRIx64 " %s %" PRId64, (uint64_t)b->mask,
        condition ? condition : "?", b->value);
  } else {
    say(w, ", format %u", b->format);
  }
}

static void (*const fields[])(words *, const aqsim *, const aq_packet *) = {
    [AQ_PACKET_VENDOR] = say_vendor,
    [AQ_PACKET_KERNEL_DISPATCH] = say_kernel,
    [AQ_PACKET_BARRIER_AND] = say_barrier,
    [AQ_PACKET_AGENT_DISPATCH] = say_agent,
    [AQ_PACKET_BARRIER_OR] = say_barrier,
};

void aqsim_packet_decode(const aqsim *sim, const aq_packet *packet,
                         char text[AQSIM_PACKET_TEXT_MAX])
{
  unsigned type = aq_header_type(packet->header);
  words w = {text, AQSIM_PACKET_TEXT_MAX};
  say(&w, "%s, header 0x%04x", aqsim_packet_type_name(type), packet->header);
  if (type >= sizeof fields / sizeof *fields || !fields[type])
    return;
  if (aq_header_barrier(packet->header))
    say(&w, ", barrier bit");
  fields[type](&w, sim, packet);
  say_signal(&w, sim, "completes", packet->kernel.completion_signal);
}

void aqsim_signal_describe(const aqsim_signal *signal,
                           char text[AQSIM_SIGNAL_TEXT])
{
  snprintf(text, AQSIM_SIGNAL_TEXT,
           "signal %" PRIu64 " (user %" PRIu64 ", value %" PRId64 ")",
           signal->number, signal->user, aqsim_signal_load(signal));
}

static void memory_describe(const aqsim_dep *dep, char text[AQSIM_SIGNAL_TEXT])
{
  int64_t value;
  if (aqsim_dep_wait_value(dep, &value))
    snprintf(text, AQSIM_SIGNAL_TEXT,
             "memory (value %" PRId64 ", needs %" PRId64 ")", value,
             dep->dep_wait->test.reference);
  else
    snprintf(text, AQSIM_SIGNAL_TEXT, "memory that is gone");
}

void aqsim_dep_wait_describe(const aqsim_dep_wait *dep_wait,
                             char text[AQSIM_SIGNAL_TEXT])
{
  const aqsim_dep *blocker = aqsim_dep_wait_blocker(dep_wait);
  if (!blocker)
    snprintf(text, AQSIM_SIGNAL_TEXT, "no signal at all");
  else if (blocker->signal)
    aqsim_signal_describe(blocker->signal, text);
  else
    memory_describe(blocker, text);
}
