import Accounts
import Base
import Configuration
import Protocol
import Sessions
import Testing

@testable import Fakes

/// A mistake in the configuration, and what it makes of accounts.
private struct Mistake: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var lines: [String] = []
    /// What stands in place of a right line, by its option.
    var changed: [String: String] = [:]
    var arguments: [String] = []
    var fault: Fault?
    /// Managed accounts, which `local_password` decides about.
    var managed = "alice dora rita"
    /// Accounts that may be managed, which are refused whatever it says.
    var doubtful = ""
    /// Whether it makes `local_password = unavailable` count for nothing.
    var forbidsLocalPasswords = false
    let line: String

    private static let unreadable = Fault("/etc/security/pam_cognito.conf: does not belong to root", .configuration)

    static let all = [
        // Elsewhere.
        Mistake(testDescription: "unknown option", lines: ["colour = red"], line: "conf:9: unknown key 'colour'"),
        Mistake(testDescription: "wrong value", lines: ["welcome = perhaps"], line: "conf:9: welcome cannot be"),
        Mistake(testDescription: "no value", lines: ["proxy ="], line: "conf:9: proxy has no value"),
        Mistake(testDescription: "no '='", lines: ["welcome no"], line: "conf:9: the line has no '='"),
        Mistake(testDescription: "given twice", lines: ["client_id = a"], line: "conf:9: client_id is set twice"),
        Mistake(testDescription: "NUL", lines: ["welcome = \0"], line: "conf:9: the line contains bytes"),
        Mistake(
            testDescription: "too long", lines: ["proxy = " + String(repeating: "x", count: 5000)],
            line: "conf:9: the line has more than"),
        Mistake(
            testDescription: "too long a comment", lines: ["# users = " + String(repeating: "x", count: 5000)],
            line: "conf:9: the line has more than"),
        Mistake(
            testDescription: "allowed_groups", changed: ["allowed_groups": "allowed_groups = staff *"],
            line: "conf:3: allowed_groups cannot be"),
        Mistake(
            testDescription: "no allowed_groups", changed: ["allowed_groups": ""],
            line: "allowed_groups is required but missing"),
        Mistake(
            testDescription: "denied_groups", lines: ["denied_groups = *"], line: "conf:9: denied_groups cannot be"),
        Mistake(
            testDescription: "options that do not go together", lines: ["auth_flow = custom", "on_revoked = lock"],
            line: "on_revoked = lock does not work with sign_out = global"),
        Mistake(
            testDescription: "another option near accounts", lines: ["account_home = x"], line: "conf:9: account_home"),
        Mistake(testDescription: "argument", arguments: ["colour=red"], line: "unknown module argument 'colour=red'"),
        Mistake(testDescription: "bare argument", arguments: ["debug"], line: "unknown module argument 'debug'"),
        Mistake(
            testDescription: "allowed_groups as an argument", arguments: ["allowed_groups=a *"],
            line: "allowed_groups cannot be"),
        // In what decides about local passwords.
        Mistake(
            testDescription: "local_password", changed: ["local_password": "local_password = perhaps"],
            forbidsLocalPasswords: true, line: "conf:8: local_password cannot be"),
        Mistake(
            testDescription: "local_password twice", lines: ["local_password = unavailable"],
            forbidsLocalPasswords: true,
            line: "conf:9: local_password is set twice"),
        Mistake(
            testDescription: "local_password as an argument", arguments: ["local_password=perhaps"],
            forbidsLocalPasswords: true, line: "local_password cannot be"),
        Mistake(
            testDescription: "required_acr", lines: ["required_acr = \""], forbidsLocalPasswords: true,
            line: "conf:9: required_acr cannot be"),
        Mistake(
            testDescription: "required_acr, misspelt", lines: ["required_arc = 4"], forbidsLocalPasswords: true,
            line: "conf:9: unknown key 'required_arc'"),
        Mistake(
            testDescription: "required_acr beside a mistake", lines: ["required_acr = 4", "colour = red"],
            forbidsLocalPasswords: true, line: "conf:10: unknown key 'colour'"),
        // In what says which accounts are managed: what can be read of it counts.
        Mistake(
            testDescription: "users twice", lines: ["users = erin"], managed: "alice dora erin rita", doubtful: "kim",
            line: "conf:9: users is set twice"),
        Mistake(
            testDescription: "users without a value", lines: ["users ="], doubtful: "kim",
            line: "conf:9: users has no value"),
        Mistake(
            testDescription: "users, misspelt", changed: ["users": "user = dora"], managed: "alice rita",
            doubtful: "kim",
            line: "conf:4: unknown key 'user'"),
        Mistake(
            testDescription: "users behind a byte order mark", changed: ["users": "\u{feff}users = dora"],
            managed: "alice rita", doubtful: "kim", line: "conf:4: unknown key '???users'"),
        Mistake(
            testDescription: "USERS, without '='", changed: ["users": "USERS dora"], managed: "alice rita",
            doubtful: "kim",
            line: "conf:4: the line has no '='"),
        Mistake(
            testDescription: "users too long",
            changed: ["users": "users = dora" + String(repeating: " x", count: 2500)],
            managed: "alice rita", doubtful: "kim", line: "conf:4: the line has more than"),
        Mistake(
            testDescription: "unix_group", changed: ["unix_group": "unix_group = people staff"], managed: "dora rita",
            doubtful: "alice kim", line: "conf:5: unix_group cannot be"),
        Mistake(
            testDescription: "unix_group twice", lines: ["unix_group = people"], doubtful: "kim",
            line: "conf:9: unix_group is set twice"),
        Mistake(
            testDescription: "minimum_uid", changed: ["minimum_uid": "minimum_uid = all"], doubtful: "kim",
            line: "conf:7: minimum_uid cannot be"),
        Mistake(
            testDescription: "minimum_uid as an argument", arguments: ["minimum_uid=1"], doubtful: "kim",
            line: "minimum_uid is not allowed as a module argument"),
        Mistake(
            testDescription: "accounts", changed: ["accounts": "accounts = direct"], managed: "alice dora",
            doubtful: "kim rita", line: "conf:6: accounts cannot be"),
        Mistake(
            testDescription: "account_uids", lines: ["account_uids = 1-2"], doubtful: "kim",
            line: "conf:9: account_uids cannot be"),
        Mistake(
            testDescription: "none of it", changed: ["users": "", "unix_group": "", "accounts": ""], managed: "",
            doubtful: "alice kim rita", line: "users, unix_group and accounts are all missing"),
        // The whole file.
        Mistake(
            testDescription: "not to be believed", fault: unreadable, managed: "", doubtful: "alice kim rita",
            line: "does not belong to root"),
        Mistake(
            testDescription: "another path", arguments: ["config=/b"], managed: "", doubtful: "alice kim rita",
            line: "/b: does not exist"),
        Mistake(
            testDescription: "unreadable, with an argument about local passwords",
            arguments: ["local_password=unavailable"], fault: unreadable, managed: "", doubtful: "alice kim rita",
            line: "does not belong to root"),
    ]

    private static let right = [
        ("user_pool_id", "user_pool_id = eu-west-1_AbCdEf123"), ("client_id", "client_id = 1example23456789"),
        ("allowed_groups", "allowed_groups = staff"), ("users", "users = dora"), ("unix_group", "unix_group = people"),
        ("accounts", "accounts = directory"), ("minimum_uid", "minimum_uid = 1000"),
    ]

    func configuration(_ localPassword: String, _ more: String) -> String {
        let rights = Self.right + [("local_password", "local_password = \(localPassword)")]
        return (rights.map { name, line in changed[name] ?? line } + lines + [more]).joined(separator: "\n")
    }
}

