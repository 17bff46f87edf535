/* SPDX-License-Identifier: MIT */
/*
 * Devices as a runtime offers them: a driver has the physical devices of one
 * transport that the process may see; one or several of them are a logical
 * device, whose queues are chosen by a mask.
 *
 * A driver numbers its physical devices 0, 1, 2… in the order of
 * ROCR_VISIBLE_DEVICES, a logical device the ones that it was made of in their
 * order. `device` is always the transport's own ordinal, which its operations
 * take. Everything is asked of the transport's info once, so it works over any
 * transport.
 *
 * Ownership: a driver borrows its transport, a logical device its driver; each
 * has to be closed before the object it borrows. Neither changes after it was
 * any thread may ask. (Implemented in src/queue.)
 */
#ifndef AQ_COMMON_DEVICES_H
#define AQ_COMMON_DEVICES_H

#include <stdbool.h>
#include <stdint.h>

#include "diag.h"
#include "export.h"
#include "transport.h"

AQ_BEGIN_DECLS

/* ---- drivers ---- */

typedef struct aq_driver aq_driver;

typedef struct aq_driver_options {
  uint32_t size; /* sizeof(aq_driver_options) of the caller */
  /* In place of ROCR_VISIBLE_DEVICES. NULL: the variable's own value, which is
   * all devices where it is not set. */
  const char *visible;
  bool all; /* whatever either says */
} aq_driver_options;

typedef struct aq_physical_device {
  uint32_t device;            /* of the transport */
  const char *uuid;           /* NULL: not known */
  const aq_device_info *info; /* as long as the transport */
} aq_physical_device;

/* `options` may be NULL. A driver without visible devices is none the less. */
AQ_API aq_status aq_driver_open(aq_transport *transport,
                                const aq_driver_options *options,
                                aq_driver **out, aq_diag *diag);
AQ_API void aq_driver_close(aq_driver *driver);

/* How many physical devices the driver has. */
AQ_API uint32_t aq_driver_count(const aq_driver *driver);

/* One of them; NULL for a number that is not there. */
AQ_API const aq_physical_device *aq_driver_device(const aq_driver *driver,
                                                  uint32_t number);

/* ---- logical devices ---- */

typedef struct aq_logical_device aq_logical_device;

enum { AQ_AFFINITY_BITS = 64 };

/* Which queues of a logical device: bit `physical × queues + queue`. */
typedef uint64_t aq_queue_affinity;

#define AQ_AFFINITY_ANY UINT64_MAX

/* `which` has `count` numbers of the driver, none twice; NULL: all there are.
 * Each physical device is given `queues` queues (0: as many as the mask has
 * room for, at most 4). AQ_ERR_INVALID: no device at all, one that is not
 * there, or more queues than bits. */
AQ_API aq_status aq_logical_device_open(const aq_driver *driver,
                                        const uint32_t *which, uint32_t count,
                                        uint32_t queues,
                                        aq_logical_device **out, aq_diag *diag);

/* The same by a user's list: numbers and UUIDs (or the start of one, if no
 * other starts so), separated by commas; "" or NULL: all devices. It may begin
 * as a URI: "amdgpu", "amdgpu:0,2", "amdgpu://GPU-…". Unlike
 * ROCR_VISIBLE_DEVICES, any other entry is AQ_ERR_INPUT. */
AQ_API aq_status aq_logical_device_select(const aq_driver *driver,
                                          const char *which, uint32_t queues,
                                          aq_logical_device **out,
                                          aq_diag *diag);
AQ_API void aq_logical_device_close(aq_logical_device *logical);

/* How many physical devices it is made of, and one of them; NULL for a number
 * that is not there. */
AQ_API uint32_t aq_logical_device_count(const aq_logical_device *logical);
AQ_API const aq_physical_device *
aq_logical_device_physical(const aq_logical_device *logical, uint32_t physical);

/* ---- queues ---- */

typedef struct aq_queue_place {
  uint32_t physical; /* of the logical device */
  uint32_t device;   /* the same, of the transport */
  uint32_t queue;    /* 0 up to the queues of a physical device */
} aq_queue_place;

/* Bits of all queues, and of the queues of one physical device (0 if that does
 * not exist). */
AQ_API aq_queue_affinity
aq_logical_device_affinity(const aq_logical_device *logical);
AQ_API aq_queue_affinity aq_logical_device_affinity_of(
    const aq_logical_device *logical, uint32_t physical);

/* The first queue of a mask, whose bits for queues that are not there do not
 * count; AQ_ERR_INVALID when no other is set. */
AQ_API aq_status aq_logical_device_queue(const aq_logical_device *logical,
                                         aq_queue_affinity affinity,
                                         aq_queue_place *out, aq_diag *diag);

/* Of a mask, the queue with the fewest users, on the physical device whose
 * queues have the fewest; of several, the first. used: users by bit. */
AQ_API aq_status aq_logical_device_spread(const aq_logical_device *logical,
                                          aq_queue_affinity affinity,
                                          const uint32_t used[AQ_AFFINITY_BITS],
                                          aq_queue_place *out, aq_diag *diag);

/* The bit of a place. */
AQ_API uint32_t aq_logical_device_bit(const aq_logical_device *logical,
                                      const aq_queue_place *place);

/* ---- topology ---- */

/* How two memories reach each other: numbers of physical devices of the logical
 * one, or AQ_DEVICE_HOST. `a` and `b` of the answer are theirs, in the order
 * asked. Within one memory there are no hops, no latency and no limit
 * (UINT64_MAX). AQ_ERR_NOT_FOUND: the transport knows of no path. */
AQ_API aq_status aq_logical_device_link(const aq_logical_device *logical,
                                        uint32_t a, uint32_t b,
                                        aq_link_info *out, aq_diag *diag);

/* A bit for each physical device whose memory this one, or the host, has a path
 * to and can be allowed into: its row of the access matrix. */
AQ_API uint64_t aq_logical_device_access(const aq_logical_device *logical,
                                         uint32_t physical);

AQ_END_DECLS

#endif
