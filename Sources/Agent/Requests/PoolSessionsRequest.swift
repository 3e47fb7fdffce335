import Base
import LoginHooks
import Protocol
import Sessions

extension AgentRequest {
    /// The person's sessions by the pool's own list; or the end of one of them, which the list calls `ended`.
    func askPool(_ session: borrowing Found, ending ended: [UInt8]?) {
        // It goes into the log.
        guard ended?.allSatisfy(isOfSessionID) ?? true else {
            refuse(.malformed, "what is to be ended has no name of a session in a pool's list")
            return
        }
        let who = subject(session)
        let turn = { surroundings.takeTurn(.call, of: userID) }
        let listed = PoolSessions(machine: machine).ask(
            session.key, ending: ended, waiting: Self.lockLimit, ifMayCall: turn, noting: log)
        switch listed {
        case .found(let reports):
            if let ended {
                surroundings.log(.information, "\(who.line("session elsewhere ended")) pool_session=\(ended)")
            }
            var answer = FrameWriter(.poolSessionsFound)
            for report in reports {
                answer.add(.report, report)
            }
            _ = conversation.send(answer)
        case .kept(let reason, let line):
            surroundings.log(
                reason == .notListed ? .information : .warning,
                "\(who.line("sessions elsewhere not known")) reason=\(reason.name): \(line)")
            refuse(AgentRefusal(reason))
        case .ended(let line):
            surroundings.log(.notice, "\(who.line("session ended")) reason=session_ended: \(line)")
            refuse(.endedElsewhere)
            finish(endedElsewhere: session, who)
        case .gone:
            refuse(.noSession, "the session ended meanwhile")
        case .busy:
            refuse(.busy, "another request for the session takes too long, or too many of theirs went to Cognito")
        }
    }
}

private func isOfSessionID(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "A")...UInt8(ascii: "Z"):
        true
    default: false
    }
}
