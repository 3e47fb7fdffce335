package import Base
import CLinux

/// The key with a session's tokens.
///
/// It belongs to root, so that the user's small quota is not charged, and only root can change it.
package enum TokenKey {
    /// The prefix of every token key's description: `cognito:<user pool id>:<client id>`.
    package static var prefix: [UInt8] { Array("cognito:".utf8) }

    /// The name of a keyring of root's through which a session reads the tokens of another session of the same user.
    static var attachedName: [UInt8] { Array("cognito-attached".utf8) }

    /// The description for an app client of a pool.
    package static func description(userPoolID: [UInt8], clientID: [UInt8]) -> [UInt8] {
        prefix + userPoolID + [UInt8(ascii: ":")] + clientID
    }

    /// Whether `description` is that of a token key, of ours or planted: a key that the user made would be updated in
    /// place, and would stay the user's.
    static func isTokenKey(_ description: KeyDescription) -> Bool {
        description.text.starts(with: prefix)
    }

    /// Puts `bundle` into the session keyring of this process, which is to become the session of `account`, and
    /// `secret` beside it.
    ///
    /// The keyring must be that user's, no default ring of a user, and hold no other session's tokens; else a new one
    /// is joined first. Its tokens end by themselves after `seconds`, it seems.
    ///
    /// - Parameter hold: Links a key where root reaches it, before the key's permissions are final.
    package static func deliver(
        _ bundle: borrowing Secret,
        provedBy secret: borrowing Secret,
        description: [UInt8],
        to account: Account,
        timeout seconds: Int64,
        hold: (KeySerial) throws(ErrorNumber) -> Void
    ) throws(ErrorNumber) -> KeySerial {
        if !SessionKeyringLookup.current.isFit(for: account) {
            try joinNew(for: account)
        }
        // First the proof, so that a program that sees the tokens finds it.
        let proof = try deliver(secret, SessionSecret.description(beside: description), timeout: seconds, hold: hold)
        do {
            return try deliver(bundle, description, timeout: seconds, hold: hold)
        } catch {
            proof.invalidate()
            throw error
        }
    }

    private static func deliver(
        _ payload: borrowing Secret, _ description: [UInt8], timeout seconds: Int64,
        hold: (KeySerial) throws(ErrorNumber) -> Void
    ) throws(ErrorNumber) -> KeySerial {
        let key = try KeySerial.sessionKeyring.add(description: description, payload: payload)
        do {
            try hold(key)
            try key.setTimeout(seconds + tokenReserve)
            try key.setPermissions(.tokenKey)
        } catch {
            key.invalidate()
            throw error
        }
        return key
    }

    /// Whether `key` is of root's, has that description, and is readable in its session, or locked.
    static func isTokenKey(_ key: KeySerial, _ description: [UInt8], readable isReadable: Bool) -> Bool {
        guard let found = try? key.describe() else {
            return false
        }
        return found.type == Array("user".utf8) && found.uid == 0 && found.text == description
            && found.permissions == (isReadable ? .tokenKey : .lockedTokenKey)
    }

    fileprivate static func joinNew(for account: Account) throws(ErrorNumber) {
        try ErrorNumber.check(linux_join_session_keyring(account.uid, account.gid))
    }
}

extension RootKeyrings {
    /// Whether `key` is a token key of that description as `deliver` made it: of root's, and writable by root alone;
    /// locked or not.
    package func isDelivered(_ key: KeySerial, description: [UInt8]) -> Bool {
        TokenKey.isTokenKey(key, description, readable: true) || TokenKey.isTokenKey(key, description, readable: false)
    }

    /// Lets the session read a token key, or stops that. The permissions are the key's own, by whichever keyring it is
    /// found.
    package func setReadable(
        _ key: KeySerial, description: [UInt8], _ isReadable: Bool
    ) throws(ErrorNumber) {
        // With root's ids this is the key's owner.
        func set() throws(ErrorNumber) {
            guard isDelivered(key, description: description) else {
                throw .noKey
            }
            try key.setPermissions(isReadable ? .tokenKey : .lockedTokenKey)
        }
        try withRootUserIDs({ refused in refused }, set)
    }

