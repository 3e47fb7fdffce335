package import Accounts
package import Base
package import Configuration
package import Keyring
package import Messages
package import Protocol

/// The user ids of no account, of which anybody may have 65,536 (subuid(5)), where attempts and workers are counted. No process has
/// this one.
package var nobodysUserID: UInt32 { .max }

/// A fault that is not the person's, as the log tells it.
package struct Fault: Error, Equatable {
    package enum Cause: Sendable {
        /// This process had too little of something, which whoever started it can bring about.
        case scarcity
        /// Files of this package are missing, damaged, or of different versions.
        case installation
        /// keyrings(7) cannot be used here.
        case keyrings
        /// The configuration, or a file that it names, has a mistake or cannot be read.
        case configuration
        case other
    }

    /// One line: what happened, what it means, what to do.
    package let line: ByteText
    package let cause: Cause

    /// Whether this process had too little of something, which whoever started it can bring about.
    package var isScarcity: Bool { cause == .scarcity }

    /// A fault by its line.
    package init(_ line: ByteText, _ cause: Cause = .other) {
        self.line = line
        self.cause = cause
    }

    /// The same, of something that this process could have had too little of.
    package init(_ line: ByteText, isScarcity: Bool, else cause: Cause = .other) {
        self.init(line, isScarcity ? .scarcity : cause)
    }
}

/// A started worker: packets in and out, and a way to end it.
package protocol WorkerConnection: AnyObject {
    func send(_ frame: borrowing Frame) throws(Fault)
    /// Receives one frame. nil: none within the time.
    func receive(within milliseconds: Int64) throws(Fault) -> Frame?
    /// Ends the worker at once.
    func kill()
}

/// A connection to `cognito-agent`, which lasts for one request.
package protocol AgentConnection: AnyObject {
    /// Sends one frame; whether it was taken.
    func send(_ frame: borrowing Frame) -> Bool
    /// Receives one frame; nil when none came within the time, or the agent is gone.
    func receive(within milliseconds: Int64) -> Frame?
}

/// Proof that nobody but root can stop this process. Only such a one may wait, for a worker or for anything else, while it has a lock.
package struct RootsProcess {
    /// nil in a program that somebody else has started.
    package init?(_ machine: some Processes) {
        guard !machine.isStoppable else {
            return nil
        }
    }
}

/// The clock, and chance.
package protocol MachineClock {
    /// The clock for limits, and the one on the wall (seconds since the epoch).
    var now: Instant { get }
    var time: Int64 { get }
    /// A number from 0 up to, not including, `bound`; for spreading what would happen at once.
    func random(below bound: Int64) -> Int64
    func pause(milliseconds: Int64)
}

/// The processes of this machine, this one among them.
package protocol Processes {
    /// The real user id: the caller's, in a set-uid host.
    var realUserID: UInt32 { get }
    /// When this process's session (setsid(2)) began, with its leader, in milliseconds since the epoch; nil where that cannot be told.
    var sessionBegan: Int64? { get }
    /// When this process began; the same.
    var processBegan: Int64? { get }
    var effectiveUserID: UInt32 { get }
    /// Whether somebody else than root has started this program, who can stop it at any moment, by SIGSTOP, at its terminal, or in a
    /// control group, and so everybody who waits for a lock that it has.
    var isStoppable: Bool { get }
    /// The user id of whoever connected to the socket that is this process's standard input, for a set-uid program that of its caller;
    /// nil where that is no such socket.
    var inputPeer: UInt32? { get }
    /// This process, its parent's process id, its pid namespace.
    var process: ProcessIdentity { get }
    var parentProcess: Int32 { get }
    /// The arguments that this process was started with, its name first; none where that cannot be told.
    var arguments: [[UInt8]] { get }
    /// The parent, if it runs the same program as this process, or if that cannot be told.
    var parentOfSameProgram: ProcessIdentity? { get }
    /// What this process takes for "/".
    var rootDirectory: RootDirectory { get }
    var pidNamespace: PIDNamespace { get }
    /// Whether that process of this machine is still there.
    func life(of process: ProcessIdentity) -> Life
    /// Whether a process that another pid namespace of this kernel knows as `process` is still there.
    func life(of process: ProcessIdentity, from namespace: PIDNamespace) -> Life
}

