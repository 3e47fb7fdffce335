import Base
import Configuration
import Keyring
import Protocol
import Sessions
import Testing

@testable import Fakes

private let four = "urn:cognito:loa:4"
private let one = "urn:cognito:loa:1"
private let now: Int64 = 1_800_000_000

private func proof(_ acr: String? = four, at time: Int64? = now) -> Proof {
    Proof(
        acr: acr.map { acr in Array(acr.utf8) }, amr: acr == nil ? [] : [Array("pwd".utf8), Array("otp".utf8)],
        authenticatedAt: time)
}

/// sudo with `required_acr`, run by alice in a session of hers.
private struct Sudo {
    let world = World()
    let key: RootKey

    /// - Parameters:
    ///   - held: What the check of her session says; nil: there is no session.
    ///   - script: What the next worker says.
    init(_ held: Act?, _ script: [Act] = [.ask(.password), .failed(.refused)]) {
        let machine = world.machine
        key = world.runSudo()
        machine.canStartEnding = true
        if held == nil {
            machine.inherited = []
        }
        world.host.answers = Array(repeating: .success("123456"), count: 4)
        world.arguments = ["required_acr=\(four) urn:x", "max_age=1h"]
        machine.scripts = (held.map { held in [[held]] } ?? []) + [script, [.signedOutAsAsked]]
    }

    static let passwordOnly = Act.checked(at: now - 60, acr: one, amr: ["pwd"])

    /// The worker that comes after the check.
    var worker: FakeWorker? { world.machine.workers.dropFirst().first }
}

