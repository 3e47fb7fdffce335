import Base
import Configuration
import Testing

@testable import Doctor

@Suite("Accounts from the pool alone")
struct AccountServiceTests {
    private static let names = "passwd: files systemd\ngroup: files systemd\ninitgroups: files systemd\n"

    private static func mends(_ change: (inout AccountServiceFacts) -> Void) -> [String] {
        var facts = AccountServiceFacts()
        facts.nameServices = names
        change(&facts)
        return facts.findings.map { finding in "\(finding.severity.name) \(finding.fix ?? "")" }
    }

    private static func unit(_ name: String, _ active: String) -> SystemdUnit {
        SystemdUnit(name: name, load: "loaded", active: active, file: "enabled")
    }

    @Test("each slip is told with what mends it, and what follows from it is not")
    func findings() {
        #expect(Self.mends { _ in } == [])
        let rounds = [
            Self.unit("pam-cognito-accounts.timer", "active"), Self.unit("pam-cognito-accounts.service", "inactive"),
        ]
        #expect(Self.mends { facts in (facts.isFromDirectory, facts.units) = (true, rounds) } == [])
        // Nobody asks the directory.
        #expect(Self.mends { facts in facts.units = [Self.unit("pam-cognito-accounts.timer", "inactive")] } == [])
        #expect(Self.mends { facts in facts.nameServices += "shadow: files systemd\n" } == [])
        let cases: [((inout AccountServiceFacts) -> Void, String)] = [
            (
                { facts in facts.nameServices = "passwd: files systemd\ngroup: files systemd" },
                "warning echo 'initgroups: files systemd'"
            ),
            (
                { facts in facts.nameServices = "group: files systemd\ninitgroups: files systemd" },
                "broken echo 'passwd: files systemd'"
            ),
            (
                { facts in
                    facts.nameServices = "passwd: files systemd\ngroup: files # systemd\ninitgroups: files systemd\n"
                }, "broken /etc/nsswitch.conf: add systemd at the end of the "
            ),
            (
                { facts in facts.nameServices = "passwd: files systemd\ngroup: files systemd\ninitgroups: files\n" },
                "broken /etc/nsswitch.conf: add systemd at the end of the "
            ),
            (
                { facts in facts.nameServices += "shadow: files\n" },
                "broken /etc/nsswitch.conf: add systemd at the end of the "
            ),
            ({ facts in facts.isHeard = false }, "broken setsid"),
            (
                { facts in (facts.isHeard, facts.units) = (false, []) },
                "broken systemctl enable --now pam-cognito-userdb.socket"
            ),
            (
                { facts in
                    facts.units = [
                        SystemdUnit(
                            name: AccountServiceFacts.unit, load: "loaded", active: "active", file: "disabled")
                    ]
                }, "warning systemctl enable"
            ),
            (
                { facts in (facts.isFromDirectory, facts.hasIdentity, facts.path) = (true, false, "/c") },
                "broken editor /c"
            ),
            (
                { facts in
                    (facts.isFromDirectory, facts.units) = (true, [Self.unit("pam-cognito-accounts.timer", "inactive")])
                },
                "warning systemctl enable --now pam-cognito-accounts.timer"
            ),
            (
                { facts in
                    (facts.isFromDirectory, facts.units) = (true, [Self.unit("pam-cognito-accounts.service", "failed")])
                },
                "warning journalctl -b -n 20 -u pam-cognito-accounts.service"
            ),
            ({ facts in (facts.isReadable, facts.path) = (false, "/c") }, "broken chmod 0644 /c"),
            ({ facts in facts.storeFault = .notPermitted }, "broken chown root:root /var/lib/pam-cognito/accounts"),
            ({ facts in facts.unserved = "ana" }, "broken journalctl"),
            ({ facts in (facts.unserved, facts.isHeard) = ("ana", false) }, "broken setsid"),
            ({ facts in facts.damaged = ["ana"] }, "warning cognito-session accounts --forget ana"),
            ({ facts in facts.refused = ["ana"] }, "warning cognito-session accounts --show ana"),
            ({ facts in facts.sourceBehind = "ldap" }, "broken editor /etc/nsswitch.conf"),
            ({ facts in facts.silentSources = ["ldap"] }, "broken getent -s ldap passwd"),
            ({ facts in facts.contested = ["ana"] }, "broken cognito-session accounts --show ana"),
            ({ facts in facts.others = [("UID_MIN", 1000, 65_536)] }, "warning man pam_cognito.conf"),
        ]
        for (change, expected) in cases {
            let mends = Self.mends(change)
            #expect(mends.count == 1 && mends[0].hasPrefix(expected), "\(mends) \(expected)")
        }
    }

    @Test("ranges that only lie side by side, or of no size, are no matter")
    func ranges() {
        #expect(Self.mends { facts in facts.others = [("a", 1000, 65_535), ("b", 100_000, 600_100_000)] } == [])
        let own = AccountServiceFacts.rangesOfUserAdd("# UID_MIN 5\nUID_MIN\t\t 500\nSUB_UID_MAX 70000\nUID_MAX many\n")
        #expect(own.map(\.lowest) == [500, 100_000] && own.map(\.highest) == [60_000, 70_000])
        let subordinate = AccountServiceFacts.subordinateRanges("ana:100000:65536\nbad\nx:1:0\ny:a:1\nz:4294967295:9\n")
        #expect(subordinate.map(\.lowest) == [100_000, 4_294_967_295])
        #expect(subordinate.map(\.highest) == [165_535, .max])
    }
}
