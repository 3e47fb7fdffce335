internal import Accounts
internal import Base
internal import CLinux
internal import Configuration
internal import Glibc
internal import Messages
internal import Sessions
internal import Tokens

/// The configuration file, read as a login reads it, and every mistake in it rather than the first one only.
struct ConfigurationExamination: Sendable {
    /// What is set; nil while there is a mistake, since a login then sets nothing either.
    let settings: Settings?
    /// Which accounts are managed, as far as that can be read.
    let coverage: CoverageSettings
    let findings: [Check]

    private static let why =
        "Until the configuration is corrected, no user can sign in with Cognito. Root and local accounts are not "
        + "affected."

    init(_ path: String, _ content: Result<[UInt8], FileFault>) {
        switch content {
        case .failure(let fault):
            settings = nil
            coverage = CoverageSettings(withoutFile: [])
            let sample = shellWord("\(installedPrefix)/share/doc/pam-cognito/pam_cognito.conf")
            let fix =
                fault == .missing
                ? "install -m 0644 \(sample) \(shellWord(path)) && \(edit(path))" : fault.fix(path, mode: "0644")
            findings = [Check(.configurationFile, .broken, "\(path) \(fault.words).", why: Self.why, fix: fix)]
        case .success(let text):
            let reading = ConfigurationReading(parsing: text)
            settings = try? reading.settings.get()
            coverage = reading.coverage
            // What is missing may be missing only because of a line with a mistake.
            let mistakes = reading.mistakes.filter { mistake in mistake.line != nil }
            findings = (mistakes.isEmpty ? Array(reading.mistakes.prefix(1)) : mistakes).map { mistake in
                let place = mistake.line.map { number in "\(path), line \(number)" } ?? path
                let text = String(decoding: mistake.finding.bytes, as: UTF8.self)
                return Check(
                    .mistake, .broken, "\(place): \(text)\(text.hasSuffix("?") ? "" : ".")", why: Self.why,
                    fix: edit(path, line: mistake.line))
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

    /// Whom of `names` a mistake refuses, and whom it admits without Cognito.
    func effects(on names: @autoclosure () -> [String]) -> [Check] {
        guard settings == nil else {
            return []
        }
        let machine = LinuxMachine()
        return Self.findings(of: names().map { name in (name, effect(on: name, machine)) })
    }

    @CheckList
    static func findings(of effects: [(name: String, effect: MistakeEffect)]) -> [Check] {
        let names = { (kind: MistakeEffect) in
            list(effects.filter { entry in entry.effect == kind }.map(\.name), most: 20)
        }
        let refused = names(.refused)
        if !refused.isEmpty {
            Check(
                .refusedAccounts, .broken,
                "Because of a mistake in the configuration, sign-ins to these accounts are refused: \(refused).",
                why: "These accounts are managed accounts, or accounts without a local password that are possibly "
                    + "managed. The list may include administrators' accounts.")
        }
        let opened = names(.localPassword(isManaged: true))
        if !opened.isEmpty {
            Check(
                .openedAccounts, .broken,
                "Because of a mistake in the configuration, users of these accounts sign in "
                    + "with only their local password: \(opened).",
                why: "These accounts are managed, and local_password = unavailable is set. Until the "
                    + "mistake is corrected, pam_cognito does not contact Cognito for these accounts.")
        }
        let perhaps = names(.localPassword(isManaged: false))
        if !perhaps.isEmpty {
            Check(
                .perhapsOpenedAccounts, .broken,
                "These accounts accept only their local passwords, although they may be intended as managed accounts: "
                    + "\(perhaps).",
                why: "The settings that select managed accounts contain a mistake or cannot be read.")
        }
    }

    /// What is wrong with the file that `config=` names in a line of ours; nil when nothing is.
    static func fileFault(_ path: String) -> Check? {
        path.hasPrefix("/")
            ? ConfigurationExamination(path, trustedContent(path, secret: false)).findings.first
            : Check(
                .relativePath, .broken, "'\(path)' is not an absolute path, such as /etc/security/pam_cognito.conf.",
                why: why)
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
    /// A local password alone opens it, whether Cognito is there or not. If not `isManaged`, what can be read does not
    /// say that it is a managed account, and what cannot be read may.
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

/// The directory for figures for Prometheus (`metrics_directory`), and why nothing is written there; 0: it is.
@CheckList
func metricsFindings(_ path: String, error: Int32) -> [Check] {
    if error != 0 {
        let (fault, fix) =
            switch error {
            case ENOENT: (FileFault.missing.words, "install -d -m 0755 \(shellWord(path))")
            case EPERM: (FileFault.writableByOthers.words, own(path, mode: "0755"))
            case ENOTDIR, ELOOP: ("is not a directory, or its path contains a symbolic link", inspect(path))
            default: ("cannot be read (errno \(error))", inspect(path))
            }
        Check(
            .metricsDirectory, .warning, "\(path) \(fault).",
            why: "Metrics for Prometheus cannot be written to this directory. If a metrics file already exists, it is "
                + "out of date.",
            fix: fix)
    }
}

func metricsError(_ directory: [UInt8]) -> Int32 {
    let opened = unsafe linux_open_own_folder(directory + [0])
    linux_close(opened)
    return max(0, -opened)
}
