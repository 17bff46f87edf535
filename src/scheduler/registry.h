/* SPDX-License-Identifier: MIT */
/*
 * Finding policies: those built in and plug-ins, with settings, as users name
 * them: NAME|./x.so[,KEY=VALUE]….
 *
 * A choice owns its texts, its values and the plug-in; it outlives every policy
 * that is opened from it. One thread at a time.
 */
#ifndef AQ_SCHEDULER_REGISTRY_H
#define AQ_SCHEDULER_REGISTRY_H

#include "common/policy.h"
#include "scheduler/policy_watchdog.h"

/* The policies that are built in, ended by NULL; static. */
const aq_policy_ops *const *aq_policies(void);

typedef struct aq_policy_choice aq_policy_choice;

/* AQ_ERR_NOT_FOUND: nothing has that name. Other errors name the setting. */
aq_status aq_policy_choice_create(const char *text, aq_policy_choice **out,
                                  aq_diag *diag);

/* The same for a table of the caller's, which stays; `settings` is
 * "KEY=VALUE,…" or "". */
aq_status aq_policy_choice_of(const aq_policy_ops *ops, const char *settings,
                              aq_policy_choice **out, aq_diag *diag);

/* Notes in `watch`, which outlives the choice, where its policies are. Before
 * one is opened, and once. */
void aq_policy_choice_watch(aq_policy_choice *choice,
                            aq_policy_watchdog *watch);

/* Whether the text names none that is built in, so that code from outside would
 * be loaded. */
bool aq_policy_is_plugin(const char *text);

/* After every policy opened from it is closed. NULL is allowed. */
void aq_policy_choice_destroy(aq_policy_choice *choice);

/* The table, complete whatever size the plug-in's has. */
const aq_policy_ops *aq_policy_choice_ops(const aq_policy_choice *choice);
/* Whether it decides inside the device too, which few transports offer; of a
 * complete table. */
bool aq_policy_has_device_half(const aq_policy_ops *ops);
const aq_policy_value *aq_policy_choice_values(const aq_policy_choice *choice);
const aq_policy_timing *aq_policy_choice_timing(const aq_policy_choice *choice);

/* As it was chosen, "edf,slots=2"; a plug-in by its own name. */
const char *aq_policy_choice_name(const aq_policy_choice *choice);

typedef struct aq_policy_entry {
  const aq_policy_ops *ops; /* NULL: it cannot be loaded, see problem */
  const char *name;
  const char *path;    /* of plug-ins, else NULL */
  const char *problem; /* or NULL */
} aq_policy_entry;

/* Reports each policy: the built-in ones, then plug-ins that are found by name.
 * An entry lives for the call. */
aq_status aq_policy_each(void (*tell)(const aq_policy_entry *entry, void *user),
                         void *user, aq_diag *diag);

#endif
