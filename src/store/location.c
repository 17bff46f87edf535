/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "store/location.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

aq_status aq_location_default(char **out, aq_diag *diag)
{
  const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
  char *path = NULL;
  int length;
  /* The XDG specification has relative paths ignored. */
  if (data && data[0] == '/')
    length = asprintf(&path, "%s/aqueduct/runs.db", data);
  else if (home && home[0])
    length = asprintf(&path, "%s/.local/share/aqueduct/runs.db", home);
  else
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "no path for the store: name one, or set HOME");
  if (length < 0)
    return aq_diag_no_memory(diag);
  *out = path;
  return AQ_OK;
}

/* The folder of a path, in the caller's buffer; false when it is too long. */
static bool folder_of(const char *path, char folder[static PATH_MAX])
{
  const char *slash = strrchr(path, '/');
  const char *from = slash ? path : ".";
  size_t length = slash == path ? 1 : slash ? (size_t)(slash - path) : 1;
  if (length >= PATH_MAX)
    return false;
  memcpy(folder, from, length);
  folder[length] = '\0';
  return true;
}

aq_status aq_location_folder_check(const char *path, aq_diag *diag)
{
  char folder[PATH_MAX];
  if (!folder_of(path, folder))
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s: path is too long", path);
  return access(folder, F_OK) == 0
             ? AQ_OK
             : aq_diag_set(diag, AQ_ERR_INPUT,
                           "%s: there is no folder %s to make it in", path,
                           folder);
}

aq_status aq_location_make(const char *path, aq_diag *diag)
{
  char folder[PATH_MAX];
  if (!folder_of(path, folder))
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s: path is too long", path);
  for (char *c = folder + 1;; c++) {
    if (*c && *c != '/')
      continue;
    const char kept = *c;
    *c = '\0';
    const int error = mkdir(folder, 0777) == 0 ? 0 : errno;
    /* Some file systems word it otherwise that the folder is there. */
    if (error && error != EEXIST && access(folder, F_OK) != 0)
      return aq_diag_set(diag, AQ_ERR_INPUT, "%s: cannot make the folder: %s",
                         folder, strerror(error));
    *c = kept;
    if (!kept)
      return AQ_OK;
  }
}

aq_status aq_location_check(const char *path, bool *missing, aq_diag *diag)
{
  struct stat info;
  if (stat(path, &info) != 0) {
    if (errno != ENOENT && errno != ENOTDIR)
      return aq_diag_set(diag, AQ_ERR_INPUT, "%s: %s", path, strerror(errno));
    *missing = true;
    return AQ_OK;
  }
  if (!S_ISREG(info.st_mode))
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s: is %s, not a run store", path,
                       S_ISDIR(info.st_mode) ? "a folder" : "not a file");
  if (access(path, R_OK) != 0)
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s: cannot be read: %s", path,
                       strerror(errno));
  *missing = false;
  return AQ_OK;
}

/* f_type of statfs(2). FUSE is counted as remote: most of it is (sshfs, s3fs),
 * and the rest loses only some speed. */
static const struct {
  unsigned long type;
  const char *name;
} network_systems[] = {
    {0x6969, "NFS"},       {0xff534d42, "CIFS"},
    {0xfe534d42, "SMB2"},  {0x517b, "SMB"},
    {0x01021997, "9p"},    {0x65735546, "FUSE"},
    {0x5346414f, "AFS"},   {0x73757245, "Coda"},
    {0x00c36400, "Ceph"},  {0x0bd00bd0, "Lustre"},
    {0x47504653, "GPFS"},  {0x01161970, "GFS2"},
    {0x7461636f, "OCFS2"}, {0x19830326, "BeeGFS"},
    {0xaad7aaea, "PanFS"}, {0x786f4256, "VirtualBox"},
};

const char *aq_location_network(const char *path)
{
  char folder[PATH_MAX];
  struct statfs info;
  if (!folder_of(path, folder) || statfs(folder, &info) != 0)
    return NULL;
  /* The type is signed on some machines: compare 32 bits of it. */
  const unsigned long type = (unsigned long)info.f_type & 0xffffffff;
  for (size_t i = 0; i < sizeof network_systems / sizeof *network_systems; i++)
    if (network_systems[i].type == type)
      return network_systems[i].name;
  return NULL;
}

bool aq_location_is_read_only(const char *path)
{
  char folder[PATH_MAX];
  return folder_of(path, folder) && access(folder, W_OK) != 0;
}
