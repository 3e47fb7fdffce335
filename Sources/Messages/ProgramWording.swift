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

            Does the work of pam-cognito that needs root and belongs to no login. Needs root. The log (authpriv) also \
            says
            what it did.

              reap        cleans up sessions that were not closed cleanly: revokes their tokens at Cognito, then \
            removes them
                          from the registry in root's kernel keyring. What fails is tried again by later cleanup runs: \
            after one
                          minute, two, four, and at last every 15 minutes. Then it asks Cognito whether open sessions \
            are still
                          valid, each once in check_interval, and ends those that are not
              drain       ends all sessions, even if their programs still run, because the machine shuts down. Takes \
            at most ten
                          seconds, and lists the sessions that it could not end
              failures    lists recent failed sign-ins: as which account, by which user id and how often. With \
            --reset, clears
                          the failures of one account
              accounts sync
                          creates accounts on this machine for the users of allowed_groups, and locks the accounts of \
            users who
                          are in none of these groups any more. If Cognito cannot be reached, nothing changes. With \
            --removals, that
                          many accounts may be locked in one run, whatever account_removal_limit says
              accounts adopt
                          lists the users of /etc/passwd that are users of allowed_groups, and why others cannot \
            become managed
                          accounts with their present user id and home. With --apply, they become managed accounts
              keys        prints the public ssh keys of a managed account, for AuthorizedKeysCommand in sshd_config(5)
              serve       serves one client on standard input, a connected SOCK_SEQPACKET socket: renews the session's \
            tokens,
                          or signs it out. Started by listen
              end         ends one session that its program has closed without waiting. Started by the module
              seal        seals or unseals, with systemd-creds(1), the module's remembered devices. Started by the \
            module
              let-go      runs the sign-out hooks after a session's tokens have ended. Started by the module and by \
            the commands
                          above
              accounts    says which user ids belong to accounts. Started by listen
              watch       revokes the tokens of sign-ins that were not followed by a session. Started by listen
              listen      starts one process for each request. At the socket of systemd (pam-cognito-agent.socket) it \
            exits when
                          idle; at a socket of its own it runs until it is stopped
              --once      one cleanup run (the default)
              --now       also retry what is not due yet, check all open sessions, and take as long as needed
              --dry-run   only show what would be done
              --socket    use another path than \(socket); the users' tools use only that path
              --help      show this help
              --version   show the version

            Exit status: 0 nothing is left to do, 1 something could not be ended yet, 64 wrong usage, 69 no socket,
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
            "standard output cannot be written (errno \(error)), so the output is incomplete. The log lists what "
                + "was done."
        )
    }
    package static let agentNotRoot = text("the registry can be read only by root; run this as root.")
    package static let agentUnprotected = text(
        "this process stops, because it holds tokens and cannot be protected from other processes (prctl).")
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
            + "It has no options. For the command that users run, see cognito-session(1).")
    package static let workerUnprotected = text(
        "cognito-worker could not be protected from other processes (prctl, setrlimit).")
}

#endif