/// alice is managed by the group, dora by name, rita by a record; dora, erin and bob have a password of this machine,
/// kim has none.
private let accounts: [String: Account] = [
    "root": Account(uid: 0, gid: 0, hasUsablePassword: true),
    "daemon": Account(uid: 999, gid: 999, hasUsablePassword: false),
    "nobody": Account(uid: 65_534, gid: 65_534, hasUsablePassword: false),
    "alice": Account(uid: 5001, gid: 5001, hasUsablePassword: false),
    "dora": Account(uid: 5002, gid: 5002, hasUsablePassword: true),
    "erin": Account(uid: 5003, gid: 5003, hasUsablePassword: true),
    "bob": Account(uid: 5004, gid: 5004, hasUsablePassword: true),
    "kim": Account(uid: 5005, gid: 5005, hasUsablePassword: false),
    "rita": Account(uid: 70_000, gid: 70_000, hasUsablePassword: false),
]

@Suite struct MistakeTests {
    private func world(
        _ mistake: Mistake, _ user: String, _ localPassword: String = "never", _ more: String = "",
        arguments: [String] = []
    ) -> World {
        let world = World()
        world.machine.configuration = Array(mistake.configuration(localPassword, more).utf8)
        world.machine.configurationFault = mistake.fault
        world.arguments = mistake.arguments + arguments
        world.machine.accounts = Dictionary(
            uniqueKeysWithValues: accounts.map { name, account in (Array(name.utf8), account) })
        world.machine.people = [Array("alice".utf8)]
        world.machine.ownAccounts[Array("rita".utf8)] = .some(OwnAccount(.enabled))
        world.host.userName = .success(Array(user.utf8))
        return world
    }

