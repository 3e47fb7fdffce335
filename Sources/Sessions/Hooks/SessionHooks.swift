import Accounts
import Base
import Configuration
import Keyring
import Messages
import Protocol

/// An account that pam_sm_acct_mgmt(3) is asked about, looked up once.
private struct AccountInQuestion {
    let user: [UInt8]
    let account: Account
    let configuration: LoginConfiguration
}

extension Hooks {
    /// pam_sm_acct_mgmt(3): yes for users whom this module signed in, ignore for other accounts, or no for managed
    /// accounts that logged in another way, if the administrator wants that. Never a success that was not decided. It
    /// also tells pam_unix not to ask managed accounts for a local password that they do not have.
    package func checkAccount() -> ReturnValue {
        guard !machine.isDisabled, let user = try? host.user() else {
            return .ignore
        }
        closeOpenAttempt()
        let isSignedIn = host.login.map { login in login.state != .ended && login.user == user } ?? false
        let known: AccountInQuestion?
        let refusal: AuditReason?
        do throws(Fault) {
            let found = try accountInQuestion(user)
            if let found {
                refusal = try self.refusal(of: found, isSignedIn: isSignedIn)
            } else {
                refusal = nil
            }
            known = found
        } catch {
            // The user who started this program has chosen its limits, and must gain nothing by them.
            if isSetUserID, error.isResourceExhaustion {
                host.log(.error, audit(.accountRefused, user, reason: "internal_fault", text: error.line))
                return .systemError
            }
            (known, refusal) = (nil, nil)
        }
        if let refusal {
            host.log(.notice, audit(.accountRefused, user, reason: refusal.word, text: refusal.text))
            return .permissionDenied
        }
        if passesAge, let known, isAgedWithoutPassword(known) {
            return .authenticationTokenAgingDisabled
        }
        return isSignedIn ? .success : .ignore
    }

    /// Whether this machine wants a new password of a managed account that has none here, and has nothing else against
    /// it: pam_unix asks for the current one then, and none is right.
    private func isAgedWithoutPassword(_ known: AccountInQuestion) -> Bool {
        let account = known.account
        guard !account.hasUsablePassword, !account.hasLockedPassword,
            account.shadow.objection(on: machine.time / 86_400) == .passwordIsOld
        else {
            return false
        }
        switch try? Coverage.of(known.user, account: account, configuration: known.configuration, on: machine) {
        case .covered: return true
        case .refused, .doubtful, .notCovered, .unknown, nil: return false
        }
    }

    /// The account, and what the administrator has set; nil: root's, or there is none.
    private func accountInQuestion(_ user: [UInt8]) throws(Fault) -> AccountInQuestion? {
        guard machine.effectiveUserID == 0, let account = try machine.account(named: user), account.uid != 0 else {
            return nil
        }
        let configuration = machine.configuration(at: configurationPath, arguments: options)
        if let fault = configuration.fault, isSetUserID, fault.isResourceExhaustion {
            throw fault
        }
        return AccountInQuestion(user: user, account: account, configuration: configuration)
    }

    /// Why an account is refused now; nil: it is not, or it is not managed.
    private func refusal(of known: AccountInQuestion, isSignedIn: Bool) throws(Fault) -> AuditReason? {
        let (user, account, configuration) = (known.user, known.account, known.configuration)
        if let refusal = refusalOfOwnAccount(user, account, configuration, isSignedIn: isSignedIn) {
            return refusal
        }
        // A screen lock's person is in already, however they came; and its process knows nothing of that.
        guard !isSignedIn, !isScreenLock(host.service) else {
            return nil
        }
        return try refusalOfKeyLogin(user, account, configuration)
    }

