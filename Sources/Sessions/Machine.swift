package import Accounts
package import Base
package import Configuration
package import Keyring
package import Messages
package import Protocol

/// Stands for all user ids without an account where attempts and workers are counted: each user may have 65,536 of them
/// (subuid(5)). No process has this one.
package var nobodysUserID: UInt32 { .max }

/// A fault that is not the user's, for the log.
package struct Fault: Error, Equatable {
    package enum Cause: Sendable {
        /// This process had too little of something. The user who started it can cause that.
        case resourceExhaustion
        /// Files of this package are missing, damaged, or of different versions.
        case installation
        case keyrings
        /// The configuration, or a file that it names, has a mistake or cannot be read.
        case configuration
        case other
    }

    /// One line: what happened, what it means, what to do.
    package let line: ByteText
    package let cause: Cause

    package var isResourceExhaustion: Bool { cause == .resourceExhaustion }

    package init(_ line: ByteText, _ cause: Cause = .other) {
        self.line = line
        self.cause = cause
    }

    /// A fault by resource exhaustion, or by another cause.
    package init(_ line: ByteText, isResourceExhaustion: Bool, else cause: Cause = .other) {
        self.init(line, isResourceExhaustion ? .resourceExhaustion : cause)
    }
}

/// A started worker: packets in and out, and a way to end it.
package protocol WorkerConnection: AnyObject {
    func send(_ frame: borrowing Frame) throws(Fault)
    /// Receives one frame; nil when none came within the time.
    func receive(within milliseconds: Int64) throws(Fault) -> Frame?
    func kill()
}

/// A connection to `cognito-agent`, which lasts for one request.
package protocol AgentConnection: AnyObject {
    /// Sends one frame; whether it was taken.
    func send(_ frame: borrowing Frame) -> Bool
    /// Receives one frame; nil when none came within the time, or the agent is gone.
    func receive(within milliseconds: Int64) -> Frame?
}

/// Proof that only root can stop this process. Only such a process may wait, for a worker or for anything else, while
/// it has a lock.
package struct RootsProcess {
    /// Nil in a program that another user has started.
    package init?(_ machine: some Processes) {
        guard !machine.isStoppable else {
            return nil
        }
    }
}

/// The clocks, and random numbers.
package protocol MachineClock {
    /// The clock for limits, and the one on the wall (seconds since the epoch).
    var now: Instant { get }
    var time: Int64 { get }
    /// A number from 0 up to, not including, `bound`; it spreads what would happen at the same time.
    func random(below bound: Int64) -> Int64
    func pause(milliseconds: Int64)
}

/// The processes of this machine, this one among them.
package protocol Processes {
    /// The real user id: the caller's, in a set-uid host.
    var realUserID: UInt32 { get }
    /// When the leader of this process's session (setsid(2)) began, in milliseconds since the epoch; nil if that is not
    /// known.
    var sessionBegan: Int64? { get }
    /// When this process began, in milliseconds since the epoch; nil if that is not known.
    var processBegan: Int64? { get }
    var effectiveUserID: UInt32 { get }
    /// Whether another user than root has started this program. That user can stop it at any moment, by SIGSTOP, at its
    /// terminal, or in a control group, and with it all processes that wait for a lock that it has.
    var isStoppable: Bool { get }
    /// The user id of the process that connected to the socket that is this process's standard input, for a set-uid
    /// program that of its caller; nil if it is no such socket.
    var inputPeer: UInt32? { get }
    var process: ProcessIdentity { get }
    var parentProcess: Int32 { get }
    /// The arguments that this process was started with, its name first; none if they are not known.
    var arguments: [[UInt8]] { get }
    /// The parent, if it runs the same program as this process, or if that is not known.
    var parentOfSameProgram: ProcessIdentity? { get }
    /// "/" as this process sees it.
    var rootDirectory: RootDirectory { get }
    var pidNamespace: PIDNamespace { get }
    /// Whether that process of this machine is alive.
    func life(of process: ProcessIdentity) -> Life
    /// Whether a process that another pid namespace of this kernel knows as `process` is alive.
    func life(of process: ProcessIdentity, from namespace: PIDNamespace) -> Life
}

