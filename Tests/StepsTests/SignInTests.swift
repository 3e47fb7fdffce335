import CognitoIdentityProvider
import HTTPClient
import Protocol
import Steps
import Testing
import TokenSigning
import Tokens

@Suite struct SignInTests {
    @Test("the question comes first, then the key set to keep, then the session")
    func order() throws {
        let step = Step()
        let root = step.run([Step.signIn(keySet: nil), Step.answer(), Step.registered])
        #expect(root.kinds == [.ask, .keep, .signedIn])
        #expect(root.sent[0].text(.text) == "Password: ")
        #expect(root.sent[1].fields[.keySet] == ScriptedPool.keySet)
        let result = try #require(root.last)
        #expect(result.text(.userName) == "alice")
        #expect(result.groups == ["staff"])
        #expect(result.number == step.clock.wall + 3600)
        let session = try #require(result.session)
        #expect(session.refreshToken == "refresh-1")
        #expect(session.refreshTokenExpiry == step.clock.wall + 86_400)
        #expect(session.signOut == .global)
        // Tokens do not wait for keys.
        #expect(step.pool.operations == ["jwks", "InitiateAuth"])
    }

    @Test("a key set that is the one given is not kept again")
    func sameKeySet() {
        let step = Step()
        let root = step.run([
            Step.signIn(preconnect: 1, keySet: ScriptedPool.keySet), .nothing, Step.answer(), Step.registered,
        ])
        #expect(root.kinds == [.ask, .signedIn])
        #expect(step.pool.operations == ["jwks", "InitiateAuth"])
    }

    @Test("the person has all the time in the world, the root side ten seconds")
    func waiting() {
        let step = Step()
        let root = step.run([Step.signIn(preconnect: 1), .nothing, Step.answer(), Step.registered])
        #expect(root.timeLimits == [10_000, 5, nil, 10_000])
    }

    @Test("without keys nobody is signed in: there would be tokens that cannot be verified")
    func noKeys() {
        let step = Step()
        step.pool.answers["jwks"] = [.success((503, ""))]
        #expect(step.run([Step.signIn(keySet: nil), Step.answer(), Step.registered]).last?.reason == .serviceFault)
        #expect(Set(step.pool.operations) == ["jwks"])
    }

    @Test("a failed preconnection is not fatal")
    func preconnection() {
        let step = Step()
        step.pool.answers["jwks"] = [.failure(.unreachable("x"))] + (step.pool.answers["jwks"] ?? [])
        let root = step.run([Step.signIn(preconnect: 1), .nothing, Step.answer(), Step.registered])
        #expect(root.last?.kind == .signedIn)
    }

    @Test("tokens that come when the time is over are revoked, and the root side has been told before")
    func lateTokens() {
        let step = Step()
        step.pool.lateOperations = ["InitiateAuth"]
        let root = step.run([Step.signIn(), Step.answer()])
        #expect(root.kinds == [.ask, .failed])
        #expect(root.last?.reason == .unreachable)
        #expect(step.pool.operations.suffix(2) == ["InitiateAuth", "RevokeToken"])
        #expect(step.pool.bodies.last?["Token"]?.text == "refresh-1")
    }

    @Test("the session may be given a bundle without the refresh token")
    func withheld() throws {
        let step = Step()
        let root = step.run([Step.signIn(withhold: true), Step.answer(), Step.registered])
        let visible = try #require(root.last?.fields[.sessionBundle])
        #expect(JSONValue(parsing: visible)?["refresh_token"] == nil)
        #expect(root.last?.session?.refreshToken == "refresh-1")
    }

    @Test(
        "tokens that are not registered are revoked, and nothing wider",
        arguments: [ScriptedRoot.Event.nothing, .closed, Step.answer()],
        // The sign-in takes all of the shorter one.
        [15_000, 10] as [Int64])
    func notRegistered(event: ScriptedRoot.Event, timeLimit: Int64) {
        let step = Step()
        let root = step.run([Step.signIn(timeLimit: timeLimit), Step.answer(), event])
        #expect(root.last?.kind == .signedIn)
        #expect(step.pool.operations == ["InitiateAuth", "RevokeToken"])
        #expect(step.pool.bodies.last?["Token"]?.text == "refresh-1")
    }

