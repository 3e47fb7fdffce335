import Base

/// The public ssh keys in an attribute, one in each line, without options and comments: a user who can write the
/// attribute chooses the keys, and nothing else.
struct PublicKeys: Equatable {
    /// Kinds of keys that sshd(8) takes today. No certificates: whose authority they are of would be another question.
    private static let kinds: [StaticString] = [
        "ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521",
        "sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com",
    ]

    /// The keys, in the order in which they stand there.
    private(set) var keys: [[UInt8]] = []
    /// How many lines are none.
    private(set) var refused = 0

    /// At most so many of what `text` has; the others count as none.
    init(_ text: [UInt8], atMost limit: Int) {
        for line in text.split(whereSeparator: { byte in byte == 0x0a || byte == 0x0d }) {
            let words = line.split { byte in byte == 0x20 || byte == 0x09 }
            guard !words.isEmpty else {
                continue
            }
            guard words.count > 1, keys.count < limit, let key = Self.key(words[0], words[1]) else {
                refused += 1
                continue
            }
            if !keys.contains(key) {
                keys.append(key)
            }
        }
    }

    private static func key(_ kind: ArraySlice<UInt8>, _ body: ArraySlice<UInt8>) -> [UInt8]? {
        // RFC 4253, 6.6: the kind of the key, with its length before it, and then the key.
        guard kinds.contains(where: { known in known.equals(kind) }), let blob = decoded(body),
            blob.count > kind.count + 8, blob.prefix(3).allSatisfy({ byte in byte == 0 }),
            Int(blob[3]) == kind.count, blob.dropFirst(4).starts(with: kind)
        else {
            return nil
        }
        return Array(kind) + [0x20] + Array(body)
    }

    /// What base64 (RFC 4648) stands for; nil where it is none.
    private static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let padding = text.reversed().prefix { byte in byte == UInt8(ascii: "=") }.count
        guard !text.isEmpty, text.count.isMultiple(of: 4), padding <= 2 else {
            return nil
        }
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for digit in text.dropLast(padding) {
            guard let value = value(digit) else {
                return nil
            }
            bits = bits << 6 | value
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return bytes
    }

    private static func value(_ digit: UInt8) -> UInt32? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit) - 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit) + 4
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
