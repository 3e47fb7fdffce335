internal import Wording

/// What `cognito-session` can be asked to do. Parser, help and suggestions all come from this table.
package enum Command: String, CaseIterable, Sendable {
    case status

    /// One line for the help.
    package var abstract: String {
        switch self {
        case .status: ToolWording.statusAbstract
        }
    }

    /// The options that make sense with it, besides `--help` and `--version`.
    package var options: [Option] {
        switch self {
        case .status: [.json]
        }
    }
}

/// The options, by their long names.
package enum Option: String, CaseIterable, Sendable {
    case json
    case help
    case version

    /// The one-letter form.
    package var letter: Character? {
        switch self {
        case .json: nil
        case .help: "h"
        case .version: "V"
        }
    }

    /// One line for the help.
    package var abstract: String {
        switch self {
        case .json: ToolWording.optionJSON
        case .help: ToolWording.optionHelp
        case .version: ToolWording.optionVersion
        }
    }
}

/// A command line that was understood.
package struct Invocation: Equatable, Sendable {
    /// What to do.
    package var command: Command
    /// The options given.
    package var options: Set<Option>
}

/// Why a command line was not understood: a sentence, and the usage of what was meant.
package struct UsageError: Error, Equatable {
    /// What is wrong, with the nearest thing that would be right.
    package var message: String

    /// The whole text for standard error.
    package var text: String {
        ToolWording.error(message, usage: usage)
    }
}

/// The one-line usage.
package let usage = "\(ToolWording.program) [status] [--json]"

/// The text of `--help`.
package var helpText: String {
    var lines = [ToolWording.overview, "", "Usage: \(usage)", "", "Commands:"]
    lines += Command.allCases.map { command in "  \(padded(command.rawValue, to: 16))\(command.abstract)" }
    lines += ["", "Options:"]
    lines += Option.allCases.map { option in
        let letter = option.letter.map { letter in "-\(letter), " } ?? ""
        return "  \(padded("\(letter)--\(option.rawValue)", to: 16))\(option.abstract)"
    }
    lines += ["", "Exit status:"]
    lines += ToolWording.exitStatuses.map { entry in "  \(padded("\(entry.status)", to: 16))\(entry.meaning)" }
    return lines.joined(separator: "\n") + "\n"
}

/// Reads a command line, without the program's own name. Options may stand before and after the command.
package func parse(_ arguments: [String]) throws(UsageError) -> Invocation {
    var command: Command?
    var options: Set<Option> = []
    var onlyOperands = false
    for argument in arguments {
        if onlyOperands || !argument.hasPrefix("-") || argument == "-" {
            if let command {
                throw UsageError(
                    message: ToolWording.unexpectedArgument(printable(argument), command: command.rawValue)
                )
            }
            guard let named = Command(rawValue: argument) else {
                let nearest = nearest(to: argument, among: Command.allCases.map(\.rawValue))
                throw UsageError(
                    message: ToolWording.unknownCommand(printable(argument))
                        + (nearest.map { name in ToolWording.suggestion(name) } ?? "")
                )
            }
            command = named
        } else if argument == "--" {
            onlyOperands = true
        } else {
            options.formUnion(try parseOption(argument))
        }
    }
    let chosen = command ?? .status
    // Everything there is belongs to status; a command to come names its own in the table.
    for option in options where option != .help && option != .version && !chosen.options.contains(option) {
        throw UsageError(
            message: ToolWording.unexpectedArgument("--\(option.rawValue)", command: chosen.rawValue)
        )
    }
    return Invocation(command: chosen, options: options)
}

private func parseOption(_ argument: String) throws(UsageError) -> [Option] {
    if argument.hasPrefix("--") {
        let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts.first.map(String.init) ?? ""
        guard let option = Option(rawValue: name) else {
            let nearest = nearest(to: name, among: Option.allCases.map(\.rawValue))
            throw UsageError(
                message: ToolWording.unknownOption(printable("--\(name)"))
                    + (nearest.map { name in ToolWording.suggestion("--\(name)") } ?? "")
            )
        }
        guard parts.count == 1 else {
            throw UsageError(message: ToolWording.unexpectedValue("--\(name)"))
        }
        return [option]
    }
    var found: [Option] = []
    for letter in argument.dropFirst() {
        guard let option = Option.allCases.first(where: { option in option.letter == letter }) else {
            // "-json" is the long option with a dash too few.
            let nearest = nearest(to: String(argument.dropFirst()), among: Option.allCases.map(\.rawValue))
            throw UsageError(
                message: ToolWording.unknownOption(printable(argument))
                    + (nearest.map { name in ToolWording.suggestion("--\(name)") } ?? "")
            )
        }
        found.append(option)
    }
    return found
}

/// The name that was probably meant: at most two slips of the finger away, and less than half the word.
func nearest(to typed: String, among names: [String]) -> String? {
    let measured = names.map { name in (name: name, distance: editDistance(typed, name)) }
    guard let best = measured.min(by: { left, right in left.distance < right.distance }),
        best.distance <= 2, best.distance * 2 <= best.name.count
    else {
        return nil
    }
    return best.name
}

/// How many letters have to be added, taken away or exchanged (Levenshtein).
func editDistance(_ left: String, _ right: String) -> Int {
    // Nobody means a short name by a very long word; and this takes the product of the lengths.
    let left = Array(left.prefix(64))
    let right = Array(right.prefix(64))
    var row = Array(0...right.count)
    for (i, leftLetter) in left.enumerated() {
        var diagonal = row[0]
        row[0] = i + 1
        for (j, rightLetter) in right.enumerated() {
            let above = row[j + 1]
            row[j + 1] = min(above + 1, row[j] + 1, diagonal + (leftLetter == rightLetter ? 0 : 1))
            diagonal = above
        }
    }
    return row[right.count]
}

func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
}
