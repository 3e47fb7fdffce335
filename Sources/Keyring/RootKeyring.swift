package import Base
import CLinux

/// A key of root, found again only if serial and description both fit: a forged one is not owned by root.
package struct RootKey: Equatable, Sendable {
    package let serial: KeySerial
    /// The description, which holds 128 random bits.
    package let description: [UInt8]

    package init(serial: KeySerial, description: [UInt8]) {
        self.serial = serial
        self.description = description
    }
}

extension RootKey {
    /// What its number is with in the journal and in logs: 128 random bits.
    package var name: [UInt8] { Array(description.dropFirst(RootKeyring.entryPrefix.count).prefix(32)) }

    /// Whether it is in the keyring of its person, as far as this version has entered it.
    fileprivate var isIndexed: Bool { description.count > RootKeyring.entryPrefix.count + 32 }
}

/// The time by which a key with tokens outlives them, in seconds. The kernel uses the wall clock. A wrong clock, or
/// tokens that are valid for longer than expected, must not remove tokens that have not been revoked, or those of an
/// open session.
let tokenReserve: Int64 = 50 * 365 * 86_400

/// The locks. A process with an entry's lock may take one of the others, but not the other way round.
package enum RegistryLock: Sendable {
    /// Changing an entry, or ending its session.
    case entry(RootKey)
    /// Going through all entries to end what ended badly.
    case reaping
    /// A process signs sessions out that PAM applications have handed over: those that end meanwhile share its worker.
    case signOuts
    /// Counting the sessions of an account, and entering or ending one by that count. A process that is stopped with it
    /// stops no other account.
    case counting([UInt8])

    /// The lock's number, which the kernel gives to no key (security/keys/key.c, key_alloc_serial: 3 to 2^31 - 1) and a
    /// file may have (off_t). The number of an account is secret, so that an attacker cannot choose another name with
    /// the same one.
    private func byte() throws(ErrorNumber) -> UInt64 {
        switch self {
        case .entry(let key): UInt64(UInt32(bitPattern: key.serial.number))
        case .reaping: 1
        case .signOuts: 2
        case .counting(let user): 1 << 62 | (try RootSecret.number(of: user)) >> 2
        }
    }

    fileprivate func place() throws(ErrorNumber) -> LockPlace {
        let subject: ByteText =
            switch self {
            case .entry(let key): "session=\(key.serial.number)"
            case .reaping: "lock=registry"
            case .signOuts: "lock=sign-outs"
            case .counting(let user): "user=\(quoting: user)"
            }
        return RootKeyring.lockPlace(try byte(), subject)
    }
}

/// A lock on something of the registry, held as long as this lives.
package final class EntryLock {
    private let held: HeldLock?

    package init(_ held: HeldLock?) {
        self.held = held
    }

    /// What `take` gets; nil when another process has it. Where there can be no locks, as with /run read-only, sessions
    /// must end all the same: ending one twice is harmless, not ending it is not.
    fileprivate static func taken(_ take: () throws(ErrorNumber) -> HeldLock?) -> EntryLock? {
        do throws(ErrorNumber) {
            return EntryLock(try take())
        } catch {
            return error == .resourceTemporarilyUnavailable ? nil : EntryLock(nil)
        }
    }
}

/// What root keeps in keyrings(7): sessions, attempts to sign in, and what leads to the tokens of sessions. Each call
/// is made with real user id 0, so that it works from su and sudo, too.
package protocol RootKeyrings {}

/// The keyring `pam-cognito:sessions` in root's user keyring: memory only, root only, there until the machine stops.
package struct RootKeyring: RootKeyrings, Sendable {
    // Made anew each time: a stored one would be left behind in the host whenever the module is unloaded.
    fileprivate static var name: [UInt8] { Array("pam-cognito:sessions".utf8) }
    fileprivate static var directory: String { "/run/pam-cognito" }

    fileprivate static func lockPlace(_ byte: UInt64, _ subject: ByteText) -> LockPlace {
        LockPlace(directory: directory, file: "lock", byte: byte, subject: subject)
    }

    /// The prefix of every entry's description.
    package static var entryPrefix: [UInt8] { Array("pam-cognito:s:".utf8) }
    /// The keyring of the users' keyrings, each with the entries that may be of one user: a sign-in or sign-out reads
    /// only those. It exists as soon as it is complete.
    fileprivate static var peopleName: [UInt8] { Array("pam-cognito:people".utf8) }
    fileprivate static var personPrefix: [UInt8] { Array("pam-cognito:p:".utf8) }
    fileprivate static var holderPrefix: [UInt8] { Array("pam-cognito:k:".utf8) }
    fileprivate static var credentialPrefix: [UInt8] { Array("pam-cognito:c:".utf8) }

    package init() {}

    /// Makes a key of this thread's own and reads it, with the calls that all of this rests on; nothing is left of it.
    package static func tryCalls() throws(ErrorNumber) {
        guard let payload = unsafe Secret(copying: [UInt8(ascii: "1")].span.bytes) else {
            throw .noMemory
        }
        let description = Array("pam-cognito:trial".utf8)
        let key = try KeySerial.threadKeyring.add(description: description, payload: payload)
        defer { key.unlink(from: .threadKeyring) }
        guard try KeySerial.threadKeyring.search(type: "user", description: description) == key else {
            throw .noKey
        }
        _ = try key.read()
    }
}

