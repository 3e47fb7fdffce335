#if !hasFeature(Embedded)

/// What the programs that nobody needs to call by hand say to whoever does.
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

            The root side of pam-cognito for what no login does. Needs root. What it did is in the log, too (authpriv).

              reap        ends what is left of sessions whose host is gone: their tokens are revoked at Cognito, then
                          removed from the registry in root's kernel keyring. What fails is tried again later, by other
                          rounds: after one minute, two, four, at last every quarter of an hour. Then Cognito is asked
                          whether open sessions still stand, each once in check_interval; what does not is ended
              drain       ends all sessions, also those whose host lives: for when the machine stops. Takes ten seconds at
                          most; says what it could not end
              failures    lists who failed to sign in lately, as whom and how often; with --reset, these of an account count no
                          more
              accounts sync
                          gives the people of allowed_groups accounts on this machine, and locks those of whoever is in none of
                          them any more. Where Cognito cannot be asked, everything stays as it is. With --removals, so many
                          people may lose theirs at once, whatever account_removal_limit says
              accounts adopt
                          says which users of /etc/passwd are people of allowed_groups, and what keeps others from becoming
                          accounts of Cognito's with the numbers and homes that they have; with --apply, they become so
              keys        the public ssh keys of an account of Cognito's: for AuthorizedKeysCommand in sshd_config(5)
              serve       serves the one person behind standard input, a connected SOCK_SEQPACKET socket: renews their
                          session, signs them out. Started by listen
              end         ends the one session whose host has closed it and did not wait. Started by the module
              seal        seals or unseals, with systemd-creds(1), what the module keeps of this machine as people's
                          remembered devices. Started by the module
              let-go      runs the hooks for somebody whose tokens have ended. Started by the module, and by the others here
              accounts    says which user ids are accounts'. Started by listen
              watch       ends sign-ins that no session followed, as soon as none can any more. Started by listen
              listen      starts such a process for each request: at a socket of systemd's (pam-cognito-agent.socket)
                          as long as somebody comes, or else at its own, until it is told to end
              --once      one round, which is what there is without it, too
              --now       also what need not be tried again yet, all open sessions, and as long as it takes
              --dry-run   only say what would be done
              --socket    another path than \(socket); the tools of people use no other
              --help      this text
              --version   the version

            Exit status: 0 nothing is left, 1 something could not be ended yet, 64 wrong use, 69 no socket,
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
