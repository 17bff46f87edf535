/* SPDX-License-Identifier: MIT */
/* The scripts of a sweep's folder. */
#include "config.h"

#include "study/sweep/sweep_scripts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* One shard: on a store of the node's own disk, copied back at its end and when
 * the cluster stops it. SIGTERM may come at any time, and to each process of
 * the task: the copy ignores it. */
static const char task[] =
    "#!/bin/sh\n"
    "# Runs shard $1 of %u. Made by `aqueduct sweep --emit`.\n"
    "stop= child=\n"
    "trap 'stop=1; [ -z \"$child\" ] || kill -TERM \"$child\" 2>/dev/null' "
    "TERM INT\n"
    "cd \"$(dirname \"$0\")\" || exit 2\n"
    "shard=$1\n"
    "program=%s\n"
    "aqueduct=${AQUEDUCT:-$program}\n"
    "[ ! -d data ] || export AQ_DATA=\"$PWD/data\"\n"
    "local=${SLURM_TMPDIR:-${TMPDIR:-/tmp}}/aqueduct-$$\n"
    "mkdir -p \"$local\" stores || exit 2\n"
    "[ ! -f \"stores/$shard.db\" ] || cp \"stores/$shard.db\" \"$local/s.db\" "
    "|| stop=1\n"
    "[ -z \"$stop\" ] || { rm -rf \"$local\"; exit 143; }\n"
    "\"$aqueduct\" sweep %s --folder . --shard \"$shard/%u\" \\\n"
    "  --store \"$local/s.db\" --jobs \"${SLURM_CPUS_PER_TASK:-%u}\" \\\n"
    "  >\"progress/$shard.runs\" &\n"
    "child=$!\n"
    "[ -z \"$stop\" ] || kill -TERM \"$child\" 2>/dev/null\n"
    "wait \"$child\"\n"
    "code=$?\n"
    "while kill -0 \"$child\" 2>/dev/null; do wait \"$child\"; code=$?; done\n"
    "trap '' TERM INT\n"
    "[ -f \"$local/s.db\" ] || { rm -rf \"$local\"; exit \"$code\"; }\n"
    "# Of a sweep that was killed, the last points are in the journal, which\n"
    "# stays as long as one of its processes has not ended.\n"
    "journal() { [ -s \"$local/s.db-wal\" ] || [ -s \"$local/s.db-journal\" ]; "
    "}\n"
    "tries=60\n"
    "while journal && [ $tries -gt 0 ]; do\n"
    "  \"$aqueduct\" store check --store \"$local/s.db\" >&2\n"
    "  tries=$((tries - 1))\n"
    "  ! journal || sleep 1\n"
    "done\n"
    "if ! journal &&\n"
    "  cp \"$local/s.db\" \"stores/.$shard.part\" &&\n"
    "  mv \"stores/.$shard.part\" \"stores/$shard.db\"; then\n"
    "  echo \"kept 0 $(date +%%s)\" >>\"progress/$shard.log\"\n"
    "  rm -rf \"$local\"\n"
    "else\n"
    "  echo \"lost 0 $(date +%%s)\" >>\"progress/$shard.log\"\n"
    "  echo \"$local/s.db on $(hostname): cannot be copied to stores/\" >&2\n"
    "  code=2\n"
    "fi\n"
    "exit \"$code\"\n";

static const char merge[] =
    "#!/bin/sh\n"
    "# Merges the stores of all shards; fails while points are missing.\n"
    "cd \"$(dirname \"$0\")\" || exit 2\n"
    "program=%s\n"
    "aqueduct=${AQUEDUCT:-$program}\n"
    "set -- stores/*.db\n"
    "[ -f \"$1\" ] || { echo 'no shard has run' >&2; exit 1; }\n"
    "rm -f study.db.part\n"
    "\"$aqueduct\" store merge \"$@\" --store study.db.part >merge.txt\n"
    "code=$?\n"
    "[ \"$code\" -le 1 ] || exit \"$code\"\n"
    "mv study.db.part study.db || exit 2\n"
    "\"$aqueduct\" sweep --status .\n";

static const char array[] =
    "#!/bin/sh\n"
    "#SBATCH --job-name=aqueduct\n"
    "#SBATCH --array=1-%u\n"
    "#SBATCH --cpus-per-task=%u\n"
    "#SBATCH --requeue\n"
    "#SBATCH --signal=B:TERM@60\n"
    "#SBATCH --open-mode=append\n"
    "#SBATCH --output=progress/%%a.txt\n"
    "# Submit it in this folder: sbatch array.sbatch\n"
    "exec sh \"$SLURM_SUBMIT_DIR/task.sh\" \"$SLURM_ARRAY_TASK_ID\"\n";

