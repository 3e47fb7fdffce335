package import ByteText
package import LoginCore

/// What a person may not do without end.
package enum Charge: Sendable {
    /// A connection.
    case connection
    /// A call to Cognito.
    case call
}

/// What the agent needs of the machine, other than what the hooks do.
package protocol AgentSurroundings {
    associatedtype System: Machine

    /// The machine, as the hooks know it.
    var machine: System { get }
    /// Takes one of the person's turns; false when there is none left for now.
    func takeTurn(_ charge: Charge, of userID: UInt32) -> Bool
    /// Writes a line to the system's log (authpriv).
    func log(_ severity: Severity, _ line: ByteText)
}