extension RootKeyrings {
    /// The keyring itself, and the same made when it is missing. Root's ids must be in force.
    private func ring() throws(ErrorNumber) -> KeySerial? { try rootRing(RootKeyring.name) }
    private func madeRing() throws(ErrorNumber) -> KeySerial { try madeRootRing(RootKeyring.name) }

    /// Enters a session of `user` whose tokens end by themselves after `seconds`, it seems.
    package func register(
        _ payload: borrowing Secret, of user: [UInt8], expiringIn seconds: Int64
    ) throws(ErrorNumber) -> RootKey {
        let person = PersonIndex(of: user)
        let name = RootKeyring.entryPrefix + (try randomName())
        // The closure below cannot borrow a noncopyable parameter through two generic calls: hence the copy.
        guard let copy = payload.duplicate() else {
            throw .noMemory
        }
        return try asRoot { () throws(ErrorNumber) in
            let ring = try madeRing()
            // A cleanup run finds the entries of other versions, and then makes it.
            let people =
                try ring.isEmptyKeyring() ? madeRootRing(RootKeyring.peopleName) : rootRing(RootKeyring.peopleName)
            let description = people == nil ? name : name + [UInt8(ascii: ":")] + person.text
            let serial = try makeRootOnly(in: ring, timeout: seconds + tokenReserve) { thread throws(ErrorNumber) in
                try thread.add(description: description, payload: copy)
            }
            do throws(ErrorNumber) {
                if let people {
                    try link(serial, of: person, in: people)
                }
            } catch {
                serial.invalidate()
                throw error
            }
            return RootKey(serial: serial, description: description)
        }
    }

    /// Links an entry into the keyring of its person, as often as `forget` has just taken that away.
    private func link(_ entry: KeySerial, of person: PersonIndex, in people: KeySerial) throws(ErrorNumber) {
        var ring: KeySerial
        repeat {
            ring = try madeRootRing(RootKeyring.personPrefix + person.text, in: people)
            try entry.link(into: ring)
        } while try rootRing(RootKeyring.personPrefix + person.text, in: people) != ring
    }

    /// The serial numbers of what may be about sessions of `user`, and of other things.
    package func serials(of user: [UInt8]) throws(ErrorNumber) -> [KeySerial] {
        let person = PersonIndex(of: user)
        return try asRoot { () throws(ErrorNumber) in
            guard let people = try rootRing(RootKeyring.peopleName) else {
                return try ring()?.links() ?? []
            }
            return try rootRing(RootKeyring.personPrefix + person.text, in: people)?.links() ?? []
        }
    }

    /// Puts into users' keyrings what another version has entered, and removes those of users without an entry.
    ///
    /// - Parameter entries: All that there is, and whose it is.
    package func index(_ entries: [(key: RootKey, user: [UInt8])]) throws(ErrorNumber) {
        let entries = entries.map { entry in (key: entry.key, person: PersonIndex(of: entry.user)) }
        try addToIndex(entries)
        let present = Set(entries.map { entry in entry.person })
        for person in try people() where !present.contains(person) {
            forget(person)
        }
    }

    private func addToIndex(_ entries: [(key: RootKey, person: PersonIndex)]) throws(ErrorNumber) {
        try asRoot { () throws(ErrorNumber) in
            let known = try rootRing(RootKeyring.peopleName)
            let missing = entries.filter { entry in known == nil || !entry.key.isIndexed }
            guard !missing.isEmpty else {
                return
            }
            // Other processes find it when all of them are in it.
            guard let people = known else {
                let people = try KeySerial.threadKeyring.addKeyring(description: RootKeyring.peopleName)
                defer { people.unlink(from: .threadKeyring) }
                try people.setPermissions(.rootOnly)
                try index(missing, in: people)
                return try people.moveExclusively(from: .threadKeyring, to: .userKeyring)
            }
            try index(missing, in: people)
        }
    }

