/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cmdbuf/program_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmdbuf/validate.h"
#include "common/atomic_file.h"

struct aq_program_file {
  void *map; /* NULL: the bytes are the caller's */
  size_t map_size;
  const char **names;
  const aq_block **blocks;
};

/* ---- writing ---- */

static size_t names_size(const aq_program *program)
{
  size_t size = 0;
  for (uint32_t i = 0; i < program->kernel_count; i++)
    size += strlen(program->kernel_names[i]) + 1;
  return size;
}

static bool put(FILE *file, const void *bytes, size_t size)
{
  return size == 0 || fwrite(bytes, size, 1, file) == 1;
}

static bool tables_put(FILE *file, const aq_program *program)
{
  const aq_program_header header = {
      .magic = AQ_PROGRAM_MAGIC,
      .version = AQ_PROGRAM_VERSION,
      .header_size = sizeof header,
      .flags = program->flags,
      .block_size = program->block_size,
      .block_count = program->block_count,
      .kernel_count = program->kernel_count,
      .slot_count = program->slot_count,
      .static_count = program->static_count,
      .names_size = (uint32_t)names_size(program),
      .kernarg_max = program->kernarg_max,
      .commands = program->commands,
      .packets = program->packets,
      .kernarg_size = program->kernarg_size,
  };
  bool good = put(file, &header, sizeof header) &&
              put(file, program->slot_sizes, program->slot_count * 8u) &&
              put(file, program->static_sizes, program->static_count * 8u);
  for (uint32_t i = 0; i < program->kernel_count && good; i++)
    good = put(file, program->kernel_names[i],
               strlen(program->kernel_names[i]) + 1);
  return good;
}

static bool blocks_put(FILE *file, const aq_program *program)
{
  static const char zero[AQ_PROGRAM_PAGE];
  const long at = ftell(file);
  bool good = at >= 0 && put(file, zero,
                             (AQ_PROGRAM_PAGE - (size_t)at % AQ_PROGRAM_PAGE) %
                                 AQ_PROGRAM_PAGE);
  for (uint32_t i = 0; i < program->block_count && good; i++)
    good = put(file, program->blocks[i], program->block_size);
  return good;
}

bool aq_program_write(const aq_program *program, FILE *file)
{
  return names_size(program) <= UINT32_MAX / 2 && tables_put(file, program) &&
         blocks_put(file, program);
}

aq_status aq_program_save(const aq_program *program, const char *path,
                          aq_diag *diag)
{
  aq_atomic_file part;
  struct stat info;
  if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
    return aq_diag_set(diag, AQ_ERR_INVALID, "%s: not a regular file", path);
  if (names_size(program) > UINT32_MAX / 2)
    return aq_diag_set(diag, AQ_ERR_INVALID, "%s: names of 2 GB", path);
  aq_status status = aq_atomic_file_open(&part, path, diag);
  if (status != AQ_OK)
    return status;
  if (aq_program_write(program, part.file))
    return aq_atomic_file_commit(&part, path, diag);
  const int error = errno;
  aq_atomic_file_discard(&part);
  return aq_diag_set(diag, AQ_ERR_IO, "%s: %s", path, strerror(error));
}

/* ---- reading ---- */

static aq_status header_check(const char *name, const aq_program_header *header,
                              size_t size, aq_diag *diag)
{
  if (size < sizeof *header || header->magic != AQ_PROGRAM_MAGIC)
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s: not a program", name);
  if (header->version != AQ_PROGRAM_VERSION ||
      header->header_size != sizeof *header)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%s: a program of version %u; %d expected", name,
                       header->version, AQ_PROGRAM_VERSION);
  const uint32_t block = header->block_size;
  if (block < AQ_BLOCK_SIZE_MIN || block > AQ_BLOCK_SIZE_MAX ||
      (block & (block - 1)) != 0)
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s: blocks of %u bytes", name,
                       block);
  if (header->flags & ~(uint32_t)AQ_PROGRAM_FLAGS)
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s: flags 0x%x", name,
                       header->flags);
  if (header->slot_count > AQ_REF_ORDINALS ||
      header->static_count > AQ_REF_ORDINALS)
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s: more than %d buffers", name,
                       AQ_REF_ORDINALS);
  return AQ_OK;
}

/* Where the parts of a file lie. */
typedef struct layout {
  uint64_t slots, statics, names, blocks, end;
} layout;

static layout layout_of(const aq_program_header *header)
{
  layout l = {.slots = sizeof *header};
  l.statics = l.slots + header->slot_count * UINT64_C(8);
  l.names = l.statics + header->static_count * UINT64_C(8);
  l.blocks = (l.names + header->names_size + AQ_PROGRAM_PAGE - 1) &
             ~(uint64_t)(AQ_PROGRAM_PAGE - 1);
  l.end = l.blocks + (uint64_t)header->block_count * header->block_size;
  return l;
}

