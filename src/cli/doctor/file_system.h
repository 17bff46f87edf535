/* SPDX-License-Identifier: MIT */
/* Names of file systems, for messages. Any thread. */
#ifndef AQ_CLI_DOCTOR_FILE_SYSTEM_H
#define AQ_CLI_DOCTOR_FILE_SYSTEM_H

/* "ext4" and so on: the file system that holds `path`. Static; where the type
 * is unknown, a text that says this. */
const char *aq_file_system_name(const char *path);

#endif
