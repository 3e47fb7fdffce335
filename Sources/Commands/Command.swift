internal import Messages

/// The commands of `cognito-session`. Parser, help, completions and suggestions all use this table, and a test compares
/// the manual page with it.
package enum Command: String, CaseIterable, Sendable {
    case status
    case whoami
    case token
    case exec
    case claims
    case prompt
    case refresh
    case signOut = "sign-out"
    case signIn = "sign-in"
    case attach
    case lock
    case unlock
    case export
    case importTokens = "import"
    case forgotPassword = "forgot-password"
    case doctor
    case sessions
    case kubeCredential = "kube-credential"
    case gitCredential = "git-credential"
    case dockerCredential = "docker-credential"
    case awsCredentials = "aws-credentials"
    case accounts

    /// The properties of a command. The options are those that make sense with it, besides `--help` and `--version`, in
    /// the order of the help.
    private struct CommandRow {
        var abstract: String
        var options: [[Option]]
        var operands = Operands.none
        var changesSomething = false
    }

    private var row: CommandRow {
        switch self {
        case .status:
            CommandRow(
                abstract: ToolWording.statusAbstract, options: [[.check, .json, .watch, .field], [.online], [.notify]])
        case .whoami: CommandRow(abstract: ToolWording.whoamiAbstract, options: [[.json]])
        case .token:
            CommandRow(
                abstract: ToolWording.tokenAbstract,
                options: [[.access, .id], [.minimumLife], [.force], [.header, .json]])
        case .exec:
            CommandRow(
                abstract: ToolWording.execAbstract,
                options: [
                    [.access, .id], [.minimumLife], [.descriptor, .variable, .aws], [.header, .aws], [.name],
                    [.keep], [.json],
                ],
                operands: .commandLine)
        case .claims: CommandRow(abstract: ToolWording.claimsAbstract, options: [[.access, .id], [.json]])
        case .prompt: CommandRow(abstract: ToolWording.promptAbstract, options: [[.json]])
        case .refresh: CommandRow(abstract: ToolWording.refreshAbstract, options: [[.json]], changesSomething: true)
        case .signOut:
            CommandRow(
                abstract: ToolWording.signOutAbstract, options: [[.local, .machine, .global], [.yes], [.json]],
                changesSomething: true)
        case .signIn: CommandRow(abstract: ToolWording.signInAbstract, options: [[.json]], changesSomething: true)
        case .attach:
            CommandRow(abstract: ToolWording.attachAbstract, options: [[.give], [.json]], changesSomething: true)
        case .lock: CommandRow(abstract: ToolWording.lockAbstract, options: [[.json]], changesSomething: true)
        case .unlock: CommandRow(abstract: ToolWording.unlockAbstract, options: [[.json]], changesSomething: true)
        case .export:
            CommandRow(abstract: ToolWording.exportAbstract, options: [[.sealed], [.lasting], [.force]])
        case .importTokens:
            CommandRow(abstract: ToolWording.importAbstract, options: [[.json]], changesSomething: true)
        case .forgotPassword:
            CommandRow(
                abstract: ToolWording.forgotPasswordAbstract, options: [[.json]], operands: .userName,
                changesSomething: true)
        case .doctor:
            CommandRow(
                abstract: ToolWording.doctorAbstract,
                options: [[.config], [.explain, .login], [.json, .login]])
        case .sessions:
            CommandRow(
                abstract: ToolWording.sessionsAbstract, options: [[.everywhere], [.end, .field], [.json, .field]])
        case .kubeCredential:
            CommandRow(
                abstract: ToolWording.kubeCredentialAbstract, options: [[.access, .id], [.minimumLife], [.force]])
        case .gitCredential:
            CommandRow(
                abstract: ToolWording.gitCredentialAbstract, options: [[.host], [.access, .id]],
                operands: .operation(ToolWording.gitOperations))
        case .dockerCredential:
            CommandRow(
                abstract: ToolWording.dockerCredentialAbstract, options: [],
                operands: .operation(ToolWording.dockerOperations))
        case .awsCredentials:
            CommandRow(
                abstract: ToolWording.awsCredentialsAbstract, options: [[.force]], operands: .credentialName)
        case .accounts:
            CommandRow(
                abstract: AccountWording.abstract,
                options: [[.show, .lock, .unlock, .forget], [.show, .lock, .unlock, .forget, .releaseUID], [.json]])
        }
    }

    /// The command of that name, or of one that other programs have for it.
    init?(named name: String) {
        switch name {
        case "login", "signin": self = .signIn
        case "logout", "signout": self = .signOut
        case "list": self = .sessions
        default: self.init(rawValue: name)
        }
    }

    /// The command that a program of that path is, which is a link to this one: other programs look for theirs by name.
    package init?(helper path: [UInt8]) {
        let name = String(decoding: path, as: UTF8.self).split(separator: "/").last
        switch name {
        case "git-credential-cognito": self = .gitCredential
        case "docker-credential-cognito": self = .dockerCredential
        default: return nil
        }
    }

    /// One line for the help.
    package var abstract: String { row.abstract }

    /// The options that make sense with each command.
    static let everywhere: [Option] = [.debug, .help, .version]

    /// The options that make sense with it. Those of one group exclude each other.
    package var options: [[Option]] { row.options }

    /// Whether the command changes something.
    package var changesSomething: Bool { row.changesSomething }

    /// The operands after the options.
    package var operands: Operands { row.operands }
}

