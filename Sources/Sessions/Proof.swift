import Base
package import Configuration
package import Protocol

/// How strongly a person has proved who they are, as their verified tokens say.
package struct Proof: Equatable {
    /// The level (`acr`); nil where the tokens do not say.
    package let acr: [UInt8]?
    /// By which methods (`amr`).
    package let amr: [[UInt8]]
    /// When (`auth_time`), in seconds since the epoch; nil where the tokens do not say.
    package let authenticatedAt: Int64?

    /// A proof by its parts.
    package init(acr: [UInt8]? = nil, amr: [[UInt8]] = [], authenticatedAt: Int64?) {
        self.acr = acr
        self.amr = amr
        self.authenticatedAt = authenticatedAt
    }

    /// What a worker says of tokens that it has verified.
    package init(_ message: borrowing Frame) {
        self.init(
            acr: message.bytes(.acr), amr: message.list(.amr), authenticatedAt: message.number(.authenticatedAt))
    }

    /// The fields of an event about it; none where no level was reached.
    package var auditFields: AuditFields {
        guard let acr else {
            return [:]
        }
        let methods = Array(amr.joined(separator: [UInt8(ascii: ",")]))
        return ["acr": .outside(acr), "amr": .outside(methods), "auth_time": "\(authenticatedAt ?? 0)"]
    }
}

/// Why a proof is not the one that is required.
package enum ProofShortfall: Equatable {
    /// The tokens say nothing of a level.
    case noLevel
    /// None that is required.
    case otherLevel
    /// It was given too long ago, or at an unknown time.
    case tooOld
}

/// How far clocks may differ, in seconds.
var clockTolerance: Int64 { 60 }

extension Settings {
    /// What a proof lacks, at `time`, of the one that is required; nil: nothing.
    package func shortfall(of proof: Proof, at time: Int64) -> ProofShortfall? {
        guard !requiredACR.isEmpty else {
            return nil
        }
        guard isRecent(proof, within: maxAge, at: time) else {
            return .tooOld
        }
        guard let acr = proof.acr else {
            return .noLevel
        }
        return requiredACR.contains(acr) ? nil : .otherLevel
    }

    /// Whether the user has authenticated within so many seconds before `time`.
    package func isRecent(_ proof: Proof, within seconds: Int64, at time: Int64) -> Bool {
        guard let authenticatedAt = proof.authenticatedAt else {
            return false
        }
        let (age, overflow) = time.subtractingReportingOverflow(authenticatedAt)
        // Clocks differ a little; a time that is still to come is no sign-in.
        return !overflow && age >= -clockTolerance && age <= seconds
    }
}
