import Steps
import Testing

/// Every event that there is, once.
private let events: [SignInEvent] =
    [
        .begin(withPassword: true), .begin(withPassword: false), .recover, .answered, .empty, .unusable, .password,
        .differs,
        .chosePassword, .choseApp, .choseAddress, .gone, .tokens, .granted, .wrongAnswer, .usedCode, .notAcceptable,
        .attributeNotAcceptable, .resetRequired, .expired, .deviceUnknown, .refused, .busy, .aliasTaken(missing: 0),
        .aliasTaken(missing: 1), .beginInBrowser, .choseBrowser, .ofAnotherPrompt, .truncated, .refusedInBrowser,
    ] + ChallengeKind.allCases.map { kind in .challenge(kind) }

private let states: [Waiting] =
    [.start, .end] + Question.allCases.map(Waiting.person) + Request.allCases.map(Waiting.service)

/// The answers to challenges for a user whose password is not known yet.
private let onChallenge: [ChallengeKind: SignInAction] = [
    .proof: .fail(.outOfPlace), .password: .ask(.password), .code: .ask(.code), .onlyCodeKind: .send(.codeKind),
    .severalCodeKinds: .ask(.codeKind), .onlyFirstFactor: .send(.firstFactor), .severalFirstFactors: .ask(.firstFactor),
    .onlyPassword: .ask(.password), .newPassword: .ask(.newPassword), .setupApp: .send(.setupKey),
    .setupAddress: .ask(.setupAddress), .severalSetups: .ask(.setupKind), .custom: .ask(.custom),
    .device: .send(.device), .deviceProof: .send(.deviceProof), .passkeyOrFactor: .send(.initiate),
    .passkeyOrFactors: .ask(.firstFactor), .passkeyOrPassword: .ask(.password), .unanswerable: .fail(.notSupported),
    .foreign: .fail(.foreignChallenge),
]

/// What the person's answers come to.
private let onAnswer: [Question: [SignInEvent: SignInAction]] = [
    .password: [
        .answered: .send(.initiate), .empty: .fail(.hopelessPassword), .unusable: .fail(.hopelessPassword),
        .choseBrowser: .ask(.browserCode),
    ],
    .browserCode: answers(
        [
            .answered: .send(.redeem), .ofAnotherPrompt: .ask(.browserCode), .truncated: .ask(.browserCode),
            .refusedInBrowser: .fail(.refusedInBrowser),
        ], asking: .browserCode),
    .code: answers([.answered: .send(.code)], asking: .code),
    .codeKind: answers([.answered: .send(.codeKind)], asking: .codeKind),
    .firstFactor: answers(
        [.answered: .send(.firstFactor), .chosePassword: .ask(.password)], asking: .firstFactor),
    .newPassword: answers(
        [.answered: .send(.newPassword), .differs: .ask(.newPassword), .password: .ask(.newPassword)],
        asking: .newPassword),
    .attribute: answers([.answered: .send(.newPassword)], asking: .attribute),
    .setupKind: answers([.choseApp: .send(.setupKey), .choseAddress: .ask(.setupAddress)], asking: .setupKind),
    .setupCode: answers([.answered: .send(.setupCode)], asking: .setupCode),
    .setupAddress: answers([.answered: .send(.setupAddress)], asking: .setupAddress),
    .custom: answers([.answered: .send(.custom)], asking: .custom),
    .resetOffer: answers([.answered: .ask(.newPassword), .empty: .send(.sendResetCode)], asking: .resetOffer),
    .resetCode: answers([.answered: .ask(.newPassword)], asking: .resetCode),
]

private func answers(
    _ own: [SignInEvent: SignInAction], asking question: Question
) -> [SignInEvent: SignInAction] {
    [.empty: .ask(question), .unusable: .ask(question), .password: .fail(.passwordAsAnswer)]
        .merging(own) { _, own in own }
}