/// The operands after a command's options.
package enum Operands: Sendable {
    case none
    /// Perhaps the name of an account.
    case userName
    /// A command with its own arguments: from its name on, everything is its own.
    case commandLine
    /// Perhaps the name of credentials.
    case credentialName
    /// One word: what another program wants, as it calls that.
    case operation(String)

    /// The words for them in the help.
    package var placeholder: String? {
        switch self {
        case .none: nil
        case .userName: ToolWording.userNamePlaceholder
        case .commandLine: ToolWording.commandLinePlaceholder
        case .credentialName: ToolWording.credentialNamePlaceholder
        case .operation(let words): words
        }
    }
}

/// The options, by their long names.
package enum Option: String, CaseIterable, Sendable {
    case check
    case online
    case watch
    case notify
    case access
    case id
    case minimumLife = "min-life"
    case force
    case descriptor = "fd"
    case variable = "env"
    case local
    case machine
    case global
    case yes
    case give
    case keep
    case sealed
    case lasting = "for"
    case config
    case explain
    case login
    case everywhere
    case end
    case header
    case aws
    case name
    case host
    case field
    case show
    case lock
    case unlock
    case forget
    case releaseUID = "release-uid"
    case json
    case debug
    case help
    case version

    private struct OptionRow {
        var abstract: String
        var argument: Argument?
        var letter: Character?
    }

    private var row: OptionRow {
        switch self {
        case .check: OptionRow(abstract: ToolWording.optionCheck)
        case .online: OptionRow(abstract: ToolWording.optionOnline)
        case .watch: OptionRow(abstract: ToolWording.optionWatch)
        case .notify: OptionRow(abstract: ToolWording.optionNotify)
        case .access: OptionRow(abstract: ToolWording.optionAccess)
        case .id: OptionRow(abstract: ToolWording.optionID)
        case .minimumLife: OptionRow(abstract: ToolWording.optionMinimumLife, argument: .duration)
        case .force: OptionRow(abstract: ToolWording.optionForce)
        case .descriptor: OptionRow(abstract: ToolWording.optionDescriptor, argument: .descriptor)
        case .variable: OptionRow(abstract: ToolWording.optionVariable, argument: .variable)
        case .local: OptionRow(abstract: ToolWording.optionLocal)
        case .machine: OptionRow(abstract: ToolWording.optionMachine)
        case .global: OptionRow(abstract: ToolWording.optionGlobal)
        case .yes: OptionRow(abstract: ToolWording.optionYes)
        case .give: OptionRow(abstract: ToolWording.optionGive)
        case .keep: OptionRow(abstract: ToolWording.optionKeep)
        case .sealed: OptionRow(abstract: ToolWording.optionSealed)
        case .lasting: OptionRow(abstract: ToolWording.optionLasting, argument: .duration)
        case .config: OptionRow(abstract: ToolWording.optionConfig, argument: .file)
        case .explain: OptionRow(abstract: ToolWording.optionExplain, argument: .account)
        case .login: OptionRow(abstract: ToolWording.optionLogin, argument: .account)
        case .everywhere: OptionRow(abstract: ToolWording.optionEverywhere)
        case .end: OptionRow(abstract: ToolWording.optionEnd, argument: .account)
        case .header: OptionRow(abstract: ToolWording.optionHeader)
        case .aws: OptionRow(abstract: ToolWording.optionAWS)
        case .name: OptionRow(abstract: ToolWording.optionName, argument: .credential)
        case .host: OptionRow(abstract: ToolWording.optionHost, argument: .hosts)
        case .field: OptionRow(abstract: ToolWording.optionField, argument: .field)
        case .show: OptionRow(abstract: AccountWording.optionShow, argument: .account)
        case .lock: OptionRow(abstract: AccountWording.optionLock, argument: .account)
        case .unlock: OptionRow(abstract: AccountWording.optionUnlock, argument: .account)
        case .forget: OptionRow(abstract: AccountWording.optionForget, argument: .account)
        case .releaseUID: OptionRow(abstract: AccountWording.optionReleaseUID, argument: .account)
        case .json: OptionRow(abstract: ToolWording.optionJSON)
        case .debug: OptionRow(abstract: ToolWording.optionDebug)
        case .help: OptionRow(abstract: ToolWording.optionHelp, letter: "h")
        case .version: OptionRow(abstract: ToolWording.optionVersion, letter: "V")
        }
    }

    /// One line for the help.
    package var abstract: String { row.abstract }

    /// The type of the option's value; nil if it takes none.
    package var argument: Argument? { row.argument }

    /// The one-letter form. None takes a value.
    package var letter: Character? { row.letter }

    /// The option as the help shows it: `--min-life TIME`.
    package var synopsis: String {
        "--\(rawValue)" + (argument.map { argument in " \(argument.placeholder)" } ?? "")
    }
}

