internal import Base
internal import Configuration
internal import Messages

/// One service, tried with all kinds of accounts, in every state that Cognito can be in. Each row says what is wrong,
/// without the name of the service. What puts it right is found by StackRemedies, except where the row says it.
struct StackCheck {
    /// Services that begin sessions, whatever their files say. Screen locks do not.
    private static let hosts = ["sshd", "login", "su", "su-l", "sudo", "sudo-i"]

    /// Those of set-uid programs, which run with their caller's group and within the caller's limits.
    private static let setUserID = ["su", "su-l", "sudo", "sudo-i", "doas"]

    /// Those that Debian ships with pam_keyinit, and those without it.
    private static let withKeyring = ["sshd", "login", "su-l", "runuser-l", "systemd-user"]
    private static let withoutKeyring = ["su", "sudo", "sudo-i", "cron", "runuser"]

    /// Modules that ask for a new password, to look at how good it is.
    private static let askingForNew = ["pam_pwquality", "pam_cracklib", "pam_passwdqc"]
    /// Modules that only decide, without looking at the account.
    private static let onlyDeciding = ["pam_permit", "pam_deny", "pam_warn", "pam_nologin"]

    /// What pam_cognito returns to refuse a user (pam_cognito(8)).
    private static let refusals: [ModuleResult] = [
        .authErr, .permDenied, .maxtries, .convErr, .credUnavail, .abort, .systemErr,
    ]

    let service: Service
    let judge: StackJudge
    /// Modules that stacks name and this machine does not have.
    let missing: Set<String>
    let refusesKeys: Bool

    @CheckList var problems: [Check] {
        for line in service.unreadable {
            Check(
                .unreadableLine, .broken, "\(line.place.words), cannot be read: \(line.problem).",
                why: "libpam fails at this line, so no user can sign in, not even root.")
        }
        for facility in Facility.allCases where isTwice(facility) {
            Check(
                .isTwice, .warning, "pam_cognito is in the \(facility.rawValue) lines twice.",
                why: "A PAM file from pam-cognito and the pam-auth-update profile are both in use. Cognito is "
                    + "contacted twice and refuses the same code the second time.")
        }
        if service.isOurs(.auth) {
            signInRows
            counterRows
            credentialRows
            accountRows
        } else if service.isOurs(.session) || service.isOurs(.account),
            has("pam_unix", .auth) || isHost || isUndecided
        {
            Check(
                .hasNoAuth, .broken, "pam_cognito is in other lines, but not in the auth lines.",
                why: "The service asks for a password, but refuses users of managed accounts.")
        }
        if beginsNoSession {
            // Its session lines are not used.
        } else if service.isOurs(.session) {
            sessionRows
        } else if service.isOurs(.auth), !service.borrowed.contains(.session) || isHost {
            Self.hasNoSession
        }
        if service.isOurs(.password) {
            passwordRows
        }
    }

    // MARK: The auth lines

    @CheckList private var signInRows: [Check] {
        unloadedRow(.authenticate)
        lockedOutRows(.authenticate, openConditions, [.local, .root])
        if strangers.contains(where: isAdmitted) {
            Check(
                .admitsStrangers, .broken,
                "the auth lines admit users who enter a wrong password, or whom Cognito did not accept.",
                why: "A later line admits users whom an earlier module refused, so an account name is enough to sign "
                    + "in.")
        }
        if [TrialAccount.cognito, .named].contains(where: { person in !isAdmitted(attempt(person, .right)) }) {
            locksCognitoOut(.auth)
        }
        if refused(.local).contains(where: isAdmitted) {
            Check(
                .overridesRefusal, .broken, "a user whom Cognito refuses can sign in with a local password.",
                why: "A user who is disabled in Cognito or who fails MFA can still sign in. The cause is "
                    + "\"sufficient\" or \"default=ignore\" in the control field of the pam_cognito line.")
        }
    }

    /// Attempts of which none may succeed.
    private var strangers: [TrialAttempt] {
        refused(.wrong)
            + Condition.allCases.flatMap { condition in
                TrialAccount.allCases.map { person in attempt(person, .wrong, condition) }
                    + (condition == .reachable ? [] : [attempt(.cognito, .right, condition)])
            }
    }

    /// An account that Cognito refuses for every reason, and that has a password of this machine.
    private func refused(_ typed: Typed) -> [TrialAttempt] {
        Self.refusals.map { refusal in attempt(.named, typed) { attempt in attempt.refusal = refusal } }
    }

