import Base
import Messages
import Testing

@testable import Doctor

@Suite("What keeps people out beside PAM's lines")
struct MachineTests {
    private static func agent(
        socket: (load: String, active: String, file: String) = ("loaded", "active", "enabled"),
        timer: (load: String, active: String, file: String) = ("loaded", "active", "enabled"),
        service: String = "inactive", round: String = "inactive", answer: AgentFacts.SocketAnswer = .answered,
        mode: UInt32? = 0o666
    ) -> [String] {
        let units: [(String, (load: String, active: String, file: String))] = [
            ("pam-cognito-agent.socket", socket), ("pam-cognito-reap.timer", timer),
            ("pam-cognito-drain.service", ("loaded", "active", "enabled")),
            ("pam-cognito-agent.service", ("loaded", service, "static")),
            ("pam-cognito-reap.service", ("loaded", round, "static")),
        ]
        let shown = units.map { name, state in
            "Id=\(name)\nLoadState=\(state.load)\nActiveState=\(state.active)\nUnitFileState=\(state.file)\n"
        }
        let facts = AgentFacts(units: SystemdUnit.all(in: shown.joined(separator: "\n")), answer: answer, mode: mode)
        return facts.findings.map { finding in "\(finding.severity.name) \(finding.fix ?? "")" }
    }

