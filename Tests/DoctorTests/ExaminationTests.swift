import Base
import Configuration
import Glibc
import Keyring
import Messages
import Protocol
import Sessions
import Testing
import Tokens

@testable import Doctor

@Suite("What the doctor makes of facts")
struct ExaminationTests {
    private static let good = "user_pool_id = eu-west-1_Abc\nclient_id = abc\nusers = ana\nallowed_groups = *\n"

    @Test(
        "configuration: every mistake with its line",
        arguments: [
            (good, []),
            (good + "welcome = maybe\n", ["line 5: welcome cannot be 'maybe'; allowed: yes or no."]),
            (
                "sign_ut = global\n" + good + "nothing\n",
                [
                    "line 1: unknown key 'sign_ut'; did you mean sign_out?",
                    "line 6: the line has no '='. Write: key = value.",
                ]
            ),
            (
                "users = ana\n",
                ["user_pool_id is required but missing; allowed: a user pool id such as eu-west-1_AbCdEf123."]
            ),
            // What is missing because of a mistake is not told besides.
            (
                good.split(separator: "\n").dropFirst().joined(separator: "\n") + "\nuser_pool_id = x\n",
                ["line 4: user_pool_id cannot be 'x'; allowed: a user pool id such as eu-west-1_AbCdEf123."]
            ),
        ] as [(String, [String])])
    func configuration(text: String, found: [String]) {
        let examination = ConfigurationExamination("/c", .success(Array(text.utf8)))
        #expect(examination.findings.count == found.count)
        for (finding, words) in zip(examination.findings, found) {
            #expect(finding.what.hasSuffix(words) || finding.what.hasSuffix(words + "."), "\(finding.what)")
            #expect(finding.severity == .broken && finding.fix != nil)
        }
        #expect((examination.settings == nil) == !found.isEmpty)
    }

    @Test("configuration: a file that is not believed", arguments: [FileFault.missing, .wrongOwner, .writableByOthers])
    func untrusted(fault: FileFault) {
        let examination = ConfigurationExamination("/c", .failure(fault))
        #expect(examination.settings == nil)
        #expect(examination.findings.map(\.severity) == [.broken])
    }

    @Test("configuration: where it is missing, the sample is put in its place")
    func sample() {
        let mend = ConfigurationExamination("/c", .failure(.missing)).findings.first?.fix
        #expect(mend?.hasPrefix("install -m 0644 /usr/share/doc/pam-cognito/pam_cognito.conf /c && ") == true)
    }

