/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "common/atomic_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static aq_status part_error(const char *path, int error, aq_diag *diag)
{
  return aq_diag_set(diag, AQ_ERR_IO, "%s: %s", path, strerror(error));
}

aq_status aq_atomic_file_open(aq_atomic_file *atomic, const char *path,
                              aq_diag *diag)
{
  if ((size_t)snprintf(atomic->path, sizeof atomic->path, "%s.XXXXXX", path) >=
      sizeof atomic->path)
    return aq_diag_set(diag, AQ_ERR_INVALID, "%s: the path is too long", path);
  int fd = mkstemp(atomic->path);
  if (fd < 0)
    return part_error(path, errno, diag);
  /* mkstemp makes files that only their owner reads. Some file systems have no
   * modes: the file is as good. */
  const mode_t mask = umask(0);
  umask(mask);
  int ignored = fchmod(fd, 0666 & ~mask);
  (void)ignored;
  atomic->file = fdopen(fd, "wb");
  if (atomic->file)
    return AQ_OK;
  const int error = errno;
  close(fd);
  unlink(atomic->path);
  return part_error(path, error, diag);
}

aq_status aq_atomic_file_commit(aq_atomic_file *atomic, const char *path,
                                aq_diag *diag)
{
  bool good = !ferror(atomic->file) && fflush(atomic->file) == 0 &&
              fsync(fileno(atomic->file)) == 0;
  int error = errno;
  if (fclose(atomic->file) != 0 && good) {
    good = false;
    error = errno;
  }
  atomic->file = NULL;
  if (good && rename(atomic->path, path) == 0)
    return AQ_OK;
  if (good)
    error = errno;
  unlink(atomic->path);
  return part_error(path, error, diag);
}

void aq_atomic_file_discard(aq_atomic_file *atomic)
{
  fclose(atomic->file);
  unlink(atomic->path);
  atomic->file = NULL;
}
