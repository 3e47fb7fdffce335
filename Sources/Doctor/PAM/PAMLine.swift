internal import Base

/// One of the four kinds of lines in a service's file (pam.conf(5)).
enum Facility: String, CaseIterable, Sendable {
    case auth
    case account
    case session
    case password
}

/// The values that modules return, in the order of libpam's numbers, by the names of pam.conf(5).
enum ModuleResult: Int, CaseIterable, Sendable {
    case success, openErr, symbolErr, serviceErr, systemErr, bufErr, permDenied, authErr, credInsufficient
    case authinfoUnavail, userUnknown, maxtries, newAuthtokReqd, acctExpired, sessionErr, credUnavail, credExpired
    case credErr, noModuleData, convErr, authtokErr, authtokRecoverErr, authtokLockBusy, authtokDisableAging
    case tryAgain, ignore, abort, authtokExpired, moduleUnknown, badItem, convAgain, incomplete

    private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { result in (result.name, result) })

    init?(name: String) {
        guard let result = Self.byName[name] else { return nil }
        self = result
    }

    /// In the order of the cases.
    private static let names = allCases.map { result in
        "\(result)".map { letter in letter.isUppercase ? "_\(letter.lowercased())" : "\(letter)" }.joined()
    }

    var name: String { Self.names[rawValue] }
}

/// A control as it is written: which action follows which value. What the actions do, libpam decides (StackJudge).
struct Control: Equatable, Sendable {
    private static let words = [
        "required": "success=ok new_authtok_reqd=ok ignore=ignore default=bad",
        "requisite": "success=ok new_authtok_reqd=ok ignore=ignore default=die",
        "sufficient": "success=done new_authtok_reqd=done default=ignore",
        "optional": "success=ok new_authtok_reqd=ok default=ignore",
    ]
    private static let known = words.compactMapValues { list in Control(list: list) }
    private static let actionWords: Set = ["ignore", "ok", "done", "bad", "die", "reset"]

    private var actions: [String: String] = [:]

    /// Nil where libpam cannot read it: it takes every value for a failure then.
    init?(_ text: String) {
        if let known = Self.known[text.lowercased()] {
            self = known
        } else {
            guard text.first == "[", text.last == "]" else { return nil }
            self.init(list: text)
        }
    }

    private init?(list: String) {
        for part in list.split(whereSeparator: { letter in letter.isWhitespace || "[]".contains(letter) }) {
            let sides = part.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            guard sides.count == 2, sides[0] == "default" || ModuleResult(name: sides[0]) != nil,
                Self.actionWords.contains(sides[1]) || Int(sides[1]).map((0...1000).contains) == true
            else { return nil }
            actions[sides[0]] = sides[1] == "0" ? "ignore" : sides[1]
        }
    }

    private init() {}

    /// The action's word, or the number of modules that it jumps over.
    func action(for result: ModuleResult) -> String { actions[result.name] ?? actions["default"] ?? "bad" }

    /// Whether a failure of the module is one of the stack.
    func refuses(_ result: ModuleResult) -> Bool { ["bad", "die"].contains(action(for: result)) }

    static let failing = Control()
}

struct Place: Hashable, Sendable {
    /// The file's name in the directory of services.
    var file: String
    /// From 1.
    var line: Int
    var isVendors = false

    var path: String { "\(isVendors ? PAMServices.vendorFolder : PAMServices.folder)/\(file)" }
    var words: String { "\(path), line \(line)" }
}

/// One module in a service's stack, as libpam has it after all files are read.
struct StackLine: Equatable, Sendable {
    var place: Place
    var facility: Facility
    /// As it was written; for a line that libpam cannot read, what it found instead.
    var controlText: String
    var control: Control
    /// The module as it was written: a name or a path. Nil where libpam only knows that it must fail.
    var module: String?
    var arguments: [String]
    /// How many substacks deep.
    var level: Int
    /// Whether it only stands for the substack that follows, which a jump takes for one module.
    var isSubstack = false

    /// The module's name without directory and ending. By bytes, since it is asked for hundreds of times.
    var moduleName: String {
        let name = module?.utf8.split(separator: UInt8(ascii: "/")).last.map { part in String(Substring(part)) } ?? ""
        return name.hasSuffix(".so") ? String(name.dropLast(3)) : name
    }

    /// What `config=` names in it, where it is ours; the last one counts.
    var configurationPath: String? {
        isOurs ? arguments.last { text in text.hasPrefix("config=") }.map { text in String(text.dropFirst(7)) } : nil
    }

    var isOurs: Bool { moduleName == "pam_cognito" }
}
