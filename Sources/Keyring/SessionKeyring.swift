package import Base
import CKeyutils

/// The session keyring as the processes in it see it: read, never changed.
package struct SessionKeyring: Sendable {
    /// Where a key was found.
    package struct LinkPlace: Sendable {
        /// The keyring that it is in: the session's, or one that this leads to.
        package let ring: KeySerial
        package let ringName: [UInt8]
        /// Whether that is the user keyring, in which a session of the same user has shared it.
        package let isShared: Bool
        /// Whether another session of the same user has handed it over.
        package let isAttached: Bool
    }

    /// A key that calls itself a token key.
    package struct LinkedTokenKey: Sendable {
        package let serial: KeySerial
        /// What the kernel says of it.
        package let description: KeyDescription
        package let place: LinkPlace

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
    package let tokenKeys: [LinkedTokenKey]
    /// The keys in it that cannot be described any more: expired, revoked, another user's, or locked.
    package let closedKeys: [(serial: KeySerial, fault: ErrorNumber, place: LinkPlace)]

    /// How deep keyrings may lie in each other. A user can nest them without end, also in circles.
    private static let deepest = 3
    /// How many keys are looked at. A user can have 200.
    private static let most = 1000

    /// Looks at the session keyring of this process; where that has no tokens, at the user keyring, which not every
    /// session keyring leads to.
    ///
    /// A process that has none gets the user's default one (`_uid_ses`) by that, for itself alone.
    package static var current: SessionKeyring {
        let ring = KeySerial.sessionKeyring
        var walk = Walk()
        do {
            let serial = try ring.resolve()
            let description = try ring.describe()
            walk.visit(serial, description, depth: 0)
            walk.visitUserKeyring()
            return SessionKeyring(
                serial: serial, description: description, fault: nil,
                tokenKeys: walk.found, closedKeys: walk.closed
            )
        } catch {
            walk.visitUserKeyring()
            return SessionKeyring(
                serial: nil, description: nil, fault: error, tokenKeys: walk.found, closedKeys: walk.closed)
        }
    }

    private struct Walk {
        var found: [LinkedTokenKey] = []
        var closed: [(serial: KeySerial, fault: ErrorNumber, place: LinkPlace)] = []
        private var seen: [Int32] = []

        private let userKeyring = try? KeySerial.userKeyring.resolve()

        /// Makes this process possess the user keyring, without which it may not read what root put there.
        mutating func visitUserKeyring() {
            guard !found.contains(where: { key in key.isOurs }), let userKeyring, !seen.contains(userKeyring.number),
                let description = try? userKeyring.describe(),
                (try? userKeyring.link(into: .threadKeyring)) != nil
            else {
                return
            }
            visit(userKeyring, description, depth: SessionKeyring.deepest)
        }

        /// What is in a keyring itself comes before what is in those that it links to, as in the kernel's own search.
        mutating func visit(_ ring: KeySerial, _ described: KeyDescription, depth: Int) {
            // A ring that may be described but not read has nothing for this process.
            guard let links = try? ring.links() else {
                return
            }
            let place = LinkPlace(
                ring: ring, ringName: described.text, isShared: ring == userKeyring, isAttached: described.isAttached)
            var rings: [(serial: KeySerial, description: KeyDescription)] = []
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
                    closed.append((key, error, place))
                    continue
                }
                if description.type == Array("keyring".utf8) {
                    rings.append((key, description))
                } else if description.type == Array("user".utf8),
                    description.text.starts(with: Array("cognito:".utf8))
                {
                    found.append(LinkedTokenKey(serial: key, description: description, place: place))
                }
            }
            guard depth < SessionKeyring.deepest else {
                return
            }
            for ring in rings {
                visit(ring.serial, ring.description, depth: depth + 1)
            }
        }
    }
}

extension SessionKeyring {
    /// Takes what another session has handed over out of the session keyring of this process, and what was made of it;
    /// that session keeps it.
    package static func detach() {
        for link in (try? KeySerial.sessionKeyring.links()) ?? [] {
            if let description = try? link.describe(), description.isAttached || CredentialLabel(description) != nil {
                link.unlink(from: .sessionKeyring)
            }
        }
    }
}

extension SessionKeyring {
    /// Takes a token key out of this session as far as that goes without root; whether nothing leads to it any more.
    package static func drop(_ key: KeySerial, from ring: KeySerial) -> Bool {
        let secret = secretKey(beside: key)
        secret?.invalidate()
        key.invalidate()
        // That is refused while it is locked; the keyrings that lead to it are the user's own.
        for ring in [ring, .userKeyring] {
            key.unlink(from: ring)
        }
        let left = current
        return !left.tokenKeys.contains { found in found.serial == key }
            && !left.closedKeys.contains { closed in closed.serial == key && closed.fault == .permissionDenied }
    }
}

extension KeyDescription {
    /// Whether it is of a keyring that root made to lead to another session's tokens.
    fileprivate var isAttached: Bool {
        type == Array("keyring".utf8) && uid == 0 && permissions == .tokenKey && text == TokenKey.attachedName
    }
}

extension KeySerial {
    /// The number of the key behind a special one such as "the session keyring" (keyctl_get_keyring_ID(3)).
    func resolve() throws(ErrorNumber) -> KeySerial {
        let resolved = keyctl_get_keyring_ID(number, 0)
        guard resolved > 0 else {
            throw .last
        }
        return KeySerial(resolved)
    }
}
