package import Commands
internal import Messages
package import Protocol
package import Tokens

/// How far a sign-out reaches.
package enum SignOutScope: Sendable {
    case here
    /// All sessions of the person on this machine.
    case machine
    /// All sessions of the person, everywhere.
    case everywhere
}

/// Signs a user out at Cognito.
package protocol SignOutAgent {
    /// Has the session with that token key ended; how far that has reached.
    func signOut(_ key: Int32, _ scope: SignOutScope) throws(AgentFault) -> SignOutResult
    /// Has all of the person's sessions on this machine ended.
    func signOutOfMachine() throws(AgentFault) -> MachineSignOut
}

/// How many of a person's sessions on this machine were ended, and how many were not, since others were at them.
package struct MachineSignOut: Equatable, Sendable {
    package var ended: Int64
    package var left: Int64
}

/// How far a sign-out has reached, as programs are told.
package enum SignedOut: String, Sendable {
    /// All sessions of the person are over, everywhere.
    case everywhere
    /// All sessions of the person on this machine are.
    case machine
    case some
    /// This one is, and of others nothing is known.
    case session
    /// Nothing was changed by it.
    case nothing
}

/// The result of a sign-out.
package struct SignOutReport: Equatable, Sendable {
    /// The program's exit status.
    package var exitStatus: ExitCode
    package var reached: SignedOut
    /// Whether Cognito is yet to revoke the tokens, which goes on by itself.
    package var isPending: Bool
    /// Why no more; nil where it is what was asked for, or Cognito was not asked.
    package var shortfall: Shortfall?
    /// The error code: 9001 no session, 9002 an invalid session, 9000 any other error; nil without an error.
    package var code: Int64?
    /// The word for that in JSON, where the exit status has none of its own.
    package var name: String?
    /// For a person.
    package var message: String
    /// Whether the message stands alone: nothing that was there is invalid or has expired.
    fileprivate var saysItself = false
    /// Credentials that were made of tokens which are over now, and live on.
    private var credentials: [MadeCredentials] = []
    /// When that was looked at, in seconds since the epoch.
    private var time: Int64 = 0

    /// Makes a report from its parts.
    init(
        _ exitStatus: ExitCode, _ reached: SignedOut = .nothing, pending isPending: Bool = false,
        short shortfall: Shortfall? = nil, code: Int64? = nil, name: String? = nil, _ message: String
    ) {
        self.exitStatus = exitStatus
        self.reached = reached
        self.isPending = isPending
        self.shortfall = shortfall
        self.code = code
        self.name = name
        self.message = message
    }

    /// The same, of a session that had those credentials made.
    package func leaving(_ credentials: [MadeCredentials], at now: Int64) -> SignOutReport {
        var report = self
        report.credentials = reached == .nothing ? [] : credentials
        report.time = now
        return report
    }

    /// The whole text, with the line end.
    package var text: String {
        let left = credentials.alive(at: time).map { names in ToolWording.credentialsLiveOn(names) + "\n" } ?? ""
        return (code == nil ? sentence : ToolWording.failure(sentence)) + left
    }

    private var sentence: String {
        switch code {
        case nil: message
        case _ where saysItself: message
        case 9000: ToolWording.signOutError(message)
        default: "\(ToolWording.invalidSession). \(message)"
        }
    }

    /// The report as one JSON object.
    package var json: JSONValue {
        var members: [String: JSONValue] = [
            "reached": .string(reached.rawValue), "pending": .boolean(isPending),
            "aws_credentials": credentials.json(at: time),
        ]
        if let code {
            members["code"] = .integer(code)
        }
        if let shortfall {
            members["reason"] = .string("\(shortfall.name)")
        }
        return answerObject(exitStatus, error: name, sentence, members)
    }
}

