package import Base
import CKeyutils

/// A key's serial number, by which the kernel knows it (keyrings(7)).
package struct KeySerial: Hashable, Sendable {
    package let number: Int32

    /// A serial by its number.
    package init(_ number: Int32) {
        self.number = number
    }

    /// This thread's own keyring: nothing else sees it, forks and programs do not inherit it.
    static let threadKeyring = KeySerial(KEY_SPEC_THREAD_KEYRING)
    /// The session keyring. Merely looking at it installs one where there is none: see `SessionKeyringLookup`.
    static let sessionKeyring = KeySerial(KEY_SPEC_SESSION_KEYRING)
    /// The keyring of the real user id.
    static let userKeyring = KeySerial(KEY_SPEC_USER_KEYRING)
}

/// Who may do what with a key: a byte each for possessor, owner, group and others (keyctl_setperm(3)).
package struct KeyPermissions: Equatable, Sendable {
    /// The four bytes as one number, the possessor's first.
    package let mask: UInt32

    package init(mask: UInt32) {
        self.mask = mask
    }

    /// A token key: its session may view, read and search; only root writes.
    package static let tokenKey = KeyPermissions(mask: 0x0b3f_0000)
    /// A token key while its tokens are locked. A process that may search for a key possesses it, and a possessor reads
    /// it, whatever else is not allowed (security/keys/keyctl.c, keyctl_read_key): so its session may do nothing with
    /// it.
    package static let lockedTokenKey = rootOnly
    /// What is root's alone. Possession gives nothing, so that a ring that leaks does not matter.
    package static let rootOnly = KeyPermissions(mask: 0x003f_0000)
}

