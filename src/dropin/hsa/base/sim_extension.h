/* SPDX-License-Identifier: MIT */
/* The extension of clients that know they are on a simulator. */
#ifndef AQDROP_SIM_EXTENSION_H
#define AQDROP_SIM_EXTENSION_H

#include "common/hsa_sim.h"
#include "dropin/hsa/base/runtime.h"

/* Its table. */
aq_hsa_sim aqdrop_simulator(const aqdrop *runtime);

#endif
