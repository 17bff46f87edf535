/* SPDX-License-Identifier: MIT */
/* The files that a scenario names: models and lists of requests. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "study/workload/scenario_model.h"

enum { PATH_SIZE = 4096 };

typedef struct walk {
  const char *data;
  void (*file)(const char *path, void *user);
  void *user;
} walk;

/* "x.json" and the profile beside it. */
static void path_report(const walk *w, const char *path)
{
  char beside[PATH_SIZE + 16];
  const size_t length = strlen(path);
  const size_t stem = length > 5 && strcmp(path + length - 5, ".json") == 0
                          ? length - 5
                          : length;
  if (access(path, R_OK) == 0)
    w->file(path, w->user);
  snprintf(beside, sizeof beside, "%.*s.profile.json", (int)stem, path);
  if (access(beside, R_OK) == 0)
    w->file(beside, w->user);
}

static void name_report(const walk *w, const aq_json_node *node,
                        const char *name)
{
  char path[PATH_SIZE];
  const char *file = node->doc->file, *slash = strrchr(file, '/');
  const int folder = slash && name[0] != '/' ? (int)(slash - file) + 1 : 0;
  int length;
  if (strncmp(name, "reef:", 5) == 0 && w->data)
    length = snprintf(path, sizeof path, "%s/workloads/reef-mi50/%s.json",
                      w->data, name + 5);
  else
    length = snprintf(path, sizeof path, "%.*s%s", folder, file, name);
  if (length < PATH_SIZE)
    path_report(w, path);
}

static void node_walk(const walk *w, const aq_json_node *node, int depth)
{
  size_t count;
  const char *text;
  if (depth > AQ_JSON_DEPTH_MAX)
    return;
  if (aq_json_is_text(node) && node->key &&
      (strcmp(node->key, "model") == 0 || strcmp(node->key, "file") == 0) &&
      aq_json_text(node, &text) == AQ_OK)
    name_report(w, node, text);
  if (aq_json_is_array(node) &&
      aq_json_array(node, 0, SIZE_MAX, &count) == AQ_OK)
    for (size_t i = 0; i < count; i++) {
      const aq_json_node element = aq_json_element(node, i);
      node_walk(w, &element, depth + 1);
    }
  if (aq_json_is_object(node) && aq_json_members(node, &count) == AQ_OK)
    for (size_t i = 0; i < count; i++) {
      const aq_json_node member = aq_json_member_at(node, i);
      node_walk(w, &member, depth + 1);
    }
}

/* The document with the values of its parameters, DISB's as a scenario. */
static aq_status document_walk(const walk *w, const char *text, size_t size,
                               const char *path, const char *const *parameters,
                               aq_diag *diag)
{
  aq_json_doc doc;
  char *converted = NULL, *filled = NULL;
  aq_status status = aq_json_parse(&doc, text, size, path, diag);
  if (status != AQ_OK)
    return status;
  const aq_json_node root = aq_json_root(&doc);
  if (aq_disb_is(&root)) {
    status = aq_disb_convert(&root, &converted, &size);
    text = converted;
  }
  aq_json_free(&doc);
  if (status == AQ_OK)
    status = aq_scenario_parameters(text, size, path, parameters, &filled,
                                    &size, diag);
  if (status == AQ_OK)
    status = aq_json_parse(&doc, filled ? filled : text, size, path, diag);
  if (status == AQ_OK) {
    const aq_json_node whole = aq_json_root(&doc);
    node_walk(w, &whole, 0);
    aq_json_free(&doc);
  }
  free(converted);
  free(filled);
  return status;
}

aq_status aq_scenario_files(const char *path, const char *const *parameters,
                            const char *data,
                            void (*file)(const char *path, void *user),
                            void *user, aq_diag *diag)
{
  const walk w = {data, file, user};
  char *text = NULL;
  size_t size;
  aq_status status = aq_json_load(path, &text, &size, diag);
  if (status == AQ_OK)
    status = document_walk(&w, text, size, path, parameters, diag);
  free(text);
  return status;
}
