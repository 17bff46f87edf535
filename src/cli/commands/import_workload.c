/* SPDX-License-Identifier: MIT */
/* `import --workload FORMAT FILE -o SCENARIO`: requests to language models. */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cli/commands/commands.h"
#include "common/text.h"
#include "study/serving/scenario_write.h"

aq_status aq_cli_import_workload(aq_cli *cli)
{
  aq_llm_import_result r;
  char *text;
  if (cli->arg_count != 1 || !cli->values[AQ_CLI_OPT_OUTPUT] ||
      cli->values[AQ_CLI_OPT_FORMAT])
    return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                       "--workload takes one FILE, -o SCENARIO, and no "
                       "--format");
  const char *path = cli->args[0];
  aq_status status = aq_llm_import_files(cli->values[AQ_CLI_OPT_WORKLOAD], path,
                                         cli->values[AQ_CLI_OPT_OUTPUT], &r,
                                         &text, &cli->diag);
  if (status != AQ_OK)
    return status;
  fprintf(cli->out, "%s\n", text);
  free(text);
  aq_cli_note(cli,
              "%s: %zu request%s, %" PRIu64 " prompt tokens, %" PRIu64
              " answer tokens; %zu session%s, %zu with known prefixes",
              path, r.requests, aq_text_plural(r.requests), r.prompt, r.output,
              r.sessions, aq_text_plural(r.sessions), r.with_hashes);
  if (r.left_out)
    aq_cli_note(cli, "%s: skipped %zu request%s %s", path, r.left_out,
                aq_text_plural(r.left_out), r.why);
  if (r.moved)
    aq_cli_note(cli, "%s: sorted %zu request%s out of time order", path,
                r.moved, aq_text_plural(r.moved));
  return AQ_OK;
}