    @CheckList private var counterRows: [Check] {
        if let counter = service.stack(.auth).first(where: { line in line.moduleName == "pam_faillock" }) {
            if Self.setUserID.contains(service.name) || counter.place.file.hasPrefix("cognito-") {
                Check(
                    .countsInFiles, .warning,
                    "pam_faillock counts failures in files that the caller of su may be able to change.",
                    why: "A user who can change these files can lock other users out or reset the counts. If "
                        + "pam_faillock cannot open one of its files, it refuses sign-ins to local accounts. Managed "
                        + "accounts do not need pam_faillock, because pam_cognito counts failed sign-ins "
                        + "(max_failures).")
            }
            let locked = [TrialAccount.cognito, .local].map { person in
                run(.authenticate, attempt(person, .right) { attempt in attempt.isLockedOut = true })
            }
            if locked.contains(where: { run in run.result == .success }) {
                Check(
                    .ignoresLockout, .warning, "a lockout by pam_faillock has no effect.",
                    why: "After too many failures, a correct guess is still accepted.")
            }
            if locked.contains(where: { run in run.result != .success && run.called.contains(where: \.line.isOurs) }) {
                Check(
                    .checksLockoutLate, .warning,
                    "pam_cognito runs before pam_faillock checks the account, or after pam_faillock refuses the "
                        + "account.",
                    why: "Every guess still reaches Cognito, which locks the user out on all machines. Put \"requisite "
                        + "pam_faillock.so preauth\" before pam_cognito.")
            }
            if !counts(attempt(.cognito, .wrong), "authfail") {
                Check(
                    .countsNoFailures, .warning, "pam_faillock does not count failed sign-ins to managed accounts.",
                    why: "pam_faillock does not slow down password guessing. If pam_cognito refuses the user, the "
                        + "stack must continue with \"pam_faillock.so authfail\".")
            }
            // The second with local_password = never.
            if counts(attempt(.cognito, .right, .unreachable), "authfail")
                || counts(attempt(.cognito, .wrong) { attempt in attempt.refusal = .credUnavail }, "authfail")
            {
                Check(
                    .countsOutages, .warning, "pam_faillock counts a failure when Cognito cannot be reached.",
                    why: "A network outage locks users out. If the result of pam_cognito is \"authinfo_unavail\" or "
                        + "\"cred_unavail\", the stack must skip \"pam_faillock.so authfail\".")
            }
            if isAdmitted(attempt(.cognito, .right)), !counts(attempt(.cognito, .right), "authsucc"),
                !has("pam_faillock", .account)
            {
                Check(
                    .neverForgetsFailures, .warning,
                    "a successful sign-in does not reset the failure count of pam_faillock.",
                    why: "Occasional typing errors add up until the user is locked out.")
            }
        }
    }

    private func counts(_ attempt: TrialAttempt, _ use: String) -> Bool {
        run(.authenticate, attempt).called.contains { call in
            call.line.moduleName == "pam_faillock" && call.line.arguments.contains(use)
        }
    }

    @CheckList private var credentialRows: [Check] {
        // After keyboard-interactive, and after a key, sshd's process has run no pam_authenticate(3).
        let ways: [[ModuleCall]] =
            [[.authenticate, .credentials]] + (service.name.hasPrefix("sshd") ? [[.credentials]] : [])
        let admitted = [TrialAccount.cognito, .local, .root].map { person in attempt(person, .right) }
            .filter(isAdmitted)
        if admitted.contains(where: { attempt in ways.contains { calls in run(calls, attempt).result != .success } }) {
            Check(
                .refusesCredentials, .broken, "setting credentials (pam_setcred) fails after a successful sign-in.",
                why: "After a login with keyboard-interactive or a key, sshd calls pam_setcred without a password. If "
                    + "pam_setcred fails, sshd closes the connection.")
        }
    }

    // MARK: The account lines

