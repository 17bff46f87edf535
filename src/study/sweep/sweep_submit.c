/* SPDX-License-Identifier: MIT */
/* Sweeps submitted to Slurm. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "study/sweep/sweep_scripts.h"

enum { WORDS_MAX = 64 };

static bool child_await(pid_t pid, int *how)
{
  pid_t ended;
  do
    ended = waitpid(pid, how, 0);
  while (ended < 0 && errno == EINTR);
  return ended == pid;
}

/* Runs sbatch in the folder; the first number that it prints is the job's:
 * "17", or "17;cluster". */
static aq_status job_submit(const char *folder, char *const *words,
                            int64_t *job, aq_diag *diag)
{
  int pipes[2], how = 0;
  char line[256] = "";
  if (pipe(pipes) != 0)
    return aq_diag_set(diag, AQ_ERR_IO, "pipe: %s", strerror(errno));
  fflush(NULL);
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(pipes[1], STDOUT_FILENO);
    close(pipes[0]);
    close(pipes[1]);
    if (chdir(folder) == 0)
      execvp(words[0], words);
    _exit(127);
  }
  close(pipes[1]);
  FILE *out = fdopen(pipes[0], "r");
  if (pid > 0 && out && !fgets(line, sizeof line, out))
    line[0] = 0;
  if (out)
    fclose(out);
  if (pid < 0 || !child_await(pid, &how) || !WIFEXITED(how) ||
      WEXITSTATUS(how) != 0 || sscanf(line, "%" SCNd64, job) != 1)
    return aq_diag_set(diag, AQ_ERR_IO,
                       "sbatch did not accept the job; %s is complete and can "
                       "be submitted by hand",
                       folder);
  return AQ_OK;
}

/* The array, and the merge after it. */
aq_status aq_sweep_submit(const char *folder, const char *given,
                          int64_t jobs[2], aq_diag *diag)
{
  char *options = strdup(given), *rest = NULL;
  char after[64], parsable[] = "--parsable", sbatch[] = "sbatch";
  char array[] = "array.sbatch", merge[] = "merge.sbatch";
  char *words[WORDS_MAX] = {sbatch, parsable};
  size_t count = 2;
  if (!options)
    return aq_diag_no_memory(diag);
  for (char *word = strtok_r(options, " ", &rest);
       word && count < WORDS_MAX - 3; word = strtok_r(NULL, " ", &rest))
    words[count++] = word;
  words[count] = array;
  aq_status status = job_submit(folder, words, &jobs[0], diag);
  if (status == AQ_OK) {
    snprintf(after, sizeof after, "--dependency=afterany:%" PRId64, jobs[0]);
    words[count] = after;
    words[count + 1] = merge;
    status = job_submit(folder, words, &jobs[1], diag);
  }
  free(options);
  return status;
}
