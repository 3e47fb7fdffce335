/* A module behind ours: says what it finds, as pam_gnome_keyring, pam_mount or pam_fscrypt would. */
#include <security/pam_ext.h>
#include <security/pam_modules.h>
#include <stddef.h>

static int say(pam_handle_t *handle)
{
	const void *password = NULL, *old = NULL;
	if (pam_get_item(handle, PAM_AUTHTOK, &password) != PAM_SUCCESS || pam_get_item(handle, PAM_OLDAUTHTOK, &old) != PAM_SUCCESS)
		return PAM_SYSTEM_ERR;
	pam_info(handle, "found %s, old %s", password ? (const char *)password : "nothing", old ? (const char *)old : "nothing");
	return PAM_IGNORE;
}

int pam_sm_authenticate(pam_handle_t *handle, int flags, int count, const char **arguments)
{
	(void)flags;
	(void)count;
	(void)arguments;
	return say(handle);
}

int pam_sm_setcred(pam_handle_t *handle, int flags, int count, const char **arguments)
{
	(void)handle;
	(void)flags;
	(void)count;
	(void)arguments;
	return PAM_IGNORE;
}

int pam_sm_chauthtok(pam_handle_t *handle, int flags, int count, const char **arguments)
{
	(void)count;
	(void)arguments;
	return flags & PAM_PRELIM_CHECK ? PAM_IGNORE : say(handle);
}
