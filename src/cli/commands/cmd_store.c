/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/commands/runs.h"
#include "cli/commands/store_maintenance.h"
#include "common/json_out.h"
#include "common/text.h"

static aq_status remove_run(aq_cli *cli, aq_store *store, aq_json_out *json,
                            int64_t run)
{
  aq_status status = aq_store_remove(store, run, &cli->diag);
  if (status != AQ_OK)
    return status;
  if (json)
    aq_json_out_int(json, NULL, run);
  else
    fprintf(cli->out, "%" PRId64 "\n", run);
  return AQ_OK;
}

static aq_status remove_incomplete(aq_cli *cli, aq_store *store,
                                   aq_json_out *json)
{
  aq_run_list list;
  aq_status status = aq_store_list(store, &list, &cli->diag);
  if (status != AQ_OK)
    return status;
  for (size_t i = 0; i < list.count && status == AQ_OK; i++)
    if (!list.runs[i]->complete)
      status = remove_run(cli, store, json, list.runs[i]->id);
  aq_run_list_fini(&list);
  return status;
}

static aq_status remove_named(aq_cli *cli, aq_store *store, aq_json_out *json,
                              const char *name)
{
  aq_run_info *info;
  aq_status status = aq_store_find(store, name, &info, &cli->diag);
  if (status != AQ_OK)
    return status;
  status = remove_run(cli, store, json, info->id);
  aq_run_info_free(info);
  return status;
}

/* `store prune`, with a document of the removed runs for --json. */
static aq_status prune_report(aq_cli *cli, aq_store *store)
{
  aq_json_out *json;
  aq_status status = aq_cli_json_begin_if(cli, &json);
  if (status != AQ_OK)
    return status;
  if (json) {
    aq_json_out_map(json, NULL);
    aq_json_out_array(json, "removed");
  }
  status = AQ_OK;
  for (int i = 1; i < cli->arg_count && status == AQ_OK; i++)
    status = strcmp(cli->args[i], "incomplete") == 0
                 ? remove_incomplete(cli, store, json)
                 : remove_named(cli, store, json, cli->args[i]);
  if (!json)
    return status;
  aq_json_out_close_array(json);
  if (status != AQ_OK)
    aq_cli_json_error(cli, json, status);
  aq_json_out_close_map(json);
  const aq_status written = aq_cli_json_end_if(cli, json);
  return status == AQ_OK ? written : status;
}

/* What `store` can do: the least and the most arguments after the verb. */
static const struct {
  const char *name;
  int least, most;
  const char *usage;
  aq_store_mode mode;
  aq_status (*run)(aq_cli *cli, aq_store *store);
} verbs[] = {
    {"check", 0, 0, "check", AQ_STORE_CHECK, aq_cli_store_check},
    {"merge", 1, INT32_MAX, "merge OTHER...", AQ_STORE_WRITE,
     aq_cli_store_merge},
    {"prune", 1, INT32_MAX, "prune RUN...", AQ_STORE_WRITE, prune_report},
    {"vacuum", 0, 0, "vacuum", AQ_STORE_WRITE, aq_cli_store_vacuum},
};

static aq_status find_verb(aq_cli *cli, size_t *out)
{
  for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
    if (strcmp(verbs[i].name, cli->args[0]) == 0) {
      *out = i;
      return AQ_OK;
    }
  const char *near = aq_text_nearest(cli->args[0], aq_cli_store_verbs);
  return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                     "unknown verb '%s' of store; %s%s%s", cli->args[0],
                     near ? "did you mean "
                          : "expected check, merge, prune or vacuum",
                     near ? near : "", near ? "?" : "");
}

aq_status aq_cli_store(aq_cli *cli)
{
  size_t verb = 0;
  aq_store *store;
  aq_status status = find_verb(cli, &verb);
  if (status != AQ_OK)
    return status;
  if (cli->arg_count - 1 < verbs[verb].least ||
      cli->arg_count - 1 > verbs[verb].most)
    return aq_diag_set(&cli->diag, AQ_ERR_INVALID, "usage: aqueduct store %s",
                       verbs[verb].usage);
  status = aq_cli_store_open(cli, verbs[verb].mode, &store);
  if (status != AQ_OK)
    return status;
  status = verbs[verb].run(cli, store);
  aq_store_close(store);
  return status;
}
