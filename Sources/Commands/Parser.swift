internal import Base
internal import Messages
internal import Tokens

/// Why a command line was not understood: a sentence, and the usage of what was meant.
package struct UsageError: Error, Equatable {
    /// The mistake, with the nearest right word.
    package var message: String
    /// Which command was meant; nil when none was named.
    package var command: Command?
    /// Whether it is a program that wants to know.
    package var wantsJSON = false

    /// The refusal of such a command line.
    package var refusal: Refusal {
        Refusal(.usage, message)
    }

    /// The whole text for standard error.
    package var text: String {
        ToolWording.error(message, usage: usage(command), command: command.map { command in " \(command.rawValue)" })
    }
}

/// Reads a command line, without the program's own name. Options may stand before and after the command.
package func parse(_ arguments: [[UInt8]]) throws(UsageError) -> Invocation {
    var reader = CommandLineReader(arguments)
    let fault = reader.read()
    do throws(UsageError) {
        if let fault {
            throw fault
        }
        return try reader.invocation()
    } catch {
        throw UsageError(message: error.message, command: error.command, wantsJSON: reader.wantsJSON)
    }
}

/// One pass over the arguments.
///
/// getopt_long(3) is not used: it says its errors itself, without a suggestion, and keeps its place in globals.
private struct CommandLineReader {
    private var rest: ArraySlice<[UInt8]>
    private var command: Command?
    private var options: [Option: Value] = [:]
    private var operands: [[UInt8]] = []

    init(_ arguments: [[UInt8]]) {
        rest = arguments[...]
    }

    /// Reads to the end, whatever is wrong before it: what stands behind a mistake says how it is to be told. The first
    /// one.
    mutating func read() -> UsageError? {
        var onlyOperands = false
        var fault: UsageError?
        while let bytes = rest.popFirst() {
            do throws(UsageError) {
                try read(bytes, &onlyOperands)
            } catch {
                fault = fault ?? error
            }
        }
        return fault
    }

    /// Whether the mistakes are to be told to a program.
    var wantsJSON: Bool { options[.json] != nil }

    private mutating func read(_ bytes: [UInt8], _ onlyOperands: inout Bool) throws(UsageError) {
        if case .commandLine? = command?.operands, !operands.isEmpty {
            operands.append(bytes)
            return
        }
        let argument = String(decoding: bytes, as: UTF8.self)
        if onlyOperands || !argument.hasPrefix("-") || argument == "-" {
            try readOperand(bytes, argument)
        } else if argument == "--" {
            onlyOperands = true
        } else if argument.hasPrefix("--") {
            try readLongOption(argument.dropFirst(2))
        } else {
            try readLetters(argument)
        }
    }

    func invocation() throws(UsageError) -> Invocation {
        let chosen = command ?? .status
        let groups = chosen.options + Command.everywhere.map { option in [option] }
        let allowed = groups.flatMap(\.self)
        // In the order of the help, so that of several faults it is always the same one that is told.
        for option in Option.allCases where options[option] != nil && !allowed.contains(option) {
            throw refusal(ToolWording.unexpectedArgument("--\(option.rawValue)", command: chosen.rawValue))
        }
        for group in groups {
            let given = group.filter { option in options[option] != nil }
            if given.count > 1 {
                throw refusal(ToolWording.contradiction("--\(given[0].rawValue)", "--\(given[1].rawValue)"))
            }
        }
        if case .commandLine = chosen.operands, operands.isEmpty, options[.help] == nil, options[.version] == nil {
            throw refusal(ToolWording.missingCommand(chosen.rawValue))
        }
        if case .operation(let words) = chosen.operands, operands.isEmpty, options[.help] == nil,
            options[.version] == nil
        {
            throw refusal(ToolWording.missingOperation(chosen.rawValue, words))
        }
        return Invocation(chosen, named: command != nil, options, operands: operands)
    }

    private func refusal(_ message: String) -> UsageError {
        UsageError(message: message, command: command)
    }

