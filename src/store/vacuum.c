/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "store/maintenance.h"
#include "store/store_priv.h"

static aq_status file_size(aq_store *store, int64_t *out, aq_diag *diag)
{
  return aq_store_integer(store,
                          "SELECT page_count * page_size "
                          "FROM pragma_page_count, pragma_page_size",
                          NULL, 0, out, diag);
}

aq_status aq_store_vacuum(aq_store *store, aq_vacuum_result *out, aq_diag *diag)
{
  aq_vacuum_result result = {0};
  aq_status status = file_size(store, &result.before, diag);
  if (!status)
    status = aq_store_exec(store, "VACUUM", "cannot be written anew", diag);
  /* Until then the space is in the journal. Readers may hold it up, which is
   * no error: it happens when the last of them closes. */
  if (!status)
    status = aq_store_exec(store, "PRAGMA wal_checkpoint(TRUNCATE)",
                           "cannot be written anew", diag);
  if (!status)
    status = file_size(store, &result.after, diag);
  if (!status)
    *out = result;
  return status;
}

aq_status aq_store_settle(const char *path, aq_diag *diag)
{
  aq_store *store;
  aq_status status = aq_store_open(path, AQ_STORE_WRITE, &store, diag);
  if (status)
    return status;
  status = aq_store_exec(store, "PRAGMA journal_mode = DELETE",
                         "cannot leave WAL mode", diag);
  aq_store_close(store);
  return status;
}
