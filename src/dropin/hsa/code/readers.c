/* SPDX-License-Identifier: MIT */
/* Readers of code objects. */
#include "config.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dropin/hsa/base/executables.h"

static aqdrop_reader **reader_link(aqdrop *runtime,
                                   hsa_code_object_reader_t handle)
{
  aqdrop_reader **link = &runtime->first_reader;
  while (*link && (uintptr_t)*link != handle.handle)
    link = &(*link)->next;
  return link;
}

const aqdrop_reader *aqdrop_reader_from(aqdrop *runtime,
                                        hsa_code_object_reader_t reader)
{
  pthread_mutex_lock(&runtime->lock);
  const aqdrop_reader *found = *reader_link(runtime, reader);
  pthread_mutex_unlock(&runtime->lock);
  return found;
}

static hsa_status_t reader_keep(aqdrop *runtime, const aqdrop_reader *from,
                                hsa_code_object_reader_t *out)
{
  aqdrop_reader *reader = malloc(sizeof *reader);
  if (!reader) {
    if (from->mapped)
      munmap(from->mapped, from->mapped_size);
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  *reader = *from;
  pthread_mutex_lock(&runtime->lock);
  reader->next = runtime->first_reader;
  runtime->first_reader = reader;
  pthread_mutex_unlock(&runtime->lock);
  out->handle = (uintptr_t)reader;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t aqdrop_reader_open(aqdrop *runtime, int file, size_t offset,
                                size_t size, hsa_code_object_reader_t *out)
{
  struct stat info;
  if (!out)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (file < 0 || fstat(file, &info) != 0 || !S_ISREG(info.st_mode))
    return HSA_STATUS_ERROR_INVALID_FILE;
  size_t whole = (size_t)info.st_size;
  if (offset >= whole || size > whole - offset)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  void *mapped = mmap(NULL, whole, PROT_READ, MAP_PRIVATE, file, 0);
  if (mapped == MAP_FAILED)
    return HSA_STATUS_ERROR_INVALID_FILE;
  aqdrop_reader reader = {.bytes = (const char *)mapped + offset,
                          .size = size ? size : whole - offset,
                          .mapped = mapped,
                          .mapped_size = whole,
                          .file = file};
  return reader_keep(runtime, &reader, out);
}

hsa_status_t
hsa_code_object_reader_create_from_file(int file,
                                        hsa_code_object_reader_t *reader)
{
  AQDROP_ENTER(runtime);
  return aqdrop_reader_open(runtime, file, 0, 0, reader);
}

hsa_status_t
hsa_code_object_reader_create_from_memory(const void *code_object, size_t size,
                                          hsa_code_object_reader_t *reader)
{
  AQDROP_ENTER(runtime);
  aqdrop_reader from = {.bytes = code_object, .size = size, .file = -1};
  if (!code_object || size == 0 || !reader)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return reader_keep(runtime, &from, reader);
}

static void reader_free(aqdrop_reader *reader)
{
  if (reader->mapped)
    munmap(reader->mapped, reader->mapped_size);
  free(reader);
}

hsa_status_t hsa_code_object_reader_destroy(hsa_code_object_reader_t reader)
{
  AQDROP_ENTER(runtime);
  pthread_mutex_lock(&runtime->lock);
  aqdrop_reader **link = reader_link(runtime, reader), *found = *link;
  if (found)
    *link = found->next;
  pthread_mutex_unlock(&runtime->lock);
  if (!found)
    return HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER;
  reader_free(found);
  return HSA_STATUS_SUCCESS;
}

void aqdrop_readers_fini(aqdrop *runtime)
{
  while (runtime->first_reader) {
    aqdrop_reader *reader = runtime->first_reader;
    runtime->first_reader = reader->next;
    reader_free(reader);
  }
}