/// An account of which this machine knows by us alone.
package struct OwnAccount: Equatable {
    /// What root's record says of it; forgotten: there is none. nil: whoever asks must not know.
    package let state: AccountRecord.State?
    /// Who it is at Cognito; nil where there is no record, or whoever asks must not know.
    package let person: AccountRecord.Owner?
    /// The Unix groups that its record has.
    package let groups: [[UInt8]]
    /// Something that belongs to the account by its name, and to another user id.
    package let foreignFile: [UInt8]?

    /// When root's record was written last, in milliseconds since the epoch; nil: there is none, or whoever asks must not know.
    package let changed: Int64?
    /// root's record itself; nil as above.
    package let record: AccountRecord?
    /// Why it is nobody's: another source of names knows it, too. Nil: none does.
    package let contest: ByteText?

    /// An account by what is known of it.
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
    /// There is a mistake in it, or it cannot be read: why, and what is known of it all the same.
    case wrong(Fault, CoverageSettings)

    /// Which accounts are managed.
    package var coverage: CoverageSettings {
        switch self {
        case .right(let settings): settings.coverage
        case .wrong(_, let coverage): coverage
        }
    }

    /// What is wrong with it; nil: nothing.
    package var fault: Fault? {
        switch self {
        case .right: nil
        case .wrong(let fault, _): fault
        }
    }
}

extension MachineSettings {
    /// The configuration, without which nothing is done.
    package func settings(at path: [UInt8], arguments: [[UInt8]]) throws(Fault) -> Settings {
        switch configuration(at: path, arguments: arguments) {
        case .right(let settings): return settings
        case .wrong(let fault, _): throw fault
        }
    }
}

/// What the machine's administrator has set, and whose accounts there are.
package protocol MachineSettings {
    /// Whether `/run/pam-cognito/disabled` is there.
    var isDisabled: Bool { get }
    /// The language of the machine as a whole (locale.conf(5)); nil where that is not said.
    var language: Language? { get }

    func configuration(at path: [UInt8], arguments: [[UInt8]]) -> LoginConfiguration
    /// Reads the app client's secret, where there is one.
    func clientSecret(_ settings: Settings) throws(Fault) -> Secret?
    /// Reads the pool's key set, where the administrator keeps it.
    func keySetFile(_ settings: Settings) throws(Fault) -> KeySetFile?
    /// Reads the keys of this machine's IAM identity, where it has one.
    func iamCredentials(_ settings: Settings) throws(Fault) -> Secret?
    /// The account of exactly that name; nil when there is none.
    func account(named name: [UInt8]) throws(Fault) -> Account?
    /// What is known of an account that is none of this machine's own (`accounts`); nil: it is one, or another service's. Where it is not
    /// known what `accounts` is, a record alone makes an account one of these.
    func ownAccount(
        _ name: [UInt8], _ account: Account, _ configuration: LoginConfiguration
    ) throws(Fault) -> OwnAccount?
    /// What other sources of names say of each of these; for root.
    func otherSources(about people: [SourceQuestion]) -> [SourceAnswer]
    /// Enters the account of somebody who comes in for the first time, as it is then: with the user id that was theirs before, if they had
    /// one.
    func enterNewcomer(_ record: AccountRecord, _ settings: Settings) throws(Fault) -> AccountRecord
    /// Enters the Unix groups that somebody who has an account of the pool's is in.
    func enterGroups(_ groups: [[UInt8]], of name: [UInt8]) throws(Fault)
    /// Enters that somebody was told now that other ssh keys open their account. Failing to is no fault: they are told again.
    func noteKeysTold(_ name: [UInt8])
    /// Whether the account is in that group; nil when there is no such group.
    func isMember(_ name: [UInt8], _ account: Account, of group: [UInt8]) throws(Fault) -> Bool?
}

/// Programs of ours that are started, or asked.
package protocol ProgramStarter {
    associatedtype Worker: WorkerConnection
    associatedtype Agent: AgentConnection

    /// Whom it is charged to what a user id does: those that no account has are one, `nobodysUserID`.
    func charged(_ userID: UInt32) -> UInt32

    func startWorker() throws(Fault) -> Worker
    /// Starts a worker for a conversation with somebody whose user id is `caller`; nil: they have too many of them, or all callers
    /// together. Root may have any number.
    func startWorker(for caller: UInt32) throws(Fault) -> Worker?
    /// Kills all workers: for when the machine stops, and nobody waits for what they cannot get done.
    func endWorkers()
    /// Connects to this machine's agent; nil when nobody listens there, or somebody else than root does.
    func connectToAgent() -> Agent?
    /// Tells this machine's agent of a sign-in whose session has not begun, so that its tokens are revoked soon where none follows.
    /// Waits for nothing, and failing to is no fault: then it is left to the reaper.
    func watch(_ key: RootKey)
    /// Starts a round of the reaper that nobody waits for, unless there has been one just now. Failing to is no fault.
    func startReaper()
    /// Has the session of `key`, which is closing, ended by an agent that nobody waits for; whether one is at it.
    func startEnding(_ key: RootKey) -> Bool
    /// Has the hooks run for a session whose tokens have ended, where there are any. Nobody waits for them, and failing to is no
    /// fault.
    func runHooks(_ notice: SignOutNotice)
}

