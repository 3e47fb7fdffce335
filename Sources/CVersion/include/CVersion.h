/* Which version a program is. */
#ifndef CVERSION_H
#define CVERSION_H

/* The version that packaging/build.sh has written into this program; "unknown" where it was not built by that. */
const char *version_text(void);

#endif
