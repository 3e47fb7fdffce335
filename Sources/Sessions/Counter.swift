import Base
package import Protocol

// The counters of a machine's sign-ins. Each is a cell of a file, and their number is fixed. The lists are made again
// each time: a stored one would be left behind in the application each time that libpam unloads the module.

/// The words for why, as the log has them. What is refused for one of the first ones is shown before it has ever
/// happened. Their places are their numbers in the journal's message catalogue: others come behind them.
package var logReasons: [StaticString] {
    [
        "refused", "locked_out", "too_many_failures", "group", "no_answer", "unreachable", "throttled", "service_fault",
        "configuration", "internal_fault", "invalid_tokens", "other_identity",
        "disabled", "not_confirmed", "password_change_needed", "challenge_not_supported", "refused_by_pool",
        "session_ended", "access_token_expired", "no_new_password", "renewal_lost", "not_listed", "credential_refused",
        "too_many_prompts", "too_many_sessions", "too_many_sign_ins", "busy", "signed_out", "barred", "foreign_file",
        "key_login", "record", "idle", "session_limit", "unclear",
        "no_session", "malformed", "not_signed_in", "not_covered", "no_inbox", "not_recovered", "not_permitted",
        "no_such_credential", "locked", "forgotten", "unknown",
        // Why a sign-out reached less than it was meant to.
        "scope", "firewall", "not_renewed", "newer_session", "not_carried_out", "others_unknown",
        "password_reset_required",
        "already_revoked", "expired", "user_gone",
        "other_person", "no_account", "new_account", "level_not_reached",
        "no_receiver", "wrong_code", "not_handed_over", "tokens_locked",
        "not_theirs", "used_up", "cannot_seal", "groups", "too_many_at_once", "too_many_codes",
        "known_elsewhere", "not_in_session", "operation_not_enabled", "no_agent", "no_password", "managed_login",
    ]
}

/// How many of them are always shown.
package let shownReasons = 12

/// The services that are told apart; all others are one.
package var countedServices: [StaticString] {
    ["sshd", "login", "su", "sudo", "polkit-1", "gdm-password", "lightdm", "cockpit", "other"]
}

/// The ways to sign in, with the events that log them.
package var signInWays: [(event: AuditEventName, name: StaticString)] {
    [
        (.signedIn, "cognito"), (.sessionReused, "session"), (.screenUnlocked, "screen_lock"),
        (.steppedUp, "step_up"),
    ]
}

/// The refused requests, with the events that log them.
package var refusedSteps: [(event: AuditEventName, name: StaticString)] {
    [
        (.authenticationFailure, "sign_in"), (.passwordChangeFailure, "password_change"),
        (.passwordRecoveryFailure, "password_recovery"), (.accountRefused, "account"),
        (.notRenewed, "renewal"), (.requestRefused, "request"),
    ]
}

/// What became of sign-outs at Cognito, as the log has it; the last one is that it is not over yet.
package var signOutOutcomes: [StaticString] {
    [
        "revoked_everywhere", "revoked", "already_revoked", "expired", "only_this_session",
        "revocation_not_enabled_for_this_app_client", "user_gone", "gone", "kept_at_cognito", "unknown", "not_finished",
    ]
}

/// What a worker is waited for.
package var waitedSteps: [StaticString] {
    ["sign_in", "password", "renewal", "check", "sign_out", "other"]
}

/// Up to so many milliseconds a wait is counted in each place; a last one is for the longer ones.
package var waitLimits: [Int64] {
    [100, 250, 500, 1000, 2500, 5000, 10_000]
}

/// A cell of the file of counters.
package enum Counter: Equatable {
    /// Log lines that report a fault on this machine.
    case fault
    /// Those that no log has taken.
    case lostLine
    case renewal
    case signIn(way: Int, service: Int)
    case refusal(step: Int, reason: Int)
    case signOut(outcome: Int)
    /// How many waits were so long, and how long all of a kind were, in milliseconds.
    case wait(step: Int, place: Int)
    case waited(step: Int)

    package var cell: Int {
        let services = countedServices.count
        let signIns = 3
        let refusals = signIns + signInWays.count * services
        // A place for the reason that is in no list, too.
        let reasons = logReasons.count + 1
        let signOuts = refusals + refusedSteps.count * reasons
        let waits = signOuts + signOutOutcomes.count
        // The longer ones, and the sum.
        let places = waitLimits.count + 2
        return switch self {
        case .fault: 0
        case .lostLine: 1
        case .renewal: 2
        case .signIn(let way, let service): signIns + way * services + service
        case .refusal(let step, let reason): refusals + step * reasons + reason
        case .signOut(let outcome): signOuts + outcome
        case .wait(let step, let place): waits + step * places + place
        case .waited(let step): waits + step * places + places - 1
        }
    }

    package static var count: Int {
        Counter.waited(step: waitedSteps.count - 1).cell + 1
    }
}

extension Counter {
    /// What a line of the log adds one to; nil: nothing.
    package init?(_ line: LogLine, isFault: Bool) {
        guard case .audit(let event) = line else {
            guard isFault else {
                return nil
            }
            self = .fault
            return
        }
        if let way = signInWays.firstIndex(where: { way in way.event == event.name }) {
            self = .signIn(way: way, service: Self.service(event.fields["service"]?.bytes ?? []))
        } else if let step = refusedSteps.firstIndex(where: { step in step.event == event.name }) {
            let reason = event.fields["reason"]?.bytes ?? []
            let reasons = logReasons
            self = .refusal(
                step: step, reason: reasons.firstIndex { name in name.equals(reason) } ?? reasons.count)
        } else if event.name == .renewed {
            self = .renewal
        } else if let outcome = Self.outcome(event) {
            self = .signOut(outcome: outcome)
        } else {
            return nil
        }
    }

    private static func service(_ name: ArraySlice<UInt8>) -> Int {
        let services = countedServices
        // su and sudo have a second name for login shells.
        let known = services.firstIndex { service in
            service.equals(name) || (service.bytes + ("-l" as StaticString).bytes).elementsEqual(name)
                || (service.bytes + ("-i" as StaticString).bytes).elementsEqual(name)
        }
        return known ?? services.count - 1
    }

    private static func outcome(_ event: AuditEvent) -> Int? {
        let outcomes = signOutOutcomes
        if event.name == .signOutNotFinished {
            return outcomes.count - 1
        }
        guard event.name == .signedOut || event.name == .givenUp, let outcome = event.fields["outcome"]?.bytes else {
            return nil
        }
        return outcomes.firstIndex { name in name.equals(outcome) }
    }

    /// The counters for an answer that was waited for, of a worker that was begun with `kind`: how often, and how long.
    package static func wait(of kind: MessageKind, milliseconds: Int64) -> (place: Counter, sum: Counter) {
        let step =
            switch kind {
            case .signIn: 0
            case .changePassword, .forgotPassword: 1
            case .renew: 2
            case .check: 3
            case .signOut, .adminSignOut: 4
            default: 5
            }
        let limits = waitLimits
        let place = limits.firstIndex { limit in milliseconds <= limit } ?? limits.count
        return (.wait(step: step, place: place), .waited(step: step))
    }
}
