package import Base
package import Keyring

// How keys come into a session. What else is done with keyrings(7) is in `RootKeyrings`.

extension LinuxMachine {
    package func deliver(
        _ bundle: borrowing Secret,
        description: [UInt8],
        to account: Account,
        entry: RootKey,
        expiringIn seconds: Int64
    ) throws(ErrorNumber) -> KeySerial {
        let secret = try SessionSecret.make()
        let hold = { (key: KeySerial) throws(ErrorNumber) in try self.hold(key, for: entry) }
        guard let delivery else {
            return try TokenKey.deliver(
                bundle, provedBy: secret, description: description, to: account, timeout: seconds, hold: hold)
        }
        let proof = try delivery(secret, SessionSecret.description(beside: description), seconds, hold)
        do {
            return try delivery(bundle, description, seconds, hold)
        } catch {
            proof.invalidate()
            throw error
        }
    }

    package func deliver(
        _ credential: borrowing Secret, labelled label: CredentialLabel, entry: RootKey, expiringIn seconds: Int64
    ) throws(ErrorNumber) -> KeySerial {
        guard let delivery else {
            throw .noKey
        }
        let key = try delivery(credential, label.description, seconds) { key throws(ErrorNumber) in
            try self.hold(credential: key, for: entry)
        }
        // Unlike tokens they cannot be renewed: after their end they have no use.
        try limit(credential: key, to: seconds)
        return key
    }
}
