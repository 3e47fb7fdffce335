import Accounts
import Agent
import Base
import Configuration
import Glibc
import Keyring
import Messages
import Protocol
import Sessions
import Testing

/// Root's keyring, which all processes of a machine share.
final class FakeRegistry {
    struct Entry {
        var description: [UInt8]
        var payload: [UInt8]
        var seconds: Int64
        /// Whose keyring it is in.
        var user: [UInt8]?
    }

    private(set) var nextSerial: Int32 = 1000
    /// The processes that hold entries: others wait for them, or give up.
    private var holders: [Int32: Holder] = [:]
    var entries: [Int32: Entry] = [:]
    var attempts: [Attempt] = []
    var begins: [Attempt] = []
    var nextAttempt: Int32 = 7000
    /// By the serial number of their session's entry.
    var credentials: [Int32: [CredentialKey]] = [:]
    var notes: [String: (text: [UInt8], until: Int64)] = [:]

    func add(_ payload: [UInt8], seconds: Int64, of user: [UInt8]? = nil) -> RootKey {
        nextSerial += 1
        let description = Array("pam-cognito:s:\(nextSerial)".utf8)
        entries[nextSerial] = Entry(description: description, payload: payload, seconds: seconds, user: user)
        return RootKey(serial: KeySerial(nextSerial), description: description)
    }

    /// A lock on an entry, which only one process has; nil: another one has it.
    func lock(_ serial: Int32) -> EntryLock? {
        guard holders[serial]?.lock == nil else {
            return nil
        }
        let lock = EntryLock(nil)
        holders[serial] = Holder(lock: lock)
        return lock
    }

    private struct Holder {
        weak var lock: EntryLock?
    }

    /// The entries, read as entries; what is none is left out.
    var sessions: [Snapshot] {
        entries.sorted { left, right in left.key < right.key }.compactMap { _, entry in Snapshot(entry.payload) }
    }
}

/// A registry entry that can be compared.
struct Snapshot: Equatable {
    var state: SessionState
    var host: ProcessIdentity
    var parent: ProcessIdentity?
    var user: String
    var service: String
    var signOut: SignOutMode
    var delivered: Bool
    var tokenKey: Int32
    var attempts: UInt8
    var nextAttempt: Int64
    var expires: Int64
    var bundle: String
    var sessionBundle: String?

    init?(_ payload: [UInt8]) {
        guard let payload = secret(payload), let entry = RegistryEntry.decode(payload) else {
            return nil
        }
        state = entry.state
        host = entry.host
        parent = entry.parent
        user = text(entry.user)
        service = text(entry.service)
        signOut = entry.signOut
        delivered = entry.delivered
        tokenKey = entry.tokenKey
        attempts = entry.attempts
        nextAttempt = entry.nextAttempt.milliseconds
        expires = entry.expires
        bundle = text(entry.bundle.withBytes { bytes in bytes.copied() })
        sessionBundle = entry.sessionBundle?.withBytes { bytes in text(bytes.copied()) }
    }
}

/// One process's view of a machine.
class FakeMachine: Machine {
    /// As it stands, one of alice's with tokens of before.
    struct TokenKey: Equatable {
        var description = "cognito:eu-west-1_AbCdEf123:1example23456789"
        var bundle = "old"
        var uid: UInt32 = 5001
        var seconds: Int64 = 1
    }

    let registry: FakeRegistry

