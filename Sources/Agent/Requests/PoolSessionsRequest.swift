import Base
import Keyring
import Protocol
import Sessions

extension AgentRequest {
    /// The person's sessions by the pool's own list; or the end of one of them, which the list calls `ended`.
    func askPool(_ session: borrowing CallerSession, ending ended: [UInt8]?) {
        // It goes into the log.
        guard ended?.allSatisfy(\.isAlphanumericASCII) ?? true else {
            refuse(.malformed, "the session id is invalid")
            return
        }
        let who = subject(session)
        // Once it is ended, its own tokens are refused.
        let local = ended.flatMap { name in sessionHere(name, of: session) }
        let key = session.key
        let listed = counted { mayCall in
            PoolSessions(machine: machine).ask(
                key, ending: ended, waiting: Self.lockLimit, ifMayCall: mayCall, noting: { note in log(note) })
        }
        switch listed {
        case .found(let reports, _):
            if let ended {
                surroundings.log(.information, who.line(.sessionElsewhereEnded, ["pool_session": "\(ended)"]))
            }
            var answer = FrameWriter(.poolSessionsFound)
            for report in reports {
                answer.add(.report, report)
            }
            _ = conversation.send(answer)
            if let local {
                end(here: local)
            }
        case .failed(let failure):
            log(failure, who, .sessionsElsewhereNotKnown)
            refuse(failure, session, who)
        }
    }

    /// How many sessions here are asked which of the pool's list they are.
    private static var mostAsked: Int { 10 }

    /// The session on this machine that the pool's list calls `name`, among the others of the person of `session`. Only
    /// the pool knows: each is asked for itself.
    private func sessionHere(_ name: [UInt8], of session: borrowing CallerSession) -> RootKey? {
        let (user, pool) = (session.entry.user, session.entry.userPoolID)
        let others = ((try? machine.entries(of: user)) ?? []).filter { key in
            guard key != session.key, let entry = machine.openEntry(key) else {
                return false
            }
            return entry.user == user && entry.userPoolID == pool && entry.pidNamespace == machine.pidNamespace
        }
        for key in others.prefix(Self.mostAsked) {
            let asked = PoolSessions(machine: machine).ask(
                key, ending: nil, waiting: 0, ifMayCall: { (try? surroundings.takeTurn(.call, of: userID)) == true },
                noting: { note in log(note) })
            if case .found(_, name?) = asked {
                return key
            }
        }
        return nil
    }

    /// Ends a session here that its person has ended at Cognito from another one.
    private func end(here key: RootKey) {
        conversation.peer.hangUp()
        guard let entry = machine.openEntry(key) else {
            return
        }
        let who = AuditSubject(key, entry, ["uid": "\(userID)", "key": "\(entry.tokenKey)"])
        guard SessionEnding(machine: machine).destroyTokens(key, forLock: Self.lockLimit, because: .signedOut) else {
            return
        }
        finish(key, who, UnaskedEnd(.signedOut, of: entry, who, on: machine, surroundings.sessions), heard: false)
    }
}
