import Foundation
import Testing

@testable import Protocol

/// `docs/PROTOCOL.md`, from which another implementation could be written: its tables are made from the source. With
/// UPDATE_GOLDEN=1 in the environment they are written again. `Tests/Integration/worker_process.py` is such an
/// implementation, and has its numbers from there.
@Suite("docs/PROTOCOL.md")
struct DocumentTests {
    fileprivate static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    // MARK: What is compiled

    private static let limits = table(
        ["limit", "value"],
        [
            ["version", "\(Frame.version)"],
            ["largest message, in bytes", "\(Frame.largestSize)"],
            ["maximum number of `ask` messages in one worker step", "\(Exchange.mostQuestions)"],
            ["maximum number of `keep` messages in one worker step", "\(Exchange.mostKept)"],
            ["maximum number of `person` messages before each `page` message", "\(Exchange.mostOnPage)"],
            ["maximum number of `page` messages in one worker step", "\(Exchange.mostPages)"],
            ["maximum number of `signOut` steps that one worker performs", "\(Exchange.mostSignOuts)"],
            ["maximum number of `ask` messages over one connection to the agent", "\(Exchange.mostQuestions)"],
            ["maximum number of `show` messages over one connection to the agent", "\(Exchange.mostShown)"],
        ])

    private static func messages(from sender: String, where belongs: (UInt8) -> Bool) throws -> [String] {
        let meanings = try Source.enumeration("MessageKind")
        let kinds = MessageKind.all.filter { kind in belongs(kind.rawValue) }
        return table(
            ["number", "from \(sender)", "meaning", "fields"],
            kinds.map { kind in
                let fields = kind.rule.fields.map { field, rule in
                    "`\(field)`" + (rule == .required ? "" : rule == .optional ? "?" : "\\*")
                }
                let meaning = meanings.first { entry in entry.number == kind.rawValue }?.meaning ?? ""
                return ["\(kind.rawValue)", "`\(kind)`", meaning, fields.joined(separator: " ")]
            })
    }

    private static func fields() throws -> [String] {
        let meanings = try Source.enumeration("Field")
        return table(
            ["number", "field", "bytes", "meaning"],
            Field.all.map { field in
                let (least, most) = (field.lengths.lowerBound, field.lengths.upperBound)
                let meaning = meanings.first { entry in entry.number == field.rawValue }?.meaning ?? ""
                return ["\(field.rawValue)", "`\(field)`", least == most ? "\(least)" : "\(least) to \(most)", meaning]
            })
    }

    private static func codes() throws -> [String] {
        try Source.enumerations.keys.sorted().filter { name in !["MessageKind", "Field", "Language"].contains(name) }
            .flatMap { name in
                ["", "### \(name)", ""]
                    + table(
                        ["code", "name", "meaning"],
                        try Source.enumeration(name).map { entry in
                            ["\(entry.number)", "`\(entry.name)`", entry.meaning]
                        })
            }
    }

    /// Where an exchange can be, what may come there, and where that leads, from its beginning on.
    private static func order(_ start: Exchange) -> [String] {
        // How often something came is no place of its own.
        func place(_ exchange: Exchange) -> String {
            let parts = Mirror(reflecting: exchange).children.filter { child in
                !(child.value is Int || child.value is Exchange.Peers)
            }
            return parts.compactMap { child in
                guard let flag = child.value as? Bool else {
                    return "\(child.value)".replacingOccurrences(of: "Protocol.MessageKind.", with: "")
                }
                return flag ? child.label : nil
            }.joined(separator: ", ")
        }
        var rows: [[String]] = []
        var known: Set = [place(start)]
        var waiting = [start]
        while !waiting.isEmpty {
            let here = waiting.removeFirst()
            var moves: [String] = []
            for kind in MessageKind.all {
                var next = here
                guard next.accept(kind) else {
                    continue
                }
                let there = place(next)
                moves.append("`\(kind)`" + (there == place(here) ? "" : " → \(there)"))
                if known.insert(there).inserted {
                    waiting.append(next)
                }
            }
            rows.append([place(here), moves.isEmpty ? "none (final state)" : moves.joined(separator: "<br>")])
        }
        return table(["state", "message → next state"], rows)
    }

    // MARK: The document

    private static func table(_ head: [String], _ rows: [[String]]) -> [String] {
        ([head, head.map { _ in "---" }] + rows).map { cells in "| " + cells.joined(separator: " | ") + " |" }
    }

    @Test("has the messages, fields, codes, limits and orders that are compiled")
    func tables() throws {
        let tables = [
            "limits": Self.limits,
            "root side": try Self.messages(from: "the root side") { code in code < 64 && code % 2 == 0 },
            "worker": try Self.messages(from: "the worker") { code in code < 64 && code % 2 == 1 },
            "client": try Self.messages(from: "the client") { code in code >= 64 && code % 2 == 0 },
            "agent": try Self.messages(from: "the agent") { code in code >= 64 && code % 2 == 1 },
            "fields": try Self.fields(),
            "codes": try Self.codes(),
            "order of a step": Self.order(Exchange(.rootSideAndWorker)),
            "order of a request": Self.order(Exchange(.clientAndAgent)),
        ]
        let file = Self.repository.appendingPathComponent("docs/PROTOCOL.md")
        let written = try String(contentsOf: file, encoding: .utf8)
        var fresh = written
        for (name, lines) in tables {
            let begin = try #require(fresh.range(of: "<!-- \(name) -->\n"), "\(name)")
            let end = try #require(fresh.range(of: "<!-- / -->", range: begin.upperBound..<fresh.endIndex), "\(name)")
            fresh.replaceSubrange(
                begin.upperBound..<end.lowerBound, with: lines.map { line in line + "\n" }.joined())
        }
        if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] != nil {
            try fresh.write(to: file, atomically: true, encoding: .utf8)
        } else {
            #expect(written == fresh, "UPDATE_GOLDEN=1 writes the tables anew")
        }
    }

    @Test("says of each message, field and code what it is", arguments: Source.enumerations.keys.sorted())
    private func meanings(name: String) throws {
        for entry in try Source.enumeration(name) {
            #expect(!entry.meaning.isEmpty, "\(name).\(entry.name)")
        }
    }
}

/// What the source says of the numbers that it sends: the comments above them.
private enum Source {
    struct Entry {
        let number: UInt8
        let name: String
        let meaning: String
    }

    static let enumerations: [String: [Entry]] = {
        let folder = DocumentTests.repository.appendingPathComponent("Sources/Protocol")
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        var found: [String: [Entry]] = [:]
        for file in files where file.pathExtension == "swift" {
            read((try? String(contentsOf: file, encoding: .utf8)) ?? "", into: &found)
        }
        return found
    }()

    static func enumeration(_ name: String) throws -> [Entry] {
        try #require(enumerations[name])
    }

    private static func read(_ text: String, into found: inout [String: [Entry]]) {
        var name: String?
        var comment: [String] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let words = line.split(separator: " ")
            if line.contains("enum "), line.contains(": UInt8") {
                name = words.first { word in word.hasSuffix(":") }.map { word in String(word.dropLast()) }
            } else if line == "}" {
                name = nil
            } else if words.first == "///" {
                comment.append(words.dropFirst().joined(separator: " "))
                continue
            } else if let name, words.count == 4, words[0] == "case", words[2] == "=", let number = UInt8(words[3]) {
                let meaning = comment.joined(separator: " ")
                found[name, default: []].append(Entry(number: number, name: String(words[1]), meaning: meaning))
            }
            comment = []
        }
    }
}
