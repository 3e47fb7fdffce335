import Base
import Configuration
import Keyring
import Protocol
import Testing

@testable import Fakes
@testable import Sessions

/// A sign-out everywhere while Cognito judges an answer of the same user.
private struct SignOut: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var mode = SignOutMode.global
    var isAsked = false
    var reason = EndReason.logout
    /// Another process's note; and for how long, in milliseconds; nil: for ever.
    var kind = AttemptKind.answered
    var user = "alice"
    var isGone = false
    var time: Int64?
    /// How long the note still counts, in seconds.
    var lasting: Int64 = 600
    /// What there is of the sign-in then; and of another one from the beginning, with its age in milliseconds.
    var becomes: SessionState?
    var other: (state: SessionState, age: Int64)?
    /// Whether another answer of the user is still being judged then.
    var hasMore = false
    let waits: ClosedRange<Int64>
    let revocation: Revocation
}

private let signOuts = [
    SignOut(testDescription: "an answer that was wrong", time: 300, waits: 300...320, revocation: .global),
    SignOut(
        testDescription: "an answer that was right", time: 300, becomes: .pending, waits: 300...320,
        revocation: .session),
    SignOut(
        testDescription: "the last session", mode: .last, time: 300, becomes: .pending, waits: 300...320,
        revocation: .session),
    SignOut(
        testDescription: "a sign-in that has its session in a moment", time: 0, other: (.pending, 500), waits: 0...20,
        revocation: .session),
    SignOut(
        testDescription: "the same, of the last session", mode: .last, time: 0, other: (.pending, 500), waits: 0...20,
        revocation: .session),
    SignOut(
        testDescription: "a sign-in on a busy machine, whose session comes late", time: 0, other: (.pending, 5_500),
        waits: 0...20, revocation: .global),
    SignOut(
        testDescription: "the same, of the last session", mode: .last, time: 300, becomes: .open,
        other: (.pending, 10_500), waits: 300...320, revocation: .session),
    SignOut(
        testDescription: "a program that only authenticates, of the last session", mode: .last, time: 0,
        other: (.pending, 10_500), waits: 15_000...15_020, revocation: .global),
    SignOut(
        testDescription: "a newer sign-in while another answer is checked for long", other: (.pending, 500),
        waits: 0...0, revocation: .session),
    SignOut(
        testDescription: "an answer on a busy machine", time: 14_500, becomes: .pending, waits: 14_500...14_520,
        revocation: .session),
    SignOut(
        testDescription: "a sign-in that never has one", time: 0, other: (.pending, 30_500), waits: 0...20,
        revocation: .global),
    SignOut(
        testDescription: "the same, of the last session", mode: .last, time: 0, other: (.pending, 30_500),
        waits: 0...20, revocation: .global),
    SignOut(
        testDescription: "an older session", time: 0, other: (.open, 500), waits: 0...20, revocation: .global),
    SignOut(testDescription: "an answer that is judged for long", waits: 15_000...15_000, revocation: .global),
    SignOut(
        testDescription: "an answer that was right, at the end of the wait", time: 15_000, becomes: .pending,
        waits: 15_000...15_000, revocation: .session),
    SignOut(
        testDescription: "an answer that was right while another one is judged for long", time: 300,
        becomes: .pending, hasMore: true, waits: 300...320, revocation: .session),
    SignOut(
        testDescription: "an answer that has been judged for 14 s", lasting: 106, waits: 1000...1000,
        revocation: .global),
    SignOut(
        testDescription: "an answer that has been judged for 15 s", lasting: 105, waits: 0...0, revocation: .global),
    SignOut(testDescription: "a killed process", isGone: true, waits: 0...0, revocation: .global),
    SignOut(testDescription: "a prompt with a code", kind: .codeSent, waits: 0...0, revocation: .global),
    SignOut(testDescription: "one that waits", kind: .waiting, waits: 0...0, revocation: .global),
    SignOut(testDescription: "somebody else", user: "bob", waits: 0...0, revocation: .global),
    SignOut(testDescription: "this session alone", mode: .session, waits: 0...0, revocation: .session),
    SignOut(testDescription: "the machine stops", reason: .shutdown, waits: 0...0, revocation: .global),
    SignOut(
        testDescription: "one that the user asks for is never made smaller", isAsked: true, time: 300,
        becomes: .pending, waits: 300...320, revocation: .global),
    SignOut(
        testDescription: "nor where the answer is judged for long", isAsked: true, waits: 5000...5000,
        revocation: .global),
]

@Suite("Sign-ins and sign-outs everywhere at the same time") struct SimultaneousTests {
    private func isNoted(_ world: World) -> Bool {
        world.machine.registry.attempts.contains { attempt in attempt.kind == .answered }
    }

