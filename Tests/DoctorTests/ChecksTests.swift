import Base
import Configuration
import Foundation
import Glibc
import Keyring
import Protocol
import Sessions
import Testing
import Tokens

@testable import Doctor

@Suite("The list of checks")
struct ChecksTests {
    /// By the parts of docs/reference/doctor.md.
    private static let found: KeyValuePairs = [
        "Machine, keyrings and agent": machine, "Configuration": configuration, "Files": files, "sshd": ssh,
        "Worker and Cognito": cognito, "Accounts from the pool": accounts, "Managed accounts": users,
        "PAM stacks": stacks,
    ]

    @Test("a broken set-up makes each check appear")
    func appearance() {
        let found = Self.found.flatMap(\.value)
        let missing = Set(CheckID.allCases).subtracting(found.map(\.id))
        #expect(missing.isEmpty, "no broken set-up makes these appear")
        #expect(found.allSatisfy { check in !check.what.isEmpty && !check.why.isEmpty })
    }

    @Test("docs/reference/doctor.md has each message, as a broken set-up makes it appear")
    func document() throws {
        var lines: [String] = []
        for (title, checks) in Self.found {
            lines += ["", "## \(title)"]
            for check in checks where !lines.contains(Self.heading(check)) {
                lines += ["", Self.heading(check), "", "\(check.severity.name.capitalized). \(check.why)"]
                lines += check.fix.map { fix in ["", "```", fix, "```"] } ?? []
            }
        }
        let written = try String(contentsOf: Self.page, encoding: .utf8)
        let begin = try #require(written.range(of: Self.mark)).upperBound
        let fresh = written[..<begin] + lines.joined(separator: "\n") + "\n"
        if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] != nil {
            try String(fresh).write(to: Self.page, atomically: true, encoding: .utf8)
        } else {
            #expect(written == fresh, "UPDATE_GOLDEN=1 writes the page anew")
        }
    }

    private static let page = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../docs/reference/doctor.md").standardized
    private static let mark = "<!-- Made by Tests/DoctorTests/ChecksTests.swift from here on. -->\n"

    private static func heading(_ check: Check) -> String {
        "### " + check.what.replacing("`", with: "'").replacing("<", with: "&lt;").replacing(#/\.$/#, with: "")
    }

    private static let configurationFile = "/etc/security/pam_cognito.conf"
    private static let keySetAddress =
        "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_AbCdEf123/.well-known/jwks.json"

    private static var machine: [Check] {
        var facts = MachineFacts(rooms: [("/run", false), ("/var", true)], nologin: "/etc/nologin", logError: 2)
        facts.names.blind = ["passwd"]
        facts.names.missing = ["sss"]
        let keyrings = [
            KeyringFacts(fault: .refused(1), keys: 0, bytes: 0),
            KeyringFacts(fault: .unreadable(13), keys: 0, bytes: 0),
            KeyringFacts(mostKeys: 10, mostBytes: 10, keys: 10, bytes: 0),
        ]
        let accounts = [
            nil, WorkerAccount(uid: 0, gid: 0, shell: "", hasUsablePassword: false),
            WorkerAccount(uid: 9, gid: 9, shell: "/bin/sh", hasUsablePassword: true),
        ]
        return facts.findings + keyrings.flatMap(\.findings)
            + accounts.flatMap { account in WorkerAccount.findings(account, name: "_pam-cognito") }
            + WorkerFacts(status: "").findings(account: 9) + agent
    }

    private static var agent: [Check] {
        let states = [
            ("not-found", "inactive", ""), ("masked", "inactive", ""), ("loaded", "active", "disabled"),
            ("loaded", "failed", ""),
        ]
        let units = states.map { load, active, file in
            SystemdUnit(name: "pam-cognito-agent.socket", load: load, active: active, file: file)
        }
        let answers: [AgentFacts.SocketAnswer] = [.unheard(ENOENT), .unheard(EACCES), .foreign, .silent, .answered]
        return units.compactMap { unit in unit.finding(.broken, why: AgentFacts.agentWhy) }
            + answers.flatMap { answer in AgentFacts(units: [], answer: answer, mode: 0o600).findings }
            + [true, false].flatMap { asksAgent in
                PolkitSandbox("PrivateNetwork=yes", asksAgent: asksAgent).findings(agentListens: false)
            }
    }

    private static var configuration: [Check] {
        let files = [Result<[UInt8], FileFault>.failure(.missing), .success(Array("x".utf8))]
        let effects: [MistakeEffect] = [
            .refused, .localPassword(isManaged: true), .localPassword(isManaged: false),
        ]
        let day: Int64 = 86_400
        let keys = Array("{\"keys\":[{}]}".utf8)
        let keySets: [Result<KeySetFile, FileFault>] = [
            .failure(.missing), .success(KeySetFile(Array("{}".utf8), written: 0, now: 0)),
            .success(KeySetFile(keys, written: 0, now: 9999 * day)),
        ]
        return files.flatMap { file in ConfigurationExamination(configurationFile, file).findings }
            + [ConfigurationExamination.fileFault("pam_cognito.conf")].compactMap(\.self)
            + ConfigurationExamination.findings(of: effects.map { effect in ("ana", effect) })
            + secretFindings("/etc/security/pam_cognito.secret", .failure(.missing))
            + secretFindings("/etc/security/pam_cognito.secret", .success([]))
            + keySets.compactMap { content in
                keySetFinding("/etc/security/pam_cognito.jwks", content, address: keySetAddress)
            }
            + metricsFindings("/var/lib/prometheus/pam-cognito.prom", error: ENOENT) + identity
    }

    private static var identity: [Check] {
        let files: [(FileFault?, Bool)] = [(.wrongOwner, false), (.missing, false), (nil, false)]
        return files.flatMap { fault, hasKeys in
            IdentityFacts(
                configuration: configurationFile, keepsJournal: false,
                file: IdentityFacts.KeyFile(path: "/etc/security/pam_cognito.aws", fault: fault, hasKeys: hasKeys)
            ).findings
        }
            + IdentityFacts(
                configuration: configurationFile, keepsJournal: true, metadata: (["169.254.169.254"], false)
            ).findings
    }

    private static var files: [Check] {
        let facts = FileFacts(
            module: FileFact("/usr/lib/x86_64-linux-gnu/security/pam_cognito.so", nil),
            worker: FileFact("/usr/libexec/pam-cognito/cognito-worker", .folder),
            agent: FileFact("/usr/libexec/pam-cognito/cognito-agent", .regular, mode: 0o400),
            doctor: FileFact("/usr/libexec/pam-cognito/cognito-doctor", .regular, owner: 1000, mode: 0o755),
            runFolder: FileFact("/run/pam-cognito", nil),
            stateFolders: [
                FileFact("/var/lib/pam-cognito", .folder, mode: 0o755),
                FileFact("/var/lib/pam-cognito/journal", .regular),
            ], trusted: [], isSwitchedOff: true)
        return facts.findings
    }

    private static var ssh: [Check] {
        let good = "usepam yes\nkbdinteractiveauthentication yes\nlogingracetime 20\nallowusers bob\n"
        let settings = [
            "usepam no\n", "kbdinteractiveauthentication no\n", "permitemptypasswords yes\n",
            "kbdinteractiveauthentication no\npasswordauthentication yes\n",
        ].map { change in SSHFact.settings(change + good) }
        return ([.silent, .refused("no")] + settings).flatMap { fact in
            SSHExamination(
                fact, asksCognito: true, networkTimeout: 15_000, accounts: [SSHAccount(name: "ana", groups: [])]
            ).findings
        }
    }

    private static var cognito: [Check] {
        func reached(_ name: String, _ word: String) -> CognitoFact {
            .reached(ReachedCognito(.object([name: .string(word)])))
        }
        let report: [String: JSONValue] = [
            "clock_ahead": .integer(400), "tls_us": .integer(4_000_000), "revocation": .string("off"),
            "open_layers": .array(["system_calls", "files", "limits"].map(JSONValue.string)),
        ]
        let facts: [CognitoFact] =
            [
                .noWorker("It could not be started.", .other), .failed("Cognito did not answer.", .unreachable),
                .reached(ReachedCognito(.object(report))),
            ]
            + ["no_client", "no_secret", "no_flow", "no_plan", "not_enabled"].map { word in reached("sign_in", word) }
            + ["no_plan", "ignored", "no_flow"].map { word in reached("levels", word) }
            + ["other", "older"].map { word in reached("key_set_file", word) }
            + ["unreachable", "redirect_mismatch"].map { word in reached("managed_login", word) }
        var settings = Settings.defaults
        settings.userPoolID = Array("eu-west-1_AbCdEf123".utf8)
        settings.clientID = Array("1h57kf5cpq17m0eml12EXAMPLE".utf8)
        settings.endpoint = Array("https://vpce-1.cognito-idp.eu-west-1.vpce.amazonaws.com".utf8)
        settings.keySetFile = Array("/etc/security/pam_cognito.jwks".utf8)
        settings.signOut = .session
        settings.worker.managedLoginDomain = Array("auth.example.com".utf8)
        return facts.flatMap { fact in
            CognitoExamination(
                fact, settings, at: configurationFile, hasProxy: false
            ).findings
        }
    }

    private static var accounts: [Check] {
        var facts = AccountServiceFacts()
        facts.nameServices = "passwd: files\n"
        facts.units = []
        (facts.isReadable, facts.isHeard, facts.storeFault) = (false, false, .notPermitted)
        (facts.isFromDirectory, facts.hasIdentity) = (true, false)
        (facts.damaged, facts.refused) = (["ana"], ["ana"])
        (facts.sourceBehind, facts.silentSources, facts.contested) = ("ldap", ["ldap"], ["ana"])
        facts.others = [("UID_MIN", 1000, 65_536)]
        var unserved = AccountServiceFacts()
        unserved.nameServices = "passwd: files systemd\ngroup: files systemd\n"
        unserved.unserved = "ana"
        return facts.findings + unserved.findings
    }

    private static var users: [Check] {
        func person(_ uid: UInt32, password: Bool = false, locked: Bool = false) -> PersonFact {
            PersonFact(
                name: "ana", uid: uid, isNamed: false, isMember: true, hasUsablePassword: password,
                hasLockedPassword: locked)
        }
        var facts = PeopleFacts(
            people: [
                person(1), person(1000, password: true), person(1000, locked: true),
            ], unknown: ["eve"], group: "cognito", hasGroup: false, minimumUID: 1000)
        facts.mapped = [MappedGroup(name: "gone", gid: nil)]
        let nobody = PeopleFacts(
            people: [], unknown: [], group: nil, hasGroup: false, minimumUID: 1000, hasRepairer: false)
        let closings: [AccountClosing] = [
            .noShadow, .expired, .inactive, .passwordIsOld(.none), .noShell("/bin/gone"), .closingShell("/bin/false"),
        ]
        let attempts = [AttemptKind.failure, .codeSent].map { kind in
            Attempt(
                key: RootKey(serial: KeySerial(1), description: []), kind: kind,
                subject: AttemptSubject(user: Array("ana".utf8), caller: 0), end: Instant(milliseconds: 9), holder: nil)
        }
        return facts.findings() + nobody.findings()
            + closings.map { closing in closing.finding(["ana"], .broken, passingAge: false) }
            + [CheckID.tooManyFailures, .tooManyCodes].flatMap { id in
                AccountObstacles.findings(of: attempts, id, "ana", 1, at: Instant(milliseconds: 0))
            }
            + [AccountObstacles.locked("ana", 3)]
    }

    /// Services with many slips each.
    private static let services = [
        "sshd": """
        auth [auth_err=ignore default=die] pam_deny.so
        auth sufficient pam_cognito.so config=/etc/other.conf
        auth sufficient pam_cognito.so
        auth required pam_gone.so
        auth required pam_unix.so
        account sufficient pam_cognito.so
        account required pam_nologin.so
        account required pam_unix.so
        session required pam_unix.so
        """,
        "su": """
        auth optional pam_faillock.so preauth
        auth sufficient pam_cognito.so
        auth required pam_unix.so
        account optional pam_cognito.so key_logins=refuse
        account required pam_unix.so
        session optional pam_keyinit.so force
        session sufficient pam_cognito.so
        session required pam_unix.so
        """,
        "xdm": """
        auth required pam_faillock.so preauth
        auth required pam_cognito.so nonsense=yes
        account required pam_cognito.so
        account required pam_unix.so
        session optional pam_cognito.so
        session optional pam_keyinit.so force revoke
        session required pam_unix.so
        """,
        "kdm": """
        auth sufficient pam_cognito.so
        auth [default=die] pam_faillock.so authfail
        account required pam_unix.so
        session optional pam_cognito.so
        session required pam_unix.so
        """,
        "login": "auth required pam_unix.so\nauth optional pam_cognito.so\n",
        "open": "auth optional pam_cognito.so\nauth required pam_permit.so\n",
        "bad": "auth nonsense pam_cognito.so\n",
        "half": "auth required pam_unix.so\nsession optional pam_cognito.so\n",
        "passwd": """
        password requisite pam_pwquality.so
        password optional pam_cognito.so
        password required pam_unix.so
        """,
    ]

    private static var stacks: [Check] {
        func findings(_ files: [String: String], _ judge: StackJudge = StackTests.judge()) -> [Check] {
            StackExamination(
                PAMServices(files),
                in: PAMSurroundings(
                    shipped: [:], shippedFolder: "/usr/share/doc/pam-cognito/examples", missingModules: ["pam_gone.so"]),
                judge: judge
            ).findings
        }
        var withoutPassword = services
        withoutPassword["passwd"] = "password required pam_unix.so\n"
        return findings(services) + findings(withoutPassword) + findings([:])
            + findings(services, StackJudge("/nonexistent"))
    }
}
