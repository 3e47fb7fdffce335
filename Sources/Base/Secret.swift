import CLinux

/// The pages behind a `Secret`. A class, since Embedded Swift cannot run a noncopyable type's `deinit` from another
/// module; it is never shared.
@safe
final class SecretPages {
    let base: UnsafeMutableRawPointer
    let capacity: Int

    init?(capacity: Int) {
        guard capacity >= 0, let memory = unsafe linux_secret_allocate(capacity) else {
            return nil
        }
        unsafe base = memory
        self.capacity = capacity
    }

    deinit {
        unsafe linux_secret_free(base, capacity)
    }
}

/// Secret bytes: owned once, left out of core dumps, erased when dropped.
///
/// There is no description and no implicit copy. The content is lent to a closure.
@safe
package struct Secret: ~Copyable {
    private let pages: SecretPages
    /// How many bytes are held.
    package private(set) var count: Int

    /// Makes an empty secret with room for `capacity` bytes; nil when there is no memory.
    package init?(capacity: Int) {
        guard let pages = SecretPages(capacity: capacity) else {
            return nil
        }
        self.pages = pages
        count = 0
    }

    /// Makes a secret that holds a copy of `bytes`; nil when there is no memory.
    package init?(copying bytes: RawSpan) {
        guard let pages = SecretPages(capacity: bytes.byteCount) else {
            return nil
        }
        unsafe bytes.withUnsafeBytes { source in
            if let start = source.baseAddress {
                unsafe pages.base.copyMemory(from: start, byteCount: source.count)
            }
        }
        self.pages = pages
        count = bytes.byteCount
    }

    /// Makes a secret of what `fill` writes into `capacity` bytes; `fill` returns how many it wrote, or a negative
    /// number when it failed: then there is none.
    package init?(capacity: Int, filling fill: (UnsafeMutableRawPointer, Int) -> Int) {
        guard let pages = SecretPages(capacity: capacity) else {
            return nil
        }
        let filled = unsafe fill(pages.base, capacity)
        guard filled >= 0, filled <= capacity else {
            return nil
        }
        self.pages = pages
        count = filled
    }

    /// Replaces what is held by what `fill` writes, as in `init(capacity:filling:)`; where that fails, by nothing.
    ///
    /// - Returns: Whether it did not fail.
    package mutating func refill(_ fill: (UnsafeMutableRawPointer, Int) -> Int) -> Bool {
        let filled = unsafe fill(pages.base, pages.capacity)
        count = filled >= 0 && filled <= pages.capacity ? filled : 0
        return filled == count
    }

    /// Lends the bytes to `body`, which must not keep them.
    package borrowing func withBytes<R: ~Copyable, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try body(unsafe RawSpan(_unsafeStart: pages.base, byteCount: count))
    }

    /// Adds `bytes` at the end; false, and nothing added, when they do not fit.
    package mutating func append(_ bytes: RawSpan) -> Bool {
        guard bytes.byteCount <= pages.capacity - count else {
            return false
        }
        unsafe bytes.withUnsafeBytes { source in
            if let start = source.baseAddress {
                unsafe (pages.base + count).copyMemory(from: start, byteCount: source.count)
            }
        }
        count += bytes.byteCount
        return true
    }

    /// Adds one byte at the end; false when it does not fit.
    package mutating func append(_ byte: UInt8) -> Bool {
        guard count < pages.capacity else {
            return false
        }
        unsafe (pages.base + count).storeBytes(of: byte, as: UInt8.self)
        count += 1
        return true
    }

    /// Adds `bytes` at the end; false, and nothing added, when they do not fit.
    package mutating func append(_ bytes: [UInt8]) -> Bool {
        append(unsafe bytes.span.bytes)
    }

    /// Whether these are exactly the bytes of `other`; how long that takes does not depend on where they differ.
    package borrowing func isEqual(to other: borrowing Secret) -> Bool {
        guard count == other.count else {
            return false
        }
        var difference: UInt8 = 0
        for offset in 0..<count {
            difference |=
                unsafe pages.base.load(fromByteOffset: offset, as: UInt8.self)
                ^ other.pages.base.load(fromByteOffset: offset, as: UInt8.self)
        }
        return difference == 0
    }

    /// An independent copy; nil when there is no memory.
    package borrowing func duplicate() -> Secret? {
        withBytes { bytes in Secret(copying: bytes) }
    }
}

extension RawSpan {
    /// The byte at `offset`, nil when there is none.
    package func byte(at offset: Int) -> UInt8? {
        guard offset >= 0, offset < byteCount else {
            return nil
        }
        return unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }

    /// A copy in ordinary memory, for bytes that are not secret.
    package func copied() -> [UInt8] {
        unsafe withUnsafeBytes { bytes in unsafe [UInt8](bytes) }
    }

    /// Whether these are exactly `other`'s bytes; for what is not secret.
    package func isEqual(to other: [UInt8]) -> Bool {
        guard byteCount == other.count else {
            return false
        }
        for (offset, expected) in other.enumerated() where byte(at: offset) != expected {
            return false
        }
        return true
    }
}
