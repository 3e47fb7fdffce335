internal import Commands
internal import Messages
internal import Tokens

struct DoctorReport: Sendable {
    let areas: [AreaReport]

    var exitStatus: ExitCode {
        switch areas.compactMap(\.worst).max() {
        case nil, .note: .valid
        case .warning: .improvable
        case .broken: .broken
        }
    }

    /// One line for each area, and below it what was found. Commands stand in lines of their own, to be copied.
    /// The last line says so if nothing was.
    func text(_ look: Appearance) -> String {
        let report = areas.flatMap { area in
            let faults = area.findings.filter { check in check.severity > .note }.count
            let summary = faults == 0 ? area.summary : "\(faults) \(faults == 1 ? "thing" : "things") to fix"
            return lines(area.area.words, summary, area.worst, look, indent: 16, marksText: true)
                + area.findings.flatMap { check in entries(check, look) }
        }
        let end = exitStatus == .valid ? ["", look.good("No problems found.")] : []
        return (report + end).joined(separator: "\n") + "\n"
    }

    func entries(_ look: Appearance) -> [String] {
        areas.flatMap(\.findings).flatMap { check in entries(check, look) }
    }

    private func entries(_ check: Check, _ look: Appearance) -> [String] {
        let severity = check.severity == .note ? nil : check.severity
        let fix = check.fix.map { fix in "    \(padded("Fix:", to: 9))\(look.strong(fix))" }
        return lines("    \(check.severity.words):", check.what, severity, look, indent: 13)
            + lines("    Why:", check.why, nil, look, indent: 13) + [fix].compactMap(\.self)
    }

    /// A text behind a label, or below it where there is more; one of both says how bad it is.
    private func lines(
        _ label: String, _ text: String, _ severity: Severity?, _ look: Appearance, indent: Int,
        marksText: Bool = false
    ) -> [String] {
        let parts = look.columns.map { columns in wrapped(text, to: max(20, columns - indent)) } ?? [text]
        return parts.enumerated().map { index, part in
            let start = padded(index == 0 ? label : "", to: indent)
            guard !marksText else {
                return start + mark(part, severity, look)
            }
            let words = start.drop { letter in letter == " " }
            return index == 0 && severity != nil
                ? start.prefix(start.count - words.count) + mark(String(words), severity, look) + part : start + part
        }
    }

    private func mark(_ text: String, _ worst: Severity?, _ look: Appearance) -> String {
        switch worst {
        case .broken?: look.bad(text)
        case .warning?: look.warning(text)
        case .note?, nil: look.good(text)
        }
    }

    var json: JSONValue {
        let areas = areas.map { area in
            JSONValue.object([
                "area": .string(area.area.rawValue), "summary": .string(area.summary),
                "worst": area.worst.map { severity in .string(severity.name) } ?? .null,
                "findings": .array(area.findings.map(\.json)),
            ])
        }
        return answerObject(exitStatus, nil, ["areas": .array(areas)])
    }

    var findings: JSONValue {
        .array(areas.flatMap(\.findings).map(\.json))
    }
}

extension Check {
    fileprivate var json: JSONValue {
        .object([
            "severity": .string(severity.name), "what": .string(what), "why": .string(why),
            "mend": fix.map(JSONValue.string) ?? .null,
        ])
    }
}

extension Area {
    fileprivate var words: String {
        switch self {
        case .account: "Worker account"
        case .stacks: "PAM stacks"
        case .ssh: "sshd"
        case .machine, .configuration, .files, .keyrings, .agent, .worker, .cognito, .accounts, .people:
            rawValue.prefix(1).uppercased() + rawValue.dropFirst()
        }
    }
}
