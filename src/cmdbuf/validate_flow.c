/* SPDX-License-Identifier: MIT */
/*
 * How blocks are connected: Tarjan's components, without recursion. Blocks of
 * one component can reach each other.
 */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cmdbuf/validate_priv.h"

/* The findings about a block. */
typedef struct node {
  uint32_t order; /* of discovery, from 1; 0: not yet */
  uint32_t low;   /* the earliest that it reaches */
  uint32_t component;
  uint32_t parent; /* in the walk */
  uint8_t edge;    /* the next one to follow: 0, 1, 2: none */
  bool open;       /* on the stack of its component */
} node;

typedef struct search {
  const aq_program *program;
  bool silent;  /* only blocks without packets, and edges between them */
  bool trusted; /* calls that can come back without a return do return */
  node *nodes;
  uint32_t *stack;
  uint32_t open, found, components;
  uint32_t empty_cycle; /* a block of a component with a cycle, or NONE */
} search;

static bool takes_part(const search *s, uint32_t block)
{
  return !s->silent || s->program->blocks[block]->packets == 0;
}

/* The n-th block that may come next, or AQ_BLOCK_NONE. */
static uint32_t edge_of(const search *s, uint32_t block, uint32_t n)
{
  const aq_block *header = s->program->blocks[block];
  const uint32_t to = n == 0 ? header->target : header->next;
  return to != AQ_BLOCK_NONE && takes_part(s, to) ? to : AQ_BLOCK_NONE;
}

static void node_open(search *s, uint32_t block, uint32_t parent)
{
  s->nodes[block] = (node){
      .order = ++s->found, .low = s->found, .parent = parent, .open = true};
  s->stack[s->open++] = block;
}

/* The blocks of a component leave the stack together. */
static void component_close(search *s, uint32_t root)
{
  uint32_t block, count = 0;
  do {
    block = s->stack[--s->open];
    s->nodes[block].open = false;
    s->nodes[block].component = s->components;
    count++;
  } while (block != root);
  if (count > 1 || edge_of(s, root, 0) == root || edge_of(s, root, 1) == root)
    s->empty_cycle = root;
  s->components++;
}

static void low_take(node *to, uint32_t low)
{
  if (low < to->low)
    to->low = low;
}

/* One step from a block: on to a new one, or back. */
static uint32_t search_step(search *s, uint32_t block)
{
  node *at = &s->nodes[block];
  if (at->edge < 2) {
    const uint32_t to = edge_of(s, block, at->edge++);
    if (to == AQ_BLOCK_NONE)
      return block;
    if (s->nodes[to].order == 0) {
      node_open(s, to, block);
      return to;
    }
    if (s->nodes[to].open)
      low_take(at, s->nodes[to].order);
    return block;
  }
  if (at->low == at->order)
    component_close(s, block);
  if (at->parent != AQ_BLOCK_NONE)
    low_take(&s->nodes[at->parent], at->low);
  return at->parent;
}

static void search_run(search *s)
{
  const uint32_t count = s->program->block_count;
  memset(s->nodes, 0, count * sizeof *s->nodes);
  s->open = s->found = s->components = 0;
  s->empty_cycle = AQ_BLOCK_NONE;
  for (uint32_t i = 0; i < count; i++) {
    if (s->nodes[i].order != 0 || !takes_part(s, i))
      continue;
    node_open(s, i, AQ_BLOCK_NONE);
    for (uint32_t at = i; at != AQ_BLOCK_NONE;)
      at = search_step(s, at);
  }
}

/* ---- calls ---- */

/* Blocks by component, targets of others first: components are closed
 * in that order. */
static void order_by_component(const search *s, uint32_t *places,
                               uint32_t *order)
{
  const uint32_t count = s->program->block_count;
  memset(places, 0, (s->components + 1) * sizeof *places);
  for (uint32_t i = 0; i < count; i++)
    places[s->nodes[i].component + 1]++;
  for (uint32_t i = 1; i <= s->components; i++)
    places[i] += places[i - 1];
  for (uint32_t i = 0; i < count; i++)
    order[places[s->nodes[i].component]++] = i;
}

