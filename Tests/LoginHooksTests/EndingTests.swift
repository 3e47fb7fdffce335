import Base
import Configuration
import Keyring
import Protocol
import Testing

@testable import Fakes
@testable import Sessions

/// How one session ends: what the worker does, and what remains.
private struct Close: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var configuration = ""
    /// nil: no worker can be started.
    var script: [Act]?
    var prepare: @Sendable (World) -> Void = { _ in }
    var log: [String]
    /// What the worker was asked for; nil: there was none.
    var revocation: Revocation?
    /// Whether the registry still has it.
    var left = false

    private static func left(_ why: String) -> [String] {
        [
            "WARNING sign-out not finished; user='alice' session=1001 service='sshd' rhost='203.0.113.7': \(why). The "
                + "tokens are kept in the registry, "
                + "and cognito-agent reap tries to revoke them again"
        ]
    }

    private static func done(_ outcome: String) -> [String] {
        ["INFO signed out; user='alice' session=1001 service='sshd' rhost='203.0.113.7' outcome=\(outcome)"]
    }

    private static func faulty(_ outcome: String) -> [String] {
        ["WARNING signed out; user='alice' session=1001 service='sshd' rhost='203.0.113.7' outcome=\(outcome)"]
    }

    /// Whatever keeps a global sign-out from being one: the log says so, and never that it was.
    private static let short = Shortfall.allCases.map { shortfall in
        let line =
            switch shortfall {
            case .userGone: done("user_gone")
            case .alreadyRevoked: done("only_this_session reason=already_revoked: in words")
            case .expired: done("only_this_session reason=expired: in words")
            case .newerSession: done("only_this_session reason=newer_session: in words")
            case .passwordResetRequired: faulty("only_this_session reason=password_reset_required: in words")
            case .notConfirmed: faulty("only_this_session reason=not_confirmed: in words")
            case .disabled: faulty("only_this_session reason=disabled: in words")
            case .scope: faulty("only_this_session reason=scope: in words")
            case .firewall: faulty("only_this_session reason=firewall: in words")
            case .configuration: faulty("only_this_session reason=configuration: in words")
            case .refused: faulty("only_this_session reason=refused: in words")
            case .notRenewed: faulty("only_this_session reason=not_renewed: in words")
            case .notCarriedOut: faulty("only_this_session reason=not_carried_out: in words")
            case .othersUnknown: faulty("only_this_session reason=others_unknown: in words")
            }
        return Close(
            testDescription: "short: \(shortfall)", script: [.signedOut(.onlySession(shortfall), log: "in words")],
            log: line, revocation: .global)
    }

    static let all =
        short + [
            Close(
                testDescription: "global", script: [.signedOut()],
                log: done(
                    """
                    revoked_everywhere
                    """), revocation: .global),
            Close(
                testDescription: "session", configuration: "sign_out = session", script: [.signedOut()],
                log: done("revoked"),
                revocation: .session),
            Close(
                testDescription: "last, alone", configuration: "sign_out = last", script: [.signedOut()],
                log: done("revoked_everywhere"), revocation: .global),
            Close(testDescription: "none", configuration: "sign_out = none", log: done("kept_at_cognito")),
            Close(
                testDescription: "already revoked", configuration: "sign_out = session",
                script: [.signedOut(.alreadyRevoked)], log: done("already_revoked"), revocation: .session),
            Close(
                testDescription: "expired at Cognito", configuration: "sign_out = session",
                script: [.signedOut(.expired)], log: done("expired"), revocation: .session),
            Close(
                testDescription: "not supported", configuration: "sign_out = session",
                script: [.signedOut(.nothing(nil), log: "Enable it.")],
                log: faulty("revocation_not_enabled_for_this_app_client: Enable it."), revocation: .session),
            Close(
                testDescription: "refused, and not supported", script: [.signedOut(.nothing(.firewall))],
                log: faulty("revocation_not_enabled_for_this_app_client reason=firewall"), revocation: .global),
            Close(
                testDescription: "a worker that does not say how far it has reached",
                script: [.send(packet(.signedOut, [(.outcome, [1])]))], log: left(""), revocation: .global, left: true),
            Close(
                testDescription: "a code that contradicts how far it has reached",
                script: [.send(packet(.signedOut, [(.outcome, [2]), (.reach, [1])]))], log: left(""),
                revocation: .global,
                left: true),
            Close(
                testDescription: "a reason of another version",
                script: [.send(packet(.signedOut, [(.outcome, [2]), (.reach, [2]), (.shortfall, [250])]))],
                log: faulty("only_this_session reason=refused"), revocation: .global),
            Close(
                testDescription: "all tokens should have run out", script: [.signedOut()],
                prepare: { world in world.machine.time += 10 * 2_592_000 }, log: done("revoked_everywhere"),
                revocation: .global),
            Close(
                testDescription: "the entry ended by itself", script: [.signedOut()],
                prepare: { world in world.machine.registry.entries = [:] }, log: done("gone")),
            Close(
                testDescription: "the entry expired", prepare: { world in world.machine.readError = .keyExpired },
                log: done("gone"), left: true),
            Close(
                testDescription: "the entry cannot be read now",
                prepare: { world in world.machine.readError = .noMemory },
                log: left("the registry cannot be read (errno 12); this machine has too little memory"), left: true),
            Close(
                testDescription: "the host is root's no more, as proftpd's",
                prepare: { world in world.machine.readError = .notPermitted },
                log: left("this program has dropped root privileges since the sign-in and cannot revoke the tokens"),
                left: true),
            Close(
                testDescription: "damaged entry",
                prepare: { world in world.machine.registry.entries[1001]?.payload = [1, 2] },
                log: done("damaged")),
            Close(testDescription: "no worker", log: left("the worker cannot be started"), left: true),
            Close(
                testDescription: "worker ends", script: [], log: left("the worker ended without a result"),
                revocation: .global,
                left: true),
            Close(
                testDescription: "nonsense", script: [.send([9])], log: left("the worker sent nonsense"),
                revocation: .global,
                left: true),
            Close(
                testDescription: "too slow", configuration: "sign_out_wait = 3s", script: [.wait(3000), .signedOut()],
                log: left("Cognito did not answer in time"), revocation: .global, left: true),
            Close(
                testDescription: "just in time", configuration: "sign_out_wait = 3s",
                script: [.wait(2999), .signedOut()],
                log: done("revoked_everywhere"), revocation: .global),
            Close(
                testDescription: "nobody waits", configuration: "sign_out_wait = 0s", script: [.wait(1), .signedOut()],
                log: left("Cognito did not answer in time"), revocation: .global, left: true),
            Close(
                testDescription: "failed", script: [.failed(.unreachable, log: "no route\nto host")],
                log: left("no route?to host"), revocation: .global, left: true),
            Close(
                testDescription: "unknown outcome",
                script: [.send(packet(.signedOut, [(.outcome, [99]), (.logText, [0x61])]))],
                log: left("a"), revocation: .global, left: true),
            Close(
                testDescription: "out of turn", script: [.signedIn()],
                log: left(
                    """
                    the worker sent a message out of sequence. Reinstall pam-cognito so that the versions of its \
                    components match
                    """),
                revocation: .global, left: true),
            Close(
                testDescription: "client secret cannot be read", configuration: "client_secret_file = /s",
                prepare: { world in world.machine.clientSecretFault = Fault("/s: is missing") },
                log: left("/s: is missing"),
                left: true),
            Close(
                testDescription: "another process is doing it for too long",
                prepare: { world in world.machine.locked = [1001] },
                log: [
                    "WARNING sign-out not finished; user='alice' session=1001 service='sshd' rhost='203.0.113.7': "
                        + "another process has locked the session for too long. The tokens are kept in the registry; "
                        + "cognito-agent reap retries the sign-out when "
                        + "the process that logged this line has ended"
                ],
                left: true),
            Close(
                testDescription: "another process is doing it for a moment", script: [.wait(999), .signedOut()],
                prepare: { world in world.machine.busyUntil = world.machine.now.milliseconds + 4000 },
                log: done("revoked_everywhere"), revocation: .global),
            Close(
                testDescription: "another process was at it, and little time is left",
                script: [.wait(1001), .signedOut()],
                prepare: { world in world.machine.busyUntil = world.machine.now.milliseconds + 4000 },
                log: left("Cognito did not answer in time"), revocation: .global, left: true),
            Close(
                testDescription: "the registry does not take the change, so that nobody would wait for its end",
                script: [.signedOut(.revoked)],
                prepare: { world in world.machine.replaceError = .diskQuotaExceeded },
                log: faulty("only_this_session reason=others_unknown"), revocation: .session),
            Close(
                testDescription: "switched off meanwhile", script: [.signedOut()],
                prepare: { world in world.machine.isDisabled = true }, log: done("revoked_everywhere"),
                revocation: .global),
            Close(
                testDescription: "configuration broken meanwhile", configuration: "sign_out = session",
                script: [.signedOut()],
                prepare: { world in world.machine.configuration = [0xff] }, log: done("revoked"), revocation: .session),
            Close(
                testDescription: "configuration changed meanwhile", configuration: "sign_out = session",
                script: [.signedOut()],
                prepare: { world in world.machine.configuration = FakeMachine.configuration("sign_out = none") },
                log: done("revoked"), revocation: .session),
        ]
}

