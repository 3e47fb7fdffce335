import Base

/// That a person's tokens have ended in a session: what hooks are run for. Nothing in it is secret.
package struct SignOutNotice: Equatable, Sendable {
    package let user: [UInt8]
    package let reason: EndReason

    /// A notice by its parts.
    package init(user: [UInt8], reason: EndReason) {
        self.user = user
        self.reason = reason
    }

    /// The notice as an argument of `cognito-agent run-hooks`: a name may hold bytes that no argument should.
    package var argument: [UInt8] {
        reason.rawValue.bytes + [UInt8(ascii: ":")] + hexadecimal(user)
    }

    /// Reads what `argument` wrote; nil for anything else.
    package init?(argument: [UInt8]) {
        guard let colon = argument.firstIndex(of: UInt8(ascii: ":")),
            let reason = EndReason(rawValue: ByteText(Array(argument[..<colon])))
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
