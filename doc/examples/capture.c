/* SPDX-License-Identifier: MIT */
/*
 * Captures a program's submissions to its queues, for
 *
 *   aqueduct replay FILE [--bench 20]
 *
 * The program attaches the capture before it makes queues and semaphores, adds
 * memory and kernels to it, and finishes it after the last submission.
 *
 *   cc capture.c $(pkg-config --cflags --libs aqueduct) && ./a.out out.aqcap
 */
#include <aqueduct/capture.h>
#include <aqueduct/transports.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 4096 };

static aq_diag diag = AQ_DIAG_INIT;

static void check(aq_status status)
{
  if (status == AQ_OK)
    return;
  fprintf(stderr, "capture: %s\n", diag.text);
  exit(1);
}

/* Two queues take turns on the same memory. */
static void submit(aq_context *context, unsigned char *host)
{
  aq_queue *first, *second;
  aq_semaphore *turns;
  void *memory;
  const aq_queue_options options = {.size_of = sizeof options, .size = 64};
  check(aq_queue_create(context, &options, &first, &diag));
  check(aq_queue_create(context, &options, &second, &diag));
  check(aq_semaphore_create(context, 0, 0, &turns, &diag));
  const aq_point points[] = {{turns, 1}, {turns, 2}, {turns, 3}};
  check(aq_queue_alloca(first, NULL,
                        &(aq_memory_request){AQ_MEMORY_DEVICE, SIZE}, &memory,
                        &diag));
  check(aq_queue_fill(
      first, &(aq_sync){.signals = &points[0], .signal_count = 1},
      &(aq_fill){
          .target = memory, .size = SIZE, .pattern = 7, .pattern_size = 4},
      &diag));
  check(aq_queue_update(
      second,
      &(aq_sync){.waits = &points[0],
                 .wait_count = 1,
                 .signals = &points[1],
                 .signal_count = 1},
      &(aq_update){.target = memory, .bytes = "a few bytes", .size = 11},
      &diag));
  check(aq_queue_copy(first,
                      &(aq_sync){.waits = &points[1],
                                 .wait_count = 1,
                                 .signals = &points[2],
                                 .signal_count = 1},
                      &(aq_copy){.target = host,
                                 .source = memory,
                                 .size = SIZE,
                                 .path = AQ_PATH_HOST,
                                 .way = AQ_COPY_ENGINE},
                      &diag));
  check(aq_queue_dealloca(first, NULL, memory, &diag));
  check(
      aq_semaphore_wait(&points[2], 1, AQ_WAIT_ALL, AQ_TIME_MAX, NULL, &diag));
  aq_queue_destroy(first);
  aq_queue_destroy(second);
  aq_semaphore_release(turns);
}

int main(int argc, char **argv)
{
  aq_transport_stack *stack;
  aq_transport *t;
  aq_context *context;
  aq_capture *capture;
  const char *path = argc > 1 ? argv[1] : "capture-example.aqcap";
  unsigned char host[SIZE] = {0};
  check(aq_transport_stack_create("sim", NULL, &stack, &diag));
  check(aq_transport_stack_open(
      stack, &(aq_transport_options){.size = sizeof(aq_transport_options)}, &t,
      &diag));
  check(aq_context_create(
      &(aq_context_options){.size = sizeof(aq_context_options), .transport = t},
      &context, &diag));
  check(aq_capture_create(context, &capture, &diag));
  aq_capture_add_memory(capture,
                        &(aq_capture_memory){.name = "result",
                                             .address = host,
                                             .size = sizeof host,
                                             .kind = AQ_MEMORY_HOST,
                                             .policy = AQ_CAPTURE_ALL});
  submit(context, host);
  check(aq_capture_finish(capture, path, &diag));
  const int good = memcmp(host, "a few bytes", 11) == 0 && host[12] == 7;
  printf("%sok 1 - captured into %s\n1..1\n", good ? "" : "not ", path);
  if (argc == 1)
    remove(path);
  aq_capture_destroy(capture);
  aq_context_destroy(context);
  t->ops->close(t);
  aq_transport_stack_destroy(stack);
  return !good;
}