    // What a test may change.
    var isDisabled = false
    var language: Language?
    var realUserID: UInt32 = 0
    var sessionBegan: Int64?
    var processBegan: Int64?
    var effectiveUserID: UInt32 = 0
    /// Who started this program where it has made root its real user id since, as sudo does.
    var starter: UInt32?
    var isStoppable: Bool { effectiveUserID == 0 && (starter ?? realUserID) != 0 }
    var inputPeer: UInt32?
    var process = ProcessIdentity(id: 100, startTime: 777)
    var arguments: [[UInt8]] = []
    var parentProcess: Int32 = 50
    var parentOfSameProgram: ProcessIdentity?
    var rootDirectory = RootDirectory(device: 1, inode: 2)
    var pidNamespace = PIDNamespace(inode: 4_026_531_836)
    var now = Instant(milliseconds: 5_000_000)
    var time: Int64 = 1_800_000_000
    var dead: Set<Int32> = []
    /// Of which nothing can be known.
    var unseen: Set<Int32> = []
    var isInitialNamespace = false
    /// The source of randomness; the greatest that may be, unless a test wants others.
    var randomNumber: (Int64) -> Int64 = { bound in bound - 1 }
    var configuration = FakeMachine.configuration()
    /// Why it cannot be read.
    var configurationFault: Fault?
    var accounts: [[UInt8]: Account] = [
        Array("alice".utf8): Account(uid: 5001, gid: 5001, hasUsablePassword: false),
        Array("bob".utf8): Account(uid: 5002, gid: 5002, hasUsablePassword: false),
    ]
    /// Accounts from the pool; nil: their records are damaged.
    var ownAccounts: [[UInt8]: OwnAccount?] = [:]
    /// Whom other sources of names know.
    var verdicts: [[UInt8]: SourceAnswer.SourceVerdict] = [:]
    /// Who was entered at their first sign-in.
    var newcomers: [AccountRecord] = []
    var newcomerFault: Fault?
    var enteredGroups: [[[UInt8]]] = []
    var toldOfKeys: [String] = []
    /// The user id that an earlier user of the name had.
    var keptUserID: UInt32?
    var people: [[UInt8]] = [Array("alice".utf8), Array("bob".utf8)]
    /// One script a worker; none left: it cannot be started.
    var scripts: [[Act]] = []
    /// What workers do for which there is no script.
    var answer: (() -> [Act])?
    var deafAfter = Int.max
    /// Who listens at the agent's socket.
    var agent: FakeAgent?
    var locked: Set<Int32> = []
    /// Whose entries a program has that its user has stopped, and whose have been got by ending it.
    var stopped: Set<Int32> = []
    var endedHolders: [Int32] = []
    /// Until when another process has every entry, in milliseconds.
    var busyUntil: Int64 = 0
    /// Whether others have these locks.
    var isReaping = false
    var isCounting = false
    var isSigningOut = false
    /// What keeps others from counting, as long as this process holds it.
    private(set) weak var countingLock: EntryLock?
    var clientSecretFault: Fault?
    var currentSecret = Secrets.clientSecret
    /// What there is of `key_set_file`, where that is set.
    var keySetFile: Result<KeySetFile, Fault> = .failure(Fault("/k: key_set_file does not exist", .configuration))
    var accountsFault: Fault?
    var registerError: ErrorNumber?
    var attemptsError: ErrorNumber?
    var noteError: ErrorNumber?
    /// Runs just before an attempt is noted.
    var onNote: (() -> Void)?
    /// Runs after each pause.
    var onPause: (() -> Void)?
    var beginsError: ErrorNumber?
    var onNoteBegin: (() -> Void)?
    var replaceError: ErrorNumber?
    var readError: ErrorNumber?
    /// The same for single entries.
    var readErrors: [Int32: ErrorNumber] = [:]
    var entriesError: ErrorNumber?
    /// Whether a new session keyring is joined for what is delivered.
    var joinsKeyring = false
    var deliverError: ErrorNumber?
    var updateError: ErrorNumber?
    var isolateError: ErrorNumber?
    var restoreError: ErrorNumber?
    var keyringReplaced = false
    /// What is directly in the session keyring that the process inherited.
    var inherited: [KeySerial] = []
    /// Takes a delivered key; nil: no program does.
    var onDelivery: ((KeySerial) -> Bool)?
    /// Runs just before a session is registered.
    var onRegister: (() -> Void)?
    /// The program that has a part of the registry locked, for the log.
    var holder: ByteText?
    /// Runs just before an entry is locked.
    var onLock: (() -> Void)?
    /// The locks that this process has.
    private var locks: [HeldLock] = []
    private struct HeldLock {
        weak var lock: EntryLock?
    }

