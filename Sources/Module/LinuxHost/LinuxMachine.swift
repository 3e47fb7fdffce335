package import Base
import CLinux
package import Configuration
package import Keyring
import LoginHooks
package import Messages
package import Protocol
package import Sessions

/// The machine as it is: its accounts, files, processes and keyrings.
package struct LinuxMachine: Machine {
    private let registry = RootKeyring()
    private let attemptKeyring = AttemptKeyring.attempts
    private let beginKeyring = AttemptKeyring.begins
    private let configurations = ConfigurationFiles()

    /// The system account that workers run as.
    package static let workerAccount: StaticString = "_pam-cognito"
    private static let directory = "/run/pam-cognito"
    private static let largestKeySet = 32_767
    private static let largestCredentials = 16_384
    /// How often logins may start the reaper, in milliseconds.
    private static let reaperInterval: Int64 = 60_000
    /// For how many seconds an entry outlives its tokens, so that the reaper can say of those that it never got rid of.
    private static let afterlife: Int64 = 3600

    /// Puts a token key where its session finds it: the bundle, its description, and for how many seconds; and has it held by
    /// root before it may be used.
    package typealias Delivery = (
        borrowing Secret, [UInt8], Int64, _ hold: (KeySerial) throws(ErrorNumber) -> Void
    ) throws(ErrorNumber) -> KeySerial

    /// How many seconds a file may take to be written before its writer is taken for dead: more than any disk needs.
    private static let longestWrite: Int64 = 3600

    private let host: ProcessIdentity?
    private let delivery: Delivery?

    /// This machine, seen from a process that hosts sessions itself.
    package init() {
        host = nil
        delivery = nil
    }

    /// This machine, for a session that `host` hosts and that only `delivery` reaches.
    package init(hostedBy host: ProcessIdentity, delivery: @escaping Delivery) {
        self.host = host
        self.delivery = delivery
    }

    package var isDisabled: Bool { unsafe linux_exists("/run/pam-cognito/disabled") == 1 }
    package var realUserID: UInt32 { linux_user_id() }
    package var effectiveUserID: UInt32 { linux_effective_user_id() }
    package var process: ProcessIdentity { host ?? .current }
    package var parentProcess: Int32 { linux_parent_process_id() }
    package var parentOfSameProgram: ProcessIdentity? { host == nil ? .parentOfSameProgram : nil }
    package var rootDirectory: RootDirectory { .current }
    package var pidNamespace: PIDNamespace { .current }
    package var now: Instant { .now }
    package var time: Int64 { secondsSinceEpoch() }

    package func life(of process: ProcessIdentity) -> Life {
        process.life
    }

    package func life(of process: ProcessIdentity, from namespace: PIDNamespace) -> Life {
        // Only the initial namespace sees the processes of all others.
        guard pidNamespace == .initial else {
            return .unknown(.notPermitted)
        }
        // One whose namespace could not be read may well be of this one.
        guard namespace.isKnown || process.life == .gone else {
            return process.life
        }
        return process.lifeElsewhere
    }

    package func random(below bound: Int64) -> Int64 {
        var number: UInt64 = 0
        let filled = unsafe withUnsafeMutableBytes(of: &number) { bytes in
            unsafe linux_random(bytes.baseAddress, bytes.count)
        }
        return bound > 0 && filled == 0 ? Int64(number % UInt64(bound)) : 0
    }

    package func pause(milliseconds: Int64) {
        linux_sleep_ms(milliseconds)
    }

    package var language: Language? {
        // Debian's place, where there is one; on some machines a link to the other.
        for path in ["/etc/default/locale", "/etc/locale.conf"] as [StaticString] {
            if let content = try? readTrustedFile(path.bytes, secret: false, limit: 4096) {
                return Language(settings: content.withBytes { bytes in bytes.copied() })
            }
        }
        return nil
    }

    package func settings(at path: [UInt8], arguments: [[UInt8]]) throws(Fault) -> Settings {
        let text = try configurations.text(at: path)
        do throws(ConfigurationError) {
            return try Settings(parsing: text, arguments: arguments)
        } catch {
            throw Fault(error.message(file: path))
        }
    }

    package func clientSecret(_ settings: Settings) throws(Fault) -> Secret? {
        guard let path = settings.clientSecretFile else {
            return nil
        }
        let text: Secret
        do throws(FileFault) {
            text = try readTrustedFile(path, secret: true, limit: 256)
        } catch {
            throw Fault("\(path): client_secret_file \(Self.explanation(of: error, needed: "root:root, mode 0600"))")
        }
        // An editor's newline at the end does not belong to the secret.
        let secret = text.withBytes { bytes in
            var end = bytes.byteCount
            while end > 0, let last = bytes.byte(at: end - 1), last == 0x0a || last == 0x0d || last == 0x20 {
                end -= 1
            }
            return end > 0 ? Secret(copying: bytes.extracting(0..<end)) : nil
        }
        guard let secret else {
            throw Fault("\(path): client_secret_file is empty; put the app client's secret into it")
        }
        return secret
    }

    package func iamCredentials(_ settings: Settings) throws(Fault) -> Secret? {
        guard let path = settings.iamCredentialsFile else {
            return nil
        }
        let content: Secret
        do throws(FileFault) {
            content = try readTrustedFile(path, secret: true, limit: Self.largestCredentials)
        } catch {
            throw Fault("\(path): iam_credentials_file \(Self.explanation(of: error, needed: "root:root, mode 0600"))")
        }
        guard content.count > 0 else {
            throw Fault("\(path): iam_credentials_file is empty; put a section [default] with the keys into it")
        }
        return content
    }

    static func explanation(of fault: FileFault, needed: StaticString) -> ByteText {
        switch fault {
        case .missing: "does not exist; create it as \(needed)"
        case .notRegular: "is not a regular file; replace it by one, \(needed)"
        case .wrongOwner: "does not belong to root, so that somebody else can change it; set \(needed)"
        case .writableByOthers: "can be changed by others than root; set \(needed)"
        case .readableByOthers: "can be read by others than root; set \(needed)"
        case .tooLarge: "is larger than anything that belongs there; check what it is"
        case .unreadable(let error): "cannot be read (errno \(error.code)); set \(needed)"
        case .outOfMemory: "cannot be read, there is no memory"
        }
    }

    package func account(named name: [UInt8]) throws(Fault) -> Account? {
        do throws(ErrorNumber) {
            return try Account.named(name)
        } catch {
            throw Fault(
                "accounts cannot be looked up (errno \(error.code)); see nsswitch.conf(5) and getent(1)",
                isScarcity: error.isScarcity)
        }
    }

    package func isMember(_ name: [UInt8], _ account: Account, of group: [UInt8]) throws(Fault) -> Bool? {
        do throws(ErrorNumber) {
            return try account.isMember(name, of: group)
        } catch {
            throw Fault(
                "groups cannot be looked up (errno \(error.code)); see nsswitch.conf(5) and getent(1)",
                isScarcity: error.isScarcity)
        }
    }

    package func charged(_ userID: UInt32) -> UInt32 {
        userID == 0 || linux_has_account(userID) == 1 ? userID : nobodysUserID
    }

    /// How many conversations a user id may have at once that is not root's, and all of those together: each costs 4 MB.
    private static let mostOfOne: UInt32 = 8
    private static let mostOfAll: UInt32 = 40

    package func startWorker() throws(Fault) -> Worker {
        let account = try workerAccount()
        do throws(StartFault) {
            return Worker(try ChildProcess(startingWorkerAs: account.uid, gid: account.gid))
        } catch {
            throw Self.fault(of: error)
        }
    }

    package func startWorker(for caller: UInt32) throws(Fault) -> Worker? {
        // Who comes to sshd is limited there (MaxStartups), and comes first.
        guard caller != 0 else {
            return try startWorker()
        }
        let account = try workerAccount()
        do throws(ErrorNumber) {
            // It is cheaper not to start it.
            guard
                try !tooManyWorkers(
                    for: caller, as: account.uid, most: Self.mostOfOne, mostOfAll: Self.mostOfAll)
            else {
                return nil
            }
        } catch {
            throw Self.uncountable(error)
        }
        let child: ChildProcess
        do throws(StartFault) {
            child = try ChildProcess(startingWorkerFor: caller, as: account.uid, gid: account.gid)
        } catch {
            throw Self.fault(of: error)
        }
        do throws(ErrorNumber) {
            guard
                try !child.isOneTooMany(
                    for: caller, as: account.uid, most: Self.mostOfOne, mostOfAll: Self.mostOfAll)
            else {
                child.kill()
                return nil
            }
        } catch {
            child.kill()
            throw Self.uncountable(error)
        }
        return Worker(child)
    }

    package func endWorkers() {
        if let account = try? workerAccount() {
            Base.endWorkers(as: account.uid)
        }
    }

    private func workerAccount() throws(Fault) -> Account {
        guard let account = try account(named: Self.workerAccount.bytes), account.uid != 0, account.gid != 0 else {
            throw Fault(
                """
                the system account \(Self.workerAccount) is missing, as which the network is used; make it with: \
                useradd --system --no-create-home --shell /usr/sbin/nologin \(Self.workerAccount)
                """)
        }
        return account
    }

    private static func uncountable(_ error: ErrorNumber) -> Fault {
        Fault(
            """
            the workers that there are cannot be counted (errno \(error.code)), so that none is started; is /proc mounted?
            """)
    }

    private static func fault(of error: StartFault) -> Fault {
        let path = unsafe StaticBytes(linux_worker_path()).bytes
        return Fault(
            """
            \(path) cannot be started: \(error.stage) failed (errno \(error.error.code)); reinstall pam-cognito, \
            check the file's mode and the file system's mount options
            """)
    }

    package func startReaper() {
        guard Self.takesTurn(.reaper, most: 1, interval: Self.reaperInterval) == true else {
            return
        }
        // The descriptor of a process that nobody waits for is of no use.
        _ = Descriptor(owning: linux_start_reaping().pidfd)
    }

    package func startEnding(_ key: RootKey) -> Bool {
        let serial: ByteText = "\(key.serial.number)"
        return unsafe (serial.bytes + [0]).withUnsafeBytes { bytes in
            // The descriptor of a process that nobody waits for is of no use.
            let started = unsafe linux_start_ending(bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
            _ = Descriptor(owning: started.pidfd)
            return started.stage == CInt(LINUX_START_OK.rawValue)
        }
    }

    package func runHooks(_ notice: SignOutNotice) {
        guard unsafe linux_exists("/etc/pam-cognito/sign-out.d") == 1 else {
            return
        }
        unsafe (notice.argument + [0]).withUnsafeBytes { bytes in
            // The descriptor of a process that nobody waits for is of no use.
            _ = Descriptor(
                owning: unsafe linux_start_hooks(bytes.baseAddress?.assumingMemoryBound(to: CChar.self)).pidfd)
        }
    }

    /// One worker.
    package final class Worker: WorkerConnection {
        private let process: ChildProcess

        init(_ process: consuming ChildProcess) {
            self.process = process
        }

        package func send(_ frame: borrowing Frame) throws(Fault) {
            do throws(ErrorNumber) {
                try process.channel.send(frame, timeout: 2000)
            } catch {
                throw Fault(
                    "cognito-worker ended before its time (errno \(error.code)); it was killed or has a fault; see the kernel's log"
                )
            }
        }

        package func receive(within milliseconds: Int64) throws(Fault) -> Frame? {
            do throws(FrameReceiveFault) {
                return try process.channel.receiveFrame(timeout: milliseconds)
            } catch {
                switch error {
                case .socket(.timedOut): return nil
                case .socket(.endOfFile):
                    throw Fault(
                        "cognito-worker ended without a result; it was killed or has a fault; see the kernel's log")
                case .socket(.tooLarge):
                    throw Fault("cognito-worker sent more than a message may hold; reinstall pam-cognito")
                case .socket(.failed(let error)): throw Fault("cognito-worker cannot be heard (errno \(error.code))")
                case .socket(.outOfMemory): throw Fault("there is no memory to hear cognito-worker")
                case .frame(let error):
                    let finding = error.finding
                    throw Fault(
                        """
                        cognito-worker sent something that is no message (\(finding.what) \(finding.number)); \
                        reinstall pam-cognito so that its parts fit together
                        """)
                }
            }
        }

        package func kill() {
            process.kill()
        }

        /// The worker's pidfd, for a call that neither keeps nor closes it.
        package var processDescriptor: CInt {
            process.processDescriptor
        }
    }

    package func connectToAgent() -> AgentChannel? {
        AgentChannel()
    }

    /// A connection to the agent.
    package final class AgentChannel: AgentConnection {
        private let socket: Descriptor

        /// How long it may take to accept a message, in milliseconds.
        private static let sendLimit: CInt = 10_000

        init?() {
            guard let socket = PacketSocket.connect(toRootsAt: agentSocketPath) else {
                return nil
            }
            self.socket = socket
        }

        package func send(_ frame: borrowing Frame) -> Bool {
            (try? PacketSocket(socket.number).send(frame, timeout: Self.sendLimit)) != nil
        }

        package func receive(within milliseconds: Int64) -> Frame? {
            try? PacketSocket(socket.number).receiveFrame(timeout: milliseconds)
        }
    }

    private static func keySetName(_ userPoolID: [UInt8]) -> String {
        // A pool's id holds letters, digits, '-' and '_' only: `isUserPoolID`.
        String(decoding: ("keys-" as StaticString).bytes + userPoolID, as: UTF8.self)
    }

    package func keySet(ofPool userPoolID: [UInt8]) -> [UInt8]? {
        let path = ("/run/pam-cognito/keys-" as StaticString).bytes + userPoolID
        guard let content = try? readTrustedFile(path, secret: false, limit: Self.largestKeySet), content.count > 0
        else {
            return nil
        }
        return content.withBytes { bytes in bytes.copied() }
    }

    package func keepKeySet(_ keySet: [UInt8], ofPool userPoolID: [UInt8]) {
        _ = unsafe keySet.withUnsafeBytes { bytes in
            unsafe linux_replace_file(Self.directory, Self.keySetName(userPoolID), 0, bytes.baseAddress, bytes.count)
        }
    }

    package func device(named name: [UInt8]) throws(Fault) -> Secret? {
        try DeviceStore().read(name)
    }

    package func keepDevice(_ device: borrowing Secret, named name: [UInt8]) throws(Fault) -> Bool {
        try DeviceStore().write(device, name)
    }

    package func forgetDevice(named name: [UInt8]) {
        DeviceStore().remove(name)
    }

    package var bootID: [UInt8]? { JournalStore.bootID }

    package func removeUnfinishedFiles() {
        for directory in [JournalStore.directory, DeviceStore.directory] {
            unsafe linux_remove_unfinished(directory, Self.longestWrite)
        }
    }

    package func journalNames() throws(ErrorNumber) -> [[UInt8]] {
        try JournalStore().names()
    }

    package func journalRecord(named name: [UInt8]) throws(FileFault) -> [UInt8] {
        try JournalStore().read(name)
    }

    package func keepJournalRecord(_ record: [UInt8], named name: [UInt8]) throws(ErrorNumber) {
        try JournalStore().write(record, name)
    }

    package func dropJournalRecord(named name: [UInt8]) -> Bool {
        JournalStore().remove(name)
    }

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

    package func read(_ key: RootKey, into payload: inout Secret) throws(ErrorNumber) {
        try registry.read(key, into: &payload)
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
            if let lock = lock(.counting(person), within: 0) {
                registry.forget(person)
                withExtendedLifetime(lock) {}
            }
        }
    }

    package func entry(at serial: KeySerial) -> RootKey? {
        registry.entry(at: serial)
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

    package func noteAttempt(_ subject: AttemptSubject, lasting seconds: Int64) throws(ErrorNumber) -> RootKey {
        try attemptKeyring.add(subject, lasting: seconds)
    }

    package func forgetAttempt(_ key: RootKey) {
        attemptKeyring.remove(key)
    }

    package func begins() throws(ErrorNumber) -> [Attempt] {
        try beginKeyring.attempts { _ in true }
    }

    package func noteBegin(_ place: AttemptSubject, lasting seconds: Int64) throws(ErrorNumber) -> RootKey {
        try beginKeyring.add(place, lasting: seconds)
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
        if let delivery {
            return try delivery(bundle, description, seconds) { key throws(ErrorNumber) in
                try registry.hold(key, for: entry)
            }
        }
        return try TokenKey.deliver(bundle, description: description, to: account, timeout: seconds) {
            key throws(ErrorNumber) in
            try registry.hold(key, for: entry)
        }
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

    package func isolate(_ account: Account, always: Bool) throws(ErrorNumber) -> Bool {
        try TokenKey.isolate(account, always: always)
    }

    package func share(_ key: KeySerial, with account: Account) throws(ErrorNumber) {
        try TokenKey.share(key, with: account)
    }

    package func restore(_ key: KeySerial, description: [UInt8]) throws(ErrorNumber) -> Bool {
        try TokenKey.restore(key, description: description)
    }

    package func destroy(_ key: KeySerial) {
        key.invalidate()
    }
}

extension FileFault {
    var isScarcity: Bool {
        switch self {
        case .unreadable(let error): error.isScarcity
        case .outOfMemory: true
        case .missing, .notRegular, .wrongOwner, .writableByOthers, .readableByOthers, .tooLarge: false
        }
    }
}

extension ErrorNumber {
    fileprivate var isScarcity: Bool {
        switch self {
        case .interrupted, .resourceTemporarilyUnavailable, .noMemory, .tooManyOpenFilesInSystem, .tooManyOpenFiles:
            true
        default: false
        }
    }
}

/// A C string's bytes.
package struct StaticBytes {
    /// The bytes, without the NUL.
    package let bytes: [UInt8]

    /// Copies `text`; empty for NULL.
    package init(_ text: UnsafePointer<CChar>?) {
        var bytes: [UInt8] = []
        if var next = unsafe text {
            while unsafe next.pointee != 0 {
                bytes.append(UInt8(bitPattern: unsafe next.pointee))
                unsafe next += 1
            }
        }
        self.bytes = bytes
    }
}
