/* A worker that somebody has taken over: it takes what it is asked for, enters its sandbox, and traces itself. */
#include "CSandbox.h"

#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>

int main(void)
{
	char byte;
	recv(0, &byte, 1, 0);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return sandbox_enter() == 0 ? (int)ptrace(PTRACE_TRACEME, 0, 0, 0) : 3;
}