/// What the service's refusals come to, where it is not the same for all requests.
private let onRefusal: [Request: [SignInEvent: SignInAction]] = [
    .initiate: [.expired: .fail(.asRefused), .resetRequired: .ask(.resetOffer)],
    .proof: [.expired: .fail(.asRefused), .resetRequired: .ask(.resetOffer)],
    .password: [.resetRequired: .ask(.resetOffer)],
    .firstFactor: [.resetRequired: .ask(.resetOffer)],
    .code: [.wrongAnswer: .ask(.code), .usedCode: .ask(.code), .busy: .ask(.code)],
    .setupCode: [.wrongAnswer: .ask(.setupCode), .granted: .send(.setup), .busy: .ask(.setupCode)],
    .setupKey: [.granted: .ask(.setupCode)],
    .custom: [.wrongAnswer: .ask(.custom), .busy: .ask(.custom)],
    .setupAddress: [
        .notAcceptable: .ask(.setupAddress), .busy: .ask(.setupAddress), .aliasTaken(missing: 0): .ask(.setupAddress),
        .aliasTaken(missing: 1): .ask(.setupAddress),
    ],
    .newPassword: [
        .notAcceptable: .ask(.newPassword), .busy: .ask(.newPassword), .aliasTaken(missing: 1): .ask(.attribute),
    ],
    .sendResetCode: [.granted: .ask(.resetCode), .expired: .fail(.asRefused)],
    .resetPassword: [
        .granted: .send(.initiate), .wrongAnswer: .ask(.resetCode), .expired: .ask(.resetOffer),
        .notAcceptable: .ask(.newPassword), .busy: .ask(.resetCode),
    ],
]

private func expected(_ waiting: Waiting, _ event: SignInEvent) -> SignInAction {
    switch (waiting, event) {
    case (.end, _): return .fail(.outOfPlace)
    case (_, .gone): return .leave
    case (.start, .begin(withPassword: true)): return .ask(.password)
    case (.start, .begin(withPassword: false)): return .send(.initiate)
    case (.start, .beginInBrowser): return .ask(.browserCode)
    case (.service(.redeem), _):
        switch event {
        case .tokens: return .finish
        case .wrongAnswer: return .ask(.browserCode)
        case .refused: return .fail(.asRefused)
        default: return .fail(.outOfPlace)
        }
    case (.start, .recover): return .send(.sendResetCode)
    case (.start, _): return .fail(.outOfPlace)
    case (.person(let question), _): return onAnswer[question]?[event] ?? .fail(.outOfPlace)
    case (.service(let request), _):
        if let own = onRefusal[request]?[event] {
            return own
        }
        let isAside = [.setupKey, .setupCode, .sendResetCode, .resetPassword].contains(request)
        switch event {
        case .tokens: return isAside ? .fail(.outOfPlace) : .finish
        case .challenge(let kind, _): return isAside ? .fail(.outOfPlace) : onChallenge[kind] ?? .finish
        case .expired: return .send(.initiate)
        case .deviceUnknown:
            return request == .sendResetCode || request == .resetPassword ? .fail(.outOfPlace) : .send(.initiate)
        case .refused, .wrongAnswer, .notAcceptable, .busy: return .fail(.asRefused)
        case .aliasTaken:
            return request == .sendResetCode || request == .resetPassword ? .fail(.outOfPlace) : .send(.initiate)
        default: return .fail(.outOfPlace)
        }
    }
}

/// A machine to which all of `events` have happened, and what it did at the last of them.
private func after(_ events: [SignInEvent]) -> (machine: ChallengeMachine, action: SignInAction?) {
    var machine = ChallengeMachine()
    var action: SignInAction?
    for event in events {
        action = machine.take(event)
    }
    return (machine, action)
}

private let signedIn: [SignInEvent] = [.begin(withPassword: true), .answered, .challenge(.proof)]

