import Protocol
import Steps
import Testing
import Tokens

/// A way to begin a sign-in, and which challenges may come in it.
private struct Way: Sendable, CustomTestStringConvertible {
    let flow: AuthenticationFlow
    let preferred: PreferredFactor?
    /// In answer to InitiateAuth.
    let first: Set<String>
    /// In answer to an answer.
    let later: Set<String>
    /// Challenges that are answered with the password itself.
    var sends: Set<String> = []
    /// InitiateAuth has it.
    var beginsInClear = false

    var testDescription: String { "\(flow), \(preferred.map { factor in "\(factor)" } ?? "no preference")" }
}

/// After a first factor, whatever it was.
private let after: Set<String> = [
    "NEW_PASSWORD_REQUIRED", "MFA_SETUP", "SELECT_MFA_TYPE", "SOFTWARE_TOKEN_MFA", "SMS_MFA", "EMAIL_OTP",
    "DEVICE_SRP_AUTH", "DEVICE_PASSWORD_VERIFIER",
]
private let proved = after.union([
    "SELECT_CHALLENGE", "PASSWORD_SRP", "PASSWORD_VERIFIER", "SMS_OTP", "WEB_AUTHN",
])
/// Where nothing but PASSWORD is offered.
private let sendable: Set<String> = ["PASSWORD", "SELECT_CHALLENGE", "WEB_AUTHN"]
private let further: Set<String> = [
    "SELECT_MFA_TYPE", "SELECT_CHALLENGE", "SOFTWARE_TOKEN_MFA", "SMS_MFA", "SMS_OTP", "EMAIL_OTP",
]
private let chosen = proved.union(["PASSWORD"])

private let ways: [Way] = [
    Way(flow: .secureRemotePassword, preferred: nil, first: ["PASSWORD_VERIFIER"], later: after),
    // What a preference says holds for `choice`.
    Way(flow: .secureRemotePassword, preferred: .password, first: ["PASSWORD_VERIFIER"], later: after),
    Way(flow: .password, preferred: nil, first: after, later: after, beginsInClear: true),
    Way(flow: .choice, preferred: nil, first: chosen, later: chosen, sends: sendable),
    Way(flow: .choice, preferred: .proof, first: proved, later: proved),
    Way(
        flow: .choice, preferred: .password, first: chosen, later: chosen, sends: sendable,
        beginsInClear: true),
    Way(flow: .choice, preferred: .emailCode, first: chosen, later: chosen, sends: sendable),
    Way(
        flow: .custom, preferred: nil, first: after.union(["CUSTOM_CHALLENGE"]),
        later: after.union(["CUSTOM_CHALLENGE"])),
    Way(
        flow: .customAfterProof, preferred: .proof, first: ["PASSWORD_VERIFIER"],
        later: after.union(["CUSTOM_CHALLENGE"])),
    // What is missing, and nothing of a password, whatever a preference says.
    Way(flow: .stepUp, preferred: nil, first: further, later: further),
    Way(flow: .stepUp, preferred: .password, first: further, later: further),
]

/// ChallengeName as the service's model has it, and what a later version might add.
private let names = [
    "SMS_MFA", "EMAIL_OTP", "SOFTWARE_TOKEN_MFA", "SELECT_MFA_TYPE", "MFA_SETUP", "PASSWORD_VERIFIER",
    "CUSTOM_CHALLENGE", "SELECT_CHALLENGE", "DEVICE_SRP_AUTH", "DEVICE_PASSWORD_VERIFIER", "ADMIN_NO_SRP_AUTH",
    "NEW_PASSWORD_REQUIRED", "SMS_OTP", "PASSWORD", "WEB_AUTHN", "PASSWORD_SRP", "RETINA_SCAN",
]

private let password = "Secret-never-sent-1"

