#ifndef CJANSSON_H
#define CJANSSON_H

#include <jansson.h>

#endif
