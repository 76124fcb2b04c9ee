/* SPDX-License-Identifier: BSD-2-Clause
 * A fuzz target without a fuzzer: gives it every file of the folders that it is called with.
 * Names each file before, so that the last one is the culprit.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path)
{
	struct stat st;
	FILE *file = fopen(path, "rb");

	if (!file || fstat(fileno(file), &st)) {
		perror(path);
		return -1;
	}
	/* Exactly its size, so that a sanitizer sees one byte too many. */
	uint8_t *data = malloc((size_t)st.st_size + !st.st_size);
	size_t n = fread(data, 1, (size_t)st.st_size, file);
	fprintf(stderr, "%s, %zu bytes\n", path, n);
	LLVMFuzzerTestOneInput(data, n);
	free(data);
	fclose(file);
	return 0;
}

int main(int argc, char **argv)
{
	int files = 0;

	for (int i = 1; i < argc; i++) {
		struct dirent *entry;
		char path[4096];
		DIR *dir = opendir(argv[i]);
		if (!dir) {
			perror(argv[i]);
			return 1;
		}
		while ((entry = readdir(dir))) {
			if (entry->d_name[0] == '.')
				continue;
			snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
			if (replay(path))
				return 1;
			files++;
		}
		closedir(dir);
	}
	printf("%d files\n", files);
	return files ? 0 : 1;
}
