import HTTPClient
import Protocol
import Testing
import TokenSigning
import Tokens

@testable import Steps

private let list = "https://one https://two"

@Suite("a list of endpoints") struct EndpointListTests {
    @Test("a sign-in through the second endpoint is told to the log; each password is proved once")
    func signIn() {
        for (dead, isRight) in [([], true), (["https://one/"], true), (["https://one/"], false)] as [([String], Bool)] {
            let step = Step()
            step.pool.deadAddresses = dead
            step.pool.answers["InitiateAuth"] = [
                isRight
                    ? step.pool.tokens()
                    : ScriptedPool.refusal("NotAuthorizedException", "Incorrect username or password.")
            ]
            let root = step.run([Step.signIn(endpoint: list), Step.answer(), Step.registered])
            #expect(root.last?.kind == (isRight ? .signedIn : .failed))
            #expect(root.last?.reason == (isRight ? nil : .refused))
            #expect(step.pool.operations == ["InitiateAuth"])
            #expect(step.pool.addresses == [dead.isEmpty ? "one" : "two"])
            let line = root.last?.text(.logText) ?? ""
            let remark = "https://one (no connection: refused); https://two was used instead."
            #expect(line.contains(remark) == !dead.isEmpty)
        }
    }

    @Test("where none can be reached, the log has all of them")
    func noneReached() {
        let step = Step()
        step.pool.deadAddresses = ["https://"]
        let root = step.run([Step.signIn(endpoint: list), Step.answer()])
        #expect(root.last?.reason == .unreachable)
        #expect(root.last?.text(.logText)?.contains("https://one (no connection: refused), https://two (no") == true)
        #expect(step.pool.operations == [])
    }

    @Test("tokens that nobody takes are revoked where they came from, too, when the first endpoint is away")
    func unregistered() {
        let step = Step()
        step.pool.deadAddresses = ["https://one/"]
        _ = step.run([Step.signIn(endpoint: list), Step.answer(), .closed])
        #expect(step.pool.operations == ["InitiateAuth", "RevokeToken"])
        #expect(step.pool.addresses == ["two", "two"])
    }

    @Test(
        "the end of a session is not told as done before the first endpoint has agreed",
        arguments: [Revocation.global, .session])
    func signOut(revocation: Revocation) {
        let step = Step()
        step.pool.deadAddresses = ["https://one/"]
        let root = step.run([Step.signOut(step.session(), revocation, 1, endpoint: list)])
        #expect(root.last?.reason == .unreachable)
        let line = root.last?.text(.logText) ?? ""
        #expect(
            line.contains(
                "the first endpoint, https://one, confirms it. Until the sign-out is complete, the session stays "
                    + "in the \"closing\" state."))
        // A revoked session could not sign the user out everywhere later.
        let isRevoked = revocation == .session
        #expect(step.pool.operations == (isRevoked ? ["RevokeToken"] : []))
        #expect(line.contains("https://two has revoked the tokens") == isRevoked)
        step.pool.deadAddresses = []
        let again = step.run([Step.signOut(step.session(), revocation, 1, endpoint: list)])
        #expect(again.last?.result == (isRevoked ? .revoked : .everywhere))
        #expect(step.pool.addresses.last == "one")
    }

    @Test("an access token that has ended is renewed for a sign-out everywhere at the first endpoint alone")
    func renewalForSignOut() {
        let step = Step()
        step.pool.deadAddresses = ["https://one/"]
        step.pool.answers["GetTokensFromRefreshToken"] = [step.pool.tokens(refresh: "rotated")]
        let root = step.run([Step.signOut(step.session(lifetime: 0), .global, 1, endpoint: list)])
        #expect(root.last?.reason == .unreachable)
        #expect(step.pool.operations == [])
    }

    @Test("a renewal whose answer was lost is repeated nowhere else")
    func renewal() {
        let step = Step()
        step.pool.answers["GetTokensFromRefreshToken"] = [.failure(.unreachable("reset")), step.pool.tokens()]
        let root = step.run([Step.renew(step.session(), keySet: ScriptedPool.keySet, endpoint: list), Step.registered])
        #expect(root.last?.kind == .renewed)
        #expect(step.pool.addresses == ["one", "one"])
    }
}
