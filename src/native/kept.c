/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "native/kept.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fnv.h"
#include "toolchain/folder.h"

enum { KEPT_MAX = 64 << 20 };

typedef struct kept_end {
  char magic[16];
  uint64_t size, text_size, digest;
} kept_end;

static const char magic[16] = "aqueduct-native";

static uint64_t digest_of(const char *bytes, size_t size)
{
  return aq_fnv_add(AQ_FNV_START, bytes, size);
}

/* All bytes of a plain file of this user that no other user may write. */
static char *file_take(const char *path, size_t *size)
{
  struct stat info;
  char *bytes = NULL;
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0)
    return NULL;
  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
      info.st_uid == geteuid() && !(info.st_mode & (S_IWGRP | S_IWOTH)) &&
      info.st_size > (off_t)sizeof(kept_end) && info.st_size <= KEPT_MAX)
    bytes = malloc((size_t)info.st_size);
  *size = bytes ? (size_t)info.st_size : 0;
  size_t done = 0;
  while (bytes && done < *size) {
    const ssize_t n = read(fd, bytes + done, *size - done);
    if (n <= 0) {
      free(bytes);
      bytes = NULL;
      break;
    }
    done += (size_t)n;
  }
  close(fd);
  return bytes;
}

char *aq_native_kept_read(const char *path, const char *text, size_t text_size,
                          size_t *size)
{
  size_t whole;
  kept_end end;
  char *bytes = file_take(path, &whole);
  if (!bytes)
    return NULL;
  const size_t body = whole - sizeof end;
  memcpy(&end, bytes + body, sizeof end);
  const bool ok = memcmp(end.magic, magic, sizeof magic) == 0 &&
                  end.text_size == text_size && end.size <= body &&
                  end.size + end.text_size == body &&
                  end.digest == digest_of(bytes, body) &&
                  memcmp(bytes + end.size, text, text_size) == 0;
  if (ok) {
    *size = (size_t)end.size;
    return bytes;
  }
  free(bytes);
  return NULL;
}

void aq_native_kept_write(const char *path, const char *text, size_t text_size,
                          const char *bytes, size_t size)
{
  const size_t body = size + text_size;
  kept_end end = {.size = size, .text_size = text_size};
  char *all = malloc(body + sizeof end);
  if (!all)
    return;
  memcpy(all, bytes, size);
  memcpy(all + size, text, text_size);
  memcpy(end.magic, magic, sizeof magic);
  end.digest = digest_of(all, body);
  memcpy(all + body, &end, sizeof end);
  aq_cache_put(path, all, body + sizeof end);
  free(all);
}