/// An account that this machine has from pam-cognito alone.
package struct OwnAccount: Equatable {
    /// The state in root's record; forgotten if there is no record. Nil if this process may not read it.
    package let state: AccountRecord.State?
    /// The Cognito user; nil if there is no record, or if this process may not read it.
    package let person: AccountRecord.Owner?
    /// The Unix groups in the record.
    package let groups: [[UInt8]]
    /// A file that belongs to the account by its name, and to another user id.
    package let foreignFile: [UInt8]?

    /// When the record was last written, in milliseconds since the epoch; nil as for `person`.
    package let changed: Int64?
    /// The record; nil as for `person`.
    package let record: AccountRecord?
    /// Why the account is not used: another source of names knows it, too. Nil if none does.
    package let contest: ByteText?

    package init(
        _ state: AccountRecord.State?, person: AccountRecord.Owner? = nil, groups: [[UInt8]] = [],
        foreignFile: [UInt8]? = nil, changed: Int64? = nil, record: AccountRecord? = nil,
        contest: ByteText? = nil
    ) {
        self.contest = contest
        self.record = record
        self.groups = groups
        self.changed = changed
        self.state = state
        self.person = person
        self.foreignFile = foreignFile
    }
}

/// The configuration, as a login finds it.
package enum LoginConfiguration {
    case right(Settings)
    /// There is a mistake in it, or it cannot be read: why, and what could be read.
    case wrong(Fault, CoverageSettings)

    package var coverage: CoverageSettings {
        switch self {
        case .right(let settings): settings.coverage
        case .wrong(_, let coverage): coverage
        }
    }

    package var fault: Fault? {
        switch self {
        case .right: nil
        case .wrong(let fault, _): fault
        }
    }
}

extension MachineSettings {
    /// The settings; throws if there is a mistake in the configuration.
    package func settings(at path: [UInt8], arguments: [[UInt8]]) throws(Fault) -> Settings {
        switch configuration(at: path, arguments: arguments) {
        case .right(let settings): return settings
        case .wrong(let fault, _): throw fault
        }
    }
}

/// What the machine's administrator has set, and its accounts.
package protocol MachineSettings {
    /// Whether `/run/pam-cognito/disabled` exists.
    var isDisabled: Bool { get }
    /// The language of the machine (locale.conf(5)); nil if none is set.
    var language: Language? { get }

    func configuration(at path: [UInt8], arguments: [[UInt8]]) -> LoginConfiguration
    /// Reads the app client's secret; nil if it has none.
    func clientSecret(_ settings: Settings) throws(Fault) -> Secret?
    /// Reads the pool's key set, if the administrator keeps it in a file.
    func keySetFile(_ settings: Settings) throws(Fault) -> KeySetFile?
    /// Reads the keys of this machine's IAM identity, if they are in a file.
    func iamCredentials(_ settings: Settings) throws(Fault) -> Secret?
    /// The account of exactly that name; nil when there is none.
    func account(named name: [UInt8]) throws(Fault) -> Account?
    /// What is known of an account that pam-cognito has made (`accounts`); nil for all others. If the value of
    /// `accounts` is not known, only an account with a record is one.
    func ownAccount(
        _ name: [UInt8], _ account: Account, _ configuration: LoginConfiguration
    ) throws(Fault) -> OwnAccount?
    /// What other sources of names say of each of these; for root.
    func otherSources(about people: [SourceQuestion]) -> [SourceAnswer]
    /// Enters the account of a user who signs in for the first time; it gets the user id that it had before, if it had
    /// one.
    func enterNewcomer(_ record: AccountRecord, _ settings: Settings) throws(Fault) -> AccountRecord
    /// Enters the Unix groups of an account that pam-cognito has made.
    func enterGroups(_ groups: [[UInt8]], of name: [UInt8]) throws(Fault)
    /// Enters that the user was notified of changed ssh keys. Failing to is no fault: the user is notified again.
    func noteKeysTold(_ name: [UInt8])
    /// Whether the account is in that group; nil when there is no such group.
    func isMember(_ name: [UInt8], _ account: Account, of group: [UInt8]) throws(Fault) -> Bool?
}

