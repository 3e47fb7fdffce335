import HTTPClient
import Protocol
import Steps
import Testing
import Tokens

@Suite struct RenewTests {
    @Test("renewed tokens are verified and keep what does not change", arguments: [nil, "refresh-2"])
    func renewed(refreshToken: String?) throws {
        let step = Step()
        var old = step.session(lifetime: 60)
        old.userName = "ana"
        let answer = step.pool.tokens(refresh: refreshToken)
        step.pool.answers["GetTokensFromRefreshToken"] = [answer]
        let root = step.run([Step.renew(old), Step.registered])
        #expect(root.kinds == [.keep, .renewed])
        #expect(step.pool.operations == ["jwks", "GetTokensFromRefreshToken"])
        let new = try #require(root.last?.session)
        #expect(new.refreshToken?.text == refreshToken ?? "refresh-0")
        #expect(new.refreshTokenExpiry == old.refreshTokenExpiry)
        #expect(new.signedInAt == old.signedInAt)
        #expect(new.renewedAt == step.clock.wall)
        #expect(new.accessTokenExpiry == step.clock.wall + 3600)
        #expect(root.last?.number == step.clock.wall + 3600)
        let given = JSONValue(parsing: Array(try answer.get().body.utf8))?["AuthenticationResult"]
        #expect(new.accessToken.text == given?["AccessToken"]?.text)
        #expect(new.idToken.text == given?["IdToken"]?.text)
        // Whose they are is for the root side to judge.
        #expect(new.userName == "alice" && root.last?.text(.userName) == "alice")
    }

    @Test("an ID token that ends before the access token is what the session is to be renewed for")
    func shorterIdentity() {
        let step = Step()
        step.pool.identityClaims["exp"] = .integer(step.clock.wall + 600)
        let root = step.run([Step.renew(step.session(lifetime: 60)), Step.registered])
        #expect(root.last?.kind == .renewed && root.last?.number == step.clock.wall + 600)
        #expect(root.last?.session?.accessTokenExpiry == step.clock.wall + 3600)
    }

    @Test(
        "an answer behind the time is waited for where the root side takes one, and is told of",
        arguments: [(nil, [.failed]), (false, [.failed]), (true, [.late, .renewed])] as [(Bool?, [MessageKind])])
    func late(takesLateAnswer: Bool?, kinds: [MessageKind]) {
        let step = Step()
        step.pool.lateOperations = ["GetTokensFromRefreshToken"]
        let root = step.run([
            Step.renew(step.session(), keySet: ScriptedPool.keySet, takesLateAnswer: takesLateAnswer), Step.registered,
        ])
        #expect(root.kinds == kinds)
    }

    @Test(
        "renewed tokens are judged by Cognito's clock where this machine's is wrong",
        arguments: [-4000, -301, 4000] as [Int64])
    func wrongClock(skew: Int64) {
        let step = Step()
        let (time, session) = (step.clock.wall, step.session())
        step.pool.answers["GetTokensFromRefreshToken"] = [step.pool.tokens()]
        step.pool.date = "Fri, 15 Jan 2027 08:00:00 GMT"
        step.clock.wall += skew
        let root = step.run([Step.renew(session), Step.registered])
        #expect(root.kinds == [.keep, .renewed])
        #expect(!step.pool.operations.contains("RevokeToken"))
        #expect(root.last?.session?.accessTokenExpiry == time + 3600)
    }

