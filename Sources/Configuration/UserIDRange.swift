import Base

/// The range of user ids for accounts from the pool.
package struct UserIDRange: Equatable, Sendable {
    /// The lowest and the highest.
    package let lowest: UInt32
    package let highest: UInt32

    /// The default: the only range below 100,000 that useradd(8) and systemd do not assign, and that Debian does not
    /// use for subordinate ids. Higher ids make /var/log/lastlog a sparse file of hundreds of gigabytes.
    package static let `default` = UserIDRange(lowest: 65_536, highest: 99_999)

    private init(lowest: UInt32, highest: UInt32) {
        self.lowest = lowest
        self.highest = highest
    }

    /// nil: it is empty, has ids of the system's (below 1000), or such as Linux has given other meanings (from 2^31
    /// up).
    package init?(from lowest: UInt32, to highest: UInt32) {
        guard lowest >= 1000, lowest <= highest, highest < 1 << 31 else {
            return nil
        }
        self.init(lowest: lowest, highest: highest)
    }

    /// Whether an account may have it.
    package func contains(_ uid: UInt32) -> Bool {
        lowest <= uid && uid <= highest
    }
}

/// A range `LOWEST-HIGHEST`; nil when it is none.
func userIDRange(_ text: ArraySlice<UInt8>) -> UserIDRange? {
    guard let hyphen = text.firstIndex(of: UInt8(ascii: "-")),
        let lowest = number(text[..<hyphen]).flatMap({ number in UInt32(exactly: number) }),
        let highest = number(text[(hyphen + 1)...]).flatMap({ number in UInt32(exactly: number) })
    else {
        return nil
    }
    return UserIDRange(from: lowest, to: highest)
}

/// The absolute path of a home directory, with `{user}` in it once.
func isHomeTemplate(_ text: ArraySlice<UInt8>) -> Bool {
    let placeholder = ("{user}" as StaticString).bytes
    let places = text.indices.filter { index in text[index...].starts(with: placeholder) }
    return places.count == 1 && isAccountPath(text)
}

/// An absolute path as passwd(5) can have it.
func isAccountPath(_ text: ArraySlice<UInt8>) -> Bool {
    isAbsolutePath(text) && text.count <= 180
        && text.allSatisfy { byte in (0x21...0x7e).contains(byte) && byte != UInt8(ascii: ":") }
}
