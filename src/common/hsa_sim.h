/* SPDX-License-Identifier: MIT */
/*
 * An HSA extension by which a runtime says that it is a simulator: it runs host
 * functions as kernels, and time can be asked to move. The drop-in library
 * offers it; hardware does not, so a client that finds it knows that it does
 * not measure hardware.
 *
 * Obtained with hsa_system_get_major_extension_table; valid until the runtime
 * is shut down. Functions return hsa_status_t and may be called from any
 * thread.
 */
#ifndef AQ_COMMON_HSA_SIM_H
#define AQ_COMMON_HSA_SIM_H

#include "hsa_types.h"
#include "transport.h"

enum {
  AQ_HSA_EXTENSION_SIM = 0xa9ed, /* AMD's are 0x200 to 0x2ff */
  AQ_HSA_SIM_MAJOR = 1,
  AQ_HSA_SIM_MINOR = 0,
};

/* A call of a runtime above HSA with memory of a pool of its own. */
typedef enum aq_hsa_pool_call {
  AQ_HSA_POOL_ALLOCATED,
  AQ_HSA_POOL_FREES, /* packets that the thread publishes up to the end of the
                        call order the free */
  AQ_HSA_POOL_ENDS,  /* that call ended; base NULL: it failed */
  AQ_HSA_POOL_FREED, /* at once */
} aq_hsa_pool_kind;

typedef struct aq_hsa_pool {
  aq_hsa_pool_kind kind;
  void *base;
  size_t size;
  const void *stream, *function; /* the call is of this one */
} aq_hsa_pool;

typedef struct aq_hsa_sim {
  uint32_t size; /* sizeof(aq_hsa_sim) of the runtime */
  uint32_t caps; /* aq_transport_cap bits of the simulator */
  /* Its device model, hash, verdict and latencies; texts as long as the
   * runtime. */
  hsa_status_t (*device)(hsa_agent_t agent, aq_device_info *out);
  /* As the transport operation of that name. */
  hsa_status_t (*kernel_register)(const aq_kernel_desc *kernel,
                                  uint64_t *object);
  /* Lets time move to this tick of the system clock; UINT64_MAX: until nothing
   * is left to happen. */
  hsa_status_t (*sleep_until)(uint64_t tick);
  /* The reason why a queue stopped, as text, for its error callback and later.
   * */
  hsa_status_t (*queue_words)(const hsa_queue_t *queue, size_t size,
                              char *text);
  /* Readings of a device's clock (ticks of its timestamps) and of the system
   * clock (ns), taken together. Devices count from 0, as agents do. */
  hsa_status_t (*clocks)(uint32_t device, uint64_t *ticks, uint64_t *system);
  /* As the transport operation of that name. */
  hsa_status_t (*kernel_unregister)(uint64_t object);
  /* The packet at which a queue stopped, and its id, for its error callback and
   * later: packets before it may still be under way, so the read index does not
   * say it. Fails where the queue stopped at no packet. */
  hsa_status_t (*queue_packet)(const hsa_queue_t *queue, uint64_t *id,
                               aq_packet *packet);
  /* Reports a call of the runtime above to the checker, on the thread that
   * makes it. */
  hsa_status_t (*pool)(const aq_hsa_pool *call);
} aq_hsa_sim;

#endif
