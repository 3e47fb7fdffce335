internal import Base

/// One of the four kinds of lines in a service's file (pam.conf(5)).
enum Facility: String, CaseIterable, Sendable {
    case auth
    case account
    case session
    case password
}

/// What libpam does with a module's return value.
enum Action: Equatable, Sendable {
    case ignore
    case ok
    case done
    case bad
    case die
    case reset
    /// Over that many modules.
    case jump(Int)

    init?(_ word: String) {
        switch word {
        case "ignore": self = .ignore
        case "ok": self = .ok
        case "done": self = .done
        case "bad": self = .bad
        case "die": self = .die
        case "reset": self = .reset
        default:
            guard let count = Int(word), (0...1000).contains(count) else {
                return nil
            }
            // libpam's number for "ignore" is 0.
            self = count == 0 ? .ignore : .jump(count)
        }
    }
}

/// The values that modules return, as far as stacks tell them apart, by the names of pam.conf(5).
enum ModuleResult: CaseIterable, Sendable {
    case success, openErr, symbolErr, serviceErr, systemErr, bufErr, permDenied, authErr, credInsufficient
    case authinfoUnavail, userUnknown, maxtries, newAuthtokReqd, acctExpired, sessionErr, credUnavail, credExpired
    case credErr, noModuleData, convErr, authtokErr, authtokRecoverErr, authtokLockBusy, authtokDisableAging
    case tryAgain, ignore, abort, authtokExpired, moduleUnknown, badItem, convAgain, incomplete

    private static let names = Dictionary(
        uniqueKeysWithValues: allCases.map { result in
            (
                "\(result)".map { letter in letter.isUppercase ? "_\(letter.lowercased())" : "\(letter)" }.joined(),
                result
            )
        })

    init?(rawValue name: String) {
        guard let result = Self.names[name] else {
            return nil
        }
        self = result
    }
}

/// A control: which action follows which value.
struct Control: Equatable, Sendable {
    private var actions: [ModuleResult: Action]
    private var fallback: Action

    func action(for result: ModuleResult) -> Action {
        actions[result] ?? fallback
    }

    /// Reads a control; nil where libpam cannot either: it takes every value for a failure then.
    init?(_ text: String) {
        switch text.lowercased() {
        case "required":
            self.init([.success: .ok, .newAuthtokReqd: .ok, .ignore: .ignore], .bad)
        case "requisite":
            self.init([.success: .ok, .newAuthtokReqd: .ok, .ignore: .ignore], .die)
        case "optional":
            self.init([.success: .ok, .newAuthtokReqd: .ok], .ignore)
        case "sufficient":
            self.init([.success: .done, .newAuthtokReqd: .done], .ignore)
        default:
            guard text.hasPrefix("["), text.hasSuffix("]") else {
                return nil
            }
            self.init(list: text.dropFirst().dropLast())
        }
    }

    private init(_ actions: [ModuleResult: Action], _ fallback: Action) {
        self.actions = actions
        self.fallback = fallback
    }

    private init?(list: Substring) {
        // What is not named is a failure.
        self.init([:], .bad)
        for part in list.split(whereSeparator: \.isWhitespace) {
            let sides = part.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            guard sides.count == 2, let action = Action(sides[1]) else {
                return nil
            }
            if sides[0] == "default" {
                fallback = action
            } else if let result = ModuleResult(rawValue: sides[0]) {
                actions[result] = action
            } else {
                return nil
            }
        }
    }

    static let failing = Control([:], .bad)
    static let ignoring = Control([:], .ignore)
}

struct Place: Hashable, Sendable {
    /// The file's name in the directory of services.
    var file: String
    /// From 1.
    var line: Int
    /// Whether it is in the vendor's directory.
    var isVendors = false

    var path: String {
        "\(isVendors ? PAMServices.vendorFolder : PAMServices.folder)/\(file)"
    }
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
    /// Whether libpam says nothing when the module is not there: "-" before the type.
    var isQuiet = false

    /// The module's name without directory and ending.
    var moduleName: String {
        let name = module?.split(separator: "/").last.map(String.init) ?? ""
        return name.hasSuffix(".so") ? String(name.dropLast(3)) : name
    }

    /// Whether the line allows for a module that is not there. Vendors do: their systemd-user names pam_systemd, which
    /// is another package, and that service is not used without it.
    var expectsNoModule: Bool {
        isQuiet || place.isVendors || controlText.mentions("module_unknown=")
    }

    /// What `config=` names in it, where it is ours; the last one counts.
    var configurationPath: String? {
        isOurs ? arguments.last { text in text.hasPrefix("config=") }.map { text in String(text.dropFirst(7)) } : nil
    }

    var isOurs: Bool {
        moduleName == "pam_cognito"
    }
}