    @Test("tokens that came late are verified and, where they are no good, revoked")
    func lateAndUnfit() {
        for (user, keySet, kind) in [
            ("mallory", ScriptedPool.keySet, MessageKind.failed), ("alice", nil, .renewed),
        ] as [(String, [UInt8]?, MessageKind)] {
            let step = Step()
            step.pool.claims["username"] = .string(user)
            step.pool.lateOperations = ["GetTokensFromRefreshToken"]
            let given = keySet ?? Array(#"{"keys":[]}"#.utf8)
            let root = step.run([
                Step.renew(step.session(), keySet: given, takesLateAnswer: true), Step.registered,
            ])
            #expect(root.last?.kind == kind)
            #expect(step.pool.operations.contains("RevokeToken") == (kind == .failed))
        }
    }

    @Test("nothing is revoked when nobody registers a renewal")
    func notRegistered() {
        let step = Step()
        _ = step.run([Step.renew(step.session()), .closed])
        #expect(!step.pool.operations.contains("RevokeToken"))
    }

    @Test(
        "renewed tokens of somebody else are refused; a rotated refresh token is revoked",
        arguments: [nil, "refresh-2"])
    func otherIdentity(refreshToken: String?) {
        let step = Step()
        step.pool.claims["username"] = .string("mallory")
        step.pool.identityClaims["cognito:username"] = .string("mallory")
        step.pool.answers["GetTokensFromRefreshToken"] = [step.pool.tokens(refresh: refreshToken)]
        #expect(step.run([Step.renew(step.session())]).last?.reason == .otherIdentity)
        #expect((step.pool.operations.last == "RevokeToken") == (refreshToken != nil))
    }

    @Test("without keys nothing is exchanged")
    func noKeys() {
        let step = Step()
        step.pool.answers["jwks"] = [.failure(.unreachable("x"))]
        #expect(step.run([Step.renew(step.session())]).last?.reason == .unreachable)
        #expect(!step.pool.operations.contains("GetTokensFromRefreshToken"))
    }

    @Test(
        "what the service says decides the reason",
        arguments: [
            ("NotAuthorizedException", "Refresh Token has been revoked", FailureReason.sessionEnded),
            ("NotAuthorizedException", "Refresh Token has expired", .sessionEnded),
            ("NotAuthorizedException", "Invalid Refresh Token", .sessionEnded),
            ("NotAuthorizedException", "User is disabled.", .sessionEnded),
            ("NotAuthorizedException", "", .sessionEnded),
            ("UserNotFoundException", "", .sessionEnded),
            (
                "NotAuthorizedException", "The user has been deleted for the associated refresh token", .sessionEnded
            ),
            ("RefreshTokenReuseException", "", .renewalLost),
            ("NotAuthorizedException", "Unable to verify secret hash for client x", .configuration),
            ("TooManyRequestsException", "", .throttled),
            ("InternalErrorException", "", .serviceFault),
        ]
    )
    func reason(name: String, message: String, reason: FailureReason) {
        let step = Step()
        step.pool.answers["GetTokensFromRefreshToken"] = [ScriptedPool.refusal(name, message)]
        #expect(step.run([Step.renew(step.session(), keySet: ScriptedPool.keySet)]).last?.reason == reason)
        #expect(step.pool.operations == ["GetTokensFromRefreshToken"])
    }

    @Test(
        "an answer that got lost is asked for once more, which shows whether the refresh token is still good",
        arguments: [
            (ScriptedPool.refusal("RefreshTokenReuseException", ""), FailureReason.renewalLost),
            (.failure(.unreachable("x")), .unreachable), (.failure(.timedOut), .unreachable),
        ] as [(ScriptedPool.Answer, FailureReason)])
    func lostAnswer(second: ScriptedPool.Answer, reason: FailureReason) {
        for first in [ScriptedPool.Answer.failure(.unreachable("x")), .failure(.timedOut)] {
            let step = Step()
            step.pool.answers["GetTokensFromRefreshToken"] = [first, second]
            #expect(step.run([Step.renew(step.session(), keySet: ScriptedPool.keySet)]).last?.reason == reason)
            #expect(step.pool.operations == ["GetTokensFromRefreshToken", "GetTokensFromRefreshToken"])
            step.pool.answers["GetTokensFromRefreshToken"] = [first, step.pool.tokens(refresh: "newer")]
            #expect(step.run([Step.renew(step.session(), keySet: ScriptedPool.keySet)]).last?.kind == .renewed)
        }
    }

    @Test("a session without refresh token, or of another pool, cannot be renewed")
    func unfit() {
        let step = Step()
        #expect(step.run([Step.renew(step.session().withoutRefreshToken)]).last?.reason == .internalFault)
        #expect(step.run([Step.renew(step.session(pool: "eu-west-1_Other"))]).last?.reason == .internalFault)
        #expect(step.pool.operations.isEmpty)
    }
}

@Suite struct SignOutTests {
    private static let expired = ScriptedPool.refusal("NotAuthorizedException", "Access Token has expired")
    private static let revoked = ScriptedPool.refusal("NotAuthorizedException", "Access Token has been revoked")
    private static let done = ScriptedPool.Answer.success((200, "{}"))

