import Base

/// What root has of the kernel's keys, and how much there may be.
package struct KeyQuota: Equatable, Sendable {
    package let keys: Int64
    package let mostKeys: Int64
    package let bytes: Int64
    package let mostBytes: Int64

    /// Root's line of /proc/key-users (keyrings(7)); nil when there is none, or none that makes sense.
    package init?(_ keyUsers: [UInt8]) {
        let line = keyUsers.split(separator: UInt8(ascii: "\n")).first { line in
            line.drop { byte in byte == 0x20 }.starts(with: [UInt8(ascii: "0"), UInt8(ascii: ":")])
        }
        let fields = line?.split(separator: 0x20) ?? []
        guard fields.count == 5, let (keys, mostKeys) = Self.share(fields[3]),
            let (bytes, mostBytes) = Self.share(fields[4])
        else {
            return nil
        }
        (self.keys, self.mostKeys, self.bytes, self.mostBytes) = (keys, mostKeys, bytes, mostBytes)
    }

    private static func share(_ text: ArraySlice<UInt8>) -> (Int64, Int64)? {
        let numbers = text.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { digits in
            Int64(String(decoding: digits, as: UTF8.self))
        }
        guard numbers.count == 2, let used = numbers[0], let most = numbers[1], used >= 0, most >= 0 else {
            return nil
        }
        return (used, most)
    }
}
