/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/sweep/workers.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
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
  int64_t run;                /* AQ_NONE: none */
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

enum { BATCH = 64, BATCH_NS = 20000000, LATE_NS = 50000000 };

/* Tasks of a worker, besides the one at work: [0, held) wait for their batch to
 * be stored; [begun, count) were held by the process before it. */
typedef struct claim {
  size_t tasks[BATCH];
  size_t held, begun, count;
} claim;

/* What all workers share. */
typedef struct crew {
  aq_sweep_work *work;
  _Atomic size_t *next;        /* task; in shared memory */
  claim *claims;               /* one a worker; in shared memory */
  aq_policy_watchdog *watches; /* one a worker; in shared memory */
  aq_policy_sandbox *workers;  /* process 0: it has ended */
  int pipes[2];
  aq_diag *diag;
} crew;

/* Another process may have removed it. */
static aq_status run_remove(aq_store *store, int64_t run, aq_diag *diag)
{
  const aq_status status =
      run == AQ_NONE ? AQ_OK : aq_store_remove(store, run, diag);
  return status == AQ_ERR_NOT_FOUND ? AQ_OK : status;
}

/* The failed run that this one replaces. */
static aq_status failed_remove(aq_store *store, const aq_sweep_task *task,
                               aq_diag *diag)
{
  return run_remove(store, task->failed_run, diag);
}

/* ---- a worker ---- */

/* A worker with its batch. */
typedef struct batch {
  const crew *c;
  aq_policy_watchdog *watch;
  pthread_mutex_t lock; /* of all below, but the store's connection */
  claim *claim;
  /* By their place in the claim: `writers` NULL and `whys` NULL: it is stored;
   * `whys`: it failed. */
  aq_store_writer *writers[BATCH];
  char *whys[BATCH];
  int64_t since;   /* wall ns: when the first of them began */
  aq_store *late;  /* of the thread that stores late batches; NULL: none yet */
  aq_store *store; /* of the thread that runs points */
} batch;

/* Stores a held task, within the group. */
static aq_status task_store(batch *b, aq_store *store, size_t at, aq_diag *diag)
{
  const aq_sweep *sweep = b->c->work->sweep;
  const aq_sweep_task *task = &b->c->work->tasks[b->claim->tasks[at]];
  aq_store_writer *writer = b->writers[at];
  aq_status status = failed_remove(store, task, diag);
  b->writers[at] = NULL;
  if (status != AQ_OK) {
    if (writer)
      aq_store_writer_abort(writer);
    return status;
  }
  if (writer) {
    aq_store_writer_move(writer, store);
    return aq_point_store(sweep, store, writer, task->id, diag);
  }
  if (!b->whys[at])
    return AQ_OK;
  aq_store_number(store, task->id);
  return aq_point_fail(sweep, store, task->point, task->key, b->whys[at], diag);
}

/* Reports the held tasks: as stored, or as failed with `why`. False: the parent
 * is gone. */
static bool batch_report(batch *b, const char *why)
{
  bool heard = true;
  for (size_t i = 0; i < b->claim->held; i++) {
    const size_t task = b->claim->tasks[i];
    const char *own = why ? why : b->whys[i];
    message m = {.task = task,
                 .run = own ? AQ_NONE : b->c->work->tasks[task].id};
    snprintf(m.why, sizeof m.why, "%s", own ? own : "");
    heard &= message_write(b->c->pipes[1], &m);
    free(b->whys[i]);
    b->whys[i] = NULL;
  }
  b->claim->held = 0;
  return heard;
}

/* The lock is held. */
static bool batch_store(batch *b, aq_store *store)
{
  aq_diag diag = AQ_DIAG_INIT;
  if (b->claim->held == 0)
    return true;
  aq_status status = aq_store_group_begin(store, &diag);
  const bool begun = status == AQ_OK;
  for (size_t i = 0; i < b->claim->held; i++)
    if (status == AQ_OK) {
      status = task_store(b, store, i, &diag);
    } else if (b->writers[i]) {
      aq_store_writer_abort(b->writers[i]);
      b->writers[i] = NULL;
    }
  if (begun) {
    const aq_status ended = aq_store_group_end(store, status == AQ_OK, &diag);
    status = status == AQ_OK ? ended : status;
  }
  return batch_report(b, status == AQ_OK ? NULL : diag.text);
}

/* A thread that stores a batch while a point takes long. The point may use the
 * worker's connection meanwhile: the thread opens another. */
static void *batch_watch(void *user)
{
  batch *b = user;
  for (;;) {
    aq_diag diag = AQ_DIAG_INIT;
    usleep(LATE_NS / 2000);
    pthread_mutex_lock(&b->lock);
    if (b->claim->held > 0 && aq_wall_ns() - b->since >= LATE_NS &&
        (b->late || aq_store_open(b->c->work->store, AQ_STORE_WRITE, &b->late,
                                  &diag) == AQ_OK))
      batch_store(b, b->late);
    pthread_mutex_unlock(&b->lock);
  }
  return NULL;
}

