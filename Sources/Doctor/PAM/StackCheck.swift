internal import Base
internal import Configuration

/// One service, tried with all kinds of accounts, in every state that Cognito can be in.
struct StackCheck {
    /// Services that begin sessions, whatever their files say. Screen locks do not.
    private static let hosts = ["sshd", "login", "su", "su-l", "sudo", "sudo-i"]

    /// Those of set-uid programs, which run with their caller's group and within the caller's limits.
    private static let setUserID = ["su", "su-l", "sudo", "sudo-i", "doas"]

    /// Those that Debian ships with pam_keyinit, and those without it.
    private static let withKeyring = ["sshd", "login", "su-l", "runuser-l", "systemd-user"]
    private static let withoutKeyring = ["su", "sudo", "sudo-i", "cron", "runuser"]

    let service: Service
    /// Modules that stacks name and this machine does not have.
    let missing: Set<String>
    /// Whether `key_logins = refuse` in the file.
    let refusesKeys: Bool
    private let argumentFault: (_ arguments: [String]) -> String?
    private(set) var problems: [Check] = []

    init(
        _ service: Service, missing: Set<String>, refusesKeys: Bool,
        argumentFault: @escaping (_ arguments: [String]) -> String?
    ) {
        self.service = service
        self.argumentFault = argumentFault
        self.missing = missing
        self.refusesKeys = refusesKeys
        for line in service.unreadable {
            problems.append(Check.unreadable(line.place, line.problem))
        }
        for facility in Facility.allCases {
            let lines = service.stack(facility).filter(\.isOurs)
            // Before others who ask for a new password, and once more where the common files have us.
            if facility == .password, !callsTwice {
                continue
            }
            if lines.count > 1, Set(lines.map(\.place)).count > 1 {
                report(.isTwice(facility))
            }
        }
        if service.isOurs(.auth) {
            checkWaysIn()
            checkCounter()
            checkCredentials()
            checkAccount()
        } else if service.isOurs(.session) || service.isOurs(.account),
            isAskingPasswords || Self.hosts.contains(service.name) || isDecidedByNobody
        {
            report(.hasNoAuth)
        }
        if beginsNoSession {
            // Its session lines are not used.
        } else if service.isOurs(.session) {
            checkSession()
        } else if service.isOurs(.auth), !service.borrowed.contains(.session) || Self.hosts.contains(service.name) {
            report(.hasNoSession)
        }
        if service.isOurs(.password) {
            checkPassword()
        }
    }

    private mutating func report(_ problem: Check) {
        if !problems.contains(problem) {
            problems.append(problem)
        }
    }

    /// Whether the module takes it for a service that begins no session.
    private var beginsNoSession: Bool {
        let arguments = service.stack(.auth).first(where: \.isOurs)?.arguments ?? []
        guard let rule = arguments.last(where: { argument in argument.hasPrefix("session=") }) else {
            return servicesWithoutSession.contains { name in name.bytes.elementsEqual(service.name.utf8) }
        }
        return rule == "session=never"
    }

    /// Whether lines of a service's own refuse an account with pam_cognito or without it, as a service without
    /// passwords does. Services with sign-ins or changes of passwords have no such excuse.
    private func isRefusedByOthers(_ call: ModuleCall, _ attempt: TrialAttempt) -> Bool {
        guard !Self.hosts.contains(service.name), service.name != "passwd" else {
            return false
        }
        let without = service.stack(call.facility).map { line in
            var line = line
            if line.isOurs {
                line.control = .ignoring
            }
            return line
        }
        let run = StackRun(without) { line in attempt.result(call, line) }
        return run.result != .success
            && run.called.contains { call in
                call.line.place.file == service.name
                    && [.bad, .die].contains(call.line.control.action(for: call.result))
            }
    }

    /// Whether no auth line decides: then libpam refuses all. Root needs no password where pam_rootok is.
    private var isDecidedByNobody: Bool {
        let called = authenticate(attempt(.local, .right)).called
        return !called.isEmpty
            && called.allSatisfy { call in
                call.line.moduleName != "pam_rootok" && call.line.control.action(for: call.result) == .ignore
            }
    }