    @CheckList private var accountRows: [Check] {
        let stack = service.stack(.account)
        let attempts = [attempt(.cognito, .right), attempt(.cognito, .right) { attempt in attempt.hasKey = true }]
        unloadedRow(.account)
        lockedOutRows(.account, openConditions, [.local, .root])
        if ([attempt(.named, .right)] + attempts).contains(where: { attempt in !passes(attempt) }) {
            locksCognitoOut(.account)
        }
        if attempts.contains(where: { attempt in
            passes(attempt) && !passes(attempt) { attempt in attempt.isAged = true }
        }) {
            Check(
                .keepsAgedOut, .warning,
                "users of managed accounts are refused if /etc/shadow requires a new local password.",
                why: "Managed accounts have no local password to change. In the account lines, pam_cognito.so needs "
                    + "the \"no_pass_expiry\" argument.")
        }
        let isSkippable = has("pam_unix", .account)
        let both = [attempt(.local, .right), attempt(.cognito, .right)]
        if both.contains(where: { attempt in passes(attempt) { attempt in attempt.isExpired = true } }),
            isSkippable || stack.allSatisfy({ line in line.isOurs || Self.onlyDeciding.contains(line.moduleName) })
        {
            Check(
                .letsExpiredIn, isSkippable ? .broken : .warning,
                "users can sign in to accounts that have expired on this machine.",
                why: isSkippable
                    ? "The stack ends before pam_unix checks the account. The control field of the pam_cognito line "
                        + "must not be \"sufficient\" or contain \"done\"."
                    : "No account line uses pam_unix, which checks for accounts that are expired (chage(1)) or locked.")
        }
        if has("pam_nologin", .account) || has("pam_nologin", .auth),
            [TrialAccount.local, .cognito].contains(where: isAdmittedWhenClosed)
        {
            Check(
                .skipsNologin, .broken, "users can sign in although /etc/nologin exists.",
                why: "The stack ends before pam_nologin runs. The control field of the pam_cognito line must not be "
                    + "\"sufficient\" or contain \"done\".")
        }
        let arguments = stack.filter(\.isOurs).flatMap(\.arguments)
        let argument = arguments.last { text in text.hasPrefix("key_logins=") }
        if argument.map({ text in text == "key_logins=refuse" }) ?? refusesKeys {
            // With an argument that it does not understand, the module refuses no account.
            let isUnderstood = ConfigurationExamination.argumentFault(arguments) == nil
            if passes(attempts[1], { attempt in attempt.refusesKeys = isUnderstood }) {
                Check(
                    .acceptsKeys, .broken, "key_logins = refuse has no effect.",
                    why: "Users can still sign in to managed accounts with an ssh key. The account lines must contain "
                        + "pam_cognito, and must refuse the user if pam_cognito refuses the user.")
            }
        }
    }

    private func passes(_ attempt: TrialAttempt, _ change: (inout TrialAttempt) -> Void = { _ in }) -> Bool {
        var attempt = attempt
        change(&attempt)
        return run(.account, attempt).result == .success
    }

    private func isAdmittedWhenClosed(_ person: TrialAccount) -> Bool {
        let attempt = attempt(person, .right) { attempt in attempt.isClosed = true }
        return passes(attempt) && isAdmitted(attempt)
    }

    // MARK: The session lines

    @CheckList private var sessionRows: [Check] {
        let attempt = attempt(.cognito, .right)
        let run = run(.session, attempt)
        lockedOutRows(.session, Condition.allCases, [.local, .root])
        if run.result != .success {
            locksCognitoOut(.session)
        }
        if !run.called.contains(where: { call in call.line.isOurs }) {
            Self.hasNoSession
        }
        let places = Set(run.called.map(\.line.place))
        let without = self.run([.session], attempt, isIgnoringOurs: true)
        if without.called.contains(where: { call in !call.line.isOurs && !places.contains(call.line.place) }) {
            Check(
                .cutsShort, .warning, "the session lines after pam_cognito are skipped.",
                why: "The control field of the pam_cognito line is \"sufficient\" or contains \"done\", so the stack "
                    + "ends at this line. Later modules, such as pam_limits and pam_systemd, are skipped.")
        }
        // Services without a sign-in have no tokens to lose: systemd --user has lines of that kind.
        if isHost || service.isOurs(.auth) && !service.borrowed.contains(.auth) {
            keyringRows(run.called.map(\.line))
        }
    }