    private mutating func readOperand(_ bytes: [UInt8], _ argument: String) throws(UsageError) {
        guard let command else {
            // `help`, and `help COMMAND`.
            if argument == "help", options[.help] == nil {
                options[.help] = .given
                return
            }
            guard let named = Command(named: argument) else {
                let nearest = nearest(to: argument, among: Command.allCases.map(\.rawValue))
                throw refusal(
                    ToolWording.unknownCommand(printable(argument))
                        + (nearest.map { name in ToolWording.suggestion(name) } ?? "")
                )
            }
            command = named
            return
        }
        switch command.operands {
        case .userName where operands.isEmpty && (1...256).contains(bytes.count),
            .operation where operands.isEmpty && !bytes.isEmpty,
            .credentialName where operands.isEmpty && isCredentialName(bytes):
            operands.append(bytes)
        case .none, .userName, .operation, .credentialName:
            throw refusal(ToolWording.unexpectedArgument(printable(argument), command: command.rawValue))
        case .commandLine:
            operands.append(bytes)
        }
    }

    private mutating func readLongOption(_ text: Substring) throws(UsageError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let name = parts.first ?? ""
        guard let option = Option(rawValue: name) else {
            throw unknownOption("--\(name)", name)
        }
        guard let argument = option.argument else {
            guard parts.count == 1 else {
                throw refusal(ToolWording.unexpectedValue("--\(name)"))
            }
            options[option] = .given
            return
        }
        guard
            let given = parts.count == 2
                ? parts[1] : rest.popFirst().map({ bytes in String(decoding: bytes, as: UTF8.self) })
        else {
            throw refusal(ToolWording.missingValue(option.synopsis))
        }
        guard let value = argument.value(given) else {
            throw refusal(argument.complaint(option, printable(given)))
        }
        options[option] = value
    }

    private mutating func readLetters(_ argument: String) throws(UsageError) {
        for letter in argument.dropFirst() {
            guard let option = Option.allCases.first(where: { option in option.letter == letter }) else {
                // "-json" is the long option with a dash too few.
                throw unknownOption(argument, String(argument.dropFirst()))
            }
            options[option] = .given
        }
    }

    private func unknownOption(_ typed: String, _ name: String) -> UsageError {
        switch (command, name) {
        case (.doctor, "mend"), (.doctor, "undo"): return refusal(ToolWording.changesNothing("--\(name)"))
        case (.doctor, "verify"): return refusal(ToolWording.verifiesNothing)
        default: break
        }
        let known = command.map { command in command.options.flatMap(\.self) + Command.everywhere } ?? Option.allCases
        let nearest = nearest(to: name, among: known.map(\.rawValue))
        return refusal(
            ToolWording.unknownOption(printable(typed))
                + (nearest.map { name in ToolWording.suggestion("--\(name)") } ?? "")
        )
    }
}

/// The name that was probably meant: at most two slips of the finger away, and less than half the word.
func nearest(to typed: String, among names: [String]) -> String? {
    // A very long word is no mistyped short name, and the effort is the product of the lengths.
    let letters = Array(typed.prefix(64))
    let measured = names.map { name in (name: name, distance: editDistance(letters, Array(name))) }
    guard let best = measured.min(by: { left, right in left.distance < right.distance }),
        best.distance <= 2, best.distance * 2 <= best.name.count
    else {
        return nil
    }
    return best.name
}

/// A length of time as it is typed: `90`, `90s`, `5m`, `2h`, `1d`; at most a year.
func seconds(_ text: String) -> Int64? {
    Int64(duration: text.utf8).flatMap { seconds in seconds <= 366 * 86_400 ? seconds : nil }
}

/// A file descriptor as it is typed: standard input, or one above standard error.
func descriptor(_ text: String) -> Int32? {
    guard let number = Int32(decimal: text.utf8, atMost: 4), number == 0 || (3..<1024).contains(number) else {
        return nil
    }
    return number
}

/// Whether `text` is names of hosts, each perhaps with a port, and commas between them.
func areHosts(_ text: String) -> Bool {
    text.utf8.count <= 4096
        && text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            .allSatisfy { host in !host.isEmpty && host.allSatisfy { byte in byte.isAlphanumericASCII(or: ".-_:[]") } }
}

/// Whether credentials may be called so (pam_cognito.conf(5), aws_credentials).
func isCredentialName(_ name: [UInt8]) -> Bool {
    (1...64).contains(name.count) && name.first != UInt8(ascii: "-")
        && name.allSatisfy { byte in byte.isAlphanumericASCII(or: "-_.") }
}

/// Whether a shell can name a variable so (IEEE Std 1003.1, 3.216 Name).
func isVariableName(_ text: String) -> Bool {
    guard let first = text.utf8.first, !first.isDecimalDigit, text.utf8.count <= 256 else {
        return false
    }
    return text.utf8.allSatisfy { byte in byte.isAlphanumericASCII(or: "_") }
}
