/* SPDX-License-Identifier: MIT */
/* Of GPUs: there is nothing to configure. */
