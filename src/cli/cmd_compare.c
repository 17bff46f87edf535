/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/commands.h"
#include "cli/compare_print.h"
#include "cli/runs.h"
#include "cli/thresholds.h"
#include "report/compare_runs.h"

/* What to compare with, as far as the command line says. */
static aq_status find_other(aq_cli *cli, aq_store *store, const aq_run_info *a,
                            aq_run_info **out)
{
  if (cli->arg_count > 1)
    return aq_store_find(store, cli->args[1], out, &cli->diag);
  if (a->origin != AQ_NONE)
    return aq_store_run(store, a->origin, out, &cli->diag);
  return aq_diag_set(&cli->diag, AQ_ERR_INPUT,
                     "run %" PRId64 " replays no other run; name the run to "
                     "compare it with",
                     a->id);
}

static aq_status print_and_judge(aq_cli *cli, const aq_compare_runs *compare,
                                 const aq_cli_threshold *limits, size_t count)
{
  aq_status status = aq_cli_flag(cli, AQ_CLI_OPT_JSON)
                         ? aq_cli_compare_json(cli, compare, limits, count)
                         : aq_cli_compare_text(cli, compare);
  if (status != AQ_OK)
    return status;
  return aq_cli_thresholds_judge(cli, limits, count, &compare->figures);
}

static aq_status compare_infos(aq_cli *cli, aq_store *store,
                               const aq_run_info *a, const aq_run_info *b,
                               const aq_cli_threshold *limits, size_t count)
{
  aq_compare_runs compare;
  int64_t worst;
  aq_status status = aq_cli_number(cli, AQ_CLI_OPT_WORST, 0, 0, &worst);
  if (status == AQ_OK)
    status =
        aq_compare_runs_init(store, a, b, (size_t)worst, &compare, &cli->diag);
  if (status != AQ_OK)
    return status;
  status = print_and_judge(cli, &compare, limits, count);
  aq_compare_runs_fini(&compare);
  return status;
}

static aq_status compare_named(aq_cli *cli, aq_store *store,
                               const aq_cli_threshold *limits, size_t count)
{
  aq_run_info *a = NULL, *b = NULL;
  aq_status status = aq_store_find(store, cli->args[0], &a, &cli->diag);
  if (status != AQ_OK)
    return status;
  status = find_other(cli, store, a, &b);
  if (status == AQ_OK) {
    status = compare_infos(cli, store, a, b, limits, count);
    aq_run_info_free(b);
  }
  aq_run_info_free(a);
  return status;
}

aq_status aq_cli_compare(aq_cli *cli)
{
  aq_cli_threshold *limits;
  size_t count;
  aq_store *store;
  aq_status status = aq_cli_thresholds_read(cli, &limits, &count);
  if (status != AQ_OK)
    return status;
  status = aq_cli_store_open(cli, AQ_STORE_READ, &store);
  if (status == AQ_OK) {
    status = compare_named(cli, store, limits, count);
    aq_store_close(store);
  }
  free(limits);
  return status;
}
