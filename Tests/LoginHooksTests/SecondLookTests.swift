import Base
import LoginHooks
import Protocol
import Sessions
import Testing

@testable import Fakes

/// What Cognito says of new tokens while a sign-out everywhere of the same person is carried out.
private struct Look: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Whether somebody is at the other session's end by the time the login is registered.
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
            "A sign-out everywhere of yours was carried out at this moment, and has ended this sign-in, too. Sign in again."
        #expect(world.host.shown == (isRefused ? [shown] : []))
        let isLogged = world.host.takeLog().contains { line in line.contains("reason=signed_out: Cognito accepted") }
        #expect(isLogged == isRefused)
    }
}