static const char merge_job[] =
    "#!/bin/sh\n"
    "#SBATCH --job-name=aqueduct-merge\n"
    "#SBATCH --output=progress/merge.txt\n"
    "# sbatch --dependency=afterany:ARRAY merge.sbatch\n"
    "exec sh \"$SLURM_SUBMIT_DIR/merge.sh\"\n";

static const char condor[] = "# condor_submit sweep.sub, then ./merge.sh\n"
                             "executable = task.sh\n"
                             "arguments = $(shard)\n"
                             "initialdir = $ENV(PWD)\n"
                             "should_transfer_files = NO\n"
                             "request_cpus = %u\n"
                             "max_retries = 2\n"
                             "output = progress/$(shard).txt\n"
                             "error = progress/$(shard).txt\n"
                             "log = progress/condor.log\n"
                             "queue shard from seq 1 %u |\n";

/* A word as a shell reads it. */
static void word_put(FILE *out, const char *text)
{
  fputc('\'', out);
  for (; *text; text++)
    if (*text == '\'')
      fputs("'\\''", out);
    else
      fputc(*text, out);
  fputc('\'', out);
}

/* The same as a text, which the caller frees; NULL: out of memory. */
static char *word_make(const char *text)
{
  char *word = NULL;
  size_t size;
  FILE *out = open_memstream(&word, &size);
  if (!out)
    return NULL;
  word_put(out, text);
  return fclose(out) == 0 ? word : NULL;
}

static aq_status script_open(const char *folder, const char *name, FILE **out,
                             char path[4096], aq_diag *diag)
{
  snprintf(path, 4096, "%s/%s", folder, name);
  *out = fopen(path, "w");
  return *out ? AQ_OK
              : aq_diag_set(diag, AQ_ERR_IO, "%s: %s", path, strerror(errno));
}

static aq_status script_close(FILE *file, const char *path, aq_diag *diag)
{
  const bool bad = ferror(file) != 0;
  if ((fclose(file) != 0) | bad)
    return aq_diag_set(diag, AQ_ERR_IO, "%s: cannot be written", path);
  chmod(path, 0755);
  return AQ_OK;
}

static aq_status task_write(const aq_sweep_emission *e, const char *program,
                            const char *plan, aq_diag *diag)
{
  FILE *file;
  char path[4096];
  aq_status status = script_open(e->folder, "task.sh", &file, path, diag);
  if (status != AQ_OK)
    return status;
  fprintf(file, task, e->shards, program, plan, e->shards, e->cpus);
  status = script_close(file, path, diag);
  if (status == AQ_OK)
    status = script_open(e->folder, "merge.sh", &file, path, diag);
  if (status != AQ_OK)
    return status;
  fprintf(file, merge, program);
  return script_close(file, path, diag);
}

static aq_status slurm_write(const aq_sweep_emission *e, aq_diag *diag)
{
  FILE *file;
  char path[4096];
  aq_status status = script_open(e->folder, "array.sbatch", &file, path, diag);
  if (status != AQ_OK)
    return status;
  fprintf(file, array, e->shards, e->cpus);
  status = script_close(file, path, diag);
  if (status == AQ_OK)
    status = script_open(e->folder, "merge.sbatch", &file, path, diag);
  if (status != AQ_OK)
    return status;
  fputs(merge_job, file);
  return script_close(file, path, diag);
}

static aq_status other_write(const aq_sweep_emission *e, aq_diag *diag)
{
  const bool lines = e->engine == AQ_SWEEP_parallel;
  FILE *file;
  char path[4096];
  aq_status status = script_open(
      e->folder, lines ? "commands.txt" : "sweep.sub", &file, path, diag);
  if (status != AQ_OK)
    return status;
  if (!lines)
    fprintf(file, condor, e->cpus, e->shards);
  for (uint32_t i = 1; lines && i <= e->shards; i++)
    fprintf(file, "./task.sh %u\n", i);
  return script_close(file, path, diag);
}

aq_status aq_sweep_scripts_write(const aq_sweep_emission *emission,
                                 const char *plan, aq_diag *diag)
{
  char *program_word = word_make(emission->program);
  char *plan_word = word_make(plan);
  aq_status status = program_word && plan_word
                         ? task_write(emission, program_word, plan_word, diag)
                         : aq_diag_no_memory(diag);
  free(program_word);
  free(plan_word);
  if (status != AQ_OK)
    return status;
  return emission->engine == AQ_SWEEP_slurm ? slurm_write(emission, diag)
                                            : other_write(emission, diag);
}

void aq_sweep_commands_print(FILE *out, const char *plan, const char *store,
                             int64_t tasks)
{
  for (int64_t i = 1; i <= tasks; i++) {
    char name[4096];
    snprintf(name, sizeof name, "%s.%" PRId64, store, i);
    fputs("aqueduct sweep ", out);
    word_put(out, plan);
    fprintf(out, " --jobs 1 --shard %" PRId64 "/%" PRId64 " --store ", i,
            tasks);
    word_put(out, name);
    fputc('\n', out);
  }
}
