package import Base
import Configuration
package import Keyring
import Protocol

/// What became of a renewal.
package enum Renewal: Equatable, OperationOutcome {
    /// The session has new tokens; when the access token ends, in seconds since the epoch.
    case renewed(until: Int64, note: RenewalNote? = nil)
    /// The tokens are good for long enough, or another process has just renewed them. Cognito was not asked.
    case fresh(until: Int64)
    case failed(OperationFailure)
}

/// Renews sessions: one process at a time, registry first, in place.
package struct SessionRenewal<System: Machine> {
    private let machine: System

    package init(machine: System) {
        self.machine = machine
    }

    /// Begins to renew one session, unless that has been done since it was asked for.
    ///
    /// - Parameters:
    ///   - minimumLife: For how many seconds the access token must still be good.
    ///   - asked: When it was asked for: tokens that are newer than this are not renewed again, so that many who ask at
    ///     once make one call.
    ///   - timeLimit: All of the network in milliseconds, where it is less than what the configuration says.
    ///   - milliseconds: How long to wait for another process that is at the same session.
    ///   - keepsRefused: Whether a session that Cognito refuses is left as it is, for its own turn.
    ///   - mayCall: Whether Cognito may be asked, once that is needed.
    ///   - whenLate: Is told what comes of it for the time being, when Cognito's answer is late and waited for, so that
    ///     no new tokens are lost; nil: it is not waited for.
    package func renew(
        _ key: RootKey,
        minimumLife: Int64,
        asked: Instant,
        timeLimit: Int64 = .max,
        waiting milliseconds: Int32,
        keepingRefused keepsRefused: Bool = false,
        ifMayCall mayCall: () -> Bool,
        whenLate: ((Renewal) -> Void)? = nil
    ) -> SessionOperation<Renewal> {
        machine.beginOperation(key, timeLimit: timeLimit, waiting: milliseconds) { entry in
            guard machine.isDelivered(KeySerial(entry.tokenKey), description: entry.keyDescription) else {
                return .failed(.gone)
            }
            // Both are no later than a key's life can be set: the difference is within bounds.
            let left = entry.accessTokenExpiry - machine.time
            return left > 0 && !entry.tokenKeyIsStale && (left >= minimumLife || entry.renewed >= asked)
                ? .fresh(until: entry.accessTokenExpiry) : nil
        } ifMayCall: {
            mayCall()
        } whenLate: { outcome in
            whenLate?(outcome)
        } request: { entry, limit throws(Fault) in
            var request = try machine.tokenFrame(.renew, entry, timeLimit: limit)
            request.add(.withholdRefreshToken, entry.withholdsRefreshToken)
            request.add(.refreshTokenValidity, max(1, entry.expires - machine.time))
            if whenLate != nil {
                request.add(.takesLateAnswer, true)
            }
            return try finished(request)
        } take: { answer, entry, step throws(Fault) in
            guard answer.kind == .renewed else {
                return failure(answer, key, &entry, keepsRefused)
            }
            return try take(answer, &entry, step)
        }
    }

    /// The registry first: from then on the session's end revokes what is new.
    private func take(
        _ answer: borrowing Frame, _ entry: inout RegistryEntry, _ step: PendingStep<System>
    ) throws(Fault) -> Renewal {
        guard let name = answer.bytes(.userName), entry.isTheirs(name), let bundle = answer.secret(.bundle),
            // All of it, unless the refresh token is withheld.
            let visible = answer.secret(.sessionBundle) ?? answer.secret(.bundle),
            let expiry = answer.number(.accessTokenExpiry), expiry > 0
        else {
            throw Fault("the renewed tokens belong to another user, or are too large. The tokens are not used")
        }
        entry.bundle = bundle
        entry.accessTokenExpiry = expiry
        entry.renewed = machine.now
        // If this process is killed before the session has them, the entry says so.
        entry.tokenKeyIsStale = true
        do throws(ErrorNumber) {
            try machine.write(step.key, &entry)
        } catch {
            throw Fault(
                "the renewed tokens cannot be registered (errno \(error.code)); the session keeps the old tokens")
        }
        // It may be gone by now: nothing depends on its hearing this.
        try? step.send(try finished(FrameWriter(.registered)))
        do throws(ErrorNumber) {
            try machine.update(
                KeySerial(entry.tokenKey), description: entry.keyDescription, with: visible, entry: step.key,
                expiringIn: max(1, entry.expires - machine.time))
        } catch {
            guard [.diskQuotaExceeded, .noMemory].contains(error) else {
                return .failed(.gone)
            }
            throw Fault(
                """
                the renewed tokens cannot be put into the session (errno \(error.code)); the tokens are in the \
                registry
                """)
        }
        entry.tokenKeyIsStale = false
        try? machine.write(step.key, &entry)
        return .renewed(until: expiry, note: machine.renewGroups(answer, of: entry))
    }

    private func failure(
        _ answer: borrowing Frame, _ key: RootKey, _ entry: inout RegistryEntry, _ keepsRefused: Bool
    ) -> Renewal {
        let line = logLine(of: answer)
        let reason = answer.failureReason
        guard reason == .sessionEnded else {
            if ![.unreachable, .throttled, .serviceFault].contains(reason) {
                // Asking again immediately does not fix that.
                entry.checked = machine.now
                try? machine.write(key, &entry)
            }
            return .failed(.kept(reason, line))
        }
        if !keepsRefused {
            machine.clear(key, &entry, after: answer)
        }
        return .failed(.ended(answer.flag(.ranOut) ? "\(line)\(earlyEnd(entry))" : line))
    }

    /// What the refusal of a refresh token that has run out shows, where its person was told of a later end: for the
    /// log.
    private func earlyEnd(_ entry: borrowing RegistryEntry) -> ByteText {
        let life = max(0, machine.now.milliseconds - entry.created.milliseconds) / 1000
        let early = entry.expires - machine.time
        // Cognito counts from its own answer, and no clock is right to the second.
        guard early > 60 else {
            return ""
        }
        return """
             The refresh token was valid for at most \(life) seconds, but refresh_token_validity is \
            \(life + early): set this option to the app client's value, so that users are notified before the token \
            expires
            """
    }
}
