package import Base
package import Keyring
package import Sessions

/// What a person may not do without end.
package enum Charge: Sendable {
    /// A call to Cognito about a session.
    case call
    /// The same, for an end that the person wants.
    case signOut
    /// A conversation with Cognito about a person.
    case conversation
    /// A code that Cognito sends to that name's owner.
    case recovery(of: [UInt8])
}

/// What the agent needs of the machine, other than what the hooks do.
package protocol AgentSurroundings {
    associatedtype System: Machine
    associatedtype Sessions: SessionControl
    associatedtype Offers: OfferRegistry

    /// The machine, as the hooks know it.
    var machine: System { get }
    /// What reaches its sessions.
    var sessions: Sessions { get }
    /// Those who wait for tokens of another session.
    var offers: Offers { get }
    /// The name of an account; nil when there is none.
    func accountName(_ userID: UInt32) -> [UInt8]?
    /// Returns the machine, for a session that is begun for `process` of `userID`, and whose tokens go through its
    /// inbox; nil if there is no such inbox, or no process whose end would end the session.
    ///
    /// - Parameter isTaken: Tells the process of the token key, and waits until it has that.
    func machine(
        forSessionOf process: Int32,
        _ userID: UInt32,
        inbox: KeySerial,
        isTaken: @escaping (KeySerial) -> Bool
    ) -> System?
    /// The process of that number, where it runs with `userID`'s rights alone and in this pid namespace.
    func plainProcess(_ process: Int32, of userID: UInt32) -> ProcessIdentity?
    /// Where that process is.
    func origin(of process: Int32) -> ProcessOrigin
    /// Whether that is an inbox of `userID`'s.
    func isInbox(_ ring: KeySerial, of userID: UInt32) -> Bool
    /// Gives the session with that inbox a key of another one, with tokens or credentials; false: it has not taken it.
    ///
    /// - Parameters:
    ///   - secret: The key that proves that a program has those tokens.
    ///   - isTaken: Tells the process of the key that is in its inbox, and waits until it has that.
    func handOver(
        _ key: KeySerial, provedBy secret: KeySerial?, into inbox: KeySerial, of userID: UInt32,
        isTaken: @escaping (KeySerial) -> Bool
    ) -> Bool
    /// Seals something to this machine and that name; nil where it cannot be done here.
    func seal(_ content: borrowing Secret, name: [UInt8]) -> Secret?
    /// Opens what was sealed; nil where that was not done here and under that name.
    func unseal(_ content: consuming Secret, name: [UInt8]) -> Secret?
    /// Takes one of the person's turns; false when there is none left for now. Throws where they cannot be counted,
    /// unless it is for signing out.
    func takeTurn(_ charge: Charge, of userID: UInt32) throws(ErrorNumber) -> Bool
    /// Writes a line to the system's log (authpriv).
    func log(_ severity: LogSeverity, _ line: LogLine)
}
