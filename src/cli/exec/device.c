/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/exec/device.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "backend_sim/match/device_match.h"
#include "backend_sim/model/device_set.h"
#include "backend_sim/sim.h"
#include "cli/exec/program_files.h"
#include "common/signal_name.h"

enum { LIST_SIZE = 280 /* of a line's parts */ };

/* As the drop-in reads it. */
static bool xnack_is_on(void)
{
  const char *text = getenv("HSA_XNACK");
  return text && strcmp(text, "1") == 0;
}

static aq_status refuse(const aq_exec_device_wish *wish,
                        const aq_program_code *code, bool xnack, aq_diag *diag)
{
  char targets[LIST_SIZE / 2], models[LIST_SIZE];
  aq_device_fit other;
  aq_program_code_targets(code, targets, sizeof targets);
  if (aq_device_fit_find(wish->edits, code, !xnack, &other))
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%.80s has code for %s: that fits no device with XNACK "
                       "%s; %s HSA_XNACK=1 it fits --device %s",
                       code->files[0].path, targets, xnack ? "on" : "off",
                       xnack ? "without" : "with", other.name);
  aq_device_fit_models(models, sizeof models);
  return aq_diag_set(diag, AQ_ERR_INPUT,
                     "%.80s has code for %s, which no device model matches; "
                     "there are %s: choose one with --device",
                     code->files[0].path, targets, models);
}

static aq_status device_by_code(const aq_exec_device_wish *wish,
                                const aq_program_code *code, const char **out,
                                const aq_notes *notes, aq_diag *diag)
{
  const bool xnack = xnack_is_on();
  char targets[LIST_SIZE], target[AQ_TARGET_TEXT_SIZE];
  aq_device_fit best;
  if (!aq_device_fit_find(wish->edits, code, xnack, &best))
    return refuse(wish, code, xnack, diag);
  aq_program_code_targets(code, targets, sizeof targets);
  aq_target_print(&best.target, target);
  aq_note(notes,
          "device %s (%s), since %s has code for %s; --device chooses another",
          best.name, target, code->files[0].path, targets);
  *out = best.name;
  return AQ_OK;
}

/* ---- a device of the user's ---- */

static bool set_fits(const aqsim_device_set *set, const aq_program_code *code)
{
  for (uint32_t i = 0; i < set->count; i++) {
    aq_target target;
    if (aq_target_of_device(set->models[i]->gfx, xnack_is_on(), &target,
                            NULL) != AQ_OK)
      return true; /* an instruction set of the user's: nothing to say */
    const aq_program_fit fit = aq_program_code_fit(code, &target);
    if (aq_program_fit_is(code, &fit))
      return true;
  }
  return false;
}

/* AQ_ERR_UNSUPPORTED names the targets of the code. */
static aq_status misfit(const aq_exec_device_wish *wish,
                        const aq_program_code *code, aq_diag *diag)
{
  char targets[LIST_SIZE];
  aq_device_fit best;
  aq_program_code_targets(code, targets, sizeof targets);
  if (aq_device_fit_find(NULL, code, xnack_is_on(), &best))
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "no code of %.80s fits --device %s: it has code for %s, "
                       "which --device %s runs",
                       code->files[0].path, wish->device, targets, best.name);
  refuse(wish, code, xnack_is_on(), diag);
  aq_diag_prefix(diag, "--device %s", wish->device);
  return AQ_ERR_UNSUPPORTED;
}

aq_status aq_exec_device_choose(const aq_exec_device_wish *wish,
                                const char **out, const aq_notes *notes,
                                aq_diag *diag)
{
  aqsim_device_set set;
  aq_program_code code;
  aq_diag why = AQ_DIAG_INIT;
  aq_status status =
      aqsim_device_set_load(wish->device ? wish->device : AQSIM_DEFAULT_DEVICE,
                            wish->edits, &set, diag);
  if (status != AQ_OK)
    return status;
  *out = wish->device;
  status = aq_program_code_read(wish->program, &code, notes, diag);
  if (status == AQ_OK) {
    if (code.count > 0 && !wish->device)
      status = device_by_code(wish, &code, out, notes, diag);
    else if (code.count > 0 && !set_fits(&set, &code) &&
             misfit(wish, &code, &why) != AQ_OK)
      aq_note(notes, "warning: %s", why.text);
    aq_program_code_fini(&code);
  }
  aqsim_device_set_fini(&set);
  return status;
}

aq_status aq_exec_device_blame(const aq_exec_device_wish *wish, int status,
                               aq_diag *diag)
{
  aqsim_device_set set;
  aq_program_code code;
  aq_status blamed = AQ_OK;
  if (!wish->device || !WIFSIGNALED(status) ||
      aqsim_device_set_load(wish->device, wish->edits, &set, NULL) != AQ_OK)
    return AQ_OK;
  if (aq_program_code_read(wish->program, &code, NULL, NULL) == AQ_OK) {
    if (code.count > 0 && !set_fits(&set, &code)) {
      char name[AQ_SIGNAL_NAME];
      blamed = misfit(wish, &code, diag);
      aq_diag_prefix(diag, "%.80s: ended by %s", wish->program,
                     aq_signal_name(WTERMSIG(status), name));
    }
    aq_program_code_fini(&code);
  }
  aqsim_device_set_fini(&set);
  return blamed;
}
