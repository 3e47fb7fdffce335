package import Base
package import Keyring
package import Protocol

// What a set-uid program asks the agent about a session that its person is to be let in by: it must not wait for
// Cognito while it has the entry's lock, since its caller can stop it.

/// The time limit for Cognito to confirm a session, and to renew it before that, in milliseconds: a user waits for the
/// prompt.
private var openingLimit: Int64 { 5000 }
/// How long to wait for another process that is at the same session, in milliseconds.
private var openingLockLimit: Int32 { 2000 }
/// An access token that ends sooner, in seconds, is renewed first: it must not end while Cognito is asked about it.
private var leastLife: Int64 { 30 }

/// How long the agent is waited for that looks after a session, in milliseconds.
package var openingPatience: Int64 { openingLimit + Int64(openingLockLimit) + 1000 }

extension SessionCheck {
    /// Checks a session by which its person is to be let in, whose tokens are renewed before that, where need be. A
    /// renewal makes a sign-in no younger: the tokens still say when the person proved who they are.
    ///
    /// - Parameter whenRenewed: Is told of a renewal.
    package func checkForOpening(_ key: RootKey, whenRenewed: (RenewalNote?) -> Void) -> Checked {
        let begin = machine.now
        let renewal = SessionRenewal(machine: machine).renew(
            key, minimumLife: leastLife, asked: begin, timeLimit: openingLimit, waiting: openingLockLimit,
            ifMayCall: { true }
        ).finish()
        switch renewal {
        case .fresh: break
        case .renewed(_, let note): whenRenewed(note)
        case .failed: return Checked(renewal)
        }
        let left = openingLimit - (machine.now.milliseconds - begin.milliseconds)
        return check(
            key, online: true, opening: true, timeLimit: max(1, left), waiting: openingLockLimit, ifMayCall: { true }
        ).finish()
    }
}

/// What came of asking the agent about a session.
package enum OpeningAnswer {
    case good(Proof, groups: [[UInt8]])
    /// The session admits no user; the reason, and a line for the log.
    case not(FailureReason, ByteText)

    /// What the agent has said.
    package init(_ message: borrowing Frame) {
        guard let code = message.code(.reason) else {
            self = .good(Proof(message), groups: message.list(.group))
            return
        }
        self = .not(FailureReason(rawValue: code) ?? .internalFault, ByteText(printable(message.bytes(.logText) ?? [])))
    }
}

extension Checked {
    /// How the agent tells a set-uid program; nil: there is no such session any more, or another process is doing it.
    package var openingAnswer: FrameWriter? {
        var answer = FrameWriter(.sessionChecked)
        switch self {
        case .good(let tokens):
            answer.add(.authenticatedAt, ifPresent: tokens.proof.authenticatedAt)
            answer.add(.acr, ifPresent: tokens.proof.acr)
            answer.add(.amr, all: tokens.proof.amr)
            answer.add(.group, all: tokens.groups)
        case .invalid(let line): answer.add(.invalidTokens, line)
        case .failed(.kept(let reason, let line)): answer.add(reason, line)
        case .failed(.ended(let line)): answer.add(.sessionEnded, line)
        case .failed(.gone), .failed(.busy): return nil
        }
        return answer
    }
}

extension FrameWriter {
    fileprivate mutating func add(_ reason: FailureReason, _ line: ByteText) {
        add(.reason, reason)
        add(.logText, Array(line.bytes.prefix(4096)))
    }
}
