internal import Accounts
internal import Base
internal import Configuration
internal import LinuxHost
internal import LoginHooks
internal import Messages
internal import Sessions
internal import Tokens

/// The configuration file, read as a login reads it, and every mistake in it rather than the first one only.
struct ConfigurationExamination: Sendable {
    /// What is set; nil while there is a mistake, since a login then sets nothing either.
    let settings: Settings?
    /// Which accounts are managed, as far as that can be read.
    let coverage: CoverageSettings
    /// What was found.
    let findings: [Finding]

    /// Examines what was read of the file at `path`.
    init(_ path: String, _ content: Result<[UInt8], FileFault>) {
        switch content {
        case .failure(let fault):
            settings = nil
            coverage = CoverageSettings(withoutFile: [])
            findings = [Self.finding(of: fault, at: path)]
        case .success(let text):
            let reading = ConfigurationReading(parsing: text)
            settings = try? reading.settings.get()
            coverage = reading.coverage
            // What is missing may be missing only because of a line with a mistake.
            let mistakes = reading.mistakes.filter { mistake in mistake.line != nil }
            findings = (mistakes.isEmpty ? Array(reading.mistakes.prefix(1)) : mistakes).map { mistake in
                let text = String(decoding: mistake.finding.bytes, as: UTF8.self)
                let words = (
                    what: "\(path)\(mistake.line.map { number in ", line \(number)" } ?? ""): "
                        + "\(text)\(text.hasSuffix("?") ? "" : ".")", why: DoctorWording.configurationWhy
                )
                return Finding(
                    .broken, words.what, why: words.why, mend: DoctorWording.edit(path, line: mistake.line))
            }
        }
    }

    /// What a mistake makes of an account's sign-ins: by the same rule as at a login.
    func effect(on name: String, _ machine: LinuxMachine = LinuxMachine()) -> MistakeEffect {
        guard settings == nil else {
            return .none
        }
        let name = Array(name.utf8)
        guard let account = (try? machine.account(named: name)) ?? nil else {
            // cognito-accounts answers for no account while there is a mistake.
            let record = (try? AccountStore().record(named: name)) ?? nil
            return record.map { record in record.state != .forgotten } ?? false ? .refused : .none
        }
        let configuration = LoginConfiguration.wrong(Fault("there is a mistake"), coverage)
        let found = try? Coverage.of(name, account: account, configuration: configuration, on: machine)
        return MistakeEffect(found, account, coverage)
    }

    /// Whom of `names` a mistake refuses, and whom it lets in without Cognito.
    func effects(on names: @autoclosure () -> [String]) -> [Finding] {
        guard settings == nil else {
            return []
        }
        let machine = LinuxMachine()
        return Self.findings(of: names().map { name in (name, effect(on: name, machine)) })
    }

    /// What is told of such accounts, all of a kind in one.
    static func findings(of effects: [(name: String, effect: MistakeEffect)]) -> [Finding] {
        let kinds: [(MistakeEffect, ([String]) -> String, String)] = [
            (
                .refused, DoctorWording.refusedAccounts,
                "They are managed accounts, or accounts without a local password that may be managed. "
                    + "Administrators among them are refused, too."
            ),
            (
                .localPassword(isManaged: true), DoctorWording.openedAccounts,
                "They are managed accounts, and local_password = unavailable: Cognito is not asked about them."
            ),
            (
                .localPassword(isManaged: false), DoctorWording.perhapsOpenedAccounts,
                "The lines that say which accounts are managed cannot be read, or have a mistake."
            ),
        ]
        return kinds.compactMap { kind, what, why in
            let names = effects.filter { entry in entry.effect == kind }.map(\.name)
            return names.isEmpty ? nil : Finding(.broken, what(names), why: why)
        }
    }

    private static func finding(of fault: FileFault, at path: String) -> Finding {
        let words = DoctorWording.fileFault(path, fault.words)
        let mend =
            fault == .missing
            ? "install -m 0644 \(shellWord("\(installedPrefix)/share/doc/pam-cognito/pam_cognito.conf")) "
                + "\(shellWord(path)) && editor \(shellWord(path))"
            : fault.mend(path, mode: "0644")
        return Finding(.broken, words, why: DoctorWording.configurationWhy, mend: mend)
    }

    /// What is wrong with the file that `config=` names in a line of ours; nil when nothing is.
    static func fileFault(_ path: String) -> Finding? {
        path.hasPrefix("/")
            ? ConfigurationExamination(path, trustedContent(path, secret: false)).findings.first
            : Finding(
                .broken, "'\(path)' is no absolute path, such as /etc/security/pam_cognito.conf.",
                why: DoctorWording.configurationWhy)
    }

    /// What a login finds wrong with the arguments of a line of ours in a PAM stack; nil when nothing is.
    static func argumentFault(_ arguments: [String]) -> String? {
        let options = arguments.filter { text in
            !text.hasPrefix("config=") && !flagArguments.contains { flag in flag.equals(text.utf8) }
        }
        do throws(ConfigurationError) {
            _ = try Settings(
                parsing: Array("user_pool_id = a-b-1_c\nclient_id = c\nusers = u\nallowed_groups = *\n".utf8),
                arguments: options.map { text in Array(text.utf8) })
            return nil
        } catch {
            return String(decoding: error.finding.bytes, as: UTF8.self)
        }
    }
}

