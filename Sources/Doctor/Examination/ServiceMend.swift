internal import Base
internal import LoginHooks
internal import Messages

/// What is wrong with one service.
struct ServiceProblem: Hashable {
    var problem: StackProblem
    var service: String
}

/// The fewest changes of lines that make service files do what those that were shipped do: what an administrator has added
/// stays, as long as it is not what is wrong.
struct ServiceMend {
    /// A change of one file, by its lines as they are now.
    private enum Edit {
        case replace(file: String, line: Int, by: String)
        case insert(file: String, after: Int, String)
        case delete(file: String, line: Int)
        case move(file: String, line: Int, after: Int, String)

        var file: String {
            switch self {
            case .replace(let file, _, _), .insert(let file, _, _), .delete(let file, _), .move(let file, _, _, _): file
            }
        }

        var isDeletion: Bool {
            if case .delete = self {
                return true
            }
            return false
        }
    }

    /// What differs more is another file.
    private static let mostEdits = 40

    private let edits: [Edit]
    private let services: PAMServices

    /// Finds them; nil where whole files have to be taken, or nothing helps.
    ///
    /// - Parameters:
    ///   - shipped: The files as they ought to be, of which at least one is not so.
    ///   - problems: What is wrong with services.
    init?(_ services: PAMServices, shipped: [String: String], problems: (PAMServices) -> Set<ServiceProblem>) {
        var edits: [Edit] = []
        for (file, wanted) in shipped.sorted(by: { left, right in left.key < right.key }) {
            guard let text = services.text(of: file), !Self.lines(text).isEmpty, !text.mentions("\\\n") else {
                return nil
            }
            edits += Self.differences(file, text, wanted)
        }
        guard edits.count <= Self.mostEdits else {
            return nil
        }
        let least = problems(Self.apply(edits, to: services))
        guard !least.isSuperset(of: problems(services)) else {
            return nil
        }
        // First what an administrator would lose, then the rest: what need not be changed is left.
        var index = 0
        edits = edits.filter(\.isDeletion) + edits.filter { edit in !edit.isDeletion }
        while index < edits.count {
            var fewer = edits
            fewer.remove(at: index)
            if problems(Self.apply(fewer, to: services)).isSubset(of: least) {
                edits = fewer
            } else {
                index += 1
            }
        }
        self.edits = edits
        self.services = services
    }

    /// Finds what puts one line of the profile right, in a file that pam-auth-update has made; nil where it is not that alone.
    init?(
        _ services: PAMServices, line: StackLine, controls: [String], problems: (PAMServices) -> Set<ServiceProblem>
    ) {
        let file = line.place.file
        let before = problems(services)
        for control in controls {
            let flag = "\(noPasswordExpiry)"
            let lacking = line.facility == .account && !line.arguments.contains(flag) ? [flag] : []
            let words = [line.facility.rawValue, control, line.module ?? ""] + line.arguments + lacking
            let edit = Edit.replace(file: file, line: line.place.line, by: words.joined(separator: "\t"))
            if !before.isEmpty, problems(Self.apply([edit], to: services)).isEmpty {
                edits = [edit]
                self.services = services
                return
            }
        }
        return nil
    }

    /// Puts behind each of these lines the one that holds where the module is not loaded, and lets the other values jump over it;
    /// nil where that does not help.
    init?(
        _ services: PAMServices, holdingUnloaded lines: [StackLine], problems: (PAMServices) -> Set<ServiceProblem>
    ) {
        var edits: [Edit] = []
        for line in lines {
            guard services.text(of: line.place.file)?.mentions("\\\n") == false,
                let control = Self.jumpingFurther(line)
            else {
                return nil
            }
            let (file, number) = (line.place.file, line.place.line)
            let words = [line.facility.rawValue, control, line.module ?? ""] + line.arguments
            edits.append(.replace(file: file, line: number, by: words.joined(separator: "\t")))
            edits.append(.insert(file: file, after: number, "\(line.facility.rawValue)\t\(Self.rootAlone)"))
        }
        let before = problems(services)
        guard !edits.isEmpty, problems(Self.apply(edits, to: services)).isStrictSubset(of: before) else {
            return nil
        }
        self.edits = edits
        self.services = services
    }

    /// Goes on where root has started the program, and ends the stack where somebody else has.
    private static let rootAlone =
        "[success=ignore ignore=ignore default=die]\tpam_succeed_if.so quiet_success use_uid uid = 0 ruser in root:"

    /// The line's control, with each jump one line longer, and with one where it went on; nil where it does not go on when the
    /// module is not loaded, or is not in brackets.
    private static func jumpingFurther(_ line: StackLine) -> String? {
        guard line.controlText.hasPrefix("["), line.control.action(for: .moduleUnknown) == .ignore else {
            return nil
        }
        let parts = line.controlText.dropFirst().dropLast().split(whereSeparator: \.isWhitespace)
            .filter { part in !part.hasPrefix("module_unknown=") }
            .map { part in
                let sides = part.split(separator: "=").map(String.init)
                return switch Action(sides.last ?? "") {
                case .ignore: "\(sides[0])=1"
                case .jump(let count): "\(sides[0])=\(count + 1)"
                case .ok, .done, .bad, .die, .reset, nil: String(part)
                }
            }
        let isDefault = { (part: String) in part.hasPrefix("default=") }
        let words = parts.filter { part in !isDefault(part) } + ["module_unknown=ignore"] + parts.filter(isDefault)
        return "[\(words.joined(separator: " "))]"
    }

