package import Base
import CLinux

/// A process that waits for the tokens of another session of the same user.
package struct Offer: Equatable, Sendable {
    package let key: RootKey
    package let userID: UInt32
    package let receiver: ProcessIdentity

    package init(key: RootKey, userID: UInt32, receiver: ProcessIdentity) {
        self.key = key
        self.userID = userID
        self.receiver = receiver
    }
}

/// What has become of an offer.
package enum OfferState: Equatable, Sendable {
    /// Its code was not typed yet; `wrong` other codes were.
    case waiting(code: [UInt8], wrong: UInt8)
    /// Its code was typed in the session of that entry.
    case accepted(RootKey)
    case taken
    /// An export: the sealed file gives the tokens of the session of that entry.
    case exported(RootKey)
}

/// A keyring in root's user keyring with a key for each process that waits for tokens; they end by themselves.
package struct OfferKeyring: Sendable {
    private static var name: [UInt8] { Array("pam-cognito:offers".utf8) }
    private static var prefix: [UInt8] { Array("pam-cognito:o:".utf8) }

    package init() {}

    /// Adds one that ends after `seconds`.
    package func add(
        _ receiver: ProcessIdentity, of userID: UInt32, _ state: OfferState, lasting seconds: Int64
    ) throws(ErrorNumber) -> Offer {
        let who: ByteText = ":\(UInt64(userID)):\(receiver.id):"
        // All 64 bits of the time: a number in a text is signed.
        let description =
            Self.prefix + (try randomName()) + who.bytes + hexadecimal(bigEndian(receiver.startTime))
        guard let payload = Self.encoded(state) else {
            throw .noMemory
        }
        return Offer(
            key: try addRootKey(description, payload, to: Self.name, lasting: seconds), userID: userID,
            receiver: receiver)
    }

    /// Those of a user that have not ended, the oldest first.
    package func offers(of userID: UInt32) throws(ErrorNumber) -> [Offer] {
        try rootKeys(in: Self.name) { key in
            Self.parse(key).flatMap { offer in offer.userID == userID ? offer : nil }
        }
    }

    /// What has become of it; nil when it has ended.
    package func state(of offer: Offer) -> OfferState? {
        let payload = try? asRoot { () throws(ErrorNumber) in
            try checked(offer.key.serial, type: "user", offer.key.description).read().withBytes { bytes in
                bytes.copied()
            }
        }
        return payload.flatMap(Self.decoded)
    }

    /// Enters what has become of it, for so many seconds. If that depends on its state, the caller must have its lock.
    package func enter(_ state: OfferState, of offer: Offer, lasting seconds: Int64) throws(ErrorNumber) {
        guard let payload = Self.encoded(state) else {
            throw .noMemory
        }
        try asRoot { () throws(ErrorNumber) in
            guard let ring = try rootRing(Self.name) else {
                throw .noKey
            }
            _ = try checked(offer.key.serial, type: "user", offer.key.description)
            try replacePayload(
                of: offer.key.serial, offer.key.description, in: ring, with: payload, timeout: seconds)
        }
    }

    package func remove(_ offer: Offer) {
        try? asRoot { () throws(ErrorNumber) in
            try checked(offer.key.serial, type: "user", offer.key.description).invalidate()
        }
    }

    // MARK: As keys have it

    /// Takes `pam-cognito:o:RANDOM:USER:PROCESS:START` apart.
    private static func parse(_ key: RootKey) -> Offer? {
        let text = key.description
        guard text.starts(with: prefix) else {
            return nil
        }
        let parts = text.dropFirst(prefix.count).split(
            separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 4, let userID = UInt32(decimal: parts[1], atMost: 16),
            let process = Int32(decimal: parts[2], atMost: 16), let start = UInt64(hexadecimal: parts[3], atMost: 16)
        else {
            return nil
        }
        return Offer(key: key, userID: userID, receiver: ProcessIdentity(id: process, startTime: start))
    }

    private static func encoded(_ state: OfferState) -> Secret? {
        let bytes =
            switch state {
            case .waiting(let code, let wrong): [UInt8(ascii: "w"), wrong] + code
            case .accepted(let entry): [UInt8(ascii: "a")] + encoded(entry)
            case .exported(let entry): [UInt8(ascii: "e")] + encoded(entry)
            case .taken: [UInt8(ascii: "t")]
            }
        return unsafe Secret(copying: bytes.span.bytes)
    }

    private static func encoded(_ entry: RootKey) -> [UInt8] {
        bigEndian(UInt64(UInt32(bitPattern: entry.serial.number))) + entry.description
    }

    private static func entry(_ bytes: [UInt8]) -> RootKey {
        let number = bytes[1..<9].reduce(UInt32(0)) { number, byte in number << 8 | UInt32(byte) }
        return RootKey(serial: KeySerial(Int32(bitPattern: number)), description: Array(bytes.dropFirst(9)))
    }

    private static func decoded(_ bytes: [UInt8]) -> OfferState? {
        switch bytes.first {
        case UInt8(ascii: "w")? where bytes.count > 2:
            return .waiting(code: Array(bytes.dropFirst(2)), wrong: bytes[1])
        case UInt8(ascii: "a")? where bytes.count > 9: return .accepted(entry(bytes))
        case UInt8(ascii: "e")? where bytes.count > 9: return .exported(entry(bytes))
        case UInt8(ascii: "t")?: return .taken
        default: return nil
        }
    }
}