    @Test(
        "a good access token ends everything in one request; one at its end is renewed first",
        arguments: [(3600, true), (31, true), (30, false), (0, false), (-3600, false)] as [(Int64, Bool)])
    func global(lifetime: Int64, isGood: Bool) {
        let step = Step()
        #expect(step.run([Step.signOut(step.session(lifetime: lifetime))]).last?.result == .everywhere)
        #expect(step.pool.operations == (isGood ? [] : ["GetTokensFromRefreshToken"]) + ["GlobalSignOut"])
        #expect((step.pool.bodies.last?["AccessToken"]?.text == "old-access") == isGood)
    }

    @Test("the session alone, and with browser_sign_out the browser's, too", arguments: [false, true])
    func session(endsBrowserSession: Bool) {
        let step = Step()
        let options = endsBrowserSession ? "browser_sign_out=yes\n" : nil
        #expect(step.run([Step.signOut(step.session(), .session, options: options)]).last?.result == .revoked)
        #expect(step.pool.operations == ["RevokeToken"])
        #expect(step.pool.bodies[0]["RevokeAssociatedSessions"]?.text == (endsBrowserSession ? "LINKED" : nil))
    }

    @Test(
        "an access token that the service calls expired, or revoked, says nothing of the refresh token: it is renewed",
        arguments: [expired, revoked])
    func expiredAtService(refusal: ScriptedPool.Answer) {
        let step = Step()
        step.pool.answers["GlobalSignOut"] = [refusal, Self.done]
        #expect(step.run([Step.signOut(step.session())]).last?.result == .everywhere)
        #expect(step.pool.operations == ["GlobalSignOut", "GetTokensFromRefreshToken", "GlobalSignOut"])
    }

    @Test("an access token that stays expired ends in a revocation")
    func alwaysExpired() {
        let step = Step()
        step.pool.answers["GlobalSignOut"] = [Self.expired]
        step.pool.answers["GetTokensFromRefreshToken"] = [step.pool.tokens(refresh: nil)]
        #expect(step.run([Step.signOut(step.session())]).last?.result == .onlySession(.refused))
        #expect(step.pool.operations.last == "RevokeToken")
        #expect(step.pool.bodies.last?["Token"]?.text == "refresh-0")
    }

    @Test("new tokens of the second in which others were revoked are asked for once more, a second later")
    func revokedInTheSameSecond() {
        let step = Step()
        let start = step.clock.now
        step.pool.answers["GlobalSignOut"] = [Self.revoked, Self.revoked, Self.done]
        step.pool.answers["GetTokensFromRefreshToken"] = [
            step.pool.tokens(refresh: "refresh-1"), step.pool.tokens(refresh: "refresh-2"),
        ]
        #expect(step.run([Step.signOut(step.session())]).last?.result == .everywhere)
        #expect(step.pool.bodies[3]["RefreshToken"]?.text == "refresh-1")
        #expect(step.clock.now - start > 1000)
    }

    @Test("where the renewal is refused as revoked, the session was over before")
    func alreadyRevoked() {
        let step = Step()
        step.pool.answers["GlobalSignOut"] = [Self.revoked]
        step.pool.answers["GetTokensFromRefreshToken"] = [
            ScriptedPool.refusal("NotAuthorizedException", "Refresh Token has been revoked")
        ]
        #expect(step.run([Step.signOut(step.session())]).last?.result == .onlySession(.alreadyRevoked))
        #expect(step.pool.operations == ["GlobalSignOut", "GetTokensFromRefreshToken"])
    }

    @Test("what this sign-out has revoked itself was not revoked before", arguments: [3600, 0] as [Int64])
    func revokedByItself(lifetime: Int64) {
        for (said, result) in [
            (Self.done, SignOutResult.onlySession(.refused)),
            (ScriptedPool.refusal("UnsupportedOperationException"), .nothing(.refused)),
        ] {
            let step = Step()
            step.pool.answers["GlobalSignOut"] = [Self.revoked]
            step.pool.answers["RevokeToken"] = [said]
            #expect(step.run([Step.signOut(step.session(lifetime: lifetime))]).last?.result == result)
            #expect(step.pool.operations.suffix(2) == ["GlobalSignOut", "RevokeToken"])
            #expect(step.pool.bodies.last?["Token"]?.text == "refresh-1")
        }
    }

