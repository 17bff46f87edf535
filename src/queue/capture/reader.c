/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "queue/capture/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "queue/capture/capture_validate.h"
#include "queue/capture/digest.h"

const char *aq_cap_kind_name(uint32_t kind)
{
  static const char *const names[AQ_CAP_KINDS] = {
#define R(NAME, name, fixed) [AQ_CAP_##NAME] = (name),
#include "queue/capture/records.def"
#undef R
  };
  return kind > 0 && kind < AQ_CAP_KINDS ? names[kind] : NULL;
}

static aq_status header_check(const aq_cap_file *file, aq_diag *diag)
{
  const aq_cap_header *h = (const aq_cap_header *)(const void *)file->bytes;
  const char *name = file->name;
  if (file->size < sizeof *h || h->magic != AQ_CAP_MAGIC)
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s: not a capture", name);
  if (h->order != AQ_CAP_ORDER)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%s: a capture of a machine of the other byte order",
                       name);
  if (h->version != AQ_CAP_VERSION || h->header_size != sizeof *h)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%s: a capture of version %u; %d expected", name,
                       h->version, AQ_CAP_VERSION);
  if (h->checksum != aq_capture_checksum(h, offsetof(aq_cap_header, checksum)))
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%s: its header is damaged (checksum)", name);
  if (h->file_size != file->size)
    return aq_diag_set(
        diag, AQ_ERR_INPUT, "%s: has %llu bytes, its header says %llu", name,
        (unsigned long long)file->size, (unsigned long long)h->file_size);
  if (h->records > (file->size - sizeof *h) / sizeof(aq_cap_head) ||
      h->devices > 64)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%s: its header says %llu records and %u devices, more "
                       "than the file can have",
                       name, (unsigned long long)h->records, h->devices);
  return AQ_OK;
}

static aq_status tables_make(aq_cap_file *file, uint64_t records, aq_diag *diag)
{
  const size_t most = (size_t)records + 1; /* of anything */
  file->records = calloc(most, sizeof *file->records);
  file->memories = calloc(most, sizeof *file->memories);
  file->programs = calloc(most, sizeof *file->programs);
  file->kernels = calloc(most, sizeof *file->kernels);
  file->links = calloc(most, sizeof *file->links);
  if (!file->records || !file->memories || !file->programs || !file->kernels ||
      !file->links)
    return aq_diag_no_memory(diag);
  return AQ_OK;
}

static aq_status record_read(aq_cap_file *file, uint64_t *at, aq_diag *diag)
{
  const uint64_t left = file->size - *at;
  const aq_cap_head *head =
      (const aq_cap_head *)(const void *)(file->bytes + *at);
  const uint32_t number = file->record_count;
  if (left < sizeof *head || head->size > left - sizeof *head ||
      aq_cap_round(head->size) > left - sizeof *head)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%s: record %u ends beyond the end of the file",
                       file->name, number);
  if (head->checksum != aq_capture_checksum(head + 1, head->size))
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%s: record %u is damaged (checksum)", file->name,
                       number);
  aq_status status = aq_cap_record_check(file, number, head, diag);
  if (status != AQ_OK)
    return status;
  file->records[file->record_count++] = head;
  *at += sizeof *head + aq_cap_round(head->size);
  return AQ_OK;
}

static aq_status file_check(aq_cap_file *file, aq_diag *diag)
{
  aq_status status = header_check(file, diag);
  if (status != AQ_OK)
    return status;
  const aq_cap_header *h = (const aq_cap_header *)(const void *)file->bytes;
  file->devices = h->devices;
  uint64_t at = sizeof *h;
  status = tables_make(file, h->records, diag);
  for (uint64_t i = 0; i < h->records && status == AQ_OK; i++)
    status = record_read(file, &at, diag);
  if (status == AQ_OK && at != file->size)
    status =
        aq_diag_set(diag, AQ_ERR_INPUT, "%s: %llu bytes after the last record",
                    file->name, (unsigned long long)(file->size - at));
  return status;
}

aq_status aq_cap_file_parse(const char *name, const void *bytes, size_t size,
                            aq_cap_file **out, aq_diag *diag)
{
  aq_cap_file *file = calloc(1, sizeof *file);
  if (file) {
    file->name = strdup(name);
    file->bytes = malloc(size + 1);
    file->size = size;
  }
  if (!file || !file->name || !file->bytes) {
    aq_cap_file_close(file);
    return aq_diag_no_memory(diag);
  }
  if (size > 0)
    memcpy(file->bytes, bytes, size);
  aq_status status = file_check(file, diag);
  if (status != AQ_OK) {
    aq_cap_file_close(file);
    return status;
  }
  *out = file;
  return AQ_OK;
}

void aq_cap_file_close(aq_cap_file *file)
{
  if (!file)
    return;
  for (uint32_t i = 0; i < file->counts.programs; i++) {
    aq_program_close(file->programs[i].file);
    free(file->programs[i].bytes);
  }
  free(file->links);
  free(file->kernels);
  free(file->programs);
  free(file->memories);
  free(file->records);
  free(file->bytes);
  free(file->name);
  free(file);
}

static aq_status bytes_read(int fd, const char *path, unsigned char **out,
                            size_t *size, aq_diag *diag)
{
  struct stat info;
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s: not a capture", path);
  unsigned char *bytes = malloc((size_t)info.st_size + 1);
  if (!bytes)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "%s: no memory for %lld bytes",
                       path, (long long)info.st_size);
  size_t done = 0;
  while (done < (size_t)info.st_size) {
    const ssize_t got = read(fd, bytes + done, (size_t)info.st_size - done);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0) {
      free(bytes);
      return aq_diag_set(diag, AQ_ERR_IO, "%s: %s", path,
                         got < 0 ? strerror(errno)
                                 : "became shorter while it was read");
    }
    done += (size_t)got;
  }
  *out = bytes;
  *size = done;
  return AQ_OK;
}

aq_status aq_cap_file_open(const char *path, aq_cap_file **out, aq_diag *diag)
{
  unsigned char *bytes = NULL;
  size_t size = 0;
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return aq_diag_set(diag, errno == ENOENT ? AQ_ERR_NOT_FOUND : AQ_ERR_IO,
                       "%s: %s", path, strerror(errno));
  aq_status status = bytes_read(fd, path, &bytes, &size, diag);
  close(fd);
  if (status == AQ_OK)
    status = aq_cap_file_parse(path, bytes, size, out, diag);
  free(bytes);
  return status;
}

bool aq_cap_file_is(const char *path)
{
  uint32_t magic = 0;
  FILE *file = fopen(path, "rb");
  if (!file)
    return false;
  const bool is =
      fread(&magic, sizeof magic, 1, file) == 1 && magic == AQ_CAP_MAGIC;
  fclose(file);
  return is;
}