    /// The changes of files, each of which is made only if it still is what was looked at.
    var changes: [FileMend] {
        Set(edits.map(\.file)).sorted().map { file in
            // What is to be put before or behind a line must have been said before the line is gone.
            let own = edits.filter { edit in edit.file == file }
            let scripts = own.compactMap(Self.insertion) + own.compactMap(Self.removal)
            return FileMend(
                from: services.path(of: file), to: "\(PAMServices.folder)/\(file)",
                checksum: posixChecksum(services.text(of: file) ?? ""), scripts)
        }
    }

    private static func insertion(_ edit: Edit) -> String? {
        switch edit {
        case .insert(_, let line, let text), .move(_, _, let line, let text):
            "\(line == 0 ? "1i" : "\(line)a")\\\(escaped(text))"
        case .replace, .delete: nil
        }
    }

    private static func removal(_ edit: Edit) -> String? {
        switch edit {
        case .replace(_, let line, let text): "\(line)c\\\(escaped(text))"
        case .delete(_, let line), .move(_, let line, _, _): "\(line)d"
        case .insert: nil
        }
    }

    /// sed(1) takes a backslash for itself.
    private static func escaped(_ text: String) -> String {
        text.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\\\")
    }

    // MARK: Differences

    /// A line that says something.
    private struct Line {
        var number: Int
        var text: String
        var words: [Substring]

        /// What it is about: its type and the module, or the file that is included.
        var subject: [Substring] {
            guard let first = words.first, first != "@include" else {
                return words
            }
            let module = words.first { word in word.hasSuffix(".so") } ?? words.last ?? ""
            return [first.hasPrefix("-") ? first.dropFirst() : first, module]
        }
    }

    private static func lines(_ text: String) -> [Line] {
        text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
            let words = line.prefix { letter in letter != "#" }.split(whereSeparator: \.isWhitespace)
            return words.isEmpty ? nil : Line(number: index + 1, text: String(line), words: words)
        }
    }

    private static func differences(_ file: String, _ text: String, _ wanted: String) -> [Edit] {
        let have = lines(text)
        let want = lines(wanted)
        let difference = want.map(\.words).difference(from: have.map(\.words))
        var removed: Set<Int> = []
        var inserted: [Int] = []
        for change in difference {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.append(offset)
            }
        }
        var edits: [Edit] = []
        var places = places(have, want, removed, Set(inserted))
        func take(_ edit: (Line, Line, Int) -> Edit?) {
            for index in inserted {
                for old in removed.sorted() {
                    if let found = edit(have[old], want[index], places[index] ?? 0) {
                        edits.append(found)
                        removed.remove(old)
                        inserted.removeAll { other in other == index }
                        if case .replace(_, let line, _) = found {
                            // What is to follow it comes behind it, as behind a line that stays.
                            for later in inserted where later > index && (places[later] ?? 0) < line {
                                places[later] = line
                            }
                        }
                        break
                    }
                }
            }
        }
        func isThere(_ old: Line, _ place: Int) -> Bool {
            old.number > place
                && !have.indices.contains { index in
                    !removed.contains(index) && have[index].number > place && have[index].number < old.number
                }
        }
        take { old, new, place in
            old.subject == new.subject && isThere(old, place)
                ? .replace(file: file, line: old.number, by: new.text) : nil
        }
        take { old, new, place in
            old.words == new.words ? .move(file: file, line: old.number, after: place, new.text) : nil
        }
        edits += inserted.map { index in Edit.insert(file: file, after: places[index] ?? 0, want[index].text) }
        edits += removed.sorted().map { index in Edit.delete(file: file, line: have[index].number) }
        return edits
    }

    /// Behind which line each wanted one comes to stand: the last that stays.
    private static func places(
        _ have: [Line], _ want: [Line], _ removed: Set<Int>, _ inserted: Set<Int>
    ) -> [Int: Int] {
        var places: [Int: Int] = [:]
        var kept = have.indices.filter { index in !removed.contains(index) }[...]
        var last = 0
        for index in want.indices {
            if inserted.contains(index) {
                places[index] = last
            } else if let next = kept.popFirst() {
                last = have[next].number
            }
        }
        return places
    }

    private static func apply(_ edits: [Edit], to services: PAMServices) -> PAMServices {
        var services = services
        for file in Set(edits.map(\.file)) {
            var lines = (services.text(of: file) ?? "").split(separator: "\n", omittingEmptySubsequences: false).map {
                line in [String(line)]
            }
            var first: [String] = []
            for edit in edits where edit.file == file {
                switch edit {
                case .replace(_, let line, let text): lines[line - 1][0] = text
                case .delete(_, let line): lines[line - 1][0] = ""
                case .insert(_, let place, let text), .move(_, _, let place, let text):
                    if place == 0 {
                        first.append(text)
                    } else {
                        lines[place - 1].append(text)
                    }
                }
                if case .move(_, let line, _, _) = edit {
                    lines[line - 1][0] = ""
                }
            }
            services = services.with(file, (first + lines.flatMap(\.self)).joined(separator: "\n"))
        }
        return services
    }
}

/// What `cksum` prints of a text on its standard input: the sum and the count of bytes (POSIX).
func posixChecksum(_ text: String) -> String {
    var sum: UInt32 = 0
    func take(_ byte: UInt8) {
        sum ^= UInt32(byte) << 24
        for _ in 0..<8 {
            sum = sum & 0x8000_0000 != 0 ? sum << 1 ^ 0x04C1_1DB7 : sum << 1
        }
    }
    let bytes = Array(text.utf8)
    bytes.forEach(take)
    var count = bytes.count
    while count > 0 {
        take(UInt8(truncatingIfNeeded: count))
        count >>= 8
    }
    return "\(~sum) \(bytes.count)"
}