    private var isAskingPasswords: Bool {
        service.stack(.auth).contains { line in line.moduleName == "pam_unix" }
    }

    private func attempt(_ person: TrialAccount, _ typed: Typed, _ condition: Condition = .reachable) -> TrialAttempt {
        TrialAttempt(person: person, typed: typed, condition: condition, missing: missing, isUsers: isUsers)
    }

    /// Whether others than root start the program.
    private var isUsers: Bool {
        Self.setUserID.contains(service.name)
    }

    /// In which states local accounts and root must come in. Where a caller can keep the module from being
    /// loaded, sign-ins without it must fail.
    private var openConditions: [Condition] {
        Condition.allCases.filter { condition in condition != .removed || !isUsers }
    }

    /// Whether a caller who keeps the module from being loaded gets by without it.
    private mutating func checkUnloaded(_ call: ModuleCall) {
        if isUsers, service.isOurs(call.facility), run(call, attempt(.named, .local, .removed)).result == .success {
            report(.opensUnloaded(call.facility))
        }
    }

    private func run(_ call: ModuleCall, _ attempt: TrialAttempt) -> StackRun {
        var hasTyped = false
        return StackRun(service.stack(call.facility)) { line in
            let result = attempt.result(call, line, hasTyped: hasTyped)
            let asks =
                line.moduleName == "pam_unix"
                || line.isOurs && result != .ignore && result != .moduleUnknown && result != .userUnknown
                    && attempt.condition != .misconfigured
            hasTyped = hasTyped || asks
            return result
        }
    }

    private func authenticate(_ attempt: TrialAttempt) -> StackRun {
        run(.authenticate, attempt)
    }

    private mutating func checkWaysIn() {
        checkUnloaded(.authenticate)
        for condition in Condition.allCases {
            for person in [TrialAccount.local, .root] {
                if openConditions.contains(condition),
                    authenticate(attempt(person, .right, condition)).result != .success
                {
                    // What holds when nothing is wrong need not be told again for when something is.
                    if !problems.contains(.locksLocalOut(.auth, .reachable)) {
                        report(.locksLocalOut(.auth, condition))
                    }
                }
                expectRefusal(attempt(person, .wrong, condition))
            }
            expectRefusal(attempt(.cognito, .wrong, condition))
            expectRefusal(attempt(.named, .wrong, condition))
            if condition != .reachable {
                expectRefusal(attempt(.cognito, .right, condition))
            }
        }
        for person in [TrialAccount.cognito, .named] where authenticate(attempt(person, .right)).result != .success {
            report(.locksCognitoOut(.auth))
        }
        for refusal in [ModuleResult.authErr, .permDenied, .maxtries, .convErr, .credUnavail] {
            for typed in [Typed.wrong, .local] {
                var refused = attempt(.named, typed)
                refused.refusal = refusal
                if authenticate(refused).result == .success {
                    report(typed == .wrong ? .letsAnybodyIn : .overridesRefusal)
                }
            }
        }
    }

    /// Local accounts and root must come through the lines of a facility, in these states of Cognito. What holds when
    /// nothing is wrong need not be told again for when something is.
    private mutating func expectLocalIn(
        _ facility: Facility, _ call: ModuleCall, _ conditions: [Condition],
        _ people: [TrialAccount] = [.local, .root]
    ) {
        for condition in conditions {
            for attempt in people.map({ person in attempt(person, .right, condition) })
            where run(call, attempt).result != .success && !isRefusedByOthers(call, attempt)
                && !problems.contains(.locksLocalOut(facility, .reachable))
            {
                report(.locksLocalOut(facility, condition))
            }
        }
    }

    private mutating func expectRefusal(_ attempt: TrialAttempt) {
        if authenticate(attempt).result == .success {
            report(.letsAnybodyIn)
        }
    }

