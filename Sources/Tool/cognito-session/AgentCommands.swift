internal import Base
internal import Commands
internal import Glibc
internal import Keyring
internal import Messages
internal import Protocol

func refresh(_ invocation: Invocation) throws(Refusal) -> ExitCode {
    let refreshment = try Refreshment(of: { currentStatus }, by: agent)
    try invocation.answer(refreshment.json(at: now), refreshment.text(at: now), afterChange: true)
    return .valid
}

func signOut(_ invocation: Invocation) throws(Refusal) -> ExitCode {
    let status = currentStatus
    guard let scope = try scope(invocation, status) else {
        guard !invocation.has(.json) else {
            throw Refusal(.cancelled, ToolWording.cancelled)
        }
        complain(ToolWording.cancelled)
        return .cancelled
    }
    let report = SignOut(scope: scope).perform(
        status, by: agent,
        drop: { place in SessionKeyring.drop(KeySerial(place.key), from: KeySerial(place.ring)) },
        detach: SessionKeyring.detach
    ).leaving(status.credentials, at: now)
    if invocation.has(.json) {
        try answer(report.json, afterChange: report.code == nil)
    } else {
        report.code == nil ? try answer(report.text, afterChange: true) : complain(sentence: report.text)
    }
    return report.exitStatus
}

/// How far the person wants to be signed out; nil: not at all.
private func scope(_ invocation: Invocation, _ status: SessionStatus) throws(Refusal) -> SignOutScope? {
    guard !invocation.has(.machine) else {
        return .machine
    }
    let hasTokens =
        switch status.finding {
        case .session, .absent(.locked): true
        case .absent: false
        }
    guard hasTokens, !invocation.has(.yes), !invocation.has(.local) else {
        // Without tokens the user is not asked; without an option, the answer is that there is no session.
        return invocation.has(.local) || invocation.has(.yes) && !invocation.has(.global) ? .here : .everywhere
    }
    guard let terminal = Terminal() else {
        guard invocation.has(.global) else {
            throw Refusal(.usage, ToolWording.choiceNeeded)
        }
        return .everywhere
    }
    if invocation.has(.global) {
        return ToolWording.isYes(terminal.choice(ToolWording.signOutConfirmation)) ? .everywhere : nil
    }
    let isColored = Appearance.current.isColored
    let menu = ToolWording.signOutMenu { text in isColored ? "\u{1B}[1;31m\(text)\u{1B}[0m" : text }
    terminal.show(hanging(menu, to: terminal.columns))
    switch terminal.choice(ToolWording.signOutChoice) {
    case "1": return .here
    case "2": return .machine
    case "3": return .everywhere
    default: return nil
    }
}

func signIn(_ invocation: Invocation) throws(Refusal) -> ExitCode {
    let terminal = Terminal()
    // Tokens that Cognito no longer accepts are removed before that prompt.
    let check = OnlineCheck(terminal != nil, of: { currentStatus }, by: agent, at: { now })
    try refuseTokens(check.status, saying: ToolWording.signedInAlready)
    guard let terminal else {
        throw Refusal(.usage, ToolWording.terminalNeeded)
    }
    try withInbox { inbox throws(Refusal) in
        do throws(AgentFault) {
            try agent.signIn(inbox: inbox.number, terminal, take: takeFromInbox)
        } catch {
            throw Refusal(
                error, absent: ToolWording.signInAbsent, broken: ToolWording.signInBroken,
                cancelled: ToolWording.signInCancelled)
        }
    }
    if invocation.has(.json) {
        try answer(Person(currentStatus, at: now).json, afterChange: true)
    }
    return .valid
}

/// Makes an inbox in the session keyring as long as `body` lasts, once `prepare` has made the keyring fit for it.
func withInbox<Answer: ~Copyable>(
    after prepare: (() throws(ErrorNumber) -> Void)? = { () throws(ErrorNumber) in
        try SessionKeyring.makeFit(for: getuid())
    }, _ body: (KeySerial) throws(Refusal) -> Answer
) throws(Refusal) -> Answer {
    let inbox: KeySerial
    do throws(ErrorNumber) {
        try prepare?()
        inbox = try Inbox.make()
    } catch {
        throw Refusal(.fault, ToolWording.noKeyring)
    }
    defer { Inbox.remove(inbox) }
    return try body(inbox)
}

/// Removes a token key from the inbox, which is not needed any more, before the key is final.
func takeFromInbox(_ key: Int32) -> Bool {
    (try? Inbox.take(KeySerial(key))) != nil
}

/// The same, in place of what led to tokens that have ended.
func takeInPlace(_ key: Int32) -> Bool {
    SessionKeyring.detach()
    return takeFromInbox(key)
}

extension Refusal {
    fileprivate init(attaching fault: AgentFault) {
        self.init(
            fault, absent: ToolWording.attachAbsent, broken: ToolWording.attachBroken,
            cancelled: ToolWording.attachCancelled)
    }
}

// MARK: attach

func attach(_ invocation: Invocation) throws(Refusal) -> ExitCode {
    guard let terminal = Terminal() else {
        throw Refusal(.usage, ToolWording.attachNeedsTerminal)
    }
    try refuseRights()
    if invocation.has(.give) {
        try giveTokens(terminal)
    } else {
        try awaitTokens(terminal)
    }
    try invocation.answer(
        Person(currentStatus, at: now).json, invocation.has(.give) ? ToolWording.given : ToolWording.attached,
        afterChange: true)
    return .valid
}

/// Root can read all users' tokens, and a set-uid program belongs to another user: the agent refuses both.
func refuseRights() throws(Refusal) {
    guard getuid() != 0, getuid() == geteuid() else {
        throw Refusal(
            AgentRefusal.notPermitted.exitStatus,
            String(decoding: AgentWording.attachForbidden.said(in: .current), as: UTF8.self))
    }
}

/// Refuses where this session has tokens already, in whose place others would come; locked ones come back with their
/// person.
func refuseTokens(_ status: SessionStatus, saying words: String) throws(Refusal) {
    switch status.finding {
    case .session: throw Refusal(.usage, words)
    case .absent(.locked): throw Refusal(.locked, ToolWording.lockedNow)
    case .absent: break
    }
}

/// Waits until another session of the person's gives this one its tokens.
private func awaitTokens(_ terminal: Terminal) throws(Refusal) {
    try refuseTokens(currentStatus, saying: ToolWording.hasTokens)
    try withInbox { inbox throws(Refusal) in
        do throws(AgentFault) {
            try agent.attach(inbox: inbox.number, terminal, take: takeInPlace)
        } catch {
            throw Refusal(attaching: error)
        }
    }
}

/// Gives this session's tokens to another one that waits.
private func giveTokens(_ terminal: Terminal) throws(Refusal) {
    let (_, place) = try TokenRequest.session(currentStatus)
    do throws(AgentFault) {
        try agent.give(place.key, Giver(terminal: terminal))
    } catch {
        throw Refusal(attaching: error)
    }
}

/// The person, for whom no code at all is a change of mind.
private struct Giver: AgentConversation {
    let terminal: Terminal

    func ask(_ text: String, echo: Bool) -> Secret? {
        guard let answer = terminal.ask(text, echo: echo), answer.count > 0 else {
            return nil
        }
        return answer
    }

    func show(_ text: String) {
        terminal.show(text)
    }
}
