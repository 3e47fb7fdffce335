/// A line of a service's file that libpam cannot make sense of.
struct UnreadableLine: Equatable, Sendable {
    var place: Place
    var problem: String

    static func noFile(_ file: String) -> String { "the included file \"\(file)\" does not exist" }
}

/// A service: what libpam makes of its file and of all that it includes.
struct Service: Sendable {
    var name: String
    /// The modules of each facility, in the order in which they are called.
    var stacks: [Facility: [StackLine]] = [:]
    /// The files that it is made of, its own first.
    var files: [String] = []
    var unreadable: [UnreadableLine] = []
    /// The facilities for which it has no line of its own, so that those of "other" count.
    var borrowed: Set<Facility> = []

    func stack(_ facility: Facility) -> [StackLine] { stacks[facility] ?? [] }

    var lines: [StackLine] { Facility.allCases.flatMap(stack) }

    func isOurs(_ facility: Facility) -> Bool { stack(facility).contains(where: \.isOurs) }
}

struct PAMServices: Sendable {
    /// The administrator's; what is there counts.
    static let folder = "/etc/pam.d"
    static let vendorFolder = "/usr/lib/pam.d"
    /// How deep libpam follows (PAM_SUBSTACK_MAX_LEVEL).
    private static let deepest = 16
    /// How many lines are read for a service. Files that include one another twice end there.
    private static let longest = 4096
    /// The service whose lines count where another has none.
    private static let fallback = "other"

    private var files: [String: ServiceFile]

    /// The files by name, with their text.
    init(_ files: [String: String], vendor: [String: String] = [:]) {
        self.files = vendor.mapValues { text in ServiceFile(text, isVendors: true) }
            .merging(files.mapValues { text in ServiceFile(text) }) { _, own in own }
    }

    func path(of file: String) -> String {
        Place(file: file, line: 0, isVendors: files[file]?.isVendors == true).path
    }

    /// The same with another text in one file.
    func with(_ file: String, _ text: String) -> PAMServices {
        var changed = self
        changed.files[file] = ServiceFile(text, isVendors: files[file]?.isVendors == true)
        return changed
    }

    func text(of file: String) -> String? { files[file]?.text }

    /// All modules that are named anywhere, as they were written.
    var moduleNames: Set<String> { Set(files.keys.flatMap { name in service(name).lines.compactMap(\.module) }) }

    /// The services in which pam_cognito stands: not the files that are there only to be included.
    var ours: [Service] {
        let included = Set(files.flatMap { name, file in file.included.filter { included in included != name } })
        return files.keys.sorted().map(service).filter { service in
            let own = Set(Facility.allCases.filter { facility in !service.stack(facility).isEmpty })
                .subtracting(service.borrowed)
            let isPart = service.name.hasPrefix("common-") || service.name.hasPrefix("cognito-")
            return own.contains(where: service.isOurs) && !isPart
                && (!included.contains(service.name) || own.isSuperset(of: [.auth, .account]))
        }
    }

    /// Reads one service, with "other" in place of what it has no line for.
    func service(_ name: String) -> Service {
        var service = read(name)
        if name != Self.fallback, files[Self.fallback] != nil {
            let other = read(Self.fallback)
            for facility in Facility.allCases where service.stack(facility).isEmpty {
                service.stacks[facility] = other.stacks[facility]
                service.borrowed.insert(facility)
            }
        }
        return service
    }

    private func read(_ name: String) -> Service {
        var reader = ServiceReader(files: files, service: Service(name: name))
        reader.read(name, only: nil, depth: 0, level: 0)
        return reader.service
    }

    private struct ServiceReader {
        let files: [String: ServiceFile]
        var service: Service
        var linesLeft = PAMServices.longest

        mutating func read(_ file: String, only facility: Facility?, depth: Int, level: Int) {
            if !service.files.contains(file) {
                service.files.append(file)
            }
            for line in files[file]?.lines ?? [] {
                let place = Place(file: file, line: line.number, isVendors: files[file]?.isVendors == true)
                linesLeft -= 1
                guard linesLeft >= 0 else {
                    // Such a service admits no user. The line that was one too many is noted, once.
                    if linesLeft == -1 {
                        reject(
                            "the service has more than \(PAMServices.longest) lines, including lines from included "
                                + "files",
                            at: place, facility, level)
                    }
                    return
                }
                var words = line.words[...]
                let type = words.popFirst() ?? ""
                if type.lowercased() == "@include" {
                    include(words.first, at: place, only: facility, depth: depth, level: level)
                } else if let own = Facility(rawValue: type.dropFirst(type.hasPrefix("-") ? 1 : 0).lowercased()) {
                    if facility == nil || facility == own {
                        readModule(words, own, at: place, depth: depth, level: level)
                    }
                } else {
                    reject(
                        "\"\(type)\" is not a type; the types are auth, account, session, password and @include",
                        at: place, facility ?? .auth, level)
                }
            }
        }