    // What a test may look at.
    private(set) var workers: [FakeWorker] = []
    private(set) var timesWorkersEnded = 0
    private(set) var sessionKeyring: KeySerial? = KeySerial(1)
    private(set) var leftKeyrings: [Int32] = []
    private(set) var keySets: [String: String] = [:]
    var devices: [String: String] = [:]
    var deviceFault: Fault?
    /// How often unfinished files were cleared away.
    private(set) var cleared = 0
    /// The files of the journal by their names.
    var journal: [String: String] = [:] {
        didSet { journalChanges += 1 }
    }
    private var journalChanges: Int64 = 0
    var journalError: ErrorNumber?
    var iamFault: Fault?
    var journalFault: FileFault?
    var canDropJournal = true
    /// Whether every file of the journal went before its entry.
    private(set) var struckOutWhileKnown = true
    var bootID: [UInt8]? = Array(repeating: UInt8(ascii: "b"), count: 32)
    var tokenKeys: [Int32: TokenKey] = [:]
    /// The secrets that prove a session, by the number of its entry; of jobs, by that of their token key.
    var secrets: [Int32: [UInt8]] = [:]
    /// The person's user keyring: the token key of each description.
    var shared: [String: Int32] = [:]
    var shareError: ErrorNumber?
    private(set) var destroyed: [Int32] = []
    private(set) var isolated: [UInt32] = []
    private(set) var restored: [Int32] = []
    private(set) var lookedUp: [String] = []
    private(set) var paused: Int64 = 0
    private(set) var reapersStarted = 0
    /// Whether an agent can be started for the end of a session; and for which one was.
    var canStartEnding = false
    /// Whether a worker goes on after a sign-out, for others.
    var workersAreShared = false
    private(set) var handedOver: [RootKey] = []
    /// Of which sign-ins the agent was told.
    private(set) var watched: [RootKey] = []
    /// What hooks were run for.
    private(set) var hooked: [String] = []
    /// Of whom the reaper has said that there are entries.
    private(set) var indexed: [String] = []
    /// How often an entry was read.
    private(set) var reads = 0
    /// What was written to people's terminals, and what was done to their sessions.
    fileprivate(set) var told: [String] = []
    fileprivate(set) var done: [String] = []
    var canAct = true
    /// The time of the last input, in milliseconds; nil: there is no terminal.
    var lastTyped: Int64?
    private var nextTokenKey: Int32 = 500
    /// The token keys that their sessions cannot read.
    private(set) var unreadable: Set<Int32> = []
    /// The copy for jobs that go on.
    private(set) var keptKey = KeySerial(0)
    /// Whether the screen is locked; nil: this is unknown.
    var isScreenLocked: Bool?
    /// What the last configuration came to.
    private var parsed: (configuration: [UInt8], arguments: [[UInt8]], settings: Settings)?

    init(registry: FakeRegistry = FakeRegistry()) {
        self.registry = registry
    }

    static func configuration(_ more: String = "") -> [UInt8] {
        Array(
            """
            user_pool_id = eu-west-1_AbCdEf123
            client_id = 1example23456789
            allowed_groups = staff admins
            unix_group = people
            \(more.contains("local_password") ? "" : "local_password = unavailable")
            \(more.contains("sign_out_wait") ? "" : "sign_out_wait = 5s")
            \(more)

            """.utf8)
    }

    /// The user who started a set-uid program can stop it, and all that wait for its locks. So it must not wait while
    /// it has one.
    func waits(for what: String) {
        locks.removeAll { held in held.lock == nil }
        if isStoppable, !locks.isEmpty {
            Issue.record("a set-uid program waits for \(what) while it has a lock")
        }
    }

    private func holding(_ lock: EntryLock?) -> EntryLock? {
        if let lock {
            locks.append(HeldLock(lock: lock))
        }
        return lock
    }

    /// What another process of root's does on this machine.
    func asRootsProcess<Result: ~Copyable>(_ body: () -> Result) -> Result {
        let (own, starter) = (realUserID, starter)
        (realUserID, self.starter) = (0, nil)
        defer { (realUserID, self.starter) = (own, starter) }
        return body()
    }

