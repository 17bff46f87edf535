/* SPDX-License-Identifier: MIT */
/* What all calls need: lines for people, and a look at the client's memory. */
#include "config.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "backend_sim/engine/page_probe.h"
#include "dropin/kfd/kfd_priv.h"

enum { LINE = 512 };

void aqkfd_line(const aqkfd *driver, const char *format, ...)
{
  char text[LINE];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  if (driver->options.line)
    driver->options.line(text, driver->options.user);
  else
    fprintf(stderr, "aqueduct: %s\n", text);
}

bool aqkfd_reaches(uint64_t address, uint64_t size, bool write)
{
  uint64_t unmapped;
  return size == 0 || !aqsim_memory_unmapped(write ? AQSIM_WRITE : AQSIM_READ,
                                             address, size, &unmapped);
}

/* A line of /proc/self/maps. */
typedef struct area {
  uint64_t first, end, offset, inode;
  dev_t device;
  bool usable; /* read, written and shared */
} area;

static bool area_read(const char *line, area *out)
{
  char rights[8] = "";
  unsigned major, minor;
  if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %x:%x %" SCNu64,
             &out->first, &out->end, rights, &out->offset, &major, &minor,
             &out->inode) != 7)
    return false;
  out->device = makedev(major, minor);
  out->usable = rights[0] == 'r' && rights[1] == 'w' && rights[3] == 's';
  return true;
}

/* How much of [address, end) is mapped from its begin on: where that ends. */
static uint64_t areas_follow(FILE *maps, const struct stat *file,
                             uint64_t address, uint64_t end, uint64_t offset)
{
  char *line = NULL;
  size_t room = 0;
  uint64_t at = address;
  while (at < end && getline(&line, &room, maps) > 0) {
    area a;
    if (!area_read(line, &a) || a.end <= at)
      continue;
    if (a.first > at || !a.usable || a.inode != file->st_ino ||
        a.device != file->st_dev ||
        a.offset + (at - a.first) != offset + (at - address))
      break;
    at = a.end;
  }
  free(line);
  return at;
}

bool aqkfd_client_maps(int file, uint64_t address, uint64_t size,
                       uint64_t offset)
{
  struct stat ours;
  /* Asked of the first byte at once: most memory is mapped or not at all. */
  if (!aqkfd_reaches(address, 1, true) || fstat(file, &ours) != 0)
    return false;
  /* By the system's call: the door of fopen waits for the dynamic loader, and
   * a library's constructor may wait for the process. */
  const int opened = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/maps",
                                  O_RDONLY | O_CLOEXEC);
  FILE *maps = opened < 0 ? NULL : fdopen(opened, "r");
  if (!maps) {
    if (opened >= 0)
      close(opened);
    return false;
  }
  const uint64_t end = address + size;
  const bool all = areas_follow(maps, &ours, address, end, offset) >= end;
  fclose(maps);
  return all;
}
