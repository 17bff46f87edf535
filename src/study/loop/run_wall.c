/* SPDX-License-Identifier: MIT */
/* Wall time, of live mode only. */
#include "config.h"

#include "common/wall_clock.h"
#include "study/loop/run_priv.h"

aq_time aq_runner_wall_scaled(const aq_runner *run, aq_time wall)
{
  const aq_pace pace = run->options->open.pace;
  __int128 scaled = wall;
  if (pace.wall)
    scaled = scaled * pace.virtual_time / pace.wall;
  return scaled < AQ_TIME_MAX / 4 ? (aq_time)scaled : AQ_TIME_MAX / 4;
}

aq_time aq_runner_patience_left(const aq_runner *run)
{
  if (run->options->timeout == 0)
    return AQ_TIME_MAX / 4;
  return run->options->timeout - (aq_wall_ns() - run->heard) * AQ_NS;
}

void aq_runner_heard(aq_runner *run)
{
  if (run->live)
    run->heard = aq_wall_ns();
}
