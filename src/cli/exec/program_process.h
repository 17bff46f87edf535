/* SPDX-License-Identifier: MIT */
/*
 * Running a program as a child: in a namespace of its own or not, under a limit
 * of wall time. One program at a time: signals of the process are changed
 * meanwhile.
 */
#ifndef AQ_CLI_EXEC_PROGRAM_PROCESS_H
#define AQ_CLI_EXEC_PROGRAM_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/diag.h"
#include "common/time.h"

enum {
  AQ_EXEC_OURS = 125,   /* the child could not be prepared */
  AQ_EXEC_DENIED = 126, /* the program cannot be run */
  AQ_EXEC_MISSING = 127,
};

typedef struct aq_program {
  char *const *args; /* of execvp */
  bool isolated;     /* in a namespace of its own (mount_namespace.h) */
  const struct aqsim_device_set *devices; /* on its PCI bus; NULL: none */
  aq_time timeout;                        /* wall time, 0: none */
  bool budget; /* at the timeout it says where the time went */
  /* In the child, what kept the program from running; it then ends with one of
   * the codes above. */
  void (*failed)(const char *text);
} aq_program;

typedef struct aq_program_end {
  pid_t child;
  int status;     /* of waitpid */
  bool timed_out; /* it was asked to end, and then made to */
  bool refused;   /* it did not run; the status says why, as in shells */
} aq_program_end;

/* Runs it to its end with SIGINT and SIGQUIT ignored here: the terminal sends
 * them to both, and the program decides. */
aq_status aq_program_run(const aq_program *program, aq_program_end *out,
                         aq_diag *diag);

#endif
