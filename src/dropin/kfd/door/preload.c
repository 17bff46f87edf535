/* SPDX-License-Identifier: MIT */
/*
 * The door for unchanged libraries of AMD: /dev/kfd, the render nodes and the
 * files that describe devices, under the names of libc that shim.c overrides.
 *
 * A descriptor is the driver's when it is one of the process's file, which
 * survives duplicates. Where a description of it stands says which node it is:
 * at 0 /dev/kfd, behind AQKFD_NODES the render node of a device. No thread
 * reads it, so it stays there. Mapping it needs no help but for memory of
 * another process, whose file the driver knows.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dropin/hsa/init/shim.h"
#include "dropin/kfd/door/machine.h"
#include "dropin/kfd/topology.h"

/* The machine's library, once it is loaded; atomic. */
static const aqkfd_machine *loaded;

/* The folder in which exec has laid out these places. */
static const char *folder_get(void)
{
  const char *folder = secure_getenv("AQUEDUCT_DRIVER_FILES");
  return folder && *folder ? folder : NULL;
}

/* The device of a render node's path, or -1. */
static int render_node(const char *path)
{
  static const char prefix[] = "/dev/dri/renderD";
  char *end;
  if (strncmp(path, prefix, sizeof prefix - 1) != 0)
    return -1;
  const long minor = strtol(path + sizeof prefix - 1, &end, 10);
  const int device = (int)minor - AQKFD_RENDER_FIRST;
  return *end || device < 0 || device >= AQSIM_DEVICES_MAX ? -1 : device;
}

/* The caches of a processor, where exec has laid some out because the host does
 * not report its own. */
static bool cache_path(const char *path, const char *folder,
                       char room[PATH_MAX])
{
  static const char prefix[] = "/sys/devices/system/", name[] = "/cache";
  if (strncmp(path, prefix, sizeof prefix - 1) != 0)
    return false;
  const char *at = strstr(path, name);
  const char *rest = at ? at + sizeof name - 1 : NULL;
  return rest && (*rest == '/' || !*rest) &&
         snprintf(room, PATH_MAX, "%s%s%s", folder, name, rest) < PATH_MAX &&
         access(room, F_OK) == 0;
}

const char *aqshim_path(const char *path, char room[PATH_MAX])
{
  static const struct {
    const char *path, *ours;
  } places[] = {{"/sys/devices/virtual/kfd", "kfd"},
                {"/sys/class/kfd", "kfd"},
                {"/dev/dri", "dri"}};
  const char *folder = folder_get();
  if (strcmp(path, "/dev/kfd") == 0)
    return "/dev/null";
  for (size_t i = 0; folder && i < sizeof places / sizeof *places; i++) {
    const size_t length = strlen(places[i].path);
    if (strncmp(path, places[i].path, length) == 0 &&
        (path[length] == '/' || !path[length]) &&
        snprintf(room, PATH_MAX, "%s/%s%s", folder, places[i].ours,
                 path + length) < PATH_MAX)
      return room;
  }
  return folder && cache_path(path, folder, room) ? room : path;
}

static const aqkfd_machine *machine_get(void)
{
  return __atomic_load_n(&loaded, __ATOMIC_ACQUIRE);
}

/* Beside this library; NULL: it is not there, which was printed. */
static const aqkfd_machine *machine_load(void)
{
  static const char name[] = "libaqueduct-machine.so";
  char path[PATH_MAX];
  Dl_info own;
  if (machine_get() || !dladdr((void *)(uintptr_t)machine_load, &own))
    return machine_get();
  const char *slash = strrchr(own.dli_fname, '/');
  const int folder = slash ? (int)(slash + 1 - own.dli_fname) : 0;
  snprintf(path, sizeof path, "%.*s%s", folder, own.dli_fname, name);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const aqkfd_machine *found =
      library ? dlsym(library, "aqueduct_machine") : NULL;
  if (!found || found->size != sizeof *found) {
    fprintf(stderr, "aqueduct: /dev/kfd: %s; expected it beside %s\n",
            library ? "another version of the machine" : dlerror(),
            own.dli_fname);
    return NULL;
  }
  __atomic_store_n(&loaded, found, __ATOMIC_RELEASE);
  return found;
}

/* A thread must not be cancelled while it has the driver's locks. aqkfd_ioctl
 * disables that itself. */
static int uncancelled(void)
{
  int before;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  return before;
}

static void cancelled(int before)
{
  pthread_setcancelstate(before, &before);
}

static int file_open(off_t at, int flags)
{
  const aqkfd_machine *machine = machine_load();
  if (!machine) {
    errno = ENODEV;
    return -1;
  }
  const int before = uncancelled();
  const int fd = machine->open(at, flags);
  cancelled(before);
  return fd;
}

bool aqshim_open(const char *path, int flags, int *fd)
{
  const int device = render_node(path);
  struct stat node;
  char room[PATH_MAX];
  if (flags & O_PATH)
    return false;
  if (strcmp(path, "/dev/kfd") == 0) {
    *fd = file_open(0, flags);
    return true;
  }
  /* A node that is not there is an error of the file system. */
  if (device < 0 || stat(aqshim_path(path, room), &node) != 0)
    return false;
  *fd = file_open(AQKFD_NODES + device, flags);
  return true;
}

bool aqshim_ioctl(int fd, unsigned long request, void *argument, int *result)
{
  const aqkfd_machine *machine = machine_get();
  aqkfd_process *process = machine ? machine->known() : NULL;
  const off_t at = process ? machine->stands(process, fd) : -1;
  if (at < 0)
    return false;
  const int error =
      at >= AQKFD_NODES
          ? machine->render_ioctl(process, (uint32_t)(at - AQKFD_NODES),
                                  request, argument)
          : machine->ioctl(process, request, argument);
  *result = error ? -1 : 0;
  if (error)
    errno = -error;
  return true;
}

bool aqshim_mapping(int fd, size_t size, int *file, off_t *offset)
{
  const aqkfd_machine *machine = machine_get();
  aqkfd_process *process = machine ? machine->known() : NULL;
  uint64_t at;
  const off_t stands = process ? machine->stands(process, fd) : -1;
  if (stands < 0)
    return false;
  if (stands > 0 && stands < AQKFD_NODES) { /* for a block: sharing.c */
    *file = -1;
    return true;
  }
  const int before = uncancelled();
  const int theirs =
      machine->import_file(process, (uint64_t)*offset, size, &at);
  cancelled(before);
  if (theirs < 0)
    return false;
  *file = theirs;
  *offset = (off_t)at;
  return true;
}

void aqshim_unmapping(void *address, size_t size)
{
  const aqkfd_machine *machine = machine_get();
  aqkfd_process *process = machine ? machine->known() : NULL;
  if (!process)
    return;
  const int before = uncancelled();
  machine->unmapping(process, (uintptr_t)address, size);
  cancelled(before);
}

const char *aqshim_library(const char *name)
{
  return name;
}