/// A kind of value that an option takes.
package enum Argument: Sendable {
    /// A length of time: a number and `s`, `m`, `h` or `d`; seconds without.
    case duration
    /// A file descriptor of the command to be: 0, or 3 and above.
    case descriptor
    /// The name of an environment variable.
    case variable
    /// The path of a file.
    case file
    /// The name of an account.
    case account
    case hosts
    /// The name of a value in a command's JSON.
    case field
    case credential

    /// The word for it in the help.
    package var placeholder: String {
        switch self {
        case .duration: ToolWording.durationPlaceholder
        case .descriptor: ToolWording.descriptorPlaceholder
        case .variable, .field: ToolWording.variablePlaceholder
        case .file: ToolWording.filePlaceholder
        case .account: ToolWording.accountPlaceholder
        case .hosts: ToolWording.hostPlaceholder
        case .credential: ToolWording.variablePlaceholder
        }
    }

    /// Reads a value; nil when `text` is none.
    func value(_ text: String) -> Value? {
        switch self {
        case .duration: return seconds(text).map(Value.seconds)
        case .descriptor: return Commands.descriptor(text).map(Value.descriptor)
        case .variable: return isVariableName(text) ? .text(text) : nil
        case .file: return (1...4095).contains(text.utf8.count) ? .text(text) : nil
        case .account, .field: return (1...256).contains(text.utf8.count) ? .text(text) : nil
        case .hosts: return areHosts(text) ? .text(text) : nil
        case .credential: return isCredentialName(Array(text.utf8)) ? .text(text) : nil
        }
    }

    /// Why `text` is no value, in a sentence.
    func complaint(_ option: Option, _ text: String) -> String {
        switch self {
        case .duration: ToolWording.notADuration(option.synopsis, text)
        case .descriptor: ToolWording.notADescriptor(option.synopsis, text)
        case .variable: ToolWording.notAVariable(option.synopsis, text)
        case .file: ToolWording.notAFile(option.synopsis, text)
        case .account: ToolWording.notAUser(option.synopsis, text)
        case .hosts: ToolWording.notAHost(option.synopsis, text)
        case .field: ToolWording.notAField(option.synopsis)
        case .credential: ToolWording.notACredential(option.synopsis, text)
        }
    }
}