/// What a mistake in the configuration makes of the sign-ins of an account.
enum MistakeEffect: Equatable, Sendable {
    /// They are as before.
    case none
    case refused
    /// A password of this machine alone opens it, whether Cognito is there or not. If not `isManaged`, what can be read does not say
    /// that it is a managed account, and what cannot be read may.
    case localPassword(isManaged: Bool)

    /// Of an account of which `found` is decided by what can be read of the configuration; nil: nothing can be decided.
    init(_ found: Coverage?, _ account: Account, _ coverage: CoverageSettings) {
        self =
            switch found {
            case .covered?:
                coverage.allowsLocalPasswords && account.hasUsablePassword
                    ? .localPassword(isManaged: true) : .refused
            case .refused?, .doubtful?, nil: .refused
            case .notCovered?, .unknown?:
                !coverage.isComplete && account.uid != 0 && account.hasUsablePassword
                    ? .localPassword(isManaged: false) : .none
            }
    }
}

extension FileFault {
    /// What is wrong, to stand behind the file's name.
    var words: String {
        switch self {
        case .missing: DoctorWording.fileMissing
        case .notRegular: DoctorWording.fileNotRegular
        case .wrongOwner: DoctorWording.fileWrongOwner
        case .writableByOthers: DoctorWording.fileWritable
        case .readableByOthers: DoctorWording.fileReadable
        case .tooLarge: "is larger than anything that belongs there"
        case .unreadable(let error): DoctorWording.fileUnreadable(error.code)
        case .outOfMemory: "cannot be read, there is no memory"
        }
    }

    /// The command for it.
    func mend(_ path: String, mode: String) -> String {
        switch self {
        case .missing: "install -m \(mode) /dev/null \(shellWord(path)) && editor \(shellWord(path))"
        case .notRegular, .tooLarge: DoctorWording.inspect(path)
        case .wrongOwner, .writableByOthers, .readableByOthers, .unreadable, .outOfMemory:
            DoctorWording.own(path, mode: mode)
        }
    }
}

/// The app client's secret.
func secretFindings(_ path: String, _ fault: FileFault?, isEmpty: Bool) -> [Finding] {
    let words: String
    let mend: String
    if let fault {
        words = DoctorWording.fileFault(path, fault.words)
        mend = fault.mend(path, mode: "0600")
    } else if isEmpty {
        words = DoctorWording.fileFault(path, DoctorWording.fileEmpty)
        mend = DoctorWording.edit(path, line: nil)
    } else {
        return []
    }
    return [
        Finding(
            .broken, words,
            why: "Without the app client's secret Cognito answers no sign-in: none of its accounts gets in.", mend: mend
        )
    ]
}

/// The app client's secret, in the file of that path.
func secretFindings(_ file: [UInt8]) -> [Finding] {
    let path = String(decoding: file, as: UTF8.self)
    switch trustedContent(path, secret: true, limit: 256) {
    case .failure(let fault): return secretFindings(path, fault, isEmpty: false)
    case .success(let text):
        return secretFindings(path, nil, isEmpty: text.allSatisfy { byte in [0x0a, 0x0d, 0x20].contains(byte) })
    }
}

/// The file with the pool's key set, which is at `address` for machines that reach it.
func keySetFindings(_ path: String, _ content: Result<KeySetFile, FileFault>, address: String) -> [Finding] {
    func finding(_ what: String, _ severity: Severity = .broken, mend: String? = nil) -> [Finding] {
        [
            Finding(
                severity, what, why: DoctorWording.keySetWhy,
                mend: mend ?? DoctorWording.fetchKeySet(address, to: path))
        ]
    }
    let file: KeySetFile
    switch content {
    case .failure(.missing): return finding(DoctorWording.fileFault(path, DoctorWording.fileMissing))
    case .failure(let fault):
        return finding(DoctorWording.fileFault(path, fault.words), mend: fault.mend(path, mode: "0644"))
    case .success(let found): file = found
    }
    guard !file.content.isEmpty else {
        return finding(DoctorWording.fileFault(path, DoctorWording.fileEmpty))
    }
    guard let keys = JSONValue(parsing: file.content)?["keys"]?.elements, !keys.isEmpty else {
        return finding("\(path) (key_set_file) holds no key set: it needs JSON with a list \"keys\".")
    }
    guard file.age >= 0 else {
        return finding("\(path) (key_set_file) has a date in the future, so its age is not known.", .warning)
    }
    return file.isOld
        ? finding(
            "\(path) (key_set_file) is \(file.age) days old, and may lack a key that Cognito has begun to use.",
            .warning) : []
}

/// The same of the file of that path, as a sign-in would read it.
func keySetFindings(_ file: [UInt8], address: String) -> [Finding] {
    var written: Int64 = 0
    let content: Result<KeySetFile, FileFault>
    do throws(FileFault) {
        let text = try readTrustedFile(file, secret: false, limit: KeySetFile.largestSize, modified: &written)
        content = .success(
            KeySetFile(text.withBytes { bytes in bytes.copied() }, written: written, now: LinuxMachine().time))
    } catch {
        content = .failure(error)
    }
    return keySetFindings(String(decoding: file, as: UTF8.self), content, address: address)
}