/* Holds a task that has ended, and stores the batch when it is time. */
static bool task_hold(batch *b, size_t at, aq_store_writer *writer, char *why,
                      int64_t begun)
{
  pthread_mutex_lock(&b->lock);
  const size_t place = b->claim->held;
  if (place == 0)
    b->since = begun;
  b->writers[place] = writer;
  b->whys[place] = why;
  b->claim->tasks[place] = at;
  b->claim->held = place + 1;
  const bool is_stored = !writer && !why;
  const bool heard =
      is_stored || place + 1 == BATCH || aq_wall_ns() - b->since >= BATCH_NS
          ? batch_store(b, b->store)
          : true;
  pthread_mutex_unlock(&b->lock);
  return heard;
}

static bool task_run(batch *b, size_t at)
{
  const aq_sweep_task *task = &b->c->work->tasks[at];
  const int64_t begun = aq_wall_ns();
  aq_diag diag = AQ_DIAG_INIT;
  aq_store_writer *writer = NULL;
  aq_store_number(b->store, task->id);
  __atomic_store_n(&b->watch->task, at, __ATOMIC_RELEASE);
  aq_status status = aq_point_run(b->c->work->sweep, b->store, task->point,
                                  task->key, b->watch, &writer, &diag);
  __atomic_store_n(&b->watch->task, UINT64_MAX, __ATOMIC_RELEASE);
  /* Whether another try on the same machine may well end otherwise. */
  const bool again = status == AQ_ERR_IO || status == AQ_ERR_NO_MEMORY;
  char *why = status == AQ_OK || again ? NULL : strdup(diag.text);
  if (status == AQ_OK || why)
    return task_hold(b, at, writer, why, begun);
  message m = {.task = at, .run = AQ_NONE};
  snprintf(m.why, sizeof m.why, "%s", diag.text);
  return message_write(b->c->pipes[1], &m);
}

/* Runs the tasks that a process before it held, and then tasks that no worker
 * has taken. The process ends behind it, with the lock. */
static bool serve(const crew *c, uint32_t at)
{
  const aq_sweep_work *work = c->work;
  batch b = {.c = c,
             .watch = &c->watches[at],
             .claim = &c->claims[at],
             .lock = PTHREAD_MUTEX_INITIALIZER};
  aq_diag diag = AQ_DIAG_INIT;
  pthread_t thread;
  bool heard = true;
  /* Points use little of larger blocks (room for a full ring of packets in
   * flight): cleared pages cost nothing until they are used. */
  aq_memory_keep(2 << 20);
  aq_status status =
      aq_store_open(work->store, AQ_STORE_WRITE, &b.store, &diag);
  const int failed =
      status == AQ_OK ? pthread_create(&thread, NULL, batch_watch, &b) : 0;
  if (failed)
    status =
        aq_diag_set(&diag, AQ_ERR_RESOURCES, "no thread: %s", strerror(failed));
  if (status != AQ_OK) {
    message m = {.task = SIZE_MAX};
    snprintf(m.why, sizeof m.why, "%s", diag.text);
    message_write(c->pipes[1], &m);
    return false;
  }
  while (heard && b.claim->begun < b.claim->count)
    heard = task_run(&b, b.claim->tasks[b.claim->begun++]);
  for (size_t i; heard && (i = atomic_fetch_add(c->next, 1)) < work->count;)
    if (aq_sweep_task_is_free(&work->tasks[i]))
      heard = task_run(&b, i);
  pthread_mutex_lock(&b.lock);
  heard = heard && batch_store(&b, b.store);
  aq_store_close(b.late);
  aq_store_close(b.store);
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
    _exit(serve(c, at) ? 0 : 1);
  }
  aq_policy_sandbox_begin(&c->workers[at], pid, &c->watches[at]);
  return AQ_OK;
}

static void task_report(const crew *c, size_t at, int64_t run, const char *why)
{
  c->work->tasks[at].run = run;
  c->work->tasks[at].over = true;
  c->work->on_done(at, why, c->work->user);
}