    /// What the agents do that were started for the ends of sessions; what they write.
    @discardableResult
    func endHandedOver() -> [String] {
        var lines: [String] = []
        for key in handedOver {
            asRootsProcess {
                _ = endHandedOver(key.serial) { line, _ in lines.append(text(line.bytes)) }
            }
        }
        return lines
    }

    /// Another process of the same machine.
    func otherProcess(id: Int32 = 200) -> FakeMachine {
        let other = FakeMachine(registry: registry)
        other.process = ProcessIdentity(id: id, startTime: 888)
        return other
    }

    func advance(_ milliseconds: Int64) {
        now = Instant(milliseconds: now.milliseconds + milliseconds)
    }

    func life(of process: ProcessIdentity) -> Life {
        unseen.contains(process.id) ? .unknown(.tooManyOpenFiles) : dead.contains(process.id) ? .gone : .alive
    }

    func life(of process: ProcessIdentity, from namespace: PIDNamespace) -> Life {
        isInitialNamespace ? life(of: process) : .unknown(.notPermitted)
    }

    func random(below bound: Int64) -> Int64 {
        randomNumber(bound)
    }

    func pause(milliseconds: Int64) {
        waits(for: "time to pass")
        paused += milliseconds
        advance(milliseconds)
        onPause?()
    }

    func configuration(at path: [UInt8], arguments: [[UInt8]]) -> LoginConfiguration {
        guard path == Array("/etc/security/pam_cognito.conf".utf8) else {
            return .wrong(Fault("\(path): does not exist", .configuration), CoverageSettings(withoutFile: arguments))
        }
        if let configurationFault {
            return .wrong(configurationFault, CoverageSettings(withoutFile: arguments))
        }
        if let parsed, parsed.configuration == configuration, parsed.arguments == arguments {
            return .right(parsed.settings)
        }
        let reading = ConfigurationReading(parsing: configuration, arguments: arguments)
        switch reading.settings {
        case .success(let settings):
            parsed = (configuration, arguments, settings)
            return .right(settings)
        case .failure(let mistake):
            return .wrong(Fault(mistake.message(file: path), .configuration), reading.coverage)
        }
    }

    func clientSecret(_ settings: Settings) throws(Fault) -> Secret? {
        try fail(with: clientSecretFault)
        guard settings.clientSecretFile != nil else {
            return nil
        }
        return secret(Array(currentSecret.utf8))
    }

    func keySetFile(_ settings: Settings) throws(Fault) -> KeySetFile? {
        settings.keySetFile == nil ? nil : try keySetFile.get()
    }

    /// The users for whom prompting workers were started, and who can have no more of them.
    var startedFor: [UInt32] = []
    var crowded: Set<UInt32> = []
    /// User ids that no account has.
    var subordinate: ClosedRange<UInt32> = 3_000_000...3_065_535

    func iamCredentials(_ settings: Settings) throws(Fault) -> Secret? {
        try fail(with: iamFault)
        return settings.iamCredentialsFile == nil ? nil : secret(Array("[default] keys".utf8))
    }

    func account(named name: [UInt8]) throws(Fault) -> Account? {
        waits(for: "another source of names")
        lookedUp.append(text(name))
        try fail(with: accountsFault)
        return accounts[name]
    }

    func enterNewcomer(_ record: AccountRecord, _ settings: Settings) throws(Fault) -> AccountRecord {
        try fail(with: newcomerFault)
        var entered = record
        entered.uid = keptUserID ?? record.uid
        newcomers.append(entered)
        ownAccounts[record.name] = OwnAccount(.enabled, person: record.owner)
        return entered
    }

    func otherSources(about people: [SourceQuestion]) -> [SourceAnswer] {
        people.map { one in SourceAnswer(of: one.name, one.uid, verdicts[one.name] ?? .nobody) }
    }

    func enterGroups(_ groups: [[UInt8]], of name: [UInt8]) throws(Fault) {
        try fail(with: newcomerFault)
        enteredGroups.append(groups)
    }

    func noteKeysTold(_ name: [UInt8]) {
        toldOfKeys.append(text(name))
    }

