/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/exec/mount_namespace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Of ours in /dev: commands, and what /dev was. */
#define OURS     "/aqueduct"
#define COMMANDS OURS "/bin"
#define DEV_WAS  OURS "/dev"

/* Where a folder is made before it is moved to its place: it has to be there
 * on every machine. */
#define STAGE "/proc"

#define PCI_DEVICES "/sys/bus/pci/devices"

/* What `lsmod` prints here, as the shim's. */
static const char lsmod[] = "#!/bin/sh\n"
                            "printf '%-20s%8s  %s\\n' Module Size 'Used by' "
                            "amdgpu 0 0\n";

aq_status aq_isolation_read(const char *text, aq_isolation *out, aq_diag *diag)
{
  static const char *const names[] = {[AQ_ISOLATION_AUTO] = "auto",
                                      [AQ_ISOLATION_NAMESPACE] = "namespace",
                                      [AQ_ISOLATION_PRELOAD] = "preload"};
  *out = AQ_ISOLATION_AUTO;
  for (size_t i = 0; text && i < sizeof names / sizeof *names; i++)
    if (strcmp(text, names[i]) == 0) {
      *out = (aq_isolation)i;
      return AQ_OK;
    }
  return text ? aq_diag_set(
                    diag, AQ_ERR_INVALID,
                    "--isolation %s: expected auto, namespace or preload", text)
              : AQ_OK;
}

static aq_status refused(aq_diag *diag, const char *what)
{
  return aq_diag_set(diag, AQ_ERR_UNSUPPORTED, "%s: %s", what, strerror(errno));
}

/* ---- namespaces ---- */

static bool file_write(const char *path, const char *text, mode_t mode)
{
  int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, mode);
  const size_t size = strlen(text);
  const bool written = fd >= 0 && write(fd, text, size) == (ssize_t)size;
  if (fd >= 0)
    close(fd);
  return written;
}

/* The user and group keep their numbers; there are no others. */
static aq_status user_map(uid_t user, gid_t group, aq_diag *diag)
{
  char users[32], groups[32];
  snprintf(users, sizeof users, "%u %u 1", user, user);
  snprintf(groups, sizeof groups, "%u %u 1", group, group);
  if (!file_write("/proc/self/uid_map", users, 0))
    return refused(diag, "/proc/self/uid_map");
  if (!file_write("/proc/self/setgroups", "deny", 0) && errno != ENOENT)
    return refused(diag, "/proc/self/setgroups");
  if (!file_write("/proc/self/gid_map", groups, 0))
    return refused(diag, "/proc/self/gid_map");
  return AQ_OK;
}

static aq_status namespace_make(aq_diag *diag)
{
  const uid_t user = geteuid();
  const gid_t group = getegid();
  aq_status status = AQ_OK;
  if (unshare(CLONE_NEWNS) != 0) {
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
      return refused(diag, "a user namespace");
    status = user_map(user, group, diag);
  }
  /* We still see the mounts of others; they do not see ours. */
  if (status == AQ_OK && mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0)
    return refused(diag, "mounts of its own");
  return status;
}

/* ---- a folder with more in it ---- */

static bool node_make(const char *path, const char *from,
                      const struct stat *what)
{
  char target[PATH_MAX];
  if (S_ISLNK(what->st_mode)) {
    const ssize_t length = readlink(from, target, sizeof target - 1);
    if (length < 0)
      return false;
    target[length] = 0;
    return symlink(target, path) == 0;
  }
  const bool made = S_ISDIR(what->st_mode) ? mkdir(path, 0755) == 0
                                           : mknod(path, 0644, 0) == 0;
  return made && mount(from, path, NULL, MS_BIND | MS_REC, NULL) == 0;
}

/* Entries that are not taken over: made anew, or nothing. */
static bool is_taken(const struct dirent *entry)
{
  static const char *const left[] = {".", "..", "amdgpu", "kfd", "ptmx"};
  for (size_t i = 0; i < sizeof left / sizeof *left; i++)
    if (strcmp(entry->d_name, left[i]) == 0)
      return false;
  return true;
}

