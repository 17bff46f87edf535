/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/exec/ended.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/signal_name.h"
#include "gpu/codeobj/line_table.h"

enum { PLACE = 500 };

static const char *base_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* False: no line; `why` has the reason if the lines are damaged. */
static bool line_find(const void *bytes, size_t size, uint64_t address,
                      char out[PLACE], aq_diag *why)
{
  aq_code_lines lines;
  if (aq_code_lines_read(bytes, size, NULL, &lines, why) != AQ_OK)
    return false;
  const aq_code_line *line = aq_code_lines_find(&lines, address);
  const bool found = line && line->line > 0;
  if (found)
    snprintf(out, PLACE, ", called at %.250s:%" PRIu32,
             aq_names_text(&lines.files, line->file), line->line);
  aq_code_lines_fini(&lines);
  return found;
}

/* The call is before the address that it returns to. */
static bool source_find(const aq_spool_call *call, char out[PLACE],
                        aq_diag *why)
{
  struct stat state;
  bool found = false;
  const int fd = open(call->file, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  if (fstat(fd, &state) == 0 && state.st_size > 0) {
    const size_t size = (size_t)state.st_size;
    void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes != MAP_FAILED) {
      found = line_find(bytes, size, call->offset - 1, out, why);
      munmap(bytes, size);
    }
  }
  close(fd);
  return found;
}

static void place_put(const aq_spool_call *call, char out[PLACE])
{
  aq_diag why = AQ_DIAG_INIT;
  *out = 0;
  if (*call->file && !source_find(call, out, &why))
    snprintf(out, PLACE, ", called at %.200s+0x%" PRIx64 "%s%.200s%s",
             base_name(call->file), call->offset - 1,
             *why.text ? " (its lines are not read: " : "", why.text,
             *why.text ? ")" : "");
}

aq_status aq_exec_ended(const char *program, int status,
                        const aq_spool_call *last, aq_diag *diag)
{
  char name[AQ_SIGNAL_NAME], place[PLACE];
  aq_signal_name(WTERMSIG(status), name);
  if (!last)
    return aq_diag_set(diag, AQ_ERR_INPUT, "%.200s: ended by %s", program,
                       name);
  place_put(last, place);
  return aq_diag_set(diag, AQ_ERR_INPUT,
                     "%.200s: ended by %s; its last HSA call, %s%s, had %s",
                     program, name, last->name, place,
                     aq_spool_call_is_inside(last) ? "not returned"
                                                   : "returned");
}
