/// A line of a service's file that libpam cannot make sense of.
struct UnreadableLine: Equatable, Sendable {
    var place: Place
    /// What is wrong with it.
    var problem: String

    static let noModule = "the line ends before a module is named"

    static func noFile(_ file: String) -> String {
        "it includes \"\(file)\", which is not there"
    }
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

    /// The stack of a facility; empty where the service has none.
    func stack(_ facility: Facility) -> [StackLine] {
        stacks[facility] ?? []
    }

    /// Whether a facility asks Cognito.
    func isOurs(_ facility: Facility) -> Bool {
        stack(facility).contains(where: \.isOurs)
    }

    /// The files that `config=` names in lines of ours; the last one of a line counts.
    var configurationPaths: [String] {
        Facility.allCases.flatMap(stack).compactMap(\.configurationPath)
    }

    /// Whether by its name it is there only to be included.
    fileprivate var isPart: Bool {
        name.hasPrefix("common-") || name.hasPrefix("cognito-")
    }
}

/// All that stands in the folders of services, by name.
struct PAMServices: Sendable {
    /// The administrator's; what is there counts.
    static let folder = "/etc/pam.d"
    static let vendorFolder = "/usr/lib/pam.d"

    private let files: [String: ServiceFile]
    /// Those that the administrator has no file for.
    private let vendorNames: Set<String>
    /// How deep libpam follows (PAM_SUBSTACK_MAX_LEVEL).
    private static let deepest = 16
    /// How many lines are read for a service. Files that include one another twice end there.
    private static let longest = 4096
    /// The service whose lines count where another has none.
    private static let fallback = "other"

    /// The files by name, with their text.
    init(_ files: [String: String], vendor: [String: String] = [:]) {
        self.files = files.merging(vendor) { own, _ in own }.mapValues(ServiceFile.init)
        vendorNames = Set(vendor.keys).subtracting(files.keys)
    }

    func path(of file: String) -> String {
        "\(folder(of: file))/\(file)"
    }

    private func folder(of file: String) -> String {
        vendorNames.contains(file) ? Self.vendorFolder : Self.folder
    }

    /// The same with another text in one file.
    func with(_ file: String, _ text: String) -> PAMServices {
        PAMServices(files.merging([file: ServiceFile(text)]) { _, new in new }, vendorNames: vendorNames)
    }

    private init(_ files: [String: ServiceFile], vendorNames: Set<String>) {
        self.files = files
        self.vendorNames = vendorNames
    }

    /// What is in a file; nil when there is none of that name.
    func text(of file: String) -> String? {
        files[file]?.text
    }

    /// All modules that are named anywhere, as they were written.
    var moduleNames: Set<String> {
        Set(
            files.keys.flatMap { name in
                let service = service(name)
                return Facility.allCases.flatMap { facility in service.stack(facility).compactMap(\.module) }
            })
    }

    /// The services in which pam_cognito stands: not the files that are there only to be included.
    var ours: [Service] {
        let included = Set(
            files.flatMap { name, file in file.included.filter { included in included != name } })
        return files.keys.sorted().map(service).filter { service in
            let own = Set(Facility.allCases.filter { facility in !service.stack(facility).isEmpty })
                .subtracting(service.borrowed)
            guard own.contains(where: service.isOurs), !service.isPart else {
                return false
            }
            return !included.contains(service.name) || own.isSuperset(of: [.auth, .account])
        }
    }

    /// Reads one service, with "other" in place of what it has no line for.
    func service(_ name: String) -> Service {
        var reader = ServiceReader(files: files, vendorNames: vendorNames, service: Service(name: name))
        reader.read(name, only: nil, depth: 0, level: 0)
        var service = reader.service
        if name != Self.fallback, files[Self.fallback] != nil {
            var other = ServiceReader(
                files: files, vendorNames: vendorNames, service: Service(name: Self.fallback))
            other.read(Self.fallback, only: nil, depth: 0, level: 0)
            for facility in Facility.allCases where service.stack(facility).isEmpty {
                service.stacks[facility] = other.service.stacks[facility]
                service.borrowed.insert(facility)
            }
        }
        return service
    }

    private struct ServiceReader {
        let files: [String: ServiceFile]
        let vendorNames: Set<String>
        var service: Service
        private var linesLeft = PAMServices.longest

        init(files: [String: ServiceFile], vendorNames: Set<String>, service: Service) {
            self.files = files
            self.vendorNames = vendorNames
            self.service = service
        }

        mutating func read(_ file: String, only facility: Facility?, depth: Int, level: Int) {
            if !service.files.contains(file) {
                service.files.append(file)
            }
            for line in files[file]?.lines ?? [] {
                let place = Place(file: file, line: line.number, isVendors: vendorNames.contains(file))
                guard linesLeft > 0 else {
                    return giveUp(at: place, facility, level)
                }
                linesLeft -= 1
                var words = line.words[...]
                let type = words.popFirst() ?? ""
                if type.lowercased() == "@include" {
                    include(words.first, at: place, only: facility, depth: depth, level: level, isSubstack: false)
                    continue
                }
                guard let own = Facility(rawValue: (type.hasPrefix("-") ? String(type.dropFirst()) : type).lowercased())
                else {
                    note(
                        "\"\(type)\" is not a type; the types are auth, account, session, password and @include",
                        at: place)
                    fail(facility ?? .auth, at: place, level)
                    continue
                }
                guard facility == nil || facility == own else {
                    continue
                }
                readModule(words, own, at: place, depth: depth, level: level, isQuiet: type.hasPrefix("-"))
            }
        }

