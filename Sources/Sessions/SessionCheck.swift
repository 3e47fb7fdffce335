package import Base
import Configuration
package import Keyring
import Protocol

/// What a check found out about a session.
package enum Checked: Equatable, OperationOutcome {
    /// The tokens are genuine; and accepted by Cognito, if it was asked.
    case good(CheckedTokens)
    /// The tokens are not genuine, or another user's. A line for the log.
    case invalid(ByteText)
    /// Nothing was found out.
    case failed(OperationFailure)
}

/// What genuine tokens say of their user.
package struct CheckedTokens: Equatable {
    /// How they proved who they are.
    package let proof: Proof
    package let groups: [[UInt8]]
    /// The place that was asked for, see `Field.sessionPlace`; nil where Cognito did not say.
    package let place: Int64?
    /// What the log is to be told of a renewal that it took.
    package let note: RenewalNote?

    package init(_ proof: Proof, groups: [[UInt8]], place: Int64? = nil, note: RenewalNote? = nil) {
        self.note = note
        self.proof = proof
        self.groups = groups
        self.place = place
    }
}

extension Checked {
    /// What a renewal says of the session.
    package init(_ renewal: Renewal) {
        self =
            switch renewal {
            case .renewed(_, let note): .good(CheckedTokens(Proof(authenticatedAt: nil), groups: [], note: note))
            case .fresh: .good(CheckedTokens(Proof(authenticatedAt: nil), groups: []))
            case .failed(let failure): .failed(failure)
            }
    }
}

/// Checks sessions: their tokens as at sign-in, and what Cognito says of them. Where Cognito refuses the access token
/// alone, a renewal decides.
package struct SessionCheck<System: Machine> {
    let machine: System

    package init(machine: System) {
        self.machine = machine
    }

    /// Begins to check one session.
    ///
    /// - Parameters:
    ///   - isOnline: Whether Cognito is asked, too. The pool's key set may be fetched in any case.
    ///   - isOpening: Whether something is opened by it, so that tokens which have ended are not good, either.
    ///   - placed: Of which session of the person's the place among theirs is asked for, too: see `Field.sessionPlace`.
    ///     Another one than this leaves this one as it is, whatever comes of it.
    ///   - timeLimit: All of the network in milliseconds, where it is less than what the configuration says.
    ///   - milliseconds: How long to wait for another process that is at the same session: a renewal must not take the
    ///     tokens away while Cognito is asked about them.
    ///   - mayCall: Whether Cognito may be asked, once that is needed.
    package func check(
        _ key: RootKey,
        online isOnline: Bool,
        opening isOpening: Bool = false,
        placing placed: Int64? = nil,
        timeLimit: Int64 = .max,
        waiting milliseconds: Int32,
        ifMayCall mayCall: () -> Bool
    ) -> SessionOperation<Checked> {
        let begun = machine.now
        return look(
            key, online: isOnline, opening: isOpening, placing: placed, timeLimit: timeLimit, waiting: milliseconds,
            ifMayCall: mayCall
        ).map { checked in
            // A refusal of the access token alone: by Cognito's clock it has run out before its time, or another
            // session's end in the same second took it along.
            guard case .failed(.kept(.accessTokenExpired, _)) = checked else {
                return checked
            }
            // A user waits for the session to open, and must not wait longer than without this.
            let left = { isOpening ? max(1, timeLimit - (machine.now.milliseconds - begun.milliseconds)) : timeLimit }
            let renewal = SessionRenewal(machine: machine).renew(
                key, minimumLife: .max, asked: machine.now, timeLimit: left(), waiting: milliseconds,
                keepingRefused: placed ?? 0 > 0, ifMayCall: { true }, whenLate: isOpening ? nil : { _ in }
            ).finish()
            let renewed = Checked(renewal)
            guard isOpening, case .good(let tokens) = renewed else {
                return renewed
            }
            // What the new tokens say.
            let found = look(
                key, online: false, opening: true, timeLimit: left(), waiting: milliseconds, ifMayCall: { true }
            ).finish()
            guard case .good(let new) = found else {
                return found
            }
            return .good(CheckedTokens(new.proof, groups: new.groups, place: new.place, note: tokens.note))
        }
    }

    /// Whether Cognito refuses the tokens of a login that no session has yet; what it does not say counts for them.
    package func isRefused(_ key: RootKey) -> Bool {
        guard let entry = machine.readEntry(key) else {
            return false
        }
        do throws(Fault) {
            let limit = machine.networkLimit(entry)
            var request = try machine.tokenFrame(.check, entry, timeLimit: limit)
            request.add(.online, true)
            var step = try WorkerStep(
                try finished(request), to: try machine.startWorker(), timeLimit: limit + 1000)
            guard let answer = try step.result(ofPool: entry.userPoolID, on: machine), answer.kind == .failed else {
                return false
            }
            return [.sessionEnded, .accessTokenExpired].contains(answer.failureReason)
        } catch {
            return false
        }
    }

    private func look(
        _ key: RootKey,
        online isOnline: Bool,
        opening isOpening: Bool,
        placing placed: Int64? = nil,
        timeLimit: Int64,
        waiting milliseconds: Int32,
        ifMayCall mayCall: () -> Bool
    ) -> SessionOperation<Checked> {
        machine.beginOperation(key, timeLimit: timeLimit, waiting: milliseconds, ifMayCall: mayCall) {
            entry, limit throws(Fault) in
            var request = try machine.tokenFrame(.check, entry, timeLimit: limit)
            request.add(.online, isOnline)
            request.add(.unexpired, isOpening)
            request.add(.sessionPlace, ifPresent: placed)
            return try finished(request)
        } take: { answer, entry, _ in
            guard answer.kind == .checked else {
                return failure(answer, key, &entry, placing: placed)
            }
            let place = answer.number(.sessionPlace)
            if isOnline {
                // What Cognito did not say is taken for what excludes least.
                enter(key, &entry, place: placed == 0 ? place ?? 1 : nil)
            }
            return .good(CheckedTokens(Proof(answer), groups: answer.list(.group), place: place))
        }
    }

    /// Enters that the session was looked at. Where that fails, it is again sooner than need be.
    private func enter(_ key: RootKey, _ entry: inout RegistryEntry, place: Int64? = nil) {
        entry.place = place ?? entry.place
        entry.checked = machine.now
        try? machine.write(key, &entry)
    }

    private func failure(
        _ answer: borrowing Frame, _ key: RootKey, _ entry: inout RegistryEntry, placing placed: Int64?
    ) -> Checked {
        let line = logLine(of: answer)
        switch answer.failureReason {
        case .sessionEnded:
            if placed ?? 0 <= 0 {
                machine.clear(key, &entry, after: answer)
            }
            return .failed(.ended(line))
        case .invalidTokens, .otherIdentity:
            enter(key, &entry)
            return .invalid(line)
        case .configuration:
            // Asking again immediately does not fix that.
            enter(key, &entry, place: placed == 0 ? entry.place ?? 1 : nil)
            return .failed(.kept(.configuration, line))
        case let reason:
            return .failed(.kept(reason, line))
        }
    }
}