    private func index(_ missing: [(key: RootKey, person: PersonIndex)], in people: KeySerial) throws(ErrorNumber) {
        for entry in missing {
            // One that has ended meanwhile does not exist any more.
            if let serial = try? checked(entry.key.serial, type: "user", entry.key.description) {
                try? link(serial, of: entry.person, in: people)
            }
        }
    }

    private func people() throws(ErrorNumber) -> [PersonIndex] {
        try asRoot { () throws(ErrorNumber) in
            guard let people = try rootRing(RootKeyring.peopleName) else {
                return []
            }
            var found: [PersonIndex] = []
            for serial in try people.links() {
                if let description = try? serial.describe(), description.text.starts(with: RootKeyring.personPrefix),
                    description.isRootOnly(type: "keyring", description.text),
                    let person = PersonIndex(text: description.text.dropFirst(RootKeyring.personPrefix.count))
                {
                    found.append(person)
                }
            }
            return found
        }
    }

    /// Removes the keyring of a user without an entry. No lock keeps entries away meanwhile, since a process that is
    /// stopped with it would stop others: a process that adds an entry sees that the keyring is gone, and entries that
    /// came before are put into the next one.
    private func forget(_ person: PersonIndex) {
        try? asRoot { () throws(ErrorNumber) in
            if let people = try rootRing(RootKeyring.peopleName),
                let ring = try rootRing(RootKeyring.personPrefix + person.text, in: people),
                try ring.isEmptyKeyring()
            {
                ring.unlink(from: people)
                for entry in try ring.links() {
                    try? link(entry, of: person, in: people)
                }
            }
        }
    }

    /// Replaces an entry's payload in place and sets its time anew.
    package func replace(_ key: RootKey, with payload: borrowing Secret, expiringIn seconds: Int64) throws(ErrorNumber)
    {
        guard let copy = payload.duplicate() else {
            throw .noMemory
        }
        try asRoot { () throws(ErrorNumber) in
            guard let ring = try ring() else {
                throw .noKey
            }
            _ = try checked(key.serial, type: "user", key.description)
            try replacePayload(of: key.serial, key.description, in: ring, with: copy, timeout: seconds + tokenReserve)
        }
    }

    package func read(_ key: RootKey) throws(ErrorNumber) -> Secret {
        try asRoot { () throws(ErrorNumber) in
            try checked(key.serial, type: "user", key.description).read()
        }
    }

    /// Destroys an entry, and the keyring that held its token key.
    package func remove(_ key: RootKey) {
        try? asRoot { () throws(ErrorNumber) in
            guard let ring = try ring() else {
                return
            }
            destroyAll(in: holderDescription(of: key), ring)
            destroyAll(in: credentialDescription(of: key), ring)
            try checked(key.serial, type: "user", key.description).invalidate()
        }
    }

    /// The serial numbers of what is in the keyring, entries and others. To list all of them costs one call.
    package func serials() throws(ErrorNumber) -> [KeySerial] {
        try asRoot { () throws(ErrorNumber) in
            guard let ring = try ring() else {
                return []
            }
            return try ring.links()
        }
    }

    /// The entry of that number; nil when it is none, or has ended by itself.
    package func entry(at serial: KeySerial) -> RootKey? {
        try? asRoot { () throws(ErrorNumber) in try key(at: serial) }
    }

    /// The entry of that number, with its payload in `payload`; nil also if it cannot be read.
    package func entry(at serial: KeySerial, reading payload: inout Secret) -> RootKey? {
        try? asRoot { () throws(ErrorNumber) in
            let key = try key(at: serial)
            try serial.read(into: &payload)
            return key
        }
    }

    private func key(at serial: KeySerial) throws(ErrorNumber) -> RootKey {
        let described = try serial.describe()
        guard described.text.starts(with: RootKeyring.entryPrefix), described.isRootOnly(type: "user", described.text)
        else {
            throw .noKey
        }
        return RootKey(serial: serial, description: described.text)
    }

    /// Links `token` into a keyring of root's that belongs to `key`'s session, like the key with its secret: through it
    /// root reaches and renews the token key, whatever the user does to the session keyring.
    package func hold(_ token: KeySerial, for key: RootKey) throws(ErrorNumber) {
        try asRoot { () throws(ErrorNumber) in
            try token.link(into: madeRootRing(holderDescription(of: key), in: madeRing()))
        }
    }

