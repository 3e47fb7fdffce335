package import Base
import Keyring
package import Sessions

/// What one entry of the registry needs.
package enum Verdict: Equatable {
    /// Its host lives and will end it.
    case leave
    /// Whether its host lives cannot be told; why.
    case unknown(ByteText)
    /// It belongs to another container, where it is ended; how that is known.
    case foreign(ByteText)
    /// It ended without a word; what happened.
    case end(ByteText)

    /// Why it is left alone although its host may be gone.
    var doubt: ByteText? {
        switch self {
        case .foreign(let why), .unknown(let why): why
        case .leave, .end: nil
        }
    }

    /// Whether this machine looks after it.
    var isOurs: Bool {
        if case .foreign = self { false } else { true }
    }
}

/// Why a session is left alone of whose host nothing can be known now.
func unknownHost(_ error: ErrorNumber) -> ByteText {
    "the state of the PAM application is unknown (errno \(error.code))"
}

extension Machine {
    /// What an entry of this machine's registry needs.
    package func judge(_ entry: borrowing RegistryEntry) -> Verdict {
        let isOfContainer = entry.pidNamespace != pidNamespace
        let namespace = entry.pidNamespace
        let life = { process in isOfContainer ? self.life(of: process, from: namespace) : self.life(of: process) }
        let host = entry.state == .pending ? claimant(of: entry, life) : life(entry.host)
        if isOfContainer, host != .gone {
            return .foreign("the session belongs to another container (pid namespace \(namespace.inode))")
        }
        if entry.state == .closing {
            return .end("the sign-out was not finished")
        }
        switch host {
        case .alive: return .leave
        case .gone:
            return .end(
                entry.state == .pending ? "no session was opened after the sign-in" : "the PAM application has ended")
        case .unknown(let error): return .unknown(unknownHost(error))
        }
    }
}