/// What is kept in files for later sign-ins. No token is in it.
package protocol SignInStore {
    /// The pool's key set from an earlier sign-in.
    func keySet(ofPool userPoolID: [UInt8]) -> [UInt8]?
    /// Keeps a pool's key set for later sign-ins. Failing to is no fault.
    func keepKeySet(_ keySet: [UInt8], ofPool userPoolID: [UInt8])

    /// What is kept of this host as a person's remembered device; nil when there is nothing. A fault is one of what is kept.
    func device(named name: [UInt8]) throws(Fault) -> Secret?
    /// Keeps this machine as a user's remembered device, in place of what was there; whether it could be sealed.
    func keepDevice(_ device: borrowing Secret, named name: [UInt8]) throws(Fault) -> Bool
    func forgetDevice(named name: [UInt8])
}

/// The journal of open sessions, on disk.
package protocol JournalFiles {
    /// Which start of the machine this is, 32 hexadecimal digits; nil when that cannot be read. In a container it may be
    /// another one for a service with a /proc of its own.
    var bootID: [UInt8]? { get }
    /// Removes what a crash left of files that were not whole yet, of the journal and of remembered devices.
    func removeUnfinishedFiles()
    /// When a file last came into the journal or went: another number each time; nil: there is none, or that cannot be told.
    var journalStamp: Int64? { get }
    /// The names of the journal's files.
    func journalNames() throws(ErrorNumber) -> [[UInt8]]
    /// A file of the journal.
    func journalRecord(named name: [UInt8]) throws(FileFault) -> [UInt8]
    /// Writes a file of the journal, whole, to the disk.
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
    /// Removes a session's entry for good.
    func remove(_ key: RootKey)
    /// The serial numbers of all that is in the registry. Not all of it is sessions.
    func serials() throws(ErrorNumber) -> [KeySerial]
    /// The serial numbers of what may be about sessions of `user`. That is found without going through the registry.
    func serials(of user: [UInt8]) throws(ErrorNumber) -> [KeySerial]
    /// Adds entries of other versions to the index of users, and removes users without an entry from it.
    ///
    /// - Parameter entries: All that there is, and whose it is.
    func index(_ entries: [(key: RootKey, user: [UInt8])]) throws(ErrorNumber)
    /// The session of that number; nil when it is none.
    func entry(at serial: KeySerial) -> RootKey?
    /// The same with its payload, in place of what `payload` holds, for whoever reads many; nil also where that cannot be read.
    func entry(at serial: KeySerial, reading payload: inout Secret) -> RootKey?
    /// Locks something of the registry; nil when another process has it.
    func lock(_ part: RegistryLock, within milliseconds: Int32) -> EntryLock?
    /// The same for an end that has waited as long as it must (`holderPatience`): a PAM application that has the lock is ended.
    ///
    /// - Parameter sparing: Whether a process of root's own, which no user can stop, is left alone.
    func lockEndingHolder(_ part: RegistryLock, sparingRoot sparing: Bool) -> EntryLock?
    /// Whether a process has an entry locked.
    func isLocked(_ key: RootKey) -> Bool
    /// The PAM application that has a part locked, as fields of a line in the log; nil when there is none.
    func holderFields(_ part: RegistryLock) -> ByteText?
    /// Removes what programs leave that are killed while they have a lock.
    func removeLeftTurns()
}

/// The attempts to sign in that count, a keyring of root's.
package protocol AttemptRegistry {
    /// What is noted of those subjects' attempts. Those that have ended may still be among them.
    func attempts(where isWanted: (AttemptSubject) -> Bool) throws(ErrorNumber) -> [Attempt]
    /// Notes something of an attempt to sign in that this process makes, for so many seconds.
    func noteAttempt(
        _ kind: AttemptKind, _ subject: AttemptSubject, lasting seconds: Int64
    ) throws(ErrorNumber) -> RootKey
    func forgetAttempt(_ key: RootKey)
    /// The sign-ins that were begun at Cognito before the user has answered; by where the user came from.
    func begins() throws(ErrorNumber) -> [Attempt]
}

