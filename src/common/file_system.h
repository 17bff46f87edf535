/* SPDX-License-Identifier: MIT */
/* Names of file systems, for messages. Any thread. */
#ifndef AQ_COMMON_FILE_SYSTEM_H
#define AQ_COMMON_FILE_SYSTEM_H

/* "ext4" and so on: the file system that holds `path`. Static; where it is not
 * known, words that say so. */
const char *aq_file_system_name(const char *path);

#endif
