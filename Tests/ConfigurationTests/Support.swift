import Base
import Configuration

/// What every configuration needs, and no more: four lines.
let minimal = """
    user_pool_id = eu-west-1_AbCdEf123
    client_id = 1example23456789
    allowed_groups = *
    unix_group = people

    """

/// The minimal configuration without `option`, or with `value` for it in the last line.
func needed(except option: Option, plus value: String? = nil) -> String {
    let lines = minimal.split(separator: "\n").filter { line in !line.hasPrefix(option.text + " ") }
    return (lines + (value.map { value in ["\(option.text) = \(value)"] } ?? [])).joined(separator: "\n") + "\n"
}

func settings(_ text: String, arguments: [String] = []) throws(ConfigurationError) -> Settings {
    try Settings(parsing: Array(text.utf8), arguments: arguments.map { argument in Array(argument.utf8) })
}

/// The message that a configuration in the file `F` gets; nil when it is right.
func message(of text: String, arguments: [String] = []) -> String? {
    message(of: Array(text.utf8), arguments: arguments)
}

func message(of text: [UInt8], arguments: [String] = []) -> String? {
    do {
        _ = try Settings(parsing: text, arguments: arguments.map { argument in Array(argument.utf8) })
        return nil
    } catch {
        return error.message(file: [UInt8(ascii: "F")]).string
    }
}

extension ByteText {
    var string: String { String(decoding: bytes, as: UTF8.self) }
}

extension Option {
    var text: String { "\(name)" }
}