    func ownAccount(
        _ name: [UInt8], _ account: Account, _ configuration: LoginConfiguration
    ) throws(Fault) -> OwnAccount? {
        let coverage = configuration.coverage
        guard let known = ownAccounts[name], coverage.accounts != .none || !coverage.isComplete else {
            return nil
        }
        guard let known else {
            throw Fault("the record is damaged")
        }
        return known
    }

    func isMember(_ name: [UInt8], _ account: Account, of group: [UInt8]) throws(Fault) -> Bool? {
        text(group) == "people" ? people.contains(name) : nil
    }

    func charged(_ userID: UInt32) -> UInt32 {
        subordinate.contains(userID) ? nobodysUserID : userID
    }

    func startWorker() throws(Fault) -> FakeWorker {
        waits(for: "a worker")
        guard let script = scripts.isEmpty ? answer?() : scripts.removeFirst() else {
            throw Fault("the worker cannot be started")
        }
        let worker = FakeWorker(script, deafAfter: deafAfter, machine: self)
        workers.append(worker)
        return worker
    }

    func startWorker(for caller: UInt32) throws(Fault) -> FakeWorker? {
        startedFor.append(caller)
        return crowded.contains(caller) ? nil : try startWorker()
    }

    func endWorkers() {
        timesWorkersEnded += 1
    }

    func connectToAgent() -> FakeAgent? {
        waits(for: "the agent")
        return agent
    }

    func runHooks(_ notice: SignOutNotice) {
        hooked.append("\(text(notice.user)): \(text(notice.reason.rawValue.bytes))")
    }

    func startEnding(_ key: RootKey) -> Bool {
        waits(for: "the agent")
        if canStartEnding {
            handedOver.append(key)
        }
        return canStartEnding
    }

    func watch(_ key: RootKey) {
        watched.append(key)
    }

    func startReaper() {
        reapersStarted += 1
    }

    func keySet(ofPool userPoolID: [UInt8]) -> [UInt8]? {
        keySets[text(userPoolID)].map { keySet in Array(keySet.utf8) }
    }

    func keepKeySet(_ keySet: [UInt8], ofPool userPoolID: [UInt8]) {
        keySets[text(userPoolID)] = text(keySet)
    }

    func device(named name: [UInt8]) throws(Fault) -> Secret? {
        try fail(with: deviceFault)
        return devices[text(name)].flatMap { device in secret(Array(device.utf8)) }
    }

    func keepDevice(_ device: borrowing Secret, named name: [UInt8]) throws(Fault) -> Bool {
        try fail(with: deviceFault)
        devices[text(name)] = text(device.withBytes { bytes in bytes.copied() })
        return true
    }

    func forgetDevice(named name: [UInt8]) {
        devices[text(name)] = nil
    }

    func removeUnfinishedFiles() {
        cleared += 1
    }

    var journalStamp: Int64? { journalChanges }

    func journalNames() throws(ErrorNumber) -> [[UInt8]] {
        try fail(with: journalError)
        return journal.keys.sorted().map { name in Array(name.utf8) }
    }

    func journalRecord(named name: [UInt8]) throws(FileFault) -> [UInt8] {
        try fail(with: journalFault)
        guard let record = journal[text(name)] else {
            throw .missing
        }
        return Array(record.utf8)
    }

    func keepJournalRecord(_ record: [UInt8], named name: [UInt8]) throws(ErrorNumber) {
        try fail(with: journalError)
        journal[text(name)] = text(record)
    }

    func dropJournalRecord(named name: [UInt8]) -> Bool {
        if canDropJournal {
            struckOutWhileKnown = struckOutWhileKnown && !registry.entries.isEmpty
            journal[text(name)] = nil
        }
        return canDropJournal
    }

    func register(
        _ payload: borrowing Secret, of user: [UInt8], expiringIn seconds: Int64
    ) throws(ErrorNumber) -> RootKey {
        onRegister?()
        try fail(with: registerError)
        return registry.add(payload.withBytes { bytes in bytes.copied() }, seconds: seconds, of: user)
    }

