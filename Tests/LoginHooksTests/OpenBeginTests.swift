import Base
import Configuration
import Keyring
import Protocol
import Sessions
import Testing

@testable import Fakes

@Suite("Sign-ins that are begun before the answer are counted") struct OpenBeginTests {
    private func world(caller: UInt32 = 0, _ configuration: String = "") -> World {
        let world = World(configuration)
        world.machine.answer = { [.ask(.password), .signedIn()] }
        world.machine.realUserID = caller
        return world
    }

    /// The field in the message to the last worker that signs a user in.
    private func told(_ world: World) -> UInt8? {
        world.machine.workers.last { worker in worker.field(.preconnect) != nil }?.field(.preconnect)?.first
    }

    private func others(_ count: Int, from place: String = "203.0.113.7", caller: UInt32 = 0, in world: World) {
        for _ in 0..<count {
            _ = try? world.machine.noteAttempt(
                .begun, AttemptSubject(user: Array(place.utf8), caller: caller), lasting: 600)
        }
    }

    @Test(
        "the worker begins where the flow is a proof alone, and the administrator wants it",
        arguments: [
            ("", 2), ("preconnect = begin", 2), ("preconnect = yes", 2), ("preconnect = connect", 1),
            ("preconnect = no", 0), ("auth_flow = password", 1), ("auth_flow = custom", 1),
            ("auth_flow = custom\npreferred_challenge = password_srp", 1), ("auth_flow = choice", 1),
            ("auth_flow = choice\npreferred_challenge = password", 1),
            ("auth_flow = choice\npreferred_challenge = email_otp", 1),
            ("auth_flow = choice\npreferred_challenge = password_srp", 2),
            ("auth_flow = choice\npreferred_challenge = password_srp\npreconnect = connect", 1),
        ])
    func configured(configuration: String, code: UInt8) {
        let world = world(configuration)
        var open = -1
        world.host.onQuestion = { open = world.machine.registry.begins.count }
        #expect(world.authenticate() == .success)
        #expect(told(world) == code)
        // It counts while the person is typing.
        #expect(open == (code == 2 ? 1 : 0))
        #expect(world.machine.registry.begins.isEmpty)
    }

    @Test("nobody's sign-in is begun at a screen lock before somebody is there")
    func screenLock() {
        let world = world()
        #expect(world.proveIdentity() == .success)
        #expect(told(world) == 1)
        let root = self.world()
        root.host.service = Array("kde".utf8)
        #expect(root.authenticate() == .success)
        #expect(told(root) == 1)
    }

    @Test("a password change is begun as a sign-in is, and counted")
    func passwd() {
        let world = world(caller: 5001)
        others(8, from: "-", caller: 5001, in: world)
        _ = world.changePassword(.update)
        #expect(told(world) == 1)
        world.machine.registry.begins = []
        _ = world.changePassword(.update)
        #expect(told(world) == 2)
        #expect(world.machine.registry.begins.isEmpty)
    }

    @Test("accounts that are not Cognito's, and those that are refused before they are asked, begin nothing")
    func notCovered() {
        for prepare in [
            { world in world.machine.people = [] },
            { world in world.machine.accounts = [:] },
            { world in world.host.userName = .success(Array("root".utf8)) },
            { world in world.machine.isDisabled = true },
            { world in
                for _ in 1...3 {
                    _ = try? world.machine.noteAttempt(.failure, .alice(), lasting: 600)
                }
            },
        ] as [(World) -> Void] {
            let world = world()
            prepare(world)
            #expect(world.authenticate() != .success)
            #expect(world.machine.workers.isEmpty && world.machine.registry.begins.isEmpty)
        }
    }

    /// Unanswered begins, and the effect on one more.
    struct Crowd: Sendable {
        let count: Int
        var from = "203.0.113.7"
        var by: UInt32 = 0
        var caller: UInt32 = 0
        var rhost = "203.0.113.7"
        var later: Int64 = 0
        let code: UInt8
    }

    static let crowds = [
        Crowd(count: 7, code: 2), Crowd(count: 8, code: 1), Crowd(count: 8, from: "203.0.113.8", code: 2),
        Crowd(count: 8, later: 599_999, code: 1), Crowd(count: 8, later: 600_000, code: 2),
        // Who sits at this machine is known by the user id, whatever the program calls the place.
        Crowd(count: 8, from: "-", by: 5002, caller: 5002, code: 1),
        Crowd(count: 8, from: "-", by: 5002, caller: 5002, rhost: "", code: 1),
        Crowd(count: 8, from: "-", by: 5002, caller: 5003, code: 2),
        Crowd(count: 8, from: "-", by: .max, caller: 3_000_001, code: 1),
        Crowd(count: 8, from: "203.0.113.7", by: 0, caller: 5002, code: 2),
        Crowd(count: 8, from: "-", rhost: "", code: 1), Crowd(count: 8, from: "-", code: 2),
    ]

    @Test("of one host and of one user id there are eight", arguments: crowds.indices)
    func crowd(index: Int) {
        let crowd = Self.crowds[index]
        let world = world(caller: crowd.caller)
        world.host.remoteHost = Array(crowd.rhost.utf8)
        others(crowd.count, from: crowd.from, caller: crowd.by, in: world)
        world.machine.advance(crowd.later)
        // It refuses no user.
        #expect(world.authenticate() == .success)
        #expect(told(world) == crowd.code)
    }

    @Test("on a machine there are forty, wherever they come from", arguments: [39, 40])
    func machine(count: Int) {
        let world = world()
        for number in 0..<count {
            others(1, from: "198.51.100.\(number)", in: world)
        }
        #expect(world.authenticate() == .success)
        #expect(told(world) == (count < 40 ? 2 : 1))
        #expect(world.machine.registry.begins.count == count)
    }

    @Test("of many at once no more are begun than one after the other")
    func atOnce() {
        let world = world()
        var isFirst = true
        world.machine.onNoteBegin = {
            if isFirst {
                isFirst = false
                others(8, in: world)
            }
        }
        #expect(world.authenticate() == .success)
        #expect(told(world) == 1)
        #expect(world.machine.registry.begins.count == 8)
    }

    @Test("what cannot be counted is begun behind the answer")
    func uncountable() {
        let world = world()
        world.machine.beginsError = .diskQuotaExceeded
        #expect(world.authenticate() == .success)
        #expect(told(world) == 1)
    }

    @Test("whoever leaves without an answer has had one, and eight prompts later there are no more for them")
    func leaving() {
        let world = world(caller: 5002)
        world.host.typedPassword = .failure(.conversationError)
        let codes = (1...10).map { _ in
            _ = world.authenticate()
            return told(world)
        }
        #expect(codes == Array(repeating: 2, count: 8) + [1, 1])
        #expect(world.machine.registry.begins.count == 8 && world.machine.registry.attempts.isEmpty)
    }

    @Test("an answer counts as an attempt before it counts as a begin no more")
    func handOver() {
        let world = world(caller: 5002)
        var open: [Int] = []
        world.machine.onNote = { open.append(world.machine.registry.begins.count) }
        #expect(world.authenticate() == .success)
        #expect(open.first == 1 && world.machine.registry.begins.isEmpty)
    }
}
