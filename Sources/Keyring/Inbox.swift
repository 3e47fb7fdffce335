package import Base
import CKeyutils
import CLinux

/// An empty keyring that a user made in their session, through which a token key comes from a process that is not in
/// it.
///
/// Root can link nothing into a user's keyring. The user's own id can, if the ring's permissions allow it, and need not
/// possess the ring for that.
package struct Inbox: Sendable {
    private let ring: KeySerial
    private let owner: UInt32

    /// What its name begins with; then come when it was made and by which process, so that several stand beside each
    /// other.
    private static var name: [UInt8] { Array("cognito-inbox".utf8) }
    /// The keyring's maker may do everything; processes with the owner's user id may look at it and link into it.
    private static let permissions = KeyPermissions(mask: 0x3f05_0000)
    /// What a killed program leaves is gone after this time, in seconds: longer than a sign-in may take.
    private static let lifetime: Int64 = 1200
    /// A token key on its way: its possessors may also link it.
    static let onTheWay = KeyPermissions(mask: 0x1b3f_0000)

    // MARK: Root's side

    /// `ring`, if it is an inbox of `owner`'s.
    package init?(_ ring: KeySerial, of owner: UInt32) {
        self.ring = ring
        self.owner = owner
        let found = asOwner { () throws(ErrorNumber) in try ring.describe() }
        guard let found, found.type == Array("keyring".utf8), found.uid == owner,
            found.text == Self.name || Ticket(found) != nil,
            found.permissions == Self.permissions
        else {
            return nil
        }
    }

    private func asOwner<R>(_ body: () throws(ErrorNumber) -> R) -> R? {
        defer { _ = linux_set_filesystem_user(0) }
        guard linux_set_filesystem_user(owner) == 0 else {
            return nil
        }
        return try? body()
    }

    /// Makes a key with `bundle`, or with the secret that proves to the agent that a session has it, and puts it into
    /// the inbox. Its tokens are expected to end after `seconds`.
    ///
    /// - Parameters:
    ///   - hold: Links the key where root reaches it.
    ///   - isTaken: Waits until the user's process has linked the key into its session.
    package func deliver(
        _ bundle: borrowing Secret,
        description: [UInt8],
        timeout seconds: Int64,
        hold: (KeySerial) throws(ErrorNumber) -> Void,
        isTaken: (KeySerial) -> Bool
    ) throws(ErrorNumber) -> KeySerial {
        let key = try KeySerial.threadKeyring.add(description: description, payload: bundle)
        do throws(ErrorNumber) {
            try key.setTimeout(seconds + tokenReserve)
            try key.setPermissions(Self.onTheWay)
            try hold(key)
            let linked: Void? = asOwner { () throws(ErrorNumber) in try key.link(into: ring) }
            key.unlink(from: .threadKeyring)
            guard linked != nil, isTaken(key) else {
                throw .noKey
            }
            try key.setPermissions(.tokenKey)
        } catch {
            key.invalidate()
            throw error
        }
        return key
    }

    /// Gives the session that the inbox is in what another one has: a keyring of root's that leads to its token key,
    /// which is as it was, and to its secret. So what is renewed or ended there is so here.
    ///
    /// - Parameter isTaken: Waits until the user's process has linked the keyring into its session.
    package func deliver(
        tokensOf key: KeySerial, provedBy secret: KeySerial?, isTaken: (KeySerial) -> Bool
    ) throws(ErrorNumber) {
        let lead = try KeySerial.threadKeyring.addKeyring(description: TokenKey.attachedName)
        do throws(ErrorNumber) {
            try key.link(into: lead)
            try secret?.link(into: lead)
            try lead.setPermissions(Self.onTheWay)
            let linked: Void? = asOwner { () throws(ErrorNumber) in try lead.link(into: ring) }
            lead.unlink(from: .threadKeyring)
            guard linked != nil, isTaken(lead) else {
                throw .noKey
            }
            try lead.setPermissions(.tokenKey)
        } catch {
            lead.invalidate()
            throw error
        }
    }

    /// Gives the session that the inbox is in credentials that another session of the same tokens has.
    ///
    /// - Parameter isTaken: Waits until the user's process has linked the key into its session.
    package func deliver(
        credentials: CredentialKey, isTaken: (KeySerial) -> Bool
    ) throws(ErrorNumber) {
        let key = credentials.serial
        try key.link(into: .threadKeyring)
        defer { key.unlink(from: .threadKeyring) }
        try key.setPermissions(Self.onTheWay)
        defer { try? key.setPermissions(.tokenKey) }
        let linked: Void? = asOwner { () throws(ErrorNumber) in try key.link(into: ring) }
        guard linked != nil, isTaken(key) else {
            throw .noKey
        }
    }

    // MARK: The user's side

    /// Makes one in the session keyring of this process; its serial.
    package static func make() throws(ErrorNumber) -> KeySerial {
        let ticket = Ticket(number: Instant.now.milliseconds, process: linux_process_id())
        let ring = try KeySerial.sessionKeyring.addKeyring(description: ticket.text)
        do {
            try ring.setTimeout(lifetime)
            try ring.setPermissions(permissions)
        } catch {
            ring.unlink(from: .sessionKeyring)
            throw error
        }
        return ring
    }

    /// Whether no other program that lives has an older one in the session keyring of this process. One that is made at
    /// the same moment may be first, too: root has them wait for each other then.
    package static func isFirst(_ ring: KeySerial) -> Bool {
        guard let own = (try? ring.describe()).flatMap(Ticket.init) else {
            return true
        }
        let person = linux_process_owner(linux_process_id())
        return !((try? KeySerial.sessionKeyring.links()) ?? []).contains { link in
            guard link.number != ring.number, let found = try? link.describe(), found.type == Array("keyring".utf8),
                let other = Ticket(found)
            else {
                return false
            }
            return other.isOlder(than: own) && linux_process_owner(other.process) == person
        }
    }

    /// Links a key that came through an inbox into the session keyring of this process. Only what root made is taken.
    package static func take(_ key: KeySerial) throws(ErrorNumber) {
        let description = try key.describe()
        let isOurs =
            TokenKey.isTokenKey(description) || CredentialLabel(description: description.text) != nil
            || description.text == TokenKey.attachedName || description.text.starts(with: SessionSecret.prefix)
        guard description.uid == 0, isOurs else {
            throw .permissionDenied
        }
        try key.link(into: .sessionKeyring)
    }

    /// Takes an inbox out of the session keyring of this process.
    package static func remove(_ ring: KeySerial) {
        ring.unlink(from: .sessionKeyring)
    }
}

