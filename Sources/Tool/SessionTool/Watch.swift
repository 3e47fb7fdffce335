package import Commands
internal import Messages
internal import Protocol
internal import Tokens

/// Watching a session: what to do each time that it was looked at.
///
/// The decisions only: what looks, draws and waits is the program's.
package struct Watch: Sendable {
    /// The next action of the program.
    package enum WatchAction: Equatable, Sendable {
        /// Have the tokens renewed, and say what became of it with `renewed(_:at:)`.
        case renew
        /// Ask Cognito whether the session stands, and say so with `asked(_:at:)`.
        case ask
        case tell(String)
        /// End, with that status: there is nothing left to watch.
        case end(ExitCode)
    }

    /// Tokens are renewed when they have less left than this, in seconds.
    package static let renewal = Report.soon
    /// After a renewal that failed, the next one waits this long, in seconds; it doubles until an hour.
    static let firstPause: Int64 = 30
    static let longestPause: Int64 = 3600
    /// How often Cognito is asked, in seconds, when that is wanted.
    static let askingPause: Int64 = 60
    /// The person is told when the session has less left than this, in seconds, and cannot be renewed beyond.
    static let lastCall: Int64 = 900

    private let asks: Bool
    private var nextAsking: Int64 = 0
    private var nextRenewal: Int64 = 0
    private var pause = firstPause
    private var hadSession = false
    private var hasToldEnd = false
    private var hasToldFailure = false
    private var hasToldLoss = false

    /// Begins to watch; with `asking`, Cognito is asked now and then, too.
    package init(asking: Bool) {
        asks = asking
    }

    /// Returns the actions that are due now, in this order.
    package mutating func look(at status: SessionStatus, now: Int64) -> [WatchAction] {
        guard case .session(let session, _) = status.finding else {
            // They come back with their person.
            if hadSession, case .absent(.locked) = status.finding {
                return []
            }
            let code = status.exitCode(at: now)
            return hadSession ? [.tell(ToolWording.watchedEnded), .end(code)] : [.end(code)]
        }
        hadSession = true
        var actions: [WatchAction] = []
        let left = session.refreshTokenExpiry - now
        if (1..<Self.lastCall).contains(left), !hasToldEnd {
            hasToldEnd = true
            actions.append(.tell(ToolWording.watchedEnding(left)))
        }
        if session.accessTokenExpiry - now < Self.renewal, now >= nextRenewal {
            actions.append(.renew)
        } else if asks, now >= nextAsking {
            nextAsking = now + Self.askingPause
            actions.append(.ask)
        }
        return actions
    }

    /// Returns the actions after a renewal; nil: it succeeded.
    package mutating func renewed(_ failure: AgentFault?, at now: Int64) -> [WatchAction] {
        guard let failure else {
            // A pool may give tokens that last no longer than this: then not all the time.
            nextRenewal = now + Self.firstPause
            pause = Self.firstPause
            hasToldFailure = false
            hasToldLoss = false
            return []
        }
        if failure.refusal == .endedElsewhere {
            return over
        }
        let isLost = failure.refusal == .renewalLost
        if isLost {
            // For good; but a new sign-in may bring other tokens.
            pause = Self.longestPause
        }
        nextRenewal = now + pause
        pause = min(Self.longestPause, pause * 2)
        guard !hasToldFailure || isLost && !hasToldLoss else {
            return []
        }
        hasToldLoss = isLost
        hasToldFailure = true
        return [.tell(Refusal(failure).message)]
    }

    /// Returns the actions after Cognito was asked; nil: it accepts the session.
    package mutating func asked(_ failure: AgentFault?, at now: Int64) -> [WatchAction] {
        // A failure to reach Cognito says nothing about the session: the display shows that it is not known.
        failure?.isEnd == true ? over : []
    }

    private var over: [WatchAction] {
        [.tell(ToolWording.ended), .end(.refused)]
    }
}