    // MARK: Failures that are counted

    private mutating func checkCounter() {
        guard let counter = service.stack(.auth).first(where: { line in line.moduleName == "pam_faillock" }) else {
            return
        }
        if Self.setUserID.contains(service.name) || counter.place.file.hasPrefix("cognito-") {
            report(.countsInFiles)
        }
        for person in [TrialAccount.cognito, .local] {
            var locked = attempt(person, .right)
            locked.isLockedOut = true
            let run = authenticate(locked)
            if run.result == .success {
                report(.ignoresLockout)
            } else if run.called.contains(where: \.line.isOurs) {
                report(.checksLockoutLate)
            }
        }
        let refused = authenticate(attempt(.cognito, .wrong))
        if !refused.called.contains(where: { call in call.line.isCounter(.fail) }) {
            report(.countsNoFailures)
        }
        var undecided = attempt(.cognito, .wrong)
        // With local_password = never.
        undecided.refusal = .credUnavail
        for outage in [attempt(.cognito, .right, .unreachable), undecided]
        where authenticate(outage).called.contains(where: { call in call.line.isCounter(.fail) }) {
            report(.countsOutages)
        }
        let accepted = authenticate(attempt(.cognito, .right))
        let forgets =
            accepted.called.contains { call in call.line.isCounter(.forget) }
            || service.stack(.account).contains { line in line.moduleName == "pam_faillock" }
        if accepted.result == .success, !forgets {
            report(.neverForgetsFailures)
        }
    }

    // MARK: After the password

    private mutating func checkCredentials() {
        for person in [TrialAccount.cognito, .local, .root] {
            let attempt = attempt(person, .right)
            let authenticated = authenticate(attempt)
            guard authenticated.result == .success else {
                continue
            }
            var ways: [[Place: ModuleResult]?] = [authenticated.frozen]
            if service.name.hasPrefix("sshd") {
                // After keyboard-interactive, and after a key, this process has run no pam_authenticate(3).
                ways.append(nil)
            }
            for frozen in ways
            where StackRun(
                service.stack(.auth), frozen: frozen ?? [:], { line in attempt.result(.credentials, line) }
            ).result != .success {
                report(.refusesCredentials)
            }
        }
    }

    private mutating func checkAccount() {
        let stack = service.stack(.account)
        checkUnloaded(.account)
        expectLocalIn(.account, .account, openConditions)
        var withKey = attempt(.cognito, .right)
        withKey.hasKey = true
        for attempt in [attempt(.cognito, .right), attempt(.named, .right), withKey]
        where run(.account, attempt).result != .success {
            report(.locksCognitoOut(.account))
        }
        let isSkippable = stack.contains { line in line.moduleName == "pam_unix" }
        for attempt in [attempt(.cognito, .right), withKey] {
            var aged = attempt
            aged.isAged = true
            if run(.account, attempt).result == .success, run(.account, aged).result != .success {
                report(.keepsAgedOut)
            }
        }
        for person in [TrialAccount.local, .cognito] {
            var expired = attempt(person, .right)
            expired.isExpired = true
            if run(.account, expired).result == .success,
                isSkippable || stack.allSatisfy({ line in line.isOurs || line.isSaying })
            {
                report(.letsExpiredIn(isSkipped: isSkippable))
            }
            var closed = attempt(person, .right)
            closed.isClosed = true
            let hasNologin = (stack + service.stack(.auth)).contains { line in line.moduleName == "pam_nologin" }
            if hasNologin, run(.account, closed).result == .success, authenticate(closed).result == .success {
                report(.skipsNologin)
            }
        }
        let arguments = stack.filter(\.isOurs).flatMap(\.arguments)
        let argument = arguments.last { text in text.hasPrefix("key_logins=") }
        if argument.map({ text in text == "key_logins=refuse" }) ?? refusesKeys {
            // With an argument that it does not understand, the module refuses no account.
            withKey.refusesKeys = argumentFault(arguments) == nil
            if run(.account, withKey).result == .success {
                report(.acceptsKeys)
            }
        } else if !service.isOurs(.account) {
            report(.hasNoAccount)
        }
    }

