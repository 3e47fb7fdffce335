import Base
import Configuration
import Keyring
import Protocol
import Sessions
import Testing

@testable import Fakes

@Suite("Failed sign-ins are counted") struct AttemptTests {
    /// What the registry counts: who tried to be whom.
    private func counted(_ world: World) -> [String] {
        world.machine.registry.attempts.map { attempt in
            "\(attempt.kind) \(attempt.subject.caller) as \(text(attempt.subject.user))"
        }
    }

    private func world(_ scripts: [[Act]], caller: UInt32 = 0, _ configuration: String = "") -> World {
        let world = World(configuration)
        world.machine.scripts = scripts
        world.machine.realUserID = caller
        return world
    }

    /// What the worker does -> what is returned, and how much of it counts.
    struct Ending: Sendable {
        let script: [Act]
        let value: ReturnValue
        let count: Int
        /// The same in a set-uid host.
        let callersValue: ReturnValue
        let callersCount: Int

        init(
            _ script: [Act], _ value: ReturnValue, _ count: Int, caller callersValue: ReturnValue? = nil,
            _ callersCount: Int? = nil
        ) {
            self.script = script
            self.value = value
            self.count = count
            self.callersValue = callersValue ?? value
            self.callersCount = callersCount ?? count
        }
    }

    static let endings = [
        Ending([.ask(.password), .signedIn()], .success, 0),
        Ending([.ask(.password), .failed(.refused)], .authenticationError, 1),
        Ending([.ask(.password), .failed(.disabled)], .permissionDenied, 1),
        Ending([.ask(.password), .failed(.lockedOut)], .tooManyTries, 1),
        Ending([.ask(.password), .ask(.visible, "Code: "), .failed(.refused)], .authenticationError, 1),
        // Cognito said yes: the answer was right, whatever keeps the user out.
        Ending([.ask(.password), .signedIn(groups: ["others"])], .permissionDenied, 0),
        Ending([.ask(.password), .signedIn(as: "mallory")], .permissionDenied, 0),
        Ending(
            [.ask(.password), .ask(.visible, "Code: ", codeSent: true), .signedIn(groups: ["others"])],
            .permissionDenied, 0),
        Ending([.ask(.password), .failed(.unreachable)], .authenticationInformationUnavailable, 0),
        Ending(
            [.ask(.password), .failed(.throttled)], .authenticationInformationUnavailable, 0,
            caller: .credentialsUnavailable),
        Ending([.failed(.unreachable)], .authenticationInformationUnavailable, 0),
        Ending(
            [.ask(.password), .failed(.configuration)], .authenticationInformationUnavailable, 0,
            caller: .credentialsUnavailable),
        // A fault takes nothing back of what was wrong before.
        Ending(
            [.ask(.password), .ask(.visible, "Code: "), .failed(.serviceFault)], .authenticationInformationUnavailable,
            0, caller: .credentialsUnavailable),
        Ending(
            [.ask(.password), .ask(.visible, "Code: "), .ask(.visible, "Code: ", .wrong), .failed(.serviceFault)],
            .authenticationInformationUnavailable, 1, caller: .credentialsUnavailable),
        // Each wrong answer counts.
        Ending(
            [.ask(.password), .ask(.visible, "Code: "), .ask(.visible, "Code: ", .wrong), .failed(.refused)],
            .authenticationError, 2),
        Ending(
            [.ask(.password), .ask(.visible, "Code: "), .ask(.visible, "Code: ", .wrong), .signedIn()], .success, 0),
        // What was not sent to Cognito, or not looked at there, is no guess.
        Ending([.ask(.password), .failed(.refused, judgement: .notWrong)], .authenticationError, 0),
        Ending([.ask(.password), .failed(.refused, judgement: .notSent)], .authenticationError, 0),
        // The worker's fault takes back no answer that it knows to be wrong, and no other one of before.
        Ending([.ask(.password), .failed(.refused, judgement: .wrong)], .authenticationError, 1),
        // Only the end shows whether an answer to the pool's own question was right.
        Ending([.ask(.visible), .ask(.visible, "", .undecided), .failed(.refused)], .authenticationError, 2),
        Ending([.ask(.visible), .ask(.visible, "", .undecided), .signedIn()], .success, 0),
        // Neither an empty answer nor a fault lets one of before go.
        Ending(
            [.ask(.visible), .ask(.visible, "", .undecided), .ask(.visible, "", .notSent), .failed(.serviceFault)],
            .authenticationInformationUnavailable, 1, caller: .credentialsUnavailable),
        // A worker of an older version does not say what it was.
        Ending([.ask(.password), .unjudged(.visible), .failed(.refused)], .authenticationError, 2),
        // A worker that ends, or sends nothing: the caller may have caused that.
        Ending([.ask(.password), .end], .authenticationInformationUnavailable, 0, caller: .credentialsUnavailable, 1),
        Ending(
            [.ask(.password), .silence], .authenticationInformationUnavailable, 0, caller: .credentialsUnavailable, 1),
    ]

