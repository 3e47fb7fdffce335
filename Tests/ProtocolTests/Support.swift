import Base
import Foundation
@testable import Protocol

extension MessageKind {
    static let all = (UInt8.min...UInt8.max).compactMap { code in MessageKind(rawValue: code) }
}

extension Field {
    static let all = (UInt8.min...UInt8.max).compactMap { code in Field(rawValue: code) }

    /// A value that the field takes.
    var sample: [UInt8] {
        switch self {
        case _ where lengths == 8...8: [0, 0, 0, 0, 1, 2, 3, 4]
        case _ where lengths == 1...1: [1]
        case .language: Array("es".utf8)
        case .proof: [UInt8](repeating: 0xa5, count: 256)
        default: Array("value of \(rawValue)".utf8)
        }
    }

    /// A field as it is on the wire; the length may be a lie.
    func encoded(_ value: [UInt8], length: Int? = nil) -> [UInt8] {
        let length = UInt32(truncatingIfNeeded: length ?? value.count)
        return [rawValue] + stride(from: UInt32(24), through: 0, by: -8).map { UInt8(truncatingIfNeeded: length >> $0) }
            + value
    }
}

/// A frame's bytes: every field of the kind once, repeated ones twice.
func wholeFrame(_ kind: MessageKind, where included: (Field, FieldRule) -> Bool = { _, _ in true }) -> [UInt8] {
    var bytes = [Frame.version, kind.rawValue]
    for (field, rule) in kind.rule.fields where included(field, rule) {
        bytes += field.encoded(field.sample)
        if rule == .repeated {
            bytes += field.encoded(Array("another".utf8))
        }
    }
    return bytes
}

func decode(_ bytes: [UInt8]) throws(FrameError) -> Frame {
    guard let packet = Secret(copying: bytes.span.bytes) else {
        throw .outOfMemory
    }
    return try Frame(decoding: packet)
}

/// What decoding these bytes says; nil when they are a frame.
func fault(_ bytes: [UInt8]) -> FrameError? {
    do throws(FrameError) {
        _ = try decode(bytes)
        return nil
    } catch {
        return error
    }
}

/// A file of Tests/Conformance: on each line a name, and bytes in hexadecimal digits.
struct Recorded {
    let lines: [(name: String, bytes: [UInt8])]

    init(_ name: String) throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = tests.appendingPathComponent("Conformance").appendingPathComponent(name)
        lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .filter { line in !line.hasPrefix("#") }
            .map { line in
                let words = line.split(separator: " ")
                let digits = words[1].compactMap(\.hexDigitValue).map { value in UInt8(value) }
                let places = stride(from: 0, to: digits.count - 1, by: 2)
                return (String(words[0]), places.map { place in digits[place] << 4 | digits[place + 1] })
            }
    }
}
