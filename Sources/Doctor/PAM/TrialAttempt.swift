internal import Sessions

/// The functions of a module, as an application calls them.
enum ModuleCall: String {
    // What the judge's child knows the call by (CStackJudge.h).
    case authenticate = "a"
    case credentials = "s"
    case account = "m"
    case session = "o"
    case change = "c"

    var facility: Facility { traits.facility }
    /// What pam_debug(8) calls it; a change of a password has two rounds.
    var events: [String] { traits.events }

    private var traits: (facility: Facility, events: [String]) {
        switch self {
        case .authenticate: (.auth, ["auth"])
        case .credentials: (.auth, ["cred"])
        case .account: (.account, ["acct"])
        case .session: (.session, ["open_session"])
        case .change: (.password, ["prechauthtok", "chauthtok"])
        }
    }
}

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
enum Condition: String, CaseIterable {
    case reachable = ""
    case unreachable = "Cognito cannot be reached"
    case misconfigured = "pam_cognito.conf has a mistake"
    case switchedOff = "/run/pam-cognito/disabled exists"
    case removed = "pam_cognito.so does not exist"
}

/// A user at a prompt, and what every module returns for them.
struct TrialAttempt {
    var person: TrialAccount
    var typed: Typed
    var condition: Condition
    /// What Cognito's refusal is.
    var refusal = ModuleResult.authErr
    var isLockedOut = false
    var isExpired = false
    /// Whether this machine wants a new password of it.
    var isAged = false
    /// Whether /etc/nologin is there.
    var isClosed = false
    /// Whether they came without a password: with an ssh key.
    var hasKey = false
    var refusesKeys = false
    var missing: Set<String> = []
    /// Whether a user other than root has started the program, and has chosen its limits.
    var isUsers = false

    private var isCognitos: Bool {
        person == .cognito || person == .named
    }

    /// What a module returns from one of its functions: pam_sm_authenticate(3) and so on.
    ///
    /// - Parameter hasTyped: Whether a module before it has asked for the password.
    func result(_ call: ModuleCall, _ line: StackLine, hasTyped: Bool = false) -> ModuleResult {
        if line.moduleName == "pam_permit" {
            return .success
        }
        if !line.isOurs, missing.contains(line.module ?? "") {
            return .moduleUnknown
        }
        if call == .authenticate || call == .account, let met = condition(line) {
            return met
        }
        switch (line.moduleName, call) {
        case ("pam_cognito", .authenticate): return cognitosAnswer(misconfigured: .authinfoUnavail)
        case ("pam_cognito", .change): return cognitosAnswer(misconfigured: .tryAgain)
        case ("pam_cognito", .account): return cognitosAccount(line)
        case ("pam_cognito", .credentials), ("pam_cognito", .session):
            return condition == .removed ? .moduleUnknown : .success
        case ("pam_unix", .authenticate):
            let isRight = isCognitos ? person == .named && typed == .local : typed == .right
            return isRight && (hasTyped || !line.arguments.contains("use_first_pass")) ? .success : .authErr
        case ("pam_unix", .account): return isExpired ? .acctExpired : isAged ? .newAuthtokReqd : .success
        case ("pam_unix", .change): return !isCognitos && typed == .right ? .success : .authtokErr
        case ("pam_faillock", .authenticate):
            return isLockedOut ? .authErr : line.arguments.contains("authfail") ? .ignore : .success
        case ("pam_rootok", .authenticate): return .authErr
        case ("pam_nologin", .authenticate), ("pam_nologin", .account):
            return isClosed && person != .root ? .authErr : .ignore
        case ("pam_deny", .credentials): return .credErr
        case ("pam_deny", .session): return .sessionErr
        case ("pam_deny", .change): return .authtokErr
        case ("pam_deny", .authenticate), ("pam_deny", .account): return .authErr
        case ("pam_warn", _): return .ignore
        case (let name, .authenticate) where Self.bystanders.contains(name): return .ignore
        case (let name, .credentials) where Self.withoutCredentials.contains(name): return .ignore
        case ("pam_motd", .session), ("pam_mail", .session): return .ignore
        case (_, .credentials), (_, .session): return .success
        case (_, .authenticate), (_, .account), (_, .change): return neutral(line)
        }
    }

    /// Modules that have no say in pam_authenticate(3), and in pam_setcred(3).
    private static let bystanders = ["pam_faildelay", "pam_env", "pam_group", "pam_cap", "pam_keyinit", "pam_mail"]
    private static let withoutCredentials = [
        "pam_faildelay", "pam_nologin", "pam_cap", "pam_rootok", "pam_succeed_if",
    ]

    /// What pam_cognito makes of a password, whether it signs in with it or changes it.
    ///
    /// - Parameter misconfigured: What it returns where its configuration cannot be used.
    private func cognitosAnswer(misconfigured: ModuleResult) -> ModuleResult {
        switch condition {
        case .switchedOff: .ignore
        case .removed: .moduleUnknown
        // Local accounts are not managed, whatever the mistake.
        case .misconfigured: isCognitos ? misconfigured : .ignore
        case .unreachable: isCognitos ? .authinfoUnavail : .ignore
        case .reachable: isCognitos ? typed == .right ? .success : refusal : .ignore
        }
    }

    private func cognitosAccount(_ line: StackLine) -> ModuleResult {
        switch condition {
        case .removed: return .moduleUnknown
        case .switchedOff, .misconfigured, .unreachable: return .ignore
        case .reachable:
            guard isCognitos else { return .ignore }
            guard !hasKey || !refusesKeys else { return .permDenied }
            return isAged && person == .cognito && line.arguments.contains("\(noPasswordExpiry)")
                ? .authtokDisableAging : hasKey ? .ignore : .success
        }
    }

    /// What pam_succeed_if makes of who has started the program; nil: it is another module, or asks for something else.
    private func condition(_ line: StackLine) -> ModuleResult? {
        guard line.moduleName == "pam_succeed_if" else { return nil }
        let flags = ["audit", "debug", "quiet", "quiet_fail", "quiet_success", "use_uid"]
        var words = line.arguments.filter { word in !flags.contains(word) }[...]
        while !words.isEmpty {
            guard words.count >= 3 else { return .serviceErr }
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
            guard isMet else { return .authErr }
        }
        return .success
    }

    /// Of a module that is not known: it refuses no account, and admits none by itself.
    private func neutral(_ line: StackLine) -> ModuleResult {
        let action = line.control.action(for: .success)
        return action == "done" || Int(action) != nil ? .userUnknown : .success
    }
}
