internal import Base
internal import Tokens

/// Collects an answer up to the limit.
final class ResponseBuffer {
    /// Room for a body at first, in bytes: most fit.
    private static let usualSize = 16 * 1024

    let limit: Int
    private(set) var headers: [String: String] = [:]
    private(set) var overflowed = false
    private var body: Secret?
    /// How much `body` has room for.
    private var capacity = 0
    /// How much there is in `body`.
    private var size: Int {
        switch body {
        case .some(let body): body.count
        case .none: 0
        }
    }
    private var headerSize = 0

    init(limit: Int) {
        self.limit = limit
    }

    func clear() {
        body = nil
        capacity = 0
        headers = [:]
        overflowed = false
        headerSize = 0
    }

    /// The body, which is not kept here any longer; nil where there is none.
    func takeBody() -> SecretValue? {
        capacity = 0
        return switch body.take() {
        case .some(let body): SecretValue(body)
        case .none: nil
        }
    }

    /// Adds to the body; false when it does not fit, or there is no memory.
    func add(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let count = size
        guard bytes.count <= limit - count else {
            overflowed = true
            return false
        }
        if bytes.count > capacity - count, !makeRoom(for: count + bytes.count) {
            return false
        }
        return unsafe body?.append(RawSpan(_unsafeBytes: bytes)) ?? false
    }

    /// Moves the body to where `size` bytes fit; false when there is no memory.
    private func makeRoom(for newSize: Int) -> Bool {
        let room = max(Self.usualSize, 2 * newSize)
        guard var larger = Secret(capacity: room) else {
            return false
        }
        switch body {
        case .some(let body): _ = body.withBytes { bytes in larger.append(bytes) }
        case .none: break
        }
        body = consume larger
        capacity = room
        return true
    }

    /// Takes one line of the header; false when there are too many.
    func addHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
        headerSize += bytes.count
        guard headerSize <= limit else {
            overflowed = true
            return false
        }
        if unsafe bytes.starts(with: "HTTP/".utf8) {
            headers = [:]
        } else if let colon = unsafe bytes.firstIndex(of: UInt8(ascii: ":")) {
            let name = unsafe String(decoding: bytes[..<colon], as: UTF8.self)
            let value = unsafe Self.trimmed(bytes[(colon + 1)...])
            headers[name.lowercased()] = unsafe String(decoding: value, as: UTF8.self)
        }
        return true
    }

    /// Without the white space around it, and the end of the line (RFC 9110, section 5.5).
    private static func trimmed(_ bytes: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
        var rest = unsafe bytes.drop(while: isSpace)
        while let last = unsafe rest.last, isSpace(last) {
            unsafe rest.removeLast()
        }
        return unsafe rest
    }
}
