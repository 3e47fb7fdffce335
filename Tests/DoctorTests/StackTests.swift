import FoundationEssentials
import Testing

@testable import Doctor

/// The service files that this repository ships, and Debian's own that they include.
enum Shipped {
    static let folder = "/usr/share/doc/pam-cognito/pam.d"

    private static let repository =
        String(#filePath).split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")

    static func read(_ name: String) throws -> String {
        try String(contentsOfFile: "\(repository)/pam.d/\(name)", encoding: .utf8)
    }

    static let names = [
        "cognito-account", "cognito-auth", "cognito-password", "cognito-session", "login", "passwd", "screen-lock",
        "sshd",
        "su", "su-l", "sudo", "sudo-i",
    ]

    static func files() throws -> [String: String] {
        var files: [String: String] = [:]
        for name in names {
            files[name] = try read(name)
        }
        return files
    }

    /// Debian 12 without any profile of ours.
    static let debian = [
        "common-auth": """
        auth	[success=1 default=ignore]	pam_unix.so nullok
        auth	requisite			pam_deny.so
        auth	required			pam_permit.so
        """,
        "common-account": """
        account	[success=1 new_authtok_reqd=done default=ignore]	pam_unix.so
        account	requisite			pam_deny.so
        account	required			pam_permit.so
        """,
        "common-session": """
        session	[default=1]			pam_permit.so
        session	requisite			pam_deny.so
        session	required			pam_permit.so
        session	required	pam_unix.so
        session	optional	pam_systemd.so
        """,
        "common-session-noninteractive": """
        session	[default=1]			pam_permit.so
        session	requisite			pam_deny.so
        session	required			pam_permit.so
        session	required	pam_unix.so
        """,
        "common-password": """
        password	[success=1 default=ignore]	pam_unix.so obscure yescrypt
        password	requisite			pam_deny.so
        password	required			pam_permit.so
        """,
        "other": """
        @include common-auth
        @include common-account
        @include common-password
        @include common-session
        """,
        "runuser": """
        auth		sufficient	pam_rootok.so
        session		optional	pam_keyinit.so revoke
        session		required	pam_limits.so
        session		required	pam_unix.so
        """,
    ]

    /// Debian 12's lightdm, gdm3 and polkitd.
    static let desktops = [
        "lightdm": """
        auth requisite pam_nologin.so
        session required pam_env.so readenv=1
        session required pam_env.so readenv=1 envfile=/etc/default/locale
        @include common-auth
        -auth optional pam_gnome_keyring.so
        @include common-account
        session [success=ok ignore=ignore module_unknown=ignore default=bad] pam_selinux.so close
        session required pam_limits.so
        session required pam_loginuid.so
        @include common-session
        session [success=ok ignore=ignore module_unknown=ignore default=bad] pam_selinux.so open
        -session optional pam_gnome_keyring.so auto_start
        @include common-password
        """,
        "lightdm-autologin": """
        auth requisite pam_nologin.so
        session required pam_env.so readenv=1
        session required pam_env.so readenv=1 envfile=/etc/default/locale
        auth required pam_succeed_if.so user != root quiet_success
        auth required pam_permit.so
        @include common-account
        session [success=ok ignore=ignore module_unknown=ignore default=bad] pam_selinux.so close
        session required pam_limits.so
        session required pam_loginuid.so
        @include common-session
        session [success=ok ignore=ignore module_unknown=ignore default=bad] pam_selinux.so open
        password required pam_deny.so
        @include common-password
        """,
        "gdm-autologin": """
        auth requisite pam_nologin.so
        auth required pam_succeed_if.so user != root quiet_success
        auth optional pam_gdm.so
        auth optional pam_gnome_keyring.so
        auth required pam_permit.so
        @include common-account
        session [success=ok ignore=ignore module_unknown=ignore default=bad] pam_selinux.so close
        session required pam_loginuid.so
        session [success=ok ignore=ignore module_unknown=ignore default=bad] pam_selinux.so open
        session optional pam_keyinit.so force revoke
        session required pam_limits.so
        session required pam_env.so readenv=1
        session required pam_env.so readenv=1 envfile=/etc/default/locale
        @include common-session
        session optional pam_gnome_keyring.so auto_start
        @include common-password
        """,
        "gdm-fingerprint": """
        auth requisite pam_nologin.so
        auth required pam_succeed_if.so user != root quiet_success
        auth required pam_fprintd.so
        auth optional pam_gnome_keyring.so
        @include common-account
        session [success=ok ignore=ignore module_unknown=ignore default=bad] pam_selinux.so close
        session required pam_loginuid.so
        session [success=ok ignore=ignore module_unknown=ignore default=bad] pam_selinux.so open
        session optional pam_keyinit.so force revoke
        session required pam_limits.so
        session required pam_env.so readenv=1
        session required pam_env.so readenv=1 envfile=/etc/default/locale
        @include common-session
        session optional pam_gnome_keyring.so auto_start
        password required pam_fprintd.so
        """,
        "gdm-launch-environment": """
        auth requisite pam_nologin.so
        auth required pam_permit.so
        @include common-account
        session optional pam_keyinit.so force revoke
        session required pam_limits.so
        session required pam_env.so readenv=1
        session required pam_env.so readenv=1 envfile=/etc/default/locale
        @include common-session
        @include common-password
        """,
        "gdm-password": """
        auth requisite pam_nologin.so
        auth required pam_succeed_if.so user != root quiet_success
        @include common-auth
        auth optional pam_gnome_keyring.so
        @include common-account
        session [success=ok ignore=ignore module_unknown=ignore default=bad] pam_selinux.so close
        session required pam_loginuid.so
        session [success=ok ignore=ignore module_unknown=ignore default=bad] pam_selinux.so open
        session optional pam_keyinit.so force revoke
        session required pam_limits.so
        session required pam_env.so readenv=1
        session required pam_env.so readenv=1 envfile=/etc/default/locale
        @include common-session
        session optional pam_gnome_keyring.so auto_start
        @include common-password
        """,
        "polkit-1": """
        @include common-auth
        @include common-account
        @include common-password
        session required pam_env.so readenv=1 user_readenv=0
        session required pam_env.so readenv=1 envfile=/etc/default/locale user_readenv=0
        @include common-session-noninteractive
        """,
    ]

    /// Debian 12 after `pam-auth-update --enable cognito`.
    static let profile = debian.merging([
        "common-auth": """
        auth	optional			pam_faildelay.so delay=2000000
        auth	[success=3 ignore=1 user_unknown=1 authinfo_unavail=1 module_unknown=ignore default=2]	pam_cognito.so
        auth	[success=ignore ignore=ignore default=die]	pam_succeed_if.so quiet_success use_uid uid = 0 ruser in root:
        auth	[default=2]			pam_permit.so
        auth	requisite			pam_deny.so
        auth	[success=2 default=die]	pam_permit.so
        auth	[success=1 default=ignore]	pam_unix.so nullok try_first_pass
        auth	requisite			pam_deny.so
        auth	required			pam_permit.so
        """,
        "common-account": """
        account	[authtok_disable_aging=1 success=2 ignore=2 user_unknown=2 authinfo_unavail=2 module_unknown=ignore \
        default=die]	pam_cognito.so no_pass_expiry
        account	[success=1 ignore=1 default=die]	pam_succeed_if.so quiet_success use_uid uid = 0 ruser in root:
        account	[success=2 default=die]	pam_permit.so
        account	[success=1 new_authtok_reqd=done default=ignore]	pam_unix.so
        account	requisite			pam_deny.so
        account	required			pam_permit.so
        """,
        "common-session": """
        session	[default=1]			pam_permit.so
        session	requisite			pam_deny.so
        session	required			pam_permit.so
        session	[success=ok ignore=ignore module_unknown=ignore default=bad]	pam_cognito.so
        session	required	pam_unix.so
        session	optional	pam_systemd.so
        """,
        "common-session-noninteractive": """
        session	[default=1]			pam_permit.so
        session	requisite			pam_deny.so
        session	required			pam_permit.so
        session	[success=ok ignore=ignore module_unknown=ignore default=bad]	pam_cognito.so
        session	required	pam_unix.so
        """,
        "common-password": """
        password	[success=done ignore=ignore user_unknown=ignore try_again=ignore module_unknown=ignore \
        default=die]	pam_cognito.so
        password	[success=2 default=ignore]	pam_unix.so obscure yescrypt
        password	[success=1 default=ignore]	pam_unix.so obscure use_authtok try_first_pass yescrypt
        password	requisite			pam_deny.so
        password	required			pam_permit.so
        """,
        "sshd": """
        @include common-auth
        account    required     pam_nologin.so
        @include common-account
        session    required     pam_loginuid.so
        session    optional     pam_keyinit.so force revoke
        @include common-session
        @include common-password
        """,
        "login": """
        auth       requisite  pam_nologin.so
        @include common-auth
        session    required   pam_limits.so
        session    optional   pam_keyinit.so force revoke
        @include common-account
        @include common-session
        @include common-password
        """,
        "su": """
        auth       sufficient pam_rootok.so
        session    required   pam_limits.so
        @include common-auth
        @include common-account
        @include common-session
        """,
        "su-l": """
        auth		include		su
        account		include		su
        password	include		su
        session		optional	pam_keyinit.so force revoke
        session		include		su
        """,
        "sudo": """
        session    required   pam_limits.so
        @include common-auth
        @include common-account
        @include common-session-noninteractive
        """,
        "sudo-i": """
        session    required   pam_limits.so
        @include common-auth
        @include common-account
        @include common-session
        """,
        "cron": """
        @include common-auth
        session       required   pam_loginuid.so
        @include common-account
        @include common-session-noninteractive
        """,
        "chfn": """
        auth		sufficient	pam_rootok.so
        @include common-auth
        @include common-account
        @include common-session
        """,
        "chsh": """
        auth       required   pam_shells.so
        auth		sufficient	pam_rootok.so
        @include common-auth
        @include common-account
        @include common-session
        """,
        "chpasswd": "@include common-password",
        "newusers": "@include common-password",
        "passwd": "@include common-password",
    ]) { _, new in new }

    static func machine(_ changes: [String: String] = [:]) throws -> [String: String] {
        try files().merging(debian) { first, _ in first }.merging(changes) { _, new in new }
    }
}

@Suite("PAM stacks")
struct StackTests {
    static func judge() -> StackJudge { StackJudge(ModuleFolder().path(of: "pam_debug.so")) }