/* All entries of the folder; entries that vanish meanwhile are left out. */
static aq_status entries_bind(DIR *was, const char *path, aq_diag *diag)
{
  char own[PATH_MAX], from[PATH_MAX];
  struct stat what;
  for (struct dirent *e = readdir(was); e; e = readdir(was)) {
    if (!is_taken(e))
      continue;
    snprintf(own, sizeof own, STAGE "/%s", e->d_name);
    snprintf(from, sizeof from, "%s/%s", path, e->d_name);
    if ((lstat(from, &what) != 0 || !node_make(own, from, &what)) &&
        errno != ENOENT)
      return refused(diag, from);
  }
  return AQ_OK;
}

/* The additions to a folder; made at STAGE. */
typedef aq_status additions(const void *user, aq_diag *diag);

/* Lays a folder of ours over one, with all that is taken over of it. */
static aq_status folder_cover(const char *path, additions *add,
                              const void *user, aq_diag *diag)
{
  DIR *was = opendir(path);
  if (!was)
    return refused(diag, path);
  aq_status status = AQ_OK;
  if (mount("aqueduct", STAGE, "tmpfs", MS_NOSUID, "mode=755") != 0)
    status = refused(diag, "a tmpfs");
  if (status == AQ_OK)
    status = entries_bind(was, path, diag);
  if (status == AQ_OK)
    status = add(user, diag);
  if (status == AQ_OK && mount(STAGE, path, NULL, MS_MOVE, NULL) != 0)
    status = refused(diag, path);
  closedir(was);
  return status;
}

/* A process that opens a ptmx looks for the terminals beside it in its own file
 * system: it stays where it was, with all of /dev. */
static aq_status dev_add(const void *user, aq_diag *diag)
{
  (void)user;
  struct stat what;
  if (mkdir(STAGE OURS, 0755) != 0 || mkdir(STAGE COMMANDS, 0755) != 0 ||
      mkdir(STAGE DEV_WAS, 0755) != 0 ||
      mount("/dev", STAGE DEV_WAS, NULL, MS_BIND | MS_REC, NULL) != 0 ||
      !file_write(STAGE COMMANDS "/lsmod", lsmod, 0755))
    return refused(diag, "/dev" OURS);
  if (stat("/dev/null", &what) != 0 ||
      !node_make(STAGE "/kfd", "/dev/null", &what))
    return refused(diag, "/dev/kfd");
  if (lstat("/dev/ptmx", &what) == 0 &&
      (S_ISCHR(what.st_mode)
           ? symlink("/dev" DEV_WAS "/ptmx", STAGE "/ptmx") != 0
           : !node_make(STAGE "/ptmx", "/dev/ptmx", &what)))
    return refused(diag, "/dev/ptmx");
  return AQ_OK;
}

static aq_status module_add(const void *user, aq_diag *diag)
{
  (void)user;
  return mkdir(STAGE "/amdgpu", 0755) == 0 &&
                 file_write(STAGE "/amdgpu/initstate", "live\n", 0444)
             ? AQ_OK
             : refused(diag, "/sys/module/amdgpu");
}

/* ---- the devices on their bus ---- */

enum { PCI_DOMAIN = 0xa9d0 /* as the drop-in has it */ };

/* Of the slot that the parts of a family have; x16 for all. */
static const char *link_speed(const char *gfx)
{
  static const struct {
    const char *gfx, *speed;
  } speeds[] = {{"gfx900", "8.0 GT/s PCIe"},
                {"gfx94", "32.0 GT/s PCIe"},
                {"gfx95", "32.0 GT/s PCIe"},
                {"gfx12", "32.0 GT/s PCIe"}};
  for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++)
    if (strncmp(gfx, speeds[i].gfx, strlen(speeds[i].gfx)) == 0)
      return speeds[i].speed;
  return "16.0 GT/s PCIe";
}