@Suite struct EndingTests {
    @Test(
        "closing: Cognito first, then local; always a success; what did not succeed stays in the registry",
        arguments: Close.all)
    private func close(close: Close) throws {
        let world = World.open(close.configuration)
        let before = world.machine.workers.count
        world.machine.scripts = close.script.map { script in [script] } ?? []
        close.prepare(world)
        #expect(world.closeSession() == .success)
        #expect(world.host.takeLog() == close.log)
        #expect(world.machine.tokenKeys.isEmpty)
        #expect(world.machine.registry.entries.isEmpty == !close.left)
        let started = world.machine.workers.dropFirst(before)
        #expect(started.count == (close.revocation == nil ? 0 : 1))
        if let revocation = close.revocation {
            #expect(started.first?.field(.revocation) == [revocation.rawValue])
            #expect(started.first?.field(.bundle) == Array(Secrets.bundle.utf8))
            #expect(started.first?.field(.timeLimit) == [0, 0, 0, 0, 0, 0, 0x75, 0x30])
            #expect(started.first?.field(.persistence) == [Persistence.unattended.rawValue])
            #expect(started.first?.field(.tellsReach) == [1])
        }
        if close.left, close.revocation != nil {
            let session = try #require(world.machine.registry.sessions.first)
            #expect(session.state == .closing)
            #expect(session.attempts == 1)
            #expect(session.bundle == Secrets.bundle)
        }
        // Once more: nothing happens.
        #expect(world.closeSession() == .success)
        #expect(world.openSession() == .success)
        #expect(world.setCredentials() == .success)
        #expect(world.machine.workers.dropFirst(before).count == started.count)
        #expect(world.host.takeLog() == [])
        #expect(world.machine.tokenKeys.isEmpty)
    }

