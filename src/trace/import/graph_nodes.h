/* SPDX-License-Identifier: MIT */
/*
 * The nodes of each graph launch, to find launches that lack some.
 *
 * A launch of a graph whose kernels have partly no record still has rows, so
 * nothing misses them there. Another launch of the graph may have them all: a
 * launch is short if its nodes are another launch's, in their order, but for
 * some between them, and no second launch has exactly these (then they are a
 * graph of their own). Nodes that every launch lost, or that were the first or
 * last ones, are not found: a smaller graph has the same ones. One thread at a
 * time.
 */
#ifndef AQ_TRACE_IMPORT_GRAPH_NODES_H
#define AQ_TRACE_IMPORT_GRAPH_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/record.h"

typedef struct aq_graph_node aq_graph_node;

typedef struct aq_graph_nodes {
  aq_graph_node *nodes; /* 24 bytes a row of a graph */
  size_t count, capacity;
} aq_graph_nodes;

typedef struct aq_graph_short {
  size_t launch;     /* as given to aq_graph_nodes_add() */
  size_t have, want; /* its nodes; the nodes of the launch that has more */
} aq_graph_short;

void aq_graph_nodes_fini(aq_graph_nodes *nodes);

/* Notes a row of a launch. False: out of memory. */
bool aq_graph_nodes_add(aq_graph_nodes *nodes, size_t launch,
                        const aq_record *row);

/* The short launches, by their number; the caller frees *list. *passed: the
 * graphs with which none was compared, since 2,000 others are larger. False:
 * out of memory. */
bool aq_graph_nodes_short(aq_graph_nodes *nodes, aq_graph_short **list,
                          size_t *count, size_t *passed);

#endif