/// The session keyring, and the tokens in it.
package protocol TokenKeyring {
    /// The session keyring of this process; looking at it installs a default one where there is none.
    var sessionKeyring: KeySerial? { get }
    /// Leaves that session keyring for a new one, if this process is root's and still in it.
    func leaveSessionKeyring(_ keyring: KeySerial)
    /// Puts tokens into the session keyring, and a secret beside them by which its programs prove that they are in the session.
    func deliver(
        _ bundle: borrowing Secret,
        description: [UInt8],
        to account: Account,
        entry: RootKey,
        expiringIn seconds: Int64
    ) throws(ErrorNumber) -> KeySerial
    /// The token key of that description, as `deliver` made it, directly in the session keyring that this process inherited.
    func inheritedTokenKey(described description: [UInt8]) -> KeySerial?
    /// Whether that token key is still there, and is what `deliver` made.
    func isDelivered(_ key: KeySerial, description: [UInt8]) -> Bool
    /// Replaces the tokens that a session has, in place.
    func update(
        _ key: KeySerial,
        description: [UInt8],
        with bundle: borrowing Secret,
        entry: RootKey,
        expiringIn seconds: Int64
    ) throws(ErrorNumber)
    /// Joins a session keyring of `account`'s own if the inherited one is somebody else's.
    func isolate(_ account: Account) throws(ErrorNumber) -> Bool
    /// Links a token key and that of its secret into the user keyring of `account`, in place of others of that description.
    func share(_ key: KeySerial, provedBy secret: KeySerial?, with account: Account) throws(ErrorNumber)
    /// Links the token key and that of its secret into the session keyring again if that was replaced; whether it was.
    func restore(_ key: KeySerial, of entry: RootKey, description: [UInt8]) throws(ErrorNumber) -> Bool
    /// The key with the secret of a session whose token key has that description, or of its jobs with tokens that stay readable. Nil where
    /// there is none: version 0.1.0 has opened the session, or its user has destroyed the key.
    func secretKey(of entry: RootKey, ofJobs isOfJobs: Bool, beside description: [UInt8]) -> KeySerial?
    func sessionSecret(in key: KeySerial, beside description: [UInt8]) throws(ErrorNumber) -> Secret
    /// Lets the session read its token key, or no more.
    func setReadable(_ key: KeySerial, description: [UInt8], _ isReadable: Bool) throws(ErrorNumber)
    /// What a session's token key holds, whether the session may read it or not.
    func tokens(in key: KeySerial, description: [UInt8]) throws(ErrorNumber) -> Secret
    /// The copy of a session's token key that stays readable while that is locked; made where there is none. It ends with the session.
    func keepReadable(
        _ key: KeySerial, description: [UInt8], entry: RootKey, expiringIn seconds: Int64
    ) throws(ErrorNumber) -> KeySerial
    /// Destroys a token key for everybody.
    func destroy(_ key: KeySerial)
}

/// The keys of a session with credentials for other systems.
package protocol CredentialKeyring {
    /// Those that the session has.
    func credentials(of entry: RootKey) -> [CredentialKey]
    /// Puts credentials into the session that asks for them.
    func deliver(
        _ credential: borrowing Secret, labelled label: CredentialLabel, entry: RootKey, expiringIn seconds: Int64
    ) throws(ErrorNumber) -> KeySerial
    /// What was noted about the credentials of that name.
    func note(_ note: CredentialNote, about name: [UInt8], of entry: RootKey) -> [UInt8]?
    /// Notes something about them, for so many seconds. Failing to is no fault.
    func keep(_ note: CredentialNote, _ text: [UInt8], about name: [UInt8], of entry: RootKey, lasting seconds: Int64)
    /// Destroys all of that for everybody, and the session's secret.
    func destroyHeld(of entry: RootKey)
}

extension Machine {
    /// Destroys what a session can read of its tokens, its secret, and what was made of them.
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
    /// All sessions of this kernel. For programs of our own: where a failed allocation ends somebody's login, see `forEachEntry`.
    package func entries() throws(ErrorNumber) -> [RootKey] {
        var found: [RootKey] = []
        for serial in try serials() {
            if let key = entry(at: serial) {
                found.append(key)
            }
        }
        return found
    }

    /// What may be about sessions of a person.
    package func entries(of user: [UInt8]) throws(ErrorNumber) -> [RootKey] {
        try serials(of: user).compactMap { serial in entry(at: serial) }
    }

    /// The first session of a person that is wanted. Each is read when it is its turn, and dropped: a host needs no more memory the more
    /// there are.
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

    /// Whether there is a session of a person that is wanted; nil where none was found, and not all that may be theirs could be read.
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

    /// Shows each session of a person, as `firstEntry` does.
    package func forEachEntry(
        of user: [UInt8], _ body: (RootKey, borrowing RegistryEntry) -> Void
    ) throws(ErrorNumber) {
        _ = try firstEntry(of: user) { key, entry in
            body(key, entry)
            return false
        }
    }
}