    @Test(
        """
        where there is no refresh token to revoke, a user's end is the session's, and that of its access token, and \
        no other refusal is
        """,
        arguments: [
            (ScriptedPool.refusal("UserNotFoundException"), SignOutResult.onlySession(.userGone), nil),
            (revoked, .onlySession(.alreadyRevoked), nil),
            (ScriptedPool.refusal("NotAuthorizedException", "User is disabled."), nil, .sessionEnded),
            (ScriptedPool.refusal("ForbiddenException"), nil, .refusedByPool),
        ] as [(ScriptedPool.Answer, SignOutResult?, FailureReason?)])
    func refusedAlone(answer: ScriptedPool.Answer, result: SignOutResult?, reason: FailureReason?) {
        let step = Step()
        step.pool.answers["GlobalSignOut"] = [answer]
        let root = step.run([Step.signOut(step.session().withoutRefreshToken)])
        #expect(root.last?.result == result)
        #expect(root.last?.reason == reason)
        #expect(step.pool.operations == ["GlobalSignOut"])
    }

    @Test(
        "whatever Cognito has against a sign-out everywhere: this session ends, and nobody is told that more did",
        arguments: [
            ("PasswordResetRequiredException", "Password reset required for the user", .passwordResetRequired),
            ("NotAuthorizedException", "Access Token does not have required scopes", .scope),
            ("ForbiddenException", "Request not allowed due to WAF block.", .firewall),
            ("InvalidParameterException", "1 validation error detected", .configuration),
            ("ResourceNotFoundException", "User pool client x does not exist.", .configuration),
            ("UserNotConfirmedException", "User is not confirmed.", .notConfirmed),
            ("NotAuthorizedException", "User is disabled.", .disabled), ("NotAuthorizedException", "", .refused),
            ("SomethingNewException", "of a later year", .refused), ("UnknownOperationException", "", .configuration),
            ("UserNotFoundException", "", .userGone),
            ("NotAuthorizedException", "The user has been deleted for ...", .userGone),
        ] as [(String, String, Shortfall)], [3600, 0] as [Int64])
    func refusedGlobally(refusal: (name: String, message: String, shortfall: Shortfall), lifetime: Int64) throws {
        let over = SignOutResult.onlySession(refusal.shortfall)
        for (said, result) in [
            (Self.done, over),
            (ScriptedPool.refusal("NotAuthorizedException", "Refresh Token has been revoked"), over),
            (ScriptedPool.refusal("NotAuthorizedException", "Refresh Token has expired"), over),
            (ScriptedPool.refusal("UnsupportedOperationException"), .nothing(refusal.shortfall)),
        ] {
            let step = Step()
            step.pool.answers["GlobalSignOut"] = [ScriptedPool.refusal(refusal.name, refusal.message)]
            step.pool.answers["RevokeToken"] = [said]
            let root = step.run([Step.signOut(step.session(lifetime: lifetime))])
            let last = try #require(root.last)
            #expect(last.kind == .signedOut)
            #expect(last.result == result)
            #expect(last.outcome != nil && last.outcome != .revoked)
            let line = last.text(.logText) ?? ""
            #expect(refusal.shortfall == .userGone || line.contains("GlobalSignOut (\(refusal.name)"))
            #expect(step.pool.operations.suffix(2) == ["GlobalSignOut", "RevokeToken"])
            #expect(step.pool.bodies.last?["Token"]?.text == (lifetime > 0 ? "refresh-0" : "refresh-1"))
        }
    }

    @Test("a refusal of everything, RevokeToken included, has ended nothing")
    func refusedAltogether() {
        let step = Step()
        let refusal = ScriptedPool.refusal("ForbiddenException")
        step.pool.answers = ["GlobalSignOut": [refusal], "RevokeToken": [refusal]]
        #expect(step.run([Step.signOut(step.session())]).last?.reason == .refusedByPool)
    }

    @Test("while the refresh token cannot be revoked, nothing is over")
    func alreadyRevokedAndUnreachable() {
        let step = Step()
        step.pool.answers["GlobalSignOut"] = [Self.revoked]
        step.pool.answers["GetTokensFromRefreshToken"] = [step.pool.tokens(refresh: nil)]
        step.pool.answers["RevokeToken"] = [.failure(.unreachable("x"))]
        #expect(step.run([Step.signOut(step.session())]).last?.reason == .unreachable)
    }