    @Test("a word of the root side at the last moment counts, and after it there is none that it could take for heard")
    func lastWord() {
        for (events, isHeard) in [([Step.registered], true), ([.nothing], false)] {
            let step = Step()
            let root = step.run([Step.signIn(), Step.answer(), .nothing] + events)
            #expect(root.isClosed && root.timeLimits == [10_000, nil, 10_000, 0])
            #expect(step.pool.operations.contains("RevokeToken") != isHeard)
        }
    }

    @Test("a root side that is gone costs no request, and tokens that do not get there are revoked at once")
    func gone() {
        let step = Step()
        // The first prompt already shows that the user is gone.
        #expect(step.run([Step.signIn(), Step.answer()], rootIsGone: true).kinds == [.ask])
        #expect(step.pool.operations.isEmpty)
        let root = step.run([Step.signIn(), .deaf, Step.answer(), Step.registered])
        #expect(root.kinds == [.ask, .signedIn])
        #expect(root.timeLimits == [10_000, nil])
        #expect(step.pool.operations == ["InitiateAuth", "RevokeToken"])
    }

    @Test(
        "the root side is told the person's name, and their user id where it wants to know, as far as they can be any",
        arguments: [
            (JSONValue.string("Ana García"), JSONValue.string("70001"), "Ana García", "70001"),
            (nil, .integer(70_001), nil, "70001"), (.string(""), .string(""), nil, nil),
            (.integer(7), .boolean(true), "7", nil),
            (
                .string(String(repeating: "é", count: 128)), .string(String(repeating: "1", count: 32)),
                String(repeating: "é", count: 128), String(repeating: "1", count: 32)
            ),
            (
                .string(String(repeating: "é", count: 128) + "e"), .string(String(repeating: "1", count: 33)), nil, nil
            ),
        ] as [(JSONValue?, JSONValue?, String?, String?)])
    func aboutThePerson(name: JSONValue?, uid: JSONValue?, toldName: String?, toldUID: String?) {
        for isWanted in [true, false] {
            let step = Step()
            step.pool.identityClaims["name"] = name
            step.pool.identityClaims["custom:uid"] = uid
            let begin = Step.signIn(uidAttribute: isWanted ? "custom:uid" : nil)
            let root = step.run([begin, Step.answer(), Step.registered])
            #expect(root.last?.kind == .signedIn)
            #expect(root.last?.text(.realName) == toldName)
            #expect(root.last?.text(.uidClaim) == (isWanted ? toldUID : nil))
        }
    }

