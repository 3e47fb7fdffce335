#if !hasFeature(Embedded)

/// The texts of programs that users need not start by hand, for users who do.
package enum ProgramWording {
    // MARK: cognito-agent

    package static func agentHelp(socket: String) -> String {
        text(
            """
            Usage: cognito-agent reap [--once | --now | --dry-run]
                   cognito-agent drain
                   cognito-agent failures [--reset USER]
                   cognito-agent accounts sync [--dry-run | --removals NUMBER]
                   cognito-agent accounts adopt [--apply] [USER...]
                   cognito-agent keys USER
                   cognito-agent serve
                   cognito-agent listen [--socket PATH]

            Performs the tasks of pam-cognito that require root privileges and are not part of a login. Must be run
            as root. The log (authpriv) shows what was done.

              reap        cleans up sessions that were not closed cleanly: revokes their tokens at Cognito, and removes
                          the sessions from the registry in root's kernel keyring. Later cleanup runs retry failed
                          attempts after one, two and four minutes, and finally every 15 minutes. Also asks Cognito
                          once per check_interval whether each open session is still valid, and ends invalid sessions
              drain       ends all sessions before the machine shuts down, even if their programs are still running.
                          Takes at most ten seconds, and lists the sessions that could not be ended
              failures    lists recent failed sign-ins: the account, the user id of the caller, and the number of
                          failures. With --reset, clears the recorded failures of one account
              accounts sync
                          creates accounts on this machine for the users in allowed_groups, and locks the accounts of
                          users who have left these groups. If Cognito cannot be reached, nothing changes. With
                          --removals, up to NUMBER accounts may be locked in one run, regardless of
                          account_removal_limit
              accounts adopt
                          lists the users in /etc/passwd who are also in allowed_groups, and shows why some of these
                          users cannot be converted to managed accounts with their current user id and home
                          directory. With --apply, converts all listed users who can be converted
              keys        prints the public ssh keys of a managed account, for AuthorizedKeysCommand in sshd_config(5)
              serve       serves one client through standard input, which must be a connected SOCK_SEQPACKET socket:
                          renews the session's tokens, or signs the session out. Started by listen
              end         ends one session in the background, after a program has closed the session. Started by the
                          module
              seal        seals or unseals the data of remembered devices with systemd-creds(1). Started by the module
              run-hooks   runs the sign-out hooks after a session's tokens have been removed. Started by the module and
                          by the commands above
              accounts    reports which user ids belong to accounts. Started by listen
              watch       revokes the tokens of sign-ins that did not lead to a session. Started by listen
              listen      starts one process per request. On systemd's socket (pam-cognito-agent.socket), exits when
                          idle. On its own socket, runs until stopped
              --once      perform one cleanup run (default)
              --now       also retry attempts that are not due, check all open sessions, and run without a time limit
              --dry-run   only show what would be done
              --socket    use a path other than \(socket); the users' tools use only this default path
              --help      show this help
              --version   show the version

            Exit status: 0 all work is done, 1 a session could not be ended yet, 64 invalid usage, 69 no socket,
            74 standard output could not be written, 77 not root.

            """)
    }
    package static let agentUsage = text(
        "expected 'reap [--once | --now | --dry-run]', 'drain', 'failures [--reset USER]', 'accounts sync "
            + "[--dry-run | --removals NUMBER]', 'accounts adopt [--apply] [USER...]', 'keys USER', 'serve' or "
            + "'listen'. For help, run 'cognito-agent --help'."
    )
    package static func agentUnwritten(_ error: Int32) -> String {
        text(
            "cannot write to standard output (errno \(error)), so the output is incomplete. The log lists what was "
                + "done."
        )
    }
    package static let agentNotRoot = text("only root can read the session registry; run cognito-agent as root.")
    package static let agentUnprotected = text(
        "this process exits, because it holds tokens and cannot be protected from other processes (prctl).")
    package static func agentNoFailures(_ error: Int32) -> String {
        text("the failure counts in root's kernel keyring cannot be read (errno \(error)).")
    }
    package static let agentNoSocket = text(
        "standard input is not a connected SOCK_SEQPACKET socket; systemd or 'listen' provides one.")
    package static func agentCannotListen(_ path: String, _ error: Int32) -> String {
        text("cannot listen on \(path) (errno \(error)); its directory must exist and be owned by root.")
    }

    // MARK: cognito-worker

    package static let workerUsage = text(
        "cognito-worker is started by pam_cognito.so and cognito-agent, with a socket as its standard input. "
            + "cognito-worker has no options. For the command that users run, see cognito-session(1).")
    package static let workerUnprotected = text(
        "cognito-worker could not be protected from other processes (prctl, setrlimit).")
}

#endif
