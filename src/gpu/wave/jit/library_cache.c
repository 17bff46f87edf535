/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/jit/library_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/array.h"
#include "common/fnv.h"
#include "gpu/compile/temp_dir.h"

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

char *aq_jit_cache_read(const char *path, const char *text, size_t text_size,
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

void aq_jit_cache_write(const char *path, const char *text, size_t text_size,
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

/* ---- the folder ---- */

typedef struct kept_file {
  char name[64];
  struct timespec used;
  uint64_t size;
} kept_file;

static int files_order(const void *a, const void *b)
{
  const struct timespec *x = &((const kept_file *)a)->used,
                        *y = &((const kept_file *)b)->used;
  return x->tv_sec != y->tv_sec
             ? (x->tv_sec > y->tv_sec) * 2 - 1
             : (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

/* Its last use is when it was read, which some mounts do not note, or made. */
static bool file_stat(int folder, const char *name, kept_file *out)
{
  const size_t length = strlen(name);
  struct stat info;
  if (length < 8 || length >= sizeof out->name ||
      strcmp(name + length - 7, ".native") != 0 ||
      fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
      !S_ISREG(info.st_mode))
    return false;
  const bool was_read = info.st_atim.tv_sec > info.st_mtim.tv_sec;
  *out = (kept_file){.used = was_read ? info.st_atim : info.st_mtim,
                     .size = (uint64_t)info.st_size};
  memcpy(out->name, name, length);
  return true;
}

void aq_jit_cache_limit(const char *folder, uint64_t most)
{
  kept_file *files = NULL, file;
  size_t count = 0, capacity = 0;
  uint64_t all = 0;
  DIR *entries = opendir(folder);
  const struct dirent *entry;
  if (!entries)
    return;
  while ((entry = readdir(entries)))
    if (file_stat(dirfd(entries), entry->d_name, &file) &&
        AQ_ARRAY_PUSH(files, count, capacity, file))
      all += file.size;
  if (count > 0)
    qsort(files, count, sizeof *files, files_order);
  for (size_t i = 0; i < count && all > most; i++)
    if (unlinkat(dirfd(entries), files[i].name, 0) == 0)
      all -= files[i].size;
  free(files);
  closedir(entries);
}
