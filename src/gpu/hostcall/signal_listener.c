/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/hostcall/signal_listener.h"

#include <pthread.h>
#include <stdlib.h>

struct aq_listener {
  aq_transport *t;
  void (*serve)(void *user);
  void *user;
  aq_signal doorbell;
  bool stops; /* atomic */
  pthread_t thread;
};

static void *listen_run(void *user)
{
  aq_listener *l = user;
  aq_wait_item item = {l->doorbell, AQ_NE, 0};
  const aq_wait_request request = {.items = &item,
                                   .count = 1,
                                   .mode = AQ_WAIT_ANY,
                                   .hint = AQ_WAIT_BLOCKED,
                                   .deadline = AQ_TIME_MAX};
  aq_wait_result result;
  while (!__atomic_load_n(&l->stops, __ATOMIC_ACQUIRE) &&
         l->t->ops->wait(l->t, &request, &result, NULL) == AQ_OK) {
    item.value = result.value;
    l->serve(l->user);
  }
  return NULL;
}

aq_status aq_listener_start(aq_transport *t, void (*serve)(void *user),
                            void *user, aq_listener **out, aq_diag *diag)
{
  const aq_signal_desc desc = {.value = 0};
  aq_listener *l = calloc(1, sizeof *l);
  if (!l)
    return aq_diag_no_memory(diag);
  *l = (aq_listener){.t = t, .serve = serve, .user = user};
  aq_status status = t->ops->signal_create(t, &desc, &l->doorbell, diag);
  if (status != AQ_OK) {
    free(l);
    return status;
  }
  if (pthread_create(&l->thread, NULL, listen_run, l) != 0) {
    t->ops->signal_destroy(t, l->doorbell);
    free(l);
    return aq_diag_set(diag, AQ_ERR_RESOURCES,
                       "no thread for the services of the host");
  }
  *out = l;
  return AQ_OK;
}

aq_signal aq_listener_doorbell(const aq_listener *listener)
{
  return listener->doorbell;
}

void aq_listener_stop(aq_listener *l)
{
  if (!l)
    return;
  __atomic_store_n(&l->stops, true, __ATOMIC_RELEASE);
  l->t->ops->signal_update(l->t, l->doorbell, AQ_UPDATE_ADD, 1, 0, AQ_RELEASE);
  pthread_join(l->thread, NULL);
  l->t->ops->signal_destroy(l->t, l->doorbell);
  free(l);
}
