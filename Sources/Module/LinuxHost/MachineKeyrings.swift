package import Base
package import Keyring
package import Sessions

// The registry, the counts and the token keys: keyrings(7).

extension LinuxMachine {
    /// For how many seconds an entry outlives its tokens, so that the reaper can say of those that it never got rid of.
    private static let afterlife: Int64 = 3600

    package func register(
        _ payload: borrowing Secret, of user: [UInt8], expiringIn seconds: Int64
    ) throws(ErrorNumber) -> RootKey {
        try registry.add(payload, of: PersonIndex(of: user), timeout: seconds + Self.afterlife)
    }

    package func replace(
        _ key: RootKey,
        with payload: borrowing Secret,
        expiringIn seconds: Int64
    ) throws(ErrorNumber) {
        try registry.replace(key, with: payload, timeout: seconds + Self.afterlife)
    }

    package func read(_ key: RootKey) throws(ErrorNumber) -> Secret {
        try registry.read(key)
    }

    package func remove(_ key: RootKey) {
        registry.remove(key)
    }

    package func serials() throws(ErrorNumber) -> [KeySerial] {
        try registry.serials()
    }

    package func serials(of user: [UInt8]) throws(ErrorNumber) -> [KeySerial] {
        try registry.serials(of: PersonIndex(of: user))
    }

    package func index(_ entries: [(key: RootKey, user: [UInt8])]) throws(ErrorNumber) {
        try registry.index(entries.map { entry in (entry.key, PersonIndex(of: entry.user)) })
        let present = Set(entries.map { entry in PersonIndex(of: entry.user) })
        for person in try registry.people() where !present.contains(person) {
            registry.forget(person)
        }
    }

    package func entry(at serial: KeySerial) -> RootKey? {
        registry.entry(at: serial)
    }

    package func entry(at serial: KeySerial, reading payload: inout Secret) -> RootKey? {
        registry.entry(at: serial, reading: &payload)
    }

    package func lock(_ key: RootKey, within milliseconds: Int32) -> EntryLock? {
        do throws(ErrorNumber) {
            return EntryLock(try registry.lock(key, timeout: milliseconds))
        } catch {
            // Where there can be no locks, as with /run read-only, sessions must end all the same: ending one twice is
            // harmless, not ending it is not.
            return error == .resourceTemporarilyUnavailable ? nil : EntryLock(nil)
        }
    }

    package func lockEndingHolder(_ key: RootKey) -> EntryLock? {
        // A server that signs its session out waits for Cognito with the lock.
        var isClosing = false
        if let entry = readEntry(key) {
            isClosing = entry.state == .closing && now.milliseconds - entry.closed.milliseconds < longestEnd
        }
        return lockEndingHolder(of: registry.place(of: key), sparingRoot: isClosing)
    }

    package func lockEndingHolder(_ part: RegistryLock) -> EntryLock? {
        guard let place = try? registry.place(of: part) else {
            return EntryLock(nil)
        }
        return lockEndingHolder(of: place, sparingRoot: false)
    }

    private func lockEndingHolder(of place: LockPlace, sparingRoot sparing: Bool) -> EntryLock? {
        do throws(ErrorNumber) {
            return EntryLock(try place.lockEndingHolder(sparingRoot: sparing))
        } catch {
            return error == .resourceTemporarilyUnavailable ? nil : EntryLock(nil)
        }
    }

    package func holderFields(_ part: RegistryLock) -> ByteText? {
        (try? registry.place(of: part))?.holderFields
    }

    package func removeLeftTurns() {
        registry.removeLeftTurns()
    }

    package func isLocked(_ key: RootKey) -> Bool {
        registry.isLocked(key)
    }

    package func lock(_ part: RegistryLock, within milliseconds: Int32) -> EntryLock? {
        do throws(ErrorNumber) {
            return EntryLock(try registry.lock(part, timeout: milliseconds))
        } catch {
            return error == .resourceTemporarilyUnavailable ? nil : EntryLock(nil)
        }
    }

    package func attempts(where isWanted: (AttemptSubject) -> Bool) throws(ErrorNumber) -> [Attempt] {
        try attemptKeyring.attempts(where: isWanted)
    }

    package func noteAttempt(
        _ kind: AttemptKind, _ subject: AttemptSubject, lasting seconds: Int64
    ) throws(ErrorNumber) -> RootKey {
        try attemptKeyring.add(kind, subject, lasting: seconds, by: .current, in: pidNamespace)
    }

    package func forgetAttempt(_ key: RootKey) {
        attemptKeyring.remove(key)
    }

    package func begins() throws(ErrorNumber) -> [Attempt] {
        try beginKeyring.attempts { _ in true }
    }