    @Test(
        "an expired access token whose renewal is refused",
        arguments: [
            ("Refresh Token has been revoked", Shortfall.alreadyRevoked, 1),
            ("Refresh Token has expired", .expired, 1), ("Invalid Refresh Token", .notRenewed, 2),
            ("User is disabled.", .disabled, 2),
        ]
    )
    func refusedRenewal(message: String, shortfall: Shortfall, requests: Int) {
        let step = Step()
        step.pool.answers["GetTokensFromRefreshToken"] = [ScriptedPool.refusal("NotAuthorizedException", message)]
        #expect(step.run([Step.signOut(step.session(lifetime: 0))]).last?.result == .onlySession(shortfall))
        #expect(step.pool.operations.count == requests)
    }

    @Test(
        "what RevokeToken says",
        arguments: [
            ("NotAuthorizedException", "Refresh Token has been revoked", SignOutResult.alreadyRevoked),
            ("NotAuthorizedException", "Refresh Token has expired", .expired),
            ("NotAuthorizedException", "Invalid Refresh Token", .expired),
            ("UnsupportedOperationException", "", .nothing(nil)),
            // What another region, or a replica, does not do for now is no end.
            ("OperationNotEnabledException", "", nil), ("UnknownOperationException", "", nil),
        ] as [(String, String, SignOutResult?)])
    func revokeToken(name: String, message: String, result: SignOutResult?) throws {
        let step = Step()
        step.pool.answers["RevokeToken"] = [ScriptedPool.refusal(name, message)]
        let last = try #require(step.run([Step.signOut(step.session(), .session)]).last)
        #expect(last.result == result)
        #expect((last.text(.logText) != nil) == (result == nil || result == .nothing(nil)))
        let refusal: FailureReason = name == "OperationNotEnabledException" ? .operationNotEnabled : .configuration
        #expect(last.reason == (result == nil ? refusal : nil))
    }

    @Test(
        "faults that pass leave the session as it is",
        arguments: [
            (ScriptedPool.refusal("TooManyRequestsException"), FailureReason.throttled),
            (ScriptedPool.refusal("ConcurrentModificationException"), .serviceFault),
            (.success((503, "<html>")), .serviceFault), (.failure(.unreachable("x")), .unreachable),
            (.failure(.certificate("x")), .unreachable),
        ] as [(ScriptedPool.Answer, FailureReason)]
    )
    func passing(answer: ScriptedPool.Answer, reason: FailureReason) {
        for revocation in [Revocation.global, .session] {
            let step = Step()
            step.pool.answers["GlobalSignOut"] = [answer]
            step.pool.answers["RevokeToken"] = [answer]
            let start = step.clock.now
            #expect(step.run([Step.signOut(step.session(), revocation)]).last?.reason == reason)
            #expect(Set(step.pool.operations).count == 1)
            // The scripted pool takes its 10 ms whatever time is left; a real request would be cut short.
            #expect(step.clock.now - start <= 15_010)
        }
    }

    @Test(
        """
        who waits for the end hears it, who comes back by themselves hears the first failure, and for whom nobody \
        waits goes on
        """,
        arguments: [
            (nil, 4, [.signedOut], 740...1440), (0, 4, [.signedOut], 740...1440), (1, 1, [.failed], 0...10),
            (2, 4, [.failed], 7000...14_040), (9, 4, [.signedOut], 740...1440),
        ] as [(UInt8?, Int, [MessageKind], ClosedRange<Int64>)])
    func persistence(code: UInt8?, requests: Int, told: [MessageKind], time: ClosedRange<Int64>) {
        let step = Step()
        let start = step.clock.now
        step.pool.answers["RevokeToken"] = [
            .success((503, "")), ScriptedPool.refusal("TooManyRequestsException"), .failure(.unreachable("x")),
            Self.done,
        ]
        let root = step.run([Step.signOut(step.session(), .session, code)])
        #expect(step.pool.operations.count == requests)
        #expect(root.kinds == told)
        #expect(root.last?.reason == (told == [.failed] ? .serviceFault : nil))
        #expect(time.contains(step.clock.now - start))
    }

    @Test("a failure that nothing follows, and a refusal that something else follows, are told as ever")
    func unattended() {
        for (answer, told, requests) in [
            (ScriptedPool.Answer.failure(.certificate("x")), MessageKind.failed, 1),
            (ScriptedPool.refusal("InvalidParameterException"), .signedOut, 2),
        ] {
            let step = Step()
            step.pool.answers["GlobalSignOut"] = [answer]
            let root = step.run([Step.signOut(step.session(), .global, Persistence.unattended.rawValue)])
            #expect(root.kinds == [told])
            #expect(step.pool.operations.count == requests)
        }
    }

