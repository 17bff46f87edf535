/* SPDX-License-Identifier: MIT */
#include "transport/fault/faulty.h"

#include <string.h>

void faulty_open(faulty *f, const char *names, const char *schedule,
                 const aq_device_hooks *hooks)
{
  aq_diag diag = AQ_DIAG_INIT;
  const char *file = NULL;
  if (schedule)
    file = aqtest_write("faults.json", schedule, strlen(schedule));
  ck_assert_status(aq_transport_stack_create(names, file, &f->stack, &diag),
                   AQ_OK, &diag);
  const aq_transport_layer *top = aq_transport_stack_top(f->stack);
  rig_open_with(&f->rig, top->ops,
                &(aq_transport_options){.layer = top, .hooks = hooks});
  f->t = f->rig.t;
  f->ops = f->t->ops;
}

void faulty_close(faulty *f)
{
  rig_close(&f->rig);
  aq_transport_stack_destroy(f->stack);
}