/// Who is next: what stands behind an inbox's name.
private struct Ticket {
    /// When it was made (CLOCK_BOOTTIME, milliseconds).
    let number: Int64
    let process: Int32

    private static var prefix: [UInt8] { Array("cognito-inbox:".utf8) }

    init(number: Int64, process: Int32) {
        self.number = number
        self.process = process
    }

    /// That of an inbox of that name.
    init?(_ description: KeyDescription) {
        guard description.text.starts(with: Self.prefix), description.text.count <= 64 else {
            return nil
        }
        let parts = description.text.dropFirst(Self.prefix.count).split(
            separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int64(decimal: parts[0], atMost: 15),
            let process = Int32(decimal: parts[1], atMost: 15), process > 0
        else {
            return nil
        }
        self.init(number: number, process: process)
    }

    var text: [UInt8] {
        Self.prefix + Array("\(number):\(process)".utf8)
    }

    func isOlder(than other: Ticket) -> Bool {
        number == other.number ? process < other.process : number < other.number
    }
}

extension SessionKeyring {
    /// Makes sure that this process's session keyring is one that tokens may be put into: `uid`'s own, and of this
    /// session alone. Where it is not, a new one is joined, and given to the parent process, too
    /// (keyctl_session_to_parent(3)), which the kernel refuses unless that has the same user ids and one thread.
    package static func makeFit(for uid: UInt32) throws(ErrorNumber) {
        if let description = try? KeySerial.sessionKeyring.describe(), description.uid == uid,
            !description.text.starts(with: Array("_uid".utf8))
        {
            return
        }
        guard keyctl_join_session_keyring(nil) > 0, keyctl_session_to_parent() >= 0 else {
            throw .last
        }
    }

    /// Joins a new session keyring, of this process alone and of what it becomes, that leads to the one before.
    package static func joinOwn() throws(ErrorNumber) {
        let before = try KeySerial.sessionKeyring.resolve()
        // A process that has left it may not link it any more.
        try before.link(into: .threadKeyring)
        defer { before.unlink(from: .threadKeyring) }
        guard keyctl_join_session_keyring(nil) > 0 else {
            throw .last
        }
        try before.link(into: .sessionKeyring)
    }
}