    @Test("the end uses the secret of today only if pool and client are those of the session")
    func clientSecret() {
        for (more, expected) in [("", true), ("other", false)] {
            let world = World.open("client_secret_file = /s")
            if !more.isEmpty {
                world.machine.configuration = Array(
                    text(world.machine.configuration).replacing("1example23456789", with: "another").utf8)
            }
            world.machine.scripts = [[.signedOut()]]
            #expect(world.closeSession() == .success)
            let worker = world.machine.workers.last
            #expect(worker?.field(.clientSecret) == (expected ? Array(Secrets.clientSecret.utf8) : nil))
            #expect(worker?.field(.clientID) == Array("1example23456789".utf8))
        }
    }

    @Test(
        "the end goes by the public keys and the proxy of today, and by those of the sign-in where nobody knows today's"
    )
    func path() {
        let pins = (1...2).map { number in
            "sha256//" + String(repeating: "\(number)", count: 42) + "A="
        }
        let before = "pinned_public_keys = \(pins[0])\nproxy = http://old:1"
        let options = "pinned_public_keys=\(pins[0])\nproxy=http://old:1\n"
        let cases: [(String?, options: String?)] = [
            (before, options), ("pinned_public_keys = \(pins[1])", "pinned_public_keys=\(pins[1])\n"), ("", nil),
            (nil, options),
        ]
        for (today, options) in cases {
            let world = World.open(before)
            world.machine.configuration = today.map { more in FakeMachine.configuration(more) } ?? [0xff]
            world.machine.scripts = [[.signedOut()]]
            #expect(world.closeSession() == .success)
            #expect(world.machine.workers.last?.field(.options).map(text) == options)
        }
    }