    /// Returns the reason why a user who did not sign in with Cognito is refused; nil: the user is admitted.
    private func refusalOfKeyLogin(
        _ user: [UInt8], _ account: Account, _ configuration: LoginConfiguration
    ) throws(Fault) -> AuditReason? {
        let coverage = configuration.coverage
        guard coverage.refusesKeyLogins || configuration.fault != nil else {
            return nil
        }
        let found: Coverage
        do throws(Fault) {
            found = try Coverage.of(user, account: account, configuration: configuration, on: machine)
        } catch {
            guard coverage.refusesKeyLogins, !isSetUserID || !error.isResourceExhaustion else {
                throw error
            }
            return AuditReason("configuration", error.line)
        }
        switch (found, configuration.fault) {
        case (.notCovered, _), (.unknown, _), (.doubtful, nil): return nil
        case (.refused(let why), _): return AuditReason("known_elsewhere", why)
        case (.doubtful, let fault?):
            guard coverage.refusesKeyLogins else {
                // What key_logins would say, if it could be read, keeps out no local account that keys alone open.
                host.log(.error, "\(fault.line)")
                return nil
            }
            return AuditReason("configuration", fault.line)
        case (.covered, let fault):
            guard coverage.refusesKeyLogins else {
                return nil
            }
            if let fault {
                host.log(.error, "\(fault.line)")
            }
            return AuditReason(
                "key_login",
                """
                key_logins = refuse is set, but this user logged in without Cognito, for example with an ssh key
                """)
        }
    }

    /// Returns the reason why an account that this machine has from the pool alone is refused now; nil: it is admitted,
    /// or is another kind of account.
    ///
    /// Logins without a sign-in, such as cron, `~/.ssh/authorized_keys` and root's su, end with the account.
    private func refusalOfOwnAccount(
        _ user: [UInt8], _ account: Account, _ configuration: LoginConfiguration, isSignedIn: Bool
    ) -> AuditReason? {
        let coverage = configuration.coverage
        let own: OwnAccount?
        do throws(Fault) {
            own = try machine.ownAccount(user, account, configuration)
        } catch {
            return AuditReason("record", error.line)
        }
        if let refusal = own?.refusal(of: user) {
            return refusal
        }
        guard let own, let state = own.state else {
            return nil
        }
        if let fault = configuration.fault, coverage.accounts == .none, !isSignedIn {
            return AuditReason("configuration", fault.line)
        }
        guard state == .enabled || isSignedIn else {
            return AuditReason(
                state.word,
                """
                this account can sign in only with Cognito, because the pool has not yet confirmed that the user is \
                admitted
                """)
        }
        if !isSignedIn, let reason = staleConnection(own, user) {
            return reason
        }
        // Others, such as cron, have no user to tell.
        if !isSignedIn, own.foreignFile == nil, ("sshd" as StaticString).equals(host.service) {
            tellOfKeys(own, user, signingIn: false)
        }
        return own.foreignFile.map { path in
            AuditReason(
                "foreign_file",
                """
                \(path) belongs to another user id, not to the account. Check the owner, then move the file or change \
                its owner to \(account.uid)
                """)
        }
    }

    /// pam_sm_setcred(3). Always a success: sshd's monitor takes anything else for a failed login.
    ///
    /// - Parameters:
    ///   - deleting: PAM_DELETE_CRED, which some hosts call before the session closes and others never.
    ///   - renewing: PAM_REINITIALIZE_CRED or PAM_REFRESH_CRED, which a host calls that has let a person back into a
    ///     session of theirs, as gdm does for its screen lock.
    package func setCredentials(deleting: Bool, renewing: Bool = false) -> ReturnValue {
        if !deleting {
            closeOpenAttempt()
        }
        guard !machine.isDisabled, !deleting, let login = currentLogin() else {
            return .success
        }
        if renewing, login.state == .authenticated || login.state == .proven, login.process == machine.process.id,
            machine.effectiveUserID == 0, let user = try? host.user(), user == login.user
        {
            unlockTokens(of: user, following: settingsOrDefaults.locksTokens)
        }
        // pam_keyinit after us has replaced the session keyring; sshd, login and cron come by once more.
        if case .delivered(let key, let description) = login.state {
            do throws(ErrorNumber) {
                if try machine.restore(key, of: login.entry, description: description) {
                    host.log(
                        .warning,
                        """
                        another module replaced the session keyring after the tokens were put into it. The tokens \
                        were put into the new keyring. In the session stack of \(host.service), pam_keyinit must come \
                        before pam_cognito
                        """)
                }
            } catch {
                host.log(
                    .error,
                    """
                    the session keyring was replaced after the tokens were put into it (errno \(error.code)); in the \
                    session stack of \(host.service), pam_keyinit must come before pam_cognito
                    """)
            }
        }
        return .success
    }

