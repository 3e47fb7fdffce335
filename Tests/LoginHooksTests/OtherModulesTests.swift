import Base
import Configuration
import Protocol
import Sessions
import Testing

@testable import Fakes

private let new = "Another-Horse-11!"
private let right = Secrets.password

/// What a step leaves to the modules behind this one.
private struct Left: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var typed = right
    var answers: [String] = []
    var script: [Act]
    var configuration = ""
    var local: String?
    var act: @Sendable (World) -> ReturnValue = { world in world.authenticate() }
    var expected = ReturnValue.success
    /// PAM_AUTHTOK and PAM_OLDAUTHTOK; nil: as they were.
    var password: String?
    var oldPassword: String?

    private static let change: @Sendable (World) -> ReturnValue = { world in world.changePassword(.update) }
    private static let combined = "combined_code = yes"
    private static let fallback = "combined_code = yes\nlocal_password = unavailable"
    private static let down: [Act] = [.ask(.password), .failed(.unreachable)]
    private static let forced: [Act] = [
        .ask(.password), .ask(.newPassword, "New password: "), .ask(.hidden, "Retype new password: "),
    ]
    private static let changing: [Act] = [
        .ask(.currentPassword, "Current password: "), .signedIn(), .ask(.newPassword, "New password: "),
        .ask(.hidden, "Retype new password: "),
    ]

    static let all = [
        Left(testDescription: "a password alone", script: [.ask(.password), .signedIn()]),
        Left(
            testDescription: "digits that are no code", typed: right + "123456", script: [.ask(.password), .signedIn()]),
        Left(
            testDescription: "a code behind it", typed: right + "123456", script: [.ask(.password), .signedIn()],
            configuration: combined, password: right),
        Left(
            testDescription: "no code behind it", script: [.ask(.password), .signedIn()], configuration: combined),
        Left(
            testDescription: "a code alone", typed: "123456", script: [.ask(.password), .signedIn()],
            configuration: combined),
        Left(
            testDescription: "a code behind it, refused", typed: right + "123456",
            script: [.ask(.password), .failed(.refused)],
            configuration: combined, expected: .authenticationError),
        Left(
            testDescription: "a new password", answers: [new, new], script: forced + [.signedIn()], password: new),
        Left(
            testDescription: "a new password, which ends in digits", typed: right + "123456",
            answers: [new + "654321", new + "654321"], script: forced + [.signedIn()], configuration: combined,
            password: new + "654321"),
        Left(
            testDescription: "the second new password", answers: ["weak", "weak", new, new],
            script: forced + forced.dropFirst() + [.signedIn()], password: new),
        Left(
            testDescription: "a new password that was refused", answers: [new, new],
            script: forced + [.failed(.noNewPassword)], expected: .permissionDenied),
        Left(
            testDescription: "a new password, and in no group", answers: [new, new],
            script: forced + [.signedIn(groups: [])], expected: .permissionDenied),
        Left(
            testDescription: "a reset", answers: ["999999", new, new],
            script: [.ask(.password), .ask(.visible, "Code: ")] + forced.dropFirst() + [.signedIn()], password: new),
        Left(
            testDescription: "no password at all", answers: ["999999"], script: [.ask(.visible, "Code: "), .signedIn()]),
        Left(
            testDescription: "a change", answers: [right, new, new], script: changing + [.passwordChanged()],
            act: change,
            password: new, oldPassword: right),
        Left(
            testDescription: "a change in the sign-in itself", answers: [right, new, new],
            script: [
                .ask(.currentPassword, "Current password: "), .ask(.newPassword, "New password: "),
                .ask(.hidden, "Retype new password: "), .signedIn(), .passwordChanged(),
            ], act: change, password: new, oldPassword: right),
        Left(
            testDescription: "a change that was refused", answers: [right, new, new],
            script: changing + [.failed(.noNewPassword, outcome: .revoked)], act: change,
            expected: .authenticationTokenError),
        Left(
            testDescription: "unreachable, this machine's password", typed: "local", script: down,
            configuration: fallback,
            local: "local", expected: .authenticationInformationUnavailable),
        Left(
            testDescription: "unreachable, a code behind it", typed: "local123456", script: down,
            configuration: fallback,
            local: "local", expected: .authenticationInformationUnavailable, password: "local"),
        Left(
            testDescription: "unreachable, digits that belong to it", typed: "local123456", script: down,
            configuration: fallback, local: "local123456", expected: .authenticationInformationUnavailable),
        Left(
            testDescription: "unreachable, wrong with a code", typed: "other123456", script: down,
            configuration: fallback,
            local: "local", expected: .authenticationInformationUnavailable),
        Left(
            testDescription: "unreachable, no combined_code", typed: "local123456", script: down,
            configuration: "local_password = unavailable", local: "local",
            expected: .authenticationInformationUnavailable),
        Left(
            testDescription: "unreachable, nobody else may", typed: "local123456", script: down,
            configuration: combined + "\nlocal_password = never", local: "local", expected: .credentialsUnavailable),
        Left(
            testDescription: "unreachable before the person is asked", typed: "local123456",
            script: [.failed(.unreachable)],
            configuration: fallback, local: "local", expected: .authenticationInformationUnavailable, password: "local"),
    ]
}

@Suite("What this module leaves to others") struct OtherModulesTests {
    @Test("PAM_AUTHTOK is the password that counts, alone; PAM_OLDAUTHTOK the one that counted", arguments: Left.all)
    private func passwords(left: Left) {
        let world = World("users = alice\n" + left.configuration)
        if left.local != nil {
            world.machine.accounts[Array("alice".utf8)] = Account(uid: 5001, gid: 5001, hasUsablePassword: true)
        }
        world.machine.scripts = [left.script, [.signedOut()]]
        world.host.typedPassword = .success(Array(left.typed.utf8))
        world.host.answers = left.answers.map { answer in .success(answer) }
        world.host.localPassword = left.local
        #expect(left.act(world) == left.expected)
        #expect(world.host.left.password == left.password)
        #expect(world.host.left.oldPassword == left.oldPassword)
        if left.expected == .authenticationInformationUnavailable {
            // One attempt, whatever is tried with it.
            #expect(world.machine.registry.attempts.count == 1)
        }
    }

    @Test("a screen lock's own process, too, by what the agent asks", arguments: [false, true])
    func screenLock(isNew: Bool) {
        let world = World("combined_code = yes")
        world.machine.realUserID = 5001
        world.machine.effectiveUserID = 5001
        world.host.typedPassword = .success(Array((right + "123456").utf8))
        world.host.answers = [.success(new), .success(new)]
        world.machine.agent = FakeAgent(
            [question(.password)] + (isNew ? [question(.newPassword), question(.hidden)] : [])
                + [packet(.complete, [])])
        #expect(world.authenticate() == .success)
        #expect(world.host.left.password == (isNew ? new : right))
    }
}
