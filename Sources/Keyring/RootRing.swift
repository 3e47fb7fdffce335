import Base
import CLinux

// Keyrings of root's own in root's user keyring, and keys in them. Root's ids must be in force for all of this.

/// The keyring of that name, in root's user keyring or in another one of root's; nil if there is none.
func rootRing(_ name: [UInt8], in parent: KeySerial = .userKeyring) throws(ErrorNumber) -> KeySerial? {
    try existing(type: "keyring", name, in: parent)
}

/// The same; made when it is missing.
func madeRootRing(_ name: [UInt8], in parent: KeySerial = .userKeyring) throws(ErrorNumber) -> KeySerial {
    try foundOrMade(type: "keyring", name, in: parent) { thread throws(ErrorNumber) in
        try thread.addKeyring(description: name)
    }
}

private func existing(type: StaticString, _ name: [UInt8], in parent: KeySerial) throws(ErrorNumber) -> KeySerial? {
    guard let found = try parent.search(type: type, description: name) else {
        return nil
    }
    return try checked(found, type: type, name)
}

/// The key of that name in `parent`; made when it is missing. Of two that are made at once the first one counts.
func foundOrMade(
    type: StaticString, _ name: [UInt8], in parent: KeySerial,
    _ make: (KeySerial) throws(ErrorNumber) -> KeySerial
) throws(ErrorNumber) -> KeySerial {
    if let found = try existing(type: type, name, in: parent) {
        return found
    }
    let made = try make(.threadKeyring)
    do throws(ErrorNumber) {
        try made.setPermissions(.rootOnly)
        // Two processes that make it must not hide each other's. No lock for that: one stopped with it would stop all.
        try made.moveExclusively(from: .threadKeyring, to: parent)
        return made
    } catch {
        made.unlink(from: .threadKeyring)
        guard let found = try? parent.search(type: type, description: name) else {
            throw error
        }
        return try checked(found, type: type, name)
    }
}

/// Makes a key in the thread keyring, since only a possessor may set its permissions, then moves it to `ring`.
func makeRootOnly(
    in ring: KeySerial,
    timeout seconds: Int64? = nil,
    _ make: (KeySerial) throws(ErrorNumber) -> KeySerial
) throws(ErrorNumber) -> KeySerial {
    let key = try make(.threadKeyring)
    do {
        if let seconds {
            try key.setTimeout(seconds)
        }
        try key.setPermissions(.rootOnly)
        try key.link(into: ring)
    } catch {
        key.unlink(from: .threadKeyring)
        throw error
    }
    key.unlink(from: .threadKeyring)
    return key
}

/// Replaces the payload of a key in `ring` in place, and sets its time anew. One that is gone is not made again.
func replacePayload(
    of key: KeySerial, _ description: [UInt8], in ring: KeySerial, with payload: borrowing Secret,
    timeout seconds: Int64
) throws(ErrorNumber) {
    let updated = try ring.add(description: description, payload: payload)
    guard updated == key else {
        updated.invalidate()
        throw .noKey
    }
    // The update has removed the timeout.
    try updated.setTimeout(seconds)
}

/// Adds a key of root's own that ends after `seconds` to the keyring `name` in root's user keyring.
func addRootKey(
    _ description: [UInt8], _ payload: borrowing Secret, to name: [UInt8], lasting seconds: Int64
) throws(ErrorNumber) -> RootKey {
    // The closures below cannot borrow a noncopyable parameter.
    guard let copy = payload.duplicate() else {
        throw .noMemory
    }
    return try asRoot { () throws(ErrorNumber) in
        let serial = try makeRootOnly(in: madeRootRing(name), timeout: seconds) { thread throws(ErrorNumber) in
            try thread.add(description: description, payload: copy)
        }
        return RootKey(serial: serial, description: description)
    }
}

/// What `transform` makes of the keys in the keyring `name` in root's user keyring that have not ended. Keys for which
/// it is nil take no memory, however many there are.
func rootKeys<Found>(in name: [UInt8], _ transform: (RootKey) -> Found?) throws(ErrorNumber) -> [Found] {
    try asRoot { () throws(ErrorNumber) in
        guard let ring = try rootRing(name) else {
            return []
        }
        var found: [Found] = []
        var seen: [KeySerial] = []
        // A key that is replaced has its successor beside it before it goes: if one is gone, look again.
        var hasChanged = true
        while hasChanged {
            hasChanged = false
            let links = try ring.links()
            for serial in links where !seen.contains(serial) {
                guard let description = try? serial.describe() else {
                    hasChanged = true
                    continue
                }
                if description.isRootOnly(type: "user", description.text),
                    let made = transform(RootKey(serial: serial, description: description.text))
                {
                    found.append(made)
                }
            }
            seen = links
        }
        return found
    }
}

/// What `body` does with real user id 0.
func asRoot<R: ~Copyable>(_ body: () throws(ErrorNumber) -> R) throws(ErrorNumber) -> R {
    try withRootUserIDs({ refused in refused }, body)
}

/// `serial`, if it is exactly what we made: owner 0, root-only permissions, that description.
func checked(
    _ serial: KeySerial,
    type: StaticString,
    _ text: [UInt8]
) throws(ErrorNumber) -> KeySerial {
    guard try serial.describe().isRootOnly(type: type, text) else {
        throw .permissionDenied
    }
    return serial
}

/// 128 random bits, as text: a unique name.
func randomName() throws(ErrorNumber) -> [UInt8] {
    hexadecimal(try randomBytes())
}

/// 128 random bits.
func randomBytes() throws(ErrorNumber) -> [UInt8] {
    var random = [UInt8](repeating: 0, count: 16)
    let filled = unsafe random.withUnsafeMutableBytes { bytes in
        unsafe linux_random(bytes.baseAddress, bytes.count)
    }
    try ErrorNumber.check(filled)
    return random
}

extension KeyDescription {
    /// Whether it is of a key as `makeRootOnly` makes them.
    func isRootOnly(type: StaticString, _ text: [UInt8]) -> Bool {
        let isOfType = type.withUTF8Buffer { name in unsafe self.type.elementsEqual(name) }
        return isOfType && uid == 0 && permissions == .rootOnly && self.text == text
    }
}
