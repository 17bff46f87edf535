/* SPDX-License-Identifier: MIT */
/* Repeated runs of two versions, compared: as tables and as a document. */
#ifndef AQ_CLI_VERSIONS_PRINT_H
#define AQ_CLI_VERSIONS_PRINT_H

#include "cli/cli.h"
#include "report/versions.h"

/* The document that --json asks for, else tables. */
aq_status aq_cli_versions_print(aq_cli *cli, const aq_versions *versions);

#endif