        private mutating func readModule(
            _ words: ArraySlice<String>, _ facility: Facility, at place: Place, depth: Int, level: Int, isQuiet: Bool
        ) {
            var words = words
            guard let controlText = words.popFirst() else {
                note(UnreadableLine.noModule, at: place)
                return fail(facility, at: place, level)
            }
            let word = controlText.lowercased()
            if word == "include" || word == "substack" {
                return include(
                    words.first, at: place, only: facility, depth: depth, level: level, isSubstack: word == "substack")
            }
            let control = Control(controlText)
            if control == nil {
                note("\"\(controlText)\" is not a control that libpam can read", at: place)
            }
            guard let module = words.popFirst() else {
                note(UnreadableLine.noModule, at: place)
                return fail(facility, at: place, level)
            }
            service.stacks[facility, default: []].append(
                StackLine(
                    place: place, facility: facility, controlText: controlText, control: control ?? .failing,
                    module: module, arguments: words.map(withoutBrackets), level: level, isQuiet: isQuiet))
        }

        private mutating func include(
            _ file: String?, at place: Place, only facility: Facility?, depth: Int, level: Int, isSubstack: Bool
        ) {
            guard let file, files[file] != nil else {
                note(UnreadableLine.noFile(file ?? ""), at: place)
                return failAll(facility, at: place, level)
            }
            guard depth + 1 < PAMServices.deepest else {
                note("files include one another without end", at: place)
                return failAll(facility, at: place, level)
            }
            if isSubstack, let facility {
                service.stacks[facility, default: []].append(
                    StackLine(
                        place: place, facility: facility, controlText: "substack", control: .failing, module: nil,
                        arguments: [], level: level, isSubstack: true))
            }
            read(file, only: facility, depth: depth + 1, level: level + (isSubstack ? 1 : 0))
        }

        /// Such a service admits no user. The line that was one too many is noted, once.
        private mutating func giveUp(at place: Place, _ facility: Facility?, _ level: Int) {
            guard linesLeft == 0 else {
                return
            }
            linesLeft = -1
            note("with all that it includes, the service has more than \(PAMServices.longest) lines", at: place)
            failAll(facility, at: place, level)
        }

        /// An `@include` that fails leaves the service without a stack; an `include`, a line that always fails.
        private mutating func failAll(_ facility: Facility?, at place: Place, _ level: Int) {
            for each in facility.map({ one in [one] }) ?? Facility.allCases {
                fail(each, at: place, level)
            }
        }

        private mutating func note(_ problem: String, at place: Place) {
            service.unreadable.append(UnreadableLine(place: place, problem: problem))
        }

        private mutating func fail(_ facility: Facility, at place: Place, _ level: Int) {
            service.stacks[facility, default: []].append(
                StackLine(
                    place: place, facility: facility, controlText: "", control: .failing, module: nil, arguments: [],
                    level: level))
        }
    }
}

/// A service's file: read once, whatever includes it.
private struct ServiceFile: Sendable {
    let text: String
    /// The lines that say something, with their numbers.
    let lines: [(number: Int, words: [String])]

    init(_ text: String) {
        self.text = text
        lines = logicalLines(text).map { line in (line.number, tokens(line.text)) }
    }

    /// The files that it includes.
    var included: [String] {
        lines.compactMap { line in
            if line.words.first?.lowercased() == "@include" {
                return line.words.dropFirst().first
            }
            let isInclude = line.words.dropFirst().first.map { word in
                ["include", "substack"].contains(word.lowercased())
            }
            return isInclude == true ? line.words.dropFirst(2).first : nil
        }
    }
}

/// The lines of a file that say something, with what continues them, and their numbers.
private func logicalLines(_ text: String) -> [(number: Int, text: String)] {
    var lines: [(number: Int, text: String)] = []
    var pending: (number: Int, text: String)?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
        var content = line[..<(commentStart(line) ?? line.endIndex)]
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
    if let pending {
        lines.append(pending)
    }
    return lines
}

/// An argument with blanks in it stands in brackets, which are not part of it.
private func withoutBrackets(_ word: String) -> String {
    word.hasPrefix("[") ? String(word.dropFirst().dropLast(word.hasSuffix("]") ? 1 : 0)) : word
}

private func commentStart(_ line: Substring) -> Substring.Index? {
    line.firstIndex(of: "#")
}

/// The words of a line: what stands in brackets is one, and `\]` in it a bracket.
private func tokens(_ line: String) -> [String] {
    var words: [String] = []
    var rest = Substring(line)
    while let start = rest.firstIndex(where: { letter in !letter.isWhitespace }) {
        rest = rest[start...]
        var word = ""
        if rest.first == "[" {
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
        } else {
            while let letter = rest.first, !letter.isWhitespace {
                word.append(letter)
                rest = rest.dropFirst()
            }
        }
        words.append(word)
    }
    return words
}
