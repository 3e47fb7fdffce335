/// How bad a finding is.
package enum Severity: Int, Comparable, CaseIterable, Sendable {
    /// Worth knowing; nothing is wrong.
    case note
    /// It works now and will not always, or protects less than it could.
    case warning
    /// Somebody cannot sign in who should, or can who should not.
    case broken

    package static func < (left: Severity, right: Severity) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The word for it in JSON.
    package var name: String {
        switch self {
        case .note: "note"
        case .warning: "warning"
        case .broken: "broken"
        }
    }
}

/// What is looked at, in the order of the report.
package enum Area: String, CaseIterable, Sendable {
    case configuration
    case files
    case account
    case keyrings
    case stacks
    case ssh
    case worker
    case cognito
    case people
}

/// Something that an administrator should know, with what to do about it.
package struct Finding: Equatable, Sendable {
    /// How bad it is.
    package var severity: Severity
    /// What was found: one line.
    package var what: String
    /// Why it matters: one line.
    package var why: String
    /// The command that mends it, for root's shell; nil where nothing needs mending.
    package var mend: String?

    /// A finding from its parts.
    package init(_ severity: Severity, _ what: String, why: String, mend: String? = nil) {
        self.severity = severity
        self.what = what
        self.why = why
        self.mend = mend
    }
}

/// One area and what was found there.
package struct AreaReport: Equatable, Sendable {
    /// The area.
    package var area: Area
    /// One line for when all is well.
    package var summary: String
    /// What was found, the worst first.
    package var findings: [Finding]

    /// A report from its parts; what was found twice is told once.
    package init(_ area: Area, _ summary: String, _ findings: [Finding]) {
        self.area = area
        self.summary = summary
        var unique: [Finding] = []
        for finding in findings where !unique.contains(finding) {
            unique.append(finding)
        }
        self.findings = unique.enumerated().sorted { left, right in
            (right.element.severity, left.offset) < (left.element.severity, right.offset)
        }.map(\.element)
    }

    /// The worst of its findings; nil when there are none.
    package var worst: Severity? {
        findings.map(\.severity).max()
    }
}
