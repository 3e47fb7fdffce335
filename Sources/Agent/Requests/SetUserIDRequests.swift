import Base
import Keyring
import Protocol
import Sessions

// Work for root's set-uid programs. If they did it themselves, they would wait with a lock that others need, and the
// user who started them can stop them.

extension AgentRequest {
    /// Tells what the session of that entry proves of its person, who is to be let in by it.
    func checkForOpening(_ number: KeySerial) {
        guard userID == 0 else {
            refuse(.notPermitted, "only root may check whether an open session can replace a password")
            return
        }
        guard let key = machine.entry(at: number), let entry = machine.openEntry(key),
            entry.pidNamespace == machine.pidNamespace
        else {
            refuse(.noSession, "no session has the requested number")
            return
        }
        let who = AuditSubject(key, entry, ["uid": "\(userID)", "key": "\(entry.tokenKey)"])
        let checked = SessionCheck(machine: machine).checkForOpening(key) { note in
            surroundings.log(.information, who.line(.renewed))
            log(note)
        }
        // The program tells why the session is not used, and by which service. Of one that has ended the reaper does
        // the rest.
        if case .good(let tokens) = checked {
            log(tokens.note)
        }
        switch checked.openingAnswer {
        case .some(let answer): _ = conversation.send(answer)
        case .none: refuse(checked == .failed(.gone) ? .noSession : .busy)
        }
    }
}
