/* SPDX-License-Identifier: BSD-2-Clause
 * Entry points of the verbs, each in the file of its name.
 */
#ifndef APPS_VERBS_H
#define APPS_VERBS_H

int app_compare(int argc, char **argv);
int app_rx(int argc, char **argv);
int app_gen(int argc, char **argv);
int app_fwd(int argc, char **argv);
int app_lab(int argc, char **argv);
int app_lab_exec(int argc, char **argv);
int app_devices(int argc, char **argv);
int app_doctor(int argc, char **argv);
int app_help_verb(int argc, char **argv);
int app_version(int argc, char **argv);

extern const char app_devices_usage[], app_doctor_usage[];
extern const char app_compare_usage[], app_fwd_usage[], app_gen_usage[], app_rx_usage[];
extern const char app_lab_usage[], app_lab_exec_usage[], app_help_usage[], app_version_usage[];

#endif
