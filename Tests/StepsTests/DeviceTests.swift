import Base
import CognitoIdentityProvider
import HTTPClient
import Protocol
import Steps
import Testing
import TokenSigning
import Tokens

/// What the root side kept of a device.
private let kept = "1\neu-west-1_0b1c\n-group\nc2VjcmV0"
private let key = "eu-west-1_0b1c"

private let absent = ScriptedPool.refusal("ResourceNotFoundException", "Device does not exist.")
private let unproved = ScriptedPool.refusal("NotAuthorizedException", "Incorrect username or password.")

private let asked = challenge("DEVICE_SRP_AUTH")
private let fresh = Step().pool.tokens(newDevice: "eu-west-1_new")
private let verifier = challenge(
    "DEVICE_PASSWORD_VERIFIER", ["SALT": "1f", "SRP_B": "abcdef", "SECRET_BLOCK": "YmxvY2s=", "DEVICE_KEY": key])

extension ScriptedPool {
    /// The operations, each with the device key that it was sent with.
    fileprivate var keys: [String] {
        zip(operations, bodies).filter { operation, _ in operation != "jwks" }.map { operation, body in
            let places = [
                body["AuthParameters"]?["DEVICE_KEY"], body["ChallengeResponses"]?["DEVICE_KEY"], body["DeviceKey"],
            ]
            return "\(operation) \(places.compactMap { place in place?.text }.first ?? "-")"
        }
    }
}

private func run(
    _ initiate: [ScriptedPool.Answer], _ answers: [ScriptedPool.Answer] = [], device: String? = kept,
    remember: Bool? = true, prepare: (ScriptedPool) -> Void = { _ in }
) -> (step: Step, root: ScriptedRoot) {
    let step = Step()
    step.pool.answers["InitiateAuth"] = initiate
    step.pool.answers["RespondToAuthChallenge"] = answers
    prepare(step.pool)
    let begin = Step.signIn(keySet: ScriptedPool.keySet, device: device, remember: remember)
    return (step, step.run([begin, Step.answer(), Step.registered]))
}

