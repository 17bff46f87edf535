/* SPDX-License-Identifier: MIT */
/*
 * Images of links: a link and its program in memory that a device reads, for
 * the block processor on the device.
 *
 * All pointers of an image lead into it, but those to kernels, buffers and
 * published arguments, which are the link's. It lacks names and sizes, which
 * only the host looks at. Ownership: the caller's; the link's published
 * arguments have to outlive it. Thread rule: read-only once made.
 */
#ifndef AQ_CMDBUF_LINK_IMAGE_H
#define AQ_CMDBUF_LINK_IMAGE_H

#include "cmdbuf/link.h"

typedef struct aq_link_image {
  const aq_link *link; /* the copy */
  void *memory;        /* of the transport */
} aq_link_image;

aq_status aq_link_image_make(const aq_link *link, aq_transport *transport,
                             uint32_t device, aq_link_image *out,
                             aq_diag *diag);

/* An image of zeros is none. */
void aq_link_image_free(aq_transport *transport, aq_link_image *image);

/* Whether the host may look at every value that the program decides by: walks
 * of the host read conditions and indirect grids; without
 * that, the device walks. */
bool aq_link_is_visible(const aq_link *link, const aq_binding *slots,
                        aq_transport *transport);

#endif
