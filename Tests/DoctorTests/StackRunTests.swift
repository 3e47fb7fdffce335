import Commands
import FoundationEssentials
import Glibc
import Testing

@testable import Doctor

@Suite("Going through a stack as libpam does")
struct StackRunTests {
    /// Each module returns what stands behind its name: `required auth_err.so`.
    private static func run(_ files: [String: String]) -> StackRun {
        StackTests.judge().run(PAMServices(files).service("s"), [.authenticate]) { _, line in
            ModuleResult(name: String(line.moduleName.split(separator: "-").first ?? "")) ?? .abort
        }[0]
    }

    private static func modules(_ run: StackRun) -> [String] {
        run.called.map(\.line.moduleName)
    }

    @Test(
        "decides by the controls",
        arguments: [
            ("auth required success.so", .success),
            ("auth required auth_err.so\nauth required success.so", .authErr),
            ("auth requisite auth_err.so\nauth sufficient success.so", .authErr),
            ("auth sufficient success.so\nauth required auth_err.so", .success),
            ("auth required auth_err.so\nauth sufficient success.so\nauth required maxtries.so", .authErr),
            ("auth optional success.so", .success),
            ("auth optional auth_err.so", .permDenied),
            ("auth required ignore.so", .permDenied),
            (
                "auth [success=1 default=ignore] success.so\nauth requisite auth_err.so\nauth required success.so",
                .success
            ),
            (
                "auth [success=1 default=ignore] auth_err.so\nauth requisite maxtries.so\nauth required success.so",
                .maxtries
            ),
            ("auth [success=3 default=ignore] success.so\nauth required success.so", .permDenied),
            ("auth [default=die] ignore.so", .permDenied),
            ("auth [success=ok] user_unknown.so", .userUnknown),
            ("auth [success=reset] success.so\nauth required ignore.so", .permDenied),
            // A line that cannot be read fails, whatever its module says.
            ("auth [success=fine] success.so", .permDenied),
            ("auth mandatory success.so", .permDenied),
            ("auth required", .permDenied),
            ("auth required success.so\nautn required success.so", .permDenied),
            ("auth required success.so\n@include nothing", .permDenied),
            ("", .permDenied),
        ] as [(String, ModuleResult)])
    func controls(text: String, result: ModuleResult) {
        #expect(Self.run(["s": text]).result == result)
        let isReadable = !["fine", "mandatory", "autn", "nothing"].contains { word in text.contains(word) }
        #expect(PAMServices(["s": text]).service("s").unreadable.isEmpty == (isReadable && text != "auth required"))
    }

    @Test("a substack is one module, and ends by itself")
    func substack() {
        let files = [
            "s": "auth substack other-file\nauth required success-last.so",
            "other-file": "auth sufficient success-inner.so\nauth required auth_err.so\naccount required success.so",
        ]
        let run = Self.run(files)
        #expect(run.result == .success)
        #expect(Self.modules(run) == ["success-inner", "success-last"])
        // Included, the same line ends the whole stack.
        let included = Self.run(files.merging(["s": "auth include other-file\nauth required success-last.so"]) { $1 })
        #expect(Self.modules(included) == ["success-inner"])
        let jump =
            "auth [success=1 default=ignore] success-first.so\nauth substack other-file\nauth required success-last.so"
        #expect(Self.modules(Self.run(files.merging(["s": jump]) { $1 })) == ["success-first", "success-last"])
    }

    @Test("lines go on behind a backslash, and comments and brackets count for nothing")
    func lines() {
        let text = """
            # auth required auth_err.so
            -auth   [success=1 \\
                default=ignore]  success.so  # one over
            AUTH Requisite auth_err.so
            auth required /lib/security/success.so [a b] c=[d]
            """
        let stack = PAMServices(["s": text]).service("s").stack(.auth)
        #expect(stack.map(\.place.line) == [2, 4, 5])
        #expect(stack.map(\.moduleName) == ["success", "auth_err", "success"])
        #expect(stack.last?.arguments == ["a b", "c=[d]"])
        #expect(Self.run(["s": text]).result == .success)
    }