    @Test("the end waits for a connection as long as today's connect_timeout says")
    func connectTimeout() {
        for (today, limit) in [("connect_timeout = 2s", 2000), ("", 5000), (nil, 5000)] as [(String?, Int64)] {
            let world = World.open("connect_timeout = 9s")
            world.machine.configuration = today.map { more in FakeMachine.configuration(more) } ?? [0xff]
            world.machine.scripts = [[.signedOut()]]
            #expect(world.closeSession() == .success)
            #expect(
                world.machine.workers.last?.field(.connectTimeLimit)?.reduce(0) { sum, byte in sum << 8 | Int64(byte) }
                    == limit)
        }
    }

    @Test(
        "a worker that signs out goes on by itself when nobody waits any more, or can hear it",
        arguments: [[.silence], [.signedOut()], [.send([9])], [.signedIn()], [.deafness]] as [[Act]]
    )
    func goesOn(script: [Act]) {
        let world = World.open()
        world.machine.scripts = [script]
        #expect(world.closeSession() == .success)
        #expect(world.machine.workers.last?.wasKilled == false)
    }

    @Test("the last session of a person in the pool ends everywhere, the others alone", arguments: Beside.all)
    private func last(beside: Beside) {
        let world = World.open("sign_out = last")
        world.machine.dead = [301]
        world.machine.unseen = [302]
        _ = beside.other.add(to: world.machine)
        world.machine.scripts = [[.signedOut()]]
        #expect(world.closeSession() == .success)
        #expect(world.machine.workers.last?.field(.revocation) == [beside.expected.rawValue])
    }

    @Test(
        "where it cannot be found out who else is here, only this session ends, and the log says so",
        arguments: ["global", "last"], Unknown.allCases)
    private func unknownOthers(mode: String, unknown: Unknown) {
        let world = World.open("sign_out = \(mode)")
        let session = world.machine.registry.sessions.count
        switch unknown {
        case .registry: world.machine.entriesError = .noMemory
        case .entry:
            _ = Sample().add(to: world.machine)
            world.machine.readErrors[1002] = .ioError
        case .version:
            _ = Sample().add(to: world.machine)
            world.machine.registry.entries[1002]?.payload[0] = 250
        case .lock: world.machine.isCounting = true
        }
        world.machine.scripts = [[.signedOut(.revoked)]]
        #expect(session == 1 && world.closeSession() == .success)
        guard mode == "last" || unknown != .lock else {
            #expect(world.machine.workers.last?.field(.revocation) == [Revocation.global.rawValue])
            return
        }
        #expect(world.machine.workers.last?.field(.revocation) == [Revocation.session.rawValue])
        #expect(world.host.takeLog().last?.hasSuffix("outcome=only_this_session reason=others_unknown") == true)
    }

    @Test("who signs in while another process holds the session is newer, however long the end waits for that one")
    func newerMeanwhile() {
        let world = World.open("sign_out_wait = 0s")
        world.machine.canStartEnding = true
        let machine = world.machine
        var isFirst = true
        machine.onLock = {
            machine.locked = isFirst ? [1001] : []
            if isFirst {
                isFirst = false
                machine.advance(1000)
                _ = Sample(created: machine.now.milliseconds).add(to: machine)
                machine.advance(10)
            }
        }
        machine.scripts = [[.signedOut(.revoked)]]
        #expect(world.closeSession() == .success)
        #expect(machine.workers.last?.field(.revocation) == [Revocation.session.rawValue])
    }

    @Test("a sign-in waits for an end that its host has given up, and not for one that Cognito has refused")
    func givenUp() {
        let cases: [([Act], Int64)] = [([.silence], 5000), ([.failed(.throttled)], 0)]
        for (script, expected) in cases {
            let world = World.open("sign_out_wait = 3s")
            world.machine.scripts = [script]
            #expect(world.closeSession() == .success)
            let begin = world.machine.now.milliseconds
            _ = world.machine.awaitSignOuts(
                of: Array("alice".utf8), userPoolID: Array("eu-west-1_AbCdEf123".utf8), sweeping: false)
            #expect(world.machine.now.milliseconds - begin == expected)
        }
    }

    @Test(
        """
        where a stopped program is ended and another process takes the session first, the end waits for that one, as \
        long as it may
        """,
        arguments: [(500, true), (60_000, false)] as [(Int64, Bool)])
    func anotherHolder(milliseconds: Int64, isEnded: Bool) {
        let machine = TickingMachine()
        let key = Sample().add(to: machine)
        let begun = machine.now.milliseconds
        machine.stopped = [key.serial.number]
        machine.busyUntil = begun + Int64(holderPatience) + milliseconds
        machine.scripts = [[.signedOut()]]
        let ending = SessionEnding(machine: machine as FakeMachine).end(
            key, mode: nil, forLock: 20_000, waiting: 20_000)
        #expect(ending == (isEnded ? .done(Ended("revoked_everywhere")) : .busy))
        #expect(machine.endedHolders == [key.serial.number])
        #expect(machine.now.milliseconds - begun < 21_000)
    }

    @Test("what could not be found out is asked again before the next attempt", arguments: ["global", "last"])
    func unknownAtFirst(mode: String) throws {
        let world = World.open("sign_out = \(mode)")
        world.machine.entriesError = .noMemory
        world.machine.scripts = [[.failed(.unreachable, log: "down")], [.signedOut()]]
        #expect(world.closeSession() == .success)
        #expect(world.machine.workers.last?.field(.revocation) == [Revocation.session.rawValue])
        world.machine.entriesError = nil
        let key = try #require(world.machine.entry(at: KeySerial(1001)))
        let again = SessionEnding(machine: world.machine).end(key, mode: nil, waiting: 1000)
        #expect(again == .done(Ended("revoked_everywhere")))
        #expect(world.machine.workers.last?.field(.revocation) == [Revocation.global.rawValue])
    }

    @Test("a session that was never opened is left to the reaper")
    func neverOpened() {
        let world = World.signedIn()
        #expect(world.closeSession() == .success)
        #expect(world.machine.registry.sessions.map(\.state) == [.pending])
        #expect(world.host.takeLog() == [])
    }
}

