/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/commands/color.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *aq_cli_color(FILE *stream, aq_cli_color_id colour)
{
  static const char *const sequences[] = {
      [AQ_CLI_COLOR_NONE] = "\033[0m",
      [AQ_CLI_COLOR_GOOD] = "\033[32m",
      [AQ_CLI_COLOR_WARN] = "\033[33m",
      [AQ_CLI_COLOR_BAD] = "\033[31m",
  };
  const char *off = getenv("NO_COLOR"), *term = getenv("TERM");
  if ((off && *off) || !term || strcmp(term, "dumb") == 0 ||
      !isatty(fileno(stream)))
    return "";
  return sequences[colour];
}
