package import Base
package import Protocol

/// What became of the end of a session.
package enum Ending: Equatable {
    /// It is over, and ours are gone; how.
    case done(Ended)
    /// Not yet; why, and a line for the log. The registry keeps them.
    case left(FailureReason, ByteText)
    /// Locked by another process.
    case busy
    /// An agent of its own goes on with it. The session has no tokens any more.
    case handedOver
}

extension Ending {
    /// Tells of the end of a session, for `why`, unless another process does.
    ///
    /// - Parameter report: Gets a line for the log; whether it is a fault.
    package func tell(of who: AuditSubject, because why: ByteText, report: (LogLine, Bool) -> Void) {
        switch self {
        case .done(let how): report(who.line(.signedOut, how.fields, text: how.remark(before: why)), how.isFault)
        case .left(_, let fault): report(who.line(.signOutNotFinished, text: "\(why): \(fault)"), true)
        case .busy, .handedOver: break
        }
    }

    /// The same of an end that was asked for.
    package func tell(of who: AuditSubject, report: (LogLine, Bool) -> Void) {
        switch self {
        case .done(let how): report(who.line(.signedOut, how.fields, text: how.remark), how.isFault)
        case .left(_, let why):
            let rest: ByteText =
                "The tokens are kept in the registry, and cognito-agent reap tries to revoke them again"
            report(who.line(.signOutNotFinished, text: "\(why). \(rest)"), true)
        case .busy, .handedOver: break
        }
    }
}

/// How a session is over, for the log.
package struct Ended: Equatable {
    /// One of `signOutOutcomes`.
    private let outcome: StaticString
    /// Why no more was reached.
    private let shortfall: AuditFields
    /// The worker's own words, where there are any.
    package let remark: ByteText?
    /// Whether the administrator should see to it: less was reached than was meant to be, and that was no other's
    /// doing.
    package let isFault: Bool

    package init(
        _ outcome: StaticString, because shortfall: Shortfall? = nil, remark: ByteText = "", isFault: Bool = false
    ) {
        self.outcome = outcome
        self.shortfall = shortfall.map { shortfall in ["reason": "\(shortfall.name)"] } ?? [:]
        self.remark = remark.bytes.isEmpty ? nil : remark
        self.isFault = isFault
    }

    package static func == (first: Self, second: Self) -> Bool {
        first.fields == second.fields && first.remark == second.remark && first.isFault == second.isFault
    }

    package var fields: AuditFields { ["outcome": "\(outcome)"] + shortfall }

    /// All of it, where it is no event of its own.
    var line: ByteText {
        let words: ByteText = "\(outcome)\(shortfall.rendered)"
        return remark.map { remark in "\(words): \(remark)" } ?? words
    }

    /// `text`, behind the remark.
    package func remark(before text: ByteText) -> ByteText {
        remark.map { remark in "\(remark): \(text)" } ?? text
    }
}

/// What became of a sign-out that the user waits for.
package enum EndingNow: Equatable {
    /// The session is over, and ours are gone; what was reached, and how the log has it.
    case done(SignOutResult, Ended)
    /// Nothing was changed, or Cognito refuses all that the session asks for.
    case failed(OperationFailure)
}

extension SignOutResult {
    /// How the log has it.
    ///
    /// - Parameter remark: The worker's own words, where there are any.
    package func ended(_ remark: ByteText) -> Ended {
        switch self {
        case .everywhere: Ended("revoked_everywhere")
        case .revoked: Ended("revoked")
        case .alreadyRevoked: Ended("already_revoked")
        case .expired: Ended("expired")
        case .onlySession(.userGone): Ended("user_gone")
        case .onlySession(let shortfall):
            Ended("only_this_session", because: shortfall, remark: remark, isFault: shortfall.isFault)
        case .nothing(let shortfall):
            Ended("revocation_not_enabled_for_this_app_client", because: shortfall, remark: remark, isFault: true)
        }
    }
}

extension Shortfall {
    /// Whether it is more than what happens in the course of things.
    fileprivate var isFault: Bool {
        switch self {
        case .alreadyRevoked, .expired, .userGone, .newerSession: false
        case .passwordResetRequired, .notConfirmed, .disabled, .scope, .firewall, .configuration, .refused,
            .notRenewed, .notCarriedOut, .othersUnknown:
            true
        }
    }
}
