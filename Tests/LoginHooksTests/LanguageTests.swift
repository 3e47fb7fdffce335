import Messages
import Protocol
import Sessions
import Testing

@testable import Fakes

/// In which language the hooks speak, and have the worker speak.
struct LanguageTests {
    /// Whose language counts.
    private struct Case: Sendable {
        var host: Language?
        var machine: Language?
        let expected: Language
    }

    private static let cases = [
        Case(host: .spanish, machine: nil, expected: .spanish),
        Case(host: .english, machine: .spanish, expected: .english),
        Case(host: nil, machine: .spanish, expected: .spanish),
        Case(host: nil, machine: nil, expected: .english),
    ]

    @Test("the host's language counts, then the machine's; the worker is told which", arguments: cases)
    private func language(_ sample: Case) throws {
        let world = World(scripts: [.ask(.password), .signedIn()])
        world.host.language = sample.host
        world.machine.language = sample.machine
        #expect(world.authenticate() == .success)
        #expect(world.openSession() == .success)
        let worker = try #require(world.machine.workers.first)
        #expect(worker.field(.language) == Array(sample.expected.tag.description.utf8))
        #expect(worker.field(.translatesPrompts) == [0])
        #expect(world.host.questions == ["password"])
        #expect(
            world.host.shown.first?.hasPrefix(
                sample.expected == .spanish
                    ? "Sesión iniciada en Cognito como alice, para 30 días"
                    : "Signed in to Cognito as alice for up to 30 days")
                ?? false)
    }

    @Test("prompts are translated where the configuration says so")
    func prompts() throws {
        let world = World("translate_prompts = yes", scripts: [.ask(.password), .signedIn()])
        world.host.language = .spanish
        #expect(world.authenticate() == .success)
        #expect(world.machine.workers.first?.field(.translatesPrompts) == [1])
        #expect(world.host.questions == ["password Contraseña: "])
    }
}