/// The value of an option.
package enum Value: Equatable, Sendable {
    case given
    case seconds(Int64)
    case descriptor(Int32)
    /// A name or a path.
    case text(String)
}

/// A command line that was understood.
package struct Invocation: Equatable, Sendable {
    package var command: Command
    /// Whether the command was named, and not only meant.
    package var isCommandNamed: Bool
    /// The options given, with their values.
    package var options: [Option: Value]
    /// The operands after the options, exactly as typed.
    package var operands: [[UInt8]]

    /// Makes an invocation from its parts.
    package init(
        _ command: Command, named: Bool = true, _ options: [Option: Value] = [:], operands: [[UInt8]] = []
    ) {
        self.command = command
        isCommandNamed = named
        self.options = options
        self.operands = operands
    }

    package func has(_ option: Option) -> Bool {
        options[option] != nil
    }

    /// The length of time that `option` was given, in seconds.
    package func seconds(_ option: Option) -> Int64? {
        if case .seconds(let seconds) = options[option] { seconds } else { nil }
    }

    /// The file descriptor that `option` was given.
    package func descriptor(_ option: Option) -> Int32? {
        if case .descriptor(let number) = options[option] { number } else { nil }
    }

    /// The name or path that `option` was given.
    package func text(_ option: Option) -> String? {
        if case .text(let text) = options[option] { text } else { nil }
    }
}

/// How one command is called, or the whole program: in lines that fit 80 columns behind "Usage: ".
package func usage(_ command: Command?) -> String {
    guard let command else {
        return "\(ToolWording.program) \(ToolWording.usageOperands)"
    }
    let name = command == .status ? "[\(command.rawValue)]" : command.rawValue
    // An option that excludes those of several groups is shown once, with the first group.
    var shown: [Option] = []
    let options = command.options.compactMap { group -> String? in
        let rest = group.filter { option in !shown.contains(option) }
        shown += rest
        return rest.isEmpty ? nil : "[\(rest.map(\.synopsis).joined(separator: "|"))]"
    }
    let heading = ToolWording.usageHeading.count + 1
    let operands = command.operands.placeholder.map { words in [words] } ?? []
    return wrapped([ToolWording.program, name] + options + operands, to: 80 - heading)
        .joined(separator: "\n" + String(repeating: " ", count: heading))
}

/// The text of `--help`: of one command, or of the whole program.
package func helpText(_ command: Command?) -> String {
    var lines = [command?.abstract ?? ToolWording.overview, "", "\(ToolWording.usageHeading) \(usage(command))"]
    if command == nil {
        lines += ["", ToolWording.commandsHeading]
        lines += Command.allCases.flatMap { command in entry(command.rawValue, command.abstract) }
    }
    lines += ["", ToolWording.optionsHeading]
    var options: [Option] = []
    for option in (command?.options ?? []).flatMap(\.self) + Command.everywhere where !options.contains(option) {
        options.append(option)
    }
    lines += options.flatMap { option in
        let letter = option.letter.map { letter in "-\(letter), " } ?? ""
        return entry("\(letter)\(option.synopsis)", option.abstract)
    }
    if command == nil {
        lines += ["", ToolWording.exitStatusHeading]
        lines += ExitCode.allCases.flatMap { status in entry("\(status.rawValue)", status.meaning) }
    }
    return lines.joined(separator: "\n") + "\n"
}

/// A term and what it means, in 80 columns.
private func entry(_ term: String, _ meaning: String) -> [String] {
    let indent = 20
    var lines: [String] = []
    for (index, line) in wrapped(meaning, to: 80 - indent).enumerated() {
        lines.append(padded(index == 0 ? "  \(term)" : "", to: indent) + line)
    }
    return lines
}