    @CheckList
    private func keyringRows(_ called: [StackLine]) -> [Check] {
        if let ours = called.firstIndex(where: \.isOurs) {
            let makers = called.indices.filter { index in called[index].moduleName == "pam_keyinit" }
            let forced = makers.filter { index in called[index].arguments.contains("force") }
            // The common files give all services pam_cognito; which of them begin with a keyring, Debian decides.
            let isOwn = !called[ours].place.file.hasPrefix("common-") && !Self.withoutKeyring.contains(service.name)
            if let late = forced.first(where: { index in index > ours }) {
                Check(
                    .losesKeyring, .warning, "pam_keyinit (\(called[late].place.words)) comes after pam_cognito.",
                    why: "pam_keyinit creates a new session keyring, and the tokens stay in the old keyring. Put "
                        + "pam_keyinit before pam_cognito.")
            }
            let isForced = forced.contains { index in index < ours }
            if !isForced, isOwn || Self.withKeyring.contains(service.name), !makers.contains(where: { $0 > ours }) {
                Check(
                    .hasNoKeyring, .warning, "\"pam_keyinit.so force revoke\" is missing before pam_cognito.",
                    why: "Sessions share the keyring of the program that started them, and keys remain in this keyring "
                        + "after a session ends.")
            }
        }
    }

    private static let hasNoSession = Check(
        .hasNoSession, .broken, "the session lines never run pam_cognito.",
        why: "Users can sign in, but their sessions have no tokens. If the program does not open PAM sessions, add the "
            + "session=never argument to pam_cognito.so.")

    // MARK: The password lines

    @CheckList private var passwordRows: [Check] {
        lockedOutRows(.change, Condition.allCases, [.local])
        // Elsewhere Cognito asks for a new password in the course of the sign-in itself.
        if service.name == "passwd" {
            let run = run(.change, attempt(.cognito, .right))
            let before = run.called.map(\.line).prefix { line in !line.isOurs }.map(\.moduleName)
            if let module = before.first(where: Self.askingForNew.contains) {
                Check(
                    .asksForNewFirst, .note, "\(module) asks for a new password before Cognito does.",
                    why: "Users of managed accounts must enter a new password twice for another module and twice for "
                        + "Cognito. Only the password entered for Cognito takes effect.")
            }
            if run.result != .success {
                Check(
                    .changesNoPassword, .warning, "users of managed accounts cannot change their passwords.",
                    why: "If pam_cognito succeeds, the stack must end, because managed accounts have no local password "
                        + "that pam_unix could change.")
            }
        }
    }

    // MARK: Rows of several facilities

    /// Local accounts and root must come through, in these states of Cognito. What holds when nothing is wrong need not
    /// be told again for when something is.
    private func lockedOutRows(_ call: ModuleCall, _ conditions: [Condition], _ people: [TrialAccount]) -> [Check] {
        let refusing = conditions.filter { condition in
            people.map { person in attempt(person, .right, condition) }.contains { attempt in
                run(call, attempt).result != .success && !isRefusedByOthers(call, attempt)
            }
        }
        return (refusing.contains(.reachable) ? [.reachable] : refusing).map { condition in
            let when = condition == .reachable ? "" : " while \(condition.rawValue)"
            func row(
                _ what: String,
                why: String = "These users are refused, even with the correct password."
            ) -> Check {
                Check(.locksLocalOut, condition == .removed ? .warning : .broken, what, why: why)
            }
            return switch call.facility {
            case .auth:
                row(
                    "local users or root cannot sign in with the correct password\(when).",
                    why: "Administrators may be unable to sign in to repair the machine. If the result of pam_cognito "
                        + "is \"ignore\", \"authinfo_unavail\" or \"module_unknown\", the stack must continue with "
                        + "pam_unix.")
            case .account: row("the account lines refuse local users or root\(when).")
            case .session: row("sessions of local users or root cannot be opened\(when).")
            case .password:
                row(
                    "users of local accounts cannot change their passwords\(when).",
                    why: "Cognito does not manage local passwords.")
            }
        }
    }

    private func locksCognitoOut(_ facility: Facility) -> Check {
        Check(
            .locksCognitoOut, .broken,
            "users of managed accounts cannot sign in: the \(facility.rawValue) lines fail although Cognito accepts "
                + "the user.",
            why: "If pam_cognito succeeds, the stack must succeed. The pam_cognito line skips the wrong number of "
                + "lines, or a later line is wrong.")
    }

    /// Whether a caller who keeps the module from being loaded gets by without it.
    private func unloadedRow(_ call: ModuleCall) -> Check? {
        guard isUsers, service.isOurs(call.facility), run(call, attempt(.named, .local, .removed)).result == .success
        else {
            return nil
        }
        let (programs, words, effect) =
            call == .account
            ? (
                "sudo", "the account lines continue without the module",
                "Without the module, NOPASSWD commands run despite key_logins = refuse"
            )
            : (
                "su or sudo", "users can sign in with only a local password",
                "Without the module, Cognito is not contacted, and failures are not counted"
            )
        return Check(
            .opensUnloaded, .warning, "if pam_cognito.so cannot be loaded, \(words).",
            why: "Users can start \(programs) with so little memory that the module cannot be loaded. \(effect).")
    }

