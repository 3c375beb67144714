/* Notes when a command begins: exec_at FILE COMMAND... writes the time (CLOCK_MONOTONIC, nanoseconds) and becomes the command. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	FILE *file = argc > 2 ? fopen(argv[1], "we") : NULL;
	struct timespec now;

	if (!file) {
		fprintf(stderr, "usage: exec_at FILE COMMAND...\n");
		return 2;
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	fprintf(file, "%lld\n", now.tv_sec * 1000000000ll + now.tv_nsec);
	fclose(file);
	execvp(argv[2], argv + 2);
	fprintf(stderr, "exec_at: %s: %s\n", argv[2], strerror(errno));
	return 127;
}
