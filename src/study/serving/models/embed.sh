#!/bin/sh
# SPDX-License-Identifier: MIT
# Writes the C file that carries the served models: embed.sh FILE.json…
set -e
cat <<'HEAD'
/* Made from the served models by src/study/serving/models/embed.sh. */
#include "config.h"

#include <stddef.h>

#include "study/serving/models.h"

const aq_embedded_model aq_embedded_models[] = {
HEAD
for file in "$@"; do
  printf '    {"%s",\n' "$(basename "$file" .json)"
  sed 's/\\/\\\\/g; s/"/\\"/g; s/^/     "/; s/$/\\n"/' "$file"
  printf '    },\n'
done
printf '    {NULL, NULL},\n};\n'