    /// The key with the secret of `key`'s session, or of its jobs, whose tokens stay readable; nil if there is none.
    package func secretKey(of key: RootKey, ofJobs isOfJobs: Bool, beside tokenKey: [UInt8]) -> KeySerial? {
        let found = try? asRoot { () throws(ErrorNumber) -> KeySerial? in
            let holder = isOfJobs ? credentialDescription(of: key) : holderDescription(of: key)
            let description = SessionSecret.description(beside: tokenKey)
            let secret = try ring()?.search(type: "keyring", description: holder)?
                .search(type: "user", description: description)
            return secret.flatMap { secret in
                isDelivered(secret, description: description) ? secret : nil
            }
        }
        return found ?? nil
    }

    /// Replaces the payload of the token key that `key`'s session has, in place: the session sees it immediately, under
    /// the same serial. A key that does not exist any more is not made again.
    package func update(
        _ token: KeySerial, description: [UInt8], with payload: borrowing Secret, entry key: RootKey,
        expiringIn seconds: Int64
    ) throws(ErrorNumber) {
        guard let copy = payload.duplicate() else {
            throw .noMemory
        }
        try asRoot { () throws(ErrorNumber) in
            guard let ring = try ring(),
                let holder = try ring.search(type: "keyring", description: holderDescription(of: key)),
                isDelivered(token, description: description)
            else {
                throw .noKey
            }
            try replacePayload(of: token, description, in: holder, with: copy, timeout: seconds + tokenReserve)
            if let ring = try credentialRing(of: key),
                let kept = try ring.search(type: "user", description: description),
                isDelivered(kept, description: description)
            {
                let updated = try ring.add(description: description, payload: copy)
                try updated.setTimeout(seconds + tokenReserve)
            }
        }
    }

    /// The payload of a session's token key, locked or not.
    package func tokens(in token: KeySerial, description: [UInt8]) throws(ErrorNumber) -> Secret {
        try asRoot { () throws(ErrorNumber) in
            guard isDelivered(token, description: description) else {
                throw .noKey
            }
            return try token.read()
        }
    }

    /// The secret of a session, out of its key.
    package func sessionSecret(in key: KeySerial, beside description: [UInt8]) throws(ErrorNumber) -> Secret {
        try tokens(in: key, description: SessionSecret.description(beside: description))
    }

    /// The copy of a session's token key that stays readable while that is locked, for jobs; made if there is none. It
    /// is among the keys that were made of the session's tokens, and ends with them.
    package func keepReadable(
        _ token: KeySerial, description: [UInt8], entry key: RootKey, expiringIn seconds: Int64
    ) throws(ErrorNumber) -> KeySerial {
        let payload = try tokens(in: token, description: description)
        return try asRoot { () throws(ErrorNumber) in
            let ring = try makeCredentialRing(of: key)
            if let kept = try ring.search(type: "user", description: description) {
                guard isDelivered(kept, description: description) else {
                    throw .permissionDenied
                }
                return kept
            }
            // A secret of its own: programs that read the session's must not use the copy while the session's tokens
            // are locked.
            let secret = try SessionSecret.make()
            let proof = try addReadable(
                secret, SessionSecret.description(beside: description), to: ring, timeout: seconds)
            do throws(ErrorNumber) {
                return try addReadable(payload, description, to: ring, timeout: seconds)
            } catch {
                proof.invalidate()
                throw error
            }
        }
    }

    private func addReadable(
        _ payload: borrowing Secret, _ description: [UInt8], to ring: KeySerial, timeout seconds: Int64
    ) throws(ErrorNumber) -> KeySerial {
        let key = try KeySerial.threadKeyring.add(description: description, payload: payload)
        defer { key.unlink(from: .threadKeyring) }
        do throws(ErrorNumber) {
            try key.setTimeout(seconds + tokenReserve)
            try key.link(into: ring)
            try key.setPermissions(.tokenKey)
        } catch {
            key.invalidate()
            throw error
        }
        return key
    }

    private func holderDescription(of key: RootKey) -> [UInt8] {
        RootKeyring.holderPrefix + key.description.dropFirst(RootKeyring.entryPrefix.count)
    }

    // MARK: Credentials for other systems

    /// The keys with credentials that `key`'s session has.
    package func credentials(of key: RootKey) -> [CredentialKey] {
        let found = try? asRoot { () throws(ErrorNumber) in
            try credentialRing(of: key)?.links().compactMap { link in CredentialKey(link) }
        }
        return (found ?? nil) ?? []
    }

