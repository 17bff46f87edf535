/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/hsa/record/extract.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/dispatch_file.h"
#include "common/dispatch_selector.h"
#include "gpu/wave/core/wave.h"

/* Of several processes the first writes the file. */
static void dispatch_write(const aq_execution_desc *desc, void *user)
{
  const aqdrop *runtime = user;
  const char *text = secure_getenv("AQUEDUCT_EXTRACT");
  aq_dispatch_choice choice;
  aq_diag diag = AQ_DIAG_INIT;
  if (!text || aq_dispatch_choice_read(text, &choice, NULL) != AQ_OK)
    return; /* it changed since */
  aq_status status =
      desc->registers
          ? aq_diag_set(&diag, AQ_ERR_UNSUPPORTED,
                        "%s: a dispatch by PM4 is not extracted", choice.file)
          : aq_dispatch_file_write(choice.file, desc->packet, desc->gfx,
                                   desc->kernel, desc->device,
                                   runtime->allocations, &diag);
  if (status == AQ_OK)
    fprintf(stderr,
            "aqueduct: dispatch %" PRIu64 " (kernel %s, grid %ux%ux%u) is in "
            "%s\n",
            choice.number, desc->kernel, desc->packet->grid_size[0],
            desc->packet->grid_size[1], desc->packet->grid_size[2],
            choice.file);
  else if (status != AQ_ERR_EXISTS)
    fprintf(stderr, "aqueduct: dispatch %" PRIu64 " is not extracted: %s\n",
            choice.number, diag.text);
}

aq_status aqdrop_extract_begin(aqdrop *runtime, aq_diag *diag)
{
  const char *text = secure_getenv("AQUEDUCT_EXTRACT");
  aq_dispatch_choice choice;
  if (!text || !*text)
    return AQ_OK;
  aq_status status = aq_dispatch_choice_read(text, &choice, diag);
  if (status == AQ_OK)
    aq_wave_machine_catch(runtime->machine, choice.number, dispatch_write,
                          runtime);
  return status;
}
