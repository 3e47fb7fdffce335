import Base
package import Keyring
package import Sessions

extension Machine {
    /// Where Cognito has refused a session at so many later uses of others at least, it was no sign-in of theirs that
    /// ended it.
    private var manyUses: Int64 { 10 }
    /// How long ago the pool's list may have been read that says so, in milliseconds.
    private var longestAgo: Int64 { 3_600_000 }
    /// How many other sessions are asked about, and how long each of them may take, in milliseconds.
    private var mostAsked: Int { 4 }
    private var otherPatience: Int64 { 5000 }

    /// Finds out why Cognito has refused the session of `entry`: asks Cognito about others of its person, and enters
    /// which of them it has refused as well.
    ///
    /// A pool that tracks sessions revokes the one that was used least lately when its person signs in once too often,
    /// and says the same as after a sign-out. Other sessions of theirs here tell: by whether they live, and by the
    /// pool's list.
    ///
    /// - Parameter gone: Sessions that were refused in the same round, as their entries are now.
    package func askWhyEnded(
        _ entry: borrowing RegistryEntry, _ key: RootKey, gone: [RootKey] = []
    ) -> EndReason {
        guard !entry.ranOut, entry.wasRevoked, entry.place != 0, !entry.isSignedOut else {
            return entry.refusalReason
        }
        var isSignOut = excludesLimit(entry)
        for other in gone where other != key {
            if let entry = readEntry(other), entry.wasRevoked {
                isSignOut = isSignOut || excludesLimit(entry)
            }
        }
        let user = entry.user
        let pool = entry.userPoolID
        let seen = max(entry.created.milliseconds, entry.renewed.milliseconds, entry.checked.milliseconds)
        let lastUse = max(1, time - (now.milliseconds - entry.renewed.milliseconds) / 1000)
        var refused: [RootKey] = []
        var asked = 0
        for other in (try? entries()) ?? [] where other != key && asked < mostAsked {
            guard let theirs = openEntry(other), theirs.user == user, theirs.userPoolID == pool,
                theirs.pidNamespace == pidNamespace, !theirs.isSignedOut
            else {
                continue
            }
            asked += 1
            let excludesLimit = self.excludesLimit(theirs)
            let isOlder = theirs.created.milliseconds < seen
            let checked = SessionCheck(machine: self).check(
                other, online: true, placing: lastUse, timeLimit: otherPatience, waiting: Int32(otherPatience),
                ifMayCall: { true }
            ).finish()
            switch checked {
            case .good(let tokens):
                return switch tokens.place {
                // The pool tracks none; or one that was used before lives on, which the limit would have taken.
                case 0?: .endedElsewhere
                case let place? where place > 1: .endedElsewhere
                // It was there before the end, so that not everything was signed out.
                case .some where isOlder: .sessionLimit
                default: .unclear
                }
            case .failed(.ended):
                refused.append(other)
                isSignOut = isSignOut || excludesLimit
            default:
                return .unclear
            }
        }
        guard isSignOut else {
            return .unclear
        }
        // Its own turn comes when nothing tells any more.
        for other in refused {
            noteSignedOut(other, of: pool, before: now)
        }
        return .endedElsewhere
    }

    /// Whether so many others were used less lately that the limit would have taken those first.
    private func excludesLimit(_ entry: borrowing RegistryEntry) -> Bool {
        entry.place ?? 0 >= manyUses && now.milliseconds - entry.checked.milliseconds <= longestAgo
    }
}