    static func examine(
        _ files: [String: String], vendor: [String: String] = [:], missing: Set<String> = [], refusesKeys: Bool = false,
        wrongFiles: [String: Check] = [:]
    ) throws -> StackExamination {
        StackExamination(
            PAMServices(files, vendor: vendor),
            in: PAMSurroundings(
                shipped: try Shipped.files(), shippedFolder: Shipped.folder, missingModules: missing,
                refusesKeys: refusesKeys, wrongFiles: wrongFiles), judge: Self.judge())
    }

    static func problems(_ files: [String: String]) throws -> [Check] {
        try examine(files).findings.filter { finding in finding.severity > .note }
    }

    @Test("as they are shipped have no fault")
    func shipped() throws {
        let examination = try Self.examine(Shipped.machine())
        #expect(examination.findings == [])
        #expect(
            examination.serviceNames == ["login", "passwd", "screen-lock", "sshd", "su", "su-l", "sudo", "sudo-i"])
    }

    @Test(
        "account lines that keep out whose password is too old and not there: those of 0.1.0, and slips in today's",
        arguments: [
            (
                """
                account required pam_unix.so
                account [success=ok new_authtok_reqd=ok ignore=ignore user_unknown=ignore authinfo_unavail=ignore \
                module_unknown=ignore default=bad] pam_cognito.so
                """, 1
            ),
            (
                """
                account [authtok_disable_aging=1 success=ignore ignore=ignore default=die] pam_cognito.so
                account required pam_unix.so
                account required pam_permit.so
                """, 1
            ),
            (
                """
                account [success=ignore ignore=ignore module_unknown=ignore default=die] pam_cognito.so no_pass_expiry
                account required pam_unix.so
                """, 1
            ),
            (
                """
                account [authtok_disable_aging=1 success=ignore ignore=ignore module_unknown=ignore default=die] \
                pam_cognito.so no_pass_expiry
                account required pam_unix.so
                """, 1
            ),
            (
                """
                account [authtok_disable_aging=1 success=ignore ignore=ignore module_unknown=ignore default=die] \
                pam_cognito.so no_pass_expiry
                account required pam_unix.so
                account required pam_permit.so
                """, 0
            ),
        ])
    func aged(lines: String, count: Int) throws {
        let examination = try Self.examine(Shipped.machine(["cognito-account": lines]))
        let found = examination.findings.filter { finding in finding.why.contains("no_pass_expiry") }
        #expect(found.map(\.severity) == Array(repeating: .warning, count: count))
        #expect(found.allSatisfy { finding in finding.fix?.contains("cognito-account") == true })
        #expect(examination.passesAge == (count == 0))
    }