/// The other programs of pam-cognito.
package protocol ProgramStarter {
    associatedtype Worker: WorkerConnection
    associatedtype Agent: AgentConnection

    /// The user id whose limits apply; ids without an account share one, `nobodysUserID`.
    func charged(_ userID: UInt32) -> UInt32

    func startWorker() throws(Fault) -> Worker
    /// Starts a worker for prompts to a user with the id `caller`; nil if that user, or all together, have too many of
    /// them. Root may have any number.
    func startWorker(for caller: UInt32) throws(Fault) -> Worker?
    /// Kills all workers, when the machine stops.
    func endWorkers()
    /// Connects to this machine's agent; nil if no process of root's listens there.
    func connectToAgent() -> Agent?
    /// Tells this machine's agent of a sign-in whose session has not begun, so that its tokens are revoked soon if none
    /// follows. Does not wait, and failing to is no fault: a cleanup run finds the sign-in.
    func watch(_ key: RootKey)
    /// Starts a cleanup run in the background, unless there has just been one. Failing to is no fault.
    func startReaper()
    /// Has an agent end the session of `key`, which is closing, in the background; whether one does.
    func startEnding(_ key: RootKey) -> Bool
    /// Runs the sign-out hooks for a session whose tokens have ended, in the background. Failing to is no fault.
    func runHooks(_ notice: SignOutNotice)
}

/// Files for later sign-ins. No token is in them.
package protocol SignInStore {
    func keySet(ofPool userPoolID: [UInt8]) -> [UInt8]?
    /// Keeps a pool's key set. Failing to is no fault.
    func keepKeySet(_ keySet: [UInt8], ofPool userPoolID: [UInt8])

    /// This machine as the remembered device of a user; nil when there is none.
    func device(named name: [UInt8]) throws(Fault) -> Secret?
    /// Keeps this machine as a user's remembered device, in place of what was there; whether it could be sealed.
    func keepDevice(_ device: borrowing Secret, named name: [UInt8]) throws(Fault) -> Bool
    func forgetDevice(named name: [UInt8])
}

/// The journal of open sessions, on disk.
package protocol JournalFiles {
    /// The boot id (random(4)), 32 hexadecimal digits; nil when it cannot be read. In a container, a service with a
    /// /proc of its own may see another one.
    var bootID: [UInt8]? { get }
    /// Removes unfinished files of the journal and of remembered devices, which a crash has left.
    func removeUnfinishedFiles()
    /// A number that changes when a file is added to the journal or removed; nil if there is no journal, or if that is
    /// not known.
    var journalStamp: Int64? { get }
    func journalNames() throws(ErrorNumber) -> [[UInt8]]
    func journalRecord(named name: [UInt8]) throws(FileFault) -> [UInt8]
    /// Writes a whole file of the journal to the disk.
    func keepJournalRecord(_ record: [UInt8], named name: [UInt8]) throws(ErrorNumber)
    /// Removes a file of the journal; whether it is gone.
    @discardableResult
    func dropJournalRecord(named name: [UInt8]) -> Bool
}

