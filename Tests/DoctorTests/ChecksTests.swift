import Base
import Configuration
import Glibc
import Keyring
import Protocol
import Sessions
import Testing

@testable import Doctor

@Suite("The list of checks")
struct ChecksTests {
    @Test("a broken set-up makes each check appear")
    func appearance() {
        let found =
            Self.machine + Self.configuration + Self.files + Self.ssh + Self.cognito + Self.accounts
            + Self.users + Self.stacks
        let missing = Set(CheckID.allCases).subtracting(found.map(\.id))
        #expect(missing.isEmpty, "no broken set-up makes these appear")
        #expect(found.allSatisfy { check in !check.what.isEmpty && !check.why.isEmpty })
    }

    private static var machine: [Check] {
        var facts = MachineFacts(rooms: [("/run", .full), ("/var", .readOnly)], nologin: "/etc/nologin", logError: 2)
        facts.names.blind = ["passwd"]
        facts.names.missing = ["sss"]
        let keyrings = [
            KeyringFacts(fault: .refused(1), keys: 0, bytes: 0),
            KeyringFacts(fault: .unreadable(13), keys: 0, bytes: 0),
            KeyringFacts(mostKeys: 10, mostBytes: 10, keys: 10, bytes: 0),
        ]
        let accounts = [
            nil, WorkerAccount(name: "w", uid: 0, gid: 0, shell: "", hasUsablePassword: false),
            WorkerAccount(name: "w", uid: 9, gid: 9, shell: "/bin/sh", hasUsablePassword: true),
        ]
        return facts.findings + keyrings.flatMap(\.findings)
            + accounts.flatMap { account in WorkerAccount.findings(account, name: "w") }
            + WorkerFacts(status: "").findings(account: 9) + agent
    }

