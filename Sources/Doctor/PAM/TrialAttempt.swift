internal import LoginHooks

enum TrialAccount: CaseIterable {
    /// With a password of this machine, and none of Cognito's business.
    case local
    case root
    /// Cognito's, without a password of this machine.
    case cognito
    /// Cognito's, named in `users`, with a password of this machine, too.
    case named
}

enum Typed {
    /// The right password: Cognito's for Cognito's accounts, this machine's for others.
    case right
    /// This machine's password of an account that is Cognito's.
    case local
    case wrong
}

/// In which state Cognito is, seen from here.
enum Condition: CaseIterable {
    case reachable
    case unreachable
    /// pam_cognito.conf has a mistake.
    case misconfigured
    /// /run/pam-cognito/disabled is there.
    case switchedOff
    /// pam_cognito.so is not there.
    case removed
}

/// Somebody at a prompt, and what every module will return to them.
struct TrialAttempt {
    var person: TrialAccount
    var typed: Typed
    var condition: Condition
    /// What Cognito's refusal is.
    var refusal = ModuleResult.authErr
    /// Whether there were too many failures lately.
    var isLockedOut = false
    /// Whether the account has run out on this machine.
    var isExpired = false
    /// Whether this machine wants a new password of it.
    var isAged = false
    /// Whether /etc/nologin is there.
    var isClosed = false
    /// Whether they came without a password: with an ssh key.
    var hasKey = false
    /// Whether `key_logins = refuse`.
    var refusesKeys = false
    /// Modules that are not on this machine.
    var missing: Set<String> = []
    /// Whether somebody else than root has started the program, and has chosen its limits.
    var isUsers = false

    private var isCognitos: Bool {
        person == .cognito || person == .named
    }

    /// What the module of `line` returns from pam_sm_authenticate(3).
    ///
    /// - Parameter hasTyped: Whether a module before it has asked for the password.
    func authentication(_ line: StackLine, hasTyped: Bool) -> ModuleResult {
        if let common = common(line) ?? condition(line) {
            return common
        }
        switch line.moduleName {
        case "pam_cognito":
            return cognitosAnswer(misconfigured: .authinfoUnavail)
        case "pam_unix":
            if line.arguments.contains("use_first_pass"), !hasTyped {
                return .authErr
            }
            let isRight = isCognitos ? person == .named && typed == .local : typed == .right
            return isRight ? .success : .authErr
        case "pam_faillock":
            if line.arguments.contains("authfail") {
                return isLockedOut ? .authErr : .ignore
            }
            return isLockedOut ? .authErr : .success
        case "pam_rootok": return .authErr
        case "pam_nologin": return nologin
        case "pam_faildelay", "pam_env", "pam_group", "pam_cap", "pam_keyinit", "pam_warn", "pam_mail":
            return .ignore
        case "pam_deny": return .authErr
        default:
            return neutral(line)
        }
    }

    /// What pam_cognito makes of a password, whether it signs in with it or changes it.
    ///
    /// - Parameter misconfigured: What it returns where its configuration cannot be used.
    private func cognitosAnswer(misconfigured: ModuleResult) -> ModuleResult {
        switch condition {
        case .switchedOff: return .ignore
        case .removed: return .moduleUnknown
        case .misconfigured: return person == .root ? .ignore : misconfigured
        case .unreachable: return isCognitos ? .authinfoUnavail : .ignore
        case .reachable:
            guard isCognitos else {
                return .ignore
            }
            return typed == .right ? .success : refusal
        }
    }

    /// What it returns from pam_sm_setcred(3).
    func credentials(_ line: StackLine) -> ModuleResult {
        if let common = common(line) {
            return common
        }
        switch line.moduleName {
        case "pam_cognito": return condition == .removed ? .moduleUnknown : .success
        case "pam_deny": return .credErr
        case "pam_faildelay", "pam_nologin", "pam_cap", "pam_rootok", "pam_succeed_if", "pam_warn": return .ignore
        default: return .success
        }
    }

    /// What it returns from pam_sm_acct_mgmt(3).
    func account(_ line: StackLine) -> ModuleResult {
        if let common = common(line) ?? condition(line) {
            return common
        }
        switch line.moduleName {
        case "pam_cognito":
            switch condition {
            case .removed: return .moduleUnknown
            case .switchedOff, .misconfigured, .unreachable: return .ignore
            case .reachable:
                guard isCognitos else {
                    return .ignore
                }
                guard !hasKey || !refusesKeys else {
                    return .permDenied
                }
                return isAged && person == .cognito && line.arguments.contains("\(noPasswordExpiry)")
                    ? .authtokDisableAging : hasKey ? .ignore : .success
            }
        case "pam_unix": return isExpired ? .acctExpired : isAged ? .newAuthtokReqd : .success
        case "pam_nologin": return nologin
        case "pam_warn": return .ignore
        case "pam_deny": return .authErr
        default: return neutral(line)
        }
    }

    /// What it returns from pam_sm_open_session(3).
    func session(_ line: StackLine) -> ModuleResult {
        if let common = common(line) {
            return common
        }
        switch line.moduleName {
        case "pam_cognito": return condition == .removed ? .moduleUnknown : .success
        case "pam_deny": return .sessionErr
        case "pam_motd", "pam_mail", "pam_warn": return .ignore
        // Nobody is let in here any more.
        default: return .success
        }
    }

    /// What it returns from pam_sm_chauthtok(3).
    func change(_ line: StackLine) -> ModuleResult {
        if let common = common(line) {
            return common
        }
        switch line.moduleName {
        case "pam_cognito": return cognitosAnswer(misconfigured: .tryAgain)
        case "pam_unix": return isCognitos ? .authtokErr : typed == .right ? .success : .authtokErr
        case "pam_warn": return .ignore
        case "pam_deny": return .authtokErr
        default: return neutral(line)
        }
    }

    private var nologin: ModuleResult {
        isClosed && person != .root ? .authErr : .ignore
    }

    private func common(_ line: StackLine) -> ModuleResult? {
        if line.moduleName == "pam_permit" {
            return .success
        }
        return !line.isOurs && missing.contains(line.module ?? "") ? .moduleUnknown : nil
    }

    /// What pam_succeed_if makes of who has started the program; nil: it is another module, or asks for something else.
    private func condition(_ line: StackLine) -> ModuleResult? {
        guard line.moduleName == "pam_succeed_if" else {
            return nil
        }
        let flags = ["audit", "debug", "quiet", "quiet_fail", "quiet_success", "use_uid"]
        var words = line.arguments.filter { word in !flags.contains(word) }[...]
        while !words.isEmpty {
            guard words.count >= 3 else {
                return .serviceErr
            }
            let (name, operation, right) = (words.removeFirst(), words.removeFirst(), words.removeFirst())
            let value: String
            switch name {
            case "uid" where line.arguments.contains("use_uid"): value = isUsers ? "1000" : "0"
            case "ruser": value = isUsers ? "user" : ""
            default: return nil
            }
            let isMet: Bool
            switch operation {
            case "=", "eq": isMet = value == right
            case "!=", "ne": isMet = value != right
            case "in": isMet = right.split(separator: ":", omittingEmptySubsequences: false).contains { $0 == value }
            default: return nil
            }
            guard isMet else {
                return .authErr
            }
        }
        return .success
    }

    /// Of a module of which nothing is known: it has nothing against anybody, and is no other way in.
    private func neutral(_ line: StackLine) -> ModuleResult {
        switch line.control.action(for: .success) {
        case .done, .jump: .userUnknown
        case .ignore, .ok, .bad, .die, .reset: .success
        }
    }
}
