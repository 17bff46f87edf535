/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "store/foreach_row.h"

aq_status aq_run_reader_each(aq_run_reader *reader, aq_row_add add, void *user,
                             aq_diag *diag)
{
  enum { BATCH = 128 };
  aq_record rows[BATCH];
  int64_t numbers[BATCH];
  size_t count = 1;
  aq_status status = AQ_OK;
  while (status == AQ_OK && count > 0) {
    status = aq_run_reader_next(reader, rows, numbers, BATCH, &count, diag);
    for (size_t i = 0; i < count && status == AQ_OK; i++)
      if (!add(user, &rows[i], numbers[i],
               aq_run_reader_name(reader, rows[i].name)))
        status = aq_diag_no_memory(diag);
  }
  return status;
}