static aq_status message_take(crew *c, message *m)
{
  m->why[sizeof m->why - 1] = '\0';
  if (m->task >= c->work->count)
    return aq_diag_set(c->diag, AQ_ERR_IO, "%s", m->why);
  task_report(c, m->task, m->run, m->why[0] ? m->why : NULL);
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

/* Whether the process that ended had stored it, and did not report it. */
static bool task_is_stored(const crew *c, aq_store *store, size_t at)
{
  const aq_sweep_task *task = &c->work->tasks[at];
  aq_run_info *info;
  aq_diag diag = AQ_DIAG_INIT;
  /* A run that cannot be read is not run again under its id. */
  const aq_status status = aq_store_run(store, task->id, &info, &diag);
  if (status != AQ_OK && status != AQ_ERR_NOT_FOUND)
    task_report(c, at, AQ_NONE, diag.text);
  if (status != AQ_OK)
    return task->over;
  if (info->complete || info->failed)
    task_report(c, at, info->complete ? task->id : AQ_NONE, info->failed);
  aq_run_info_free(info);
  return task->over;
}

/* All tasks of a process that ended, but the one at work, are for the next. */
static void claim_pass_on(const crew *c, aq_store *store, claim *of)
{
  claim next = {.count = 0};
  for (size_t i = 0; i < of->held; i++)
    if (!c->work->tasks[of->tasks[i]].over &&
        !task_is_stored(c, store, of->tasks[i]))
      next.tasks[next.count++] = of->tasks[i];
  for (; of->begun < of->count; of->begun++)
    next.tasks[next.count++] = of->tasks[of->begun];
  *of = next;
}

/* In the place of an earlier failure. */
static aq_status failure_store(const crew *c, aq_store *store,
                               const aq_sweep_task *task, const char *why)
{
  aq_status status = aq_store_group_begin(store, c->diag);
  if (status != AQ_OK)
    return status;
  status = failed_remove(store, task, c->diag);
  /* A long point may have stored rows by then. */
  if (status == AQ_OK)
    status = run_remove(store, task->id, c->diag);
  aq_store_number(store, task->id);
  if (status == AQ_OK)
    status = aq_point_fail(c->work->sweep, store, task->point, task->key, why,
                           c->diag);
  const aq_status ended = aq_store_group_end(store, status == AQ_OK, c->diag);
  return status == AQ_OK ? ended : status;
}

/* The worker ended within a task: that one has failed. */
static aq_status task_fail(crew *c, uint32_t at, size_t failed, int how,
                           const aq_policy_sandbox *worker)
{
  const aq_sweep_task *task = &c->work->tasks[failed];
  const char *policy = task->point->policy;
  aq_diag why = AQ_DIAG_INIT;
  aq_store *store;
  aq_status status = messages_take(c, 0);
  const aq_status cause =
      aq_policy_sandbox_end(worker, how, policy ? policy : "none", &why);
  if (cause == AQ_OK)
    aq_diag_set(&why, AQ_ERR_IO, "its process ended with status %d",
                WEXITSTATUS(how));
  task_report(c, failed, AQ_NONE, why.text);
  const aq_status opened =
      aq_store_open(c->work->store, AQ_STORE_WRITE, &store, c->diag);
  if (opened != AQ_OK)
    return opened;
  claim_pass_on(c, store, &c->claims[at]);
  /* The machine's failures are not the point's. */
  const aq_status stored = cause == AQ_ERR_RESOURCES
                               ? AQ_OK
                               : failure_store(c, store, task, why.text);
  aq_store_close(store);
  return status == AQ_OK ? stored : status;
}

static aq_status worker_ended(crew *c, uint32_t at, int how)
{
  const aq_policy_sandbox worker = c->workers[at];
  char signal[AQ_SIGNAL_NAME];
  const uint64_t task = __atomic_load_n(&c->watches[at].task, __ATOMIC_ACQUIRE);
  c->workers[at].process = 0;
  if (task < c->work->count) {
    aq_status status = task_fail(c, at, task, how, &worker);
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
                     "exit status of a process of the sweep unknown: %s",
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
  /* Held points leave nothing in the store, and points at work nothing but rows
   * of a run that is not complete. */
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
  const size_t size = work->processes * sizeof(claim) + sizeof(_Atomic size_t);
  void *shared = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  aq_status status = AQ_OK;
  if (!c.watches || !c.workers || shared == MAP_FAILED)
    status = aq_diag_no_memory(diag);
  else if (pipe2(c.pipes, O_CLOEXEC) != 0)
    status = aq_diag_set(diag, AQ_ERR_IO, "pipe: %s", strerror(errno));
  if (status == AQ_OK) {
    c.claims = shared;
    c.next = (_Atomic size_t *)(void *)(c.claims + work->processes);
    status = crew_work(&c);
    aq_status settled =
        work->alone ? aq_store_settle(work->store, diag) : AQ_OK;
    status = status == AQ_OK ? settled : status;
    close(c.pipes[0]);
    close(c.pipes[1]);
  }
  if (shared != MAP_FAILED)
    munmap(shared, size);
  aq_policy_watchdog_destroy(c.watches, work->processes);
  free(c.workers);
  return status;
}
