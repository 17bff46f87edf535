/* SPDX-License-Identifier: MIT */
/*
 * The file system that a program of `exec` sees: a mount namespace with
 * /dev/kfd, /sys/module/amdgpu, the devices in /sys/bus/pci/devices and an
 * `lsmod` that shows the module, for
 * programs that the preloaded shim cannot reach.
 *
 * A process that may mount gets a mount namespace alone; others a user
 * namespace besides, in which they keep user and group but have no other.
 */
#ifndef AQ_CLI_EXEC_MOUNT_NAMESPACE_H
#define AQ_CLI_EXEC_MOUNT_NAMESPACE_H

#include "backend_sim/model/device_set.h"
#include "common/diag.h"

typedef enum aq_isolation {
  AQ_ISOLATION_AUTO, /* a namespace, where it can be made */
  AQ_ISOLATION_NAMESPACE,
  AQ_ISOLATION_PRELOAD, /* the shim alone */
} aq_isolation;

/* "auto", "namespace" or "preload"; NULL: auto. */
aq_status aq_isolation_read(const char *text, aq_isolation *out, aq_diag *diag);

/* Moves this process into a namespace of its own, and puts the folder of
 * `lsmod` before PATH. `devices` (NULL: none) are on the PCI bus there. One
 * thread; after an error the process is half isolated, and has to end.
 * AQ_ERR_UNSUPPORTED names the step that the machine refused.
 * */
aq_status aq_isolation_enter(const aqsim_device_set *devices, aq_diag *diag);

/* Whether that works here: a child tries it. */
aq_status aq_isolation_try(const aqsim_device_set *devices, aq_diag *diag);

#endif