        private mutating func readModule(
            _ words: ArraySlice<String>, _ facility: Facility, at place: Place, depth: Int, level: Int
        ) {
            var words = words
            let controlText = words.popFirst() ?? ""
            let module = words.popFirst()
            let word = controlText.lowercased()
            if word == "include" || word == "substack" {
                let isSubstack = word == "substack"
                return include(module, at: place, only: facility, depth: depth, level: level, isSubstack: isSubstack)
            }
            let control = Control(controlText)
            if control == nil, !controlText.isEmpty {
                note("\"\(controlText)\" is not a valid control", at: place)
            }
            guard let module else {
                return reject("the line does not name a module", at: place, facility, level)
            }
            service.stacks[facility, default: []].append(
                StackLine(
                    place: place, facility: facility, controlText: controlText, control: control ?? .failing,
                    module: module, arguments: words.map(withoutBrackets), level: level))
        }

        private mutating func include(
            _ file: String?, at place: Place, only facility: Facility?, depth: Int, level: Int,
            isSubstack: Bool = false
        ) {
            guard let file, files[file] != nil else {
                return reject(UnreadableLine.noFile(file ?? ""), at: place, facility, level)
            }
            guard depth + 1 < PAMServices.deepest else {
                return reject("files include each other in a loop", at: place, facility, level)
            }
            if isSubstack, let facility {
                service.stacks[facility, default: []].append(StackLine(at: place, facility, level, isSubstack: true))
            }
            read(file, only: facility, depth: depth + 1, level: level + (isSubstack ? 1 : 0))
        }

        private mutating func note(_ problem: String, at place: Place) {
            service.unreadable.append(UnreadableLine(place: place, problem: problem))
        }

        /// A line that always fails. An `@include` that fails leaves the service without a stack: `facility` is nil.
        private mutating func reject(_ problem: String, at place: Place, _ facility: Facility?, _ level: Int) {
            note(problem, at: place)
            for each in facility.map({ one in [one] }) ?? Facility.allCases {
                service.stacks[each, default: []].append(StackLine(at: place, each, level))
            }
        }
    }
}

extension StackLine {
    /// A line without a module.
    fileprivate init(at place: Place, _ facility: Facility, _ level: Int, isSubstack: Bool = false) {
        self.init(
            place: place, facility: facility, controlText: isSubstack ? "substack" : "", control: .failing, module: nil,
            arguments: [], level: level, isSubstack: isSubstack)
    }
}

/// A service's file: read once, whatever includes it.
private struct ServiceFile: Sendable {
    let text: String
    /// Whether the administrator has none of that name.
    let isVendors: Bool
    /// The lines that say something, with their numbers.
    let lines: [(number: Int, words: [String])]

    init(_ text: String, isVendors: Bool = false) {
        (self.text, self.isVendors) = (text, isVendors)
        lines = logicalLines(text).map { line in (line.number, tokens(line.text)) }
    }

    /// The files that it includes.
    var included: [String] {
        lines.compactMap { line in
            if line.words.first?.lowercased() == "@include" {
                return line.words.dropFirst().first
            }
            let isInclude = line.words.count > 2 && ["include", "substack"].contains(line.words[1].lowercased())
            return isInclude ? line.words[2] : nil
        }
    }
}

/// The lines of a file that say something, with what continues them, and their numbers.
private func logicalLines(_ text: String) -> [(number: Int, text: String)] {
    var lines: [(number: Int, text: String)] = []
    var pending: (number: Int, text: String)?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
        var content = line.prefix { letter in letter != "#" }
        let continues = content.last == "\\" && content.endIndex == line.endIndex
        if continues {
            content = content.dropLast()
        }
        let whole = (pending?.text ?? "") + content
        let number = pending?.number ?? index + 1
        pending = nil
        if continues {
            pending = (number, whole + " ")
        } else if whole.contains(where: { letter in !letter.isWhitespace }) {
            lines.append((number, whole))
        }
    }
    return lines + [pending].compactMap(\.self)
}

/// An argument with blanks in it stands in brackets, which are not part of it.
private func withoutBrackets(_ word: String) -> String {
    word.hasPrefix("[") ? String(word.dropFirst().dropLast(word.hasSuffix("]") ? 1 : 0)) : word
}

/// The words of a line: what stands in brackets is one, and `\]` in it a bracket.
private func tokens(_ line: String) -> [String] {
    var words: [String] = []
    var rest = Substring(line)
    while let start = rest.firstIndex(where: { letter in !letter.isWhitespace }) {
        rest = rest[start...]
        guard rest.first == "[" else {
            let word = rest.prefix { letter in !letter.isWhitespace }
            words.append(String(word))
            rest = rest[word.endIndex...]
            continue
        }
        var word = ""
        var isEscaped = false
        while let letter = rest.popFirst() {
            if letter == "]" && !isEscaped {
                word.append(letter)
                break
            }
            if isEscaped && letter != "]" {
                word.append("\\")
            }
            isEscaped = letter == "\\" && !isEscaped
            if !isEscaped {
                word.append(letter)
            }
        }
        words.append(word)
    }
    return words
}
