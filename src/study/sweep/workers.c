/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/sweep/workers.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/memory_keep.h"
#include "common/record.h"
#include "common/signal_name.h"
#include "common/wall_clock.h"
#include "store/maintenance.h"

/* The result of a task, from its worker; a write of it is not torn. */
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

/* What all workers share. */
typedef struct crew {
  aq_sweep_work *work;
  _Atomic size_t *next;        /* task; in shared memory */
  aq_policy_watchdog *watches; /* one a worker; in shared memory */
  aq_policy_sandbox *workers;  /* process 0: it has ended */
  int pipes[2];
  aq_diag *diag;
} crew;

/* ---- a worker ---- */

/* Runs a task; `m` gets its result. */
static void task_run(const crew *c, aq_store *store, size_t at,
                     aq_policy_watchdog *watch, message *m)
{
  const aq_sweep *sweep = c->work->sweep;
  const aq_sweep_task *task = &c->work->tasks[at];
  aq_diag diag = AQ_DIAG_INIT;
  *m = (message){.task = at, .run = AQ_NONE};
  if (task->failed_run != AQ_NONE)
    aq_store_remove(store, task->failed_run, NULL);
  aq_status status =
      aq_point_run(sweep, store, task->point, task->key, watch, &m->run, &diag);
  if (status == AQ_OK)
    return;
  m->run = AQ_NONE;
  snprintf(m->why, sizeof m->why, "%s", diag.text);
  /* Whether another try on the same machine may well end otherwise. */
  if (!(status == AQ_ERR_IO || status == AQ_ERR_NO_MEMORY))
    aq_point_fail(sweep, store, task->point, task->key, m->why, &diag);
}

/* Takes the next task that no worker has taken. */
static bool serve(const crew *c, aq_policy_watchdog *watch)
{
  const aq_sweep_work *work = c->work;
  aq_diag diag = AQ_DIAG_INIT;
  aq_store *store;
  message m = {0};
  /* Points use little of larger blocks (room for a full ring of packets in
   * flight): cleared pages cost nothing until they are used. */
  aq_memory_keep(2 << 20);
  if (aq_store_open(work->store, AQ_STORE_WRITE, &store, &diag) != AQ_OK) {
    m.task = SIZE_MAX;
    snprintf(m.why, sizeof m.why, "%s", diag.text);
    message_write(c->pipes[1], &m);
    return false;
  }
  bool heard = true;
  for (size_t i; heard && (i = atomic_fetch_add(c->next, 1)) < work->count;) {
    if (work->tasks[i].run != AQ_NONE || work->tasks[i].skip)
      continue;
    __atomic_store_n(&watch->task, i, __ATOMIC_RELEASE);
    task_run(c, store, i, watch, &m);
    __atomic_store_n(&watch->task, UINT64_MAX, __ATOMIC_RELEASE);
    heard = message_write(c->pipes[1], &m);
  }
  aq_store_close(store);
  return heard;
}

/* ---- the parent ---- */