    /// pam_sm_open_session(3): the tokens move into the session's keyring.
    package func openSession() -> ReturnValue {
        guard !machine.isDisabled else {
            return .success
        }
        guard let login = currentLogin(), login.state != .reused else {
            isolate()
            return .success
        }
        guard login.process == machine.process.id else {
            return .success
        }
        guard login.root == machine.rootDirectory else {
            host.log(
                .warning,
                audit(
                    .sessionWithoutTokens, login.user, session: login.entry,
                    text: """
                        \(host.service) has changed its root directory since the sign-in, and the new root directory \
                        is not trusted. The tokens are revoked when the program has ended
                        """))
            return .success
        }
        guard login.state != .proven else {
            host.log(
                .warning,
                audit(
                    .sessionWithoutTokens, login.user,
                    text: """
                        \(host.service) is known not to open sessions, so the tokens were revoked after the sign-in. \
                        If the program does open a session, put session=open after pam_cognito.so in the auth line
                        """))
            isolate()
            return .success
        }
        guard login.state == .authenticated else {
            return .success
        }
        guard let user = try? host.user(), user == login.user else {
            // sudo: the caller proved who they are, the session is another's.
            isolate()
            end(login, mode: .session, waiting: settingsOrDefaults.signOutWait)
            return .success
        }
        do throws(Fault) {
            try deliver(login, to: user)
        } catch {
            host.log(.error, "\(error.line)")
            end(login, mode: .session, waiting: undoLimit)
            leaveKeyring()
            return .sessionError
        }
        return .success
    }

    private func deliver(_ login: Login, to user: [UInt8]) throws(Fault) {
        // Against the reaper, which ends logins that took too long.
        var lifetime: Int64 = 0
        var isShared = false
        // Before the lock: another source of names may take its time.
        let account = try machine.account(named: user)
        let access = try machine.withEntry(login.entry, lockedWithin: 1000) { entry throws(Fault) in
            guard entry.state == .pending, let account else {
                return false
            }
            lifetime = entry.expires - machine.time
            let key = try putIntoSession(login, entry, account, user)
            login.state = .delivered(key, description: entry.keyDescription)
            try open(login, &entry, key, user)
            isShared = entry.isShared
            return true
        }
        guard case .had(true) = access else {
            throw Fault(
                """
                the tokens of \(quoting: user) were removed from the registry before the session started. Sign in \
                again
                """)
        }
        // That has a lock of its own.
        if isShared {
            share(user)
        }
        if (try? settings())?.welcome ?? false {
            let welcome = Wording.welcome(lasting: lifetime)
            host.show(
                ByteText(
                    welcome.phrase.said(in: language, filling: [user, ("\(welcome.count)" as ByteText).bytes])))
        }
        startReaper()
    }

    /// Puts the tokens that the session may see into its keyring.
    private func putIntoSession(
        _ login: Login, _ entry: borrowing RegistryEntry, _ account: Account, _ user: [UInt8]
    ) throws(Fault) -> KeySerial {
        let visible = (entry.sessionBundle?.duplicate() ?? entry.bundle.duplicate())
        guard let visible else {
            throw Fault("not enough memory for the tokens of \(quoting: user)")
        }
        let keyring = machine.sessionKeyring
        defer {
            let now = machine.sessionKeyring
            login.joinedKeyring = now == keyring ? nil : now
        }
        do throws(ErrorNumber) {
            return try machine.deliver(
                visible, description: entry.keyDescription, to: account, entry: login.entry,
                expiringIn: max(1, entry.expires - machine.time))
        } catch {
            throw Fault(
                """
                the tokens of \(quoting: user) cannot be put into the session keyring (errno \(error.code)); \
                \(error.keyringRemedy)
                """)
        }
    }