    private func agent(_ refusal: AgentRefusal) -> FakeAgent {
        FakeAgent([packet(.refused, [(.refusal, [refusal.rawValue]), (.text, Array("No.".utf8))])])
    }

    private func names(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

    @Test(
        "a mistake changes nothing about who may use a password of this machine, and is one line in the log",
        arguments: Mistake.all)
    private func signIns(mistake: Mistake) {
        for user in accounts.keys {
            for setting in ["never", "unavailable"] {
                let world = world(mistake, user, setting)
                let falls = setting == "unavailable" && !mistake.forbidsLocalPasswords
                let expected: ReturnValue =
                    names(mistake.managed).contains(user)
                    ? falls ? .authenticationInformationUnavailable : .credentialsUnavailable
                    : names(mistake.doubtful).contains(user) ? .credentialsUnavailable : .ignore
                #expect(world.authenticate() == expected, "\(user), \(setting)")
                #expect(world.host.shown == (expected == .credentialsUnavailable ? [settingsAreWrong] : []))
                let log = world.host.takeLog()
                #expect(log.count == (user == "root" ? 0 : 1), "\(user): \(log)")
                #expect(log.allSatisfy { line in line.contains(mistake.line) }, "\(log)")
                // A refused user is found by name.
                let audited = "authentication failure; user='\(user)' session=0 service='sshd' rhost='203.0.113.7' "
                #expect(
                    log.allSatisfy { line in
                        line.hasPrefix("ERROR \(audited)reason=configuration: ") == (expected != .ignore)
                    }, "\(user): \(log)")
                #expect(world.machine.workers.isEmpty && world.host.questions.isEmpty)
                // What the agent says to a screen lock, which is its caller's.
                #expect(world.proveIdentity() == expected, "\(user), \(setting)")
            }
        }
    }