/* The deepest calls that an edge leads to. */
static unsigned edge_depth(const search *s, const uint8_t *depths,
                           uint32_t block, uint32_t n)
{
  const uint32_t to = edge_of(s, block, n);
  if (to == AQ_BLOCK_NONE)
    return 0;
  const uint32_t component = s->nodes[to].component;
  const bool call = n == 0 &&
                    s->program->blocks[block]->terminator == AQ_OP_CALL &&
                    component != s->nodes[block].component;
  return depths[component] + (unsigned)call;
}

static aq_status depths_check(search *s, const uint32_t *order, uint8_t *depths,
                              aq_diag *diag)
{
  for (uint32_t i = 0; i < s->program->block_count; i++) {
    const uint32_t block = order[i];
    const aq_block *header = s->program->blocks[block];
    uint8_t *depth = &depths[s->nodes[block].component];
    if (!s->trusted && header->terminator == AQ_OP_CALL &&
        s->nodes[header->target].component == s->nodes[block].component)
      return aq_diag_set(diag, AQ_ERR_INPUT,
                         "block %u: its call can come back without a return",
                         block);
    for (uint32_t n = 0; n < 2; n++) {
      const unsigned deep = edge_depth(s, depths, block, n);
      if (deep > AQ_CALL_DEPTH)
        return aq_diag_set(diag, AQ_ERR_INPUT,
                           "block %u: more than %d calls within calls", block,
                           AQ_CALL_DEPTH);
      if (deep > *depth)
        *depth = (uint8_t)deep;
    }
  }
  return AQ_OK;
}

static aq_status calls_check(search *s, aq_diag *diag)
{
  const uint32_t count = s->program->block_count;
  s->silent = false;
  search_run(s);
  uint32_t *places = calloc(count + 1, sizeof *places);
  uint32_t *order = calloc(count, sizeof *order);
  uint8_t *depths = calloc(count, sizeof *depths);
  aq_status status;
  if (!places || !order || !depths) {
    status = aq_diag_no_memory(diag);
  } else {
    order_by_component(s, places, order);
    status = depths_check(s, order, depths, diag);
  }
  free(depths);
  free(order);
  free(places);
  return status;
}

static aq_status search_init(search *s, const aq_program *program,
                             aq_diag *diag)
{
  *s = (search){.program = program, .silent = true};
  s->nodes = calloc(program->block_count, sizeof *s->nodes);
  s->stack = calloc(program->block_count, sizeof *s->stack);
  return s->nodes && s->stack ? AQ_OK : aq_diag_no_memory(diag);
}

static void search_fini(search *s)
{
  free(s->stack);
  free(s->nodes);
}

aq_status aq_program_check_flow(const aq_program *program, aq_diag *diag)
{
  search s;
  aq_status status = search_init(&s, program, diag);
  if (status == AQ_OK) {
    search_run(&s);
    if (s.empty_cycle != AQ_BLOCK_NONE)
      status = aq_diag_set(diag, AQ_ERR_INPUT,
                           "block %u: on a cycle that makes no packet",
                           s.empty_cycle);
  }
  if (status == AQ_OK)
    status = calls_check(&s, diag);
  search_fini(&s);
  return status;
}

aq_status aq_program_check_depth(const aq_program *program, aq_diag *diag)
{
  bool any = false;
  for (uint32_t i = 0; i < program->block_count && !any; i++)
    any = program->blocks[i]->terminator == AQ_OP_CALL;
  if (!any)
    return AQ_OK;
  search s;
  aq_status status = search_init(&s, program, diag);
  s.trusted = true;
  if (status == AQ_OK)
    status = calls_check(&s, diag);
  search_fini(&s);
  return status;
}
