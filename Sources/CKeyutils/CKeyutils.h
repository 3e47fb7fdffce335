#ifndef CKEYUTILS_H
#define CKEYUTILS_H

#include <keyutils.h>

#endif
