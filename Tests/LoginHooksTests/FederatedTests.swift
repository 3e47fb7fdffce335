import Configuration
import Keyring
import Protocol
import Sessions
import Testing

@testable import Fakes

private func configuration(_ federated: String, _ more: String = "") -> String {
    """
    federated = \(federated)
    managed_login_domain = auth.example.com
    identity_provider = Okta
    redirect_uri = https://login.example.com/done
    identity_claim = email
    \(more)
    """
}

/// Tokens of a user of the identity provider, as the worker says.
private func federated(as name: String = "Okta_0oa1") -> Act {
    .signedIn(as: name, rule: .federated)
}

private func signIn(
    _ configuration: String, _ script: [Act], password: String = ""
) -> (world: World, value: ReturnValue) {
    let world = World(configuration, scripts: script)
    world.host.typedPassword = .success(Array(password.utf8))
    return (world, world.authenticate())
}

@Suite("Users of an external identity provider") struct FederatedTests {
    @Test(
        "come in where the worker has verified them, and where the administrator lets them",
        arguments: [
            (configuration("only"), ReturnValue.success), (configuration("yes"), .success),
            (configuration("no"), .permissionDenied),
        ])
    func admitted(configuration: String, expected: ReturnValue) throws {
        let (world, value) = signIn(configuration, [federated()])
        #expect(value == expected)
        guard expected == .success else {
            #expect(world.host.takeLog().contains { line in line.contains("reason=other_identity") })
            #expect(world.machine.registry.entries.isEmpty)
            return
        }
        let options = String(decoding: world.machine.workers[0].field(.options) ?? [], as: UTF8.self)
        #expect(options.contains("identity_claim=email\n"))
        // Renewals go by the same rule, and only this user's tokens count.
        let serial = try #require(world.machine.registry.entries.keys.first)
        let key = try #require(world.machine.entry(at: KeySerial(serial)))
        switch RegistryEntry.decode(try world.machine.read(key)) {
        case .some(let entry):
            let found = (entry.identity, entry.loginName)
            #expect(found == (.federated, Array("Okta_0oa1".utf8)))
            let isTheirs = (entry.isTheirs(Array("Okta_0oa1".utf8)), entry.isTheirs(Array("alice".utf8)))
            #expect(isTheirs == (true, false))
        case .none: Issue.record("no entry")
        }
    }

    @Test(
        "choose the browser by Enter alone, and only where there is one",
        arguments: [
            ("yes", "password Password, or press Enter to sign in with a browser: ", ReturnValue.success),
            ("no", "password", .authenticationError),
        ])
    func choice(option: String, question: String, expected: ReturnValue) {
        let (world, value) = signIn(configuration(option), [.ask(.password), federated()])
        #expect(value == expected)
        #expect(world.host.questions == [question])
        #expect(world.machine.workers[0].kinds == (expected == .success ? [.signIn, .answer, .registered] : [.signIn]))
    }

    @Test(
        """
        have a name that the pool gives to users of that provider: others would be signed out, and written down, \
        by it
        """,
        arguments: [
            "ceo", "Other_0oa1", "Okta_", "Okta", "Okta_\n", "Okta_" + String(repeating: "x", count: 124), "alice",
        ])
    func names(name: String) {
        let (world, value) = signIn(configuration("only"), [federated(as: name)])
        #expect(value == .permissionDenied)
        #expect(world.host.takeLog().contains { line in line.contains("reason=other_identity") })
        #expect(world.machine.registry.entries.isEmpty)
    }

    @Test("whoever presses Enter leaves what was begun counted, and no password for later modules")
    func enter() {
        let (world, value) = signIn(configuration("yes"), [.ask(.password), federated()])
        #expect(value == .success)
        #expect(world.machine.registry.begins.count == 1)
        #expect(world.host.isPasswordForgotten)
    }

    @Test("nothing is begun at Cognito for somebody who is asked for no password", arguments: ["only", "yes"])
    func preconnection(option: String) {
        let (world, _) = signIn(configuration(option), [federated()])
        let expected: Preconnection = option == "only" ? .nothing : .begin
        #expect(world.machine.workers[0].field(.preconnect) == [expected.rawValue])
    }

    @Test(
        "a service can be let or kept by its own line", arguments: [("no", "federated=only"), ("only", "federated=no")])
    func argument(option: String, argument: String) {
        let world = World(configuration(option), scripts: [federated()])
        world.arguments = [argument]
        #expect(world.authenticate() == (option == "no" ? .success : .permissionDenied))
    }

    @Test("have no password to change here")
    func passwordChange() {
        let world = World(configuration("only"))
        world.host.service = Array("passwd".utf8)
        for pass in [PasswordPass.preliminary, .update] {
            #expect(world.changePassword(pass) == .permissionDenied)
            #expect(world.machine.workers.isEmpty && world.host.questions.isEmpty)
            #expect(world.host.takeLog().contains { line in line.contains("reason=no_password") })
        }
    }
}
