import Base
package import Keyring
import LoginHooks
package import Sessions

extension UnaskedEndCause {
    /// Where Cognito has refused a session at so many later uses of others at least, it was no sign-in of theirs that ended it.
    private static var manyUses: Int64 { 10 }
    /// How long ago the pool's list may have been read that says so, in milliseconds.
    private static var longestAgo: Int64 { 3_600_000 }
    /// How many other sessions are asked about, and how long each of them may take, in milliseconds.
    private static var mostAsked: Int { 4 }
    private static var patience: Int64 { 5000 }

    /// Why Cognito has refused the session of `entry`.
    ///
    /// A pool that tracks sessions revokes the one that was used least lately when its person signs in once too often, and says
    /// the same as after a sign-out. Other sessions of theirs here tell: by whether they live, and by the pool's list.
    ///
    /// - Parameter gone: Sessions that were refused in the same round, as their entries are now.
    package init(
        of entry: borrowing RegistryEntry, _ key: RootKey, gone: [RootKey] = [], on machine: some Machine
    ) {
        guard !entry.ranOut else {
            self = .ranOut
            return
        }
        guard entry.wasRevoked, entry.place != 0, !entry.isSignedOut else {
            self = .endedElsewhere
            return
        }
        var isSignOut = Self.excludesLimit(entry, machine)
        for other in gone where other != key {
            if let entry = machine.readEntry(other), entry.wasRevoked {
                isSignOut = isSignOut || Self.excludesLimit(entry, machine)
            }
        }
        let user = entry.user
        let pool = entry.userPoolID
        let seen = max(entry.created.milliseconds, entry.renewed.milliseconds, entry.checked.milliseconds)
        let lastUse = max(1, machine.time - (machine.now.milliseconds - entry.renewed.milliseconds) / 1000)
        var refused: [RootKey] = []
        var asked = 0
        for other in (try? machine.entries()) ?? [] where other != key && asked < Self.mostAsked {
            guard let theirs = machine.openEntry(other), theirs.user == user, theirs.userPoolID == pool,
                theirs.pidNamespace == machine.pidNamespace, !theirs.isSignedOut
            else {
                continue
            }
            asked += 1
            let excludesLimit = Self.excludesLimit(theirs, machine)
            let isOlder = theirs.created.milliseconds < seen
            let checked = SessionCheck(machine: machine).check(
                other, online: true, placing: lastUse, timeLimit: Self.patience, waiting: Int32(Self.patience),
                ifMayCall: { true })
            switch checked {
            case .good(let tokens):
                self =
                    switch tokens.place {
                    // The pool tracks none; or one that was used before lives on, which the limit would have taken.
                    case 0?: .endedElsewhere
                    case let place? where place > 1: .endedElsewhere
                    // It was there before the end, so that not everything was signed out.
                    case .some where isOlder: .sessionLimit
                    default: .unclear
                    }
                return
            case .ended:
                refused.append(other)
                isSignOut = isSignOut || excludesLimit
            default:
                self = .unclear
                return
            }
        }
        guard isSignOut else {
            self = .unclear
            return
        }
        // Its own turn comes when nothing tells any more.
        for other in refused {
            machine.noteSignedOut(other, of: pool, before: machine.now)
        }
        self = .endedElsewhere
    }

    /// Whether so many others were used less lately that the limit would have taken those first.
    private static func excludesLimit(_ entry: borrowing RegistryEntry, _ machine: some Machine) -> Bool {
        entry.place ?? 0 >= manyUses && machine.now.milliseconds - entry.checked.milliseconds <= longestAgo
    }
}
