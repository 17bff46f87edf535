/* SPDX-License-Identifier: MIT */
#include "dropin/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "dropin/executables.h"
#include "dropin/runtime.h"

enum { KERNARG_MAX = 64 * 1024, KD_LENGTH = 3 };

int aqdrop_capture_open(const char *path, aq_diag *diag)
{
  int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0)
    aq_diag_set(diag, AQ_ERR_IO, "%s: %s", path, strerror(errno));
  return fd;
}

static void hex_put(FILE *to, const char *key, const void *bytes, size_t size)
{
  const unsigned char *at = bytes;
  fprintf(to, ",\"%s\":\"", key);
  for (size_t i = 0; i < size; i++)
    fprintf(to, "%02x", at[i]);
  fputc('"', to);
}

/* Symbols may hold any byte but 0. */
static void text_put(FILE *to, const char *text, size_t length)
{
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)text[i];
    if (c < 0x20 || c == '"' || c == '\\' || c >= 0x7f)
      fprintf(to, "\\u%04x", c);
    else
      fputc(c, to);
  }
}

/* The arguments may lie where nothing is: the kernel copies them. */
static void kernarg_put(FILE *to, uint64_t address, uint32_t size)
{
  char bytes[512], *copy = size > sizeof bytes ? malloc(size) : bytes;
  struct iovec own = {copy, size}, from = {(void *)(uintptr_t)address, size};
  if (copy && process_vm_readv(getpid(), &own, 1, &from, 1, 0) == (ssize_t)size)
    hex_put(to, "kernarg", copy, size);
  if (copy != bytes)
    free(copy);
}

static void kernel_put(FILE *to, const aq_kernel_packet *packet)
{
  aqdrop *runtime = aqdrop_runtime();
  const char *name =
      runtime ? aqdrop_kernel_name(runtime, packet->kernel_object) : NULL;
  if (!name)
    return;
  const aq_kernel_descriptor *descriptor =
      (const void *)(uintptr_t)packet->kernel_object;
  fputs(",\"kernel\":\"", to);
  text_put(to, name, strlen(name) - KD_LENGTH);
  fputc('"', to);
  if (descriptor->kernarg_size > 0 && descriptor->kernarg_size <= KERNARG_MAX)
    kernarg_put(to, packet->kernarg_address, descriptor->kernarg_size);
}

static void line_put(FILE *to, uint32_t queue, uint64_t id,
                     const aq_packet *packet)
{
  fprintf(to, "{\"pid\":%ld,\"queue\":%" PRIu32 ",\"packet\":%" PRIu64,
          (long)getpid(), queue, id);
  fprintf(to, ",\"type\":%u", aq_header_type(packet->header));
  hex_put(to, "bytes", packet, sizeof *packet);
  if (aq_header_type(packet->header) == AQ_PACKET_KERNEL_DISPATCH)
    kernel_put(to, &packet->kernel);
  fputs("}\n", to);
}

bool aqdrop_capture_packet(int fd, uint32_t queue, uint64_t id,
                           const aq_packet *packet)
{
  char *text = NULL;
  size_t size = 0;
  FILE *to = open_memstream(&text, &size);
  if (to)
    line_put(to, queue, id, packet);
  bool written =
      to && fclose(to) == 0 && write(fd, text, size) == (ssize_t)size;
  free(text);
  if (!written)
    fprintf(stderr,
            "aqueduct: the capture ends at packet %" PRIu64 " of queue %" PRIu32
            ": it cannot be written\n",
            id, queue);
  return written;
}