    // MARK: Facts of the service

    private var isHost: Bool { Self.hosts.contains(service.name) }

    /// Whether others than root start the program.
    private var isUsers: Bool { Self.setUserID.contains(service.name) }

    /// In which states local accounts and root must come in. Where a caller can keep the module from being loaded,
    /// sign-ins without it must fail.
    private var openConditions: [Condition] {
        Condition.allCases.filter { condition in condition != .removed || !isUsers }
    }

    private func has(_ module: String, _ facility: Facility) -> Bool {
        service.stack(facility).contains { line in line.moduleName == module }
    }

    /// Whether the module takes it for a service that begins no session.
    private var beginsNoSession: Bool {
        let arguments = service.stack(.auth).first(where: \.isOurs)?.arguments ?? []
        guard let rule = arguments.last(where: { argument in argument.hasPrefix("session=") }) else {
            return servicesWithoutSession.contains { name in name.bytes.elementsEqual(service.name.utf8) }
        }
        return rule == "session=never"
    }

    /// Whether no auth line decides: then libpam refuses all. Root needs no password where pam_rootok is.
    private var isUndecided: Bool {
        let called = run(.authenticate, attempt(.local, .right)).called
        return !called.isEmpty
            && called.allSatisfy { call in
                call.line.moduleName != "pam_rootok" && call.line.control.action(for: call.result) == "ignore"
            }
    }

    /// Whether lines of a service's own refuse an account with pam_cognito or without it, as a service without
    /// passwords does. Services with sign-ins or changes of passwords have no such excuse.
    private func isRefusedByOthers(_ call: ModuleCall, _ attempt: TrialAttempt) -> Bool {
        guard call != .authenticate, !isHost, service.name != "passwd" else {
            return false
        }
        let run = run([call], attempt, isIgnoringOurs: true)
        return run.result != .success
            && run.called.contains { call in
                call.line.place.file == service.name && call.line.control.refuses(call.result)
            }
    }

    /// Whether a facility has two lines of ours. In the password lines one may stand before others that ask for a new
    /// password, and once more where the common files have us, if only one of them is called.
    private func isTwice(_ facility: Facility) -> Bool {
        guard Set(service.stack(facility).filter(\.isOurs).map(\.place)).count > 1 else {
            return false
        }
        return facility != .password
            || [Typed.right, .wrong].contains { typed in
                run(.change, attempt(.cognito, typed)).called.filter { call in call.line.isOurs }.count > 1
            }
    }

    // MARK: Trials

    private func attempt(
        _ person: TrialAccount, _ typed: Typed, _ condition: Condition = .reachable,
        _ change: (inout TrialAttempt) -> Void = { _ in }
    ) -> TrialAttempt {
        var attempt = TrialAttempt(
            person: person, typed: typed, condition: condition, missing: missing, isUsers: isUsers)
        change(&attempt)
        return attempt
    }

    private func isAdmitted(_ attempt: TrialAttempt) -> Bool {
        run(.authenticate, attempt).result == .success
    }

    private func run(_ call: ModuleCall, _ attempt: TrialAttempt) -> StackRun { run([call], attempt) }

    /// Tries one account; what the last of the calls comes to. pam_debug(8) knows no items of PAM's: whether a module
    /// before has asked for the password, so that use_first_pass has one, is decided here.
    private func run(_ calls: [ModuleCall], _ attempt: TrialAttempt, isIgnoringOurs: Bool = false) -> StackRun {
        var untyped: Set<Place> = []
        while true {
            let runs = judge.run(service, calls, isIgnoringOurs: isIgnoringOurs) { call, line in
                attempt.result(call, line, hasTyped: !untyped.contains(line.place))
            }
            let first = runs[0].called.first { line, result in
                line.moduleName == "pam_unix"
                    || line.isOurs && ![.ignore, .moduleUnknown, .userUnknown].contains(result)
                        && attempt.condition != .misconfigured
            }
            guard let line = first?.line, !line.isOurs, untyped.insert(line.place).inserted else {
                return runs[runs.count - 1]
            }
        }
    }
}
