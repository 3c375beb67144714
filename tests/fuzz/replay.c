/* Runs a fuzzer's entry point over the files and folders named on the command line: what a fuzzer once found stays a
 * test in builds without libFuzzer. Fails when it was given nothing to run. */
#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	struct stat status;

	if (!file || fstat(fileno(file), &status) != 0) {
		perror(path);
		exit(1);
	}

	/* Exactly sized, so that a sanitizer sees a read past the end. */
	uint8_t *bytes = malloc((size_t)status.st_size + !status.st_size);
	size_t length = fread(bytes, 1, (size_t)status.st_size, file);

	fclose(file);
	LLVMFuzzerTestOneInput(bytes, length);
	free(bytes);
	return 1;
}

static int replay_folder(const char *path)
{
	DIR *folder = opendir(path);
	int count = 0;

	if (!folder)
		return replay_file(path);
	for (struct dirent *entry; (entry = readdir(folder));) {
		char name[4096];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		count += replay_file(name);
	}
	closedir(folder);
	return count;
}

int main(int argc, char **argv)
{
	int count = 0;

	for (int i = 1; i < argc; i++)
		count += replay_folder(argv[i]);
	printf("%d inputs replayed\n", count);
	return count > 0 ? 0 : 1;
}
