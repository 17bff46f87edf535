/* SPDX-License-Identifier: MIT */
/* The files that AMD's own runtime, where `exec` leaves it in its place, finds
 * of a simulated kernel driver. */
#ifndef AQ_CLI_EXEC_DRIVER_FILES_H
#define AQ_CLI_EXEC_DRIVER_FILES_H

#include "common/diag.h"

/* Writes the files by which the driver describes devices, before the program
 * runs, into a folder AQ_SPOOLS_DRIVER of `spools`, and names it to the program
 * (AQUEDUCT_DRIVER_FILES). *device: as --device has it; NULL becomes the
 * default. */
aq_status aq_exec_driver_files(const char *spools, const char **device,
                               const char *const *edits, aq_diag *diag);

/* Writes the topology of devices alone, as --device takes them, into a folder
 * whose parent is there; files that exist are replaced. */
aq_status aq_exec_topology_write(const char *device, const char *folder,
                                 aq_diag *diag);

/* Removes them; NULL is fine. */
void aq_exec_driver_files_remove(const char *folder);

#endif
