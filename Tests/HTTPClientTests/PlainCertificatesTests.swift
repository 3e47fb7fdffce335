import Glibc
import Testing
import Tokens

@testable import HTTPClient

/// A file that is written anew for each case.
private final class CertificateFile {
    let path: String
    private let descriptor: CInt

    init() {
        var template = Array("/tmp/certificates.XXXXXX".utf8CString)
        descriptor = mkstemp(&template)
        path = String(decoding: template.dropLast().map(UInt8.init(truncatingIfNeeded:)), as: UTF8.self)
    }

    deinit {
        unlink(path)
        close(descriptor)
    }

    func write(_ text: [UInt8]) {
        #expect(ftruncate(descriptor, 0) == 0)
        #expect(pwrite(descriptor, text, text.count, 0) == text.count)
    }
}

@Suite struct PlainCertificatesTests {
    /// 80 characters.
    private static let first = (0..<60).map { byte in UInt8(byte) }
    /// 64 characters, and two of them are padding.
    private static let second = (0..<46).map { byte in UInt8(200 - byte) }

    private static func pem(_ bytes: [UInt8]) -> String {
        var text = Substring(Base64.standard.encode(bytes))
        var lines = ["-----BEGIN CERTIFICATE-----"]
        while !text.isEmpty {
            lines.append(String(text.prefix(64)))
            text = text.dropFirst(64)
        }
        return lines.joined(separator: "\n") + "\n-----END CERTIFICATE-----\n"
    }

    private static let usual = "# Émile's\n\(pem(first))\n\(pem(second))"

    @Test("a file as systems write it is read here, in pieces of any length")
    func plain() throws {
        let file = CertificateFile()
        file.write(Array(Self.usual.utf8))
        let read = try #require(PlainCertificates(file: file.path))
        #expect(read.ranges.map { range in Array(read.encoded[range]) } == [Self.first, Self.second])
        // Longer than what is read at once, with lines that begin in one piece and end in the next.
        let many = (0..<300).map { number in [UInt8](repeating: UInt8(number & 0xff), count: 1 + number * 5) }
        file.write(Array(many.map(Self.pem).joined().utf8))
        let all = try #require(PlainCertificates(file: file.path))
        #expect(all.ranges.map { range in Array(all.encoded[range]) } == many)
    }

    @Test(
        "any other file is left to OpenSSL",
        arguments: [
            "", "\n", "# no certificate\n", String(usual.dropLast()), usual.replacing("\n", with: "\r\n"),
            usual.replacing("CERTIFICATE", with: "TRUSTED CERTIFICATE"), "\(usual)-----BEGIN",
            "\(usual)-----BEGIN CERTIFICATE-----\n", "\(usual)\(String(repeating: "x", count: 201))\n",
            "\(usual)a\u{0}b\n", usual.replacing("#", with: "-"),
            usual.replacing("-----END CERTIFICATE-----", with: "-----END X509 CERTIFICATE-----"),
        ])
    func different(text: String) {
        let file = CertificateFile()
        file.write(Array(text.utf8))
        #expect(PlainCertificates(file: file.path) == nil)
        #expect(PlainCertificates(file: "/nonexistent") == nil && PlainCertificates(file: "/") == nil)
    }

    @Test("what is read here OpenSSL reads as well, whatever is changed, added or missing anywhere")
    func mutations() throws {
        let file = CertificateFile()
        var counts = (plain: 0, others: 0)
        func compare(_ text: [UInt8]) {
            file.write(text)
            guard let read = PlainCertificates(file: file.path) else {
                counts.others += 1
                return
            }
            counts.plain += 1
            let here = read.ranges.map { range in Array(read.encoded[range]) }
            let there = try? TrustedCertificates(file: file.path, asRead: nil)
            #expect(
                here == there.map { there in there.ranges.map { range in Array(there.encoded[range]) } },
                "\(String(decoding: text, as: UTF8.self))")
        }
        let usual = Array(Self.usual.utf8)
        for offset in usual.indices {
            for byte in Array("\0\t\n\r -:+/=Az0#".utf8) + [0x7f, 0xa0, usual[offset] ^ 1] {
                var changed = usual
                changed[offset] = byte
                compare(changed)
                changed[offset] = usual[offset]
                changed.insert(byte, at: offset)
                compare(changed)
            }
            compare(Array(usual[..<offset] + usual[(offset + 1)...]))
            compare(Array(usual[..<offset]))
        }
        let lines = usual.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Array.init)
        for (left, right) in lines.indices.flatMap({ left in lines.indices.map { right in (left, right) } }) {
            var changed = lines
            changed.swapAt(left, right)
            compare(Array(changed.joined(separator: [UInt8(ascii: "\n")])))
            changed = lines
            changed.insert(lines[left], at: right)
            compare(Array(changed.joined(separator: [UInt8(ascii: "\n")])))
        }
        #expect(counts.plain > 1000 && counts.others > 1000)
    }
}