    /// The token key of that description, as `deliver` made it, directly in the session keyring of this process.
    ///
    /// Not in a keyring that is linked into it: a user can link the keyring of another of their sessions, but not the
    /// token key itself. Nor in a default keyring that was joined as the session's: the user keyring has what other
    /// sessions share.
    package func inheritedTokenKey(described description: [UInt8]) -> KeySerial? {
        guard !SessionKeyringLookup.current.isDefaultRing else {
            return nil
        }
        return ((try? KeySerial.sessionKeyring.links()) ?? []).first { link in
            TokenKey.isTokenKey(link, description, readable: true)
        }
    }

    /// Joins a new session keyring if the inherited one belongs to another user than `account`. For su and sudo, which
    /// have the caller's session keyring: it may get tokens later, too.
    ///
    /// - Returns: Whether it did.
    package func isolate(_ account: Account) throws(ErrorNumber) -> Bool {
        guard SessionKeyringLookup.current.isForeign(to: account) else {
            return false
        }
        try TokenKey.joinNew(for: account)
        return true
    }

    /// Links the key, and the one with its session's secret, into the session keyring if that has been replaced since,
    /// as pam_keyinit does when it runs after us.
    ///
    /// - Returns: Whether it was missing.
    package func restore(_ key: KeySerial, of entry: RootKey, description: [UInt8]) throws(ErrorNumber) -> Bool {
        try restore(key) { secretKey(of: entry, ofJobs: false, beside: description) }
    }

    /// The same with the key of the session's secret, which is only looked for when it is needed.
    package func restore(_ key: KeySerial, provedBy secret: () -> KeySerial?) throws(ErrorNumber) -> Bool {
        // A search would also find what is shared in the user keyring, which the new one links to.
        guard (try? KeySerial.sessionKeyring.links())?.contains(key) != true else {
            return false
        }
        try secret()?.link(into: .sessionKeyring)
        try key.link(into: .sessionKeyring)
        return true
    }

    /// Links a delivered key, and the one with its session's secret, into the user keyring of `account`, in place of
    /// keys of the same description.
    package func share(
        _ key: KeySerial, provedBy secret: KeySerial?, with account: Account
    ) throws(ErrorNumber) {
        func link() throws(ErrorNumber) {
            for case let linked? in [secret, key] {
                try ErrorNumber.check(linux_link_to_user_keyring(linked.number, account.uid))
            }
        }
        // With root's ids this is the key's owner: its possessors may not link it.
        try withRootUserIDs({ refused in refused }, link)
    }

    /// The session keyring of this process; looking at it installs a default one where there is none.
    package var sessionKeyring: KeySerial? { try? KeySerial.sessionKeyring.resolve() }

    /// Joins a new session keyring, with nothing in it, if this process is root's and in `keyring`. A process of a user
    /// ends with its session.
    package func leaveSessionKeyring(_ keyring: KeySerial) {
        if linux_effective_user_id() == 0, linux_user_id() == 0, sessionKeyring == keyring {
            _ = linux_join_session_keyring(0, 0)
        }
    }
}

/// The session keyring of this process. Looking installs a default keyring if there is none, so the caller must
/// be ready to join a new one.
struct SessionKeyringLookup {
    private let description: KeyDescription?
    private let holdsTokens: Bool

    static var current: SessionKeyringLookup {
        let ring = KeySerial.sessionKeyring
        var holdsTokens = false
        for link in (try? ring.links()) ?? [] {
            if let described = try? link.describe(),
                TokenKey.isTokenKey(described) || described.text == TokenKey.attachedName
                    || described.text.starts(with: SessionSecret.prefix)
            {
                holdsTokens = true
            }
        }
        return SessionKeyringLookup(description: try? ring.describe(), holdsTokens: holdsTokens)
    }

    var isDefaultRing: Bool {
        description?.text.starts(with: Array("_uid".utf8)) ?? true
    }

    /// Whether tokens of `account` may be put there.
    func isFit(for account: Account) -> Bool {
        description?.uid == account.uid && !isDefaultRing && !holdsTokens
    }

    /// Whether it belongs to another user.
    func isForeign(to account: Account) -> Bool {
        guard let description else {
            return false
        }
        return description.uid != account.uid
    }
}
