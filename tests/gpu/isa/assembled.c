/* SPDX-License-Identifier: MIT */
#include "assembled.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/aqtest.h"

enum { PATH = 512 };

static void source_write(const assembled *of, const char *path)
{
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  for (size_t i = 0; i < of->count; i++)
    fprintf(file, ".p2align 4\n%s\n", of->refused[i] ? "s_nop 0" : of->text[i]);
  ck_assert_int_eq(fclose(file), 0);
}

static size_t refusals_read(assembled *of, const char *path)
{
  char line[1024];
  size_t count = 0;
  FILE *file = fopen(path, "r");
  ck_assert_ptr_nonnull(file);
  while (fgets(line, sizeof line, file)) {
    const char *at = strstr(line, "trip.s:");
    const unsigned long number = at ? strtoul(at + 7, NULL, 10) : 0;
    const size_t i = number / 2 - 1; /* two lines an instruction */
    if (number < 2 || i >= of->count || !strstr(line, "error:") ||
        of->refused[i])
      continue;
    of->refused[i] = true;
    count++;
  }
  fclose(file);
  return count;
}

size_t assembled_make(assembled *of, const char *gfx, const char *object)
{
  char source[PATH], errors[PATH], command[4 * PATH];
  size_t refused = 0;
  snprintf(source, sizeof source, "%s/trip.s", aqtest_tmpdir());
  snprintf(errors, sizeof errors, "%s/trip.err", aqtest_tmpdir());
  snprintf(command, sizeof command,
           "llvm-mc-22 -triple=amdgcn-amd-amdhsa -mcpu=%s -filetype=obj -o %s "
           "%s 2> %s",
           gfx, object, source, errors);
  source_write(of, source);
  while (system(command) != 0) { /* NOLINT: paths of ours */
    const size_t more = refusals_read(of, errors);
    ck_assert_uint_gt(more, 0);
    refused += more;
    source_write(of, source);
  }
  return refused;
}