    @Test(
        """
        whether the pool tracks sessions is asked at the sign-in, if the root side wants it; no answer keeps \
        nobody out
        """,
        arguments: [
            (ScriptedPool.refusal("InvalidParameterException", "Session tracking is not enabled"), 0),
            (.success((200, #"{"Sessions":[{"SessionId":"a","LastActiveDate":1}]}"#)), 2),
            (ScriptedPool.refusal("InternalErrorException", ""), nil),
        ] as [(ScriptedPool.Answer, UInt8?)])
    func place(answer: ScriptedPool.Answer, place: UInt8?) {
        for isWanted in [true, false] {
            let step = Step()
            step.pool.answers["ListUserSessions"] = [answer, answer, answer, answer]
            let root = step.run([Step.signIn(placing: isWanted), Step.answer(), Step.registered])
            #expect(root.last?.kind == .signedIn)
            let told = isWanted ? place.map { place in [0, 0, 0, 0, 0, 0, 0, place] } : nil
            #expect(root.last?.fields[.sessionPlace] == told)
            #expect(step.pool.operations.contains("ListUserSessions") == isWanted)
        }
    }

    @Test(
        "tokens of somebody else are refused and revoked",
        arguments: [("Alice", "alice"), ("alice ", "alice"), ("alic\u{65}\u{301}", "alicé"), ("alice", "bob")]
    )
    func otherIdentity(inToken: String, account: String) {
        let step = Step()
        step.pool.claims["username"] = .string(inToken)
        step.pool.identityClaims["cognito:username"] = .string(inToken)
        let root = step.run([Step.signIn(userName: account, loginName: account), Step.answer()])
        #expect(root.last?.reason == .otherIdentity)
        let line = root.last?.text(.logText) ?? ""
        #expect(line.contains("the pool ignores case") == (inToken == "Alice"))
        #expect(inToken != "Alice" || line.contains("the pool has 'Alice', and this machine expects 'alice'"))
        #expect(line.contains("username_template") == (inToken != "Alice"))
        #expect(step.pool.operations.last == "RevokeToken")
        #expect(!root.kinds.contains(.signedIn))
    }

    @Test(
        "the rule of the verified e-mail address",
        arguments: [
            ("a@example.com", JSONValue.boolean(true), true), ("a@example.com", .string("true"), true),
            ("a@example.com", .boolean(false), false), ("A@example.com", .boolean(true), false),
            ("a@Example.COM", .boolean(true), true), ("A@Example.COM", .boolean(true), false),
            ("a@example.org", .boolean(true), false), ("a@example.com.", .boolean(true), false),
            ("a@example\u{212a}com", .boolean(true), false), ("a", .boolean(true), false), ("", .boolean(true), false),
        ]
    )
    func verifiedEmail(address: String, flag: JSONValue, accepted: Bool) {
        let step = Step()
        for name in ["email", "email_verified"] {
            step.pool.identityClaims[name] = name == "email" ? .string(address) : flag
        }
        step.pool.claims["username"] = .string("0-0-1")
        step.pool.identityClaims["cognito:username"] = .string("0-0-1")
        let root = step.run([
            Step.signIn(loginName: "a@example.com", rule: .verifiedEmail), Step.answer(), Step.registered,
        ])
        #expect(root.last?.kind == (accepted ? .signedIn : .failed))
        #expect(root.last?.reason == (accepted ? nil : .otherIdentity))
        #expect(accepted ? root.last?.text(.userName) == "0-0-1" : true)
        // Both spellings are named, where there are two; else it is a matter of the address's verification.
        let line = root.last?.text(.logText) ?? ""
        let isVerified = flag == .boolean(true)
        #expect(accepted || line.contains("this machine expects 'a@example.com'") == isVerified)
        #expect(accepted || line.contains("is verified in the pool") != isVerified)
        #expect(line.contains("before the @") == (address.lowercased() == "a@example.com" && isVerified && !accepted))
    }

    @Test("two tokens of different people", arguments: ["sub", "cognito:username"])
    func differentPeople(claim: String) {
        let step = Step()
        step.pool.identityClaims[claim] = .string("other")
        #expect(step.run([Step.signIn(), Step.answer()]).last?.reason == .invalidTokens)
        #expect(step.pool.operations.last == "RevokeToken")
    }

    @Test("an unknown key is looked for once more, not for ever")
    func unknownKey() {
        let step = Step()
        step.pool.answers["jwks"] = [.success((200, String(decoding: TokenSignerOfOthers.keySet, as: UTF8.self)))]
        let root = step.run([Step.signIn(keySet: TokenSignerOfOthers.keySet), Step.answer()])
        #expect(root.last?.reason == .invalidTokens)
        #expect(step.pool.operations == ["InitiateAuth", "jwks", "issuer_jwks", "RevokeToken"])
    }

    @Test(
        "a key that the pool has had since the last time is fetched, and kept; so are all in place of garbage",
        arguments: [
            (TokenSignerOfOthers.keySet, ["InitiateAuth", "jwks"]), (Array("garbage".utf8), ["jwks", "InitiateAuth"]),
        ])
    private func newerKey(keySet: [UInt8], operations: [String]) {
        let step = Step()
        let root = step.run([Step.signIn(keySet: keySet), Step.answer(), Step.registered])
        #expect(root.kinds == [.ask, .keep, .signedIn])
        #expect(root.keptKeySet == ScriptedPool.keySet)
        #expect(step.pool.operations == operations)
    }

    @Test("with the administrator's key set none is fetched, whatever it lacks; what is wrong with it is told")
    func fixedKeySet() {
        let sets: [(keys: [UInt8], reason: FailureReason?, operations: [String])] = [
            (ScriptedPool.keySet, nil, ["InitiateAuth"]),
            (TokenSignerOfOthers.keySet, .invalidTokens, ["InitiateAuth", "RevokeToken"]),
            (TokenSignerOfOthers.keySet(of: "k", length: 256), .invalidTokens, ["InitiateAuth", "RevokeToken"]),
            // Before a password is sent.
            (Array(#"{"keys":[]}"#.utf8), .configuration, []), (Array("<html>".utf8), .configuration, []),
        ]
        for (keys, reason, operations) in sets {
            let step = Step()
            let root = step.run([Step.signIn(keySet: keys, isFixed: true), Step.answer(), Step.registered])
            #expect(root.last?.reason == reason)
            #expect((root.last?.kind == .signedIn) == (reason == nil))
            #expect(step.pool.operations == operations)
            // The type of the issuer alone is kept.
            #expect(
                root.keptKeySet
                    == (reason == nil ? Array(#"{"pam_cognito":{"issuer_type":"ORIGINAL"}}"#.utf8) : nil))
            let isKeyMissing = keys == TokenSignerOfOthers.keySet
            #expect(
                (root.last?.text(.logText)?.contains("\"key_set_file\"") ?? false)
                    == (isKeyMissing || reason == .configuration))
        }
    }

    @Test("nor is one fetched ahead, for the connection")
    func fixedKeySetAhead() {
        let step = Step()
        let root = step.run([
            Step.signIn(preconnect: 1, isFixed: true), .nothing, Step.answer(), Step.registered,
        ])
        #expect(root.kinds == [.ask, .keep, .signedIn])
        #expect(step.pool.operations == ["InitiateAuth"])
    }

    @Test("a kept key set that was spoilt is replaced; one that Cognito has just given is believed")
    func spoiltKeySet() {
        for length in [256, 64] {
            for isFetched in [false, true] {
                let step = Step()
                let spoilt = TokenSignerOfOthers.keySet(of: "k", length: length)
                if isFetched {
                    step.pool.answers["jwks"] = [.success((200, String(decoding: spoilt, as: UTF8.self)))]
                }
                let root = step.run([
                    Step.signIn(keySet: isFetched ? nil : spoilt), Step.answer(), Step.registered,
                ])
                #expect(root.last?.kind == (isFetched ? .failed : .signedIn))
                #expect(root.last?.reason == (isFetched ? .invalidTokens : nil))
                #expect(step.pool.operations.count { operation in operation == "jwks" } == 1)
                #expect(root.keptKeySet == (isFetched ? nil : ScriptedPool.keySet))
            }
        }
    }

    @Test(
        "tokens for which the time does not last are revoked, for which whoever waits does so two seconds more at most")
    func outOfTime() {
        let step = Step()
        step.pool.lateOperations = ["jwks"]
        let root = step.run([Step.signIn(keySet: TokenSignerOfOthers.keySet), Step.answer()])
        #expect(root.last?.reason == .unreachable)
        #expect(step.pool.operations == ["InitiateAuth", "jwks", "RevokeToken"])
        #expect(step.pool.bodies.last?["Token"]?.text == "refresh-1")
        let start = step.clock.now
        step.pool.lateOperations = ["jwks", "RevokeToken"]
        #expect(step.run([Step.signIn(keySet: TokenSignerOfOthers.keySet), Step.answer()]).kinds == [.ask, .failed])
        // Two answers of 10 ms come beyond the time.
        #expect(step.clock.now - start == 15_000 + 2_000 + 20)
    }

    @Test(
        "passwords that Cognito cannot have do not reach it; 256 characters are one, however many bytes they have",
        arguments: [
            ("", false), (String(repeating: "x", count: 257), false), (String(repeating: "日", count: 256), true),
        ])
    func hopeless(password: String, isSent: Bool) {
        let step = Step()
        let root = step.run([Step.signIn(), Step.answer(password), Step.registered])
        #expect(root.last?.kind == (isSent ? .signedIn : .failed))
        #expect(root.last?.reason == (isSent ? nil : .refused))
        #expect(step.pool.operations == (isSent ? ["InitiateAuth"] : []))
    }

    @Test("an endless row of challenges ends")
    func endless() {
        let step = Step()
        let choice = challenge("SELECT_MFA_TYPE", ["MFAS_CAN_CHOOSE": #"["SMS_MFA"]"#])
        step.pool.answers["InitiateAuth"] = [choice]
        step.pool.answers["RespondToAuthChallenge"] = [choice]
        let root = step.run([Step.signIn(), Step.answer()])
        #expect(root.last?.reason == .challengeNotSupported)
        #expect(step.pool.operations.count == 11)
    }

    @Test(
        "a message that may not come ends the step, and so does the end of the root side: no request is made",
        arguments: [Step.registered, Step.signIn(), ScriptedRoot.Event.packet([1, 8]), .closed])
    func outOfPlace(event: ScriptedRoot.Event) {
        let step = Step()
        #expect(step.run([Step.signIn(), event]).kinds == [.ask])
        #expect(step.pool.operations.isEmpty)
        #expect(step.run([Step.registered]).kinds.isEmpty)
    }
}

private enum TokenSignerOfOthers {
    static let keySet = keySet(of: "other", length: 256)

    static func keySet(of identifier: String, length: Int) -> [UInt8] {
        JSONValue.object([
            "keys": .array([
                .object([
                    "kty": .string("RSA"), "kid": .string(identifier), "e": .string("AQAB"),
                    "n": .string(Base64.url.encode([UInt8](repeating: 0xff, count: length))),
                ])
            ])
        ]).serialized ?? []
    }
}

@Suite struct RefusalTests {
    @Test(
        "what the service says decides the reason",
        arguments: [
            ("NotAuthorizedException", "Incorrect username or password.", FailureReason.refused),
            ("UserNotFoundException", "User does not exist.", .refused),
            ("NotAuthorizedException", "Password attempts exceeded", .lockedOut),
            ("NotAuthorizedException", "User is disabled.", .disabled),
            ("UserNotConfirmedException", "User is not confirmed.", .notConfirmed),
            ("NotAuthorizedException", "Temporary password has expired", .passwordChangeNeeded),
            ("UserLambdaValidationException", "PreAuthentication failed", .refusedByPool),
            ("ForbiddenException", "Request not allowed due to WAF block.", .refusedByPool),
            ("TooManyRequestsException", "Rate exceeded", .throttled),
            ("InternalErrorException", "", .serviceFault),
            ("UnexpectedLambdaException", "", .serviceFault),
            ("BrandNewException", "", .serviceFault),
            ("ResourceNotFoundException", "User pool client x does not exist.", .configuration),
            ("NotAuthorizedException", "Unable to verify secret hash for client x", .configuration),
            ("InvalidParameterException", "USER_PASSWORD_AUTH flow not enabled for this client", .configuration),
            ("OperationNotEnabledException", "", .operationNotEnabled),
        ]
    )
    func reason(name: String, message: String, reason: FailureReason) throws {
        let step = Step()
        step.pool.answers["InitiateAuth"] = [ScriptedPool.refusal(name, message)]
        let failure = try #require(step.run([Step.signIn(), Step.answer()]).last)
        #expect(failure.reason == reason)
        let line = try #require(failure.text(.logText))
        #expect(line.hasSuffix(".") || reason == .configuration)
        #expect(line.utf8.allSatisfy { byte in (0x20..<0x7f).contains(byte) })
        #expect(!line.contains("secret\"") && !line.contains("InitiateAuth"))
        // A wrong name, a wrong password and an account that is shut look the same to the person.
        let isPersonal = [.refused, .lockedOut, .disabled, .notConfirmed, .operationNotEnabled].contains(reason)
        #expect(!isPersonal || failure.fields[.text] == nil)
        // What was refused for its rate is no attempt.
        #expect(step.pool.operations.count == (reason == .throttled ? 5 : 1))
    }

    @Test(
        "challenges that cannot be answered",
        arguments: [
            ("SELECT_CHALLENGE", FailureReason.challengeNotSupported), ("X\\u001b[2J", .challengeNotSupported),
            ("SELECT_MFA_TYPE", .challengeNotSupported), ("MFA_SETUP", .challengeNotSupported),
            ("WEB_AUTHN", .challengeNotSupported), ("DEVICE_SRP_AUTH", .challengeNotSupported),
            ("PASSWORD_VERIFIER", .serviceFault),
        ]
    )
    func challenge(name: String, reason: FailureReason) throws {
        let flow: AuthenticationFlow = name == "PASSWORD_VERIFIER" ? .secureRemotePassword : .choice
        let step = Step()
        step.pool.answers["InitiateAuth"] = [.success((200, "{\"ChallengeName\":\"\(name)\"}"))]
        let failure = try #require(step.run([Step.signIn(flow: flow), Step.answer()]).last)
        #expect(failure.reason == reason)
        #expect(failure.text(.logText)?.utf8.allSatisfy { byte in (0x20..<0x7f).contains(byte) } == true)
    }

    @Test(
        "where this machine's clock is two minutes off, which a refusal may come of, the log says so",
        arguments: [
            (0, nil), (120, nil), (-120, nil), (121, "121 seconds ahead of Cognito's"),
            (-121, "121 seconds behind Cognito's"),
        ] as [(Int64, String?)])
    func clock(ahead: Int64, said: String?) {
        let step = Step()
        step.clock.wall = 1_800_000_000 + ahead
        step.pool.date = "Fri, 15 Jan 2027 08:00:00 GMT"
        step.pool.answers["InitiateAuth"] = [
            ScriptedPool.refusal("NotAuthorizedException", "Incorrect username or password.")
        ]
        let failure = step.run([Step.signIn(), Step.answer()]).last
        #expect(failure?.reason == .refused && failure?.text(.text) == nil)
        let line = failure?.text(.logText) ?? ""
        #expect(line.contains("clock") == (said != nil))
        #expect(line.contains(said ?? ""))
    }

    @Test(
        """
        a code that could not be sent is no reset password; who has shown none is told nothing, for others are \
        sent none
        """,
        arguments: [
            ("CodeDeliveryFailureException", "", "check the pool's settings"),
            ("LimitExceededException", "Exceeded daily email limit for the operation", "has reached its limit"),
        ])
    func codeNotSent(name: String, message: String, said: String) {
        for (begin, isTold) in [
            (Step.signIn(), true), (Step.signIn(flow: .choice, preferred: .password), true),
            (Step.signIn(flow: .choice, preferred: .emailCode), false), (Step.signIn(flow: .custom), false),
        ] {
            let step = Step()
            step.pool.answers["InitiateAuth"] = [ScriptedPool.refusal(name, message)]
            let failure = step.run([begin, Step.answer()]).last
            #expect(failure?.reason == .refusedByPool)
            #expect(failure?.text(.logText)?.contains(said) == true)
            #expect(failure?.text(.text)?.contains("could not be sent") == (isTold ? true : nil))
        }
    }

    @Test("no pool at its address makes a refusal a fault of the configuration")
    func noPool() {
        let step = Step()
        step.pool.answers["jwks"] = [.success((404, ""))]
        step.pool.answers["InitiateAuth"] = [ScriptedPool.refusal("NotAuthorizedException")]
        let root = step.run([Step.signIn(preconnect: 1, keySet: nil), .nothing, Step.answer()])
        #expect(root.last?.reason == .configuration)
        // It is not asked for again.
        #expect(step.pool.operations == ["jwks", "issuer_jwks", "InitiateAuth"])
    }
}