    /// Enters that the session has its tokens.
    private func open(
        _ login: Login, _ entry: inout RegistryEntry, _ key: KeySerial, _ user: [UInt8]
    ) throws(Fault) {
        let settings = settingsOrDefaults
        entry.state = .open
        entry.delivered = true
        entry.host = machine.process
        entry.parent = nil
        entry.tokenKey = key.number
        entry.sessionBundle = nil
        entry.isShared = settings.sharesTokens
        do throws(ErrorNumber) {
            try machine.write(login.entry, &entry)
        } catch {
            machine.destroy(key)
            throw Fault(
                """
                the session of \(quoting: user) cannot be registered (errno \(error.code)) and does not get tokens; \
                \(error.keyringRemedy)
                """)
        }
        if settings.journal {
            enterIntoJournal(login.entry, entry)
        }
    }

    private func enterIntoJournal(_ key: RootKey, _ entry: borrowing RegistryEntry) {
        // Tokens that may live on after a logout may do so after a crash.
        guard entry.signOut != .none else {
            return
        }
        do throws(ErrorNumber) {
            try machine.enterIntoJournal(key, entry)
        } catch {
            host.log(
                .warning,
                """
                the session of \(quoting: entry.user) cannot be written to /var/lib/pam-cognito/journal (errno \
                \(error.code)). After a power cut, the session's tokens would stay valid, and no log line \
                would mention them. Check the disk, and check that root owns the directory
                """)
        }
    }

    private func share(_ user: [UInt8]) {
        do throws(ErrorNumber) {
            try machine.shareNewest(of: user)
        } catch {
            host.log(
                .warning,
                """
                the tokens of \(quoting: user) cannot be shared with the user's other sessions (errno \(error.code)); \
                only this session has the tokens. The user keyring may be full, or the user has changed its \
                permissions
                """)
        }
    }

    /// Handles the rest of other sessions in the background. Never from a set-uid application, whose cgroup, namespaces
    /// and limits its caller chose.
    private func startReaper() {
        guard machine.realUserID == 0, let serials = try? machine.serials() else {
            return
        }
        if !serials.lazy.filter({ serial in machine.entry(at: serial) != nil }).dropFirst().isEmpty {
            machine.startReaper()
        }
    }

    /// Keeps a session that gets no tokens of its own from inheriting the caller's.
    private func isolate() {
        // Only su and sudo inherit a session keyring of a person. Elsewhere even looking would do harm: see
        // `SessionKeyringLookup`.
        guard machine.effectiveUserID == 0, machine.realUserID != 0 else {
            return
        }
        guard settingsOrDefaults.isolateSessions, let user = try? host.user(),
            let account = try? machine.account(named: user)
        else {
            return
        }
        do throws(ErrorNumber) {
            _ = try machine.isolate(account)
        } catch {
            host.log(
                .error,
                """
                \(quoting: user) may see the tokens of the session in which \(host.service) was started: no new \
                session keyring could be created (errno \(error.code)); \(error.keyringRemedy)
                """)
        }
    }

    /// pam_sm_close_session(3): Cognito first, then local. Always a success: the application can do nothing about a
    /// failure, and an unfinished end is in the registry.
    package func closeSession() -> ReturnValue {
        if let login = host.login, login.process == machine.process.id, login.root != machine.rootDirectory {
            leave(login)
            leaveKeyring()
            return .success
        }
        let settings = settingsOrDefaults
        let wait = settings.signOutWait
        let begin = machine.now
        if let login = host.login, login.process == machine.process.id, case .delivered(let key, _) = login.state {
            end(login, mode: nil, waiting: wait)
            machine.destroyTokens(key.number, of: login.entry)
            if settings.sharesTokens {
                try? machine.shareNewest(of: login.user)
            }
        }
        endHosted { max(0, wait - (machine.now.milliseconds - begin.milliseconds)) }
        leaveKeyring()
        return .success
    }

