import Base
import Configuration
import Keyring
import Protocol

/// The limit of unanswered begins at Cognito: of one user id or from one host, and in all.
private let mostOfOne = 8
private let mostOfAll = 40
/// The seconds for which an unanswered begin counts. It is a request to Cognito that cost the client nothing, and
/// leaving the prompt must not permit more of them.
private let unansweredLife: Int64 = 600

// A sign-in is begun at Cognito while the user types. Attempts of users who answer are counted as usual; the others are
// counted here. If a begin cannot be counted, or there are too many, the sign-in begins after the answer: no user is
// refused.

extension Hooks {
    /// How far the worker may go ahead of the user. Its permission to begin is noted in `count`, and counts until the
    /// user answers.
    ///
    /// - Parameter isUnlocking: At a screen lock, which may ask before the user is present.
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
        // In a program that a local user started, PAM_RHOST says nothing: sudo has this machine's name there.
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