    /// Links a key with credentials into a keyring of root's that belongs to `key`'s session, and ends with it.
    package func hold(credential: KeySerial, for key: RootKey) throws(ErrorNumber) {
        try asRoot { () throws(ErrorNumber) in
            try credential.link(into: try makeCredentialRing(of: key))
        }
    }

    /// Sets the timeout of a key with credentials.
    package func limit(credential: KeySerial, to seconds: Int64) throws(ErrorNumber) {
        try asRoot { () throws(ErrorNumber) in try credential.setTimeout(seconds) }
    }

    package func note(_ note: CredentialNote, about name: [UInt8], of key: RootKey) -> [UInt8]? {
        let found = try? asRoot { () throws(ErrorNumber) in
            let description = note.description(name)
            let noted = try credentialRing(of: key)?.search(type: "user", description: description)
            return try noted.map { noted throws(ErrorNumber) in
                try checked(noted, type: "user", description).read().withBytes { bytes in bytes.copied() }
            }
        }
        return found ?? nil
    }

    /// Notes something about the credentials of that name, for so many seconds. Failing to is no fault.
    package func keep(
        _ note: CredentialNote, _ text: [UInt8], about name: [UInt8], of key: RootKey, lasting seconds: Int64
    ) {
        guard let text = Secret(copying: unsafe text.span.bytes) else {
            return
        }
        try? asRoot { () throws(ErrorNumber) in
            let ring = try makeCredentialRing(of: key)
            _ = try makeRootOnly(in: ring, timeout: seconds) { thread throws(ErrorNumber) in
                try thread.add(description: note.description(name), payload: text)
            }
        }
    }

    /// Destroys the secret of `key`'s session, its credentials and their notes.
    package func destroyHeld(of key: RootKey) {
        try? asRoot { () throws(ErrorNumber) in
            if let ring = try ring() {
                destroyAll(in: holderDescription(of: key), ring)
                destroyAll(in: credentialDescription(of: key), ring)
            }
        }
    }

    private func destroyAll(in description: [UInt8], _ ring: KeySerial) {
        if let holder = try? ring.search(type: "keyring", description: description) {
            for kept in (try? holder.links()) ?? [] {
                kept.invalidate()
            }
            holder.invalidate()
        }
    }

    private func credentialRing(of key: RootKey) throws(ErrorNumber) -> KeySerial? {
        try ring()?.search(type: "keyring", description: credentialDescription(of: key))
    }

    private func makeCredentialRing(of key: RootKey) throws(ErrorNumber) -> KeySerial {
        try madeRootRing(credentialDescription(of: key), in: madeRing())
    }

    private func credentialDescription(of key: RootKey) -> [UInt8] {
        RootKeyring.credentialPrefix + key.description.dropFirst(RootKeyring.entryPrefix.count)
    }

    package func destroy(_ key: KeySerial) {
        key.invalidate()
    }

    // MARK: Locks

    /// Locks something of the registry; nil when another process has it after `milliseconds`.
    package func lock(_ part: RegistryLock, within milliseconds: Int32) -> EntryLock? {
        .taken { () throws(ErrorNumber) in try part.place().lock(within: milliseconds) }
    }

    /// The same for an end that has waited for `holderPatience`: a PAM application that has the lock is ended.
    ///
    /// - Parameter sparing: Whether a process of root's own, which no user can stop, is left alone.
    package func lockEndingHolder(_ part: RegistryLock, sparingRoot sparing: Bool) -> EntryLock? {
        .taken { () throws(ErrorNumber) in try part.place().lockEndingHolder(sparingRoot: sparing) }
    }

    /// The PAM application that has a part locked, as fields of a line in the log; nil when there is none.
    package func holderFields(_ part: RegistryLock) -> ByteText? {
        (try? part.place())?.holderFields
    }

    /// Whether a process has an entry locked. This one does not lock it for that, so stopping this one blocks no other.
    package func isLocked(_ key: RootKey) -> Bool {
        isLocked(.entry(key))
    }

    package func isLocked(_ part: RegistryLock) -> Bool {
        (try? part.place())?.isLocked ?? false
    }

    /// Removes the files of turns that no process has, which programs leave that are killed with one.
    package func removeLeftTurns() {
        for name in (try? names(inRootsDirectory: RootKeyring.directory)) ?? [] {
            if let byte = LockPlace.byte(ofTurnFile: name) {
                // A process that releases a turn removes its file.
                _ = try? RootKeyring.lockPlace(byte, "").lock(within: 0)
            }
        }
    }
}