@Suite("Access by proof") struct StepUpTests {
    @Test("only what is missing is asked for, and the tokens that prove it are revoked")
    func stepUp() {
        let sudo = Sudo(Sudo.passwordOnly, [.ask(.visible, "Code: "), .signedIn(proof: proof())])
        let world = sudo.world
        let before = world.machine.registry.sessions
        #expect(world.authenticate() == .success)
        #expect(world.host.questions == ["visible Code: "])
        #expect(sudo.worker?.kinds == [.signIn, .answer, .registered])
        #expect(sudo.worker?.field(.flow) == [AuthenticationFlow.stepUp.rawValue])
        #expect(sudo.worker?.field(.bundle) == Array(Secrets.bundle.utf8))
        #expect(sudo.worker?.field(.maxAge) == [0, 0, 0, 0, 0, 0, 0x0e, 0x10])
        #expect(sudo.worker?.field(.preconnect) == [0])
        // Only the tokens of the proof; by the agent, which no user can stop.
        #expect(world.machine.workers.count == 2)
        world.machine.endHandedOver()
        let end = world.machine.workers.last
        #expect(end?.kinds == [.signOut])
        #expect(end?.field(.revocation) == [Revocation.session.rawValue])
        #expect(world.machine.registry.sessions == before)
        let session = "user='alice' session=\(sudo.key.serial.number) service='sudo' rhost=''"
        #expect(
            world.host.takeLog() == [
                "INFO authentication attempt; user='alice' session=0 service='sudo' rhost='' uid=5001",
                "INFO stepped up; \(session) pool=eu-west-1_AbCdEf123 allowed_groups='staff' acr='\(four)' "
                    + "amr='pwd,otp' "
                    + "auth_time=1800000000",
            ])
        world.host.userName = .success(Array("bob".utf8))
        #expect(world.openSession() == .success)
        #expect(world.machine.isolated == [5002])
        #expect(world.closeSession() == .success)
        #expect(world.machine.registry.sessions == before)
    }

    @Test("a screen lock goes by no session, whatever that has proved", arguments: ["vlock", "sudo"])
    func screenLock(service: String) {
        let sudo = Sudo(.checked(at: now, acr: four, amr: ["pwd", "otp"]))
        sudo.world.host.service = Array(service.utf8)
        let isLock = service == "vlock"
        if isLock {
            sudo.world.machine.scripts.removeFirst()
        }
        #expect(sudo.world.authenticate() == (isLock ? .authenticationError : .success))
        #expect(sudo.world.host.questions.count == (isLock ? 1 : 0))
    }

    @Test("tokens that prove a level, and could not be revoked yet, are told in the log")
    func notRevoked() {
        let sudo = Sudo(Sudo.passwordOnly, [.ask(.visible, "Code: "), .signedIn(proof: proof())])
        sudo.world.machine.canStartEnding = false
        #expect(sudo.world.authenticate() == .success)
        #expect(sudo.world.host.takeLog().contains { line in line.contains("sign-out not finished") })
    }

    @Test("nobody is asked for what the session has proved lately", arguments: [0, 3600, 3601] as [Int64])
    func everything(age: Int64) {
        let sudo = Sudo(.checked(at: now - age, acr: four, amr: ["pwd", "otp"]))
        let isYoung = age <= 3600
        #expect((sudo.world.authenticate() == .success) == isYoung)
        #expect(sudo.world.host.questions.isEmpty == isYoung)
        let line = sudo.world.host.takeLog().first
        #expect(line?.contains("session reused") == isYoung)
        #expect(line?.hasSuffix("acr='\(four)' amr='pwd,otp' auth_time=\(now - age)") == isYoung)
    }

    @Test("a level that the file wants of all services opens none of them without a question")
    func byFile() {
        let sudo = Sudo(nil)
        sudo.world.machine.inherited = [KeySerial(600)]
        sudo.world.arguments = []
        sudo.world.machine.configuration = FakeMachine.configuration("required_acr = \(four)")
        #expect(sudo.world.authenticate() == .authenticationError)
        #expect(sudo.world.host.questions.count == 1)
        #expect(sudo.world.machine.workers.first?.kinds.first == .signIn)
    }

    @Test(
        "where the session proves too little to begin from, all is asked for",
        arguments: [
            nil, .checked(at: now - 60), .checked(at: now - 3601, acr: one, amr: ["pwd"]),
            .checked(acr: one, amr: ["pwd"]),
            .checked(at: now - 60, groups: ["guests"], acr: one, amr: ["pwd"]),
            .checked(at: now + 61, acr: four, amr: ["pwd", "otp"]), .failed(.unreachable), .failed(.sessionEnded),
        ] as [Act?])
    func nothing(held: Act?) {
        let sudo = Sudo(held)
        #expect(sudo.world.authenticate() == .authenticationError)
        #expect(sudo.world.host.questions == ["password"])
        let worker = sudo.world.machine.workers.last
        #expect(worker?.field(.flow) == [AuthenticationFlow.choice.rawValue])
        #expect(worker?.field(.preferredFactor) == [PreferredFactor.proof.rawValue])
        #expect(worker?.field(.requiredACR) != nil && worker?.field(.bundle) == nil)
    }

    @Test(
        "whatever else comes of it lets nobody through",
        arguments: [
            (proof(nil), "the tokens contain no authentication level"),
            (proof(one), "'\(one)', is not in required_acr"),
            (proof("\(four) "), "is not in required_acr"), (proof("urn:X"), "is not in required_acr"),
            (proof(at: nil), "longer ago than max_age"), (proof(at: now - 3601), "longer ago than max_age"),
            (proof(at: now + 61), "longer ago than max_age"),
        ], [true, false])
    func shortfall(proven: (proof: Proof, words: String), isStepUp: Bool) {
        let sudo = Sudo(
            isStepUp ? Sudo.passwordOnly : nil,
            [.ask(isStepUp ? .visible : .password, "Code: "), .signedIn(proof: proven.proof)])
        let world = sudo.world
        #expect(world.authenticate() == .permissionDenied)
        let worker = isStepUp ? sudo.worker : world.machine.workers.first
        // Not registered: the worker revokes them.
        #expect(worker?.kinds == [.signIn, .answer])
        #expect(world.host.kept == nil)
        let line = world.host.takeLog().last ?? ""
        #expect(line.contains("reason=level_not_reached") && line.contains(proven.words), "\(line)")
        #expect(world.host.shown.last?.hasPrefix("This machine requires an additional sign-in step") == true)
    }

    @Test("another person's, or a person's who may not, is no proof", arguments: ["bob", "alice"])
    func other(name: String) {
        let sudo = Sudo(
            Sudo.passwordOnly,
            [.ask(.visible, "Code: "), .signedIn(as: name, groups: ["guests"], proof: proof())])
        #expect(sudo.world.authenticate() == .permissionDenied)
        #expect(sudo.world.host.kept == nil)
    }

    @Test("a password of this machine proves nothing that is required")
    func localPassword() {
        let sudo = Sudo(nil, [.ask(.password), .failed(.unreachable)])
        sudo.world.arguments.append("local_password=unavailable")
        #expect(sudo.world.authenticate() == .credentialsUnavailable)
    }

    @Test("codes that nobody types are counted before they are sent")
    func counted() {
        let sudo = Sudo(Sudo.passwordOnly, [.ask(.visible, "Code: "), .failed(.refused)])
        let world = sudo.world
        world.machine.scripts = (0..<4).flatMap { _ in
            [[Sudo.passwordOnly], [.ask(.visible, "Code: "), .failed(.refused)]]
        }
        for _ in 0..<3 {
            #expect(world.authenticate() == .authenticationError)
        }
        #expect(world.authenticate() == .tooManyTries)
        // The last one was no more than looked at.
        #expect(world.machine.workers.last?.kinds == [.check])
        #expect(world.machine.workers.count == 7)
    }

    @Test("a session that ends meanwhile is none to step up from")
    func ended() {
        let sudo = Sudo(Sudo.passwordOnly, [.ask(.visible, "Code: "), .failed(.sessionEnded)])
        #expect(sudo.world.authenticate() == .credentialsUnavailable)
        #expect(sudo.world.host.kept == nil)
    }

    @Test("what a service of root's asks for, it asks for wholly")
    func login() {
        let world = World(scripts: [.ask(.password), .signedIn(proof: proof())])
        world.arguments = ["required_acr=\(four)"]
        #expect(world.authenticate() == .success)
        #expect(world.machine.workers.first?.field(.flow) == [AuthenticationFlow.choice.rawValue])
        #expect(
            world.host.takeLog().last?.hasSuffix(
                "allowed_groups='staff' acr='\(four)' amr='pwd,otp' auth_time=1800000000") == true)
    }
}