@Suite struct ChallengeMachineTests {
    @Test("every pair of what it waits for and what happens", arguments: states)
    func table(waiting: Waiting) {
        for event in events {
            var machine = ChallengeMachine(waiting: waiting)
            let action = machine.take(event)
            #expect(action == expected(waiting, event), "\(waiting), \(event)")
            // What it waits for follows from what it does.
            switch action {
            case .ask(let question): #expect(machine.waiting == .person(question))
            case .send(let request): #expect(machine.waiting == .service(request))
            default: #expect(machine.waiting == .end)
            }
        }
        #expect(Set(events).count == events.count && Set(states).count == states.count)
    }

    @Test("an end is an end: nothing that comes after it leads to tokens")
    func end() {
        for event in events {
            var machine = after(signedIn + [.refused]).machine
            #expect(machine.take(event) == .fail(.outOfPlace))
        }
    }

    @Test("the third wrong code is the last", arguments: [ChallengeKind.code, .custom])
    func wrongCodes(kind: ChallengeKind) {
        let wrong: [SignInEvent] = [.answered, .wrongAnswer]
        let begin = signedIn + [.challenge(kind)]
        let twice = after(begin + wrong + wrong)
        #expect(twice.action == (kind == .code ? .ask(.code) : .ask(.custom)))
        #expect(twice.machine.notice == .wrongCode)
        #expect(after(begin + wrong + wrong + wrong).action == .fail(.wrongTooOften))
        #expect(after(begin + [.unusable, .unusable, .unusable]).action == .fail(.wrongTooOften))
    }

    @Test(
        "what Cognito was too busy to look at is asked for again, and no chance is lost",
        arguments: [
            ([SignInEvent.challenge(.code), .answered], [SignInEvent.answered], Question.code),
            ([.challenge(.custom), .answered], [.answered], .custom),
            ([.challenge(.setupApp), .granted, .answered], [.answered], .setupCode),
            ([.challenge(.setupAddress), .answered], [.answered], .setupAddress),
            ([.challenge(.newPassword), .answered], [.answered], .newPassword),
            ([.resetRequired, .answered, .answered], [.answered], .resetCode),
        ])
    func busy(begin: [SignInEvent], again: [SignInEvent], question: Question) {
        let once = after(signedIn + begin + [.busy])
        #expect(once.action == .ask(question))
        #expect(once.machine.notice == .busy)
        let twice = signedIn + begin + [.busy] + again + [.busy] + again
        #expect(after(twice + [.busy]).action == .fail(.tooBusy))
        // Two wrong answers more are as many as ever.
        let wrong: SignInEvent = question == .newPassword || question == .setupAddress ? .notAcceptable : .wrongAnswer
        #expect(after(twice + [wrong]).action == .ask(question))
        #expect(after(twice + [wrong] + again + [wrong]).action == .ask(question))
    }

    @Test("an address that another account has is asked for again; what else was said is kept")
    func aliasTaken() {
        let change = signedIn + [.challenge(.newPassword, missing: 3), .answered]
        let sent = change + [.answered, .answered, .answered]
        let taken = after(sent + [.aliasTaken(missing: 1)])
        #expect(taken.action == .ask(.attribute))
        #expect(taken.machine.notice == .aliasTaken)
        #expect(after(sent + [.aliasTaken(missing: 1), .answered]).action == .send(.newPassword))
        let again: [SignInEvent] = [.aliasTaken(missing: 1), .answered]
        #expect(after(sent + again + again + [.aliasTaken(missing: 1)]).action == .fail(.asRefused))
    }

    @Test("an address that turns out to be another account's at its code begins anew once")
    func aliasTakenAtCode() {
        let setup: [SignInEvent] = [.challenge(.setupAddress), .answered, .challenge(.code), .answered]
        let taken = after(signedIn + setup + [.aliasTaken(missing: 0)])
        #expect(taken.action == .send(.initiate))
        #expect(taken.machine.notice == .aliasTaken)
        let again = signedIn + setup + [.aliasTaken(missing: 0), .challenge(.proof)] + setup
        #expect(after(again + [.aliasTaken(missing: 0)]).action == .fail(.asRefused))
        let stale: [SignInEvent] = [.challenge(.newPassword), .answered]
        #expect(after(signedIn + stale + setup + [.aliasTaken(missing: 0)]).action == .fail(.asRefused))
    }

