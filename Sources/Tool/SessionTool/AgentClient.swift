package import Base
internal import CLinux
internal import Commands
internal import Keyring
internal import Messages
package import Protocol

/// The person, as the agent's questions see them.
package protocol AgentConversation {
    /// Asks, with or without showing what is typed; nil when the person gives no answer.
    func ask(_ text: String, echo: Bool) -> Secret?
    func show(_ text: String)
}

extension Terminal: AgentConversation {}

/// `cognito-agent`, as a person's program sees it: each request is a connection of its own.
///
/// `key` is the serial of a session's token key. `inbox` is the serial of an inbox in this process's session keyring;
/// `take` links a key that came into it into that keyring, and returns whether it could.
package struct AgentClient: Agent, SignOutAgent, PoolSessionAgent {
    /// How long the agent may take for what needs no person, in milliseconds: it has limits of its own, which are
    /// shorter.
    private static let answerLimit: Int64 = 90_000
    /// The same, where another session of the person's is waited for.
    private static let attachLimit: Int64 = 150_000
    /// How long to wait before each further try, in milliseconds, when the agent has too much to do.
    private static let pauses: [Int64] = [50, 100, 200, 400, 800, 1600]

    package func renew(_ key: Int32, minimumLife: Int64) throws(AgentFault) -> Bool {
        let sign = ProgressSign()
        defer { sign.end() }
        let answer = try proving(key) { proof throws(AgentFault) in
            let asked = linux_boottime_ms()
            return try ask(.renewRequest) { request in
                request.addSession(key, proof)
                request.add(.minimumLife, minimumLife)
                request.add(.askedAt, asked)
            }
        }
        guard let outcome = answer.code(.renewalOutcome, RenewalOutcome.self) else {
            throw .broken
        }
        return outcome == .renewed
    }

    package func check(_ key: Int32, online: Bool) throws(AgentFault) {
        let sign = ProgressSign()
        defer { sign.end() }
        _ = try ask(.checkRequest, of: key) { request in request.add(.online, online) }
    }

    /// Reports for the log that a program was given a token. It waits for no answer; without an agent nothing is
    /// logged.
    func note(_ token: GrantedToken, _ use: HandOutUse) {
        guard let proof = try? proof(token.key) else {
            return
        }
        var note = FrameWriter(.handOut)
        note.addSession(token.key, proof)
        note.add(.tokenKind, token.kind == .access ? HandedToken.access : .identity)
        note.add(.handOutUse, use)
        try? AgentSocket().send(note)
    }

    package func signOut(_ key: Int32, _ scope: SignOutScope) throws(AgentFault) -> SignOutResult {
        let sign = ProgressSign()
        defer { sign.end() }
        let answer = try ask(.signOutRequest) { request in
            request.addSignOut(key, scope == .here ? .session : .global)
        }
        guard let result = SignOutResult(answer) else {
            throw .broken
        }
        return result
    }

    package func signOutOfMachine() throws(AgentFault) -> MachineSignOut {
        let sign = ProgressSign()
        defer { sign.end() }
        return try MachineSignOut(ask(.signOutRequest) { request in request.addSignOut(0, .machine) })
    }

    /// Ends sessions on this machine, whosever they are. For root, and without the socket: an agent is started for this
    /// alone.
    ///
    /// - Parameter whose: An account, or the number of a session.
    package func endSessions(_ whose: String) throws(AgentFault) -> MachineSignOut {
        let number = Int32(whose).flatMap { number in number > 0 ? number : nil }
        var request = FrameWriter(.signOutRequest)
        request.addSignOut(number ?? 0, .machine)
        request.add(.userName, ifPresent: number == nil ? Array(whose.utf8) : nil)
        return try MachineSignOut(begin(request, asRoot: true).receive(within: Self.answerLimit))
    }

    /// The user's sessions in this machine's registry.
    ///
    /// - Parameter isRoot: The sessions of all users, without the socket: an agent is started only for this.
    package func registeredSessions(asRoot isRoot: Bool) throws(AgentFault) -> [RegisteredSession] {
        let connection = try begin(FrameWriter(.registryRequest), asRoot: isRoot)
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

    package func poolSessions(_ key: Int32, ending ended: String?) throws(AgentFault) -> [[UInt8]] {
        let sign = ProgressSign()
        defer { sign.end() }
        let answer = try ask(.poolSessionsRequest, of: key) { request in
            request.add(.poolSession, ifPresent: ended.map { name in Array(name.utf8) })
        }
        return answer.list(.report)
    }

    /// Signs this process's person in, and has the tokens put into its session keyring.
    package func signIn(
        inbox: Int32, _ person: some AgentConversation, take: (Int32) -> Bool
    ) throws(AgentFault) {
        var request = FrameWriter(.signInRequest)
        request.add(.key, Int64(inbox))
        try converse(request, person, take: take)
    }

    /// Has credentials of AWS made, and put into the session keyring; the key that they are in.
    ///
    /// - Parameters:
    ///   - name: What the configuration calls them.
    ///   - isShared: Whether those that another session has, with the same tokens, are to be put there, too.
    ///   - found: The key with them, where another program has had them made: a house full of those is waited for.
    package func makeCredentials(
        for key: Int32, named name: [UInt8], inbox: Int32, sharing isShared: Bool, unless found: () -> Int32?,
        take: (Int32) -> Bool
    ) throws(AgentFault) -> Int32 {
        try proving(key) { proof throws(AgentFault) in
            var pauses = Self.pauses[...]
            while true {
                if let made = found() {
                    return made
                }
                var request = FrameWriter(.credentialRequest)
                request.addSession(key, proof)
                request.add(.inbox, Int64(inbox))
                request.add(.credentialName, name)
                if isShared {
                    request.add(.sharesCredentials, true)
                }
                do throws(AgentFault) {
                    return try receive(request, take: take)
                } catch {
                    guard error == .broken, let pause = pauses.popFirst() else {
                        throw error
                    }
                    linux_sleep_ms(pause)
                }
            }
        }
    }

    /// Has a forgotten password set anew; the person hears of it as it goes.
    ///
    /// - Parameter name: Whose, as bytes; nil: the caller's own.
    package func recoverPassword(of name: [UInt8]?, _ person: some AgentConversation) throws(AgentFault) {
        var request = FrameWriter(.recoverRequest)
        request.add(.userName, ifPresent: name)
        try converse(request, person) { _ in false }
    }

    /// Shows the person a code, and waits until another session of theirs gives its tokens to this one.
    package func attach(
        inbox: Int32, _ person: some AgentConversation, take: (Int32) -> Bool
    ) throws(AgentFault) {
        var request = FrameWriter(.attachRequest)
        request.add(.key, Int64(inbox))
        try converse(request, person, within: Self.attachLimit, take: take)
    }

    /// Gives a session's tokens to another one of the person's that waits.
    package func give(_ key: Int32, _ person: some AgentConversation) throws(AgentFault) {
        try proving(key) { proof throws(AgentFault) in
            var request = FrameWriter(.giveRequest)
            request.addSession(key, proof)
            try converse(request, person) { _ in false }
        }
    }

    /// Has the session's tokens locked.
    package func lock(_ key: Int32) throws(AgentFault) {
        _ = try ask(.lockRequest) { request in request.add(.key, Int64(key)) }
    }

    /// Has the tokens of all sessions of the caller's account `name` unlocked, by a proof that it is the person.
    package func unlock(_ name: [UInt8], _ person: some AgentConversation) throws(AgentFault) {
        var request = FrameWriter(.unlockRequest)
        request.add(.userName, name)
        try converse(request, person) { _ in false }
    }

    /// Has this process's session keyring get tokens that stay readable while the session's are locked.
    package func keep(_ key: Int32, inbox: Int32, take: (Int32) -> Bool) throws(AgentFault) {
        try proving(key) { proof throws(AgentFault) in
            var request = FrameWriter(.keepRequest)
            request.addSession(key, proof)
            request.add(.inbox, Int64(inbox))
            _ = try receive(request, take: take)
        }
    }

    /// Has something sealed by which another session of the person's can have a session's tokens, once, within so many
    /// seconds.
    package func export(_ key: Int32, lasting seconds: Int64) throws(AgentFault) -> [UInt8] {
        let answer = try ask(.exportRequest, of: key) { request in request.add(.exportLife, seconds) }
        return answer.bytes(.sealed) ?? []
    }

    /// Has the tokens that something sealed leads to put into this process's session keyring.
    package func importTokens(
        _ sealed: [UInt8], inbox: Int32, take: (Int32) -> Bool
    ) throws(AgentFault) {
        var request = FrameWriter(.importRequest)
        request.add(.key, Int64(inbox))
        request.add(.sealed, sealed)
        _ = try receive(request, take: take)
    }

    // MARK: Connections

    /// Sends a request.
    ///
    /// - Parameter isRoot: To an agent that is started for this alone, without the socket.
    private func begin(_ request: consuming FrameWriter, asRoot isRoot: Bool = false) throws(AgentFault) -> AgentSocket
    {
        let connection = isRoot ? try AgentSocket(startingAgent: ()) : try AgentSocket()
        var request = request
        request.add(.language, Array(Language.current.tag.description.utf8))
        try connection.send(request)
        return connection
    }

    /// A request that brings a key, or tells that it is there already.
    private func receive(_ request: consuming FrameWriter, take: (Int32) -> Bool) throws(AgentFault) -> Int32 {
        let connection = try begin(request)
        let offer = try connection.receive(within: Self.answerLimit)
        guard let made = offer.serial(.key) else {
            throw .broken
        }
        if offer.kind == .inInbox {
            guard take(made) else {
                throw .broken
            }
            try connection.send(FrameWriter(.taken))
            _ = try connection.receive(within: Self.answerLimit)
        }
        return made
    }

    /// A request in whose course the agent asks the person.
    private func converse(
        _ request: consuming FrameWriter, _ person: some AgentConversation, within limit: Int64 = answerLimit,
        take: (Int32) -> Bool
    ) throws(AgentFault) {
        let connection = try begin(request)
        while true {
            let message = try connection.receive(within: limit)
            var reply: FrameWriter
            switch message.kind {
            case .ask:
                let echo = message.code(.promptStyle, PromptStyle.self) == .visible
                guard let answer = person.ask(message.text(.text) ?? "", echo: echo) else {
                    throw .cancelled
                }
                reply = FrameWriter(.answer)
                reply.add(.answer, answer)
            case .show:
                person.show(message.text(.text) ?? "")
                continue
            case .inInbox:
                guard let key = message.serial(.key), take(key) else {
                    throw .broken
                }
                reply = FrameWriter(.taken)
            default:
                return
            }
            try connection.send(reply)
        }
    }

    /// One request and its one answer, which can be of one kind alone. A full house is tried again a few times.
    private func ask(_ kind: MessageKind, _ fill: (inout FrameWriter) -> Void) throws(AgentFault) -> Frame {
        var pauses = Self.pauses[...]
        while true {
            var request = FrameWriter(kind)
            fill(&request)
            do throws(AgentFault) {
                return try begin(request).receive(within: Self.answerLimit)
            } catch {
                guard error == .broken, let pause = pauses.popFirst() else {
                    throw error
                }
                linux_sleep_ms(pause)
                Trace.note(ToolWording.traceWaited(pause))
            }
        }
    }

    /// The same about a session that this process proves to be in.
    private func ask(
        _ kind: MessageKind, of key: Int32, _ fill: (inout FrameWriter) -> Void
    ) throws(AgentFault) -> Frame {
        try proving(key) { proof throws(AgentFault) in
            try ask(kind) { request in
                request.addSession(key, proof)
                fill(&request)
            }
        }
    }

    /// Asks with what proves that this process is in a session; once more where that has changed meanwhile, as what
    /// proves it of a session of version 0.1.0 does with each renewal.
    private func proving<Answer: ~Copyable>(
        _ key: Int32, _ ask: (borrowing Secret) throws(AgentFault) -> Answer
    ) throws(AgentFault) -> Answer {
        do throws(AgentFault) {
            return try ask(proof(key))
        } catch .refused(.notInSession, _) {
            return try ask(proof(key))
        }
    }

    /// The session's secret, or that of a job with tokens of its own (`exec --keep`). Where there is none, what the
    /// token key holds.
    private func proof(_ key: Int32) throws(AgentFault) -> Secret {
        if let secret = SessionKeyring.secret(beside: KeySerial(key)) {
            return secret
        }
        guard let payload = try? KeySerial(key).read(), let proof = sessionProof(payload) else {
            throw .refused(.notInSession, text: ToolWording.notInSession)
        }
        return proof
    }
}

extension FrameWriter {
    /// Names a session, and proves that this process is in it.
    fileprivate mutating func addSession(_ key: Int32, _ proof: borrowing Secret) {
        add(.key, Int64(key))
        add(.proof, proof)
    }

    fileprivate mutating func addSignOut(_ key: Int32, _ revocation: Revocation) {
        add(.key, Int64(key))
        add(.revocation, revocation)
        add(.tellsReach, true)
    }
}

extension MachineSignOut {
    fileprivate init(_ answer: borrowing Frame) throws(AgentFault) {
        guard let count = answer.number(.sessionCount) else {
            throw .broken
        }
        self.init(ended: count, left: answer.number(.sessionsLeft) ?? 0)
    }
}
