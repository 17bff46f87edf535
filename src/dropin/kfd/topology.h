/* SPDX-License-Identifier: MIT */
/*
 * The files by which the kernel driver describes a machine: of
 * /sys/devices/virtual/kfd/kfd/topology, for any devices. Node 0 is the host,
 * node n device n - 1.
 */
#ifndef AQKFD_TOPOLOGY_H
#define AQKFD_TOPOLOGY_H

#include "backend_sim/model/device_set.h"

enum {
  AQKFD_RENDER_FIRST = 128,  /* minor of the first device's render node */
  AQKFD_PCI_DOMAIN = 0xa9d0, /* of all devices */
};

/* Writes them into a folder, which is made if its parent is there; existing
 * files are replaced. AQ_ERR_UNSUPPORTED: a device whose instruction set
 * has no number; AQ_ERR_IO. */
aq_status aqkfd_topology_write(const aqsim_device_set *devices,
                               const char *folder, aq_diag *diag);

#endif
