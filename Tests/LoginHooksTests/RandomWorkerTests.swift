import Base
import Protocol
import Sessions
import Testing

@testable import Fakes

/// Workers under an attacker's control, which send anything at any time: the properties of root's side that must hold.
@Suite struct RandomWorkerTests {
    private static let genuine = Act.signedIn()

    /// The tokens of what may let alice in: whose they are, the worker says, and that they are hers and she is in the
    /// group.
    private static func admitted(by acts: [Act]) -> [String] {
        acts.compactMap { act in
            guard case .send(let bytes) = act, let packet = secret(bytes), let frame = try? Frame(decoding: packet),
                frame.kind == .signedIn, frame.bytes(.userName) == Array("alice".utf8),
                frame.list(.group).contains(Array("staff".utf8))
            else {
                return nil
            }
            return frame.bytes(.bundle).map(text)
        }
    }

    private static let messages: [Act] = [
        .ask(.password), .ask(.visible, "Code: "), .ask(.hidden, "New password: "), .keep("{\"keys\":[]}"),
        .signedIn(as: "bob"), .signedIn(as: "ALICE"), .signedIn(as: ""), .signedIn(groups: []),
        .signedIn(groups: ["others"]), .signedIn(bundle: []), .renewed(), .passwordChanged(), .checked(),
        .credentialMade(1), .listed(["x"]), .signedOut(.everywhere), .signedOut(.revoked), .revoked,
        .failed(code: 200), .send([]), .send([1]), .end, .silence, .deafness, .wait(1), .wait(9000), .wait(20_000),
    ]

    /// A script that begins well goes further.
    private func script(_ random: inout Seeded) -> [Act] {
        var acts: [Act] = Bool.random(using: &random) ? [.ask(.password)] : []
        for _ in 0..<Int.random(in: 0...10, using: &random) {
            switch Int.random(in: 0..<8, using: &random) {
            case 0, 1: acts.append(Self.genuine)
            case 2: acts.append(.failed(FailureReason.allCases.randomElement(using: &random) ?? .refused))
            case 3: acts.append(.ask(.visible, "Code: "))
            case 4: acts.append(mangled(&random))
            default: acts.append(Self.messages.randomElement(using: &random) ?? .end)
            }
        }
        return acts
    }

    /// A right message, and one byte that is another.
    private func mangled(_ random: inout Seeded) -> Act {
        guard case .send(var bytes) = Self.genuine, let place = bytes.indices.randomElement(using: &random) else {
            return .end
        }
        bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        return .send(bytes)
    }

    private func signOutScript(_ random: inout Seeded) -> [Act] {
        [[.signedOut()], [.end], [.silence], [.failed(.unreachable)], [.ask(.password)], script(&random)]
            .randomElement(using: &random) ?? []
    }

    @Test("who is in, it is by what a worker says are alice's tokens; in time, and none is lost", arguments: 0..<4)
    func randomly(way: Int) {
        var admitted = 0
        for number in 0..<150 {
            let seed = UInt64.random(in: 0...UInt64.max)
            var random = Seeded(state: seed)
            let world = World(["", "sign_out = session", "sign_out = global", "sign_out_wait = 2s"][way])
            let said = script(&random)
            world.machine.scripts = [said] + (0..<6).map { _ in signOutScript(&random) }
            if Int.random(in: 0..<4, using: &random) == 0 {
                world.machine.deafAfter = Int.random(in: 0...3, using: &random)
            }
            world.host.answers = (0..<12).map { _ in .success(Secrets.code) }
            admitted += live(in: world, said, "seed \(seed), \(number)") ? 1 : 0
        }
        #expect((8...142).contains(admitted))
    }

    /// Whether alice was in.
    private func live(in world: World, _ said: [Act], _ seed: Comment) -> Bool {
        let machine = world.machine
        var began = machine.now.milliseconds
        let value = world.authenticate()
        // network_timeout, what the worker has beyond it, and what undoes it.
        #expect(machine.now.milliseconds - began <= 15_000 + 2500 + 5000 + 1000, seed)
        let registered = machine.workers.contains { worker in worker.kinds.contains(.registered) }
        if value == .success {
            let entry = machine.registry.sessions.first
            #expect(registered && Self.admitted(by: said).contains { bundle in bundle == entry?.bundle }, seed)
            #expect(machine.registry.sessions.count == 1 && entry?.user == "alice" && entry?.state == .pending, seed)
            #expect(machine.tokenKeys.isEmpty, seed)
        } else {
            #expect(!registered && world.host.variables.isEmpty, seed)
            #expect(machine.registry.sessions.allSatisfy { session in session.state == .closing }, seed)
            #expect(value != .ignore, seed)
        }
        #expect(world.checkAccount() == (value == .success ? .success : .ignore), seed)
        #expect(world.openSession() == .success, seed)
        #expect(machine.tokenKeys.count == (value == .success ? 1 : 0), seed)
        began = machine.now.milliseconds
        #expect(world.closeSession() == .success && world.setCredentials(deleting: true) == .success, seed)
        #expect(machine.now.milliseconds - began <= 15_000, seed)
        world.end()
        #expect(machine.tokenKeys.isEmpty, seed)
        // What Cognito has not confirmed is kept for the reaper, and nothing else is.
        #expect(machine.registry.sessions.allSatisfy { session in session.state == .closing }, seed)
        #expect(world.host.log.allSatisfy { line in !line.isEmpty && line.utf8.count < 2000 }, seed)
        return value == .success
    }
}