    @Test("what config= names is read as a login reads it")
    func otherFiles() {
        #expect(ConfigurationExamination.fileFault("etc/c.conf")?.what.contains("not an absolute path") == true)
        #expect(ConfigurationExamination.fileFault("")?.severity == .broken)
        #expect(
            ConfigurationExamination.fileFault("/nonexistent/c.conf")?.what == "/nonexistent/c.conf does not exist.")
    }

    @Test("a mistake: who is refused by it, and whom a password of this machine alone lets in")
    func mistakeEffects() {
        func account(_ uid: UInt32, _ hasPassword: Bool) -> Account {
            Account(uid: uid, gid: uid, hasUsablePassword: hasPassword)
        }
        func coverage(_ more: String) -> CoverageSettings {
            ConfigurationReading(parsing: Array((Self.good + more).utf8)).coverage
        }
        let elsewhere = coverage("colour = red\n")
        let local = coverage("colour = red\nlocal_password = unavailable\n")
        let unknown = coverage("user = dora\n")
        for (found, hasPassword, coverage, expected) in [
            (.covered(account(1000, true)), true, elsewhere, .refused),
            (.covered(account(1000, true)), true, local, .localPassword(isManaged: true)),
            (.covered(account(1000, false)), false, local, .refused),
            (.doubtful, false, unknown, .refused), (nil, true, unknown, .refused),
            (.notCovered, true, elsewhere, .none), (.notCovered, true, unknown, .localPassword(isManaged: false)),
            (.notCovered, true, CoverageSettings(withoutFile: []), .localPassword(isManaged: false)),
            (.notCovered, false, unknown, .none), (.unknown, false, elsewhere, .none),
        ] as [(Coverage?, Bool, CoverageSettings, MistakeEffect)] {
            #expect(MistakeEffect(found, account(1000, hasPassword), coverage) == expected)
        }
        #expect(MistakeEffect(.notCovered, account(0, true), unknown) == .none)
        let told = ConfigurationExamination.findings(of: [
            ("ana", .refused), ("bob", .none), ("dora", .localPassword(isManaged: true)), ("kim", .refused),
            ("erin", .localPassword(isManaged: false)),
        ])
        #expect(told.count == 3 && told.allSatisfy { finding in finding.severity == .broken })
        for (finding, names) in zip(told, ["ana, kim.", "dora.", "erin."]) {
            #expect(finding.what.hasSuffix(" \(names)"), "\(finding.what)")
        }
    }

    @Test("too many failures, and too many codes that were not entered, each for those who have asked for them")
    func tries() {
        func attempts(_ kind: AttemptKind, _ callers: [UInt32]) -> [Attempt] {
            callers.map { caller in
                Attempt(
                    key: RootKey(serial: KeySerial(1), description: []), kind: kind,
                    subject: AttemptSubject(user: Array("ana".utf8), caller: caller),
                    end: Instant(milliseconds: 60_500),
                    holder: nil)
            }
        }
        func found(_ kind: AttemptKind, _ callers: [UInt32]) -> [Check] {
            AccountObstacles.findings(
                of: attempts(kind, callers), kind == .codeSent ? .tooManyCodes : .tooManyFailures, "ana", 2,
                at: Instant(milliseconds: 500))
        }
        #expect(found(.failure, [0, 1000]) == [])
        #expect(found(.failure, [0, 0, 1000, 1000]).map(\.severity) == [.broken, .warning])
        let codes = found(.codeSent, [0, 0, 0])
        #expect(codes.first?.what.hasPrefix("2 or more codes for sign-ins as ana") == true)
        #expect(codes.first?.fix == "cognito-agent failures --reset ana")
    }

    @Test(
        "module arguments are those of the option table",
        arguments: [
            ([], true), (["try_first_pass", "config=/x", "sign_out=session"], true), (["allowed_groups=a b"], true),
            (["debug"], false), (["sign_out=never"], false), (["user_pool_id=eu-west-1_A"], false),
        ] as [([String], Bool)])
    func arguments(arguments: [String], isGood: Bool) {
        #expect((ConfigurationExamination.argumentFault(arguments) == nil) == isGood)
    }

    private static func facts(
        module: FileFact = FileFact("/m", .regular, mode: 0o644),
        worker: FileFact = FileFact("/w", .regular, mode: 0o755),
        agent: FileFact = FileFact("/a", .regular, mode: 0o755),
        doctor: FileFact = FileFact("/d", .regular, mode: 0o755),
        run: FileFact = FileFact("/run", .folder, mode: 0o755),
        state: FileFact = FileFact("/state", .folder, mode: 0o700),
        journal: FileFact = FileFact("/journal", .folder, mode: 0o700),
        trusted: FileFact = FileFact("/etc/pam.d/x", .regular, mode: 0o644),
        isSwitchedOff: Bool = false
    ) -> [Severity] {
        FileFacts(
            module: module, worker: worker, agent: agent, doctor: doctor, runFolder: run,
            stateFolders: [state, journal], trusted: [trusted], isSwitchedOff: isSwitchedOff
        ).findings.map(\.severity)
    }

    @Test("files: owners and modes")
    func files() {
        #expect(Self.facts() == [])
        #expect(Self.facts(module: FileFact("/m", .regular, mode: 0o755), state: FileFact("/state", nil)) == [])
        #expect(Self.facts(module: FileFact("/m", nil)) == [.broken])
        #expect(Self.facts(module: FileFact("/m", .regular, owner: 1000, mode: 0o644)) == [.broken])
        #expect(Self.facts(worker: FileFact("/w", .regular, mode: 0o775)) == [.broken])
        // The worker is started as another account than root.
        #expect(Self.facts(worker: FileFact("/w", .regular, mode: 0o700)) == [.broken])
        #expect(Self.facts(agent: FileFact("/a", .regular, mode: 0o700)) == [])
        #expect(Self.facts(agent: FileFact("/a", .folder, mode: 0o755)) == [.broken])
        #expect(Self.facts(doctor: FileFact("/d", .regular, mode: 0o775)) == [.broken])
        #expect(Self.facts(run: FileFact("/run", nil)) == [.warning])
        #expect(Self.facts(run: FileFact("/run", .regular, mode: 0o755)) == [.broken])
        #expect(Self.facts(run: FileFact("/run", .folder, mode: 0o1777)) == [.broken])
        #expect(Self.facts(state: FileFact("/state", .folder, mode: 0o755)) == [.warning])
        #expect(Self.facts(state: FileFact("/state", .folder, mode: 0o770)) == [.broken])
        #expect(Self.facts(journal: FileFact("/journal", nil)) == [])
        #expect(Self.facts(journal: FileFact("/journal", .folder, mode: 0o755)) == [.warning])
        #expect(Self.facts(journal: FileFact("/journal", .folder, owner: 1000, mode: 0o700)) == [.broken])
        #expect(Self.facts(journal: FileFact("/journal", .other, mode: 0o777)) == [.warning])
        #expect(Self.facts(trusted: FileFact("/etc/pam.d/x", .regular, mode: 0o666)) == [.broken])
        #expect(Self.facts(isSwitchedOff: true) == [.warning])
    }

    @Test("the machine's IAM identity: who has its keys, and whether there is anything to do with them")
    func identity() {
        func severities(
            _ journal: Bool, _ file: IdentityFacts.KeyFile?, _ reach: (open: [String], isReached: Bool)?
        ) -> [Severity] {
            let facts = IdentityFacts(configuration: "/c", keepsJournal: journal, file: file, metadata: reach)
            #expect(facts.findings.allSatisfy { finding in finding.fix != nil })
            return facts.findings.map(\.severity)
        }
        func file(_ fault: FileFault?, hasKeys: Bool = false) -> [Severity] {
            severities(true, IdentityFacts.KeyFile(path: "/k", fault: fault, hasKeys: hasKeys), nil)
        }
        #expect(severities(false, nil, nil) == [] && severities(true, nil, nil) == [])
        #expect(file(nil, hasKeys: true) == [] && file(nil) == [.warning])
        #expect(file(.missing) == [.warning] && file(.notRegular) == [.warning])
        for fault in [FileFault.wrongOwner, .writableByOthers, .readableByOthers] {
            #expect(file(fault) == [.broken])
        }
        #expect(severities(false, IdentityFacts.KeyFile(path: "/k", hasKeys: true), nil) == [.warning])
        #expect(severities(true, nil, ([], true)) == [] && severities(true, nil, ([], false)) == [.warning])
        #expect(severities(true, nil, (["a"], false)) == [.broken, .warning])
        #expect(severities(false, nil, ([], true)) == [.warning])
        let keys = IdentityFacts.KeyFile(path: "/k", hasKeys: true)
        let asking = IdentityFacts(configuration: "/c", keepsJournal: false, asksDirectory: true, file: keys)
        #expect(asking.findings.isEmpty)
    }

    @Test("the file with the pool's key set")
    func keySetFile() {
        func severities(_ content: Result<KeySetFile, FileFault>) -> [Severity] {
            let findings = [keySetFinding("/k", content, address: "https://a/jwks.json")].compactMap(\.self)
            #expect(findings.allSatisfy { finding in finding.fix?.contains("/k") == true })
            return findings.map(\.severity)
        }
        func severities(_ text: String, days: Int64 = 0) -> [Severity] {
            severities(.success(KeySetFile(Array(text.utf8), written: 0, now: days * 86_400)))
        }
        let keys = #"{"keys":[{"kid":"k"}]}"#
        #expect(severities(keys) == [] && severities(keys, days: 90) == [])
        #expect(severities(keys, days: 91) == [.warning])
        for text in ["", "<html>", "{}", #"{"keys":[]}"#, #"{"keys":"k"}"#] {
            #expect(severities(text) == [.broken])
        }
        for fault in [FileFault.missing, .notRegular, .wrongOwner, .writableByOthers, .tooLarge] {
            #expect(severities(.failure(fault)) == [.broken])
        }
    }

    @Test("the worker's account")
    func account() {
        func severities(_ uid: UInt32, _ shell: String, _ hasPassword: Bool) -> [Severity] {
            let account = WorkerAccount(uid: uid, gid: 9, shell: shell, hasUsablePassword: hasPassword)
            return WorkerAccount.findings(account, name: "w").map(\.severity)
        }
        #expect(WorkerAccount.findings(nil, name: "w").map(\.severity) == [.broken])
        #expect(severities(996, "/usr/sbin/nologin", false) == [])
        #expect(severities(996, "/bin/false", false) == [])
        #expect(severities(996, "/bin/sh", false) == [.warning])
        #expect(severities(996, "/bin/false", true) == [.broken])
        #expect(severities(0, "/bin/false", false) == [.broken])
    }

    @Test("keys: the quota beside the sessions")
    func keyrings() {
        func facts(_ keys: Int, _ bytes: Int, _ fault: KeyringFacts.KeyringFault? = nil) -> [Severity] {
            KeyringFacts(fault: fault, mostKeys: keys, mostBytes: bytes, keys: 10, bytes: 500).findings.map(\.severity)
        }
        #expect(facts(1_000_000, 25_000_000) == [])
        #expect(facts(1_000_000, 25_000_000, .refused(1)) == [.broken])
        #expect(facts(1_000_000, 25_000_000, .unreadable(13)) == [.broken])
        #expect(facts(200, 20_000) == [.broken] || facts(200, 20_000) == [.warning])
        #expect(facts(10, 25_000_000) == [.broken])
        #expect(facts(100, 25_000_000) == [.warning])
        // What mends it is more than there is, also of what was raised before.
        for (most, used, raised) in [
            (100, 10, 1_000_000), (1_000_000, 999_990, 2_000_000), (3_000_000, 3_000_000, 6_000_000),
            (100, 4_000_000, 8_000_000), (Int(Int32.max), Int(Int32.max), Int(Int32.max)),
        ] {
            let keys = KeyringFacts(mostKeys: most, mostBytes: 25_000_000, keys: used, bytes: 0).findings
            let settings = "root_maxkeys = \(raised)\\nkernel.keys.root_maxbytes = 50000000\\n"
            #expect(keys.first?.fix?.contains(settings) == true)
            let bytes = KeyringFacts(mostKeys: 1_000_000, mostBytes: most, keys: 0, bytes: used).findings
            #expect(
                most > 600_000 + used
                    || bytes.first?.fix?.contains("root_maxbytes = \(max(25_000_000, raised))\\n") == true)
        }
        let usage = rootKeyUsage("    0:    75 74/74 53/1000000 1202/25000000\n 1000: 1 1/1 1/200 9/20000\n")
        #expect(usage?.keys == 53 && usage?.bytes == 1202)
        #expect(rootKeyUsage("0: nonsense") == nil)
    }

    private static let sshd = """
        usepam yes
        kbdinteractiveauthentication yes
        passwordauthentication yes
        logingracetime 120
        authenticationmethods any
        """

    @Test(
        "sshd's settings",
        arguments: [
            ([], []),
            (["usepam no"], [.broken]),
            (["kbdinteractiveauthentication no"], [.warning]),
            (["kbdinteractiveauthentication no", "passwordauthentication no"], [.broken]),
            (["passwordauthentication no"], []),
            (["authenticationmethods publickey"], [.broken]),
            (["authenticationmethods publickey,keyboard-interactive:pam"], []),
            (["authenticationmethods publickey,password"], [.warning]),
            (["authenticationmethods publickey keyboard-interactive"], []),
            (["permitemptypasswords yes"], [.broken]),
            (["permitemptypasswords yes", "kbdinteractiveauthentication no"], [.warning]),
            (["logingracetime 0"], []),
            (["logingracetime 20"], [.warning]),
        ] as [([String], [Severity])])
    func sshd(changes: [String], expected: [Severity]) {
        // As with sshd itself the first of a name counts.
        let text = (changes + [Self.sshd]).joined(separator: "\n")
        let examination = SSHExamination(.settings(text), asksCognito: true, networkTimeout: 15_000)
        #expect(examination.findings.map(\.severity) == expected)
        #expect(SSHExamination(.settings(text), asksCognito: false, networkTimeout: 15_000).findings == [])
    }

    @Test("sshd's files that include one another end")
    func includingThemselves() {
        let configuration = SSHConfiguration("a") { _ in
            [("a", "UsePAM yes\nInclude a\nInclude a\nMatch all\nInclude a a\n")]
        }
        #expect((1...2000).contains(configuration.keywords.count))
    }

    @Test(
        "sshd's methods: the remedy demands no less than they did",
        arguments: [
            ("publickey", "publickey,keyboard-interactive"),
            ("publickey hostbased", "publickey,keyboard-interactive hostbased,keyboard-interactive"),
            ("password", "keyboard-interactive"),
            ("publickey,password", "publickey,keyboard-interactive"),
        ])
    func sshdMethods(methods: String, remedy: String) {
        let examination = SSHExamination(
            .settings("authenticationmethods \(methods)\n" + Self.sshd), asksCognito: true, networkTimeout: 15_000)
        let mends = examination.findings.map { finding in finding.fix ?? "" }
        #expect(mends.count == 1 && mends[0].hasPrefix("AuthenticationMethods \(remedy) in /etc/ssh/"), "\(mends)")
    }

    @Test("sshd's settings are known by their names in any case: OpenSSH 10.4 writes them with capitals")
    func sshdNames() {
        let accounts = [SSHAccount(name: "ana", groups: ["cognito"])]
        for (line, expected) in [
            ("DenyUsers ana", "DenyUsers"), ("denyusers ana", "DenyUsers"), ("AllowGroups wheel", "AllowGroups"),
            ("ALLOWUSERS bert", "AllowUsers"), ("DenyGroups cog*", "DenyGroups"), ("Port 22", nil),
        ] {
            #expect(SSHAccess(line).keepingOut(accounts[0])?.rawValue == expected)
            let settings = Self.sshd.split(separator: "\n").map { line in line.prefix(1).uppercased() + line.dropFirst()
            }
            let text = (settings + [line]).joined(separator: "\n")
            let found = SSHExamination(
                .settings(text), asksCognito: true, networkTimeout: 15_000, accounts: accounts
            ).findings
            #expect(found.map(\.severity) == (expected == nil ? [] : [.broken]), "\(found)")
            #expect(SSHSettings("PermitRootLogin no\n\(text)")["permitrootlogin"] == "no")
        }
    }

    @Test(
        "sudo's own word for what somebody may do here",
        arguments: [
            ("User bob is not allowed to run sudo on host.\n", .nothing),
            (listed("(ALL : ALL) ALL"), .withPassword), (listed("(ALL : ALL) NOPASSWD: ALL"), .withoutPassword),
            (listed("(root) NOPASSWD: SETENV: ALL"), .withoutPassword),
            (listed("(www-data) NOPASSWD: ALL"), .nothing),
            (listed("(root) /bin/ls\n    (root) NOPASSWD: ALL"), .withoutPassword),
            (listed("(root) NOPASSWD: /bin/ls"), .nothing),
            (listed("(root) NOPASSWD: /bin/ls, PASSWD: ALL"), .withPassword),
            (listed("(ALL) ALL", defaults: "env_reset, !authenticate"), .withoutPassword),
            ("sudo: unknown user bob\n", nil), ("", nil), ("sudo: PAM account management error\n", nil),
        ] as [(String, SudoGrant?)])
    func sudoListing(text: String, expected: SudoGrant?) {
        #expect(SudoGrant(listing: text) == expected)
    }

    private static func listed(_ rules: String, defaults: String = "env_reset, mail_badpass") -> String {
        "Matching Defaults entries for bob on host:\n    \(defaults)\n\n"
            + "User bob may run the following commands on host:\n    \(rules)\n"
    }

    /// As sshd does: of the blocks that are about it the first that has a setting counts, then what stands before them.
    private static func examineSSH(
        _ text: String, including included: String = "", overridden: [String: [String: String]]
    ) -> SSHExamination {
        let files = ["/etc/ssh/sshd_config": text, "/etc/ssh/sshd_config.d/*.conf": included]
        let configuration = SSHConfiguration("/etc/ssh/sshd_config") { pattern in
            files[pattern].map { text in [(pattern, text)] } ?? []
        }
        return SSHExamination(
            .settings(sshd), asksCognito: true, networkTimeout: 15_000, configuration: configuration,
            accounts: [
                SSHAccount(name: "ana", groups: ["ana", "cognito"]),
                SSHAccount(name: "bert", groups: ["bert", "cognito"]),
            ]
        ) { connection in
            let own = [connection.user, connection.address, "\(connection.user)@\(connection.address)"].flatMap { key in
                overridden[key] ?? [:]
            }
            return .settings(own.map { name, value in "\(name) \(value)\n" }.joined() + sshd)
        }
    }

    @Test(
        "sshd's blocks: whom they are about, what sshd is asked, and in which file to look",
        arguments: [
            ("Match User ana\n KbdInteractiveAuthentication no", "ana", "user=ana,host=192.0.2.1", "ana"),
            ("Match User !bert,*\n# more\n ChallengeResponseAuthentication=no", "ana", "user=ana,", "ana"),
            (
                "Match Address 10.0.0.0/8,!10.1.0.0/16\n KbdInteractiveAuthentication no", "10.0.0.0",
                "user=ana,host=10.0.0.0,addr=10.0.0.0", "ana, bert"
            ),
            (
                "Match User bert Address 192.168.*\nKbdInteractiveAuthentication no", "bert@192.168.1", "user=bert,",
                "bert"
            ),
        ] as [(String, String, String, String)])
    func sshdBlocks(text: String, of who: String, asked: String, names: String) {
        let found = Self.examineSSH(text, overridden: [who: ["kbdinteractiveauthentication": "no"]]).findings
        #expect(found.map(\.severity) == [.warning])
        let what = found.first?.what ?? ""
        #expect(what.contains("sshd -T -C \(asked)") && what.hasSuffix(" for \(names)."), "\(found)")
        #expect(found.first?.fix?.hasPrefix("KbdInteractiveAuthentication yes in /etc/ssh/sshd_config; then") == true)
    }

    @Test("sshd's blocks: of others, and with nothing that matters")
    func sshdOtherBlocks() {
        for text in ["Match User backup\n AuthenticationMethods publickey", "Match User ana\n X11Forwarding no", ""] {
            #expect(Self.examineSSH(text, overridden: [:]).findings == [])
        }
    }

    @Test("sshd's blocks: in a file that is included, also within a block")
    func sshdIncluded() {
        let off = ["authenticationmethods": "publickey"]
        for (text, included) in [
            ("Include sshd_config.d/*.conf\nPort 22", "\nMatch User ana\nAuthenticationMethods publickey"),
            ("Match User ana\nInclude sshd_config.d/*.conf\nPort 22", "AuthenticationMethods publickey"),
            ("Match User ana\nInclude sshd_config.d/*.conf", "Match all\nAuthenticationMethods publickey"),
        ] {
            let found = Self.examineSSH(text, including: included, overridden: ["ana": off]).findings
            #expect(found.map(\.severity) == [.broken])
            #expect(found.first?.fix?.contains(" in /etc/ssh/sshd_config.d/*.conf; then: ") == true, "\(found)")
        }
    }

    @Test("sshd: what holds for nobody of Cognito's is not told")
    func sshdWhole() {
        let text = "KbdInteractiveAuthentication no\nMatch User an?\n  KbdInteractiveAuthentication yes"
        let off = ["kbdinteractiveauthentication": "no"]
        #expect(Self.examineSSH(text, overridden: [:]).findings == [])
        let some = Self.examineSSH(text, overridden: ["bert": off]).findings
        #expect(some.count == 1 && some[0].what.hasSuffix(" for bert."))
        let all = Self.examineSSH(text, overridden: ["ana": off, "bert": off]).findings
        #expect(all.count == 1 && all[0].what.hasSuffix(" for ana, bert."))
    }

    @Test("sshd that is not there, or refuses")
    func noSSHD() {
        #expect(SSHExamination(.absent, asksCognito: true, networkTimeout: 1).findings == [])
        #expect(
            SSHExamination(.refused("no"), asksCognito: true, networkTimeout: 1).findings.map(\.severity) == [.broken])
    }

    @Test("people: whose sign-in is Cognito's")
    func people() {
        func person(
            _ name: String, _ uid: UInt32, named: Bool, member: Bool, password: Bool, locked: Bool = false
        ) -> PersonFact {
            PersonFact(
                name: name, uid: uid, isNamed: named, isMember: member, hasUsablePassword: password,
                hasLockedPassword: locked)
        }
        let facts = PeopleFacts(
            people: [
                person("ana", 1000, named: false, member: true, password: false),
                person("bert", 1001, named: true, member: false, password: true),
                person("carl", 1002, named: false, member: true, password: true),
                person("dora", 1003, named: false, member: true, password: false, locked: true),
                person("emil", 1004, named: true, member: true, password: false, locked: true),
                person("daemon", 1, named: true, member: false, password: false),
                person("root", 0, named: true, member: false, password: true),
            ],
            unknown: ["eve"], group: "cognito", hasGroup: true, minimumUID: 1000, allowsLocalPasswords: true,
            hasRepairer: false)
        #expect(facts.covered.map(\.name) == ["ana", "bert", "emil"])
        #expect(facts.findings().map(\.severity) == [.warning, .warning, .warning, .warning, .note])
        let empty = PeopleFacts(people: [], unknown: [], group: "cognito", hasGroup: true, minimumUID: 1000)
        #expect(empty.findings().map(\.severity) == [.warning])
        // One is named with a password of this machine, which opens nothing then; and nobody else could become root.
        var strict = facts
        strict.allowsLocalPasswords = false
        #expect(strict.findings().map(\.severity) == [.warning, .warning, .warning, .warning, .note, .warning])
        #expect(strict.findings().last?.what == "No user can become root on this machine without Cognito.")
        strict.hasRepairer = true
        #expect(strict.findings().count == 5)
        let mapped = [27, nil, 0].map { gid in MappedGroup(name: "sudo", gid: gid).finding }
        #expect(mapped.map { finding in finding == nil } == [true, false, false])
        let noGroup = PeopleFacts(people: [], unknown: [], group: "cognito", hasGroup: false, minimumUID: 1000)
        #expect(noGroup.findings().map(\.severity) == [.broken])
    }

    private static func cognito(
        _ fact: CognitoFact, hasProxy: Bool = false, revokes: Bool = true, secretFile: String? = nil
    ) -> CognitoExamination {
        var settings = Settings.defaults
        settings.userPoolID = Array("eu-west-1_P".utf8)
        settings.endpoint = Array("https://h".utf8)
        settings.authFlow = .choice
        settings.signOut = revokes ? .session : .global
        settings.keySetFile = Array("/k".utf8)
        settings.clientSecretFile = secretFile.map { path in Array(path.utf8) }
        return CognitoExamination(fact, settings, at: "/c", hasProxy: hasProxy)
    }

    @Test("endpoints that sign-ins go past are a warning, and what is the same at all of them is said once")
    func endpoints() {
        let dead = CognitoFact.failed("no connection", .unreachable)
        let cases: [([CognitoFact], [Severity])] = [
            ([Self.reached()], []), ([dead], [.broken]), ([Self.reached(), dead], [.warning]),
            ([dead, Self.reached()], [.warning]), ([dead, dead], [.broken]),
            ([Self.reached(), Self.reached(signIn: "not_enabled")], [.warning]),
            ([Self.reached(signIn: "not_enabled"), Self.reached()], [.broken]),
            ([Self.reached(), Self.reached(signIn: "no_client")], [.broken]),
            ([Self.reached(ahead: 400), dead], [.broken, .broken]),
            ([Self.reached(signIn: "no_client"), Self.reached(signIn: "no_client")], [.broken]),
        ]
        for (facts, severities) in cases {
            let examination = CognitoExamination(of: facts.map { fact in Self.cognito(fact) })
            #expect(examination.findings.map(\.severity) == severities, "\(facts)")
        }
    }

    private static func reached(
        ahead: Int64? = 0, tls: Int64 = 20, open: [String] = [], signIn: String? = nil,
        refusesRevocation: Bool = false, levels: String? = nil, keySetFile: String? = nil
    ) -> CognitoFact {
        let words = [
            "sign_in": signIn, "revocation": refusesRevocation ? "off" : nil, "levels": levels,
            "key_set_file": keySetFile,
        ]
        var report = words.compactMapValues { word in word.map(JSONValue.string) }
        report["clock_ahead"] = ahead.map(JSONValue.integer)
        report["tls_us"] = .integer(tls * 1000)
        report["open_layers"] = .array(open.map(JSONValue.string))
        return .reached(ReachedCognito(.object(report)))
    }

    @Test(
        "the way to Cognito",
        arguments: [
            (reached(), []), (reached(ahead: nil), []), (reached(ahead: 20), []), (reached(ahead: -21), [.warning]),
            (reached(ahead: 300), [.warning]), (reached(ahead: -301), [.broken]), (reached(tls: 2501), [.warning]),
            (reached(open: ["files"]), [.warning]),
            (reached(open: ["system_calls", "files", "limits"]), [.warning, .warning, .warning]),
            (reached(levels: "offered"), []), (reached(levels: "no_plan"), [.broken]),
            (reached(levels: "ignored"), [.broken]), (reached(levels: "no_flow"), [.broken]),
            (.failed("no", .unreachable), [.broken]), (.noWorker("no", .other), [.broken]),
        ] as [(CognitoFact, [Severity])])
    func cognito(fact: CognitoFact, expected: [Severity]) {
        #expect(Self.cognito(fact).findings.map(\.severity) == expected)
    }

    @Test(
        "what the pool's side lacks: what all sign-ins fail by, said once, and tokens that cannot be revoked",
        arguments: [
            (reached(), "are checked only by a sign-in", []), (reached(signIn: "possible"), "are accepted", []),
            (reached(signIn: "of a later version"), "are checked only by a sign-in", []),
            (reached(signIn: "no_client"), "", ["client_id"]),
            (reached(signIn: "no_secret"), "", ["does not match client_secret_file"]),
            (reached(signIn: "no_flow"), "", ["ALLOW_USER_AUTH"]), (reached(signIn: "no_plan"), "", ["Essentials"]),
            (reached(signIn: "not_enabled"), "", ["OperationNotEnabledException"]),
            (reached(keySetFile: "same"), "", []), (reached(keySetFile: "other"), "", ["none of the keys"]),
            (reached(keySetFile: "older"), "", ["lacks a key"]),
            (reached(signIn: "no_flow", levels: "no_flow"), "", ["required_acr"]),
            (reached(signIn: "no_client", refusesRevocation: true), "", ["client_id", "EnableTokenRevocation"]),
            (reached(signIn: "possible", refusesRevocation: true), "accepted", ["EnableTokenRevocation"]),
        ] as [(CognitoFact, String, [String])])
    func pool(fact: CognitoFact, summary: String, words: [String]) {
        let examination = Self.cognito(fact)
        #expect(examination.summary.contains(summary) || summary.isEmpty)
        #expect(examination.findings.count == words.count)
        for (finding, words) in zip(examination.findings, words) {
            #expect(finding.what.contains(words))
        }
        // Who has nothing revoked lacks nothing.
        let others = Self.cognito(fact, revokes: false).findings
        #expect(others == examination.findings.filter { finding in !finding.what.contains("EnableTokenRevocation") })
    }

    @Test(
        "the type of the pool's issuer, as the newest tokens have it",
        arguments: [
            (nil, "; the issuer type is known only after a sign-in"),
            (.original, "; issuer type ORIGINAL: https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_P"),
            (.updated, "; issuer type UPDATED: https://issuer-cognito-idp.eu-west-1.amazonaws.com/eu-west-1_P"),
        ] as [(IssuerType?, String)])
    func issuerType(type: IssuerType?, words: String) {
        guard case .reached(var reached) = Self.reached() else {
            return
        }
        reached.issuerType = type
        #expect(Self.cognito(.reached(reached)).summary.hasSuffix(words))
    }

    @Test("a worker that does not start: the package is to be installed anew only where its files are at fault")
    func noWorker() {
        for (cause, fix) in [
            (.installation, "apt install"), (.keyrings, "docker run"), (.resourceExhaustion, nil), (.other, nil),
        ] as [(Fault.Cause, String?)] {
            let finding = Self.cognito(.noWorker("no", cause)).findings.first
            #expect(finding?.fix?.prefix(fix?.count ?? 0) == fix?[...], "\(cause)")
        }
    }

    @Test("a failure says where it lies")
    func failure() {
        let network = Self.cognito(.failed("no way.", .unreachable), hasProxy: true).findings
        #expect(network.first?.what.hasPrefix("h: no way. Workers ignore the proxy") == true)
        #expect(network.first?.fix?.hasPrefix("openssl s_client -connect h:443 ") == true)
        for (why, reason, mend) in [
            ("no.", .configuration, "editor /c"), ("no.", .throttled, "sleep 60; "), ("no.", nil, "openssl s_client "),
            ("HTTP status 403.", .serviceFault, "curl -sS -i https://h/ "),
            ("certificate is not yet valid.", .unreachable, "date; timedatectl "),
            ("certificate has expired.", .unreachable, "date; timedatectl "),
            ("self-signed certificate.", .unreachable, "openssl s_client "),
        ] as [(String, FailureReason?, String)] {
            #expect(Self.cognito(.failed(why, reason)).findings.first?.fix?.hasPrefix(mend) == true, "\(why)")
        }
    }

    @Test("a secret that does not fit is corrected where it is")
    func secretFile() {
        for (file, mend) in [("/s", "editor /s"), (nil, "editor /c")] {
            let found = Self.cognito(Self.reached(signIn: "no_secret"), secretFile: file).findings
            #expect(found.map(\.fix) == [mend])
            #expect(found.first?.why.contains("rotate every seven days") == (file != nil))
        }
    }

    @Test("what keeps a worker in")
    func worker() {
        let good = """
            State:\tS (sleeping)
            Uid:\t996\t996\t996\t996
            Groups:\t
            CapInh:\t0000000000000000
            CapPrm:\t0000000000000000
            CapEff:\t0000000000000000
            CapAmb:\t0000000000000000
            NoNewPrivs:\t1
            """
        func count(_ from: String, _ to: String) -> Int {
            let lines = good.split(separator: "\n").map { line in line.hasPrefix(from) ? to : String(line) }
            return WorkerFacts(status: lines.joined(separator: "\n")).findings(account: 996).count
        }
        #expect(WorkerFacts(status: good).isWaiting)
        #expect(count("none", "") == 0)
        #expect(count("Uid", "Uid:\t996\t0\t996\t996") == 1)
        #expect(count("Groups", "Groups:\t27") == 1)
        #expect(count("CapEff", "CapEff:\t0000000000000001") == 1)
        #expect(count("NoNewPrivs", "NoNewPrivs:\t0") == 1)
        #expect(WorkerFacts(status: "").findings(account: 996).count == 4)
        #expect(WorkerFacts(status: good).findings(account: 0).count == 1)
    }
}
