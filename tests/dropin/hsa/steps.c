/* SPDX-License-Identifier: MIT */
/*
 * A client for the tests of `aqueduct exec`: its arguments are steps. Compiled
 * by the test; it finds HSA as programs do that load it.
 *
 *   open        opens HSA; the program ends with status 10 if that fails
 *   kfd         opens /dev/kfd; 11 if that fails
 *   leak        allocates memory of a device and forgets it
 *   exec        executes this program anew for the steps that follow
 *   fork        a child does the steps that follow, this process waits for it
 *   daemon      the same without waiting, in a session of its own
 *   vfork       a child of vfork that ends by _exit
 *   make FILE   makes a file; wait FILE waits until there is one
 *   stuck       the work before _exit does not return
 *   exit N · _exit N · _Exit N · quick N · syscall N    the end
 *   # TEXT      nothing
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dropin/hsa/base/hsa.h"

#define HSA(name) ((__typeof__(name) *)dlsym(RTLD_DEFAULT, #name))

static void hsa_open(void)
{
  if (!dlopen("libhsa-runtime64.so.1", RTLD_NOW | RTLD_GLOBAL) ||
      HSA(hsa_init)() != HSA_STATUS_SUCCESS)
    exit(10);
}

static hsa_status_t pool_leak(hsa_amd_memory_pool_t pool, void *user)
{
  void *memory;
  (void)user;
  return HSA(hsa_amd_memory_pool_allocate)(pool, 4096, 0, &memory) ==
                 HSA_STATUS_SUCCESS
             ? HSA_STATUS_INFO_BREAK
             : HSA_STATUS_SUCCESS;
}

static hsa_status_t device_leak(hsa_agent_t agent, void *user)
{
  uint32_t type = 0;
  HSA(hsa_agent_get_info)(agent, HSA_AGENT_INFO_DEVICE, &type);
  if (type != HSA_DEVICE_TYPE_GPU)
    return HSA_STATUS_SUCCESS;
  HSA(hsa_amd_agent_iterate_memory_pools)(agent, pool_leak, user);
  return HSA_STATUS_INFO_BREAK;
}

static void stuck(void)
{
  for (;;)
    pause();
}

static void end(const char *how, int code)
{
  if (strcmp(how, "_exit") == 0)
    _exit(code);
  if (strcmp(how, "_Exit") == 0)
    _Exit(code);
  if (strcmp(how, "quick") == 0)
    quick_exit(code);
  if (strcmp(how, "syscall") == 0)
    syscall(SYS_exit_group, code);
  exit(code);
}

static char **children_make(char **step)
{
  const char *how = *step;
  int status = 0;
  const pid_t child = *how == 'v' ? vfork() : fork();
  if (child == 0 && *how == 'v')
    _exit(0);
  if (child == 0) {
    if (*how == 'd')
      setsid();
    return step + 1;
  }
  if (*how != 'd')
    waitpid(child, &status, 0);
  if (*how == 'v')
    return step + 1;
  exit(WIFEXITED(status) ? WEXITSTATUS(status) : 12);
}

/* Does a step: the next one. */
static char **step_do(char **step, char *program)
{
  const char *what = *step, *with = step[1];
  if (strcmp(what, "open") == 0) {
    hsa_open();
  } else if (strcmp(what, "kfd") == 0) {
    if (open("/dev/kfd", O_RDWR) < 0)
      exit(11);
  } else if (strcmp(what, "leak") == 0) {
    HSA(hsa_iterate_agents)(device_leak, NULL);
  } else if (strcmp(what, "exec") == 0) {
    *step = program;
    execv(program, step);
    exit(13);
  } else if (strcmp(what, "stuck") == 0) {
    *(void (**)(void))dlsym(RTLD_DEFAULT, "aqueduct_process_end") = stuck;
  } else if (strstr(what, "fork") || strcmp(what, "daemon") == 0) {
    return children_make(step);
  } else {
    if (strcmp(what, "make") == 0)
      close(open(with, O_WRONLY | O_CREAT, 0600));
    else if (strcmp(what, "wait") == 0)
      while (access(with, F_OK) != 0)
        usleep(10000);
    else if (*what != '#')
      end(what, atoi(with));
    return step + 2;
  }
  return step + 1;
}

int main(int count, char **args)
{
  (void)count;
  for (char **step = args + 1; *step;)
    step = step_do(step, args[0]);
  return 0;
}
