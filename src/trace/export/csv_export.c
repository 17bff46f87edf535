/* SPDX-License-Identifier: MIT */
/* CSV of our own record table; see doc/formats/csv.md. */
#include "config.h"

#include "trace/import/importers.h"
#include "trace/text/csv_writer.h"

static void put_row(aq_csv_writer *out, aq_trace_source *source,
                    const aq_record *row, int64_t number)
{
  const int64_t *values = aq_record_values(row);
  const aq_run_device *device =
      row->device == AQ_NONE ? NULL : source->device(source, row->device);
  const aq_run_queue *queue =
      row->queue == AQ_NONE ? NULL : source->queue(source, row->queue);
  aq_csv_writer_int(out, number);
  for (size_t i = 0; i < AQ_RECORD_FIELD_COUNT; i++) {
    const int64_t value = values[i];
    const char *word = i == AQ_RECORD_FIELD_kind  ? aq_record_kind_name(value)
                       : i == AQ_RECORD_FIELD_via ? aq_record_via_name(value)
                       : i == AQ_RECORD_FIELD_name && value != AQ_NONE
                           ? source->name(source, value)
                           : NULL;
    if (word)
      aq_csv_writer_text(out, word);
    else
      aq_csv_writer_int(out, value);
  }
  aq_csv_writer_int(out, device ? device->source_id : AQ_NONE);
  aq_csv_writer_text(out, device ? device->name : NULL);
  aq_csv_writer_text(out, device ? device->gfx : NULL);
  aq_csv_writer_int(out, device ? device->cus : AQ_NONE);
  aq_csv_writer_int(out, queue ? queue->source_id : AQ_NONE);
  aq_csv_writer_text(out, aq_record_is(row, AQ_FLAG_PREDICTED) ? "yes" : "no");
  aq_csv_writer_row(out);
}

aq_status aq_csv_export(aq_trace_source *source, FILE *file, aq_diag *diag)
{
  aq_csv_writer out = {.file = file};
  aq_csv_writer_text(&out, "row");
  for (size_t i = 0; i < AQ_RECORD_FIELD_COUNT; i++)
    aq_csv_writer_text(&out, aq_record_fields[i].name);
  aq_csv_writer_text(&out, "device_id");
  aq_csv_writer_text(&out, "device_name");
  aq_csv_writer_text(&out, "gfx");
  aq_csv_writer_text(&out, "cus");
  aq_csv_writer_text(&out, "queue_id");
  aq_csv_writer_text(&out, "predicted");
  aq_csv_writer_row(&out);
  aq_status status = aq_csv_writer_rows(&out, source, put_row, diag);
  return status == AQ_OK ? aq_csv_writer_end(&out, diag) : status;
}
