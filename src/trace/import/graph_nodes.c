/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "trace/import/graph_nodes.h"

#include <stdlib.h>

#include "common/array.h"
#include "common/fnv.h"

/* A launch is compared with so many different graphs, the largest first: it
 * takes some seconds for a thousand nodes each. */
enum { GRAPHS_MAX = 2000 };

struct aq_graph_node {
  size_t launch;
  aq_time start;
  uint64_t kernel; /* a digest of its name and shape, or of the copy */
};

/* The nodes of one launch. */
typedef struct sequence {
  const aq_graph_node *nodes;
  size_t count;
  uint64_t digest;
} sequence;

void aq_graph_nodes_fini(aq_graph_nodes *nodes)
{
  free(nodes->nodes);
}

bool aq_graph_nodes_add(aq_graph_nodes *nodes, size_t launch,
                        const aq_record *row)
{
  const int64_t shape[] = {row->kind,   row->name, row->grid_x, row->grid_y,
                           row->grid_z, row->wg_x, row->wg_y,   row->wg_z};
  const aq_graph_node node = {launch, row->start,
                              aq_fnv_add(AQ_FNV_START, shape, sizeof shape)};
  return AQ_ARRAY_PUSH(nodes->nodes, nodes->count, nodes->capacity, node);
}

static int node_order(const void *a, const void *b)
{
  const aq_graph_node *x = a, *y = b;
  if (x->launch != y->launch)
    return x->launch < y->launch ? -1 : 1;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return (x->kernel > y->kernel) - (x->kernel < y->kernel);
}

/* The largest first, equal ones together. */
static int sequence_order(const void *a, const void *b)
{
  const sequence *x = a, *y = b;
  if (x->count != y->count)
    return x->count > y->count ? -1 : 1;
  if (x->digest != y->digest)
    return x->digest < y->digest ? -1 : 1;
  return (x->nodes->launch > y->nodes->launch) -
         (x->nodes->launch < y->nodes->launch);
}

static int short_order(const void *a, const void *b)
{
  const aq_graph_short *x = a, *y = b;
  return (x->launch > y->launch) - (x->launch < y->launch);
}

/* Cuts the sorted nodes into launches. */
static size_t sequences_cut(const aq_graph_nodes *nodes, sequence *sequences)
{
  size_t count = 0;
  for (size_t i = 0; i < nodes->count; i++) {
    const aq_graph_node *node = &nodes->nodes[i];
    if (i == 0 || node[-1].launch != node->launch)
      sequences[count++] = (sequence){node, 0, AQ_FNV_START};
    sequence *last = &sequences[count - 1];
    last->count++;
    last->digest = aq_fnv_add(last->digest, &node->kernel, sizeof node->kernel);
  }
  return count;
}

/* Whether a launch has the nodes of another without a gap: the first or last
 * piece of a model that is captured in pieces has. */
static bool is_piece(const sequence *part, const sequence *whole)
{
  for (size_t from = 0; from + part->count <= whole->count; from++) {
    size_t same = 0;
    while (same < part->count &&
           whole->nodes[from + same].kernel == part->nodes[same].kernel)
      same++;
    if (same == part->count)
      return true;
  }
  return false;
}

static bool has_gaps(const sequence *part, const sequence *whole)
{
  size_t found = 0;
  for (size_t i = 0; i < whole->count && found < part->count; i++)
    found += whole->nodes[i].kernel == part->nodes[found].kernel;
  return found == part->count && !is_piece(part, whole);
}

/* Of launches by size, the ones with gaps that no second launch equals.
 */
static size_t short_find(const sequence *sequences, size_t count,
                         const sequence **graphs, aq_graph_short *list,
                         size_t *passed)
{
  size_t graph_count = 0, found = 0;
  for (size_t i = 0, next; i < count; i = next) {
    const sequence *one = &sequences[i];
    for (next = i + 1; next < count && sequences[next].count == one->count &&
                       sequences[next].digest == one->digest;)
      next++;
    size_t whole = 0;
    while (whole < graph_count && !has_gaps(one, graphs[whole]))
      whole++;
    if (next == i + 1 && whole < graph_count)
      list[found++] = (aq_graph_short){one->nodes->launch, one->count,
                                       graphs[whole]->count};
    else if (graph_count < GRAPHS_MAX)
      graphs[graph_count++] = one;
    else
      ++*passed;
  }
  return found;
}

bool aq_graph_nodes_short(aq_graph_nodes *nodes, aq_graph_short **list,
                          size_t *count, size_t *passed)
{
  *list = NULL;
  *count = *passed = 0;
  if (nodes->count == 0)
    return true;
  qsort(nodes->nodes, nodes->count, sizeof *nodes->nodes, node_order);
  size_t launches = 1;
  for (size_t i = 1; i < nodes->count; i++)
    launches += nodes->nodes[i].launch != nodes->nodes[i - 1].launch;
  sequence *sequences = malloc(launches * sizeof *sequences);
  const sequence **graphs = malloc(GRAPHS_MAX * sizeof *graphs);
  *list = malloc(launches * sizeof **list);
  if (!sequences || !graphs || !*list) {
    free(sequences);
    free(graphs);
    free(*list);
    *list = NULL;
    return false;
  }
  sequences_cut(nodes, sequences);
  qsort(sequences, launches, sizeof *sequences, sequence_order);
  *count = short_find(sequences, launches, graphs, *list, passed);
  free(sequences);
  free(graphs);
  qsort(*list, *count, sizeof **list, short_order);
  return true;
}