/// A challenge of which everything is there, with which a hostile endpoint would get the most.
private func complete(_ name: String, available: [String] = ["PASSWORD"]) -> ScriptedPool.Answer {
    let choices = ["MFAS_CAN_CHOOSE": #"["SMS_MFA"]"#, "MFAS_CAN_SETUP": #"["EMAIL_OTP"]"#]
    return challenge(name, proofParameters.merging(choices) { _, new in new }, available: available)
}

/// A sign-in at an endpoint that answers so, and a person who has the password, and an answer to everything else.
private func run(
    _ way: Way, _ first: ScriptedPool.Answer, then: [ScriptedPool.Answer]
) -> (step: Step, root: ScriptedRoot) {
    let step = Step()
    step.pool.answers["InitiateAuth"] = [first]
    step.pool.answers["RespondToAuthChallenge"] = then
    let isStepUp = way.flow == .stepUp
    let begin = Step.signIn(
        flow: way.flow, preferred: way.preferred, device: "1\neu-west-1_0b1c\n-group\nc2VjcmV0", remember: true,
        levels: isStepUp ? ["urn:cognito:loa:4"] : [], from: isStepUp ? step.genuineSession() : nil,
        maxAge: isStepUp ? 300 : nil)
    return (step, step.run([begin], person: (password: password, other: "123456")))
}

extension ScriptedPool {
    /// How often the password was proved.
    fileprivate var proofs: Int {
        bodies.count { body in
            body["ChallengeResponses"]?["PASSWORD_CLAIM_SIGNATURE"] != nil
        }
    }

    /// How often the password itself was sent, wherever in a request.
    fileprivate var disclosures: Int {
        bodies.count { body in
            String(decoding: body.serialized ?? [], as: UTF8.self).contains(password)
        }
    }
}

extension ScriptedRoot {
    /// The last challenge was refused since the hook does not belong to the flow.
    fileprivate var isForeign: Bool {
        last?.reason == .challengeNotSupported && last?.text(.logText)?.contains("is not part of this flow") == true
    }
}

@Suite("The flow decides which challenges may come") struct FlowChallengeTests {
    @Test("the model's names are the ones that this program knows")
    func modelNames() {
        #expect(ChallengeName.allCases.map(\.rawValue).sorted() == names.dropLast().sorted())
    }

    @Test("in answer to InitiateAuth", arguments: ways)
    fileprivate func first(way: Way) {
        for name in names {
            let (step, root) = run(way, complete(name), then: [ScriptedPool.refusal("InternalErrorException")])
            #expect(root.isForeign == !way.first.contains(name), "\(name): \(root.last?.text(.logText) ?? "")")
            if root.isForeign {
                #expect(!step.pool.operations.contains("RespondToAuthChallenge"), "\(name)")
                #expect(root.last?.text(.logText)?.contains(name) == true)
            }
            let expected = (way.beginsInClear ? 1 : 0) + (way.sends.contains(name) ? 1 : 0)
            #expect(step.pool.disclosures == expected, "\(name)")
        }
    }

    @Test("in answer to an answer", arguments: ways)
    fileprivate func later(way: Way) {
        // One that may come in each of them at first, and that needs no other answer than there is.
        let opening =
            switch way.flow {
            case .secureRemotePassword, .customAfterProof: "PASSWORD_VERIFIER"
            default: "SOFTWARE_TOKEN_MFA"
            }
        for name in names {
            let refusal = ScriptedPool.refusal("InternalErrorException")
            let (step, root) = run(way, complete(opening), then: [complete(name), refusal])
            #expect(root.isForeign == !way.later.contains(name), "\(name): \(root.last?.text(.logText) ?? "")")
            if root.isForeign {
                #expect(step.pool.operations.count { $0 == "RespondToAuthChallenge" } == 1, "\(name)")
            }
            if !way.sends.contains(name) {
                #expect(step.pool.disclosures == (way.beginsInClear ? 1 : 0), "\(name)")
            }
        }
    }

    @Test(
        "an endpoint that asks again and again", arguments: ways, ["PASSWORD", "SELECT_CHALLENGE", "PASSWORD_VERIFIER"])
    fileprivate func insistent(way: Way, name: String) {
        let insisting = complete(name)
        for first in [insisting, complete("PASSWORD_VERIFIER")] {
            let (step, _) = run(way, first, then: [insisting])
            if way.sends.isEmpty {
                #expect(step.pool.disclosures == (way.beginsInClear ? 1 : 0))
            }
            // Each proof would be one more guess for who sends the challenge.
            #expect(step.pool.proofs <= 1)
        }
    }

    @Test(
        "an endpoint gets three proofs, by a device that it does not know and a code that came too late, or six by choices",
        arguments: ways)
    fileprivate func collecting(way: Way) {
        let first = complete("PASSWORD_VERIFIER")
        let choices = [complete("SELECT_CHALLENGE", available: ["PASSWORD_SRP"]), first]
        let late = [
            complete("SOFTWARE_TOKEN_MFA"),
            ScriptedPool.refusal("NotAuthorizedException", "Invalid session for the user, session is expired."),
        ]
        let offers = way.first.contains("SELECT_CHALLENGE")
        let begins = way.flow == .secureRemotePassword || way.preferred == .proof
        let unknown = ScriptedPool.refusal("ResourceNotFoundException", "Device does not exist.")
        for (answers, most) in [(choices, offers ? 5 : 1), (late, 2)] {
            let then = Array(repeating: answers, count: 10).flatMap(\.self)
            #expect(run(way, first, then: then).step.pool.proofs == (begins ? most : 0))
            #expect(run(way, first, then: [unknown] + then).step.pool.proofs == (begins ? most + 1 : 0))
            #expect(run(way, choices[0], then: then).step.pool.proofs <= (offers ? most : 0))
        }
    }

    @Test("what is proved by preference is not sent because nothing else is offered", arguments: [true, false])
    func offers(passkeyFirst: Bool) {
        let way = ways[4]
        let name = passkeyFirst ? "WEB_AUTHN" : "SELECT_CHALLENGE"
        let refusal = ScriptedPool.refusal("InternalErrorException")
        for available in [["PASSWORD"], ["PASSWORD", "WEB_AUTHN"], ["PASSWORD", "EMAIL_OTP"], []] {
            let (step, root) = run(way, complete(name, available: available), then: [refusal])
            #expect(step.pool.disclosures == 0, "\(available)")
            #expect(root.last?.kind != .signedIn)
        }
        let (step, _) = run(way, complete(name, available: ["PASSWORD", "PASSWORD_SRP"]), then: [refusal])
        let sent = step.pool.bodies.last
        #expect((sent?["ChallengeResponses"]?["SRP_A"] ?? sent?["AuthParameters"]?["SRP_A"]) != nil)
    }
}