@Suite struct DeviceTests {
    @Test("a device that the pool knows is proved without a question, and its key goes with everything")
    func proof() throws {
        let (step, root) = run([asked], [verifier, Step().pool.tokens()])
        #expect(root.kinds == [.ask, .signedIn])
        #expect(
            step.pool.keys
                == ["InitiateAuth", "RespondToAuthChallenge", "RespondToAuthChallenge"].map { $0 + " \(key)" })
        #expect(root.last?.session?.deviceKey == key)
        #expect(root.last?.fields[.device] == nil)
        let first = step.pool.bodies[1]
        #expect(first["ChallengeName"]?.text == "DEVICE_SRP_AUTH")
        #expect(first["ChallengeResponses"]?["SRP_A"]?.text != nil)
        #expect(first["ChallengeResponses"]?["USERNAME"]?.text == "alice")
        let second = step.pool.bodies[2]["ChallengeResponses"]
        #expect(second?["PASSWORD_CLAIM_SIGNATURE"]?.text?.utf8.count == 44)
        #expect(second?["PASSWORD_CLAIM_SECRET_BLOCK"]?.text == "YmxvY2s=")
    }

    @Test(
        "a new device is confirmed, remembered where the pool wants to be told, and handed over",
        arguments: [true, false])
    func newDevice(asksPerson: Bool) throws {
        let (step, root) = run([fresh], device: nil) { pool in
            pool.answers["ConfirmDevice"] = [.success((200, "{\"UserConfirmationNecessary\":\(asksPerson)}"))]
            pool.answers["UpdateDeviceStatus"] = [.success((200, ""))]
        }
        #expect(root.kinds == [.ask, .signedIn])
        #expect(
            step.pool.operations == ["InitiateAuth", "ConfirmDevice"] + (asksPerson ? ["UpdateDeviceStatus"] : []))
        #expect(root.last?.session?.deviceKey == "eu-west-1_new")
        #expect(root.last?.text(.logText) == nil)
        let lines = try #require(root.last?.text(.device)).split(separator: "\n")
        #expect(lines.count == 4 && lines[0] == "1" && lines[1] == "eu-west-1_new" && lines[2] == "-group")
        #expect(Base64.standard.decode(String(lines[3]))?.count == 40)

        // The verifier is of this very password.
        let confirm = step.pool.bodies[1]
        #expect(confirm["DeviceName"]?.text == "demo" && confirm["DeviceKey"]?.text == "eu-west-1_new")
        let config = try #require(confirm["DeviceSecretVerifierConfig"])
        let salt = try #require(config["Salt"]?.text.flatMap(Base64.standard.decode))
        let expected = try SecureRemotePassword.deviceVerifier(
            salt: salt, identity: SRPIdentity(realm: "-group", identifier: "eu-west-1_new"),
            password: Array(lines[3].utf8).span.bytes)
        #expect(config["PasswordVerifier"]?.text == expected.verifier && config["Salt"]?.text == expected.salt)
        if asksPerson {
            #expect(step.pool.bodies[2]["DeviceRememberedStatus"]?.text == "remembered")
        }
    }

    @Test("a device that Cognito has confirmed, and could not be told to remember, is kept: its key renews the tokens")
    func notRemembered() {
        for answer in [ScriptedPool.refusal("TooManyRequestsException"), .failure(.unreachable("reset"))] {
            let (_, root) = run([fresh], device: nil) { pool in
                pool.answers["ConfirmDevice"] = [.success((200, "{\"UserConfirmationNecessary\":true}"))]
                pool.answers["UpdateDeviceStatus"] = [answer]
            }
            #expect(root.last?.kind == .signedIn && root.last?.session?.deviceKey == "eu-west-1_new")
            #expect(root.last?.text(.device)?.hasPrefix("1\neu-west-1_new\n") == true)
            #expect(root.last?.text(.logText)?.contains("did not confirm that it remembers the device") == true)
        }
    }

    @Test("a device of which nobody knows whether Cognito has confirmed it is kept, too")
    func perhapsConfirmed() {
        for answer in [ScriptedPool.refusal("InternalErrorException"), .failure(.timedOut), .success((502, "<html>"))] {
            let (_, root) = run([fresh], device: nil) { pool in
                pool.answers["ConfirmDevice"] = [answer]
            }
            #expect(root.last?.kind == .signedIn && root.last?.session?.deviceKey == "eu-west-1_new")
            let remark = root.last?.text(.logText) ?? ""
            #expect(remark.hasPrefix("It is unknown whether this host is now one of the user's devices"))
        }
    }

    @Test("nobody is kept out because a device could not be confirmed, or may not be; the log hears what follows")
    func notConfirmed() {
        let failed = run([fresh], device: nil) { pool in
            pool.answers["ConfirmDevice"] = [ScriptedPool.refusal("TooManyRequestsException")]
        }
        #expect(failed.root.last?.kind == .signedIn)
        #expect(
            failed.root.last?.text(.logText)?.hasPrefix("This host could not be registered as a device of the user")
                == true)
        let unwanted = run([fresh], device: nil, remember: false)
        #expect(unwanted.root.last?.kind == .signedIn)
        #expect(unwanted.root.last?.text(.logText)?.contains("\"remember_device\"") == true)
        #expect(unwanted.step.pool.operations == ["InitiateAuth"])
        // A module of an earlier version would not understand the remark.
        let older = run([fresh], device: nil, remember: nil)
        #expect(older.root.last?.kind == .signedIn && older.root.last?.text(.logText) == nil)
        for root in [failed.root, unwanted.root, older.root] {
            #expect(root.last?.fields[.device] == nil && root.last?.session?.deviceKey == nil)
        }
    }

    @Test(
        "a device that the service does not know is forgotten, and the sign-in begins anew once without it",
        arguments: [
            ([absent], []),
            ([asked], [absent]),
            ([asked], [unproved]),
            ([asked], [verifier, absent]),
            ([asked], [verifier, unproved]),
        ])
    func forgotten(initiate: [ScriptedPool.Answer], answers: [ScriptedPool.Answer]) {
        let (step, root) = run(initiate + [challenge("SMS_MFA")], answers + [fresh]) { pool in
            pool.answers["ConfirmDevice"] = [.success((200, "{}"))]
        }
        // The script has no second answer: what is asked next is the code.
        #expect(root.kinds.prefix(3) == [.ask, .keep, .ask])
        #expect(root.sent[1].fields[.device] == [])
        #expect(step.pool.keys.last == "InitiateAuth -")
        #expect(root.sent[2].text(.text) == "Code sent by SMS to you: ")
    }

    @Test("a device that is unknown without having been named is a refusal like others")
    func unknownTwice() {
        let (step, root) = run([absent])
        #expect(root.kinds == [.ask, .keep, .failed])
        #expect(step.pool.keys == ["InitiateAuth \(key)", "InitiateAuth -"])
    }

    @Test(
        "a pool that asks for a device that nobody has, or that it has forgotten itself, is told so",
        arguments: [asked, verifier])
    func noDevice(challenge: ScriptedPool.Answer) {
        #expect(run([challenge], device: nil).root.last?.reason == .challengeNotSupported)
        let (step, root) = run([absent, challenge], [unproved])
        #expect(root.kinds == [.ask, .keep, .failed])
        #expect(root.last?.reason == .challengeNotSupported)
        #expect(step.pool.keys == ["InitiateAuth \(key)", "InitiateAuth -"])
    }

    @Test(
        "what is no device is forgotten, and not sent",
        arguments: [
            "", "1\nkey\ngroup", "1\nkey\ngroup\n", "2\nkey\ngroup\npassword", "1\nk y\ngroup\npassword", "1\n\n\nx",
        ])
    func damaged(kept: String) {
        let (step, root) = run([Step().pool.tokens()], device: kept)
        #expect(root.kinds == [.keep, .ask, .signedIn])
        #expect(step.pool.keys == ["InitiateAuth -"])
    }

    @Test("a change of the password uses the device, and makes none")
    func passwordChange() {
        let step = Step()
        step.pool.answers["InitiateAuth"] = [step.pool.tokens(newDevice: "eu-west-1_new")]
        step.pool.answers["ChangePassword"] = [.success((200, "{}"))]
        let root = step.run(
            [Step.changePassword(device: kept), Step.answer("old"), Step.registered]
                + ["new-one-9", "new-one-9"].map(Step.answer))
        #expect(root.last?.kind == .passwordChanged)
        #expect(step.pool.keys.first == "InitiateAuth \(key)")
        #expect(!step.pool.operations.contains("ConfirmDevice"))
    }
}

