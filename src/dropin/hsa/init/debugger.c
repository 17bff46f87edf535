/* SPDX-License-Identifier: MIT */
/*
 * The list of loaded code objects that debuggers look for by name. It is empty
 * and of version 0, as before a runtime opens its device: there is no trap
 * handler for a debugger to talk to.
 */
#include "config.h"

#include <link.h>

extern struct r_debug _amdgpu_r_debug __attribute__((visibility("default")));
struct r_debug _amdgpu_r_debug;
