/* The bare publish: what replacing a small file durably costs at least, and nothing
 * else. For every number read from standard input it publishes that many times in the
 * directory that it is given, and prints how many nanoseconds that took. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char record[64 << 10];

static int publish(int dir, size_t size) {
	int f = openat(dir, "next", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (f < 0) return -1;
	if (write(f, record, size) != (ssize_t)size || fsync(f) || close(f)) return -1;
	return renameat(dir, "next", dir, "record") || fsync(dir);
}

int main(int argc, char **argv) {
	if (argc != 3) return 64;
	size_t size = strtoul(argv[2], NULL, 10);
	int dir = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0 || size > sizeof record) return perror(argv[1]), 1;
	memset(record, 'x', size);
	for (long n; scanf("%ld", &n) == 1;) {
		struct timespec from, to;
		clock_gettime(CLOCK_MONOTONIC, &from);
		for (long i = 0; i < n; i++)
			if (publish(dir, size)) return perror("publish"), 1;
		clock_gettime(CLOCK_MONOTONIC, &to);
		printf("%lld\n", (to.tv_sec - from.tv_sec) * 1000000000LL + (to.tv_nsec - from.tv_nsec));
		fflush(stdout);
	}
	return 0;
}
