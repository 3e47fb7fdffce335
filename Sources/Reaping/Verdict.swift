package import ByteText
import KernelKeyring
import LinuxProcess
package import LoginCore

/// What one entry of the registry needs.
package enum Verdict: Equatable {
    /// Its host lives and will end it.
    case leave
    /// It belongs to another container, where it is ended; how that is known.
    case foreign(ByteText)
    /// It ended without a word; what happened.
    case end(ByteText)
}

extension Machine {
    /// What an entry of this machine's registry needs.
    package func judge(_ entry: borrowing RegistryEntry) -> Verdict {
        let isOfContainer = entry.pidNamespace != pidNamespace
        if isOfContainer, !isGone(entry.host, from: entry.pidNamespace) {
            return .foreign("it is of another container (pid namespace \(entry.pidNamespace.inode))")
        }
        switch entry.state {
        case .pending:
            let age = now.milliseconds - entry.created.milliseconds
            return age > pendingGrace ? .end("no session followed") : .leave
        case .open, .held:
            return !isOfContainer && isAlive(entry.host) ? .leave : .end("its host is gone")
        case .closing:
            return .end("sign-out was not finished")
        }
    }
}
