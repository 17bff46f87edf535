/* SPDX-License-Identifier: MIT */
/* The table of what-ifs as a document, which the report embeds. */
#ifndef AQ_CLI_WHATIF_DOCUMENT_H
#define AQ_CLI_WHATIF_DOCUMENT_H

#include "cli/cli.h"
#include "store/store.h"

/* Whether the command line has a change. */
bool aq_cli_whatif_wanted(const aq_cli *cli);

/* Of the run that the first argument names, whose id goes to *run. The caller
 * frees *out. */
aq_status aq_cli_whatif_document(aq_cli *cli, aq_store *store, int64_t *run,
                                 char **out);

#endif