static aq_status tables_find(const char *name, aq_program_file *file,
                             const aq_program_header *header,
                             const unsigned char *bytes, aq_diag *diag)
{
  const layout l = layout_of(header);
  if (header->kernel_count > header->names_size)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%s: %u kernels with %u bytes of "
                       "names",
                       name, header->kernel_count, header->names_size);
  file->names = calloc(header->kernel_count + 1u, sizeof *file->names);
  file->blocks = calloc(header->block_count + 1u, sizeof(*file->blocks));
  if (!file->names || !file->blocks)
    return aq_diag_no_memory(diag);
  for (uint32_t i = 0; i < header->block_count; i++)
    file->blocks[i] =
        (const aq_block *)(bytes + l.blocks + (uint64_t)i * header->block_size);
  const char *names = (const char *)bytes + l.names;
  const char *at = names, *end = names + header->names_size;
  for (uint32_t i = 0; i < header->kernel_count; i++) {
    const char *stop = at < end ? memchr(at, 0, (size_t)(end - at)) : NULL;
    if (!stop)
      return aq_diag_set(diag, AQ_ERR_INPUT,
                         "%s: no name of kernel %u; there are to be %u", name,
                         i, header->kernel_count);
    file->names[i] = at;
    at = stop + 1;
  }
  return AQ_OK;
}

static aq_status program_read(const char *name, const unsigned char *bytes,
                              size_t size, aq_program_file *file,
                              aq_program *out, aq_diag *diag)
{
  const aq_program_header *header = (const aq_program_header *)bytes;
  aq_status status = header_check(name, header, size, diag);
  if (status != AQ_OK)
    return status;
  const layout l = layout_of(header);
  if (l.end != size)
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s: %zu bytes; %llu expected", name,
                       size, (unsigned long long)l.end);
  status = tables_find(name, file, header, bytes, diag);
  if (status != AQ_OK)
    return status;
  const aq_program program = {
      .blocks = file->blocks,
      .block_count = header->block_count,
      .block_size = header->block_size,
      .flags = header->flags,
      .kernel_count = header->kernel_count,
      .slot_count = header->slot_count,
      .static_count = header->static_count,
      .kernel_names = file->names,
      .slot_sizes = (const uint64_t *)(bytes + l.slots),
      .static_sizes = (const uint64_t *)(bytes + l.statics),
      .kernarg_max = header->kernarg_max,
      .commands = header->commands,
      .packets = header->packets,
      .kernarg_size = header->kernarg_size,
  };
  status = aq_program_validate(&program, diag);
  if (status != AQ_OK) {
    aq_diag_prefix(diag, "%s", name);
    return status;
  }
  *out = program;
  return AQ_OK;
}

aq_status aq_program_parse(const char *name, const void *bytes, size_t size,
                           aq_program_file **file, aq_program *out,
                           aq_diag *diag)
{
  aq_program_file *own = calloc(1, sizeof *own);
  if (!own)
    return aq_diag_no_memory(diag);
  aq_status status = program_read(name, bytes, size, own, out, diag);
  if (status != AQ_OK) {
    aq_program_close(own);
    return status;
  }
  *file = own;
  return AQ_OK;
}

static aq_status file_map(const char *path, void **map, size_t *size,
                          aq_diag *diag)
{
  struct stat info;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return aq_diag_set(diag, errno == ENOENT ? AQ_ERR_NOT_FOUND : AQ_ERR_IO,
                       "%s: %s", path, strerror(errno));
  aq_status status = AQ_OK;
  if (fstat(fd, &info) != 0)
    status = aq_diag_set(diag, AQ_ERR_IO, "%s: %s", path, strerror(errno));
  else if (!S_ISREG(info.st_mode) || info.st_size == 0)
    status = aq_diag_set(diag, AQ_ERR_INPUT, "%s: not a program", path);
  if (status == AQ_OK) {
    *size = (size_t)info.st_size;
    *map = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (*map == MAP_FAILED)
      status = aq_diag_set(diag, AQ_ERR_IO, "%s: %s", path, strerror(errno));
  }
  close(fd);
  return status;
}

aq_status aq_program_open(const char *path, aq_program_file **file,
                          aq_program *out, aq_diag *diag)
{
  void *map = NULL;
  size_t size = 0;
  aq_status status = file_map(path, &map, &size, diag);
  if (status != AQ_OK)
    return status;
  status = aq_program_parse(path, map, size, file, out, diag);
  if (status != AQ_OK) {
    munmap(map, size);
    return status;
  }
  (*file)->map = map;
  (*file)->map_size = size;
  return AQ_OK;
}

void aq_program_close(aq_program_file *file)
{
  if (!file)
    return;
  if (file->map)
    munmap(file->map, file->map_size);
  free(file->blocks);
  free(file->names);
  free(file);
}
