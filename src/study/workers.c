/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/workers.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/record.h"

/* What a worker tells; a write of it is not torn. */
typedef struct message {
  size_t task;
  int64_t run;
  char why[AQ_DIAG_TEXT_MAX]; /* empty: well */
} message;

_Static_assert(sizeof(message) <= PIPE_BUF, "messages are written at once");

static bool message_write(int to, const message *m)
{
  ssize_t written;
  do
    written = write(to, m, sizeof *m);
  while (written < 0 && errno == EINTR);
  return written == (ssize_t)sizeof *m;
}

/* Whole messages only; false at the end. */
static bool message_read(int from, message *m)
{
  size_t have = 0;
  while (have < sizeof *m) {
    const ssize_t got = read(from, (char *)m + have, sizeof *m - have);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    have += (size_t)got;
  }
  return true;
}

/* Each point frees what the next one needs again: given back to the kernel, it
 * would be mapped and cleared page by page a thousand times. What is so large
 * that points use little of it (room for a full ring of packets in flight) is
 * mapped anew all the same, as cleared pages cost nothing until then. */
static void memory_keep(void)
{
#ifdef M_TRIM_THRESHOLD
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_MMAP_THRESHOLD, 2 << 20);
#endif
}

/* A worker: takes the next task that nobody has taken. */
static bool serve(const aq_sweep_work *work, _Atomic size_t *next, int to)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_store *store;
  message m = {0};
  memory_keep();
  if (aq_store_open(work->store, AQ_STORE_WRITE, &store, &diag) != AQ_OK) {
    m.task = SIZE_MAX;
    snprintf(m.why, sizeof m.why, "%s", diag.text);
    message_write(to, &m);
    return false;
  }
  bool heard = true;
  for (size_t i; heard && (i = atomic_fetch_add(next, 1)) < work->count;) {
    const aq_sweep_task *task = &work->tasks[i];
    if (task->run != AQ_NONE)
      continue;
    m = (message){.task = i, .run = AQ_NONE};
    if (aq_point_run(work->sweep, store, task->point, task->key, &m.run,
                     &diag) != AQ_OK) {
      m.run = AQ_NONE;
      snprintf(m.why, sizeof m.why, "%s", diag.text);
    }
    heard = message_write(to, &m);
  }
  aq_store_close(store);
  return heard;
}

static aq_status workers_start(const aq_sweep_work *work, _Atomic size_t *next,
                               const int pipes[2], pid_t *workers,
                               uint32_t *started, aq_diag *diag)
{
  fflush(NULL);
  const pid_t parent = getpid();
  for (*started = 0; *started < work->processes; (*started)++) {
    const pid_t pid = fork();
    if (pid < 0)
      return aq_diag_set(diag, AQ_ERR_IO, "fork: %s", strerror(errno));
    if (pid == 0) {
      /* Nobody would hear of its results any more. */
      prctl(PR_SET_PDEATHSIG, SIGTERM);
      if (getppid() != parent)
        _exit(1);
      close(pipes[0]);
      _exit(serve(work, next, pipes[1]) ? 0 : 1);
    }
    workers[*started] = pid;
  }
  return AQ_OK;
}

static aq_status workers_await(const pid_t *workers, uint32_t count,
                               aq_status status, aq_diag *diag)
{
  for (uint32_t i = 0; i < count; i++) {
    int how;
    while (waitpid(workers[i], &how, 0) < 0 && errno == EINTR)
      ;
    if (status == AQ_OK && WIFSIGNALED(how))
      status = aq_diag_set(diag, AQ_ERR_IO,
                           "a process of the sweep was ended by signal %d; "
                           "what is left can be run by the same command",
                           WTERMSIG(how));
    else if (status == AQ_OK && WEXITSTATUS(how) != 0)
      status = aq_diag_set(diag, AQ_ERR_IO, "a process of the sweep failed");
  }
  return status;
}

static aq_status share(aq_sweep_work *work, _Atomic size_t *next,
                       pid_t *workers, aq_diag *diag)
{
  int pipes[2];
  uint32_t started;
  message m;
  if (pipe2(pipes, O_CLOEXEC) != 0)
    return aq_diag_set(diag, AQ_ERR_IO, "pipe: %s", strerror(errno));
  aq_status status = workers_start(work, next, pipes, workers, &started, diag);
  close(pipes[1]);
  if (status != AQ_OK)
    atomic_store(next, work->count);
  while (message_read(pipes[0], &m)) {
    m.why[sizeof m.why - 1] = '\0';
    if (m.task >= work->count) {
      status = aq_diag_set(diag, AQ_ERR_IO, "%s", m.why);
      continue;
    }
    work->tasks[m.task].run = m.run;
    work->over(m.task, m.why[0] ? m.why : NULL, work->user);
  }
  close(pipes[0]);
  return workers_await(workers, started, status, diag);
}

aq_status aq_sweep_work_share(aq_sweep_work *work, aq_diag *diag)
{
  pid_t *workers = calloc(work->processes, sizeof *workers);
  void *shared = mmap(NULL, sizeof(_Atomic size_t), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  aq_status status = AQ_OK;
  if (!workers || shared == MAP_FAILED)
    status = aq_diag_no_memory(diag);
  if (status == AQ_OK)
    status = share(work, shared, workers, diag);
  if (shared != MAP_FAILED)
    munmap(shared, sizeof(_Atomic size_t));
  free(workers);
  return status;
}
