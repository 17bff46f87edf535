/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/exec/missing_kernels.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/spool.h"
#include "gpu/codeobj/kernel_text.h"

static void line_note(const char *line, void *user)
{
  aq_note(user, "%s", line);
}

/* The name, a zero byte, and the code object. */
static void bytes_report(const char *bytes, size_t size, const aq_notes *notes)
{
  const char *end = memchr(bytes, 0, size);
  aq_codeobj codeobj;
  aq_diag diag = AQ_DIAG_INIT;
  if (!end || aq_codeobj_read(end + 1, size - (size_t)(end + 1 - bytes),
                              &codeobj, &diag) != AQ_OK)
    return;
  const aq_code_kernel *kernel = aq_codeobj_kernel(&codeobj, bytes);
  if (kernel && kernel->has_metadata)
    aq_code_kernel_print(kernel, line_note, (void *)(uintptr_t)notes);
  aq_codeobj_fini(&codeobj);
}

static void file_report(const char *path, const aq_notes *notes)
{
  struct stat state;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return;
  if (fstat(fd, &state) == 0 && state.st_size > 0) {
    size_t size = (size_t)state.st_size;
    void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes != MAP_FAILED) {
      bytes_report(bytes, size, notes);
      munmap(bytes, size);
    }
  }
  close(fd);
}

static int is_missing(const struct dirent *entry)
{
  const size_t suffix = sizeof AQ_SPOOL_MISSING - 1;
  const size_t length = strlen(entry->d_name);
  return length > suffix &&
         strcmp(entry->d_name + length - suffix, AQ_SPOOL_MISSING) == 0;
}

void aq_missing_kernels_report(const char *folder, const aq_notes *notes)
{
  struct dirent **names;
  char *path;
  int count = scandir(folder, &names, is_missing, alphasort);
  for (int i = 0; i < count; i++) {
    if (asprintf(&path, "%s/%s", folder, names[i]->d_name) >= 0) {
      file_report(path, notes);
      unlink(path);
      free(path);
    }
    free(names[i]);
  }
  if (count >= 0)
    free(names);
}
