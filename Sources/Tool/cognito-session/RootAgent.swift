internal import Commands
internal import Messages
internal import Protocol

extension AgentClient {
    /// The client of this program's person.
    static var own: AgentClient {
        AgentClient(language: Array(Language.current.tag.description.utf8))
    }
}

extension Terminal: AgentConversation {}

/// `cognito-agent`, behind its socket.
struct RootAgent: Agent, SignOutAgent, PoolSessionAgent {
    private let client = AgentClient.own

    func renew(_ key: Int32, minimumLife: Int64) throws(AgentFailure) -> Bool {
        try awaiting { () throws(AgentFault) in
            try proving(key) { proof throws(AgentFault) in
                try client.renew(key, proof, minimumLife: minimumLife) == .renewed
            }
        }
    }

    func check(_ key: Int32, online: Bool) throws(AgentFailure) {
        try awaiting { () throws(AgentFault) in
            try proving(key) { proof throws(AgentFault) in try client.check(key, proof, online: online) }
        }
    }

    /// Has the log say that a token was given away.
    func note(_ token: GrantedToken, _ use: HandOutUse) {
        guard let proof = try? proof(token.key) else {
            return
        }
        client.note(token.kind == .access ? .access : .identity, of: token.key, proof, use)
    }

    func signOut(_ key: Int32, _ scope: SignOutScope) throws(AgentFailure) -> SignOutResult {
        try awaiting { () throws(AgentFault) in try client.signOut(key, scope == .here ? .session : .global) }
    }

    func poolSessions(_ key: Int32, ending ended: String?) throws(AgentFault) -> [[UInt8]] {
        let sign = ProgressSign()
        defer { sign.end() }
        return try proving(key) { proof throws(AgentFault) in try client.poolSessions(key, proof, ending: ended) }
    }

    func signOutOfMachine() throws(AgentFailure) -> MachineSignOut {
        try awaiting { () throws(AgentFault) in try client.signOutOfMachine() }
    }

    /// Shows the user that the program waits for an answer.
    private func awaiting<Answer>(_ ask: () throws(AgentFault) -> Answer) throws(AgentFailure) -> Answer {
        let sign = ProgressSign()
        defer { sign.end() }
        do throws(AgentFault) {
            return try ask()
        } catch {
            throw AgentFailure(error)
        }
    }
}

extension AgentFailure {
    init(_ fault: AgentFault) {
        switch fault {
        case .absent: self = .absent
        case .refused(.noSession, _): self = .unknownSession
        case .refused(.notInSession, _): self = .notInSession
        case .refused(.endedElsewhere, _): self = .ended
        case .refused(.unreachable, _): self = .unreachable
        case .refused(.throttled, _): self = .throttled
        case .refused(.serviceFault, _): self = .serviceFault
        case .refused(.invalidTokens, _): self = .invalid
        case .refused(.renewalLost, _): self = .renewalLost
        case .refused(.locked, _): self = .locked
        case .refused(.busy, _): self = .busy
        case .refused, .broken, .cancelled: self = .fault
        }
    }
}
