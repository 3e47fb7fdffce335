import Base
import Configuration
import Keyring
import Messages
import Protocol
import Sessions

// `lock_tokens`: tokens that cannot be read while the user is away.
extension AgentRequest {
    /// Whether a request is not to be served, since the session's tokens are locked; looks whether they are to be.
    func isLocked(_ session: borrowing CallerSession, to request: MessageKind) -> Bool {
        switch request.allowedWhileLocked {
        case .served: false
        case .servedForJobs: !session.isKept && areTokensLocked(session)
        case .refused: areTokensLocked(session)
        }
    }

    /// Whether a session's tokens are locked, or are to be now.
    func areTokensLocked(_ session: borrowing CallerSession) -> Bool {
        guard session.entry.locked.milliseconds == 0 else {
            return true
        }
        guard locksTokens(session) else {
            return false
        }
        return machine.areTokensLocked(
            session.key, session.entry, subject(session), bySessions: surroundings.sessions, waiting: Self.lockLimit
        ) { line in
            surroundings.log(.information, line)
        }
    }

    private func locksTokens(_ session: borrowing CallerSession) -> Bool {
        (try? machine.settings(at: session.entry.configuration, arguments: []))?.locksTokens ?? false
    }

    /// Locks the session's tokens on the user's request, which any program in the session may make.
    func lock(_ session: borrowing CallerSession) {
        guard let settings = settings(at: session.entry.configuration) else {
            return
        }
        guard settings.locksTokens else {
            refuse(.notPermitted, "lock_tokens is not set", saying: AgentWording.lockingIsOff)
            return
        }
        switch TokenLock(machine: machine).lock(session.key, waiting: Self.lockLimit) {
        case .had(.made):
            surroundings.log(.information, subject(session).line(.tokensLocked, ["by": "person"]))
            _ = conversation.send(FrameWriter(.complete))
        case .had(.needless):
            _ = conversation.send(FrameWriter(.complete))
        case .had(.failed(let error)):
            surroundings.log(.warning, subject(session).line(.tokensNotLocked, text: "errno \(error.code)"))
            refuse(.internalFault)
        case .busy: refuse(.busy, "another request for this session is taking too long")
        default: refuse(.noSession, "the session has ended in the meantime")
        }
    }

    /// Gives a job tokens that stay in reach while the session's are locked: by a copy of its token key, which is
    /// renewed with it and ends with it.
    func keep(_ session: borrowing CallerSession, through inbox: KeySerial) {
        guard receiver(through: inbox) != nil, isKept(session) else {
            return
        }
        guard let entry = machine.readEntry(session.key),
            handOver(CallerSession(key: session.key, entry: entry, isKept: true), into: inbox)
        else {
            refuse(.noInbox, "the job did not accept the tokens")
            return
        }
        surroundings.log(.information, subject(session).line(.tokensKeptForAJob, client))
        _ = conversation.send(FrameWriter(.complete))
    }

    /// Whether there is that copy now; else there can be none, which the client has been told.
    private func isKept(_ session: borrowing CallerSession) -> Bool {
        let access = machine.withEntry(session.key, lockedWithin: Self.lockLimit) { entry -> AgentRefusal? in
            guard entry.isOpen else {
                return .noSession
            }
            guard entry.locked.milliseconds == 0 else {
                return .locked
            }
            do throws(ErrorNumber) {
                let kept = try machine.keepReadable(
                    KeySerial(entry.tokenKey), description: entry.keyDescription, entry: session.key,
                    expiringIn: max(1, entry.expires - machine.time))
                entry.keptKey = kept.number
                try machine.write(session.key, &entry)
                return nil
            } catch {
                surroundings.log(
                    .warning,
                    subject(session).line(.tokensNotKeptForAJob, text: "a key cannot be created (errno \(error.code))"))
                return .internalFault
            }
        }
        switch access {
        case .had(nil): return true
        case .had(let refusal?): refuse(refusal)
        case .busy: refuse(.busy, "another request for this session is taking too long")
        default: refuse(.noSession, "the session has ended in the meantime")
        }
        return false
    }
}