static aq_status device_add(uint32_t ordinal, const aqsim_model *model,
                            aq_diag *diag)
{
  char folder[64], path[128], clocks[96];
  snprintf(folder, sizeof folder, STAGE "/%04x:%02x:00.0", PCI_DOMAIN,
           ordinal + 1);
  snprintf(clocks, sizeof clocks, "0: %lldMhz *\n",
           (long long)(model->clock / 1000000));
  const char *speed = link_speed(model->gfx);
  const struct {
    const char *name, *text, *end;
  } files[] = {
      {"vendor", "0x1002", "\n"},          {"class", "0x038000", "\n"},
      {"current_link_width", "16", "\n"},  {"max_link_width", "16", "\n"},
      {"current_link_speed", speed, "\n"}, {"max_link_speed", speed, "\n"},
      {"pp_dpm_sclk", clocks, ""}};
  bool made = mkdir(folder, 0755) == 0;
  for (size_t i = 0; i < sizeof files / sizeof *files && made; i++) {
    char text[128];
    snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
    snprintf(text, sizeof text, "%s%s", files[i].text, files[i].end);
    made = file_write(path, text, 0444);
  }
  return made ? AQ_OK : refused(diag, PCI_DEVICES);
}

static aq_status devices_add(const void *user, aq_diag *diag)
{
  const aqsim_device_set *devices = user;
  aq_status status = AQ_OK;
  for (uint32_t i = 0; i < devices->count && status == AQ_OK; i++)
    status = device_add(i, devices->models[i], diag);
  return status;
}

static aq_status path_prepend(aq_diag *diag)
{
  const char *old = getenv("PATH");
  char *path;
  if (asprintf(&path, "/dev" COMMANDS ":%s", old ? old : "/bin:/usr/bin") < 0)
    return aq_diag_no_memory(diag);
  const bool set = setenv("PATH", path, 1) == 0;
  free(path);
  return set ? AQ_OK : refused(diag, "PATH");
}

aq_status aq_isolation_enter(const aqsim_device_set *devices, aq_diag *diag)
{
  char *here = getcwd(NULL, 0);
  int current = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  const mode_t mask = umask(022);
  aq_status status = namespace_make(diag);
  if (status == AQ_OK)
    status = folder_cover("/dev", dev_add, NULL, diag);
  /* A machine without modules has no list of them; one without the bus has no
   * list of its devices. */
  if (status == AQ_OK && access("/sys/module", F_OK) == 0 &&
      access("/sys/module/amdgpu", F_OK) != 0)
    status = folder_cover("/sys/module", module_add, NULL, diag);
  if (status == AQ_OK && devices && access(PCI_DEVICES, F_OK) == 0)
    status = folder_cover(PCI_DEVICES, devices_add, devices, diag);
  if (status == AQ_OK)
    status = path_prepend(diag);
  umask(mask);
  /* By its name, since a mount may cover it; a folder without a name, or whose
   * name does not lead there, stays as it was. */
  if (status == AQ_OK && (!here || chdir(here) != 0) &&
      (current < 0 || fchdir(current) != 0))
    status = refused(diag, here ? here : ".");
  if (current >= 0)
    close(current);
  free(here);
  return status;
}

/* ---- trying ---- */

static void attempt(int out, const aqsim_device_set *devices)
{
  aq_diag diag = AQ_DIAG_INIT;
  const aq_status status = aq_isolation_enter(devices, &diag);
  if (status != AQ_OK && write(out, diag.text, strlen(diag.text)) < 0)
    _exit(1);
  _exit(status == AQ_OK ? 0 : 1);
}

aq_status aq_isolation_try(const aqsim_device_set *devices, aq_diag *diag)
{
  int ends[2], status;
  char why[256] = "";
  if (pipe2(ends, O_CLOEXEC) != 0)
    return refused(diag, "a pipe");
  pid_t child = fork();
  if (child == 0)
    attempt(ends[1], devices);
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return refused(diag, "fork");
  }
  if (read(ends[0], why, sizeof why - 1) < 0)
    why[0] = 0;
  close(ends[0]);
  pid_t ended;
  while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR)
    ;
  return ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0
             ? AQ_OK
             : aq_diag_set(diag, AQ_ERR_UNSUPPORTED, "%s",
                           why[0] ? why : "a child that tries ended");
}