    func replace(_ key: RootKey, with payload: borrowing Secret, expiringIn seconds: Int64) throws(ErrorNumber) {
        try fail(with: replaceError)
        guard registry.entries[key.serial.number]?.description == key.description else {
            throw .noKey
        }
        registry.entries[key.serial.number]?.payload = payload.withBytes { bytes in bytes.copied() }
        registry.entries[key.serial.number]?.seconds = seconds
    }

    func read(_ key: RootKey) throws(ErrorNumber) -> Secret {
        reads += 1
        try fail(with: readError ?? readErrors[key.serial.number])
        guard let entry = registry.entries[key.serial.number] else {
            throw .noKey
        }
        guard entry.description == key.description, let payload = secret(entry.payload) else {
            throw .permissionDenied
        }
        return payload
    }

    func entry(at serial: KeySerial, reading payload: inout Secret) -> RootKey? {
        guard let key = entry(at: serial), let read = try? read(key) else {
            return nil
        }
        payload = read
        return key
    }

    func remove(_ key: RootKey) {
        if registry.entries[key.serial.number]?.description == key.description {
            registry.entries[key.serial.number] = nil
        }
    }

    func serials() throws(ErrorNumber) -> [KeySerial] {
        try fail(with: entriesError)
        return registry.entries.keys.sorted().map { serial in KeySerial(serial) }
    }

    func serials(of user: [UInt8]) throws(ErrorNumber) -> [KeySerial] {
        try serials().filter { serial in registry.entries[serial.number]?.user == user }
    }

    func index(_ entries: [(key: RootKey, user: [UInt8])]) throws(ErrorNumber) {
        indexed = entries.map { entry in text(entry.user) }
    }

    func entry(at serial: KeySerial) -> RootKey? {
        registry.entries[serial.number].map { entry in RootKey(serial: serial, description: entry.description) }
    }

    func attempts(where isWanted: (AttemptSubject) -> Bool) throws(ErrorNumber) -> [Attempt] {
        try fail(with: attemptsError)
        return registry.attempts.filter { attempt in isWanted(attempt.subject) }
    }

    func noteAttempt(
        _ kind: AttemptKind, _ subject: AttemptSubject, lasting seconds: Int64
    ) throws(ErrorNumber) -> RootKey {
        if kind == .begun {
            onNoteBegin?()
        } else {
            try fail(with: noteError)
            onNote?()
        }
        registry.nextAttempt += 1
        let key = RootKey(
            serial: KeySerial(registry.nextAttempt), description: Array("attempt \(registry.nextAttempt)".utf8))
        let end = Instant(milliseconds: now.milliseconds + seconds * 1000)
        let holder = kind.hasProcess ? Attempt.Holder(process: process, pidNamespace: pidNamespace) : nil
        let attempt = Attempt(key: key, kind: kind, subject: subject, end: end, holder: holder)
        if kind == .begun {
            registry.begins.append(attempt)
        } else {
            registry.attempts.append(attempt)
        }
        return key
    }

    func forgetAttempt(_ key: RootKey) {
        registry.attempts.removeAll { attempt in attempt.key == key }
        registry.begins.removeAll { begin in begin.key == key }
    }

    func unansweredSRPStarts() throws(ErrorNumber) -> [Attempt] {
        try fail(with: beginsError)
        return registry.begins
    }

    private func lockEntry(_ key: RootKey, within milliseconds: Int32) -> EntryLock? {
        onLock?()
        if milliseconds > 0 {
            waits(for: "another lock")
        }
        guard !stopped.contains(key.serial.number) else {
            advance(Int64(milliseconds))
            return nil
        }
        guard busyUntil - now.milliseconds <= milliseconds else {
            return nil
        }
        advance(max(0, busyUntil - now.milliseconds))
        return locked.contains(key.serial.number) ? nil : holding(registry.lock(key.serial.number))
    }

    func lockEndingHolder(_ part: RegistryLock, sparingRoot sparing: Bool) -> EntryLock? {
        if case .entry(let key) = part, stopped.remove(key.serial.number) != nil {
            endedHolders.append(key.serial.number)
        }
        return lock(part, within: 0)
    }

