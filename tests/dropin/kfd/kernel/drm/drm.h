/* SPDX-License-Identifier: MIT */
/* What <linux/kfd_ioctl.h> takes from libdrm's header of this name, which
 * systems keep elsewhere or do not have: types and requests. */
#include <linux/types.h>
#include <sys/ioctl.h>