    @Test("a module that is missing: told where a sign-in fails by it, and not where libpam goes on without it")
    func missingModules() throws {
        for (control, severities) in [("optional", []), ("required", [Severity.broken])] {
            let service = "@include cognito-session\nsession \(control) pam_elsewhere.so\n"
            let files = try Shipped.machine(["systemd-user": service])
            let found = try Self.examine(files, missing: ["pam_elsewhere.so", "pam_lastlog.so"]).findings
            #expect(found.filter { finding in finding.id == .missingModule }.map(\.severity) == severities)
        }
    }

    @Test(
        "a module that asks for a new password before Cognito does is noted, and mended by asking Cognito first",
        arguments: [
            ("password requisite pam_pwquality.so retry=3\n@include cognito-password", 1),
            ("@include cognito-password\npassword requisite pam_pwquality.so retry=3", 0),
            ("@include cognito-password\npassword requisite pam_cracklib.so\n@include cognito-again", 0),
        ])
    func newPasswords(passwd: String, notes: Int) throws {
        let unix = "\npassword required pam_unix.so\n"
        let again = try Shipped.read("cognito-password")
        let files = try Shipped.machine(["passwd": passwd + unix, "cognito-again": again])
        let findings = try Self.examine(files).findings
        #expect(findings.map(\.severity) == Array(repeating: .note, count: notes))
        let fix = "/etc/pam.d/passwd, before line 1: add @include cognito-password"
        #expect(findings.map(\.fix) == Array(repeating: fix, count: notes))
    }

