/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/compile/temp_dir.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/atomic_file.h"

enum { CACHE_MAX = 200 }; /* files */

/* ---- files and folders ---- */

char *aq_folder_path(const char *folder, const char *name)
{
  char *path;
  return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

aq_status aq_folder_make(char **out, aq_diag *diag)
{
  const char *above = getenv("TMPDIR");
  char *path =
      aq_folder_path(above && *above ? above : "/tmp", "aqueduct-XXXXXX");
  if (!path)
    return aq_diag_no_memory(diag);
  if (mkdtemp(path)) {
    *out = path;
    return AQ_OK;
  }
  aq_diag_set(diag, AQ_ERR_IO, "%s: %s", path, strerror(errno));
  free(path);
  return AQ_ERR_IO;
}

static int entry_remove(const char *path, const struct stat *info, int type,
                        struct FTW *place)
{
  (void)info, (void)type, (void)place;
  remove(path);
  return 0;
}

void aq_folder_remove(char *path)
{
  enum { OPEN = 8 };
  if (path)
    nftw(path, entry_remove, OPEN, FTW_DEPTH | FTW_PHYS);
  free(path);
}

aq_status aq_folder_ensure(const char *path, aq_diag *diag)
{
  struct stat info;
  if (mkdir(path, 0777) == 0 ||
      (errno == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode)))
    return AQ_OK;
  return aq_diag_set(diag, AQ_ERR_IO, "%s: %s", path, strerror(errno));
}

aq_status aq_file_read(const char *path, char **out, size_t *size,
                       aq_diag *diag)
{
  struct stat info;
  FILE *in = fopen(path, "re");
  if (!in || fstat(fileno(in), &info) != 0 || !S_ISREG(info.st_mode)) {
    const int error = in ? EINVAL : errno;
    if (in)
      fclose(in);
    return aq_diag_set(diag, AQ_ERR_NOT_FOUND, "%s: %s", path, strerror(error));
  }
  char *bytes = malloc((size_t)info.st_size + 1);
  aq_status status = bytes ? AQ_OK : aq_diag_no_memory(diag);
  if (bytes &&
      fread(bytes, 1, (size_t)info.st_size, in) != (size_t)info.st_size)
    status = aq_diag_set(diag, AQ_ERR_IO, "%s: it cannot be read whole", path);
  fclose(in);
  if (status != AQ_OK) {
    free(bytes);
    return status;
  }
  bytes[info.st_size] = 0;
  *out = bytes;
  *size = (size_t)info.st_size;
  return AQ_OK;
}

aq_status aq_file_write(const char *path, const void *bytes, size_t size,
                        aq_diag *diag)
{
  aq_atomic_file part;
  aq_status status = aq_atomic_file_open(&part, path, diag);
  if (status != AQ_OK)
    return status;
  fwrite(bytes, 1, size, part.file);
  return aq_atomic_file_commit(&part, path, diag);
}

/* ---- the cache ---- */

/* FNV-1a, twice with different beginnings: 128 bits in all. */
aq_cache_key aq_cache_key_begin(void)
{
  return (aq_cache_key){
      {UINT64_C(0xcbf29ce484222325), UINT64_C(0x9ae16a3b2f90404f)}};
}

void aq_cache_key_add(aq_cache_key *key, const void *bytes, size_t size)
{
  const unsigned char *at = bytes;
  const uint64_t prime = UINT64_C(0x100000001b3);
  uint64_t a = key->words[0] ^ size, b = key->words[1] + size;
  for (size_t i = 0; i < size; i++) {
    a = (a ^ at[i]) * prime;
    b = (b + at[i]) * prime;
    b ^= b >> 29;
  }
  key->words[0] = a;
  key->words[1] = b;
}

void aq_cache_key_add_file(aq_cache_key *key, const char *path)
{
  struct stat info;
  char *real = realpath(path, NULL);
  aq_cache_key_add(key, path, strlen(path));
  if (real && stat(real, &info) == 0) {
    const int64_t facts[] = {info.st_size, info.st_mtim.tv_sec,
                             info.st_mtim.tv_nsec};
    aq_cache_key_add(key, real, strlen(real));
    aq_cache_key_add(key, facts, sizeof facts);
  }
  free(real);
}

/* The folder, made if it is not there; NULL: there is none. */
static char *cache_folder(void)
{
  const char *own = getenv("AQUEDUCT_CACHE");
  const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  char *above = NULL, *folder = NULL;
  if (own && strcmp(own, "none") == 0)
    return NULL;
  if (own && *own)
    folder = strdup(own);
  else if (xdg && *xdg)
    above = strdup(xdg);
  else if (home && *home)
    above = aq_folder_path(home, ".cache");
  if (above && aq_folder_ensure(above, NULL) == AQ_OK)
    folder = aq_folder_path(above, "aqueduct");
  free(above);
  if (folder && aq_folder_ensure(folder, NULL) == AQ_OK)
    return folder;
  free(folder);
  return NULL;
}

static char *cache_file(const char *folder, const aq_cache_key *key,
                        const char *suffix)
{
  char name[64];
  snprintf(name, sizeof name, "%016" PRIx64 "%016" PRIx64 "%s", key->words[0],
           key->words[1], suffix);
  return aq_folder_path(folder, name);
}

char *aq_cache_path(const aq_cache_key *key, const char *suffix)
{
  char *folder = cache_folder();
  char *path = folder ? cache_file(folder, key, suffix) : NULL;
  free(folder);
  return path;
}

static int is_result(const struct dirent *entry)
{
  return strlen(entry->d_name) > 32 &&
         strspn(entry->d_name, "0123456789abcdef") == 32;
}

/* Removes the file that was written first. */
static void oldest_remove(const char *folder, struct dirent **names, int count)
{
  struct stat info;
  struct timespec when = {0};
  char *oldest = NULL;
  for (int i = 0; i < count; i++) {
    char *path = aq_folder_path(folder, names[i]->d_name);
    const bool there = path && stat(path, &info) == 0;
    if (there && (!oldest || info.st_mtim.tv_sec < when.tv_sec)) {
      free(oldest);
      oldest = path;
      when = info.st_mtim;
    } else {
      free(path);
    }
  }
  if (oldest)
    unlink(oldest);
  free(oldest);
}

void aq_cache_put(const char *path, const void *bytes, size_t size)
{
  struct dirent **names;
  char *folder = strdup(path);
  char *slash = folder ? strrchr(folder, '/') : NULL;
  if (!slash || aq_file_write(path, bytes, size, NULL) != AQ_OK) {
    free(folder);
    return;
  }
  *slash = 0;
  const int count = scandir(folder, &names, is_result, NULL);
  if (count > CACHE_MAX)
    oldest_remove(folder, names, count);
  for (int i = 0; i < count; i++)
    free(names[i]);
  if (count >= 0)
    free(names);
  free(folder);
}