    @Test(
        "what was wrong, or too much for Cognito, at one challenge takes no chance from the next",
        arguments: [.wrongAnswer, .busy] as [SignInEvent])
    func eachChallenge(event: SignInEvent) {
        let twice: [SignInEvent] = [.answered, event, .answered, event]
        let second = signedIn + [.challenge(.code)] + twice + [.answered, .challenge(.code)] + twice
        #expect(after(second).action == .ask(.code))
        #expect(after(second + [.answered, event]).action == .fail(event == .busy ? .tooBusy : .wrongTooOften))
    }

    @Test("nothing entered is asked about once")
    func empty() {
        let begin = signedIn + [.challenge(.code)]
        #expect(after(begin + [.empty]).machine.notice == .nothingEntered)
        #expect(after(begin + [.empty, .empty]).action == .fail(.noAnswer))
        // The next challenge is another question, also where it looks the same.
        #expect(after(begin + [.empty, .answered, .challenge(.code), .empty]).action == .ask(.code))
        // Two new passwords that differ are an answer, too.
        let change = signedIn + [.challenge(.newPassword)]
        #expect(after(change + [.empty, .differs, .empty]).action == .ask(.newPassword))
    }

    @Test("an expired challenge begins anew once, without the password")
    func expired() {
        let late: [SignInEvent] = [.challenge(.code), .answered, .expired]
        let once = after(signedIn + late)
        #expect(once.action == .send(.initiate))
        #expect(once.machine.notice == .expired)
        let again: [SignInEvent] = [.challenge(.proof)]
        #expect(after(signedIn + late + again).action == .send(.proof))
        #expect(after(signedIn + late + again + late).action == .fail(.tooLate))
    }

    @Test("not after a new password was set: the one that is known is none any more")
    func expiredAfterChange() {
        let change: [SignInEvent] = [.challenge(.newPassword), .answered, .challenge(.code)]
        let ended = after(signedIn + change + [.answered, .expired])
        #expect(ended.action == .fail(.tooLate))
        #expect(ended.machine.hasNewPassword)
    }

    @Test("before it was set it may: nothing has changed")
    func expiredBeforeChange() {
        let ended = after(signedIn + [.challenge(.newPassword), .answered, .expired])
        #expect(ended.action == .send(.initiate))
        #expect(!ended.machine.hasNewPassword)
    }

    @Test("missing attributes are asked for one by one, and again when they are not taken")
    func attributes() {
        let change = signedIn + [.challenge(.newPassword, missing: 2), .answered]
        #expect(after(change).action == .ask(.attribute))
        #expect(after(change + [.answered]).action == .ask(.attribute))
        let sent = change + [.answered, .answered]
        #expect(after(sent).action == .send(.newPassword))
        #expect(after(sent + [.attributeNotAcceptable]).action == .ask(.attribute))
        #expect(after(sent + [.attributeNotAcceptable, .answered]).action == .ask(.attribute))
        #expect(after(sent + [.attributeNotAcceptable, .answered, .answered]).action == .send(.newPassword))
        // A password that is refused does not make the person type everything else again.
        #expect(after(sent + [.notAcceptable, .answered]).action == .send(.newPassword))
    }

    @Test(
        "a new password has three chances, whatever is wrong with it",
        arguments: [
            [SignInEvent.password], [.differs], [.answered, .notAcceptable], [.unusable],
        ])
    func newPasswords(wrong: [SignInEvent]) {
        let begin = signedIn + [.challenge(.newPassword)]
        #expect(after(begin + wrong + wrong).action == .ask(.newPassword))
        #expect(after(begin + wrong + wrong + wrong).action == .fail(.noNewPassword))
    }

