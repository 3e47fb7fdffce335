import Base
import Protocol
import Sessions
import Testing

@testable import Fakes

private let asked: [Act] = [.ask(.visible, "Code: "), .ask(.hidden, "New password: ")]
private let failure = "password recovery failure; user='alice' session=0 service='sshd' rhost='203.0.113.7' reason="
private let unavailable =
    "Passwords cannot be reset on this machine at the moment. The administrator can find the reason in the log."

/// Recoveries that do not come to their end.
private enum Refusals {
    static let all: [HookCase] =
        FailureReason.allCases.map { reason in
            let value = ReturnValue(reason.passwordRefusal)
            let severity = value == .authenticationTokenRecoveryError ? "ERROR" : "NOTICE"
            return HookCase(
                "worker says \(reason.name)", asked + [.failed(reason, text: "For the person.")], value,
                log: ["\(severity) \(failure)\(reason.name): told by Cognito"], shown: ["For the person."])
        } + [
            HookCase(
                "nobody answers", asked + [.ask(.hidden)], .authenticationTokenError,
                log: ["NOTICE \(failure)no_answer: the user left before the sign-in was complete"])
        ] + withheld + [
            HookCase(
                "no worker", nil, .authenticationTokenRecoveryError,
                log: ["ERROR \(failure)internal_fault: the worker cannot be started"], shown: [unavailable]),
            HookCase(
                "too many prompts", nil,
                prepare: { world in
                    world.machine.realUserID = 5002
                    world.machine.crowded = [5002]
                }, .tryAgain,
                log: [
                    """
                    NOTICE \(failure)too_many_prompts: too many prompts are open for user id 5002, or for all \
                    callers of set-uid programs combined. Cognito was not contacted
                    """
                ],
                shown: [
                    """
                    Too many sign-in prompts are open on this machine. Finish or cancel your other sign-ins, \
                    then try again.
                    """
                ]),
            HookCase(
                "a worker that ends", asked, .authenticationTokenRecoveryError, log: [workerEnded],
                shown: [unavailable]),
            HookCase(
                "tokens, which nobody asked for", asked + [.signedIn()], .authenticationTokenRecoveryError,
                log: [outOfSequence], shown: [unavailable]),
            HookCase(
                "no result in time", asked + [.wait(15_999), .wait(2), .passwordChanged(nil)],
                .authenticationTokenRecoveryError, log: ["ERROR \(failure)\(notInTime)"], shown: [unavailable]),
            HookCase(
                "broken configuration", asked, prepare: { world in world.machine.configuration = [0x61] },
                .authenticationTokenRecoveryError,
                log: [
                    """
                    ERROR \(failure)configuration: /etc/security/pam_cognito.conf:1: the line has no '='. Write: key \
                    = value
                    """
                ],
                shown: [unavailable]),
            HookCase(
                "switched off", asked, prepare: { world in world.machine.isDisabled = true },
                .authenticationTokenRecoveryError,
                log: [
                    "ERROR \(failure)internal_fault: no password can be reset: pam-cognito is switched off "
                        + "(/run/pam-cognito/disabled)"
                ], shown: [unavailable]),
        ]

    /// What was withheld is in the log already, whatever comes then.
    private static let withheld: [HookCase] = [
        (
            "the person leaves", Act.ask(.hidden),
            """
            NOTICE \(failure)no_answer: the user left before the sign-in was complete
            """, nil
        ),
        (
            "it fails", .failed(.noNewPassword, text: "Unchanged."),
            "NOTICE \(failure)no_new_password: told by Cognito", "Unchanged."
        ),
        ("the worker ends", .end, workerEnded, unavailable),
        ("the time is over", .silence, "ERROR \(failure)\(notInTime)", unavailable),
    ].map { name, act, line, shown in
        HookCase(
            "withheld, and \(name)", [.withheld(.lockedOut, "Cognito sends no more codes.")] + asked + [act],
            shown == unavailable ? .authenticationTokenRecoveryError : .authenticationTokenError,
            log: [
                "NOTICE password recovery refusal withheld; user='alice' session=0 service='sshd' rhost='203.0.113.7' "
                    + "reason=locked_out: Cognito sends no more codes. The reason was not shown to the user.", line,
            ],
            shown: [shown].compactMap(\.self))
    }
}

@Suite struct RecoveryTests {
    /// A caller in a session, of whom only a name is known.
    private func world(_ script: [Act] = asked + [.passwordChanged(nil)], name: String = "alice") -> World {
        let world = World(scripts: script)
        world.host.userName = .success(Array(name.utf8))
        world.host.answers = [.success(Secrets.code), .success(Secrets.password)]
        return world
    }

    @Test("a forgotten password is set anew; there are no tokens, and nobody is signed in")
    func recovered() {
        let world = world()
        #expect(world.recoverPassword() == .success)
        #expect(
            world.host.takeLog() == [
                """
                INFO password recovered; user='alice' session=0 service='sshd' rhost='203.0.113.7' \
                pool=eu-west-1_AbCdEf123
                """
            ])
        #expect(world.host.shown == ["Your password has been changed. Sign in with the new password."])
        #expect(world.host.questions == ["visible Code: ", "hidden New password: "])
        #expect(world.host.variables.isEmpty && world.host.kept == nil)
        #expect(world.machine.registry.entries.isEmpty)
        let worker = world.machine.workers.first
        #expect(worker?.field(.requestingService) == world.host.service)
        #expect(worker?.kinds == [.forgotPassword, .answer, .answer])
        #expect(worker?.field(.loginName) == Array("alice".utf8))
        #expect(worker?.field(.userPoolID) == Array("eu-west-1_AbCdEf123".utf8))
    }

    @Test("the name that Cognito knows is the template's")
    func template() {
        let world = world()
        world.machine.configuration = FakeMachine.configuration("username_template = {user}@example.com")
        #expect(world.recoverPassword() == .success)
        #expect(world.machine.workers.first?.field(.loginName) == Array("alice@example.com".utf8))
    }

    @Test("what does not come to its end", arguments: Refusals.all)
    func refusals(refusal: HookCase) {
        let world = world()
        refusal.setUp(world)
        #expect(world.recoverPassword() == refusal.expected)
        #expect(world.host.takeLog() == refusal.log)
        #expect(world.host.shown == refusal.shown)
    }

    @Test(
        "a name that is not Cognito's here looks the same, and Cognito is not asked about it",
        arguments: ["root", "mallory", "dora", "eve", "../alice", "a b"])
    func strangers(name: String) {
        let script = asked + [.failed(.refused, text: "For the person.")]
        let alice = world(script)
        let other = world(script, name: name)
        other.machine.accounts[Array("root".utf8)] = Account(uid: 0, gid: 0, hasUsablePassword: true)
        other.machine.accounts[Array("dora".utf8)] = Account(uid: 5003, gid: 5003, hasUsablePassword: false)
        other.machine.accounts[Array("eve".utf8)] = Account(uid: 5004, gid: 5004, hasUsablePassword: true)
        other.machine.people.append(Array("eve".utf8))
        #expect(other.recoverPassword() == alice.recoverPassword())
        #expect(other.host.questions == alice.host.questions)
        #expect(other.host.shown == alice.host.shown)
        #expect(other.machine.workers.first?.field(.loginName) == nil)
        #expect(
            other.host.takeLog().last
                == "NOTICE '\(name)' is not a managed account on this machine. This reason was not shown to the user")
    }
}
