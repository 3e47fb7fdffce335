internal import Base

extension Secret {
    /// How many characters there are, counted as scalars of UTF-8.
    var characterCount: Int {
        withBytes { bytes in
            (0..<bytes.byteCount).count { offset in (bytes.byte(at: offset) ?? 0) & 0xc0 != 0x80 }
        }
    }

    /// The bytes as text; nil when they are not UTF-8.
    var text: String? {
        withBytes { bytes in StepSurroundings.text(bytes.copied()) }
    }

    borrowing func isEqual(to other: borrowing Secret) -> Bool {
        guard count == other.count else {
            return false
        }
        return withBytes { own in
            other.withBytes { others in
                (0..<own.byteCount).allSatisfy { offset in own.byte(at: offset) == others.byte(at: offset) }
            }
        }
    }
}