/// What keyctl_describe(3) says of a key.
package struct KeyDescription: Equatable, Sendable {
    /// The key's type, for example `user` or `keyring`.
    package let type: [UInt8]
    package let uid: UInt32
    /// Who may do what.
    package let permissions: KeyPermissions
    /// The description proper.
    package let text: [UInt8]

    /// Takes `type;uid;gid;permissions;description` apart; nil when it is not of that form.
    package init?(parsing line: [UInt8]) {
        // The description may hold semicolons itself: only the first four count.
        let parts = line.split(separator: UInt8(ascii: ";"), maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count == 5, let uid = UInt32(decimal: parts[1], atMost: 10),
            let mask = UInt32(hexadecimal: parts[3], atMost: 10)
        else {
            return nil
        }
        type = Array(parts[0])
        self.uid = uid
        permissions = KeyPermissions(mask: mask)
        text = Array(parts[4])
    }
}

/// The largest payload of a key of type `user` (security/keys/user_defined.c).
package let largestPayload = 32_767

extension KeySerial {
    /// What the kernel says of the key.
    package func describe() throws(ErrorNumber) -> KeyDescription {
        // The descriptions of pam-cognito are shorter; those of users may have as much as a page.
        var line = [UInt8](repeating: 0, count: 192)
        var length = describe(into: &line)
        if Int(length) > line.count {
            line = [UInt8](repeating: 0, count: 4096)
            length = describe(into: &line)
        }
        guard length > 0, Int(length) <= line.count else {
            throw length > 0 ? .messageTooLong : .last
        }
        line.removeLast(line.count - Int(length) + 1)
        guard let description = KeyDescription(parsing: line) else {
            throw .invalidArgument
        }
        return description
    }

    private func describe(into line: inout [UInt8]) -> CLong {
        unsafe line.withUnsafeMutableBytes { buffer in
            unsafe keyctl_describe(
                number, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count)
        }
    }

    /// The payload (keyctl_read(3)).
    package func read() throws(ErrorNumber) -> Secret {
        guard var payload = Secret(capacity: largestPayload + 1) else {
            throw .noMemory
        }
        try read(into: &payload)
        return payload
    }

    /// The same, in place of what `payload` holds.
    package func read(into payload: inout Secret) throws(ErrorNumber) {
        var length: CLong = -1
        var error = ErrorNumber.messageTooLong
        let isRead = unsafe payload.refill { memory, capacity in
            length = unsafe keyctl_read(number, memory.assumingMemoryBound(to: CChar.self), capacity)
            error = .last
            return Int(length)
        }
        guard isRead else {
            throw length < 0 ? error : .messageTooLong
        }
    }

    /// Whether a keyring links to nothing.
    func isEmptyKeyring() throws(ErrorNumber) -> Bool {
        let length = keyctl_read(number, nil, 0)
        try check(length)
        return length == 0
    }

    /// The serials that a keyring links to.
    package func links() throws(ErrorNumber) -> [KeySerial] {
        var buffer = [Int32](repeating: 0, count: 4096)
        while true {
            let capacity = buffer.count * 4
            let length = unsafe buffer.withUnsafeMutableBytes { memory in
                unsafe keyctl_read(number, memory.baseAddress?.assumingMemoryBound(to: CChar.self), capacity)
            }
            guard length >= 0 else {
                throw .last
            }
            if Int(length) <= capacity {
                return buffer.prefix(Int(length) / 4).map { serial in KeySerial(serial) }
            }
            guard length < 1 << 24 else {
                throw .messageTooLong
            }
            buffer = [Int32](repeating: 0, count: Int(length) / 4 + 64)
        }
    }

    /// Destroys the key immediately for all processes; a missing key counts as destroyed.
    package func invalidate() {
        _ = keyctl_invalidate(number)
    }

    func setPermissions(_ permissions: KeyPermissions) throws(ErrorNumber) {
        try check(keyctl_setperm(number, permissions.mask))
    }

    /// Lets the key end by itself after `seconds`.
    func setTimeout(_ seconds: Int64) throws(ErrorNumber) {
        try check(keyctl_set_timeout(number, UInt32(clamping: max(1, seconds))))
    }

    func link(into ring: KeySerial) throws(ErrorNumber) {
        try check(keyctl_link(number, ring.number))
    }

    func unlink(from ring: KeySerial) {
        _ = keyctl_unlink(number, ring.number)
    }

    /// Moves the link to the key from one keyring to another (keyctl_move(3)); EEXIST where that has one of the same
    /// type and description.
    func moveExclusively(from source: KeySerial, to ring: KeySerial) throws(ErrorNumber) {
        try check(keyctl_move(number, source.number, ring.number, UInt32(KEYCTL_MOVE_EXCL)))
    }

    /// The key of that type and description somewhere in this keyring (keyctl_search(3)), nil when there is none, or
    /// none any more.
    func search(type: StaticString, description: [UInt8]) throws(ErrorNumber) -> KeySerial? {
        let found = type.withUTF8Buffer { type in
            unsafe withCString(description) { text in
                unsafe keyctl_search(number, cString(type), text, 0)
            }
        }
        guard found <= 0 else {
            return KeySerial(Int32(truncatingIfNeeded: found))
        }
        let error = ErrorNumber.last
        switch error {
        case .noKey, .keyExpired, .keyRevoked: return nil
        default: throw error
        }
    }

    /// Adds a key of type `user` to this keyring, or replaces the payload of the one with that description
    /// (add_key(2)).
    func add(description: [UInt8], payload: borrowing Secret) throws(ErrorNumber) -> KeySerial {
        let added = payload.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { buffer in
                unsafe withCString(description) { text in
                    unsafe add_key("user", text, buffer.baseAddress, buffer.count, number)
                }
            }
        }
        guard added > 0 else {
            throw .last
        }
        return KeySerial(added)
    }

    /// Adds an empty keyring to this one.
    func addKeyring(description: [UInt8]) throws(ErrorNumber) -> KeySerial {
        let added = unsafe withCString(description) { text in
            unsafe add_key("keyring", text, nil, 0, number)
        }
        guard added > 0 else {
            throw .last
        }
        return KeySerial(added)
    }

    private func check(_ result: CLong) throws(ErrorNumber) {
        guard result >= 0 else {
            throw .last
        }
    }
}

private func cString(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafePointer<CChar>? {
    unsafe bytes.baseAddress.map { start in unsafe UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self) }
}

private func withCString<R>(_ bytes: [UInt8], _ body: (UnsafePointer<CChar>?) -> R) -> R {
    let terminated = bytes + [0]
    return unsafe terminated.withUnsafeBufferPointer { buffer in unsafe body(cString(buffer)) }
}
