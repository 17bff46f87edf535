/* SPDX-License-Identifier: MIT */
/*
 * Captures: with correct checksums, so that the reader reaches the contents; an
 * accepted file is printed, and replayed twice on the null transport.
 */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "queue/capture/capture_player.h"
#include "queue/capture/digest.h"
#include "queue/capture/reader.h"
#include "transport/null/null.h"

enum { MEMORY_MAX = 1 << 20, QUEUE_MAX = 1 << 12, THINGS_MAX = 64 };

static void idle(const aq_kernel_call *call)
{
  (void)call;
}

static void checksums_mend(unsigned char *bytes, size_t size)
{
  aq_cap_header *header = (aq_cap_header *)(void *)bytes;
  size_t at = sizeof *header;
  if (size < at)
    return;
  header->file_size = size;
  header->checksum =
      aq_capture_checksum(header, offsetof(aq_cap_header, checksum));
  while (size - at >= sizeof(aq_cap_head)) {
    aq_cap_head *head = (aq_cap_head *)(void *)(bytes + at);
    if (head->size > size - at - sizeof *head ||
        aq_cap_round(head->size) > size - at - sizeof *head)
      return;
    head->checksum = aq_capture_checksum(head + 1, head->size);
    at += sizeof *head + aq_cap_round(head->size);
  }
}

/* Leaves out files that would only be slow. */
static bool is_small(const aq_cap_file *file)
{
  uint64_t memory = 0;
  for (uint32_t i = 0; i < file->counts.memories; i++) {
    if (file->memories[i].size > MEMORY_MAX)
      return false;
    memory += file->memories[i].size;
  }
  for (uint32_t i = 0; i < file->record_count; i++) {
    const aq_cap_queue *q = aq_cap_fixed(file->records[i]);
    if (file->records[i]->kind == AQ_CAP_QUEUE &&
        (q->size > QUEUE_MAX || q->kernarg_size > MEMORY_MAX ||
         q->notifications > QUEUE_MAX))
      return false;
  }
  /* Kernels would do anything with anything. */
  return memory <= MEMORY_MAX && file->counts.queues <= THINGS_MAX &&
         file->counts.programs == 0;
}

static void line_drop(const char *line, void *user)
{
  *(size_t *)user += strlen(line);
}

static void file_play(const aq_cap_file *file)
{
  aq_transport *transport;
  aq_cap_player *player;
  aq_cap_played played;
  aq_diag diag = AQ_DIAG_INIT;
  const aq_transport_options open = {.size = sizeof open};
  aq_kernel_entry *kernels = calloc(file->counts.kernels + 1, sizeof *kernels);
  if (!kernels ||
      aqsim_null_transport_ops.open(&open, &transport, &diag) != AQ_OK)
    abort();
  for (uint32_t i = 0; i < file->counts.kernels; i++)
    kernels[i] = (aq_kernel_entry){.name = file->kernels[i], .function = idle};
  const aq_cap_player_options options = {
      .size = sizeof options, .transport = transport, .kernels = kernels};
  if (aq_cap_player_create(file, &options, &player, &diag) == AQ_OK) {
    for (int i = 0; i < 2; i++)
      aq_cap_player_run(player, &played, &diag);
    aq_cap_player_destroy(player);
  }
  transport->ops->close(transport);
  free(kernels);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  aq_cap_file *file;
  aq_diag diag = AQ_DIAG_INIT;
  size_t length = 0;
  unsigned char *copy = malloc(size + 1);
  if (!copy)
    abort();
  if (size > 0)
    memcpy(copy, data, size);
  checksums_mend(copy, size);
  if (aq_cap_file_parse("fuzz", copy, size, &file, &diag) == AQ_OK) {
    aq_cap_file_print(file, line_drop, &length);
    if (is_small(file))
      file_play(file);
    aq_cap_file_close(file);
  }
  free(copy);
  return 0;
}