    @Test(
        "no password is changed of an account that is managed, or may be, and the user is told why, once",
        arguments: Mistake.all)
    private func passwords(mistake: Mistake) {
        for user in accounts.keys {
            let world = world(mistake, user, "unavailable")
            let isRefused = names(mistake.managed + " " + mistake.doubtful).contains(user)
            for pass in [PasswordPass.preliminary, .update] {
                #expect(
                    world.changePassword(pass) == (isRefused ? .authenticationTokenRecoveryError : .ignore),
                    "\(user), \(pass)")
                let log = world.host.takeLog()
                #expect(log.count == (isRefused && pass == .preliminary ? 1 : 0), "\(log)")
                #expect(
                    log.allSatisfy { line in
                        line.hasPrefix("ERROR password change failure; user='\(user)' session=0 ")
                            && line.contains(" reason=configuration: ")
                    }, "\(log)")
            }
            #expect(world.host.shown == (isRefused ? [settingsAreWrong] : []), "\(user)")
            #expect(world.machine.workers.isEmpty && world.host.questions.isEmpty)
        }
    }

    @Test("key_logins = refuse keeps out whom it would, and whom it might", arguments: Mistake.all)
    private func keyLogins(mistake: Mistake) {
        for user in accounts.keys {
            let world = world(mistake, user, "never", "key_logins = refuse", arguments: ["key_logins=refuse"])
            let isRefused = names(mistake.managed + " " + mistake.doubtful).contains(user)
            #expect(world.checkAccount() == (isRefused ? .permissionDenied : .ignore), "\(user)")
            let log = world.host.takeLog()
            #expect(log.contains { line in line.contains(mistake.line) } == isRefused, "\(user): \(log)")
            #expect(log.filter { line in line.contains("account refused") }.count == (isRefused ? 1 : 0))
        }
    }

    @Test(
        "without it only an account is kept out whose record cannot be judged, and the log has what is in doubt",
        arguments: Mistake.all)
    private func keys(mistake: Mistake) {
        for user in accounts.keys {
            let world = world(mistake, user)
            let isRefused = user == "rita" && names(mistake.doubtful).contains(user)
            #expect(world.checkAccount() == (isRefused ? .permissionDenied : .ignore), "\(user)")
            let log = world.host.takeLog()
            let isLogged = log.contains { line in line.contains(mistake.line) }
            #expect(isLogged == names(mistake.doubtful).contains(user), "\(user): \(log)")
        }
    }

    @Test("a mistake in key_logins is read as refuse", arguments: ["key_logins = perhaps", "key_login = refuse"])
    func wrongKeyLogins(line: String) {
        let mistake = Mistake(testDescription: line, lines: [line], line: line)
        for (user, value) in [("alice", ReturnValue.permissionDenied), ("kim", .ignore), ("bob", .ignore)] {
            #expect(world(mistake, user).checkAccount() == value)
        }
    }

    @Test(
        "a unix_group that does not exist keeps out key logins only, and only if key_logins refuses them",
        arguments: [
            ("key_logins = refuse", .permissionDenied), ("key_logins = perhaps", .permissionDenied),
            ("welcome = perhaps", .ignore), ("", .ignore),
        ] as [(String, ReturnValue)])
    func missingGroup(line: String, value: ReturnValue) {
        let mistake = Mistake(
            testDescription: line, lines: [line], changed: ["unix_group": "unix_group = peple"],
            line: "unix_group is 'peple', which is not a group on this machine")
        for caller: UInt32 in [0, 5004] {
            let world = world(mistake, "alice")
            world.machine.realUserID = caller
            #expect(world.checkAccount() == value)
            let log = world.host.takeLog()
            let isRefused = log.contains { line in line.contains("reason=configuration: \(mistake.line)") }
            #expect(isRefused == (value != .ignore), "\(log)")
        }
    }

    @Test("what the caller of a set-uid program can bring about ends there, whoever it is about")
    func scarcity() {
        for isResourceExhaustion in [false, true] {
            let fault = Fault(
                "/etc/security/pam_cognito.conf: cannot be read (errno 24)", isResourceExhaustion: isResourceExhaustion)
            let mistake = Mistake(testDescription: "scarce", fault: fault, line: "errno 24")
            for user in accounts.keys {
                let world = world(mistake, user)
                world.machine.realUserID = 5004
                let doubtful = ["alice", "kim", "rita"].contains(user)
                let expected: (ReturnValue, ReturnValue, ReturnValue) =
                    user == "root"
                    ? (.ignore, .ignore, .ignore)
                    : isResourceExhaustion
                        ? (.systemError, .systemError, .systemError)
                        : doubtful
                            ? (.credentialsUnavailable, .authenticationTokenRecoveryError, .ignore)
                            : (.ignore, .ignore, .ignore)
                #expect(world.authenticate() == expected.0, "\(user), \(isResourceExhaustion)")
                #expect(world.changePassword(.preliminary) == expected.1, "\(user), \(isResourceExhaustion)")
                #expect(
                    world.checkAccount() == (user == "rita" && !isResourceExhaustion ? .permissionDenied : expected.2),
                    "\(user)")
            }
        }
    }

    @Test("a screen lock that cannot read the file has the agent say whose the account is")
    func screenLock() {
        let mistake = Mistake(
            testDescription: "root's alone", fault: Fault("/etc/security/pam_cognito.conf: cannot be read (errno 13)"),
            line: "errno 13")
        for (agent, arguments, expected) in [
            (FakeAgent([packet(.complete, [])]), [], .success), (agent(.notCovered), [], .ignore),
            (agent(.serviceFault), [], .credentialsUnavailable),
            // It is unknown who has a password: the local one decides, if there is one.
            (nil, [], .authenticationInformationUnavailable),
            (FakeAgent([packet(.complete, [])]), ["welcome=no"], .authenticationInformationUnavailable),
        ] as [(FakeAgent?, [String], ReturnValue)] {
            let world = world(mistake, "alice", arguments: arguments)
            world.machine.realUserID = 5001
            world.machine.effectiveUserID = 5001
            world.machine.agent = agent
            #expect(world.authenticate() == expected)
        }
    }
}