/// A machine on which time passes for a program that only looks at the clock, too.
private final class TickingMachine: FakeMachine {
    override var now: Instant {
        get {
            super.now = Instant(milliseconds: super.now.milliseconds + 1)
            return super.now
        }
        set { super.now = newValue }
    }
}

/// What of the registry cannot be known.
private enum Unknown: CaseIterable {
    case registry
    case entry
    case version
    case lock
}

/// Another entry of the registry when a session ends that may be the last one.
private struct Beside: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var other: Sample
    var expected: Revocation

    static let all = [
        Beside(testDescription: "another session", other: Sample(), expected: .session),
        Beside(
            testDescription: "a sign-in", other: Sample(state: .pending, created: 4_999_000), expected: .session),
        Beside(
            testDescription: "a sign-in that no session follows", other: Sample(state: .pending, created: 4_969_000),
            expected: .global),
        Beside(
            testDescription: "a sign-in whose program was killed",
            other: Sample(state: .pending, host: 301, created: 4_999_000, delivered: false), expected: .global),
        Beside(testDescription: "one in a container", other: Sample(host: 301, inContainer: true), expected: .session),
        Beside(testDescription: "one whose host is gone", other: Sample(host: 301), expected: .global),
        Beside(testDescription: "one whose host cannot be looked at", other: Sample(host: 302), expected: .session),
        Beside(testDescription: "one that ends", other: Sample(state: .closing), expected: .global),
        Beside(testDescription: "a password change", other: Sample(state: .temporary), expected: .global),
        Beside(testDescription: "somebody else's", other: Sample(user: "bob"), expected: .global),
        Beside(testDescription: "in another pool", other: Sample(pool: "eu-west-1_Other"), expected: .global),
    ]
}
