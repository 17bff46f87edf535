/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/exec/descendants.h"

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"

typedef struct process {
  int pid, parent;
} process;

typedef struct processes {
  process *list;
  size_t count, capacity;
} processes;

/* /proc/PID/stat: "PID (NAME) STATE PARENT …", where the name may hold any
 * character. */
static bool parent_read(const char *pid, int *parent)
{
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
  FILE *file = fopen(path, "re");
  if (!file)
    return false;
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  const char *end = strrchr(text, ')');
  return end && sscanf(end, ") %*c %d", parent) == 1;
}

/* Out of memory: without the rest. */
static void processes_read(processes *all)
{
  DIR *folder = opendir("/proc");
  const struct dirent *entry;
  while (folder && (entry = readdir(folder))) {
    process p = {.pid = atoi(entry->d_name)};
    if (p.pid > 0 && parent_read(entry->d_name, &p.parent))
      (void)!AQ_ARRAY_PUSH(all->list, all->count, all->capacity, p);
  }
  if (folder)
    closedir(folder);
}

static bool is_other(const aq_descendants *of, int pid)
{
  for (size_t i = 0; i < of->other_count; i++)
    if (of->others[i] == pid)
      return true;
  return false;
}

/* Moves the processes of the program to the front: how many there are. */
static size_t descendants_find(const aq_descendants *of, processes *all)
{
  size_t found = 0, asked = 0;
  int parent = getpid();
  for (;;) {
    for (size_t i = found; i < all->count; i++) {
      const process p = all->list[i];
      if (p.parent != parent || is_other(of, p.pid))
        continue;
      all->list[i] = all->list[found];
      all->list[found++] = p;
    }
    if (asked == found)
      return found;
    parent = all->list[asked++].pid;
  }
}

void aq_descendants_begin(aq_descendants *of)
{
  processes all = {NULL, 0, 0};
  *of = (aq_descendants){NULL, 0, 0};
  processes_read(&all);
  for (size_t i = 0; i < all.count; i++)
    if (all.list[i].parent == getpid())
      (void)!AQ_ARRAY_PUSH(of->others, of->other_count, of->other_capacity,
                           all.list[i].pid);
  free(all.list);
}

void aq_descendants_fini(aq_descendants *of)
{
  free(of->others);
}

bool aq_descendants_kill(const aq_descendants *of, int signal)
{
  processes all = {NULL, 0, 0};
  processes_read(&all);
  const size_t count = descendants_find(of, &all);
  for (size_t i = 0; i < count && signal; i++)
    kill(all.list[i].pid, signal);
  free(all.list);
  return count > 0;
}