    @Test(
        "the list of what counts has a line for each who tried, with the codes that were not entered if there are any")
    func list() {
        func attempt(_ kind: AttemptKind, _ user: String, _ caller: UInt32, _ seconds: Int64) -> Attempt {
            Attempt(
                key: RootKey(serial: KeySerial(1), description: []), kind: kind,
                subject: AttemptSubject(user: Array(user.utf8), caller: caller),
                end: Instant(milliseconds: seconds * 1000), holder: nil)
        }
        let lines = listing(
            failures: [
                attempt(.failure, "ana", 0, 30), attempt(.failure, "bob", 7, 20), attempt(.failure, "ana", 0, 40),
            ],
            codesSent: [attempt(.codeSent, "bob", 7, 90), attempt(.codeSent, "ana", 7, 5)],
            at: Instant(milliseconds: 10_000))
        #expect(
            text(lines.bytes) == """
                user='ana' uid=0 failures=2 ends=30
                user='bob' uid=7 failures=1 ends=80 codes=1
                user='ana' uid=7 failures=0 ends=0 codes=1

                """)
    }

    @Test("what is a failure counts, and what is none does not", arguments: endings.indices)
    func ending(index: Int) {
        let ending = Self.endings[index]
        for (uid, value, count) in [
            (UInt32(0), ending.value, ending.count), (5002, ending.callersValue, ending.callersCount),
        ] {
            let world = world([ending.script], caller: uid)
            world.host.answers = Array(repeating: .success("123456"), count: 3)
            #expect(world.authenticate() == value)
            #expect(counted(world) == Array(repeating: "failure \(uid) as alice", count: count))
        }
    }

    @Test(
        """
        a prompt that is left counts nothing; a code that Cognito has sent for it counts as one, and so does what \
        is undecided
        """
    )
    func noAnswer() {
        for (prompt, left) in [
            (.ask(.visible, "Code: "), []), (.ask(.visible, "Code: ", codeSent: true), ["codeSent"]),
            (.ask(.visible, "Colour: ", .undecided), ["failure"]), (.ask(.visible, "Code: ", .wrong), ["failure"]),
            (.ask(.visible, "Colour: ", .undecided, codeSent: true), ["codeSent", "failure"]),
        ] as [(Act, [String])] {
            let world = world([[.ask(.password), prompt, .failed(.refused)]])
            #expect(world.authenticate() == .conversationError)
            #expect(counted(world) == left.map { kind in "\(kind) 0 as alice" })
        }
        // The undecided answers of one sign-in count as one.
        let several = world([[.ask(.visible), .ask(.visible, "", .undecided), .ask(.visible, "", .undecided), .end]])
        several.host.answers = [.success("blue"), .success("red")]
        #expect(several.authenticate() == .conversationError)
        #expect(counted(several) == ["failure 0 as alice"])
    }

    @Test(
        "what is entered for a code that was sent is its answer only if Cognito has seen it",
        arguments: [(AnswerJudgement.notSent, ["codeSent"]), (.wrong, ["failure"]), (.notWrong, [])])
    func enteredCode(judgement: AnswerJudgement, left: [String]) {
        let world = world([
            [.ask(.password), .ask(.visible, "Code: ", codeSent: true), .ask(.visible, "Code: ", judgement), .end]
        ])
        world.host.answers = [.success("123456")]
        #expect(world.authenticate() == .conversationError)
        #expect(counted(world) == left.map { kind in "\(kind) 0 as alice" })
        // The same where the worker gives up.
        let ended = self.world([
            [.ask(.password), .ask(.visible, "Code: ", codeSent: true), .failed(.refused, judgement: judgement)]
        ])
        ended.host.answers = [.success("123456")]
        #expect(ended.authenticate() == .authenticationError)
        #expect(counted(ended) == left.map { kind in "\(kind) 0 as alice" })
        // Who comes in has no codes left.
        world.machine.scripts = [[.ask(.password), .signedIn()]]
        #expect(world.authenticate() == .success && counted(world).isEmpty)
    }

    @Test("a code that cannot be noted is a failure, and one prompt too many is none")
    func unnoted() {
        let world = world([[.ask(.password), .ask(.visible, "Code: ", codeSent: true), .end]])
        world.host.onQuestion = { [machine = world.machine] in machine.noteError = nil }
        var notes = 0
        world.machine.onNote = { [machine = world.machine] in
            notes += 1
            // The reservation, the answer, and then the code.
            machine.noteError = notes == 2 ? .diskQuotaExceeded : nil
        }
        world.host.answers = []
        _ = world.authenticate()
        #expect(counted(world).count == 1)
        let crowded = self.world([], "auth_flow = custom")
        crowded.machine.crowded = [0]
        #expect(crowded.authenticate() == .tooManyTries)
        #expect(counted(crowded).isEmpty)
    }

    /// What others' attempts are doing, and what comes of one more.
    struct Crowd: Sendable {
        let others: [AttemptKind]
        var areGone = false
        var areInContainer = false
        let value: ReturnValue
        var shown: [String] = []
        var waits = false
    }

    private static let beingChecked = [
        "Several sign-ins to this account are being checked. Wait a few seconds, then try again."
    ]
    private static let haveFailed = ["Too many attempts to sign in to this account have failed. Try again in 10 min."]
    private static let notEntered = [
        "Cognito has sent several codes for this account, but none of them was entered. "
            + "Enter the code at the prompt that asks for it, or try again in 10 min."
    ]

    static let crowds = [
        Crowd(others: [.reserved, .reserved], value: .success),
        Crowd(others: [.reserved, .reserved, .reserved], value: .tooManyTries, shown: beingChecked, waits: true),
        Crowd(others: [.failure, .failure, .reserved], value: .tooManyTries, shown: beingChecked, waits: true),
        Crowd(others: [.failure, .failure, .failure], value: .tooManyTries, shown: haveFailed),
        // The process was killed before Cognito had judged the answer.
        Crowd(others: [.reserved, .reserved, .reserved], areGone: true, value: .tooManyTries, shown: haveFailed),
        // Whether a process in a container was killed is unknown.
        Crowd(
            others: [.reserved, .reserved, .reserved], areGone: true, areInContainer: true, value: .tooManyTries,
            shown: beingChecked, waits: true),
        Crowd(others: [.codeSent, .codeSent, .codeSent], value: .tooManyTries, shown: notEntered),
        Crowd(others: [.codeSent, .codeSent, .codeSent], areGone: true, value: .tooManyTries, shown: notEntered),
        Crowd(others: [.codeSent, .codeSent, .failure, .failure], value: .success),
        // Cognito may have sent a code to each that was killed.
        Crowd(others: [.codeSent, .codeSent, .reserved], areGone: true, value: .tooManyTries, shown: notEntered),
        Crowd(others: [.codeSent, .reserved, .failure], areGone: true, value: .success),
        Crowd(others: [.codeSent, .codeSent, .reserved], value: .tooManyTries, shown: beingChecked, waits: true),
        // Those who come later wait behind those who wait.
        Crowd(others: [.waiting, .waiting, .waiting], value: .success, waits: true),
        Crowd(others: [.waiting, .waiting, .waiting], areGone: true, value: .success),
        Crowd(others: [.answered, .answered, .answered, .begun], value: .success),
    ]

    @Test("answers that are being judged make others wait, and are no failures", arguments: crowds.indices)
    func crowd(index: Int) {
        let crowd = Self.crowds[index]
        let world = world([[.ask(.password), .signedIn()]])
        let other = world.machine.otherProcess()
        other.pidNamespace = crowd.areInContainer ? PIDNamespace(inode: 77) : world.machine.pidNamespace
        for kind in crowd.others {
            _ = try? other.noteAttempt(kind, .alice(), lasting: kind == .waiting ? 20 : 600)
        }
        world.machine.dead = crowd.areGone ? [200] : []
        world.machine.randomNumber = { _ in 0 }
        let began = world.machine.now.milliseconds
        #expect(world.authenticate() == crowd.value)
        #expect(world.host.shown.filter { text in !text.hasPrefix("Signed in") } == crowd.shown)
        let waited = world.machine.now.milliseconds - began
        #expect((waited > 0) == crowd.waits, "\(waited)")
        #expect(waited <= 30_000)
        let holders = world.machine.registry.attempts.map { attempt in attempt.holder?.process }
        #expect(!holders.contains(world.machine.process))
    }

    @Test("a sign-in does not wait for its own answers to the pool's questions", arguments: [true, false])
    func ownAnswers(isRight: Bool) {
        let world = world([
            [
                .ask(.visible), .ask(.visible, "", .undecided), .ask(.visible, "", .undecided),
                isRight ? .signedIn() : .failed(.refused, judgement: .wrong),
            ]
        ])
        let other = world.machine.otherProcess()
        for _ in 0..<2 {
            _ = try? other.noteAttempt(.failure, .alice(), lasting: 600)
        }
        world.host.answers = Array(repeating: .success("blue"), count: 3)
        let began = world.machine.now.milliseconds
        #expect(world.authenticate() == (isRight ? .success : .authenticationError))
        #expect(world.machine.now.milliseconds == began)
        #expect(counted(world) == (isRight ? [] : Array(repeating: "failure 0 as alice", count: 3)))
    }

    @Test("who waits goes on as soon as one is judged, first come first served")
    func turns() {
        let world = world([[.ask(.password), .signedIn()]], "max_failures = 1")
        let other = world.machine.otherProcess()
        guard let judged = try? other.noteAttempt(.reserved, .alice(), lasting: 600) else {
            Issue.record("nothing was noted")
            return
        }
        var pauses = 0
        world.machine.onPause = {
            pauses += 1
            let kinds = world.machine.registry.attempts.map(\.kind)
            switch pauses {
            case 1: #expect(kinds == [.reserved, .waiting])
            // A later attempt does not go first.
            case 2: _ = try? other.noteAttempt(.waiting, .alice(), lasting: 60)
            case 3: other.forgetAttempt(judged)
            default: Issue.record("there was room")
            }
        }
        #expect(world.authenticate() == .success)
        #expect(pauses == 3)
    }

    @Test("two that reserve the last one at the same moment do not both have it")
    func sameMoment() {
        let world = world([[.ask(.password), .signedIn()]], "max_failures = 1")
        let other = world.machine.otherProcess()
        var theirs: RootKey?
        // Just before this one's reservation is there, and after it has looked.
        world.machine.onNote = {
            world.machine.onNote = nil
            theirs = try? other.noteAttempt(.reserved, .alice(), lasting: 600)
        }
        world.machine.onPause = { [registry = world.machine.registry] in
            #expect(registry.attempts.filter { attempt in attempt.kind == .reserved }.count == 1)
            if let key = theirs.take() {
                other.forgetAttempt(key)
            }
        }
        #expect(world.authenticate() == .success)
        #expect(world.machine.paused > 0)
    }

    @Test("in a set-uid host nothing but a worker that cannot reach Cognito makes way for local passwords")
    func callers() {
        // A worker that cannot be started, that takes nothing, and that is not told that the session is registered.
        for (scripts, deafAfter) in [([], .max), ([[.ask(.password)]], 0), ([[.ask(.password), .signedIn()]], 2)]
            as [([[Act]], Int)]
        {
            for (uid, value) in [
                (UInt32(0), ReturnValue.authenticationInformationUnavailable), (5002, .credentialsUnavailable),
            ] {
                let world = world(scripts, caller: uid)
                world.machine.deafAfter = deafAfter
                #expect(world.authenticate() == value)
                #expect(world.machine.registry.sessions.allSatisfy { session in session.state == .closing })
            }
        }
        for isResourceExhaustion in [false, true] {
            for (uid, value) in [
                (UInt32(0), ReturnValue.authenticationInformationUnavailable),
                (5002, isResourceExhaustion ? .systemError : .authenticationInformationUnavailable),
            ] {
                let world = world([], caller: uid)
                world.machine.accountsFault = Fault("no accounts", isResourceExhaustion: isResourceExhaustion)
                #expect(world.authenticate() == value)
            }
        }
    }

    @Test("an attempt counts before what was typed is sent")
    func before() {
        let world = world([[.ask(.password), .signedIn()]], caller: 5002)
        var sent: [MessageKind] = []
        world.machine.onNote = { sent = world.machine.workers.last?.kinds ?? [] }
        #expect(world.authenticate() == .success)
        #expect(sent == [.signIn])
    }

    @Test("in a set-uid host the log has an attempt before it can be known what came of it", arguments: [0, 3])
    func beforeInTheLog(limit: Int) {
        for uid in [UInt32(0), 5002] {
            let world = world(
                [[.ask(.password), .ask(.visible, "Code: "), .failed(.refused)]], caller: uid,
                "max_failures = \(limit)")
            world.host.answers = Array(repeating: .success("123456"), count: 3)
            #expect(world.authenticate() == .authenticationError)
            let line = "INFO authentication attempt; user='alice' session=0 service='sshd' rhost='203.0.113.7' uid=5002"
            let lines = world.host.takeLog()
            #expect(lines.first == line || uid == 0)
            #expect(lines.filter { other in other == line }.count == (uid == 0 ? 0 : 1))
        }
    }

    @Test(
        "in a set-uid host the log also has an attempt of a user who has entered nothing for Cognito",
        arguments: [
            ("auth_flow = custom", [.ask(.visible, "Code: "), .end], .conversationError),
            ("", [.failed(.unreachable)], .authenticationInformationUnavailable),
        ] as [(String, [Act], ReturnValue)])
    func beforeThePromptInTheLog(configuration: String, script: [Act], value: ReturnValue) {
        for (uid, count) in [(UInt32(0), 0), (5002, 1)] {
            let world = world([script], caller: uid, "users = alice\n\(configuration)")
            world.machine.accounts[Array("alice".utf8)] = Account(uid: 5001, gid: 5001, hasUsablePassword: true)
            #expect(world.authenticate() == value)
            let attempts = world.host.takeLog().filter { line in line.hasPrefix("INFO authentication attempt; ") }
            #expect(attempts.count == count)
        }
    }

    @Test("nobody is counted who typed nothing; who is sent a code is, before")
    func nothingTyped() {
        for (configuration, count) in [
            ("", 0), ("auth_flow = choice", 0), ("auth_flow = choice\npreferred_challenge = email_otp", 1),
            ("auth_flow = choice\npreferred_challenge = password", 0), ("auth_flow = custom", 1),
            ("auth_flow = custom\npreferred_challenge = password_srp", 0), ("auth_flow = password", 0),
        ] {
            let world = world([], configuration)
            func reserved() -> Int {
                world.machine.registry.attempts.count { attempt in attempt.kind == .reserved }
            }
            // When the worker is started, which has the code sent, and at the prompt.
            var noted: [Int] = []
            world.machine.answer = {
                noted.append(reserved())
                return [.ask(.visible, "Code: ", codeSent: count > 0), .failed(.refused)]
            }
            world.host.onQuestion = { noted.append(reserved()) }
            #expect(world.authenticate() == .conversationError)
            #expect(noted == [count, 0], "\(configuration)")
            #expect(world.machine.registry.attempts.count == count, "\(configuration)")
        }
    }

    @Test("after max_failures nobody is asked, until the first is fail_interval ago")
    func locked() {
        let refused: [Act] = [.ask(.password), .failed(.refused)]
        let world = world([refused, refused, refused, refused, [.ask(.password), .signedIn()]])
        for _ in 1...3 {
            #expect(world.authenticate() == .authenticationError)
            world.machine.advance(60_000)
        }
        _ = world.host.takeLog()
        #expect(world.authenticate() == .tooManyTries)
        #expect(world.host.questions.count == 3 && world.machine.workers.count == 3)
        #expect(world.host.shown == ["Too many attempts to sign in to this account have failed. Try again in 7 min."])
        #expect(
            world.host.takeLog() == [
                "NOTICE \(signInFailure)too_many_failures: 3 attempts by user id 0 failed within fail_interval. "
                    + "Cognito was not contacted. The lockout ends in 7 min. To end the lockout now, run: cognito-agent "
                    + "failures --reset 'alice'"
            ])
        // One more, seven minutes later; and then two minutes are the time from the second.
        world.machine.advance(420_000)
        #expect(world.authenticate() == .authenticationError)
        #expect(world.authenticate() == .tooManyTries)
        #expect(world.host.shown.last?.hasSuffix("in 1 min.") == true)
        world.machine.advance(60_000)
        #expect(world.authenticate() == .success)
        #expect(world.machine.registry.attempts.allSatisfy { attempt in attempt.end <= world.machine.now })
    }

    @Test("each user id and each account has a count of its own")
    func subjects() {
        let world = world(Array(repeating: [.ask(.password), .failed(.refused)], count: 20))
        func attempts(_ name: String, _ uid: UInt32) -> [ReturnValue] {
            world.host.userName = .success(Array(name.utf8))
            world.machine.realUserID = uid
            return (1...4).map { _ in world.authenticate() }
        }
        let locked: [ReturnValue] = [.authenticationError, .authenticationError, .authenticationError, .tooManyTries]
        #expect(attempts("alice", 5003) == locked)
        #expect(attempts("alice", 5002) == locked)
        #expect(attempts("bob", 5003) == locked)
        #expect(attempts("alice", 0) == locked)
        world.machine.scripts = [[.ask(.password), .signedIn(as: "bob")]]
        world.host.userName = .success(Array("bob".utf8))
        #expect(world.authenticate() == .success)
        #expect(world.machine.registry.attempts.count == 12)
    }

    @Test("of many at once no more are asked than one after the other")
    func atOnce() {
        for isTyping in [true, false] {
            let world = world([[.ask(.password), .failed(.refused)]], "max_failures = 2")
            let other = world.machine.otherProcess()
            // Two others, while alice is typing, or when her answer is about to be counted.
            let fail = {
                for _ in 1...2 {
                    _ = try? other.noteAttempt(.failure, .alice(), lasting: 600)
                }
            }
            if isTyping {
                world.host.onQuestion = fail
            } else {
                world.machine.onNote = fail
            }
            #expect(world.authenticate() == .tooManyTries)
            #expect(world.machine.workers.first?.kinds == [.signIn])
            #expect(counted(world) == ["failure 0 as alice", "failure 0 as alice"])
        }
    }

    @Test("who cannot be counted is refused")
    func uncountable() {
        for isNoting in [false, true] {
            let world = world([[.ask(.password), .signedIn()]])
            if isNoting {
                world.machine.noteError = .diskQuotaExceeded
            } else {
                world.machine.attemptsError = .notPermitted
            }
            #expect(world.authenticate() == .credentialsUnavailable)
            #expect(world.machine.workers.allSatisfy { worker in worker.kinds == [.signIn] })
            let line = world.host.takeLog().last ?? ""
            #expect(line.hasPrefix("ERROR authentication failure; user='alice' session=0 "), "\(line)")
            #expect(line.contains(" reason=internal_fault: failed sign-ins cannot be counted in the kernel (errno"))
            // It does not go away by waiting.
            #expect(world.host.shown == [machineCannot])
            #expect(world.machine.registry.entries.isEmpty)
        }
    }

    @Test("max_failures = 0 counts nobody")
    func unlimited() {
        let world = world(Array(repeating: [.ask(.password), .failed(.refused)], count: 9), "max_failures = 0")
        world.machine.attemptsError = .notPermitted
        for _ in 1...9 {
            #expect(world.authenticate() == .authenticationError)
        }
        #expect(world.machine.registry.attempts.isEmpty)
    }

    @Test("while Cognito is away this machine's password counts, where there is one, until its module has said yes")
    func otherWay() {
        for (hasPassword, script) in [
            (false, [.ask(.password), .failed(.unreachable)]), (true, [.ask(.password), .failed(.unreachable)]),
            (true, [.failed(.unreachable)]), (true, [.end]),
        ] as [(Bool, [Act])] {
            let world = world([script], "users = alice")
            world.machine.accounts[Array("alice".utf8)] = Account(uid: 5001, gid: 5001, hasUsablePassword: hasPassword)
            #expect(world.authenticate() == .authenticationInformationUnavailable)
            #expect(world.machine.registry.attempts.count == (hasPassword ? 1 : 0))
            // A forked child has a copy.
            world.machine.process = ProcessIdentity(id: 101, startTime: 778)
            #expect(world.checkAccount() == .ignore && world.setCredentials() == .success)
            world.end()
            #expect(counted(world) == (hasPassword ? ["reserved 0 as alice"] : []))
            world.machine.process = ProcessIdentity(id: 100, startTime: 777)
            #expect(world.setCredentials(deleting: true) == .success)
            #expect(world.machine.registry.attempts.count == (hasPassword ? 1 : 0))
            // Either of them comes behind the other module's yes; su -c calls the first, and sshd's child the second.
            #expect(
                hasPassword && script.count == 1 ? world.setCredentials() == .success : world.checkAccount() == .ignore)
            #expect(world.machine.registry.attempts.isEmpty)
            world.end()
            #expect(world.machine.registry.attempts.isEmpty)
        }
    }

    @Test("with local_password = never no other password counts")
    func neverAnotherPassword() {
        for ending in Self.endings + [Ending([.end], .authenticationInformationUnavailable, 0)] {
            for uid in [UInt32(0), 5002] {
                let world = world([ending.script], caller: uid, "users = alice\nlocal_password = never")
                world.machine.accounts[Array("alice".utf8)] = Account(uid: 5001, gid: 5001, hasUsablePassword: true)
                world.host.answers = Array(repeating: .success("123456"), count: 3)
                let isUndecided = [ending.value, ending.callersValue].contains(.authenticationInformationUnavailable)
                #expect(world.authenticate() == (isUndecided ? .credentialsUnavailable : ending.value))
                #expect(counted(world).count == (uid == 0 ? ending.count : ending.callersCount))
                // Which of them it is tells whether it goes away by itself.
                let said = world.host.shown.filter { text in [cannotBeChecked, settingsAreWrong].contains(text) }
                #expect(said.count == (isUndecided ? 1 : 0))
                #expect(world.host.openAttempt == nil)
            }
        }
    }

    @Test("three wrong passwords of this machine are three failures")
    func otherWayLocked() {
        let away: [Act] = [.ask(.password), .failed(.unreachable)]
        let world = world([away, away, away, away], "users = alice")
        world.machine.accounts[Array("alice".utf8)] = Account(uid: 5001, gid: 5001, hasUsablePassword: true)
        for _ in 1...3 {
            #expect(world.authenticate() == .authenticationInformationUnavailable)
        }
        #expect(world.authenticate() == .tooManyTries)
        world.end()
        #expect(counted(world) == Array(repeating: "failure 0 as alice", count: 3))
    }

    @Test("a right password of this machine ends the count of the wrong ones")
    func otherWayRight() {
        let away: [Act] = [.ask(.password), .failed(.unreachable)]
        let world = world([away, away], "users = alice")
        world.machine.accounts[Array("alice".utf8)] = Account(uid: 5001, gid: 5001, hasUsablePassword: true)
        for _ in 1...2 {
            #expect(world.authenticate() == .authenticationInformationUnavailable)
        }
        #expect(counted(world) == ["failure 0 as alice", "reserved 0 as alice"])
        #expect(world.checkAccount() == .ignore && counted(world).isEmpty)
    }

    @Test("passwd counts for the person, and not for root")
    func passwd() {
        for (uid, count) in [(UInt32(5001), 1), (0, 0)] {
            let world = world([[.ask(.password), .failed(.refused)]], caller: uid)
            #expect(world.changePassword(.update) == .permissionDenied)
            #expect(world.machine.registry.attempts.count == count)
            #expect(world.host.delays == 1)
        }
        let locked = world(Array(repeating: [.ask(.password), .failed(.refused)], count: 4), caller: 5001)
        let values = (1...4).map { _ in locked.changePassword(.update) }
        #expect(values == Array(repeating: .permissionDenied, count: 4) && locked.machine.workers.count == 3)
    }

    @Test("who has too many prompts open is refused before a worker, and it is no failure")
    func crowded() {
        for (uid, isCrowded) in [(UInt32(5002), true), (5003, false), (0, false)] {
            let world = world([[.ask(.password), .signedIn()]], caller: uid, "remember_device = yes")
            world.machine.crowded = [5002]
            world.machine.deviceFault = Fault("the device was looked for")
            #expect(world.authenticate() == (isCrowded ? .tooManyTries : .success))
            // Unsealing it runs programs, which are not counted.
            #expect(world.host.takeLog().contains { line in line.contains("the device was looked for") } != isCrowded)
            #expect(world.machine.startedFor == [uid] && world.machine.registry.attempts.isEmpty)
            #expect(world.machine.workers.isEmpty == isCrowded && world.host.questions.isEmpty == isCrowded)
        }
        let passwd = world([[.ask(.password)]], caller: 5002)
        passwd.machine.crowded = [5002]
        #expect(passwd.changePassword(.update) == .permissionDenied && passwd.machine.workers.isEmpty)
    }

    @Test("user ids of no account are one: whoever has many of them has no more guesses, and no more workers")
    func subordinate() {
        let world = world(Array(repeating: [.ask(.password), .failed(.refused)], count: 6))
        let values = (UInt32(3_000_001)...3_000_006).map { uid in
            world.machine.realUserID = uid
            return world.authenticate()
        }
        #expect(values == Array(repeating: .authenticationError, count: 3) + Array(repeating: .tooManyTries, count: 3))
        #expect(world.machine.startedFor == [.max, .max, .max])
    }

    @Test("root and accounts that are not Cognito's are none of it")
    func others() {
        let world = world([])
        world.machine.attemptsError = .notPermitted
        world.machine.accounts[Array("root".utf8)] = Account(uid: 0, gid: 0, hasUsablePassword: true)
        world.machine.accounts[Array("carol".utf8)] = Account(uid: 5004, gid: 5004, hasUsablePassword: true)
        for name in ["root", "carol"] {
            world.host.userName = .success(Array(name.utf8))
            #expect(world.authenticate() == .ignore && world.checkAccount() == .ignore)
        }
        #expect(world.host.takeLog() == [])
    }
}