    private mutating func checkSession() {
        let stack = service.stack(.session)
        expectLocalIn(.session, .session, Condition.allCases)
        let attempt = attempt(.cognito, .right)
        let run = run(.session, attempt)
        if run.result != .success {
            report(.locksCognitoOut(.session))
        }
        if !run.called.contains(where: { call in call.line.isOurs }) {
            report(.hasNoSession)
        }
        let without = StackRun(stack.filter { line in !line.isOurs }) { line in attempt.result(.session, line) }
        let calledWith = Set(run.called.map(\.line.place))
        if without.called.contains(where: { call in !calledWith.contains(call.line.place) }) {
            report(.cutsShort(.session))
        }
        let undelivered = StackRun(stack) { line in line.isOurs ? .sessionErr : attempt.result(.session, line) }
        if undelivered.result == .success {
            report(.ignoresUndelivered)
        }
        // Services without a sign-in have no tokens to lose: systemd --user has lines of that kind.
        if Self.hosts.contains(service.name) || service.isOurs(.auth) && !service.borrowed.contains(.auth) {
            checkKeyring(run.called.map(\.line))
        }
    }

    private mutating func checkKeyring(_ called: [StackLine]) {
        guard let ours = called.firstIndex(where: \.isOurs) else {
            return
        }
        let makers = called.indices.filter { index in called[index].moduleName == "pam_keyinit" }
        if let late = makers.first(where: { index in index > ours && called[index].arguments.contains("force") }) {
            report(.losesKeyring(called[late].place))
        }
        guard let first = makers.first(where: { index in index < ours && called[index].arguments.contains("force") })
        else {
            // The common files give all services pam_cognito; which of them begin with a keyring, Debian decides.
            let isOwn = !called[ours].place.file.hasPrefix("common-") && !Self.withoutKeyring.contains(service.name)
            if isOwn || Self.withKeyring.contains(service.name), !makers.contains(where: { index in index > ours }) {
                report(.hasNoKeyring)
            }
            return
        }
        if !called[first].arguments.contains("revoke") {
            report(.keepsKeyring(called[first].place))
        }
    }

    /// Whether a password is changed at Cognito twice.
    private var callsTwice: Bool {
        [Typed.right, .wrong].contains { typed in
            let run = run(.change, attempt(.cognito, typed))
            return run.called.filter { call in call.line.isOurs }.count > 1
        }
    }

    private mutating func checkPassword() {
        expectLocalIn(.password, .change, Condition.allCases, [.local])
        let called = run(.change, attempt(.cognito, .right)).called.map(\.line)
        if service.name == "passwd",
            let asking = called.prefix(while: { line in !line.isOurs }).first(where: \.asksForNew)
        {
            report(.asksForNewFirst(asking.moduleName))
        }
        // Elsewhere Cognito asks for a new password in the course of the sign-in itself.
        if service.name == "passwd", run(.change, attempt(.cognito, .right)).result != .success {
            report(.changesNoPassword)
        }
    }
}

extension StackLine {
    fileprivate enum CounterUse {
        case fail
        case forget
    }

    /// Whether it is pam_faillock for that.
    fileprivate func isCounter(_ use: CounterUse) -> Bool {
        guard moduleName == "pam_faillock" else {
            return false
        }
        return switch use {
        case .fail: arguments.contains("authfail")
        case .forget: arguments.contains("authsucc")
        }
    }

    /// Whether it asks for a new password, to look at how good it is.
    fileprivate var asksForNew: Bool {
        ["pam_pwquality", "pam_cracklib", "pam_passwdqc"].contains(moduleName)
    }

    /// Whether it only decides, without looking at the account.
    fileprivate var isSaying: Bool {
        ["pam_permit", "pam_deny", "pam_warn", "pam_nologin"].contains(moduleName)
    }
}
