import Base
import Keyring
import Protocol
import Sessions
import Testing

@testable import Fakes

/// What Cognito says of new tokens while a sign-out everywhere of the same person is carried out.
private struct Look: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Whether another process is ending the other session by the time the login is registered.
    var isAtIt = true
    /// What the check's worker says; nil: there is none.
    var answer: [Act]?
    let expected: ReturnValue
}

private let looks = [
    Look(testDescription: "revoked", answer: [.failed(.sessionEnded)], expected: .credentialsUnavailable),
    Look(
        testDescription: "access token refused", answer: [.failed(.accessTokenExpired)],
        expected: .credentialsUnavailable),
    Look(testDescription: "good", answer: [.checked()], expected: .success),
    Look(testDescription: "no answer", answer: [.failed(.unreachable)], expected: .success),
    Look(testDescription: "nobody is at it", isAtIt: false, expected: .success),
]

@Suite struct SecondLookTests {
    @Test(
        "tokens that a sign-out everywhere took along, which began before they were registered, are no sign-in",
        arguments: looks)
    private func overtaken(look: Look) {
        let world = World()
        _ = Sample(state: .closing, attempts: 1, closed: 4_900_000).add(to: world.machine)
        var looked = 0
        world.machine.onLock = { [machine = world.machine] in
            looked += 1
            // The first time before the password goes to the worker, the second time once the tokens are registered.
            if looked == 2, look.isAtIt {
                machine.busyUntil = machine.now.milliseconds + 300
            }
        }
        world.machine.scripts = [[.ask(.password), .signedIn()]] + (look.answer.map { [$0, [.signedOut()]] } ?? [])
        #expect(world.authenticate() == look.expected)
        #expect(world.machine.workers.first?.kinds.last == .registered)
        let isRefused = look.expected != .success
        #expect(world.machine.workers.count == (look.answer == nil ? 1 : isRefused ? 3 : 2))
        #expect(world.machine.registry.entries.count == (isRefused ? 1 : 2))
        #expect((world.host.kept == nil || world.host.variables.isEmpty) == isRefused)
        let shown =
            "You were signed out everywhere during this sign-in. Sign in again."
        #expect(world.host.shown == (isRefused ? [shown] : []))
        let isLogged = world.host.takeLog().contains { line in line.contains("reason=signed_out: Cognito accepted") }
        #expect(isLogged == isRefused)
    }

    @Test(
        """
        nor where it began after the answer, and was over before anybody looked again; nobody is asked about what \
        goes on
        """,
        arguments: [
            (Sample(host: 301), Sample?.none, true),
            (Sample(host: 301), Sample(state: .closing, host: 301, attempts: 1), true),
            (Sample(state: .closing, attempts: 1), Sample(state: .closing, attempts: 2), true),
            (Sample(host: 301), Sample(host: 301), false), (Sample(state: .pending, delivered: false), Sample(), false),
            (Sample(pool: "eu-west-1_Other"), nil, false),
        ])
    private func unseen(before: Sample, after: Sample?, isAsked: Bool) {
        let world = World(scripts: [.ask(.password), .signedIn()], [.failed(.sessionEnded)], [.signedOut()])
        let key = before.add(to: world.machine)
        world.machine.onRegister = { [machine = world.machine] in
            machine.registry.entries[key.serial.number]?.payload = after?.payload(machine) ?? []
            if after == nil {
                machine.registry.entries[key.serial.number] = nil
            }
        }
        #expect(world.authenticate() == (isAsked ? .credentialsUnavailable : .success))
        #expect(world.machine.workers.map(\.kinds.first) == (isAsked ? [.signIn, .check, .signOut] : [.signIn]))
    }

    @Test(
        """
        nor where this machine may have ended meanwhile what a crash had left of them; nobody is asked where nothing \
        has come into the journal, or gone
        """,
        arguments: [(true, true), (false, true), (true, false)])
    func swept(mayEnd: Bool, hasChanged: Bool) {
        let world = World(
            mayEnd ? "journal = yes\niam_credentials_file = /keys" : "journal = yes",
            scripts: [.ask(.password), .signedIn()], [.failed(.sessionEnded)], [.signedOut()])
        world.machine.journal = ["0a.4711": "alice"]
        if hasChanged {
            world.machine.onRegister = { [machine = world.machine] in machine.journal = [:] }
        }
        let isAsked = mayEnd && hasChanged
        #expect(world.authenticate() == (isAsked ? .credentialsUnavailable : .success))
        #expect(world.machine.workers.map(\.kinds.first) == (isAsked ? [.signIn, .check, .signOut] : [.signIn]))
    }
}

/// A machine on which another process tries to have an entry while this one waits.
private final class WaitingMachine: FakeMachine {
    private(set) var tries: [Bool] = []

    override func pause(milliseconds: Int64) {
        tries.append(registry.lock(1001) != nil)
        super.pause(milliseconds: milliseconds)
    }
}

@Suite struct WaitingSignInTests {
    @Test("a sign-in that waits for the end of a session keeps nobody from it, though its program be stopped meanwhile")
    func stopped() {
        let machine = WaitingMachine()
        _ = Sample(state: .closing, closed: machine.now.milliseconds).add(to: machine)
        let begin = machine.now.milliseconds
        _ = machine.awaitSignOuts(
            of: Array("alice".utf8), userPoolID: Array("eu-west-1_AbCdEf123".utf8), sweeping: false)
        #expect(machine.now.milliseconds - begin == 2000)
        #expect(machine.tries.count == 100 && machine.tries.allSatisfy { isFree in isFree })
    }
}