/// The registry of sessions, a keyring of root's.
package protocol SessionRegistry {
    /// Enters a session of `user`.
    func register(
        _ payload: borrowing Secret, of user: [UInt8], expiringIn seconds: Int64
    ) throws(ErrorNumber) -> RootKey
    /// Replaces a session's entry in place.
    func replace(_ key: RootKey, with payload: borrowing Secret, expiringIn seconds: Int64) throws(ErrorNumber)
    /// A session's entry, if `key` is exactly what this software made.
    func read(_ key: RootKey) throws(ErrorNumber) -> Secret
    /// Removes a session's entry permanently.
    func remove(_ key: RootKey)
    /// The serial numbers of all keys in the registry. Not all of them are sessions.
    func serials() throws(ErrorNumber) -> [KeySerial]
    /// The serial numbers of keys that may be sessions of `user`. They are found without going through the registry.
    func serials(of user: [UInt8]) throws(ErrorNumber) -> [KeySerial]
    /// Adds entries of other versions to the index of users, and removes users without an entry from it.
    ///
    /// - Parameter entries: All that there is, and whose it is.
    func index(_ entries: [(key: RootKey, user: [UInt8])]) throws(ErrorNumber)
    /// The session of that number; nil when it is none.
    func entry(at serial: KeySerial) -> RootKey?
    /// The session of that number, with its payload in `payload`, so that reading many takes one buffer; nil also if it
    /// cannot be read.
    func entry(at serial: KeySerial, reading payload: inout Secret) -> RootKey?
    /// Locks something of the registry; nil when another process has it.
    func lock(_ part: RegistryLock, within milliseconds: Int32) -> EntryLock?
    /// The same for an end that has waited as long as it must (`holderPatience`): a PAM application that has the lock
    /// is ended.
    ///
    /// - Parameter sparing: Whether a process of root's own, which no user can stop, is left alone.
    func lockEndingHolder(_ part: RegistryLock, sparingRoot sparing: Bool) -> EntryLock?
    /// Whether a process has an entry locked.
    func isLocked(_ key: RootKey) -> Bool
    /// The PAM application that has a part locked, as fields of a line in the log; nil when there is none.
    func holderFields(_ part: RegistryLock) -> ByteText?
    /// Removes files of programs that were killed while they had a lock.
    func removeLeftTurns()
}

/// The attempts to sign in that count, a keyring of root's.
package protocol AttemptRegistry {
    /// The attempts of those subjects. Some may have ended.
    func attempts(where isWanted: (AttemptSubject) -> Bool) throws(ErrorNumber) -> [Attempt]
    /// Notes something of an attempt to sign in that this process makes, for so many seconds.
    func noteAttempt(
        _ kind: AttemptKind, _ subject: AttemptSubject, lasting seconds: Int64
    ) throws(ErrorNumber) -> RootKey
    func forgetAttempt(_ key: RootKey)
    /// The sign-ins that were begun at Cognito before the user has answered; by where the user came from.
    func unansweredSRPStarts() throws(ErrorNumber) -> [Attempt]
}

/// The session keyring, and the tokens in it.
package protocol TokenKeyring {
    /// The session keyring of this process; looking at it installs a default one where there is none.
    var sessionKeyring: KeySerial? { get }
    /// Leaves that session keyring for a new one, if this process is root's and still in it.
    func leaveSessionKeyring(_ keyring: KeySerial)
    /// Puts tokens into the session keyring, and a secret beside them: it proves to the agent that a program is in the
    /// session.
    func deliver(
        _ bundle: borrowing Secret,
        description: [UInt8],
        to account: Account,
        entry: RootKey,
        expiringIn seconds: Int64
    ) throws(ErrorNumber) -> KeySerial
    /// The token key of that description, as `deliver` made it, directly in the session keyring that this process
    /// inherited.
    func inheritedTokenKey(described description: [UInt8]) -> KeySerial?
    /// Whether that token key exists, as `deliver` made it.
    func isDelivered(_ key: KeySerial, description: [UInt8]) -> Bool
    /// Replaces the tokens of a session in place.
    func update(
        _ key: KeySerial,
        description: [UInt8],
        with bundle: borrowing Secret,
        entry: RootKey,
        expiringIn seconds: Int64
    ) throws(ErrorNumber)
    /// Joins a new session keyring of `account` if the inherited one belongs to another user.
    func isolate(_ account: Account) throws(ErrorNumber) -> Bool
    /// Links a token key and that of its secret into the user keyring of `account`, in place of others of that
    /// description.
    func share(_ key: KeySerial, provedBy secret: KeySerial?, with account: Account) throws(ErrorNumber)
    /// Links the token key and that of its secret into the session keyring again if that was replaced; whether it was.
    func restore(_ key: KeySerial, of entry: RootKey, description: [UInt8]) throws(ErrorNumber) -> Bool
    /// The key with the secret of a session whose token key has that description, or of its jobs with tokens that stay
    /// readable. Nil if version 0.1.0 has opened the session, or its user has destroyed the key.
    func secretKey(of entry: RootKey, ofJobs isOfJobs: Bool, beside description: [UInt8]) -> KeySerial?
    func sessionSecret(in key: KeySerial, beside description: [UInt8]) throws(ErrorNumber) -> Secret
    /// Lets the session read its token key, or stops that.
    func setReadable(_ key: KeySerial, description: [UInt8], _ isReadable: Bool) throws(ErrorNumber)
    /// The payload of a session's token key, whether the session may read it or not.
    func tokens(in key: KeySerial, description: [UInt8]) throws(ErrorNumber) -> Secret
    /// The copy of a session's token key that stays readable while that is locked; made if there is none. It ends with
    /// the session.
    func keepReadable(
        _ key: KeySerial, description: [UInt8], entry: RootKey, expiringIn seconds: Int64
    ) throws(ErrorNumber) -> KeySerial
    func destroy(_ key: KeySerial)
}