package struct SignOut: Sendable {
    let scope: SignOutScope

    /// Does it.
    ///
    /// - Parameters:
    ///   - drop: Takes a token key out of this session, as far as that can be done without the agent; whether it is
    ///     gone.
    ///   - detach: Takes what another session has handed over out of this one.
    package func perform(
        _ status: SessionStatus, by agent: some SignOutAgent, drop: (KeyPlace) -> Bool, detach: () -> Void = {}
    ) -> SignOutReport {
        guard scope != .machine else {
            return performOnMachine(by: agent)
        }
        let place: KeyPlace
        switch status.finding {
        case .session(_, let found), .absent(.locked(let found)):
            place = found
        case .absent(let absence):
            let explanation = absence.explanation
            if scope == .here, absence.meansNothingIsHere {
                return SignOutReport(.valid, .nothing, ToolWording.nothingHere(explanation.reason))
            }
            guard absence != .expired, absence.meansNothingIsHere else {
                return SignOutReport(
                    absence == .expired ? .expired : .none, code: absence == .expired ? 9002 : 9001,
                    absence == .expired ? ToolWording.othersAfterExpiry : "\(explanation.reason) \(explanation.advice)")
            }
            var report = SignOutReport(
                .none, code: 9001, ToolWording.nothingEverywhere(explanation.reason, explanation.advice))
            report.saysItself = true
            return report
        }
        guard scope != .here || !place.isAttached else {
            detach()
            return SignOutReport(.valid, .nothing, ToolWording.detached)
        }
        do throws(AgentFault) {
            return report(try agent.signOut(place.key, scope))
        } catch {
            return report(error, place, drop)
        }
    }

    private func performOnMachine(by agent: some SignOutAgent) -> SignOutReport {
        do throws(AgentFault) {
            let sessions = try agent.signOutOfMachine()
            guard sessions.left == 0 else {
                return SignOutReport(
                    .partly, .some, pending: true, code: 9000,
                    ToolWording.partOfMachine(sessions.ended, of: sessions.ended + sessions.left))
            }
            return sessions.ended > 0
                ? SignOutReport(.valid, .machine, pending: true, ToolWording.signedOutOfMachine(sessions.ended))
                : SignOutReport(.valid, .nothing, ToolWording.nothingOnMachine)
        } catch {
            switch error {
            case .absent: return SignOutReport(.noAgent, code: 9000, ToolWording.keptAbsent)
            case .refused(.busy, _): return SignOutReport(.fault, code: 9000, name: error.name, ToolWording.keptBusy)
            default: return SignOutReport(.fault, code: 9000, ToolWording.keptFault)
            }
        }
    }

    private func report(_ result: SignOutResult) -> SignOutReport {
        switch result {
        case .everywhere: SignOutReport(.valid, .everywhere, ToolWording.signedOutEverywhere)
        case .revoked, .alreadyRevoked, .expired:
            scope == .everywhere
                ? report(Shortfall.refused) : SignOutReport(.valid, .session, pending: true, ToolWording.signedOutHere)
        case .onlySession(let shortfall): report(shortfall)
        case .nothing(let shortfall):
            SignOutReport(.fault, short: shortfall, code: 9000, ToolWording.keptFault)
        }
    }

    /// The session is over, and more was asked for.
    private func report(_ shortfall: Shortfall) -> SignOutReport {
        func report(_ exitStatus: ExitCode, _ code: Int64, _ message: String) -> SignOutReport {
            SignOutReport(
                exitStatus, exitStatus == .partly ? .session : .nothing, short: shortfall, code: code, message)
        }
        return switch shortfall {
        case .alreadyRevoked: report(.refused, 9002, ToolWording.othersAfterEnd)
        case .expired: report(.expired, 9002, ToolWording.othersAfterExpiry)
        case .userGone: report(.refused, 9002, ToolWording.userGone)
        case .passwordResetRequired: report(.partly, 9000, ToolWording.onlyHerePasswordReset)
        case .notConfirmed: report(.partly, 9000, ToolWording.onlyHereNotConfirmed)
        case .disabled: report(.partly, 9000, ToolWording.onlyHereDisabled)
        case .scope: report(.partly, 9000, ToolWording.onlyHereScope)
        case .firewall: report(.partly, 9000, ToolWording.onlyHereFirewall)
        case .configuration: report(.partly, 9000, ToolWording.onlyHereConfiguration)
        case .refused: report(.partly, 9000, ToolWording.onlyHereRefused)
        case .notRenewed: report(.partly, 9000, ToolWording.onlyHereNotRenewed)
        case .newerSession: report(.partly, 9000, ToolWording.onlyHereNewerSession)
        case .notCarriedOut: report(.partly, 9000, ToolWording.onlyHereNotCarriedOut)
        case .othersUnknown: report(.partly, 9000, ToolWording.onlyHereOthersUnknown)
        }
    }

    private func report(_ failure: AgentFault, _ place: KeyPlace, _ drop: (KeyPlace) -> Bool) -> SignOutReport {
        switch failure {
        case .absent where scope == .here:
            guard drop(place) else {
                return SignOutReport(.noAgent, code: 9000, ToolWording.keptLocked)
            }
            return SignOutReport(.valid, .session, pending: true, ToolWording.droppedHere)
        case .absent:
            return SignOutReport(.noAgent, code: 9000, ToolWording.keptAbsent)
        case .refused(.noSession, _):
            // Root does not know it, so it is never renewed or revoked and has no use.
            guard drop(place) || scope == .everywhere else {
                return SignOutReport(.fault, code: 9000, ToolWording.keptLocked)
            }
            return SignOutReport(
                .refused, code: 9002, scope == .everywhere ? ToolWording.othersAfterEnd : ToolWording.signedOutBefore)
        case .refused(.endedElsewhere, _):
            return SignOutReport(
                .refused, code: 9002, scope == .everywhere ? ToolWording.othersAfterEnd : ToolWording.ended)
        case .refused(.unreachable, _):
            return SignOutReport(.unreachable, code: 9000, ToolWording.keptUnreachable)
        case .refused(.throttled, _):
            return SignOutReport(.unreachable, code: 9000, name: failure.name, ToolWording.keptThrottled)
        case .refused(.serviceFault, _):
            return SignOutReport(.unreachable, code: 9000, name: failure.name, ToolWording.keptServiceFault)
        case .refused(.busy, _):
            return SignOutReport(.fault, code: 9000, name: failure.name, ToolWording.keptBusy)
        default:
            return SignOutReport(.fault, code: 9000, ToolWording.keptFault)
        }
    }
}
