/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/codeobj/code_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu/codeobj/elf.h"
#include "gpu/codeobj/kernel_text.h"

/* Maps a regular file; NULL sets errno. */
static const unsigned char *file_map(const char *path, size_t *size)
{
  struct stat info = {0};
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return NULL;
  void *bytes = MAP_FAILED;
  if (fstat(fd, &info) == 0) {
    if (S_ISREG(info.st_mode) && info.st_size > 0)
      bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    else
      errno = EINVAL;
  }
  close(fd);
  *size = (size_t)info.st_size;
  return bytes == MAP_FAILED ? NULL : bytes;
}

bool aq_code_file_is(const char *path)
{
  size_t size;
  const unsigned char *bytes = file_map(path, &size);
  if (!bytes)
    return false;
  const bool is = aq_codeobj_is(bytes, size) || aq_bundles_are(bytes, size);
  munmap((void *)(uintptr_t)bytes, size);
  return is;
}

char *aq_code_file_loader(const char *path)
{
  size_t size;
  aq_elf elf;
  Elf64_Phdr segment;
  char *loader = NULL;
  const unsigned char *bytes = file_map(path, &size);
  if (!bytes)
    return NULL;
  if (aq_elf_open(bytes, size, &elf))
    for (uint64_t i = 0; !loader && aq_elf_segment(&elf, i, &segment); i++)
      if (segment.p_type == PT_INTERP &&
          aq_elf_has(&elf, segment.p_offset, segment.p_filesz))
        loader =
            strndup((const char *)bytes + segment.p_offset, segment.p_filesz);
  munmap((void *)(uintptr_t)bytes, size);
  return loader;
}

/* Puts the file before the error. */
static aq_status say_file(const char *path, aq_status status, aq_diag *diag)
{
  const aq_diag inner = *diag;
  return aq_diag_set(diag, status, "%s: %s", path, inner.text);
}

static aq_status bundles_read(aq_code_file *out, aq_diag *diag)
{
  if (aq_codeobj_is(out->bytes, out->size))
    return AQ_OK;
  if (!aq_bundles_are(out->bytes, out->size))
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "neither a code object, an offload bundle nor an "
                       "executable or library with code for GPUs "
                       "(.hip_fatbin, .llvm.offloading, GCC's offload images)");
  return aq_bundles_read(out->bytes, out->size, &out->bundles, diag);
}

aq_status aq_code_file_open(const char *path, aq_code_file *out, aq_diag *diag)
{
  aq_code_file file = {.path = path};
  file.bytes = file_map(path, &file.size);
  if (!file.bytes)
    return aq_diag_set(diag, AQ_ERR_NOT_FOUND, "%s: %s", path, strerror(errno));
  aq_status status = bundles_read(&file, diag);
  if (status == AQ_OK) {
    *out = file;
    return AQ_OK;
  }
  aq_code_file_close(&file);
  return say_file(path, status, diag);
}

void aq_code_file_close(aq_code_file *file)
{
  aq_bundles_fini(&file->bundles);
  if (file->bytes)
    munmap((void *)(uintptr_t)file->bytes, file->size);
  *file = (aq_code_file){0};
}

static bool has_kernel(const aq_bundle_entry *entry, const char *kernel)
{
  aq_codeobj code;
  if (!kernel)
    return true;
  if (aq_codeobj_read_to(entry->bytes, entry->size, AQ_CODEOBJ_DESCRIPTORS,
                         &code, NULL) != AQ_OK)
    return false;
  size_t count;
  aq_codeobj_kernel_named(&code, kernel, &count);
  aq_codeobj_fini(&code);
  return count > 0;
}

static const aq_bundle_entry *entry_find(const aq_code_file *file,
                                         const aq_target *device,
                                         const char *kernel)
{
  const aq_bundle_entry *first = NULL;
  for (size_t i = 0; i < file->bundles.count; i++) {
    const aq_bundle_entry *entry =
        aq_bundle_find(&file->bundles.list[i], device);
    if (entry && has_kernel(entry, kernel))
      return entry;
    first = first ? first : entry;
  }
  return first;
}

/* The code that fits a device; of bundles one entry, else the whole file. */
static bool code_find(const aq_code_file *file, const aq_target *device,
                      const char *kernel, const void **bytes, size_t *size)
{
  aq_codeobj code;
  *bytes = file->bytes;
  *size = file->size;
  if (file->bundles.count > 0) {
    const aq_bundle_entry *entry = entry_find(file, device, kernel);
    if (entry) {
      *bytes = entry->bytes;
      *size = entry->size;
    }
    return entry != NULL;
  }
  if (aq_codeobj_read_to(file->bytes, file->size, AQ_CODEOBJ_DESCRIPTORS, &code,
                         NULL) != AQ_OK)
    return true; /* reading it for use reports the error */
  const bool fits = aq_target_fits(&code.target, device) != AQ_FIT_NONE;
  aq_codeobj_fini(&code);
  return fits;
}

bool aq_code_file_fits(const aq_code_file *file, const char *gfx)
{
  aq_target device;
  const void *bytes;
  size_t size;
  return aq_target_parse(gfx, strlen(gfx), &device, NULL) == AQ_OK &&
         code_find(file, &device, NULL, &bytes, &size);
}

void aq_code_file_targets(const aq_code_file *file, char *to, size_t size)
{
  aq_codeobj code;
  char target[AQ_TARGET_TEXT_SIZE];
  to[0] = 0;
  for (size_t i = 0; file->bundles.count > 0 && i < file->bundles.list->count;
       i++) {
    const size_t used = strlen(to);
    char id[80];
    snprintf(to + used, size - used, "%s%s", i ? ", " : "",
             aq_code_text(file->bundles.list->entries[i].id, id, sizeof id));
  }
  if (file->bundles.count == 0 &&
      aq_codeobj_read_to(file->bytes, file->size, AQ_CODEOBJ_DESCRIPTORS, &code,
                         NULL) == AQ_OK) {
    aq_target_print(&code.target, target);
    snprintf(to, size, "%s", target);
    aq_codeobj_fini(&code);
  }
}

aq_status aq_code_file_find(const aq_code_file *file, const char *gfx,
                            const char *kernel, const void **bytes,
                            size_t *size, aq_diag *diag)
{
  aq_target device;
  char known[400];
  aq_status status = aq_target_parse(gfx, strlen(gfx), &device, diag);
  if (status != AQ_OK || code_find(file, &device, kernel, bytes, size))
    return status;
  aq_code_file_targets(file, known, sizeof known);
  return aq_diag_set(diag, AQ_ERR_INPUT, "%s: it has no code for %s; it has %s",
                     file->path, gfx, known);
}

aq_status aq_code_file_read(const aq_code_file *file, const void *bytes,
                            size_t size, aq_codeobj *out, aq_diag *diag)
{
  aq_status status = aq_codeobj_read(bytes, size, out, diag);
  return status == AQ_OK ? AQ_OK : say_file(file->path, status, diag);
}
