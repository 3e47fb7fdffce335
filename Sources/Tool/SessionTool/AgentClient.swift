package import Base
internal import CLinux
internal import Commands
internal import Messages
package import Protocol

/// The person, as the agent's questions see them.
package protocol AgentConversation {
    /// Asks, with or without showing what is typed; nil when the person gives no answer.
    func ask(_ text: String, echo: Bool) -> Secret?
    func show(_ text: String)
}

/// The agent, as a person's program sees it: each request is a connection of its own.
package struct AgentClient: Sendable {
    /// How long the agent may take for what needs no person, in milliseconds: it has limits of its own, which are shorter.
    private static let answerLimit: Int64 = 90_000
    /// The same, where another session of the person's is waited for.
    private static let attachLimit: Int64 = 150_000
    /// How long to wait before each further try, in milliseconds, when the agent has too much to do.
    private static let pauses: [Int64] = [50, 100, 200, 400, 800, 1600]

    private let language: [UInt8]

    /// A client of a person's who is spoken to in `language`, by its tag.
    package init(language: [UInt8]) {
        self.language = language
    }

    /// Has a session renewed, unless its access token still lives for `minimumLife` seconds.
    ///
    /// - Parameters:
    ///   - key: The serial of its token key.
    ///   - proof: Its secret, or what else proves that this process is in it.
    package func renew(
        _ key: Int32, _ proof: borrowing Secret, minimumLife: Int64
    ) throws(AgentFault) -> RenewalOutcome {
        let asked = linux_boottime_ms()
        let answer = try ask(.renewRequest) { request in
            request.add(.key, Int64(key))
            request.add(.proof, proof)
            request.add(.minimumLife, minimumLife)
            request.add(.askedAt, asked)
        }
        guard answer.kind == .renewal, let outcome = answer.code(.renewalOutcome).flatMap(RenewalOutcome.init) else {
            throw .broken
        }
        return outcome
    }

    /// Has a session's tokens verified as at sign-in.
    ///
    /// - Parameters:
    ///   - key: The serial of its token key.
    ///   - proof: Its secret, or what else proves that this process is in it.
    ///   - online: Ask Cognito, too, whether it accepts them.
    package func check(_ key: Int32, _ proof: borrowing Secret, online: Bool) throws(AgentFault) {
        let answer = try ask(.checkRequest) { request in
            request.add(.key, Int64(key))
            request.add(.proof, proof)
            request.add(.online, code: online ? 1 : 0)
        }
        guard answer.kind == .tokensValid else {
            throw .broken
        }
    }

    /// Says that a program was given a token, for the log. Nobody waits for it; without an agent nobody hears it.
    ///
    /// - Parameters:
    ///   - key: The serial of the session's token key.
    ///   - proof: The session's secret, or what else proves that this process is in it.
    package func note(_ token: HandedToken, of key: Int32, _ proof: borrowing Secret, _ use: HandOutUse) {
        var note = FrameWriter(.handOut)
        note.add(.key, Int64(key))
        note.add(.proof, proof)
        note.add(.tokenKind, code: token.rawValue)
        note.add(.handOutUse, code: use.rawValue)
        try? AgentSocket().send(note)
    }

    /// Has the person signed out: of this session, or of all of them everywhere.
    ///
    /// - Parameter key: The serial of the session's token key.
    package func signOut(_ key: Int32, _ revocation: Revocation) throws(AgentFault) -> SignOutResult {
        let answer = try ask(.signOutRequest) { request in
            request.add(.key, Int64(key))
            request.add(.revocation, code: revocation.rawValue)
            request.add(.tellsReach, code: 1)
        }
        guard answer.kind == .ending, let result = SignOutResult(answer) else {
            throw .broken
        }
        return result
    }

    /// Has all of the person's sessions on this machine signed out.
    package func signOutOfMachine() throws(AgentFault) -> MachineSignOut {
        let answer = try ask(.signOutRequest) { request in
            request.add(.key, 0)
            request.add(.revocation, code: Revocation.machine.rawValue)
            request.add(.tellsReach, code: 1)
        }
        guard answer.kind == .ending, let count = answer.number(.sessionCount) else {
            throw .broken
        }
        return MachineSignOut(ended: count, left: answer.number(.sessionsLeft) ?? 0)
    }

    /// Ends sessions on this machine, whosever they are. For root, and without the socket: an agent is started for this alone.
    ///
    /// - Parameter whose: An account, or the number of a session.
    package func endSessions(_ whose: String) throws(AgentFault) -> MachineSignOut {
        let connection = try AgentSocket(startingAgent: ())
        let number = Int32(whose).flatMap { number in number > 0 ? number : nil }
        var request = FrameWriter(.signOutRequest)
        request.add(.language, language)
        request.add(.key, Int64(number ?? 0))
        request.add(.revocation, code: Revocation.machine.rawValue)
        request.add(.tellsReach, code: 1)
        if number == nil {
            request.add(.userName, Array(whose.utf8))
        }
        try connection.send(request)
        let answer = try connection.receive(within: Self.answerLimit)
        guard answer.kind == .ending, let count = answer.number(.sessionCount) else {
            throw .broken
        }
        return MachineSignOut(ended: count, left: answer.number(.sessionsLeft) ?? 0)
    }

    /// The person's sessions in this machine's registry.
    ///
    /// - Parameter isRoot: Those of everybody, without the socket: an agent is started for this alone.
    package func registeredSessions(asRoot isRoot: Bool) throws(AgentFault) -> [RegisteredSession] {
        let connection = isRoot ? try AgentSocket(startingAgent: ()) : try AgentSocket()
        var request = FrameWriter(.registryRequest)
        request.add(.language, language)
        try connection.send(request)
        var sessions: [RegisteredSession] = []
        while true {
            let message = try connection.receive(within: Self.answerLimit)
            guard message.kind == .registeredSession else {
                return sessions
            }
            guard let session = RegisteredSession(message) else {
                throw .broken
            }
            sessions.append(session)
        }
    }

    /// The person's sessions by the pool's own list, each as the worker wrote it (JSON); none, where one was ended.
    ///
    /// - Parameters:
    ///   - key: The serial of the token key of the session that asks.
    ///   - proof: That session's secret, or what else proves that this process is in it.
    ///   - ended: Which one is to be ended, by its id in the list; nil: none.
    package func poolSessions(
        _ key: Int32, _ proof: borrowing Secret, ending ended: String?
    ) throws(AgentFault) -> [[UInt8]] {
        let answer = try ask(.poolSessionsRequest) { request in
            request.add(.key, Int64(key))
            request.add(.proof, proof)
            request.add(.poolSession, ifPresent: ended.map { name in Array(name.utf8) })
        }
        guard answer.kind == .poolSessionsFound else {
            throw .broken
        }
        return answer.list(.report)
    }

    /// Signs this process's person in, and has the tokens put into its session keyring.
    ///
    /// - Parameters:
    ///   - inbox: The serial of an inbox in that keyring.
    ///   - person: Whom to ask.
    ///   - take: Links a key that came into the inbox into the session keyring; whether it could.
    package func signIn(
        inbox: Int32, _ person: some AgentConversation, take: (Int32) -> Bool
    ) throws(AgentFault) {
        var writer = FrameWriter(.signInRequest)
        writer.add(.key, Int64(inbox))
        try converse(writer, person, take: take)
    }

    /// Has credentials of AWS made, and put into the session keyring; the key that they are in.
    ///
    /// - Parameters:
    ///   - key: The serial of the session's token key.
    ///   - proof: The session's secret, or what else proves that this process is in it.
    ///   - name: What the configuration calls them.
    ///   - inbox: The serial of an inbox in that keyring.
    ///   - isShared: Whether those that another session has, with the same tokens, are to be put there, too.
    ///   - found: The key with them, where another program has had them made: a house full of those is waited for.
    ///   - take: Links a key that came into the inbox into the session keyring; whether it could.
    package func makeCredentials(
        for key: Int32, _ proof: borrowing Secret, named name: [UInt8], inbox: Int32, sharing isShared: Bool,
        unless found: () -> Int32?, take: (Int32) -> Bool
    ) throws(AgentFault) -> Int32 {
        var pauses = Self.pauses[...]
        while true {
            if let made = found() {
                return made
            }
            do throws(AgentFault) {
                return try makeCredentialsOnce(
                    for: key, proof, named: name, inbox: inbox, sharing: isShared, take: take)
            } catch {
                guard error == .broken, let pause = pauses.popFirst() else {
                    throw error
                }
                linux_sleep_ms(pause)
            }
        }
    }

    private func makeCredentialsOnce(
        for key: Int32, _ proof: borrowing Secret, named name: [UInt8], inbox: Int32, sharing isShared: Bool,
        take: (Int32) -> Bool
    ) throws(AgentFault) -> Int32 {
        let connection = try AgentSocket()
        var request = FrameWriter(.credentialRequest)
        request.add(.key, Int64(key))
        request.add(.inbox, Int64(inbox))
        request.add(.credentialName, name)
        if isShared {
            request.add(.sharesCredentials, code: 1)
        }
        request.add(.proof, proof)
        request.add(.language, language)
        try connection.send(request)
        let answer = try connection.receive(within: Self.answerLimit)
        guard let made = answer.number(.key).flatMap({ number in Int32(exactly: number) }) else {
            throw .broken
        }
        if answer.kind == .inInbox {
            guard take(made) else {
                throw .broken
            }
            try connection.send(FrameWriter(.taken))
            _ = try connection.receive(within: Self.answerLimit)
        }
        return made
    }

    /// Has a forgotten password set anew; the person hears of it as it goes.
    ///
    /// - Parameters:
    ///   - name: Whose, as bytes; nil: the caller's own.
    ///   - person: Whom to ask.
    package func recoverPassword(of name: [UInt8]?, _ person: some AgentConversation) throws(AgentFault) {
        var writer = FrameWriter(.recoverRequest)
        writer.add(.userName, ifPresent: name)
        try converse(writer, person) { _ in false }
    }

    /// Waits until another session of the person's gives its tokens to this one.
    ///
    /// - Parameters:
    ///   - inbox: The serial of an inbox in the session keyring.
    ///   - person: Who is shown the code.
    ///   - take: Links a key that came into the inbox into the session keyring; whether it could.
    package func attach(
        inbox: Int32, _ person: some AgentConversation, take: (Int32) -> Bool
    ) throws(AgentFault) {
        var writer = FrameWriter(.attachRequest)
        writer.add(.key, Int64(inbox))
        try converse(writer, person, within: Self.attachLimit, take: take)
    }

    /// Gives a session's tokens to another one of the person's that waits.
    ///
    /// - Parameters:
    ///   - key: The serial of the session's token key.
    ///   - proof: The session's secret, or what else proves that this process is in it.
    ///   - person: Whom to ask.
    package func give(_ key: Int32, _ proof: borrowing Secret, _ person: some AgentConversation) throws(AgentFault) {
        var writer = FrameWriter(.giveRequest)
        writer.add(.key, Int64(key))
        writer.add(.proof, proof)
        try converse(writer, person) { _ in false }
    }

    /// Has the session's tokens locked.
    ///
    /// - Parameter key: The serial of its token key.
    package func lock(_ key: Int32) throws(AgentFault) {
        let answer = try ask(.lockRequest) { request in request.add(.key, Int64(key)) }
        guard answer.kind == .complete else {
            throw .broken
        }
    }

    /// Has the tokens of all of the person's sessions unlocked, by a proof that it is them.
    ///
    /// - Parameters:
    ///   - name: The caller's account.
    ///   - person: Whom to ask.
    package func unlock(_ name: [UInt8], _ person: some AgentConversation) throws(AgentFault) {
        var writer = FrameWriter(.unlockRequest)
        writer.add(.userName, name)
        try converse(writer, person) { _ in false }
    }

    /// Has this process's session keyring get tokens that stay readable while the session's are locked.
    ///
    /// - Parameters:
    ///   - key: The serial of the session's token key.
    ///   - proof: The session's secret, or what else proves that this process is in it.
    ///   - inbox: The serial of an inbox in this process's session keyring.
    ///   - take: Links a key that came into the inbox into that keyring; whether it could.
    package func keep(
        _ key: Int32, _ proof: borrowing Secret, inbox: Int32, take: (Int32) -> Bool
    ) throws(AgentFault) {
        var request = FrameWriter(.keepRequest)
        request.add(.key, Int64(key))
        request.add(.proof, proof)
        request.add(.inbox, Int64(inbox))
        try receive(request, take: take)
    }

    /// A request that brings a key.
    private func receive(_ request: consuming FrameWriter, take: (Int32) -> Bool) throws(AgentFault) {
        let connection = try AgentSocket()
        var request = request
        request.add(.language, language)
        try connection.send(request)
        let offer = try connection.receive(within: Self.answerLimit)
        guard let made = offer.number(.key).flatMap({ number in Int32(exactly: number) }), take(made) else {
            throw .broken
        }
        try connection.send(FrameWriter(.taken))
        _ = try connection.receive(within: Self.answerLimit)
    }

    /// Has something sealed by which another session of the person's can have a session's tokens, once.
    ///
    /// - Parameters:
    ///   - key: The serial of the session's token key.
    ///   - proof: The session's secret, or what else proves that this process is in it.
    ///   - seconds: For how long it is good.
    package func export(
        _ key: Int32, _ proof: borrowing Secret, lasting seconds: Int64
    ) throws(AgentFault) -> [UInt8] {
        let answer = try ask(.exportRequest) { request in
            request.add(.key, Int64(key))
            request.add(.proof, proof)
            request.add(.exportLife, seconds)
        }
        guard answer.kind == .exported, let sealed = answer.bytes(.sealed) else {
            throw .broken
        }
        return sealed
    }

    /// Has the tokens that something sealed leads to put into this process's session keyring.
    ///
    /// - Parameters:
    ///   - inbox: The serial of an inbox in that keyring.
    ///   - take: Links a key that came into the inbox into that keyring; whether it could.
    package func importTokens(
        _ sealed: [UInt8], inbox: Int32, take: (Int32) -> Bool
    ) throws(AgentFault) {
        var request = FrameWriter(.importRequest)
        request.add(.key, Int64(inbox))
        request.add(.sealed, sealed)
        try receive(request, take: take)
    }

    /// A request in whose course the agent asks the person.
    private func converse(
        _ request: consuming FrameWriter, _ person: some AgentConversation, within limit: Int64 = answerLimit,
        take: (Int32) -> Bool
    ) throws(AgentFault) {
        let connection = try AgentSocket()
        var request = request
        request.add(.language, language)
        try connection.send(request)
        while true {
            let message = try connection.receive(within: limit)
            var reply: FrameWriter
            switch message.kind {
            case .ask:
                guard
                    let answer = person.ask(
                        message.text(.text) ?? "", echo: message.code(.promptStyle) == PromptStyle.visible.rawValue)
                else {
                    throw .cancelled
                }
                reply = FrameWriter(.answer)
                reply.add(.answer, answer)
            case .show:
                person.show(message.text(.text) ?? "")
                continue
            case .inInbox:
                guard let key = message.number(.key).flatMap({ number in Int32(exactly: number) }), take(key) else {
                    throw .broken
                }
                reply = FrameWriter(.taken)
            default:
                return
            }
            try connection.send(reply)
        }
    }

    /// One request and its one answer. A full house is tried again a few times.
    private func ask(_ kind: MessageKind, _ fill: (inout FrameWriter) -> Void) throws(AgentFault) -> Frame {
        var pauses = Self.pauses[...]
        while true {
            var writer = FrameWriter(kind)
            fill(&writer)
            writer.add(.language, language)
            do throws(AgentFault) {
                let connection = try AgentSocket()
                try connection.send(writer)
                return try connection.receive(within: Self.answerLimit)
            } catch {
                guard error == .broken, let pause = pauses.popFirst() else {
                    throw error
                }
                linux_sleep_ms(pause)
                Trace.note(ToolWording.traceWaited(pause))
            }
        }
    }
}