    @Test("files that include one another come to an end, deep and broad")
    func endless() {
        let deep = PAMServices(["s": "auth include s"]).service("s")
        #expect(deep.unreadable.map(\.problem) == ["files include each other in a loop"])
        for line in ["auth include s", "auth substack s", "@include s"] {
            let text = "\(line)\n\(line)\nauth required success.so\nauth optional pam_cognito.so"
            let broad = PAMServices(["s": text]).service("s")
            #expect(PAMServices(["s": text]).ours.map(\.name) == ["s"])
            #expect(
                broad.unreadable.last?.problem.contains("more than 4096 lines") == true
                    && broad.stack(.auth).count < 5000)
            #expect(Self.run(["s": text]).result != .success)
        }
    }

    @Test("what a service has no line for is that of other")
    func other() {
        let service = PAMServices(["s": "auth required a.so", "other": "session required pam_deny.so"]).service("s")
        #expect(service.stack(.session).map(\.moduleName) == ["pam_deny"])
        #expect(service.borrowed.contains(.session) && !service.borrowed.contains(.auth))
    }

    @Test("pam_setcred goes the way of pam_authenticate")
    func frozen() {
        let text = "auth [success=1 default=ignore] success-a.so\nauth required cred_err.so\nauth required success-b.so"
        let service = PAMServices(["s": text]).service("s")
        let judge = StackTests.judge()
        let runs = judge.run(service, [.authenticate, .credentials]) { call, line in
            line.moduleName == "success-a" && call == .authenticate
                ? .authErr : line.moduleName == "cred_err" && call == .credentials ? .credErr : .success
        }
        #expect(runs.map(\.result) == [.success, .credErr])
        #expect(judge.run(service, [.credentials]) { _, _ in .success }[0].result == .success)
    }

    @Test("a change of a password has two rounds, and an application hears of each module once") func change() {
        let service = PAMServices(["s": "password required a.so\npassword required b.so"]).service("s")
        for result in [ModuleResult.success, .authtokErr] {
            let run = StackTests.judge().run(service, [.change]) { _, _ in result }[0]
            #expect(run.result == result && run.called.map(\.line.moduleName) == ["a", "b"])
        }
    }

    @Test("a jump goes over as many modules as are written, in stacks of more than a thousand lines, too") func far() {
        let lines = Array(repeating: "auth optional ignore.so", count: 1100)
        let text =
            (lines + ["auth [success=2] success.so", "auth requisite auth_err.so", "auth requisite auth_err.so"])
            .joined(separator: "\n") + "\nauth required success-last.so"
        let run = Self.run(["s": text])
        #expect(run.result == .success && run.called.count == 1102 && run.called.last?.line.place.line == 1104)
    }

    @Test("libpam runs in a process without rights, with an empty root directory, and leaves nothing behind")
    func rights() throws {
        let directory: String
        do {
            let judge = StackTests.judge()
            directory = judge.directory
            let text = try #require(readWhole("/proc/\(judge.child)/status"))
            let status = WorkerFacts(status: text)
            // Without root's rights (unit tests), the child has its own user namespace in place of another uid.
            #expect(geteuid() != 0 || status.findings(account: 4_294_967_293) == [])
            #expect(text.contains("\nNoNewPrivs:\t1\n"))
            let root = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(judge.child)/root")
            #expect(root == directory)
            #expect(fileNames(in: "/proc/\(judge.child)/fd").count == 5)
            withExtendedLifetime(judge) {}
        }
        #expect(!FileManager.default.fileExists(atPath: directory))
    }

    @Test(
        "processes of the account nobody cannot reach the process that runs libpam", .enabled(if: geteuid() == 0),
        arguments: ["prlimit --pid %d --nofile=0:0", "kill -STOP %d"])
    func nobody(command: String) throws {
        let judge = StackTests.judge()
        let script = command.replacing("%d", with: "\(judge.child)")
        let identity = ["--reuid=65534", "--regid=65534", "--clear-groups"]
        let tried = Doctor.run(["/usr/bin/setpriv"] + identity + ["/bin/sh", "-c", script])
        let result = try #require(tried)
        #expect(result.status != 0 && result.output.contains("not permitted"), "\(result.output)")
        #expect(Self.run(["s": "auth required success.so"]).result == .success && judge.fault == nil)
    }

    @Test("what killed doctors have left is removed, and not what belongs to others", .enabled(if: geteuid() == 0))
    func leftovers() throws {
        let (made, left) = ("/run/leftover.\(getpid())", "/run/pam-cognito-doctor.\(getpid())")
        try FileManager.default.createDirectory(atPath: made, withIntermediateDirectories: false)
        try "x".write(toFile: made + "/0", atomically: true, encoding: .utf8)
        // Another test's doctor may remove it at any time.
        #expect(unsafe rename(made, left) == 0)
        let judge = StackTests.judge()
        for _ in 0..<5000 where linuxExists(left) { usleep(1000) }
        #expect(!linuxExists(left))
        withExtendedLifetime(StackTests.judge()) { #expect(linuxExists(judge.directory)) }
        #expect(linuxExists(judge.directory) && judge.fault == nil)
    }

    @Test("without pam_debug.so, the stacks are not examined, and that is told") func noModule() throws {
        let examination = StackExamination(
            PAMServices(try Shipped.machine()), in: PAMSurroundings(shipped: [:], shippedFolder: ""),
            judge: StackJudge("/nonexistent/pam_debug.so"))
        #expect(examination.findings.map(\.id) == [.noJudge])
        #expect(examination.findings[0].what.contains("/nonexistent/pam_debug.so"))
    }

    @Test(
        "set-ups of the field",
        arguments: [
            // As the module of Research and Engineering Studio was set up.
            (
                ["common-auth": "auth sufficient pam_cognito.so\n" + (Shipped.debian["common-auth"] ?? "")],
                "Cognito refuses"
            ),
            (["sshd": "@include cognito-auth\nsession required pam_unix.so"], "session lines never run"),
            (["sshd": "auth required pam_cognito.so\nauth required pam_unix.so"], "local"),
            // Nobody is asked anything.
            (["su": "auth sufficient pam_rootok.so\n@include cognito-account\n@include cognito-session"], "auth line"),
            (
                ["login": "auth [success=done ignore=ignore default=die] pam_cognito.so\n@include common-auth"],
                "pam_cognito.so does not exist"
            ),
            (
                [
                    "su": "@include cognito-auth\n@include cognito-account\nsession required pam_cognito.so\n"
                        + "session optional pam_keyinit.so force revoke"
                ], "comes after pam_cognito"
            ),
        ] as [([String: String], String)])
    func field(change: [String: String], words: String) throws {
        let found = try StackTests.problems(Shipped.machine(change))
        #expect(found.contains { finding in finding.what.contains(words) || finding.why.contains(words) }, "\(found)")
        #expect(found.allSatisfy { finding in finding.fix != nil })
    }

    @Test(
        "where no session follows, nobody needs a session line",
        arguments: [
            ("cups", "", true), ("cups", " session=open", false), ("shop", "", false), ("shop", " session=never", true),
        ])
    func withoutSession(service: String, argument: String, isRight: Bool) throws {
        let auth = try Shipped.read("cognito-auth").replacing("pam_cognito.so", with: "pam_cognito.so" + argument)
        let text = auth + "\n@include cognito-account\nsession required pam_unix.so"
        let found = try StackTests.problems(Shipped.machine([service: text]))
        let what = "\(service): the session lines never run pam_cognito."
        #expect(found.contains { finding in finding.what == what } == !isRight, "\(found)")
    }

    @Test("a session line of others that ends the lines leaves nobody out, and Cognito's without tokens")
    func sufficient() throws {
        let sshd = try Shipped.read("sshd")
        let ending = { (line: String, control: String) in
            sshd.split(separator: "\n").map { text in
                text.hasSuffix(line) ? "session \(control) \(line)" : String(text)
            }.joined(separator: "\n")
        }
        let first = try StackTests.problems(Shipped.machine(["sshd": ending("pam_selinux.so close", "sufficient")]))
        #expect(first.contains { finding in finding.what == "sshd: the session lines never run pam_cognito." })
        let last = try StackTests.problems(
            Shipped.machine(["sshd": ending("pam_selinux.so open", "[success=done default=bad]")]))
        #expect(last == [])
    }

    @Test("key_logins = refuse is held against the account lines", arguments: [true, false])
    func keys(isKept: Bool) throws {
        let account = isKept ? try Shipped.read("cognito-account") : "account required pam_unix.so\n"
        let found = try StackTests.examine(Shipped.machine(["cognito-account": account]), refusesKeys: true).findings
        #expect(found.contains { finding in finding.what.contains("key_logins = refuse") } == !isKept)
    }
}
