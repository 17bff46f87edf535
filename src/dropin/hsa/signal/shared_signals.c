/* SPDX-License-Identifier: MIT */
/*
 * Signals that processes share. Each lies across two pages: the part that the
 * interface defines, at the end of a page that all processes map, and the state
 * that this process's simulator keeps, at the begin of a page of its own.
 */
#include "config.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dropin/hsa/base/signals.h"
#include "dropin/hsa/mapping/ipc.h"

enum { PAGE = 4096 };

typedef struct aqdrop_shared_signal {
  struct aqdrop_shared_signal *next;
  hsa_signal_t signal;
  char *pages; /* two */
  int file;
  ino_t inode;
  uint32_t waiters; /* threads that read its value */
  bool closed;      /* the last of them frees it */
} shared_signal;

/* ---- life ---- */

/* Two pages, of which the first is the file's; NULL when there are none. */
static char *pages_map(int file)
{
  char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED)
    return NULL;
  if (mmap(pages, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
           0) != MAP_FAILED)
    return pages;
  munmap(pages, 2 * PAGE);
  return NULL;
}

static void shared_free(shared_signal *shared)
{
  if (shared->pages)
    munmap(shared->pages, 2 * PAGE);
  close(shared->file);
  free(shared);
}

/* The signal of a file, which is this one's from now on, whatever comes. */
static hsa_status_t shared_open(aqdrop *runtime, int file, aq_signal_desc *desc,
                                hsa_signal_t *out)
{
  struct stat state;
  shared_signal *made = calloc(1, sizeof *made);
  if (!made) {
    close(file);
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  hsa_status_t status = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  made->file = file;
  made->pages = fstat(file, &state) == 0 ? pages_map(file) : NULL;
  if (made->pages) {
    made->inode = state.st_ino;
    desc->place = made->pages + PAGE - sizeof(aq_amd_signal);
    status = aqdrop_signal_open(runtime, desc, &made->signal);
  }
  if (status != HSA_STATUS_SUCCESS) {
    shared_free(made);
    return status;
  }
  pthread_mutex_lock(&runtime->lock);
  made->next = runtime->first_shared;
  runtime->first_shared = made;
  pthread_mutex_unlock(&runtime->lock);
  *out = made->signal;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t aqdrop_shared_signal_create(aqdrop *runtime, aq_signal_desc *desc,
                                         hsa_signal_t *out)
{
  int file = memfd_create("aqueduct-signal", MFD_CLOEXEC);
  if (file < 0)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  if (ftruncate(file, PAGE) != 0) {
    close(file);
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  return shared_open(runtime, file, desc, out);
}

/* The link to a signal, to NULL for an unknown one. The lock is held. */
static shared_signal **shared_link(aqdrop *runtime, hsa_signal_t signal)
{
  shared_signal **link = &runtime->first_shared;
  while (*link && (*link)->signal.handle != signal.handle)
    link = &(*link)->next;
  return link;
}

void aqdrop_shared_signal_close(aqdrop *runtime, hsa_signal_t signal)
{
  pthread_mutex_lock(&runtime->lock);
  shared_signal **link = shared_link(runtime, signal), *found = *link;
  if (found && found->waiters > 0) {
    found->closed = true;
    found = NULL;
  } else if (found) {
    *link = found->next;
  }
  pthread_mutex_unlock(&runtime->lock);
  if (found)
    shared_free(found);
}

bool aqdrop_shared_signal_hold(aqdrop *runtime, hsa_signal_t signal)
{
  pthread_mutex_lock(&runtime->lock);
  shared_signal *found = *shared_link(runtime, signal);
  const bool held = found && !found->closed;
  if (held)
    found->waiters++;
  pthread_mutex_unlock(&runtime->lock);
  return held;
}

void aqdrop_shared_signal_release(aqdrop *runtime, hsa_signal_t signal)
{
  pthread_mutex_lock(&runtime->lock);
  shared_signal **link = shared_link(runtime, signal), *found = *link;
  if (found && --found->waiters == 0 && found->closed)
    *link = found->next;
  else
    found = NULL;
  pthread_mutex_unlock(&runtime->lock);
  if (found)
    shared_free(found);
}

void aqdrop_shared_signals_fini(aqdrop *runtime)
{
  while (runtime->first_shared) {
    shared_signal *shared = runtime->first_shared;
    runtime->first_shared = shared->next;
    shared_free(shared);
  }
}

/* ---- handles ---- */

hsa_status_t hsa_amd_ipc_signal_create(hsa_signal_t signal,
                                       hsa_amd_ipc_memory_t *handle)
{
  AQDROP_ENTER(runtime);
  if (!handle)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!aqdrop_signal_is_live(runtime, signal))
    return HSA_STATUS_ERROR_INVALID_SIGNAL;
  pthread_mutex_lock(&runtime->lock);
  const shared_signal *shared = *shared_link(runtime, signal);
  bool made = shared && aqdrop_ipc_handle_make(AQDROP_IPC_SIGNAL, shared->file,
                                               PAGE, handle);
  pthread_mutex_unlock(&runtime->lock);
  return made ? HSA_STATUS_SUCCESS
              : (hsa_status_t)HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

/* Counts a reference of a signal that this process has already. */
static bool signal_known(aqdrop *runtime, int file, hsa_signal_t *out)
{
  struct stat state;
  uint64_t references = 0;
  if (fstat(file, &state) != 0)
    return false;
  pthread_mutex_lock(&runtime->lock);
  const shared_signal *shared = runtime->first_shared;
  while (shared && (shared->closed || shared->inode != state.st_ino))
    shared = shared->next;
  bool known = shared && aq_map_get(&runtime->signals, shared->signal.handle,
                                    &references);
  if (known) {
    aq_map_put(&runtime->signals, shared->signal.handle, references + 1);
    *out = shared->signal;
  }
  pthread_mutex_unlock(&runtime->lock);
  return known;
}

hsa_status_t hsa_amd_ipc_signal_attach(const hsa_amd_ipc_memory_t *handle,
                                       hsa_signal_t *signal)
{
  AQDROP_ENTER(runtime);
  aq_signal_desc desc = {.flags = AQ_SIGNAL_IPC};
  if (!handle || !signal)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  int file = aqdrop_ipc_handle_open(AQDROP_IPC_SIGNAL, PAGE, handle);
  if (file < 0)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!signal_known(runtime, file, signal))
    return shared_open(runtime, file, &desc, signal);
  close(file);
  return HSA_STATUS_SUCCESS;
}
