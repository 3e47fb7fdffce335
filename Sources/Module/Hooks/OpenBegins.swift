import Base
import Configuration
import Keyring
import Protocol
import Sessions

/// How many sign-ins may be begun at Cognito that nobody has answered: by one user id or from one host, and in all.
private let mostOfOne = 8
private let mostOfAll = 40
/// For how many seconds such a one counts. It is a request to Cognito that cost whoever opened the prompt nothing, and
/// others of which must not be had by leaving the prompt.
private let unansweredLife: Int64 = 600

// A sign-in is begun at Cognito while the person is typing. Whoever types has their attempt counted, as ever; the
// others are here. What cannot be counted, or is too much, is a sign-in that begins behind the answer: nobody is
// refused for it.

extension Hooks {
    /// How far the worker may go ahead of the person. That it may begin is noted in `count`, and counts until the
    /// person answers.
    ///
    /// - Parameter isUnlocking: At a screen lock, which may ask before anybody is there.
    func preconnection(
        _ settings: Settings,
        _ count: inout AttemptCount,
        isUnlocking: Bool = false
    ) -> Preconnection {
        // What comes first is a browser, on another machine.
        guard settings.worker.federated != .only else {
            return .nothing
        }
        switch settings.preconnect {
        case .no:
            return .nothing
        case .begin where settings.canBeginUnasked && !isUnlocking:
            count.begin = recordSRPStart()
            return count.begin == nil ? .connect : .begin
        case .begin, .connect:
            return .connect
        }
    }

    private func recordSRPStart() -> RootKey? {
        // Of a program that somebody started here, PAM_RHOST says nothing: sudo has this machine's name there.
        let isRemote = caller == 0 && !host.remoteHost.isEmpty
        let place = AttemptSubject(
            user: isRemote ? Array(host.remoteHost.prefix(256)) : ("-" as StaticString).bytes, caller: charged)
        guard hasRoom(for: place, besides: 0),
            let key = try? machine.noteAttempt(.begun, place, lasting: unansweredLife)
        else {
            return nil
        }
        // With those that others have noted meanwhile: many at once are no more than one after the other.
        guard hasRoom(for: place, besides: 1) else {
            machine.forgetAttempt(key)
            return nil
        }
        return key
    }

    private func hasRoom(for place: AttemptSubject, besides own: Int) -> Bool {
        guard let begins = try? machine.unansweredSRPStarts() else {
            return false
        }
        let open = begins.filter { begin in machine.now < begin.end }
        return open.count - own < mostOfAll
            && open.filter { begin in begin.subject == place }.count - own < mostOfOne
    }
}
