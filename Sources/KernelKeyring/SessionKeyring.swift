import CKeyutils
import CLinux
package import LinuxProcess
package import SecretMemory

/// The session keyring as the processes in it see it: read, never changed.
package struct SessionKeyring: Sendable {
    /// A key that calls itself a token key.
    package struct TokenKey: Sendable {
        /// The key.
        package let serial: KeySerial
        /// What the kernel says of it.
        package let description: KeyDescription

        /// Whether only root can have written it. Anyone can make a key of that name: nothing else is believed.
        package var isOurs: Bool {
            description.uid == 0 && description.permissions == .tokenKey
        }

        /// The token bundle. The kernel's answer may have changed since the keyring was looked at.
        package func read() throws(ErrorNumber) -> Secret {
            try serial.read()
        }
    }

    /// The keyring itself, nil when it cannot be looked at.
    package let serial: KeySerial?
    /// What the kernel says of the keyring, nil when it cannot be looked at.
    package let description: KeyDescription?
    /// Why it cannot be looked at.
    package let fault: ErrorNumber?
    /// The keys in it that have the name of a token key.
    package let tokenKeys: [TokenKey]
    /// The keys in it that cannot be described any more: expired, revoked, or somebody else's.
    package let closedKeys: [(serial: KeySerial, fault: ErrorNumber)]

    /// How deep keyrings may lie in each other. A person can nest them without end, also in circles.
    private static let deepest = 3
    /// How many keys are looked at. A person can have 200.
    private static let most = 1000

    /// Looks at the session keyring of this process.
    ///
    /// A process that has none gets the person's default one (`_uid_ses`) by that, for itself alone.
    package static var current: SessionKeyring {
        let ring = KeySerial.sessionKeyring
        do {
            let serial = try ring.resolve()
            let description = try ring.describe()
            var walk = Walk()
            walk.visit(serial, depth: 0)
            return SessionKeyring(
                serial: serial, description: description, fault: nil,
                tokenKeys: walk.found, closedKeys: walk.closed
            )
        } catch {
            return SessionKeyring(serial: nil, description: nil, fault: error, tokenKeys: [], closedKeys: [])
        }
    }

    private struct Walk {
        var found: [TokenKey] = []
        var closed: [(serial: KeySerial, fault: ErrorNumber)] = []
        private var seen: [Int32] = []

        mutating func visit(_ ring: KeySerial, depth: Int) {
            // A ring that may be described but not read has nothing for this process.
            guard let links = try? ring.links() else {
                return
            }
            for key in links {
                guard seen.count < SessionKeyring.most else {
                    return
                }
                guard !seen.contains(key.number) else {
                    continue
                }
                seen.append(key.number)
                let description: KeyDescription
                do {
                    description = try key.describe()
                } catch {
                    closed.append((key, error))
                    continue
                }
                if description.type == Array("keyring".utf8) {
                    if depth < SessionKeyring.deepest {
                        visit(key, depth: depth + 1)
                    }
                } else if description.type == Array("user".utf8),
                    description.text.starts(with: Array("cognito:".utf8))
                {
                    found.append(TokenKey(serial: key, description: description))
                }
            }
        }
    }
}

extension KeySerial {
    /// The number of the key behind a special one such as "the session keyring" (keyctl_get_keyring_ID(3)).
    func resolve() throws(ErrorNumber) -> KeySerial {
        let resolved = keyctl_get_keyring_ID(number, 0)
        guard resolved > 0 else {
            throw ErrorNumber(linux_errno())
        }
        return KeySerial(resolved)
    }
}
