import Protocol
import Testing

/// Where a step stands, by a shortest way there, and what may come then. Everything else must be refused.
private struct Situation: CustomTestStringConvertible {
    let name: String
    let way: [MessageKind]
    /// Where there is none, the step is finished.
    var allowed: [MessageKind] = []

    var testDescription: String { name }

    static let all = [
        Situation(
            name: "start", way: [],
            allowed: [
                .signIn, .renew, .signOut, .changePassword, .forgotPassword, .check, .probe, .adminSignOut,
                .poolSessions, .listPeople, .makeCredential,
            ]),
        Situation(name: "making credentials", way: [.makeCredential], allowed: [.keep, .credentialMade, .failed]),
        Situation(name: "made credentials", way: [.makeCredential, .keep, .credentialMade]),
        Situation(name: "signing out a person", way: [.adminSignOut], allowed: [.signedOut, .failed]),
        Situation(name: "signed a person out", way: [.adminSignOut, .signedOut]),
        Situation(name: "listing people", way: [.listPeople], allowed: [.person, .page, .listed, .failed]),
        Situation(name: "listing a person", way: [.listPeople, .person], allowed: [.person, .page, .listed, .failed]),
        Situation(
            name: "listed a page", way: [.listPeople, .person, .page], allowed: [.person, .page, .listed, .failed]),
        Situation(name: "listed", way: [.listPeople, .person, .listed]),
        Situation(name: "listing failed", way: [.listPeople, .page, .failed]),
        Situation(name: "asking for the pool's list", way: [.poolSessions], allowed: [.poolSessionList, .failed]),
        Situation(name: "the pool's list is there", way: [.poolSessions, .poolSessionList]),
        Situation(name: "probing", way: [.probe], allowed: [.keep, .probed, .failed]),
        Situation(name: "probed", way: [.probe, .probed]),
        Situation(name: "signing in", way: [.signIn], allowed: [.ask, .keep, .signedIn, .failed]),
        Situation(name: "asked", way: [.signIn, .ask], allowed: [.answer, .keep, .failed]),
        Situation(name: "asked, kept", way: [.signIn, .ask, .keep], allowed: [.answer, .keep, .failed]),
        Situation(
            name: "answered the question", way: [.signIn, .ask, .answer], allowed: [.ask, .keep, .signedIn, .failed]),
        Situation(name: "signed in", way: [.signIn, .signedIn], allowed: [.registered]),
        Situation(name: "registered", way: [.signIn, .signedIn, .registered]),
        Situation(name: "sign-in failed", way: [.signIn, .failed]),
        Situation(name: "failed while asking", way: [.signIn, .ask, .failed]),
        Situation(name: "renewing", way: [.renew], allowed: [.keep, .late, .renewed, .failed]),
        Situation(name: "renewing late", way: [.renew, .late], allowed: [.keep, .renewed, .failed]),
        Situation(name: "renewed late", way: [.renew, .late, .renewed], allowed: [.registered]),
        Situation(name: "renewed", way: [.renew, .renewed], allowed: [.registered]),
        Situation(name: "renewal registered", way: [.renew, .renewed, .registered]),
        Situation(name: "renewal failed", way: [.renew, .failed]),
        Situation(name: "changing a password", way: [.changePassword], allowed: [.ask, .keep, .signedIn, .failed]),
        Situation(name: "asked for a password", way: [.changePassword, .ask], allowed: [.answer, .keep, .failed]),
        Situation(
            name: "answered with a password", way: [.changePassword, .ask, .answer],
            allowed: [.ask, .keep, .signedIn, .failed]),
        Situation(name: "signed in for a change", way: [.changePassword, .signedIn], allowed: [.registered]),
        Situation(
            name: "registered for a change", way: [.changePassword, .signedIn, .registered],
            allowed: [.ask, .keep, .passwordChanged, .failed]),
        Situation(
            name: "asked for a new password", way: [.changePassword, .signedIn, .registered, .ask],
            allowed: [.answer, .keep, .failed]),
        Situation(
            name: "answered with a new password", way: [.changePassword, .signedIn, .registered, .ask, .answer],
            allowed: [.ask, .keep, .passwordChanged, .failed]),
        Situation(name: "password changed", way: [.changePassword, .signedIn, .registered, .passwordChanged]),
        Situation(name: "password change failed", way: [.changePassword, .failed]),
        Situation(name: "new password refused", way: [.changePassword, .signedIn, .registered, .failed]),
        Situation(
            name: "recovering a password", way: [.forgotPassword],
            allowed: [.ask, .withheld, .passwordChanged, .failed]),
        Situation(
            name: "withheld a refusal", way: [.forgotPassword, .withheld],
            allowed: [.ask, .withheld, .passwordChanged, .failed]),
        Situation(name: "asked for a code", way: [.forgotPassword, .ask], allowed: [.answer, .failed]),
        Situation(name: "password recovered", way: [.forgotPassword, .passwordChanged]),
        Situation(name: "checking", way: [.check], allowed: [.keep, .checked, .failed]),
        Situation(name: "checked", way: [.check, .keep, .checked]),
        Situation(name: "check failed", way: [.check, .failed]),
        Situation(name: "signing out", way: [.signOut], allowed: [.signedOut, .failed]),
        Situation(name: "signed out", way: [.signOut, .signedOut]),
        Situation(name: "sign-out failed", way: [.signOut, .failed]),
    ]

