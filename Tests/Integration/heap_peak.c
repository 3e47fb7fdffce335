/* Preloaded into a host under test: how much it had allocated at most since it last asked, beyond what it had then. */
#include <errno.h>
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

static size_t live, base, peak;

static void *gained(void *memory)
{
	live += malloc_usable_size(memory);
	if (live > peak)
		peak = live;
	return memory;
}

void *malloc(size_t size) { return gained(__libc_malloc(size)); }
void *calloc(size_t count, size_t size) { return gained(__libc_calloc(count, size)); }
void *memalign(size_t alignment, size_t size) { return gained(__libc_memalign(alignment, size)); }
void *aligned_alloc(size_t alignment, size_t size) { return gained(__libc_memalign(alignment, size)); }

int posix_memalign(void **memory, size_t alignment, size_t size)
{
	*memory = gained(__libc_memalign(alignment, size));
	return *memory ? 0 : ENOMEM;
}

void *realloc(void *memory, size_t size)
{
	size_t before = malloc_usable_size(memory);
	void *moved = __libc_realloc(memory, size);
	if (moved || !size)
		live -= before;
	/* While it is being moved both are there. */
	if (moved && moved != memory && live + before + size > peak)
		peak = live + before + size;
	return gained(moved);
}

void free(void *memory)
{
	live -= malloc_usable_size(memory);
	__libc_free(memory);
}

size_t heap_peak(void)
{
	size_t found = peak - base;
	base = peak = live;
	return found;
}
