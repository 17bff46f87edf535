#!/bin/sh
# SPDX-License-Identifier: MIT
# Writes the C file that carries the device models: embed.sh FILE.device…
set -e
cat <<'HEAD'
/* Made from the device models by src/backend_sim/model/embed.sh. */
#include "config.h"

#include "backend_sim/model/device_model.h"

HEAD
for file in "$@"; do
  name=$(basename "$file" .device)
  printf 'static const char *const lines_%s[] = {\n' \
    "$(printf '%s' "$name" | tr -c 'A-Za-z0-9' '_')"
  sed 's/\\/\\\\/g; s/"/\\"/g; s/^/    "/; s/$/\\n",/' "$file"
  printf '    NULL,\n};\n\n'
done
echo 'const aqsim_embedded aqsim_embedded_models[] = {'
for file in "$@"; do
  name=$(basename "$file" .device)
  printf '    {"%s", lines_%s},\n' "$name" \
    "$(printf '%s' "$name" | tr -c 'A-Za-z0-9' '_')"
done
printf '    {NULL, NULL},\n};\n'
