/* SPDX-License-Identifier: MIT */
/*
 * The device that the process's own code chooses: of its executable and of the
 * libraries that it has loaded when it opens HSA. For scripts and interpreters,
 * whose files have no code when `aqueduct exec` starts them.
 */
#ifndef AQDROP_PROGRAM_DEVICE_H
#define AQDROP_PROGRAM_DEVICE_H

/* The name of a device model, static; NULL: `exec` did not leave the choice to
 * the process, or none of its files has code that fits. A line on standard
 * error names the choice, unless exec is quiet. `edits` end with NULL. */
const char *aqdrop_own_device(const char *const *edits);

/* The default device: one whose processor the process's HIP or OpenCL knows,
 * with a line on standard error if that is not the usual one. Those crash, or
 * find no device, on a processor that their library does not name. Static. */
const char *aqdrop_default_device(void);

/* A line on standard error if they do not know a processor. */
void aqdrop_device_known(const char *device, const char *gfx);

#endif
