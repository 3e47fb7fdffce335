#ifndef CJANSSON_H
#define CJANSSON_H

#include <jansson.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

static inline void janssonErase(void *memory) {
    if (memory != NULL) {
        explicit_bzero(memory, malloc_usable_size(memory));
        free(memory);
    }
}

/* Has all memory erased that Jansson gives back: secrets may have been in it. */
static inline void janssonEraseWhenFreed(void) {
    json_set_alloc_funcs(malloc, janssonErase);
}

#endif