    @Test("sign-outs follow each other as long as they are sign-outs, and what fails is the last one")
    func following() {
        let step = Step()
        func signOut(_ keepsConnection: Bool = true) -> ScriptedRoot.Event {
            Step.signOut(
                step.session(), .session, Persistence.once.rawValue, keepingConnection: keepsConnection)
        }
        let refused = Step.renew(step.session(), keySet: ScriptedPool.keySet)
        let failure = ScriptedPool.Answer.failure(.unreachable("x"))
        let cases: [(events: [ScriptedRoot.Event], failing: Int?, count: Int, waits: Int)] = [
            ([signOut(false), signOut()], nil, 1, 0),
            ([signOut(), signOut(), signOut()], nil, 3, 3),
            ([signOut(), signOut(false), signOut()], nil, 2, 1),
            (Array(repeating: signOut(), count: 20), nil, 16, 15),
            ([signOut(), refused, signOut()], nil, 1, 1),
            ([signOut(), Step.registered, signOut()], nil, 1, 1),
            ([signOut(), .nothing, signOut()], nil, 1, 1),
            ([signOut(), signOut(), signOut()], 1, 2, 1),
        ]
        for (events, failing, count, waits) in cases {
            let step = Step()
            step.pool.answers["RevokeToken"] = (0..<20).map { index in index == failing ? failure : Self.done }
            let root = step.run(events)
            #expect(root.sent.count == count, "\(events)")
            #expect(root.sent.last?.kind == (failing == nil ? .signedOut : .failed))
            #expect(root.timeLimits.count == 1 + waits)
        }
    }

    @Test("it is carried to its end for a root side that no longer listens")
    func nobodyListens() {
        let step = Step()
        step.pool.answers["RevokeToken"] = [.success((503, "")), .failure(.unreachable("x")), Self.done]
        _ = step.run([Step.signOut(step.session(), .session)], rootIsGone: true)
        #expect(step.pool.operations == ["RevokeToken", "RevokeToken", "RevokeToken"])
    }

    @Test(
        """
        all sessions are ended at the first attempt or not at all: whoever has signed in since would be ended by a \
        second one
        """,
        arguments: [
            ScriptedPool.refusal("TooManyRequestsException"), .success((503, "")), .failure(.unreachable("x")),
            .failure(.timedOut),
        ] as [ScriptedPool.Answer])
    func once(answer: ScriptedPool.Answer) {
        for persistence in [Persistence.patient, .once, .unattended] {
            let cases: [(Int64, String)] = [(3600, "GlobalSignOut"), (0, "GetTokensFromRefreshToken")]
            for (lifetime, operation) in cases {
                let step = Step()
                step.pool.answers[operation] = [answer, Self.done]
                let root = step.run([Step.signOut(step.session(lifetime: lifetime), .global, persistence.rawValue)])
                #expect(root.kinds == [.failed])
                #expect(step.pool.operations == [operation])
            }
        }
    }

    @Test("a refresh token that the registry does not know is revoked, although more was meant")
    func rotated() {
        for answer in [ScriptedPool.refusal("TooManyRequestsException"), .failure(.timedOut)] {
            let step = Step()
            step.pool.answers["GlobalSignOut"] = [answer]
            step.pool.answers["RevokeToken"] = [.success((503, "")), Self.done]
            let last = step.run([Step.signOut(step.session(lifetime: 0))]).last
            #expect(last?.result == .onlySession(.notCarriedOut))
            #expect(
                step.pool.operations == ["GetTokensFromRefreshToken", "GlobalSignOut", "RevokeToken", "RevokeToken"])
            #expect(step.pool.bodies.last?["Token"]?.text == "refresh-1")
        }
    }

    @Test("a bundle that cannot be read")
    func unreadable() throws {
        let step = Step()
        let root = step.run([
            Step.message(
                .signOut,
                [
                    (.userPoolID, Array("eu-west-1_A".utf8)), (.clientID, Array("c".utf8)),
                    (.timeLimit, Step.number(1)),
                    (.connectTimeLimit, Step.number(1)), (.bundle, Array("{}".utf8)), (.revocation, [1]),
                ]
            )
        ])
        #expect(root.last?.reason == .internalFault)
        #expect(step.pool.operations.isEmpty)
    }
}
