package import Base

/// One packet to `cognito-agent seal`: seal this, or unseal it. It runs systemd-creds(1), which no PAM host should.
package struct SealingRequest: ~Copyable {
    /// What is to be done.
    package enum SecretKind: UInt8, Sendable {
        case seal = 1
        case unseal = 2
    }

    /// The most bytes of either form.
    package static let largestSize = 16_384

    /// What is to be done.
    package let kind: SecretKind
    /// The name that is sealed in: under another one nothing can be unsealed.
    package let name: [UInt8]
    /// The secret, or its sealed form.
    package let content: Secret

    /// Makes a request; `name` has at most 255 bytes.
    package init(_ kind: SecretKind, name: [UInt8], content: consuming Secret) {
        self.kind = kind
        self.name = name
        self.content = content
    }

    /// Reads a packet; nil when it is no request.
    package init?(decoding packet: borrowing Secret) {
        var kind: SecretKind?
        var name: [UInt8] = []
        let content: Secret? = packet.withBytes { bytes in
            guard let length = bytes.byte(at: 1).map({ length in Int(length) }), length > 0,
                bytes.byteCount > 2 + length
            else {
                return nil
            }
            kind = bytes.byte(at: 0).flatMap { code in SecretKind(rawValue: code) }
            name = bytes.extracting(2..<(2 + length)).copied()
            return Secret(copying: bytes.extracting((2 + length)..<bytes.byteCount))
        }
        guard let kind, let content else {
            return nil
        }
        self.kind = kind
        self.name = name
        self.content = content
    }

    /// The packet; nil when there is no memory, or the name is too long.
    package borrowing func encode() -> Secret? {
        guard (1...255).contains(name.count), var packet = Secret(capacity: 2 + name.count + content.count),
            packet.append([kind.rawValue, UInt8(truncatingIfNeeded: name.count)] + name),
            content.withBytes({ bytes in packet.append(bytes) })
        else {
            return nil
        }
        return packet
    }
}

/// The answer's first byte; what was asked for follows it where it was done. Thrown where it was not.
package enum SealingOutcome: UInt8, Error {
    case done = 0
    /// There is no systemd-creds here, it has no key to seal with, or it took too long.
    case unavailable = 1
    /// It cannot be unsealed: it is damaged, or was sealed with another key.
    case refused = 2
}

/// Has something sealed or unsealed by a process of its own.
package struct Sealer {
    /// Milliseconds that it may take: a TPM can be slow.
    private static let timeLimit: Int32 = 6000

    /// Seals `content`; nil when it cannot be done here.
    package static func seal(_ content: borrowing Secret, name: [UInt8]) -> Secret? {
        guard let copy = content.duplicate() else {
            return nil
        }
        return try? ask(SealingRequest(.seal, name: name, content: copy))
    }

    package static func unseal(_ content: consuming Secret, name: [UInt8]) throws(SealingOutcome) -> Secret {
        try ask(SealingRequest(.unseal, name: name, content: content))
    }

    private static func ask(_ request: consuming SealingRequest) throws(SealingOutcome) -> Secret {
        guard let packet = request.encode(), let process = try? ChildProcess(startingSealer: ()) else {
            throw .unavailable
        }
        let answer: Secret
        do throws(ErrorNumber) {
            try packet.withBytes { bytes throws(ErrorNumber) in try process.channel.send(bytes, timeout: 2000) }
        } catch {
            process.kill()
            throw .unavailable
        }
        do throws(ReceiveFault) {
            answer = try process.channel.receive(atMost: SealingRequest.largestSize, timeout: timeLimit)
        } catch {
            process.kill()
            throw .unavailable
        }
        var outcome: SealingOutcome?
        let content: Secret? = answer.withBytes { bytes in
            outcome = bytes.byte(at: 0).flatMap { code in SealingOutcome(rawValue: code) }
            return outcome == .done && bytes.byteCount > 1
                ? Secret(copying: bytes.extracting(1..<bytes.byteCount)) : nil
        }
        guard let content else {
            throw outcome == .refused ? .refused : .unavailable
        }
        return content
    }
}