@Suite struct DeviceSessionTests {
    @Test("a renewal names the device, and keeps it; so does the older operation", arguments: [false, true])
    func renewal(isOlder: Bool) {
        let step = Step()
        if isOlder {
            step.pool.answers["GetTokensFromRefreshToken"] = [ScriptedPool.refusal("UnknownOperationException")]
        }
        let root = step.run([Step.renew(step.session(device: key)), Step.registered])
        #expect(step.pool.keys == ["GetTokensFromRefreshToken \(key)"] + (isOlder ? ["InitiateAuth \(key)"] : []))
        #expect(root.last?.session?.deviceKey == key)
    }

    @Test("a device that is forgotten is left out of one more try")
    func forgotten() {
        let step = Step()
        step.pool.answers["GetTokensFromRefreshToken"] = [absent, step.pool.tokens()]
        let root = step.run([Step.renew(step.session(device: key)), Step.registered])
        #expect(step.pool.keys == ["GetTokensFromRefreshToken \(key)", "GetTokensFromRefreshToken -"])
        #expect(root.last?.kind == .renewed && root.last?.session?.deviceKey == nil)
        let again = Step()
        again.pool.answers["GetTokensFromRefreshToken"] = [absent]
        #expect(again.run([Step.renew(again.session(device: key))]).last?.reason == .sessionEnded)
        #expect(again.pool.keys.count == 2)
    }