    /// Removes the tokens of a session whose application has changed its root directory (chroot(2)). The owner of that
    /// tree may have put a configuration, a worker and hooks into it: the cleanup does the rest, from outside.
    private func leave(_ login: Login) {
        guard case .delivered(let key, _) = login.state else {
            return
        }
        login.state = .ended
        machine.destroyTokens(key.number, of: login.entry)
        host.log(
            .notice,
            audit(
                .signOutNotFinished, login.user, session: login.entry,
                text: """
                    \(host.service) has changed its root directory since the sign-in, and the new root directory is \
                    not trusted. The tokens are kept in the registry; cognito-agent reap revokes them when the \
                    program has ended
                    """))
    }

    /// A transaction has ended, or keeps another login instead of this one: no session will follow. The program does
    /// not wait for the end of the tokens, because it has other work.
    package func abandon(_ login: Login) {
        guard login.process == machine.process.id, login.state == .authenticated, machine.effectiveUserID == 0,
            login.root == machine.rootDirectory
        else {
            return
        }
        login.state = .ended
        let begun = SessionEnding(machine: machine).begin(
            login.entry, mode: .session, forLock: 0, waiting: 0, trying: .unattended, because: .logout,
            onlyIf: { entry in machine.waits(entry) })
        switch begun {
        // Another process ends it, or has taken it over.
        case .finished(.busy): break
        case .finished(let ending): report(ending, of: login.entry, login.user)
        case .pending: report(abandoned: login.entry, login.user)
        }
    }

    /// A host that lives on, such as a print server, does not stay in the keyring that was the last person's, nor keep
    /// it alive.
    private func leaveKeyring() {
        if let login = host.login, login.process == machine.process.id, let keyring = login.joinedKeyring {
            login.joinedKeyring = nil
            machine.leaveSessionKeyring(keyring)
        }
    }

    /// Ends the sessions of this host's person that were begun inside of it, by `cognito-session sign-in`: because it
    /// has no login of its own, or after that one was signed out.
    ///
    /// - Parameter left: How long Cognito is still waited for, in milliseconds.
    private func endHosted(waiting left: () -> Int64) {
        guard machine.effectiveUserID == 0, let user = try? host.user() else {
            return
        }
        let own = host.login?.entry.serial
        try? machine.forEachEntry(of: user) { key, entry in
            guard key.serial != own, entry.state == .open,
                entry.pidNamespace == machine.pidNamespace,
                entry.host == machine.process
            else {
                return
            }
            let tokenKey = entry.tokenKey
            end(key, of: user, mode: nil, waiting: left())
            machine.destroyTokens(tokenKey, of: key)
        }
    }

    /// Ends a login's tokens, waiting at most `milliseconds` for Cognito.
    func end(_ login: Login, mode: SignOutMode?, waiting milliseconds: Int64) {
        login.state = .ended
        end(login.entry, of: login.user, mode: mode, waiting: milliseconds)
    }

    private func end(_ key: RootKey, of user: [UInt8], mode: SignOutMode?, waiting milliseconds: Int64) {
        // The agent or the cleanup may have it, to renew or check it: no other process ends it while this one lives.
        let lockLimit = max(holderPatience, Int32(clamping: milliseconds))
        let ending = SessionEnding(machine: machine).end(key, mode: mode, forLock: lockLimit, waiting: milliseconds)
        report(ending, of: key, user)
    }

    /// Logs that the tokens of a sign-in without a session are being revoked in the background.
    func report(abandoned key: RootKey, _ user: [UInt8]) {
        host.log(.information, audit(.noSessionFollowed, user, session: key, text: "the tokens are being revoked"))
    }

    /// Says what became of the end of a session.
    func report(_ ending: Ending, of key: RootKey, _ user: [UInt8]) {
        let who = AuditSubject(
            user: user, session: key.serial.number, service: host.service, remoteHost: host.remoteHost)
        // Of one that was handed over, the agent tells.
        ending.tell(of: who) { line, isFault in host.log(isFault ? .warning : .information, line) }
        if ending == .busy {
            host.log(
                .warning,
                who.line(
                    .signOutNotFinished,
                    text: """
                        another process has locked the session for too long. The tokens are kept in the registry; \
                        cognito-agent reap retries the sign-out when the process that logged this line has ended
                        """))
        }
    }
}