    func holderFields(_ part: RegistryLock) -> ByteText? {
        holder
    }

    func removeLeftTurns() {}

    func isLocked(_ key: RootKey) -> Bool {
        onLock?()
        return busyUntil > now.milliseconds || stopped.contains(key.serial.number) || locked.contains(key.serial.number)
            || registry.lock(key.serial.number) == nil
    }

    func lock(_ part: RegistryLock, within milliseconds: Int32) -> EntryLock? {
        let isLocked: Bool
        switch part {
        case .entry(let key): return lockEntry(key, within: milliseconds)
        case .reaping: isLocked = isReaping
        case .counting: isLocked = isCounting
        case .signOuts: isLocked = isSigningOut
        }
        guard !isLocked else {
            return nil
        }
        if milliseconds > 0 {
            waits(for: "another lock")
        }
        let lock = EntryLock(nil)
        if case .counting = part {
            countingLock = lock
        }
        return holding(lock)
    }

    func leaveSessionKeyring(_ keyring: KeySerial) {
        leftKeyrings.append(keyring.number)
        sessionKeyring = KeySerial(1)
    }

    func deliver(
        _ bundle: borrowing Secret,
        description: [UInt8],
        to account: Account,
        entry: RootKey,
        expiringIn seconds: Int64
    ) throws(ErrorNumber) -> KeySerial {
        if joinsKeyring {
            sessionKeyring = KeySerial(2)
        }
        try fail(with: deliverError)
        nextTokenKey += 1
        guard onDelivery?(KeySerial(nextTokenKey)) ?? true else {
            throw ErrorNumber(ECONNRESET)
        }
        tokenKeys[nextTokenKey] = TokenKey(
            description: text(description),
            bundle: bundle.withBytes { bytes in text(bytes.copied()) },
            uid: account.uid,
            seconds: seconds
        )
        return KeySerial(nextTokenKey)
    }

    func inheritedTokenKey(described description: [UInt8]) -> KeySerial? {
        inherited.first { key in isDelivered(key, description: description) && !unreadable.contains(key.number) }
    }

    func isDelivered(_ key: KeySerial, description: [UInt8]) -> Bool {
        tokenKeys[key.number]?.description == text(description)
    }

    func update(
        _ key: KeySerial,
        description: [UInt8],
        with bundle: borrowing Secret,
        entry: RootKey,
        expiringIn seconds: Int64
    ) throws(ErrorNumber) {
        try fail(with: updateError)
        guard isDelivered(key, description: description) else {
            throw .noKey
        }
        tokenKeys[key.number]?.bundle = bundle.withBytes { bytes in text(bytes.copied()) }
        tokenKeys[key.number]?.seconds = seconds
    }

    func isolate(_ account: Account) throws(ErrorNumber) -> Bool {
        try fail(with: isolateError)
        isolated.append(account.uid)
        return true
    }

    func secretKey(of entry: RootKey, ofJobs isOfJobs: Bool, beside description: [UInt8]) -> KeySerial? {
        secrets[isOfJobs ? keptKey.number : entry.serial.number].map { _ in
            KeySerial(isOfJobs ? keptKey.number : entry.serial.number)
        }
    }

    func sessionSecret(in key: KeySerial, beside description: [UInt8]) throws(ErrorNumber) -> Secret {
        guard let secret = secrets[key.number].flatMap(secret) else {
            throw .noKey
        }
        return secret
    }

    func share(_ key: KeySerial, provedBy secret: KeySerial?, with account: Account) throws(ErrorNumber) {
        try fail(with: shareError)
        guard let found = tokenKeys[key.number] else {
            throw .noKey
        }
        shared[found.description] = key.number
    }

    func restore(_ key: KeySerial, of entry: RootKey, description: [UInt8]) throws(ErrorNumber) -> Bool {
        try fail(with: restoreError)
        if keyringReplaced {
            restored.append(key.number)
        }
        return keyringReplaced
    }

    func setReadable(_ key: KeySerial, description: [UInt8], _ isReadable: Bool) throws(ErrorNumber) {
        guard isDelivered(key, description: description) else {
            throw .noKey
        }
        unreadable = isReadable ? unreadable.subtracting([key.number]) : unreadable.union([key.number])
    }

