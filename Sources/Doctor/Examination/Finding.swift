internal import Commands
internal import Messages

/// How bad a finding is.
enum Severity: Int, Comparable, CaseIterable, Sendable {
    /// Worth knowing; nothing is wrong.
    case note
    /// It works now and will not always, or protects less than it could.
    case warning
    /// Somebody cannot sign in who should, or can who should not.
    case broken

    static func < (left: Severity, right: Severity) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The word for it in JSON.
    var name: String {
        switch self {
        case .note: "note"
        case .warning: "warning"
        case .broken: "broken"
        }
    }
}

/// What is looked at, in the order of the report: causes before what follows from them.
enum Area: String, CaseIterable, Sendable {
    case machine
    case configuration
    case files
    case account
    case keyrings
    case agent
    case stacks
    case ssh
    case worker
    case cognito
    case accounts
    case people
}

/// Something that an administrator should know, with what to do about it.
struct Finding: Hashable, Sendable {
    var severity: Severity
    /// What was found: one line.
    var what: String
    /// Why it matters: one line.
    var why: String
    /// What puts it right: a file, a line, before and after, or a command for root's shell; nil where nothing need be done.
    var mend: String?

    /// A finding from its parts.
    init(_ severity: Severity, _ what: String, why: String, mend: String? = nil) {
        self.severity = severity
        self.what = what
        self.why = why
        self.mend = mend
    }
}

/// One area and what was found there.
struct AreaReport: Equatable, Sendable {
    var area: Area
    /// One line for when all is well.
    var summary: String
    /// What was found, the worst first.
    var findings: [Finding]

    /// A report from its parts; what was found twice is told once.
    init(_ area: Area, _ summary: String, _ findings: [Finding]) {
        self.area = area
        self.summary = summary
        var unique: [Finding] = []
        for finding in findings where !unique.contains(finding) {
            unique.append(finding)
        }
        self.findings = unique.enumerated().sorted { left, right in
            (right.element.severity, left.offset) < (left.element.severity, right.offset)
        }.map(\.element)
        Trace.note(ToolWording.traceArea(area.rawValue))
    }

    /// The worst of its findings; nil when there are none.
    var worst: Severity? {
        findings.map(\.severity).max()
    }
}