    @Test("through the common files everybody has us: no keyring is asked of those whom Debian ships without")
    func keyrings() throws {
        let session = "session optional pam_cognito.so\n"
        let files = try Shipped.machine([
            "common-session": session + (Shipped.debian["common-session"] ?? ""), "chfn": "@include common-session\n",
            "sshd": "session required pam_env.so\n@include common-session\n",
        ])
        let problems = try Self.problems(files).filter { finding in finding.what.contains("pam_keyinit") }
        #expect(problems.map { finding in finding.what.prefix(5) } == ["sshd:"])
        #expect(
            problems.first?.fix
                == "/etc/pam.d/sshd, before line 1: add session optional pam_keyinit.so force revoke")
        let own = try Shipped.machine(["xdm": "auth required pam_cognito.so\nsession optional pam_cognito.so\n"])
        #expect(try Self.problems(own).contains { finding in finding.what.hasPrefix("xdm: \"pam_keyinit") })
    }

    @Test("of Debian's, with the profile switched on, have no fault")
    func profile() throws {
        let examination = try Self.examine(Shipped.profile)
        #expect(examination.findings == [])
        #expect(examination.serviceNames.count == 13)
    }

    @Test(
        "what puts lines right is the line as it was shipped, or a comparison; an administrator's own stays",
        arguments: [
            // As it was shipped, what becomes of it, and what is told.
            ("cognito-auth", "requisite       pam_deny.so", "optional pam_deny.so", "pam_deny.so -> auth requisite"),
            ("cognito-auth", "auth    requisite       pam_deny.so\n", "", ": add auth requisite pam_deny.so"),
            ("cognito-auth", "default=2]", "default=ignore]", "default=2] pam_cognito.so"),
            ("sshd", "@include cognito-account\n", "", ": add @include cognito-account"),
        ])
    func lineFix(file: String, line: String, slip: String, told: String) throws {
        let text = try Shipped.read(file)
        let own = "# ours\n-auth optional pam_own.so\n"
        try #require(text.contains(line))
        let broken = own + text.replacing(line, with: slip)
        let fixes = Set(try Self.problems(Shipped.machine([file: broken])).compactMap(\.fix))
        #expect(fixes.count == 1 && fixes.allSatisfy { fix in fix.hasPrefix("/etc/pam.d/\(file), ") }, "\(fixes)")
        #expect(fixes.allSatisfy { fix in fix.contains(told) && !fix.contains("pam_own") }, "\(fixes)")
    }

    @Test(
        "one line that differs is told with its number, before and after; more of them are compared",
        arguments: [
            ("a b\nc d\n", "a b\nc e\n", "f, before line 2: add c e"),
            ("auth x m.so\n", "auth y m.so", "f, line 1: auth x m.so -> auth y m.so"),
            ("# a\n\nauth x m.so 1\n", "auth x m.so 1\nauth x n.so\n", "f, before line 4: add auth x n.so"),
            ("auth x n.so\n", "auth x m.so\nauth x n.so\n", "f, before line 1: add auth x m.so"),
            ("auth own o.so\n\nauth x n.so", "auth x m.so\nauth x n.so", "f, before line 3: add auth x m.so"),
            ("auth x n.so\nauth own o.so", "auth y n.so\n", "f, line 1: auth x n.so -> auth y n.so"),
            (
                "auth x n.so\nauth x m.so", "auth x m.so\nauth x n.so",
                "f, line 1: remove auth x n.so; f, before line 3: add auth x n.so"
            ),
            ("auth x n.so\nauth x m.so", "auth y n.so\nauth y m.so", nil), ("auth x n.so", "auth  x\tn.so # z", nil),
            ("auth x n.so\nauth z n.so\n", "auth y n.so", nil),
        ] as [(String, String, String?)])
    func differences(text: String, wanted: String, told: String?) {
        #expect(LineFix.between(text, and: wanted, at: "f") == told)
    }

    @Test(
        "pam-auth-update's files are put right by pam-auth-update, which is never told to overwrite",
        arguments: [
            ("common-auth", "default=2]\tpam_cog", "default=ignore]\tpam_cog"),
            ("common-session", "default=bad]", "success=done default=bad]"),
            ("common-account", " no_pass_expiry", ""), ("common-auth", "requisite", "optional"),
        ])
    func profileLine(file: String, line: String, slip: String) throws {
        let text = try #require(Shipped.profile[file])
        try #require(text.contains(line))
        let files = Shipped.profile.merging([file: text.replacing(line, with: slip)]) { _, new in new }
        let fixes = Set(try Self.problems(files).compactMap(\.fix))
        #expect(fixes.count == 1, "\(fixes)")
        #expect(fixes.allSatisfy { fix in fix.hasPrefix("pam-auth-update --enable cognito   #") })
        #expect(fixes.allSatisfy { fix in !fix.contains("force") })
    }

    @Test("a service of which no auth line decides lets nobody in, and is put right by ours")
    func undecided() throws {
        let text = try Shipped.read("screen-lock").replacing("@include cognito-auth", with: "auth optional pam_warn.so")
        let found = try Self.problems(Shipped.machine(["screen-lock": text]))
        #expect(found.map(\.severity) == [.broken])
        let fix = found.first?.fix ?? ""
        #expect(fix.hasPrefix("/etc/pam.d/screen-lock, ") && fix.hasSuffix("add @include cognito-auth"), "\(fix)")
    }

    @Test("of desktops, which sign in without a password here and refuse a new one there, have no fault of ours")
    func desktops() throws {
        let files = Shipped.profile.merging(Shipped.desktops) { own, _ in own }
        #expect(try Self.examine(files).findings.map(\.what) == [])
        // What is ours is told there, too.
        let broken = files.merging([
            "common-account": "account required pam_cognito.so\naccount required pam_deny.so\n"
        ]) { _, new in new }
        #expect(try Self.problems(broken).contains { finding in finding.what.contains("lightdm") })
    }

    /// What 0.1.0 shipped as cognito-auth.
    static let counting = """
        auth optional pam_faildelay.so delay=2000000
        auth requisite pam_faillock.so preauth
        auth [success=5 new_authtok_reqd=5 ignore=ignore user_unknown=ignore authinfo_unavail=3 module_unknown=ignore \
        default=1] pam_cognito.so
        auth [success=4 new_authtok_reqd=4 default=ignore] pam_unix.so nullok nodelay try_first_pass
        auth [default=ignore] pam_faillock.so authfail
        auth requisite pam_deny.so
        auth [success=1 new_authtok_reqd=1 default=ignore] pam_unix.so nullok nodelay try_first_pass
        auth requisite pam_deny.so
        auth required pam_faillock.so authsucc
        """

    @Test("of 0.1.0 have two faults: pam_faillock, which counts outages, too, and su without the module")
    func oldStacks() throws {
        let files = try Shipped.machine(["cognito-auth": Self.counting])
        let findings = try Self.examine(files).findings
        #expect(findings.map(\.severity) == [.warning, .warning, .warning])
        #expect(findings.contains { finding in finding.what.hasPrefix("su, su-l, sudo, sudo-i: if pam_cognito.so") })
        #expect(
            findings.first?.what.hasPrefix("login, screen-lock, sshd, su, su-l, sudo, sudo-i: pam_faillock counts")
                == true)
        #expect(findings.first?.fix?.hasPrefix("diff /etc/pam.d/cognito-auth \(Shipped.folder)/cognito-auth ") == true)
        // An administrator's own, for sshd.
        let own = try Shipped.machine([
            "sshd": """
            auth [auth_err=die default=ignore] pam_faillock.so preauth
            @include cognito-auth
            auth [default=die] pam_faillock.so authfail
            account required pam_faillock.so
            @include cognito-account
            @include cognito-session
            """
        ])
        #expect(
            try Self.examine(own).findings.filter { finding in finding.what.contains("may be able to change") } == [])
    }

    /// What there was before pam_succeed_if held where the module is not loaded.
    static let unheld = [
        "cognito-auth": """
        auth optional pam_faildelay.so delay=2000000
        auth [success=2 new_authtok_reqd=2 ignore=ignore user_unknown=ignore authinfo_unavail=ignore \
        module_unknown=ignore default=1] pam_cognito.so try_session=yes
        auth [success=1 new_authtok_reqd=1 default=ignore] pam_unix.so nullok nodelay try_first_pass
        auth requisite pam_deny.so
        auth required pam_permit.so
        """,
        "cognito-account": """
        account [authtok_disable_aging=1 success=ignore ignore=ignore module_unknown=ignore default=die] \
        pam_cognito.so no_pass_expiry
        account required pam_unix.so
        account required pam_permit.so
        """,
        "common-auth": """
        auth [success=2 ignore=ignore user_unknown=ignore authinfo_unavail=ignore module_unknown=ignore default=1] \
        pam_cognito.so
        auth [default=2] pam_permit.so
        auth requisite pam_deny.so
        auth [success=2 default=die] pam_permit.so
        auth [success=1 default=ignore] pam_unix.so nullok try_first_pass
        auth requisite pam_deny.so
        auth required pam_permit.so
        """,
    ]

    @Test(
        "a module that is not loaded: services that users start hold, or are told, with the lines to write",
        arguments: [
            (["cognito-auth"], true), (["cognito-account"], true), (["cognito-auth", "cognito-account"], true),
            (["common-auth"], false), (["sudo"], true),
        ])
    func unloaded(names: [String], isShipped: Bool) throws {
        var changes = Self.unheld.filter { name, _ in names.contains(name) }
        if names == ["sudo"] {
            // All lines in the service's own file, with options of the administrator's.
            let lines = try ["cognito-auth", "cognito-account"].map { name in try #require(Self.unheld[name]) }
            changes = ["sudo": lines.joined(separator: "\n") + "\n@include cognito-session\n"]
        }
        let machine = isShipped ? try Shipped.machine(changes) : Shipped.profile.merging(changes) { _, new in new }
        let findings = try Self.problems(machine)
        #expect(findings.allSatisfy { finding in finding.severity == .warning })
        #expect(findings.allSatisfy { finding in finding.what.contains("if pam_cognito.so cannot be loaded") })
        #expect(findings.allSatisfy { finding in !finding.what.contains("sshd") && !finding.what.contains("login") })
        #expect(findings.count == (names == ["sudo"] ? 2 : names.count))
        for finding in findings {
            let fix = finding.fix ?? ""
            if !isShipped {
                // pam-auth-update would take a line of another's for a change by hand. The package has the new profile.
                #expect(fix.hasPrefix("pam-auth-update --enable cognito   #"))
            } else if names == ["sudo"] {
                #expect(fix.hasPrefix("diff /etc/pam.d/sudo "), "\(fix)")
            } else {
                #expect(fix.contains("/etc/pam.d/cognito-"), "\(fix)")
            }
        }
    }

    @Test(
        "pam_succeed_if holds by what it is told",
        arguments: [
            ("use_uid uid = 0 ruser in root:", 0), ("use_uid uid = 0", 0), ("use_uid uid eq 0", 0),
            ("ruser in root:", 0), ("quiet", 1), ("uid = 0", 1), ("user != root", 1), ("use_uid uid != 0", 1),
        ])
    func conditions(words: String, count: Int) throws {
        let condition = "use_uid uid = 0 ruser in root:"
        let auth = try Shipped.read("cognito-auth")
        try #require(auth.contains(condition))
        let findings = try Self.problems(Shipped.machine(["cognito-auth": auth.replacing(condition, with: words)]))
        let told = findings.filter { finding in finding.what.contains("if pam_cognito.so cannot be loaded") }
        #expect(told.count == count)
        // Where it lets users by, and not root.
        let locked = findings.filter { finding in finding.what.contains("local users or root cannot sign in") }
        #expect(locked.map(\.severity) == (words == "use_uid uid != 0" ? [.warning] : []))
    }

    @Test("a file that config= names and that a login cannot use keeps Cognito's accounts out of the service")
    func otherFile() throws {
        var files = try Shipped.files().merging(Shipped.debian) { own, _ in own }
        files["cognito-auth"] = files["cognito-auth"]?.replacing("pam_cognito.so", with: "pam_cognito.so config=/b")
        let wrong = ["/b": Check(.configurationFile, .broken, "/b does not exist.", why: "", fix: "make /b")]
        let found = try Self.examine(files, wrongFiles: wrong).findings.filter { finding in finding.fix == "make /b" }
        #expect(found.count == 1 && found[0].severity == .broken)
        #expect(found[0].what.hasSuffix("config= specifies another file: /b does not exist."))
        #expect(found[0].what.contains("sshd"))
        // Of another file that is right there is nothing to say but that it is one.
        let right = try Self.examine(files).findings.filter { finding in
            finding.what.contains("configuration file is /b")
        }
        #expect(right.map(\.severity) == [.note])
    }

    @Test("a mistake in the configuration keeps no local account out: pam_cognito ignores them")
    func mistakeAndLocalAccounts() throws {
        for (file, from, to) in [
            ("cognito-auth", "authinfo_unavail=1", "authinfo_unavail=2"),
            ("cognito-password", "try_again=ignore", "try_again=die"),
        ] {
            let text = try Shipped.read(file)
            let slip = text.replacing(from, with: to)
            #expect(text != slip)
            #expect(try Self.problems(Shipped.machine([file: slip])) == [], "\(file)")
        }
    }

    @Test("elsewhere than on Debian are never mended with Debian's files")
    func elsewhere() throws {
        var files = try Shipped.files().filter { name, _ in name.hasPrefix("cognito-") }
        files["password-auth"] = "session required pam_unix.so\npassword required pam_unix.so\n"
        files["sshd"] = """
            auth include cognito-auth
            account include cognito-account
            session include cognito-session
            session include password-auth
            """
        files["passwd"] = "password include password-auth\n"
        #expect(
            try Self.problems(files).map(\.fix) == [
                "/etc/pam.d/passwd, before line 1: add password include cognito-password"
            ])
        files["passwd"] = "password include cognito-password\npassword include password-auth\n"
        #expect(try Self.examine(files).findings == [])
        files["cognito-auth"] = files["cognito-auth"]?.replacing("default=2]", with: "default=ignore]")
        let fixes = try Self.problems(files).compactMap(\.fix)
        #expect(fixes.count == 1 && fixes[0].contains("default=ignore] pam_cognito.so -> auth [success=3"), "\(fixes)")
    }
}