/// The keys of a session with credentials for other systems.
package protocol CredentialKeyring {
    func credentials(of entry: RootKey) -> [CredentialKey]
    /// Puts credentials into the session that asked for them.
    func deliver(
        _ credential: borrowing Secret, labelled label: CredentialLabel, entry: RootKey, expiringIn seconds: Int64
    ) throws(ErrorNumber) -> KeySerial
    func note(_ note: CredentialNote, about name: [UInt8], of entry: RootKey) -> [UInt8]?
    /// Notes something about credentials, for so many seconds. Failing to is no fault.
    func keep(_ note: CredentialNote, _ text: [UInt8], about name: [UInt8], of entry: RootKey, lasting seconds: Int64)
    /// Destroys the session's secret, its credentials and their notes.
    func destroyHeld(of entry: RootKey)
}

extension Machine {
    /// Destroys a session's token key, its secret and its credentials.
    package func destroyTokens(_ tokenKey: Int32, of entry: RootKey) {
        if tokenKey > 0 {
            destroy(KeySerial(tokenKey))
        }
        destroyHeld(of: entry)
    }
}

/// What the life of sessions needs of the machine, other than PAM.
package protocol Machine: AttemptRegistry, CredentialKeyring, JournalFiles, MachineClock, MachineSettings, Processes,
    ProgramStarter,
    SessionRegistry, SignInStore, TokenKeyring
{}

extension SessionRegistry {
    /// All sessions of this kernel. Not for PAM applications, in which a failed allocation ends a login: see
    /// `forEachEntry`.
    package func entries() throws(ErrorNumber) -> [RootKey] {
        var found: [RootKey] = []
        for serial in try serials() {
            if let key = entry(at: serial) {
                found.append(key)
            }
        }
        return found
    }

    /// The entries that may be of a user.
    package func entries(of user: [UInt8]) throws(ErrorNumber) -> [RootKey] {
        try serials(of: user).compactMap { serial in entry(at: serial) }
    }

    /// The first wanted session of a user. One is read at a time: a PAM application needs no more memory for more
    /// sessions.
    package func firstEntry(
        of user: [UInt8], where isWanted: (RootKey, borrowing RegistryEntry) -> Bool
    ) throws(ErrorNumber) -> RootKey? {
        for serial in try serials(of: user) {
            if let key = entry(at: serial), let entry = readEntry(key), entry.user == user, isWanted(key, entry) {
                return key
            }
        }
        return nil
    }

    /// Whether a user has a wanted session; nil if none was found, and not all entries that may be of the user could be
    /// read.
    func hasEntry(of user: [UInt8], where isWanted: (RootKey, borrowing RegistryEntry) -> Bool) -> Bool? {
        guard let serials = try? serials(of: user) else {
            return nil
        }
        var areAllKnown = true
        for serial in serials {
            guard let key = entry(at: serial) else {
                continue
            }
            switch lookAtEntry(key, { entry in entry.user == user && isWanted(key, entry) }) {
            case .had(true): return true
            case .had(false), .gone, .damaged: break
            case .busy, .otherVersion, .unreadable: areAllKnown = false
            }
        }
        return areAllKnown ? false : nil
    }

    /// Shows each session of a user, as `firstEntry` does.
    package func forEachEntry(
        of user: [UInt8], _ body: (RootKey, borrowing RegistryEntry) -> Void
    ) throws(ErrorNumber) {
        _ = try firstEntry(of: user) { key, entry in
            body(key, entry)
            return false
        }
    }
}
