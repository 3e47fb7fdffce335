import Base

/// Why a session's tokens have ended, as hooks are told.
package enum SignOutReason: UInt8, Sendable, CaseIterable {
    /// The session was closed.
    case logout
    /// The person signed out, and the session goes on.
    case signedOut
    /// Cognito no longer accepted them.
    case endedElsewhere
    /// Nobody typed.
    case idle
    /// The session's host was gone without a word.
    case hostGone
    /// The machine stops.
    case shutdown

    /// The word for it.
    package var name: StaticString {
        switch self {
        case .logout: "logout"
        case .signedOut: "sign-out"
        case .endedElsewhere: "ended-elsewhere"
        case .idle: "idle"
        case .hostGone: "crash"
        case .shutdown: "shutdown"
        }
    }
}

/// That a person's tokens have ended in a session: what hooks are run for. Nothing in it is secret.
package struct SignOutNotice: Equatable, Sendable {
    package let user: [UInt8]
    /// Why.
    package let reason: SignOutReason

    /// A notice by its parts.
    package init(user: [UInt8], reason: SignOutReason) {
        self.user = user
        self.reason = reason
    }

    /// The notice as an argument of `cognito-agent let-go`: a name may hold bytes that no argument should.
    package var argument: [UInt8] {
        reason.name.bytes + [UInt8(ascii: ":")] + hexadecimal(user)
    }

    /// Reads what `argument` wrote; nil for anything else.
    package init?(argument: [UInt8]) {
        guard let colon = argument.firstIndex(of: UInt8(ascii: ":")),
            let reason = SignOutReason.allCases.first(where: { reason in
                reason.name.bytes.elementsEqual(argument[..<colon])
            })
        else {
            return nil
        }
        var user: [UInt8] = []
        var rest = argument[(colon + 1)...]
        while let high = rest.popFirst() {
            guard let low = rest.popFirst(), let upper = high.digitValue, let lower = low.digitValue else {
                return nil
            }
            user.append(upper << 4 | lower)
        }
        guard (1...256).contains(user.count), !user.contains(0) else {
            return nil
        }
        self.init(user: user, reason: reason)
    }
}
