#include "CVersion.h"

/* Each commit has a version of its own, and nothing is compiled anew for that: packaging/build.sh puts it into the
 * program's copy of this section. */
__attribute__((section(".pam_cognito_version"))) static const char text[64] = "unknown";

const char *version_text(void) {
    return text;
}