    func tokens(in key: KeySerial, description: [UInt8]) throws(ErrorNumber) -> Secret {
        guard isDelivered(key, description: description),
            let payload = tokenKeys[key.number].flatMap({ found in secret(Array(found.bundle.utf8)) })
        else {
            throw .noKey
        }
        return payload
    }

    func keepReadable(
        _ key: KeySerial, description: [UInt8], entry: RootKey, expiringIn seconds: Int64
    ) throws(ErrorNumber) -> KeySerial {
        _ = try tokens(in: key, description: description)
        guard keptKey.number == 0 else {
            return keptKey
        }
        nextTokenKey += 1
        keptKey = KeySerial(nextTokenKey)
        tokenKeys[nextTokenKey] = tokenKeys[key.number]
        if secrets[entry.serial.number] != nil {
            secrets[nextTokenKey] = Array("of jobs, 16 byte".utf8)
        }
        return keptKey
    }

    func destroy(_ key: KeySerial) {
        destroyed.append(key.number)
        tokenKeys[key.number] = nil
        shared = shared.filter { _, serial in serial != key.number }
        for (entry, keys) in registry.credentials {
            registry.credentials[entry] = keys.filter { credential in credential.serial != key }
        }
    }

    func credentials(of entry: RootKey) -> [CredentialKey] {
        registry.credentials[entry.serial.number] ?? []
    }

    func deliver(
        _ credential: borrowing Secret, labelled label: CredentialLabel, entry: RootKey, expiringIn seconds: Int64
    ) throws(ErrorNumber) -> KeySerial {
        try fail(with: deliverError)
        nextTokenKey += 1
        registry.credentials[entry.serial.number, default: []]
            .append(CredentialKey(serial: KeySerial(nextTokenKey), label: label))
        return KeySerial(nextTokenKey)
    }

    func note(_ note: CredentialNote, about name: [UInt8], of entry: RootKey) -> [UInt8]? {
        guard let noted = registry.notes["\(note) \(text(name)) \(entry.serial.number)"], noted.until > time else {
            return nil
        }
        return noted.text
    }

    func keep(
        _ note: CredentialNote, _ words: [UInt8], about name: [UInt8], of entry: RootKey, lasting seconds: Int64
    ) {
        registry.notes["\(note) \(text(name)) \(entry.serial.number)"] = (words, time + seconds)
    }

    func destroyHeld(of entry: RootKey) {
        secrets[entry.serial.number] = nil
        registry.credentials[entry.serial.number] = nil
        registry.notes = registry.notes.filter { name, _ in !name.hasSuffix(" \(entry.serial.number)") }
    }
}

extension FakeMachine: SessionControl {
    func tell(_ line: [UInt8], _ person: Account, inSessionOf host: ProcessIdentity) -> Int {
        told.append("\(person.uid) at \(host.id): \(text(line))")
        return 1
    }

    func idleTime(of person: Account, inSessionOf host: ProcessIdentity) -> Int64? {
        lastTyped.map { typed in (now.milliseconds - typed) / 1000 }
    }

    func lockScreen(of person: Account, inSessionOf host: ProcessIdentity) -> Bool {
        done.append("lock \(person.uid) at \(host.id)")
        return canAct
    }

    func isScreenLocked(of person: Account, inSessionOf host: ProcessIdentity) -> Bool? {
        isScreenLocked
    }

    func terminate(_ person: Account, inSessionOf host: ProcessIdentity) -> Bool {
        done.append("terminate \(person.uid) at \(host.id)")
        return canAct
    }
}

extension Reaper where System == FakeMachine, Sessions == FakeMachine {
    init(machine: FakeMachine) {
        self.init(machine: machine, sessions: machine)
    }
}

func fail<Failure: Error>(with error: Failure?) throws(Failure) {
    if let error {
        throw error
    }
}

func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self)
}

func secret(_ bytes: [UInt8]) -> Secret? {
    Secret(copying: bytes.span.bytes)
}
