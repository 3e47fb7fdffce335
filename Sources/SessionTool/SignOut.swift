package import Encodings
internal import Wording

/// How far a sign-out reaches.
package enum SignOutScope: Sendable {
    /// This session.
    case here
    /// All sessions of the person, everywhere.
    case everywhere
}

/// Who can sign a person out at Cognito.
package protocol SignOutAgent {
    /// Has the session with that token key ended.
    ///
    /// - Returns: Whether that was still to be done: false when Cognito had ended it before.
    func signOut(_ key: Int32, _ scope: SignOutScope) throws(AgentFailure) -> Bool
}

/// What became of a sign-out.
package struct SignOutReport: Equatable, Sendable {
    /// What becomes of the program.
    package var exitStatus: ExitCode
    /// What went wrong: 9001 no session, 9002 one that is not valid any more, 9000 anything else; nil when nothing did.
    package var code: Int64?
    /// The word for that in JSON, where the exit status has none of its own.
    package var name: String?
    /// For a person.
    package var message: String

    /// Makes a report from its parts.
    init(_ exitStatus: ExitCode, code: Int64? = nil, name: String? = nil, _ message: String) {
        self.exitStatus = exitStatus
        self.code = code
        self.name = name
        self.message = message
    }

    /// The whole text, with the line end.
    package var text: String {
        code == nil ? sentence : ToolWording.failure(sentence)
    }

    private var sentence: String {
        switch code {
        case nil: message
        case 9000: ToolWording.signOutError(message)
        default: "\(ToolWording.invalidSession). \(message)"
        }
    }

    /// The report as one JSON object.
    package var json: JSONValue {
        answerObject(exitStatus, error: name, sentence, code.map { code in ["code": .integer(code)] } ?? [:])
    }
}

/// Signing out.
package struct SignOut: Sendable {
    private let scope: SignOutScope

    /// A sign-out of that reach.
    package init(_ scope: SignOutScope) {
        self.scope = scope
    }

    /// Does it.
    ///
    /// - Parameter drop: Destroys a key of this session's: what can be done without the agent.
    package func perform(
        _ situation: Situation, by agent: some SignOutAgent, drop: (Int32) -> Void
    ) -> SignOutReport {
        let place: Place
        switch situation.finding {
        case .session(_, let found):
            place = found
        case .absent(let absence):
            let explanation = absence.explanation
            if scope == .here, absence.meansNothingIsHere {
                return SignOutReport(.valid, ToolWording.nothingHere(explanation.reason))
            }
            return SignOutReport(
                absence == .expired ? .expired : .none, code: absence == .expired ? 9002 : 9001,
                "\(explanation.reason) \(explanation.advice)")
        }
        do throws(AgentFailure) {
            guard try agent.signOut(place.key, scope) else {
                return SignOutReport(.valid, ToolWording.signedOutBefore)
            }
            return SignOutReport(
                .valid, scope == .here ? ToolWording.signedOutHere : ToolWording.signedOutEverywhere)
        } catch {
            return report(error, place.key, drop)
        }
    }

    private func report(_ failure: AgentFailure, _ key: Int32, _ drop: (Int32) -> Void) -> SignOutReport {
        switch failure {
        case .absent where scope == .here:
            drop(key)
            return SignOutReport(.valid, ToolWording.droppedHere)
        case .absent:
            return SignOutReport(.noAgent, code: 9000, ToolWording.keptAbsent)
        case .unknownSession:
            // Root does not know it, so nobody will ever renew or revoke it: it is of no use to anybody.
            drop(key)
            return SignOutReport(.refused, code: 9002, ToolWording.signedOutBefore)
        case .ended:
            return SignOutReport(.refused, code: 9002, ToolWording.ended)
        case .unreachable:
            return SignOutReport(.unreachable, code: 9000, ToolWording.keptUnreachable)
        case .throttled:
            return SignOutReport(.unreachable, code: 9000, name: failure.name, ToolWording.keptThrottled)
        case .serviceFault:
            return SignOutReport(.unreachable, code: 9000, name: failure.name, ToolWording.keptServiceFault)
        case .busy:
            return SignOutReport(.fault, code: 9000, name: failure.name, ToolWording.keptBusy)
        default:
            return SignOutReport(.fault, code: 9000, ToolWording.keptFault)
        }
    }
}