    @Test("a sign-out that must renew first names it, too")
    func signOut() {
        let step = Step()
        let root = step.run([Step.signOut(step.session(lifetime: 5, device: key))])
        #expect(root.last?.outcome == .revoked)
        #expect(step.pool.keys == ["GetTokensFromRefreshToken \(key)", "GlobalSignOut -"])
    }

    @Test("tokens of a device that was never confirmed are not renewed, which is no end of the session")
    func unconfirmed() {
        let refusal = ScriptedPool.refusal("NotAuthorizedException", "Invalid Refresh Token.")
        for (device, claim, reason) in [
            (nil, key, FailureReason.configuration), (key, key, .sessionEnded), (nil, nil, .sessionEnded),
        ] {
            let step = Step()
            step.pool.answers["GetTokensFromRefreshToken"] = [refusal]
            var session = step.session(device: device)
            session.accessToken = SecretValue(
                step.pool.token(claim.map { key in ["device_key": .string(key)] } ?? [:]))
            let failed = step.run([Step.renew(session)]).last
            #expect(failed?.reason == reason)
            #expect(failed?.text(.logText)?.contains("\"remember_device\"") == (reason == .configuration))
        }
    }
}

@Suite struct PasskeyTests {
    @Test(
        "a passkey that is asked for at once is declined for what else there is",
        arguments: [
            (["EMAIL_OTP"], [], "EMAIL_OTP", []),
            (["PASSWORD", "PASSWORD_SRP"], ["secret"], "PASSWORD_SRP", ["Password: "]),
            (["PASSWORD"], ["secret"], "PASSWORD", ["Password: "]),
            ([], ["secret"], "PASSWORD_SRP", ["Password: "]),
            (["SMS_OTP", "EMAIL_OTP"], ["2"], "SMS_OTP", ["menu"]),
            (["PASSWORD", "EMAIL_OTP"], ["1", "secret"], "PASSWORD", ["menu", "Password: "]),
        ] as [([String], [String], String, [String])])
    func declined(others: [String], answers: [String], preferred: String, questions: [String]) throws {
        let step = Step()
        step.pool.answers["InitiateAuth"] = [
            challenge("WEB_AUTHN", available: ["WEB_AUTHN"] + others), step.pool.tokens(),
        ]
        let root = step.run(
            [Step.signIn(flow: .choice, keySet: ScriptedPool.keySet)] + answers.map(Step.answer) + [Step.registered])
        #expect(root.last?.kind == .signedIn)
        #expect(step.pool.operations == ["InitiateAuth", "InitiateAuth"])
        let parameters = try #require(step.pool.bodies.last?["AuthParameters"])
        #expect(parameters["PREFERRED_CHALLENGE"]?.text == preferred)
        #expect((parameters["PASSWORD"]?.text == "secret") == (preferred == "PASSWORD"))
        #expect((parameters["SRP_A"] != nil) == (preferred == "PASSWORD_SRP"))
        let shown = root.prompts.compactMap { message in message.text(.text) }
        #expect(shown.count == questions.count)
        for (shown, question) in zip(shown, questions) {
            #expect(question == "menu" ? shown.contains("Passkeys cannot be used here") : shown == question)
        }
    }

    @Test("when there is nothing else, the person is told what is missing")
    func onlyPasskey() {
        let step = Step()
        step.pool.answers["InitiateAuth"] = [challenge("WEB_AUTHN", available: ["WEB_AUTHN"])]
        let root = step.run([Step.signIn(flow: .choice), Step.answer()])
        #expect(root.last?.reason == .challengeNotSupported)
        #expect(root.last?.text(.text)?.contains("passkey") == true)
        #expect(step.pool.operations == ["InitiateAuth", "InitiateAuth"])
    }
}