    @Test("the agent: what does not run is told, and what follows from it is not")
    func agent() {
        #expect(Self.agent() == [])
        #expect(Self.agent(timer: ("loaded", "activating", "enabled")) == [])
        let enable = "systemctl enable --now pam-cognito-agent.socket"
        #expect(Self.agent(socket: ("loaded", "inactive", "disabled"), answer: .unheard(2)) == ["broken \(enable)"])
        #expect(
            Self.agent(socket: ("masked", "inactive", "masked"), answer: .unheard(2), mode: nil)
                == ["broken systemctl unmask pam-cognito-agent.socket && \(enable)"])
        #expect(
            Self.agent(timer: ("loaded", "active", "disabled")) == [
                "warning systemctl enable --now pam-cognito-reap.timer"
            ])
        #expect(
            Self.agent(timer: ("loaded", "failed", "enabled"), round: "failed") == [
                "warning systemctl enable --now pam-cognito-reap.timer",
                "warning journalctl -b -n 20 -u pam-cognito-reap.service",
            ])
        #expect(Self.agent(service: "failed") == [])
        #expect(
            Self.agent(service: "failed", answer: .silent)
                == ["broken journalctl -b -n 20 -u pam-cognito-agent.service"])
        #expect(Self.agent(answer: .silent).count == 1 && Self.agent(answer: .foreign).count == 1)
        #expect(Self.agent(mode: 0o600) == ["broken chmod 0666 /run/pam-cognito/agent.sock"])
        let alone = AgentFacts(units: nil, answer: .unheard(2), mode: nil)
        #expect(alone.findings.map(\.severity) == [.warning])
    }

    @Test(
        "names: where they come from, and what is missing of it",
        arguments: [
            ("", [], [], []), ("passwd: files systemd\n", [], [], []),
            ("passwd: files sss [!UNAVAIL=return] ldap # nis\n", [], [], ["sss", "ldap"]),
            (" group :  compat nosuch", [], ["nosuch"], ["nosuch"]),
            ("passwd: dns\npasswd: files", ["passwd"], [], ["dns"]),
        ] as [(String, [String], [String], [String])])
    func names(text: String, blind: [String], missing: [String], directories: [String]) {
        let names = NameServices(text) { database in
            !blind.contains(database)
        } hasLibrary: {
            $0 != "nosuch"
        }
        #expect(names.blind == blind && names.missing == missing && names.directories == directories)
        #expect(names.findings.count == blind.count + missing.count)
        let person = PersonFact(name: "ana", uid: 1000, isNamed: true, isMember: false, hasUsablePassword: false)
        let facts = PeopleFacts(people: [person], unknown: ["bea"], group: "c", hasGroup: false, minimumUID: 1000)
        let makes = facts.findings(names).compactMap(\.fix).filter { mend in
            mend.hasPrefix("useradd") || mend.hasPrefix("groupadd")
        }
        #expect(makes.count == (names.isBlind || !directories.isEmpty ? 0 : 2))
    }

    @Test(
        "accounts that have run out, as pam_unix counts",
        arguments: [
            ((100, 99999, -1, -1), nil), ((100, -1, -1, -1), nil), ((-1, 90, -1, -1), .passwordIsOld(.none)),
            ((-1, 99999, -1, -1), nil), ((2000, 90, -1, -1), nil),
            ((950, 90, 7, -1), nil), ((910, 90, 0, -1), nil), ((903, 90, 7, -1), .passwordIsOld(.none)),
            ((902, 90, 7, -1), .inactive), ((900, 90, -1, -1), .passwordIsOld(.none)),
            ((900, 90, 0, -1), .inactive), ((0, 99999, -1, -1), .passwordIsOld(.none)),
            ((950, 90, 7, 1000), .expired), ((950, 90, 7, 1001), nil), ((0, 1, 1, 1), .expired),
        ] as [((Int64, Int64, Int64, Int64), AccountClosing?)])
    func aging(ages: (Int64, Int64, Int64, Int64), closing: AccountClosing?) {
        let ages = PasswordAges(changed: ages.0, longest: ages.1, inactive: ages.2, expires: ages.3)
        let account = Account(uid: 1000, gid: 1000, hasUsablePassword: false, shadow: .present(ages))
        #expect(AccountClosing.byShadow(account, on: 1000) == closing)
    }

    @Test(
        "how bad it is that accounts are closed: 8 where nobody comes in",
        arguments: [
            ([.expired], [], true, [.warning]), ([.expired], [.expired], true, [.broken]),
            ([.expired], [.noShell("/bin/x")], true, [.broken, .broken]),
            ([.passwordIsOld(.none)], [.passwordIsOld(.none)], true, [.warning]),
            ([.passwordIsOld(.none)], [.passwordIsOld(.none)], false, [.broken]),
            ([.passwordIsOld(.none)], [], false, [.warning]),
            ([.passwordIsOld(.usable)], [.passwordIsOld(.usable)], false, [.warning]),
            ([.passwordIsOld(.locked)], [.inactive], true, [.broken, .broken]),
            ([.noShadow], [.closingShell("/bin/false")], true, [.broken, .broken]),
            ([.passwordIsOld(.none), .noShadow], [.passwordIsOld(.none)], true, [.warning, .warning]),
        ] as [([AccountClosing], [AccountClosing], Bool, [Severity])])
    func severities(first: [AccountClosing], second: [AccountClosing], passesAge: Bool, expected: [Severity]) {
        let people = [("ana", first), ("bea", second)].map { name, closings in
            PersonFact(
                name: name, uid: 1000, isNamed: true, isMember: false, hasUsablePassword: false, closings: closings)
        }
        var facts = PeopleFacts(
            people: people, unknown: [], group: nil, hasGroup: false, minimumUID: 1000, passesAge: passesAge)
        #expect(facts.findings().map(\.severity) == expected)
        // Those who have accounts from the pool alone come in.
        facts.hasOthers = true
        #expect(facts.findings().allSatisfy { finding in finding.severity == .warning })
    }

    @Test("accounts that are closed are told once, with all whom it is about")
    func closings() {
        let people = ["ana", "bea", "cleo"].map { name in
            PersonFact(
                name: name, uid: 1000, isNamed: true, isMember: false, hasUsablePassword: false,
                closings: name == "cleo" ? [.noShell("/bin/x")] : [.expired])
        }
        let facts = PeopleFacts(people: people, unknown: [], group: nil, hasGroup: false, minimumUID: 1000)
        #expect(
            facts.findings().map(\.what) == [
                "These accounts have expired on this machine: ana, bea.",
                "cleo: the shell /bin/x does not exist or cannot be run.",
            ])
    }

    @Test(
        "sshd's lists, in its order",
        arguments: [
            ("", nil), ("allowusers bob\nallowusers ana", nil), ("allowusers bob", .allowUsers),
            ("denyusers a?a", .denyUsers),
            ("allowusers ana@10.0.0.0/8", nil), ("denyusers ana@10.*", nil), ("denyusers ana@*", .denyUsers),
            ("allowgroups x\nallowgroups cog*", nil), ("allowgroups x\nallowgroups y", .allowGroups),
            ("allowgroups cognito users", .allowGroups), ("allowgroups all?cognito?users", nil),
            ("denygroups cognito\nallowusers bob", .allowUsers), ("denygroups ana", .denyGroups),
        ] as [(String, SSHAccess.List?)])
    func lists(settings: String, list: SSHAccess.List?) {
        let ana = SSHAccount(name: "ana", groups: ["ana", "cognito", "all cognito users"])
        #expect(SSHAccess("port 22\n" + settings).keepingOut(ana) == list)
    }

    @Test(
        "sshd's lists: who is kept out is added to what lets in, and what keeps out is left to the administrator",
        arguments: [
            ("AllowGroups ops # ours", "allowgroups ops", "add cognito to AllowGroups in /f; "),
            ("AllowUsers bob \"eve\"", "allowusers bob\nallowusers eve", "add ana to AllowUsers in /f; "),
            ("DenyGroups ops cog*", "denygroups cog*", "editor /f "), ("DenyUsers ana", "denyusers ana", "editor /f "),
        ])
    func listFixes(line: String, settings: String, fix: String) {
        let ana = SSHAccount(name: "ana", groups: ["ana", "cognito"])
        let configuration = SSHConfiguration("/f") { _ in [("/f", "\n\(line)\n")] }
        let found = SSHExamination.listFindings([(nil, settings)], [ana], configuration, group: "cognito")
        #expect(found.count == 1 && found[0].fix?.hasPrefix(fix) == true, "\(found)")
    }

    @Test(
        "polkit's sandbox, as systemctl shows it",
        arguments: [
            ("", true), ("PrivateNetwork=yes\nRestrictAddressFamilies=AF_UNIX", false),
            ("PrivateNetwork=no\nRestrictAddressFamilies=AF_UNIX", false), ("PrivateNetwork=no", true),
            ("PrivateNetwork=no\nRestrictAddressFamilies=AF_UNIX AF_INET", true), ("RestrictAddressFamilies=", false),
            ("RestrictAddressFamilies=~AF_INET AF_INET6", false), ("RestrictAddressFamilies=~AF_INET", true),
            ("RestrictAddressFamilies=~", true), ("PrivateNetwork=yes", false),
        ])
    func polkit(shown: String, isOpen: Bool) {
        // Where the agent cannot be asked, the network decides; else whether the agent is there.
        for (asksAgent, agentListens, isWell) in [
            (false, true, isOpen), (false, false, isOpen), (true, true, true), (true, false, false),
        ] {
            let found = PolkitSandbox(shown, asksAgent: asksAgent).findings(agentListens: agentListens)
            #expect(found.isEmpty == isWell)
            #expect(found.allSatisfy { finding in finding.fix?.contains("agent.socket") == asksAgent })
        }
    }

    @Test("rooms: a cause is told where it is, and how bad it is")
    func rooms() {
        let facts = MachineFacts(
            rooms: [("/run", false), ("/var", true)], nologin: "/etc/nologin", logError: 2)
        #expect(facts.findings.map(\.severity) == [.broken, .warning, .broken, .warning])
        #expect(MachineFacts().findings == [])
        let log = MachineFacts(rooms: [("/var/log", false)]).findings
        #expect(log.map(\.severity) == [.warning] && log[0].why.hasPrefix("pam_cognito, sshd and sudo may be unable"))
        #expect(MachineFacts.places.contains("/var/log"))
    }
}
