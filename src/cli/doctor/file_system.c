/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/doctor/file_system.h"

#include <stddef.h>
#include <sys/statfs.h>

/* Magic numbers from linux/magic.h. */
const char *aq_file_system_name(const char *path)
{
  static const struct {
    unsigned long magic;
    const char *name;
  } known[] = {
      {0xef53, "ext4"},      {0x58465342, "xfs"},     {0x9123683e, "btrfs"},
      {0x01021994, "tmpfs"}, {0x794c7630, "overlay"}, {0x6969, "nfs"},
      {0xff534d42, "cifs"},  {0xfe534d42, "smb2"},    {0x65735546, "fuse"},
      {0x2fc12fc1, "zfs"},   {0x01021997, "9p"},      {0x0bd00bd0, "lustre"}};
  struct statfs info;
  if (statfs(path, &info) != 0)
    return "an unknown file system";
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (known[i].magic == (unsigned long)info.f_type)
      return known[i].name;
  return "another file system";
}