    @Test("a host that the service does not know begins anew once, without the password and without a word")
    func unknownDevice() {
        let forgotten = signedIn + [.deviceUnknown]
        #expect(after(forgotten).action == .send(.initiate))
        #expect(after(forgotten).machine.notice == nil)
        #expect(after(forgotten + [.challenge(.proof)]).action == .send(.proof))
        #expect(after(forgotten + [.challenge(.proof), .deviceUnknown]).action == .fail(.asRefused))
        let change: [SignInEvent] = [.challenge(.newPassword), .answered, .challenge(.device)]
        #expect(after(signedIn + change + [.deviceUnknown]).action == .fail(.asRefused))
    }

    @Test("a passkey is declined once, for whatever else there is")
    func passkey() {
        let begin: [SignInEvent] = [.begin(withPassword: false)]
        #expect(after(begin + [.challenge(.passkeyOrFactor)]).action == .send(.initiate))
        #expect(after(begin + [.challenge(.passkeyOrPassword), .answered]).action == .send(.initiate))
        #expect(
            after([.begin(withPassword: true), .answered, .challenge(.passkeyOrPassword)]).action == .send(.initiate))
        let menu = begin + [.challenge(.passkeyOrFactors)]
        #expect(after(menu + [.answered]).action == .send(.initiate))
        #expect(after(menu + [.chosePassword, .answered]).action == .send(.initiate))
        for kind in [ChallengeKind.passkeyOrFactor, .passkeyOrFactors, .passkeyOrPassword] {
            #expect(after(menu + [.answered, .challenge(kind)]).action == .fail(.notSupported))
        }
        // A menu that the service puts later is answered to the service.
        #expect(after(menu + [.answered, .challenge(.severalFirstFactors), .answered]).action == .send(.firstFactor))
    }

    @Test("a reset password: another is set with a code, and the sign-in goes on with it, once")
    func reset() {
        let offered = signedIn + [.resetRequired]
        #expect(after(offered).machine.notice == .passwordReset)
        let proposed = offered + [.answered, .answered]
        #expect(after(proposed).action == .send(.resetPassword))
        let set = after(proposed + [.granted])
        #expect(set.action == .send(.initiate))
        #expect(set.machine.hasNewPassword)
        #expect(after(proposed + [.granted, .challenge(.proof), .tokens]).action == .finish)
        // It is the password that is known now, so an expired challenge may begin anew as ever.
        let late = after(proposed + [.granted, .challenge(.proof), .challenge(.code), .answered, .expired])
        #expect(late.action == .send(.initiate))
        #expect(after(proposed + [.granted, .challenge(.proof), .resetRequired]).action == .fail(.asRefused))
        // A challenge for one more new password is answered to the service, without a code.
        let demand: [SignInEvent] = [.granted, .challenge(.proof), .challenge(.newPassword), .answered]
        #expect(after(proposed + demand).action == .send(.newPassword))
    }

    @Test("a reset after a challenge that expired has all of its chances")
    func resetAnew() {
        let wrong: [SignInEvent] = [.answered, .wrongAnswer]
        let code = signedIn + [.challenge(.code)]
        let mistaken = code + wrong + wrong + [.answered, .expired, .resetRequired]
        #expect(after(mistaken + [.unusable, .unusable]).action == .ask(.resetOffer))
        let silent = code + [.empty, .answered, .expired, .resetRequired, .empty, .granted]
        #expect(after(silent + [.empty]).action == .ask(.resetCode))
    }

    @Test("a new password that was typed for a challenge that expired is none for a reset")
    func proposedBefore() {
        let change = signedIn + [.challenge(.newPassword), .answered, .expired, .resetRequired]
        #expect(after(change + [.answered]).action == .ask(.newPassword))
    }

    @Test("no code is sent unless the person asks for one")
    func resetCodes() {
        let offered = signedIn + [.resetRequired]
        #expect(after(offered + [.unusable]).action == .ask(.resetOffer))
        #expect(after(offered + [.password]).action == .fail(.passwordAsAnswer))
        #expect(after(offered + [.empty]).action == .send(.sendResetCode))
        let sent = offered + [.empty, .granted]
        #expect(after(sent).action == .ask(.resetCode))
        #expect(after(sent + [.empty]).action == .ask(.resetCode))
        #expect(after(sent + [.empty, .empty]).action == .fail(.noAnswer))
    }

    @Test("a wrong code has three chances, and the new password is not asked for again")
    func wrongResetCodes() {
        let proposed = signedIn + [.resetRequired, .answered, .answered]
        let wrong: [SignInEvent] = [.wrongAnswer, .answered]
        #expect(after(proposed + wrong).action == .send(.resetPassword))
        #expect(after(proposed + [.wrongAnswer]).machine.notice == .wrongCode)
        #expect(after(proposed + wrong + wrong + [.wrongAnswer]).action == .fail(.resetCodeTooOften))
    }

    @Test("in place of a code that is too old another is offered, once")
    func expiredResetCodes() {
        let proposed = signedIn + [.resetRequired, .answered, .answered]
        let again = after(proposed + [.expired])
        #expect(again.action == .ask(.resetOffer))
        #expect(again.machine.notice == .resetCodeExpired)
        let sent = proposed + [.expired, .empty, .granted, .answered]
        #expect(after(sent).action == .send(.resetPassword))
        #expect(after(sent + [.expired]).action == .fail(.resetCodeExpired))
    }

    @Test("a new password that is refused is asked for again, without another code")
    func refusedResets() {
        let proposed = signedIn + [.resetRequired, .answered, .answered]
        let refused: [SignInEvent] = [.notAcceptable, .answered]
        #expect(after(proposed + refused).action == .send(.resetPassword))
        #expect(after(proposed + refused + refused + [.notAcceptable]).action == .fail(.noNewPassword))
    }

    @Test("a forgotten password: whatever is wrong with the code, the same is said")
    func recovery() {
        let proposed: [SignInEvent] = [.recover, .granted, .answered, .answered]
        #expect(after([.recover, .granted]).machine.notice == .resetCodeSent)
        #expect(after(proposed + [.granted]).action == .finish)
        for unfit in [SignInEvent.wrongAnswer, .expired] {
            let once = after(proposed + [unfit])
            #expect(once.action == .ask(.resetOffer))
            #expect(once.machine.notice == .resetCodeUnfit)
            #expect(after(proposed + [unfit, .answered, unfit]).action == .ask(.resetCode))
            #expect(after(proposed + [unfit, .answered, unfit, .answered, unfit]).action == .fail(.resetCodeTooOften))
            #expect(after(proposed + [unfit, .empty]).action == .send(.sendResetCode))
        }
        #expect(after([.recover, .refused]).action == .fail(.asRefused))
    }

    @Test("more than ten challenges come to no end")
    func rounds() {
        let row = [SignInEvent](repeating: .challenge(.onlyCodeKind), count: 10)
        let begin: [SignInEvent] = [.begin(withPassword: false)]
        #expect(after(begin + row).action == .send(.codeKind))
        #expect(after(begin + row + [.challenge(.onlyCodeKind)]).action == .fail(.tooManyRounds))
    }

    @Test("the password is asked for when something needs it, and once")
    func passwordLater() {
        let begin: [SignInEvent] = [.begin(withPassword: false)]
        #expect(after(begin + [.challenge(.onlyPassword), .answered]).action == .send(.firstFactor))
        #expect(after(begin + [.challenge(.password), .answered]).action == .send(.password))
        let chosen = begin + [.challenge(.severalFirstFactors), .chosePassword, .answered]
        #expect(after(chosen).action == .send(.firstFactor))
        #expect(after(chosen + [.challenge(.proof)]).action == .send(.proof))
        #expect(after(chosen + [.expired, .challenge(.onlyPassword)]).action == .send(.firstFactor))
    }
}
