import Base
import Configuration
package import Keyring
import Protocol

/// What became of a request for credentials of another system.
package enum CredentialOutcome: OperationOutcome {
    /// They were made, and are in the session now.
    case made(CredentialKey)
    /// The session has them, from another request, and they are good for a while.
    case fresh(CredentialKey)
    /// AWS refused them a moment ago, and was not asked again.
    case refused
    /// The tokens are locked, and what is made of them with them.
    case locked
    /// There are none.
    case failed(OperationFailure)
}

/// Credentials for another system, made of a session's ID token by a worker, and kept with the session until shortly
/// before they end.
package struct SessionCredentials<System: Machine> {
    /// How many a session may have, by their names: the keys count for root.
    static var most: Int { 4 }
    /// For how long a refusal stands, in seconds: programs ask again and again.
    static var refusalLife: Int64 { 30 }

    private let machine: System

    /// Credentials of sessions of `machine`, which reaches the session that asks.
    package init(machine: System) {
        self.machine = machine
    }

    /// Has credentials made, unless the session has them: a request that waited for another one gets its credentials.
    ///
    /// - Parameters:
    ///   - name: What the configuration calls them.
    ///   - isKept: Whether it is for a job that goes on while the tokens are locked.
    ///   - milliseconds: How long to wait for another process that is at the same session.
    ///   - mayCall: Whether a service may be asked, once that is needed.
    package func obtain(
        _ key: RootKey, named name: [UInt8], keeping isKept: Bool = false, waiting milliseconds: Int32,
        ifMayCall mayCall: () -> Bool
    ) -> CredentialOutcome {
        machine.beginOperation(key, timeLimit: .max, waiting: milliseconds) { entry in
            guard machine.isDelivered(KeySerial(entry.tokenKey), description: entry.keyDescription) else {
                return .failed(.gone)
            }
            guard isKept || entry.locked.milliseconds == 0 else {
                return .locked
            }
            let found = machine.credentials(of: key).first { credential in credential.label.name == name }
            if let found, found.label.freshUntil > machine.time {
                return .fresh(found)
            }
            return machine.note(.refusal, about: name, of: key) == nil ? nil : .refused
        } ifMayCall: {
            mayCall()
        } request: { entry, limit throws(Fault) in
            var request = try machine.tokenFrame(.makeCredential, entry, timeLimit: limit)
            request.add(.credentialName, name)
            request.add(.identityID, ifPresent: machine.note(.identity, about: name, of: key))
            return try finished(request)
        } take: { answer, entry, step throws(Fault) in
            guard answer.kind == .credentialMade else {
                let (reason, line) = (answer.failureReason, logLine(of: answer))
                if reason == .credentialRefused || reason == .configuration {
                    machine.keep(.refusal, line.bytes, about: name, of: key, lasting: Self.refusalLife)
                }
                return .failed(.kept(reason, line))
            }
            if let identity = answer.bytes(.identityID) {
                machine.keep(.identity, identity, about: name, of: key, lasting: max(1, entry.expires - machine.time))
            }
            return try take(answer, name, key)
        }.finish()
    }

    private func take(
        _ answer: borrowing Frame, _ name: [UInt8], _ key: RootKey
    ) throws(Fault) -> CredentialOutcome {
        let now = machine.time
        guard let credential = answer.secret(.credential), let end = answer.number(.credentialExpiry),
            (now + 1...now + 13 * 3600).contains(end)
        else {
            throw Fault(
                "the credentials are too large, or have expired according to this machine's clock; check the clock")
        }
        // Programs ask for newer ones a quarter of an hour before the end (botocore).
        let life = end - now
        let label = CredentialLabel(name: name, freshUntil: end - min(900, life / 4), end: end)
        let others = machine.credentials(of: key)
        let made: KeySerial
        do throws(ErrorNumber) {
            made = try machine.deliver(credential, labelled: label, entry: key, expiringIn: life)
        } catch {
            throw Fault("the credentials could not be put into the session (errno \(error.code))")
        }
        dismiss(others, inFavorOf: name)
        return .made(CredentialKey(serial: made, label: label))
    }

    /// Destroys older credentials of that name, and of others those that end first, as far as they are too many.
    private func dismiss(_ older: [CredentialKey], inFavorOf name: [UInt8]) {
        var others: [CredentialKey] = []
        for credential in older {
            if credential.label.name == name {
                machine.destroy(credential.serial)
            } else {
                others.append(credential)
            }
        }
        others.sort { left, right in left.label.end < right.label.end }
        for credential in others.prefix(max(0, others.count - Self.most + 1)) {
            machine.destroy(credential.serial)
        }
    }
}