    private static var agent: [Check] {
        let states = [
            ("not-found", "inactive", ""), ("masked", "inactive", ""), ("loaded", "active", "disabled"),
            ("loaded", "failed", ""),
        ]
        let units = states.map { load, active, file in SystemdUnit(name: "u", load: load, active: active, file: file) }
        let answers: [AgentFacts.SocketAnswer] = [.unheard(ENOENT), .unheard(EACCES), .foreign, .silent, .answered]
        return units.compactMap { unit in unit.finding(.broken, why: "w") }
            + units.compactMap { unit in unit.failed(.broken, why: "w") }
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
            .failure(.missing), .success(KeySetFile([], written: 0, now: 0)),
            .success(KeySetFile(Array("{}".utf8), written: 0, now: 0)),
            .success(KeySetFile(keys, written: 9 * day, now: 0)),
            .success(KeySetFile(keys, written: 0, now: 9999 * day)),
        ]
        return files.flatMap { file in ConfigurationExamination("/c", file).findings }
            + [ConfigurationExamination.fileFault("c")].compactMap(\.self)
            + ConfigurationExamination.findings(of: effects.map { effect in ("ana", effect) })
            + secretFindings("/s", .missing, isEmpty: false) + secretFindings("/s", nil, isEmpty: true)
            + keySets.flatMap { content in keySetFindings("/k", content, address: "https://a") }
            + TokenSettings(locksTokens: true, knowsScreens: false, exportsTokens: true).findings
            + MetricsFacts(path: "/m", error: ENOENT).findings + identity
    }

    private static var identity: [Check] {
        let files: [(FileFault?, Bool)] = [(.wrongOwner, false), (.missing, false), (nil, false)]
        let reaches: [(IdentityFacts.ConnectionTrial, IdentityFacts.ConnectionTrial)] = [
            (.reached, .notReached), (.untried, .reached),
        ]
        return files.flatMap { fault, hasKeys in
            IdentityFacts(
                configuration: "/c", keepsJournal: false,
                file: IdentityFacts.KeyFile("/k", fault: fault, hasKeys: hasKeys)
            ).findings
        }
            + reaches.flatMap { anybody, workers in
                IdentityFacts(
                    configuration: "/c", keepsJournal: true,
                    metadata: IdentityFacts.AddressReach(byOthers: [("a", anybody)], byWorkers: workers)
                ).findings
            }
    }

    private static var files: [Check] {
        let facts = FileFacts(
            module: FileFact("/m", nil), worker: FileFact("/w", .folder), agent: FileFact("/a", .regular, mode: 0o400),
            doctor: FileFact("/d", .regular, owner: 1000, mode: 0o755), runFolder: FileFact("/run", nil),
            stateFolders: [FileFact("/s", .folder, mode: 0o755)], journalFolder: FileFact("/j", .regular), trusted: [],
            isSwitchedOff: true)
        return facts.findings + Check.writableTallies([FileFact("/t", .regular, group: 9, mode: 0o660)], in: "/f")
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
        func reached(_ change: (inout ReachedCognito) -> Void) -> CognitoFact {
            var reached = ReachedCognito(
                address: "a", nameTime: 1, connectTime: 1, tlsTime: 1, answerTime: 1, keys: 2, certificates: [])
            change(&reached)
            return .reached(reached)
        }
        let facts: [CognitoFact] =
            [
                .noWorker("no", .other), .failed("no", .unreachable),
                reached { reached in
                    (reached.clockAhead, reached.tlsTime, reached.refusesRevocation) = (400, 4000, true)
                    reached.openLayers = ["system_calls", "files", "limits"]
                },
            ]
            + ["no_client", "no_secret", "no_flow", "no_plan", "not_enabled"].map { word in
                reached { reached in reached.signIn = word }
            }
            + ["no_plan", "ignored", "no_flow"].map { word in reached { reached in reached.levels = word } }
            + ["other", "older"].map { word in reached { reached in reached.keySetFile = word } }
            + ["unreachable", "redirect_mismatch"].map { word in
                reached { reached in reached.managedLogin = ManagedLoginFact(domain: "d", answer: word) }
            }
        return facts.flatMap { fact in
            CognitoExamination(
                fact, host: "a.vpce.amazonaws.com", pool: "eu-west-1_P", path: "/c", connectTimeout: 5000,
                hasProxy: false,
                revoking: ("p", "c"), keySetFile: ("/k", "https://a"),
                sandbox: SandboxSupport(seccomp: EPERM, landlock: EPERM, isFiltered: true)
            ).findings
        }
    }

    private static var accounts: [Check] {
        var facts = AccountServiceFacts()
        facts.nameServices = "passwd: files\n"
        facts.units = []
        (facts.isReadable, facts.isHeard, facts.storeFault) = (false, false, .notPermitted)
        (facts.isFromDirectory, facts.hasIdentity) = (true, false)
        (facts.damaged, facts.refused, facts.strayHomes) = (["ana"], ["ana"], [("/home/tim", 70_000)])
        (facts.sourceBehind, facts.silentSources, facts.contested) = ("ldap", ["ldap"], ["ana"])
        (facts.areUserIDsByName, facts.homeWithSetID) = (true, "/home/ana")
        facts.others = [("UID_MIN", 1000, 65_536)]
        var unserved = AccountServiceFacts()
        unserved.nameServices = "passwd: files systemd\ngroup: files systemd\n"
        unserved.unserved = "ana"
        return facts.findings + unserved.findings
    }

    private static var users: [Check] {
        func person(_ uid: UInt32, named: Bool = false, password: Bool = false, locked: Bool = false) -> PersonFact {
            PersonFact(
                name: "ana", uid: uid, isNamed: named, isMember: true, hasUsablePassword: password,
                hasLockedPassword: locked)
        }
        var facts = PeopleFacts(
            people: [
                person(1), person(1000, named: true, password: true), person(1000, password: true),
                person(1000, locked: true),
            ], unknown: ["eve"], group: "cognito", hasGroup: false, minimumUID: 1000, allowsLocalPasswords: true)
        facts.mapped = [
            MappedGroup(name: "gone", cognito: ["a"], gid: nil), MappedGroup(name: "toor", cognito: ["a"], gid: 0),
            MappedGroup(name: "docker", cognito: ["a"], gid: 9),
        ]
        let nobody = PeopleFacts(
            people: [], unknown: [], group: nil, hasGroup: false, minimumUID: 1000, hasRepairer: false)
        let closings: [AccountClosing] = [
            .noShadow, .expired, .inactive, .passwordIsOld(.none), .noShell("/x"), .closingShell("/bin/false"),
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
        auth sufficient pam_cognito.so config=/x
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
                in: PAMSurroundings(shipped: [:], shippedFolder: "/s", missingModules: ["pam_gone.so"]), judge: judge
            ) { arguments in arguments.contains("nonsense=yes") ? "nonsense" : nil }.findings
        }
        var withoutPassword = services
        withoutPassword["passwd"] = "password required pam_unix.so\n"
        let lockout = "even_deny_root\ndeny = 1\ndeny = 0\ndeny = x\nnonsense\n"
        return findings(services) + findings(withoutPassword) + findings([:])
            + findings(services, StackJudge("/nonexistent")) + LockoutSettings(lockout, at: "/f").findings
    }
}
