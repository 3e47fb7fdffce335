internal import Commands
internal import Messages
internal import Tokens

/// What the doctor found, as it is shown.
struct DoctorReport: Sendable {
    private let areas: [AreaReport]

    /// The report about these areas.
    init(_ areas: [AreaReport]) {
        self.areas = areas
    }

    /// The worst finding decides.
    var exitStatus: ExitCode {
        switch areas.compactMap(\.worst).max() {
        case nil, .note: .valid
        case .warning: .improvable
        case .broken: .broken
        }
    }

    /// One line for each area, and below it what was found. Commands stand in lines of their own, to be copied.
    func text(_ look: Appearance) -> String {
        var lines: [String] = []
        for area in areas {
            let faults = area.findings.filter { finding in finding.severity > .note }.count
            let summary =
                faults == 0 ? area.summary : faults == 1 ? "\(faults) thing to fix" : "\(faults) things to fix"
            let parts = look.columns.map { columns in wrapped(summary, to: max(20, columns - 16)) } ?? [summary]
            for (index, part) in parts.enumerated() {
                lines.append(padded(index == 0 ? area.area.words : "", to: 16) + mark(part, area.worst, look))
            }
            lines += area.findings.flatMap { finding in entries(finding, look) }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The lines of all findings, without the areas.
    func entries(_ look: Appearance) -> [String] {
        areas.flatMap(\.findings).flatMap { finding in entries(finding, look) }
    }

    /// The lines of one.
    func entries(_ finding: Finding, _ look: Appearance) -> [String] {
        let severity = finding.severity == .note ? nil : finding.severity
        let mend = finding.mend.map { mend in
            "    \(padded("Fix:", to: 9))\(look.strong(mend))"
        }
        return entry(finding.severity.words, finding.what, look, severity)
            + entry("Why", finding.why, look, nil) + [mend].compactMap(\.self)
    }

    private func mark(_ text: String, _ worst: Severity?, _ look: Appearance) -> String {
        switch worst {
        case .broken?: look.bad(text)
        case .warning?: look.warning(text)
        case .note?, nil: look.good(text)
        }
    }

    private func entry(_ label: String, _ text: String, _ look: Appearance, _ severity: Severity?) -> [String] {
        let parts = look.columns.map { columns in wrapped(text, to: max(20, columns - 13)) } ?? [text]
        return parts.enumerated().map { index, part in
            guard index == 0 else {
                return "             \(part)"
            }
            let word = padded("\(label):", to: 9)
            return "    \(severity.map { severity in mark(word, severity, look) } ?? word)\(part)"
        }
    }

    /// The report as one JSON object.
    var json: JSONValue {
        answerObject(
            exitStatus, nil,
            [
                "areas": .array(
                    areas.map { area in
                        .object([
                            "area": .string(area.area.rawValue), "summary": .string(area.summary),
                            "worst": area.worst.map { severity in .string(severity.name) } ?? .null,
                            "findings": .array(area.findings.map(\.json)),
                        ])
                    })
            ])
    }

    /// All findings, without the areas.
    var findings: JSONValue {
        .array(areas.flatMap(\.findings).map(\.json))
    }
}

extension Finding {
    fileprivate var json: JSONValue {
        .object([
            "severity": .string(severity.name), "what": .string(what), "why": .string(why),
            "mend": mend.map(JSONValue.string) ?? .null,
        ])
    }
}

extension Area {
    fileprivate var words: String {
        switch self {
        case .machine: "Machine"
        case .configuration: "Configuration"
        case .files: "Files"
        case .account: "Worker account"
        case .keyrings: "Keyrings"
        case .agent: "Agent"
        case .stacks: "PAM stacks"
        case .ssh: "sshd"
        case .worker: "Worker"
        case .cognito: "Cognito"
        case .accounts: "Accounts"
        case .people: "People"
        }
    }
}

extension Severity {
    fileprivate var words: String {
        switch self {
        case .note: "Note"
        case .warning: "Warning"
        case .broken: "Broken"
        }
    }
}