    @Test("a sign-out everywhere waits for answers that Cognito is judging", arguments: signOuts)
    private func signOut(signOut: SignOut) throws {
        let machine = FakeMachine()
        let key = Sample().add(to: machine)
        if let sample = signOut.other {
            _ = Sample(
                state: sample.state, host: 201, created: machine.now.milliseconds - sample.age,
                delivered: sample.state == .open
            ).add(to: machine)
        }
        let other = machine.otherProcess()
        let note = try other.noteAttempt(
            signOut.kind, AttemptSubject(user: Array(signOut.user.utf8), caller: 0), lasting: signOut.lasting)
        machine.dead = signOut.isGone ? [200] : []
        let began = machine.now.milliseconds
        machine.onPause = { [unowned machine] in
            if let time = signOut.time, machine.now.milliseconds >= began + time {
                if let state = signOut.becomes {
                    _ = Sample(state: state, host: 200, created: machine.now.milliseconds, delivered: false)
                        .add(to: machine)
                }
                machine.onPause = nil
                if !signOut.hasMore {
                    other.forgetAttempt(note)
                }
            }
        }
        machine.scripts = [[.signedOutAsAsked]]
        let ending = SessionEnding(machine: machine)
        if signOut.isAsked {
            // An attempt that is about to answer sees that it is under way.
            machine.onNote = { #expect(machine.registry.attempts.map(\.kind) == [signOut.kind]) }
            _ = ending.endNow(key, forLock: 0)
        } else {
            _ = ending.end(key, mode: signOut.mode, waiting: 30_000, because: signOut.reason)
        }
        #expect(signOut.waits.contains(machine.paused))
        #expect(machine.workers.first?.field(.revocation) == [signOut.revocation.rawValue])
        #expect(machine.registry.attempts.allSatisfy { attempt in attempt.kind == signOut.kind })
    }

    @Test("the ends of many sessions of a user wait for that user's answers once")
    func many() throws {
        let machine = FakeMachine()
        let keys = (1...3).map { number in Sample(tokenKey: 600 + number).add(to: machine) }
        _ = try machine.otherProcess().noteAttempt(.answered, .alice(), lasting: 600)
        machine.answer = { [.signedOutAsAsked] }
        let ending = SessionEnding(machine: machine)
        for key in keys {
            _ = ending.end(key, mode: .global, waiting: 30_000)
        }
        #expect(machine.paused == 15_000 && machine.workers.count == 3)
    }

    @Test(
        "an answer waits for a sign-out everywhere that somebody has asked for, and is noted no earlier",
        arguments: [300, nil])
    func signIn(time: Int64?) throws {
        let world = World(scripts: [.ask(.password), .signedIn()])
        let other = world.machine.otherProcess()
        let note = try other.noteAttempt(.signingOut, .alice(), lasting: 60)
        let began = world.machine.now.milliseconds
        world.machine.onPause = { [machine = world.machine] in
            #expect(!machine.registry.attempts.map(\.kind).contains(.answered))
            #expect(machine.workers.last?.kinds == [.signIn])
            if let time, machine.now.milliseconds >= began + time {
                other.forgetAttempt(note)
                machine.onPause = nil
            }
        }
        // Past the deadline it is sent all the same; whether the tokens live is asked then, see `SecondLookTests`.
        if time == nil {
            world.machine.onRegister = { [machine = world.machine] in
                machine.onPause = nil
                other.forgetAttempt(note)
            }
        }
        #expect(world.authenticate() == .success)
        #expect(time == nil ? world.machine.paused >= 5000 : (300...340).contains(world.machine.paused))
        #expect(!isNoted(world))
    }

    @Test("an answer is noted until its tokens are in the registry, and no longer")
    func untilRegistered() {
        let world = World(scripts: [.ask(.password), .ask(.visible, "Code: "), .signedIn()])
        world.host.answers = [.success("123456")]
        var noted: [Bool] = []
        world.host.onQuestion = { noted.append(isNoted(world)) }
        world.machine.onRegister = { noted.append(isNoted(world)) }
        #expect(world.authenticate() == .success)
        // At neither prompt; when the tokens are entered.
        #expect(noted == [false, false, true] && !isNoted(world))
    }

    @Test("a password change whose tokens are in the registry keeps no sign-out everywhere waiting")
    func passwordChange() {
        let world = World(scripts: [.ask(.hidden, "Current password: "), .signedIn(), .passwordChanged(nil)])
        world.host.answers = [.success(Secrets.password)]
        var noted: [Bool] = []
        world.machine.onRegister = { noted.append(isNoted(world)) }
        // The worker that revokes the tokens.
        world.machine.answer = {
            noted.append(isNoted(world))
            return [.signedOut()]
        }
        #expect(world.changePassword(.update) == .success)
        #expect(noted == [true, false])
    }
}
