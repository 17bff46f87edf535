/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/core/guard.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>

enum { SIGNALS = 2, PAGE = 4096 };
static const int numbers[SIGNALS] = {SIGSEGV, SIGBUS};

typedef struct guard {
  sigjmp_buf out;
  uint64_t address;
  bool armed;
  sigset_t mask; /* of the thread, before it was armed */
} guard;

/* Handlers are the process's, so is what stands for them. */
static struct {
  pthread_mutex_t lock;
  unsigned users;
  bool watched; /* forks */
  struct sigaction before[SIGNALS];
} process = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Of the thread. The handler may be the first to touch it in some thread, where
 * another model would allocate. */
static __thread guard *volatile current
    __attribute__((tls_model("initial-exec")));

/* ---- signals of others ---- */

/* Acts as the kernel would have, had the program's handler been there. */
static void others_take(int number, siginfo_t *info, void *context)
{
  struct sigaction *before = &process.before[number == SIGBUS];
  const struct sigaction action = *before;
  const bool sent = info->si_code <= 0;
  if (!(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_IGN && sent)
    return;
  if (!(action.sa_flags & SA_SIGINFO) &&
      (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN)) {
    /* The program dies of it, as it would without us: returning repeats the
     * access, or the signal is pending until then. */
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigaction(number, &plain, NULL);
    if (info->si_code <= 0)
      raise(number);
    return;
  }
  if (action.sa_flags & (int)SA_RESETHAND)
    *before = (struct sigaction){.sa_handler = SIG_DFL};
  pthread_sigmask(SIG_BLOCK, &action.sa_mask, NULL);
  if (action.sa_flags & SA_NODEFER) {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
  }
  if (action.sa_flags & SA_SIGINFO)
    action.sa_sigaction(number, info, context);
  else
    action.sa_handler(number);
}

/* A low address is a mistake of ours: kernels never reach there. */
static void handle(int number, siginfo_t *info, void *context)
{
  guard *g = current;
  if (!g || info->si_code <= 0 || (uintptr_t)info->si_addr < PAGE) {
    others_take(number, info, context);
    return;
  }
  g->address = (uintptr_t)info->si_addr;
  current = NULL;
  siglongjmp(g->out, 1);
}

/* ---- having the handlers ---- */

/* Puts the program's handlers back, but for one that it has set meanwhile. */
static void handlers_return(void)
{
  for (int i = 0; i < SIGNALS; i++) {
    struct sigaction now;
    sigaction(numbers[i], &process.before[i], &now);
    if (!(now.sa_flags & SA_SIGINFO) || now.sa_sigaction != handle)
      sigaction(numbers[i], &now, NULL);
  }
}

/* A fork between the count and its handlers would leave them to the child. */
static void fork_begin(void)
{
  pthread_mutex_lock(&process.lock);
}

static void fork_end(void)
{
  pthread_mutex_unlock(&process.lock);
}

/* The forked child has one thread, which runs nothing guarded. */
static void child_begin(void)
{
  pthread_mutex_init(&process.lock, NULL);
  if (process.users > 0)
    handlers_return();
  process.users = 0;
  current = NULL;
}

static void handlers_take(void)
{
  struct sigaction ours = {.sa_sigaction = handle,
                           .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&ours.sa_mask);
  for (int i = 0; i < SIGNALS; i++)
    sigaction(numbers[i], &ours, &process.before[i]);
}

void aq_wave_guard_arm(void)
{
  guard *g = current;
  sigset_t ours;
  if (!g || g->armed)
    return;
  pthread_mutex_lock(&process.lock);
  if (!process.watched)
    process.watched = pthread_atfork(fork_begin, fork_end, child_begin) == 0;
  if (process.users++ == 0)
    handlers_take();
  pthread_mutex_unlock(&process.lock);
  sigemptyset(&ours);
  for (int i = 0; i < SIGNALS; i++)
    sigaddset(&ours, numbers[i]);
  /* A thread that blocks all signals would die of this one. */
  pthread_sigmask(SIG_UNBLOCK, &ours, &g->mask);
  g->armed = true;
}

static void guard_leave(const guard *g)
{
  if (!g->armed)
    return;
  pthread_sigmask(SIG_SETMASK, &g->mask, NULL);
  pthread_mutex_lock(&process.lock);
  if (--process.users == 0)
    handlers_return();
  pthread_mutex_unlock(&process.lock);
}

bool aq_wave_guard(void (*run)(void *user), void *user, uint64_t *address)
{
  guard g = {.armed = false};
  const bool lost = sigsetjmp(g.out, 0) != 0;
  if (!lost) {
    current = &g;
    run(user);
    current = NULL;
  }
  guard_leave(&g);
  if (lost)
    *address = g.address;
  return !lost;
}
