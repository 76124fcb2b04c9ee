/* SPDX-License-Identifier: BSD-2-Clause
 * Writes a report of a stored compare document: report_tool table|html FILE [COLUMNS]
 */
#include "bench/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	json_error_t error;
	json_t *root;
	int rc;

	if (argc < 3) {
		fprintf(stderr, "usage: %s table|html FILE [COLUMNS]\n", argv[0]);
		return 2;
	}
	root = json_load_file(argv[2], 0, &error);
	if (!root) {
		fprintf(stderr, "%s: %s\n", argv[2], error.text);
		return 1;
	}
	if (!strcmp(argv[1], "html"))
		rc = bench_report_html(stdout, root);
	else
		rc = bench_report_table(
			stdout, root, argc > 3 ? (unsigned)atoi(argv[3]) : 100, false);
	json_decref(root);
	if (rc)
		fprintf(stderr, "%s: %s\n", argv[2], strerror(-rc));
	return rc ? 1 : 0;
}
