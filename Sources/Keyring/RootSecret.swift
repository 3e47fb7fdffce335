package import Base

/// 128 random bits in root's user keyring, until the machine stops. Without them, no other name with the same number
/// can be found.
package enum RootSecret {
    private static var description: [UInt8] { Array("pam-cognito:secret".utf8) }

    /// A number made of `bytes` by it (SipHash-2-4).
    package static func number(of bytes: [UInt8]) throws(ErrorNumber) -> UInt64 {
        let secret = try asRoot { () throws(ErrorNumber) in try key().read() }
        let number = secret.withBytes { secret in
            guard let first = littleEndian(secret, at: 0), let second = littleEndian(secret, at: 8) else {
                return UInt64?.none
            }
            return sipHash(bytes, by: (first, second))
        }
        guard let number else {
            throw .noKey
        }
        return number
    }

    private static func key() throws(ErrorNumber) -> KeySerial {
        try foundOrMade(type: "user", description, in: .userKeyring) { thread throws(ErrorNumber) in
            let random = try randomBytes()
            guard let payload = Secret(copying: unsafe random.span.bytes) else {
                throw .noMemory
            }
            return try thread.add(description: description, payload: payload)
        }
    }

    private static func littleEndian(_ bytes: RawSpan, at offset: Int) -> UInt64? {
        bytes.number(at: offset).map { number in number.byteSwapped }
    }
}

/// SipHash-2-4, 64 bits (Aumasson and Bernstein).
func sipHash(_ bytes: [UInt8], by key: (UInt64, UInt64)) -> UInt64 {
    var state = SipState(key)
    var word: UInt64 = 0
    for (index, byte) in bytes.enumerated() {
        word |= UInt64(byte) << (8 * UInt64(index % 8))
        if index % 8 == 7 {
            state.take(word)
            word = 0
        }
    }
    state.take(word | UInt64(truncatingIfNeeded: bytes.count) << 56)
    return state.finish()
}

private struct SipState {
    private var words: (UInt64, UInt64, UInt64, UInt64)

    init(_ key: (UInt64, UInt64)) {
        words = (
            key.0 ^ 0x736f_6d65_7073_6575, key.1 ^ 0x646f_7261_6e64_6f6d, key.0 ^ 0x6c79_6765_6e65_7261,
            key.1 ^ 0x7465_6462_7974_6573
        )
    }

    mutating func take(_ word: UInt64) {
        words.3 ^= word
        mix(2)
        words.0 ^= word
    }

    mutating func finish() -> UInt64 {
        words.2 ^= 0xff
        mix(4)
        return words.0 ^ words.1 ^ words.2 ^ words.3
    }

    private mutating func mix(_ rounds: Int) {
        for _ in 0..<rounds {
            words.0 &+= words.1
            words.1 = rotated(words.1, by: 13) ^ words.0
            words.0 = rotated(words.0, by: 32)
            words.2 &+= words.3
            words.3 = rotated(words.3, by: 16) ^ words.2
            words.0 &+= words.3
            words.3 = rotated(words.3, by: 21) ^ words.0
            words.2 &+= words.1
            words.1 = rotated(words.1, by: 17) ^ words.2
            words.2 = rotated(words.2, by: 32)
        }
    }

    private func rotated(_ word: UInt64, by bits: UInt64) -> UInt64 {
        word << bits | word >> (64 - bits)
    }
}
