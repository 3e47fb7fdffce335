internal import Base
internal import CognitoIdentityProvider
internal import Cryptography
internal import Protocol
internal import Tokens

/// The data that makes this host a remembered device of one user.
///
/// The root side stores it without reading it: four lines, of which the first is the number of this format.
final class RememberedDevice {
    /// Bytes of randomness in a device's password and in its salt, as Amazon's own clients have them.
    private static let passwordSize = 40
    private static let saltSize = 16
    private static let form = "1"

    let key: String
    let groupKey: String
    /// The device's password. Only this machine has it: the service has a verifier.
    let password: SecretValue

    /// A new password for a device that the service offers to remember.
    private init(_ device: NewDevice) throws(CryptographyError) {
        let random = try RandomBytes.secret(Self.passwordSize)
        guard let password = random.withBytes({ bytes in Base64.standard.encode(secret: bytes) }) else {
            throw CryptographyError("get memory")
        }
        key = device.key
        groupKey = device.groupKey
        self.password = SecretValue(password)
    }

    /// Decodes the stored data; nil if it has another format.
    init?(decoding kept: borrowing Secret) {
        var lines: [String] = []
        var start = 0
        let password: SecretValue? = kept.withBytes { bytes in
            for offset in 0..<bytes.byteCount where lines.count < 3 && bytes.byte(at: offset) == 0x0a {
                lines.append(StepSurroundings.text(bytes.extracting(start..<offset).copied()) ?? "")
                start = offset + 1
            }
            return start < bytes.byteCount ? SecretValue(copying: bytes.extracting(start..<bytes.byteCount)) : nil
        }
        guard lines.count == 3, lines[0] == Self.form, NewDevice.isKey(lines[1]), NewDevice.isKey(lines[2]),
            let password
        else {
            return nil
        }
        key = lines[1]
        groupKey = lines[2]
        self.password = password
    }

    /// Encodes the data to store; nil when there is no memory.
    func encoded() -> Secret? {
        let head = Array("\(Self.form)\n\(key)\n\(groupKey)\n".utf8)
        guard var kept = Secret(capacity: head.count + password.count), kept.append(head),
            password.withBytes({ bytes in kept.append(bytes) })
        else {
            return nil
        }
        return kept
    }

    /// The identity that the password belongs to, for SRP.
    var identity: SRPIdentity {
        SRPIdentity(realm: groupKey, identifier: key)
    }

    /// Makes this host a device of the person whose access token that is: ConfirmDevice, and UpdateDeviceStatus where
    /// the pool leaves it to the person whether devices are remembered. One that is confirmed and not remembered is a
    /// device all the same: its tokens are renewed with its key.
    ///
    /// - Returns: The device, and what the log is to be told of it.
    static func confirm(
        _ device: NewDevice, accessToken: SecretValue, client: CognitoClient, name: String?
    ) throws(StepFailure) -> (device: RememberedDevice, remark: String?) {
        let remembered: RememberedDevice
        let registered: (verifier: String, salt: String)
        do {
            remembered = try RememberedDevice(device)
            let salt = try RandomBytes.secret(saltSize).withBytes { bytes in bytes.copied() }
            registered = try remembered.password.withBytes { password throws(CryptographyError) in
                try SecureRemotePassword.deviceVerifier(salt: salt, identity: remembered.identity, password: password)
            }
        } catch {
            throw StepFailure(.internalFault, error.description)
        }
        let asksPerson: Bool
        do {
            asksPerson = try client.confirm(
                device, accessToken: accessToken, verifier: registered.verifier, salt: registered.salt, name: name)
        } catch {
            let failure = StepFailure(signIn: error)
            guard error.mayHaveBeenCarriedOut else {
                throw failure
            }
            return (
                remembered,
                "It is unknown whether this host is now one of the user's devices; pam-cognito assumes that it is. "
                    + failure.logText
            )
        }
        do {
            if asksPerson {
                try client.remember(device, accessToken: accessToken)
            }
        } catch {
            let failure = StepFailure(signIn: error)
            return (
                remembered,
                "This host is now one of the user's devices, but Cognito did not confirm that it remembers the "
                    + "device, so MFA is still required. \(failure.logText)"
            )
        }
        return (remembered, nil)
    }
}
