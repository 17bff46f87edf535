/* SPDX-License-Identifier: MIT */
/*
 * Colour, only on a terminal and never with NO_COLOR set (no-color.org).
 */
#ifndef AQ_CLI_COMMANDS_COLOR_H
#define AQ_CLI_COMMANDS_COLOR_H

#include <stdio.h>

typedef enum aq_cli_color_id {
  AQ_CLI_COLOR_NONE, /* back to normal */
  AQ_CLI_COLOR_GOOD,
  AQ_CLI_COLOR_WARN,
  AQ_CLI_COLOR_BAD,
} aq_cli_color_id;

/* The escape sequence for a stream, "" where it shows none. */
const char *aq_cli_color(FILE *stream, aq_cli_color_id colour);

#endif
