#!/bin/sh
# SPDX-License-Identifier: MIT
# Writes the C file that carries the page: embed.sh CSS HTML JS…
set -e

lines() { # NAME FILE…
  printf 'const char *const aq_page_%s[] = {\n' "$1"
  shift
  cat "$@" | sed 's/\\/\\\\/g; s/"/\\"/g; s/^/    "/; s/$/\\n",/'
  printf '    NULL,\n};\n\n'
}

cat <<'HEAD'
/* Made from src/report/page/ by src/report/embed.sh. */
#include "report/page/page_embedded.h"

#include <stddef.h>

HEAD
css=$1 html=$2
shift 2
lines css "$css"
lines html "$html"
lines js "$@"
