import Decoders
import Foundation
import Testing

/// What Tests/fuzz has found worth keeping, and what a few changes make of it, each time others.
@Suite struct CorpusTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fuzzing/Corpus")

    private static func corpus(_ decoder: Decoder) throws -> [[UInt8]] {
        let folder = folder.appendingPathComponent(decoder.rawValue)
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).map { file in
            Array(try Data(contentsOf: file))
        }
    }

    @Test("whatever comes is read to its end", arguments: Decoder.allCases)
    func reads(decoder: Decoder) throws {
        let corpus = try Self.corpus(decoder)
        #expect(!corpus.isEmpty)
        var random = SystemRandomNumberGenerator()
        for bytes in corpus {
            decoder.read(bytes)
            for length in 0..<min(bytes.count, 64) {
                decoder.read(Array(bytes.prefix(length)))
            }
            for _ in 0..<20 {
                decoder.read(Self.changed(bytes, corpus, &random))
            }
        }
    }

    /// A few bytes changed, taken out, or taken from another.
    private static func changed(
        _ bytes: [UInt8], _ corpus: [[UInt8]], _ random: inout SystemRandomNumberGenerator
    ) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let place = Int.random(in: 0...bytes.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0 where place < bytes.count: bytes[place] = .random(in: 0...255, using: &random)
            case 1 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 2: bytes.removeSubrange(place..<Int.random(in: place...bytes.count, using: &random))
            default:
                let other = corpus.randomElement(using: &random) ?? []
                let start = Int.random(in: 0...other.count, using: &random)
                bytes.insert(
                    contentsOf: other[start..<Int.random(in: start...other.count, using: &random)], at: place)
            }
        }
        return bytes
    }
}
