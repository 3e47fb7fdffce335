internal import Glibc
internal import Tokens

/// The certificates of a PEM file as systems write it (RFC 7468): each in lines of 64 characters, with nothing but
/// comments between them.
///
/// OpenSSL takes twenty times as long for the same: a quarter of the processor time of a sign-out. It reads every other
/// file, so this refuses whatever OpenSSL might take for something else.
struct PlainCertificates {
    /// The certificates one behind the other, as DER.
    private(set) var encoded: [UInt8] = []
    private(set) var ranges: [Range<Int>] = []
    /// The text of the certificate that has begun.
    private var text: [UInt8] = []
    private var state = PEMState.outside

    private enum PEMState {
        case outside, inside
        /// A line was shorter than the others, and so the last one.
        case atEnd
    }

    /// Reads a file; nil for one that is different, cannot be read or holds no certificate.
    init?(file: String) {
        let descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            return nil
        }
        defer { close(descriptor) }
        let size = lseek(descriptor, 0, SEEK_END)
        guard size > 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
            return nil
        }
        encoded.reserveCapacity(min(Int(size), Self.usualSize) / 4 * 3)
        guard readLines(of: descriptor), state == .outside, !ranges.isEmpty else {
            return nil
        }
    }

    /// Takes one line after the other; false if one is different, or the last one does not end.
    private mutating func readLines(of descriptor: CInt) -> Bool {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16 * 1024) { buffer in
            guard let start = buffer.baseAddress else {
                return false
            }
            // How much there is of a line whose end has not been read.
            var kept = 0
            while kept <= Self.longestLine {
                let count = unsafe read(descriptor, start + kept, buffer.count - kept)
                guard count > 0 else {
                    return count == 0 && kept == 0
                }
                let filled = kept + count
                var next = 0
                while let end = unsafe memchr(start + next, CInt(UInt8(ascii: "\n")), filled - next) {
                    let line = unsafe UnsafeBufferPointer(
                        start: start + next, count: UnsafeRawPointer(end) - UnsafeRawPointer(start + next))
                    guard unsafe take(line) else {
                        return false
                    }
                    next += line.count + 1
                }
                kept = filled - next
                unsafe memmove(start, start + next, kept)
            }
            return false
        }
    }

    private mutating func take(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        switch state {
        case .outside:
            guard unsafe !line.elementsEqual(Self.begin) else {
                state = .inside
                text.removeAll(keepingCapacity: true)
                return true
            }
            return unsafe Self.isComment(line)
        case .inside where unsafe (1...Self.lineLength).contains(line.count) && line.first != UInt8(ascii: "-"):
            unsafe text.append(contentsOf: line)
            state = line.count == Self.lineLength ? .inside : .atEnd
            return true
        case .inside, .atEnd:
            guard unsafe line.elementsEqual(Self.end), let certificate = unsafe Base64.standard.decode(text.span.bytes),
                !certificate.isEmpty
            else {
                return false
            }
            ranges.append(encoded.count..<(encoded.count + certificate.count))
            encoded += certificate
            state = .outside
            return true
        }
    }

    /// What OpenSSL, too, passes over.
    private static func isComment(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        unsafe line.count <= longestLine && line.first != UInt8(ascii: "-")
            && line.allSatisfy { byte in byte >= 0x20 && byte != 0x7f }
    }

    private static let begin = Array("-----BEGIN CERTIFICATE-----".utf8)
    private static let end = Array("-----END CERTIFICATE-----".utf8)
    private static let lineLength = 64
    /// Longer ones OpenSSL reads in pieces.
    private static let longestLine = 200
    /// More room is not made before it is needed.
    private static let usualSize = 1 << 20
}