    func reached(_ peers: Exchange.Peers = .rootSideAndWorker) -> Exchange? {
        exchange(peers, after: way)
    }
}

/// An exchange after `way`; nil when a message on it is refused.
private func exchange(_ peers: Exchange.Peers, after way: [MessageKind]) -> Exchange? {
    var exchange = Exchange(peers)
    for message in way where !exchange.accept(message) {
        return nil
    }
    return exchange
}

/// An exchange that expectations can change.
private final class Step {
    var exchange: Exchange

    init(_ exchange: Exchange = Exchange(.rootSideAndWorker)) {
        self.exchange = exchange
    }

    func accept(_ message: MessageKind) -> Bool {
        exchange.accept(message)
    }

    func wouldAccept(_ message: MessageKind) -> Bool {
        var copy = exchange
        return copy.accept(message)
    }
}

@Suite struct ExchangeTests {
    @Test("in each situation exactly the messages of the table may come", arguments: Situation.all, MessageKind.all)
    private func table(situation: Situation, message: MessageKind) throws {
        let step = Step(try #require(situation.reached()))
        #expect(step.exchange.isFinished == situation.allowed.isEmpty)
        #expect(step.accept(message) == situation.allowed.contains(message))
    }

    @Test("a message that was refused changes nothing", arguments: Situation.all)
    private func refusedChangesNothing(situation: Situation) throws {
        for message in MessageKind.all where !situation.allowed.contains(message) {
            let step = Step(try #require(situation.reached()))
            _ = step.accept(message)
            #expect(step.exchange.isFinished == situation.allowed.isEmpty)
            for next in MessageKind.all {
                #expect(step.wouldAccept(next) == situation.allowed.contains(next))
            }
        }
    }

    @Test("questions have a limit", arguments: [MessageKind.signIn, .changePassword, .forgotPassword])
    func questions(kind: MessageKind) {
        let step = Step()
        #expect(step.accept(kind))
        for _ in 0..<Exchange.mostQuestions {
            #expect(step.accept(.ask))
            #expect(step.accept(.answer))
        }
        #expect(!step.accept(.ask))
        #expect(step.accept(.failed))
    }

    @Test("refusals that are withheld have a limit")
    func withheld() {
        let step = Step()
        #expect(step.accept(.forgotPassword))
        for _ in 0..<Exchange.mostWithheld {
            #expect(step.accept(.withheld) && step.accept(.ask) && step.accept(.answer))
        }
        #expect(!step.accept(.withheld) && step.accept(.ask))
    }

    @Test("people on a page, and pages, have a limit")
    func pages() {
        let step = Step()
        #expect(step.accept(.listPeople))
        for page in 1...Exchange.mostPages {
            for _ in 0..<(page == 1 ? Exchange.mostOnPage : 1) {
                #expect(step.accept(.person))
            }
            if page == 1 {
                #expect(!step.wouldAccept(.person))
            }
            #expect(step.accept(.page))
        }
        #expect(!step.wouldAccept(.page) && step.wouldAccept(.person))
    }

    @Test(
        "things to keep have a limit, in all situations together",
        arguments: [MessageKind.signIn, .renew, .changePassword])
    func kept(kind: MessageKind) {
        let step = Step()
        #expect(step.accept(kind))
        for _ in 0..<Exchange.mostKept {
            #expect(step.accept(.keep))
        }
        #expect(!step.accept(.keep))
        if kind != .renew {
            #expect(step.accept(.ask))
            #expect(!step.accept(.keep))
        }
        for _ in 0..<1000 {
            #expect(!step.accept(.keep))
        }
    }
}

/// Where a connection to the agent stands, by a shortest way there, and what may come then.
extension Situation {
    fileprivate static let ofAgent = [
        Situation(
            name: "start", way: [],
            allowed: [
                .renewRequest, .signOutRequest, .signInRequest, .checkRequest, .recoverRequest, .handOut,
                .unlockRequest, .registryRequest, .poolSessionsRequest, .credentialRequest, .attachRequest,
                .giveRequest, .lockRequest, .keepRequest, .exportRequest, .importRequest, .watchRequest,
                .openingRequest, .endingRequest, .refused,
            ]),
        Situation(
            name: "asked for the registry", way: [.registryRequest], allowed: [.registeredSession, .complete, .refused]),
        Situation(
            name: "in the middle of the registry", way: [.registryRequest, .registeredSession, .registeredSession],
            allowed: [.registeredSession, .complete, .refused]),
        Situation(name: "at the end of the registry", way: [.registryRequest, .complete]),
        Situation(
            name: "asked for credentials", way: [.credentialRequest], allowed: [.inInbox, .credential, .refused]),
        Situation(name: "told where credentials are", way: [.credentialRequest, .credential]),
        Situation(name: "offered credentials", way: [.credentialRequest, .inInbox], allowed: [.taken, .refused]),
        Situation(name: "took credentials", way: [.credentialRequest, .inInbox, .taken, .complete]),
        Situation(name: "wants its tokens locked", way: [.lockRequest], allowed: [.complete, .refused]),
        Situation(name: "had its tokens locked", way: [.lockRequest, .complete]),
        Situation(name: "wants tokens for a job", way: [.keepRequest], allowed: [.inInbox, .refused]),
        Situation(name: "was offered tokens for a job", way: [.keepRequest, .inInbox], allowed: [.taken, .refused]),
        Situation(name: "wants an export", way: [.exportRequest], allowed: [.exported, .refused]),
        Situation(name: "has an export", way: [.exportRequest, .exported]),
        Situation(name: "imports", way: [.importRequest], allowed: [.inInbox, .refused]),
        Situation(name: "has imported", way: [.importRequest, .inInbox, .taken, .complete]),
        Situation(name: "waits for tokens", way: [.attachRequest], allowed: [.show, .inInbox, .refused]),
        Situation(name: "was shown a code", way: [.attachRequest, .show], allowed: [.show, .inInbox, .refused]),
        Situation(
            name: "offered tokens of another session", way: [.attachRequest, .show, .inInbox],
            allowed: [.taken, .refused]),
        Situation(name: "took tokens of another session", way: [.attachRequest, .inInbox, .taken, .complete]),
        Situation(name: "gives tokens", way: [.giveRequest, .show], allowed: [.ask, .show, .complete, .refused]),
        Situation(name: "asked for a receiver's code", way: [.giveRequest, .ask], allowed: [.answer]),
        Situation(
            name: "typed a receiver's code", way: [.giveRequest, .ask, .answer],
            allowed: [.ask, .show, .complete, .refused]),
        Situation(name: "gave tokens", way: [.giveRequest, .complete]),
        Situation(
            name: "asked for the pool's list", way: [.poolSessionsRequest], allowed: [.poolSessionsFound, .refused]),
        Situation(name: "told the pool's list", way: [.poolSessionsRequest, .poolSessionsFound]),
        Situation(name: "told", way: [.handOut]),
        Situation(name: "told of a sign-in", way: [.watchRequest]),
        Situation(name: "asked by a set-uid program", way: [.openingRequest], allowed: [.sessionChecked, .refused]),
        Situation(name: "told a set-uid program", way: [.openingRequest, .sessionChecked]),
        Situation(name: "handed an end over", way: [.endingRequest], allowed: [.complete, .refused]),
        Situation(name: "took an end over", way: [.endingRequest, .complete]),
        Situation(name: "asked to check", way: [.checkRequest], allowed: [.tokensValid, .refused]),
        Situation(name: "checked", way: [.checkRequest, .tokensValid]),
        Situation(name: "asked to renew", way: [.renewRequest], allowed: [.renewal, .refused]),
        Situation(name: "asked to sign out", way: [.signOutRequest], allowed: [.ending, .refused]),
        Situation(name: "asked to sign in", way: [.signInRequest], allowed: [.ask, .show, .inInbox, .refused]),
        Situation(name: "asking", way: [.signInRequest, .ask], allowed: [.answer]),
        Situation(name: "answered", way: [.signInRequest, .ask, .answer], allowed: [.ask, .show, .inInbox, .refused]),
        Situation(
            name: "asked for a forgotten password", way: [.recoverRequest], allowed: [.ask, .show, .complete, .refused]),
        Situation(name: "asking for a code", way: [.recoverRequest, .ask], allowed: [.answer]),
        Situation(
            name: "answered with a code", way: [.recoverRequest, .ask, .answer],
            allowed: [.ask, .show, .complete, .refused]),
        Situation(name: "asked to unlock", way: [.unlockRequest], allowed: [.ask, .show, .complete, .refused]),
        Situation(name: "asking to unlock", way: [.unlockRequest, .ask], allowed: [.answer]),
        Situation(
            name: "answered to unlock", way: [.unlockRequest, .ask, .answer],
            allowed: [.ask, .show, .complete, .refused]),
        Situation(name: "unlocked", way: [.unlockRequest, .complete]),
        Situation(name: "recovered", way: [.recoverRequest, .complete]),
        Situation(name: "in the inbox", way: [.signInRequest, .inInbox], allowed: [.taken, .refused]),
        Situation(
            name: "took the secret", way: [.signInRequest, .inInbox, .taken],
            allowed: [.inInbox, .show, .complete, .refused]),
        Situation(
            name: "took secret and tokens", way: [.signInRequest, .inInbox, .taken, .inInbox, .taken],
            allowed: [.show, .complete, .refused]),
        Situation(name: "complete", way: [.signInRequest, .inInbox, .taken, .complete]),
        Situation(name: "renewed", way: [.renewRequest, .renewal]),
        Situation(name: "signed out", way: [.signOutRequest, .ending]),
        Situation(name: "refused", way: [.renewRequest, .refused]),
        Situation(name: "refused at once", way: [.refused]),
    ]
}

@Suite struct AgentExchangeTests {
    @Test(
        "in each situation exactly the messages of the table may come", arguments: Situation.ofAgent, MessageKind.all)
    private func table(situation: Situation, message: MessageKind) throws {
        var exchange = try #require(situation.reached(.clientAndAgent))
        #expect(exchange.isFinished == situation.allowed.isEmpty)
        let isAccepted = exchange.accept(message)
        #expect(isAccepted == situation.allowed.contains(message))
    }

    @Test("questions and what is shown have a limit")
    func limits() throws {
        let question: [MessageKind] = [.ask, .answer]
        let questions = Array(repeating: question, count: Exchange.mostQuestions).flatMap(\.self)
        #expect(exchange(.clientAndAgent, after: [.signInRequest] + questions) != nil)
        #expect(exchange(.clientAndAgent, after: [.signInRequest] + questions + [.ask]) == nil)
        let shown = Array(repeating: MessageKind.show, count: Exchange.mostShown)
        #expect(exchange(.clientAndAgent, after: [.signInRequest] + shown) != nil)
        #expect(exchange(.clientAndAgent, after: [.signInRequest] + shown + [.show]) == nil)
    }
}