    package func noteBegin(_ place: AttemptSubject, lasting seconds: Int64) throws(ErrorNumber) -> RootKey {
        try beginKeyring.add(.begun, place, lasting: seconds, by: .current, in: pidNamespace)
    }

    package func forgetBegin(_ key: RootKey) {
        beginKeyring.remove(key)
    }

    package func deliver(
        _ bundle: borrowing Secret,
        description: [UInt8],
        to account: Account,
        entry: RootKey,
        expiringIn seconds: Int64
    ) throws(ErrorNumber) -> KeySerial {
        let secret = try SessionSecret.make()
        let hold = { (key: KeySerial) throws(ErrorNumber) in try registry.hold(key, for: entry) }
        guard let delivery else {
            return try TokenKey.deliver(
                bundle, provedBy: secret, description: description, to: account, timeout: seconds, hold: hold)
        }
        let proof = try delivery(secret, SessionSecret.description(beside: description), seconds, hold)
        do {
            return try delivery(bundle, description, seconds, hold)
        } catch {
            proof.invalidate()
            throw error
        }
    }

    package func secretKey(of entry: RootKey, ofJobs isOfJobs: Bool, beside description: [UInt8]) -> KeySerial? {
        registry.secretKey(of: entry, ofJobs: isOfJobs, beside: description)
    }

    package func sessionSecret(in key: KeySerial, beside description: [UInt8]) throws(ErrorNumber) -> Secret {
        try registry.read(key, description: SessionSecret.description(beside: description))
    }

    package var sessionKeyring: KeySerial? { TokenKey.sessionKeyring }

    package func leaveSessionKeyring(_ keyring: KeySerial) {
        // A process of a person's ends with its session.
        if effectiveUserID == 0, realUserID == 0 {
            TokenKey.leave(keyring)
        }
    }

    package func inheritedTokenKey(described description: [UInt8]) -> KeySerial? {
        TokenKey.inherited(description: description)
    }

    package func isDelivered(_ key: KeySerial, description: [UInt8]) -> Bool {
        TokenKey.isDelivered(key, description: description)
    }

    package func update(
        _ key: KeySerial,
        description: [UInt8],
        with bundle: borrowing Secret,
        entry: RootKey,
        expiringIn seconds: Int64
    ) throws(ErrorNumber) {
        try registry.updateHeld(key, description: description, with: bundle, for: entry, timeout: seconds)
    }

    package func isolate(_ account: Account) throws(ErrorNumber) -> Bool {
        try TokenKey.isolate(account)
    }

    package func share(_ key: KeySerial, provedBy secret: KeySerial?, with account: Account) throws(ErrorNumber) {
        try TokenKey.share(key, provedBy: secret, with: account)
    }

    package func restore(_ key: KeySerial, of entry: RootKey, description: [UInt8]) throws(ErrorNumber) -> Bool {
        try TokenKey.restore(key) { registry.secretKey(of: entry, ofJobs: false, beside: description) }
    }

    package func setReadable(_ key: KeySerial, description: [UInt8], _ isReadable: Bool) throws(ErrorNumber) {
        try TokenKey.setReadable(key, description: description, isReadable)
    }

    package func tokens(in key: KeySerial, description: [UInt8]) throws(ErrorNumber) -> Secret {
        try registry.read(key, description: description)
    }

    package func keepReadable(
        _ key: KeySerial, description: [UInt8], entry: RootKey, expiringIn seconds: Int64
    ) throws(ErrorNumber) -> KeySerial {
        try registry.keepReadable(key, description: description, for: entry, timeout: seconds)
    }

    package func destroy(_ key: KeySerial) {
        key.invalidate()
    }

    package func credentials(of entry: RootKey) -> [CredentialKey] {
        registry.credentials(of: entry)
    }

    package func deliver(
        _ credential: borrowing Secret, labelled label: CredentialLabel, entry: RootKey, expiringIn seconds: Int64
    ) throws(ErrorNumber) -> KeySerial {
        guard let delivery else {
            throw .noKey
        }
        let key = try delivery(credential, label.description, seconds) { key throws(ErrorNumber) in
            try registry.hold(credential: key, for: entry)
        }
        // Unlike tokens they cannot be renewed: at their end they are of no use to anybody.
        try registry.limit(credential: key, to: seconds)
        return key
    }

    package func note(_ note: CredentialNote, about name: [UInt8], of entry: RootKey) -> [UInt8]? {
        registry.note(note, about: name, of: entry)
    }

    package func keep(
        _ note: CredentialNote, _ text: [UInt8], about name: [UInt8], of entry: RootKey, lasting seconds: Int64
    ) {
        try? registry.keep(note, text, about: name, of: entry, lasting: seconds)
    }

    package func destroyHeld(of entry: RootKey) {
        registry.destroyHeld(of: entry)
    }
}