static aq_status worker_start(crew *c, uint32_t at)
{
  const pid_t parent = getpid();
  c->watches[at] = (aq_policy_watchdog){.run = AQ_NONE, .task = UINT64_MAX};
  fflush(NULL);
  const pid_t pid = fork();
  if (pid < 0)
    return aq_diag_set(c->diag, AQ_ERR_IO, "fork: %s", strerror(errno));
  if (pid == 0) {
    /* Without its parent no process reads its results. Clusters send SIGTERM to
     * every process of a job: whether the point ends is the parent's matter. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGTERM, SIG_IGN);
    if (getppid() != parent)
      _exit(1);
    close(c->pipes[0]);
    _exit(serve(c, &c->watches[at]) ? 0 : 1);
  }
  aq_policy_sandbox_begin(&c->workers[at], pid, &c->watches[at]);
  return AQ_OK;
}

static aq_status message_take(crew *c, message *m)
{
  m->why[sizeof m->why - 1] = '\0';
  if (m->task >= c->work->count)
    return aq_diag_set(c->diag, AQ_ERR_IO, "%s", m->why);
  c->work->tasks[m->task].run = m->run;
  c->work->on_done(m->task, m->why[0] ? m->why : NULL, c->work->user);
  return AQ_OK;
}

/* Takes the results that have come, waiting for the first one so long. */
static aq_status messages_take(crew *c, int wait_ms)
{
  struct pollfd ready = {.fd = c->pipes[0], .events = POLLIN};
  aq_status status = AQ_OK;
  message m;
  for (; poll(&ready, 1, wait_ms) > 0 && message_read(c->pipes[0], &m);
       wait_ms = 0) {
    aq_status taken = message_take(c, &m);
    status = status == AQ_OK ? taken : status;
  }
  return status;
}

/* The worker ended within a task: that one has failed. */
static aq_status task_fail(crew *c, uint64_t at, int how,
                           const aq_policy_sandbox *worker)
{
  const aq_sweep_task *task = &c->work->tasks[at];
  const char *policy = task->point->policy;
  aq_diag why = AQ_DIAG_INIT;
  aq_store *store;
  if (aq_policy_sandbox_end(worker, how, policy ? policy : "none", &why) ==
      AQ_OK)
    aq_diag_set(&why, AQ_ERR_IO, "its process ended with status %d",
                WEXITSTATUS(how));
  c->work->on_done(at, why.text, c->work->user);
  aq_status status =
      aq_store_open(c->work->store, AQ_STORE_WRITE, &store, c->diag);
  if (status != AQ_OK)
    return status;
  status = aq_point_fail(c->work->sweep, store, task->point, task->key,
                         why.text, c->diag);
  aq_store_close(store);
  return status;
}

static aq_status worker_ended(crew *c, uint32_t at, int how)
{
  const aq_policy_sandbox worker = c->workers[at];
  char signal[AQ_SIGNAL_NAME];
  const uint64_t task = __atomic_load_n(&c->watches[at].task, __ATOMIC_ACQUIRE);
  c->workers[at].process = 0;
  if (task < c->work->count) {
    aq_status status = task_fail(c, task, how, &worker);
    return status == AQ_OK ? worker_start(c, at) : status;
  }
  if (WIFSIGNALED(how))
    return aq_diag_set(c->diag, AQ_ERR_IO,
                       "a process of the sweep was ended by %s; the same "
                       "command continues the sweep",
                       aq_signal_name(WTERMSIG(how), signal));
  return WEXITSTATUS(how) == 0
             ? AQ_OK
             : aq_diag_set(c->diag, AQ_ERR_IO, "a process of the sweep failed");
}

/* How it ended no process knows. */
static aq_status worker_lose(crew *c, uint32_t at)
{
  c->workers[at].process = 0;
  return aq_diag_set(c->diag, AQ_ERR_RESOURCES,
                     "the exit status of a process of the sweep is lost: %s",
                     strerror(errno));
}

/* Looks after the workers once; *alive: some still work. */
static aq_status workers_poll(crew *c, bool *alive)
{
  aq_status status = AQ_OK;
  *alive = false;
  for (uint32_t i = 0; i < c->work->processes; i++) {
    int how;
    if (c->workers[i].process == 0)
      continue;
    aq_policy_sandbox_poll(&c->workers[i], &c->work->limits);
    const pid_t process = waitpid(c->workers[i].process, &how, WNOHANG);
    if (process != 0) {
      aq_status ended =
          process > 0 ? worker_ended(c, i, how) : worker_lose(c, i);
      status = status == AQ_OK ? ended : status;
    }
    *alive |= c->workers[i].process != 0;
  }
  return status;
}

/* After an error no worker takes another task. */
static aq_status crew_work(crew *c)
{
  aq_status status = AQ_OK;
  bool alive = true;
  int64_t looked = 0;
  for (uint32_t i = 0; i < c->work->processes && status == AQ_OK; i++)
    status = worker_start(c, i);
  while (alive && !(c->work->stop && *c->work->stop)) {
    if (status != AQ_OK)
      atomic_store(c->next, c->work->count);
    aq_status taken = messages_take(c, AQ_CONTAINED_LOOK_MS);
    status = status == AQ_OK ? taken : status;
    if (aq_wall_ns() - looked < AQ_CONTAINED_LOOK_MS * INT64_C(500000))
      continue;
    looked = aq_wall_ns();
    if (c->work->tick)
      c->work->tick(c->work->user);
    taken = workers_poll(c, &alive);
    status = status == AQ_OK ? taken : status;
  }
  /* A point leaves nothing in the store before it has ended. */
  for (uint32_t i = 0; i < c->work->processes; i++)
    if (c->workers[i].process != 0) {
      kill(c->workers[i].process, SIGKILL);
      waitpid(c->workers[i].process, NULL, 0);
      c->workers[i].process = 0;
    }
  aq_status left = messages_take(c, 0);
  return status == AQ_OK ? left : status;
}

static volatile int stopped;

static void stop_note(int number)
{
  (void)number;
  stopped = 1;
}

const volatile int *aq_sweep_stop_watch(void)
{
  const struct sigaction action = {.sa_handler = stop_note};
  sigaction(SIGTERM, &action, NULL);
  return &stopped;
}

aq_status aq_sweep_work_share(aq_sweep_work *work, aq_diag *diag)
{
  crew c = {.work = work,
            .watches = aq_policy_watchdog_create(work->processes),
            .workers = calloc(work->processes, sizeof *c.workers),
            .diag = diag};
  void *shared = mmap(NULL, sizeof(_Atomic size_t), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  aq_status status = AQ_OK;
  if (!c.watches || !c.workers || shared == MAP_FAILED)
    status = aq_diag_no_memory(diag);
  else if (pipe2(c.pipes, O_CLOEXEC) != 0)
    status = aq_diag_set(diag, AQ_ERR_IO, "pipe: %s", strerror(errno));
  if (status == AQ_OK) {
    c.next = shared;
    status = crew_work(&c);
    aq_status settled =
        work->alone ? aq_store_settle(work->store, diag) : AQ_OK;
    status = status == AQ_OK ? settled : status;
    close(c.pipes[0]);
    close(c.pipes[1]);
  }
  if (shared != MAP_FAILED)
    munmap(shared, sizeof(_Atomic size_t));
  aq_policy_watchdog_destroy(c.watches, work->processes);
  free(c.workers);
  return status;
}
