/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "common/part_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static aq_status part_error(const char *path, int error, aq_diag *diag)
{
  return aq_diag_set(diag, AQ_ERR_IO, "%s: %s", path, strerror(error));
}

aq_status aq_part_open(aq_part_file *part, const char *path, aq_diag *diag)
{
  if ((size_t)snprintf(part->path, sizeof part->path, "%s.XXXXXX", path) >=
      sizeof part->path)
    return aq_diag_set(diag, AQ_ERR_INVALID, "%s: the path is too long", path);
  int fd = mkstemp(part->path);
  if (fd < 0)
    return part_error(path, errno, diag);
  /* mkstemp makes files that only their owner reads. Some file systems have no
   * modes: the file is as good. */
  const mode_t mask = umask(0);
  umask(mask);
  int ignored = fchmod(fd, 0666 & ~mask);
  (void)ignored;
  part->file = fdopen(fd, "wb");
  if (part->file)
    return AQ_OK;
  const int error = errno;
  close(fd);
  unlink(part->path);
  return part_error(path, error, diag);
}

aq_status aq_part_keep(aq_part_file *part, const char *path, aq_diag *diag)
{
  bool good = !ferror(part->file) && fflush(part->file) == 0 &&
              fsync(fileno(part->file)) == 0;
  int error = errno;
  if (fclose(part->file) != 0 && good) {
    good = false;
    error = errno;
  }
  part->file = NULL;
  if (good && rename(part->path, path) == 0)
    return AQ_OK;
  if (good)
    error = errno;
  unlink(part->path);
  return part_error(path, error, diag);
}

void aq_part_drop(aq_part_file *part)
{
  fclose(part->file);
  unlink(part->path);
  part->file = NULL;
}
