internal import Messages

enum Severity: Int, Comparable, CaseIterable, Sendable {
    /// Worth knowing; nothing is wrong.
    case note
    /// It works now and will not always, or protects less than it could.
    case warning
    /// A user who should sign in cannot, or one who should not can.
    case broken

    static func < (left: Severity, right: Severity) -> Bool { left.rawValue < right.rawValue }

    var name: String { "\(self)" }
    var words: String { name.prefix(1).uppercased() + name.dropFirst() }
}

/// The parts of the report, in its order: causes before what follows from them.
enum Area: String, CaseIterable, Sendable {
    case machine, configuration, files, account, keyrings, agent, stacks, ssh, worker, cognito, accounts, people
}

/// Every check there is. ChecksTests fails for one that no broken set-up makes appear.
enum CheckID: String, CaseIterable, Sendable {
    // Machine.swift and Keyrings.swift
    case blindDatabase, missingNameService, room, nologin, noLog
    case keyringsForbidden, registryUnreadable, fewKeys
    // Configuration.swift and Identity.swift
    case configurationFile, mistake, relativePath, refusedAccounts, openedAccounts, perhapsOpenedAccounts
    case secretFile, keySetFile
    case metricsDirectory
    case identityFile, metadata, noJournal
    // Files.swift
    case switchedOff, file, noRunDirectory
    // Agent.swift
    case unit, agentSilent, agentClosed, polkitWithoutAgent, polkitWithoutNetwork
    // SSH.swift
    case sshSilent, sshRefused, sshNoPAM, sshNoPassword, sshPasswordOnly, sshEmptyPasswords, sshGrace, sshList
    // Worker.swift
    case workerAccount, workerRights, openLayer
    // Cognito.swift and Pool.swift
    case noWorker, cognitoFailed, clockOff, slow
    case noSignIn, signInNotEnabled, noLevels, noRevocation, managedLogin
    // Accounts.swift
    case unaskedForNames, noInitgroups, unreadableConfiguration, accountsDeaf, accountStore
    case unservedAccount, directoryWithoutIdentity, damagedRecord, refusedRecord
    case sourceBehind, silentSource, contestedAccount, sharedUserIDs
    // Users.swift and Closing.swift
    case noGroup, unknownUser, lowUserID, staysLocal, lockedPassword, noManagedAccount, noRepairer
    case noShadow, expired, inactive, oldPassword, noShell, closingShell
    case mappedGroup
    case tooManyFailures, tooManyCodes, lockedByFaillock
    // PAM
    case noJudge, noService, unreadableLine, missingModule, badArgument, usesOtherFile, isTwice
    case admitsStrangers, overridesRefusal, opensUnloaded, locksLocalOut, locksCognitoOut, refusesCredentials
    case ignoresLockout, checksLockoutLate, countsNoFailures, countsOutages, neverForgetsFailures, countsInFiles
    case letsExpiredIn, keepsAgedOut, skipsNologin, acceptsKeys
    case hasNoAuth, hasNoSession, hasNoPassword, cutsShort
    case losesKeyring, hasNoKeyring, changesNoPassword, asksForNewFirst
}

/// One row of the list: something that is wrong, as an administrator reads it.
struct Check: Hashable, Sendable {
    let id: CheckID
    var severity: Severity
    var what: String
    var why: String
    /// A file, a line, before and after, or a command for root's shell; nil where nothing need be done.
    let fix: String?

    init(_ id: CheckID, _ severity: Severity, _ what: String, why: String, fix: String? = nil) {
        self.id = id
        self.severity = severity
        self.what = what
        self.why = why
        self.fix = fix
    }
}

/// Lets a list of checks be written with `if`, `for` and `switch`.
@resultBuilder
enum CheckList {
    static func buildExpression(_ check: Check) -> [Check] { [check] }
    static func buildExpression(_ check: Check?) -> [Check] { [check].compactMap(\.self) }
    static func buildExpression(_ checks: [Check]) -> [Check] { checks }
    static func buildBlock(_ parts: [Check]...) -> [Check] { parts.flatMap(\.self) }
    static func buildOptional(_ checks: [Check]?) -> [Check] { checks ?? [] }
    static func buildEither(first checks: [Check]) -> [Check] { checks }
    static func buildEither(second checks: [Check]) -> [Check] { checks }
    static func buildArray(_ checks: [[Check]]) -> [Check] { checks.flatMap(\.self) }
}

struct AreaReport: Equatable, Sendable {
    var area: Area
    /// One line for when all is well.
    var summary: String
    /// The worst first, and each once.
    var findings: [Check]

    init(_ area: Area, _ summary: String, _ findings: [Check]) {
        self.area = area
        self.summary = summary
        let once = unique(findings)
        self.findings = Severity.allCases.reversed().flatMap { severity in
            once.filter { check in check.severity == severity }
        }
    }

    var worst: Severity? { findings.first?.severity }
}

// MARK: Commands that several checks show

func edit(_ path: String, line: Int? = nil) -> String {
    "editor \(line.map { number in "+\(number) " } ?? "")\(shellWord(path))"
}

/// Gives a file to root.
func own(_ path: String, mode: String) -> String {
    "chown root:root \(shellWord(path)) && chmod \(mode) \(shellWord(path))"
}

func inspect(_ path: String) -> String { "ls -ld \(shellWord(path))" }

let reinstall = "apt install --reinstall ./pam-cognito_*.deb   # use the file that pam-cognito was installed from"

func lookUp(_ database: String, _ name: String) -> String {
    "getent \(database) \(shellWord(name))   # look it up in the sources that /etc/nsswitch.conf lists"
}

/// The filter of a container is changed from outside of it.
func allowCalls(_ calls: String) -> String {
    "docker run --security-opt seccomp=PROFILE ...   # PROFILE must allow \(calls); other "
        + "containers: SECURITY.md, Containers"
}

func unique<Value: Hashable>(_ values: some Sequence<Value>) -> [Value] {
    var seen: Set<Value> = []
    return values.filter { value in seen.insert(value).inserted }
}

/// The values of each key, in the order of the keys.
func grouped<Key: Equatable, Value>(_ pairs: [(Key, Value)]) -> [(Key, [Value])] {
    var groups: [(Key, [Value])] = []
    for (key, value) in pairs {
        if let index = groups.firstIndex(where: { group in group.0 == key }) {
            groups[index].1.append(value)
        } else {
            groups.append((key, [value]))
        }
    }
    return groups
}

func list(_ names: [String], most: Int = 10) -> String {
    let shown = names.prefix(most).joined(separator: ", ")
    return names.count > most ? "\(shown) and \(names.count - most) more" : shown
}
