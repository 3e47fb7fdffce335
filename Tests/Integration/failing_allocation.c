/* Preloaded into a host under test: the ALLOCATION_FAILS-th allocation that pam_cognito.so asks for fails. What they were is written to
 * ALLOCATIONS: how many, the bytes of the largest, and whether one failed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <fcntl.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static long count;
static size_t largest;

static void note(const char *what)
{
	const char *path = getenv("ALLOCATIONS");
	char line[100];
	int length = snprintf(line, sizeof line, "%s %ld %zu\n", what, count, largest), file;
	if (path && (file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) >= 0) {
		if (write(file, line, (size_t)length) != length)
			abort();
		close(file);
	}
}

static bool fails(const void *caller, size_t size)
{
	struct dl_find_object found;
	const char *wanted = getenv("ALLOCATION_FAILS");
	if (_dl_find_object((void *)caller, &found) || !strstr(found.dlfo_link_map->l_name, "pam_cognito"))
		return false;
	if (size > largest)
		largest = size;
	if (++count != (wanted ? atol(wanted) : 0))
		return false;
	largest = size;
	note("failed");
	errno = ENOMEM;
	return true;
}

#define CALLER __builtin_return_address(0)

void *malloc(size_t size) { return fails(CALLER, size) ? NULL : __libc_malloc(size); }
void *calloc(size_t number, size_t size) { return fails(CALLER, number * size) ? NULL : __libc_calloc(number, size); }
void *realloc(void *memory, size_t size) { return fails(CALLER, size) ? NULL : __libc_realloc(memory, size); }
void *memalign(size_t alignment, size_t size) { return fails(CALLER, size) ? NULL : __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **memory, size_t alignment, size_t size)
{
	if (fails(CALLER, size))
		return ENOMEM;
	*memory = __libc_memalign(alignment, size);
	return *memory ? 0 : ENOMEM;
}

__attribute__((destructor)) static void done(void) { note("made"); }
