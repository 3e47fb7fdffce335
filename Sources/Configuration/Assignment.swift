package import Base

/// An enumeration whose values are words in the file.
package protocol WrittenAsWord: CaseIterable, Sendable {
    /// The word in the file.
    var name: ByteText { get }
}

extension WrittenAsWord where Self: RawRepresentable<ByteText> {
    package var name: ByteText { rawValue }
}

/// One assignment of a value to an option, which goes through the table until it finds its row.
///
/// The functions below are the kinds of options: each sets the field if the row is the assignment's own and the value
/// will do. None is inlined, since each row calls one.
struct Assignment {
    private let wanted: ArraySlice<UInt8>
    private let value: ArraySlice<UInt8>
    private let seeksNearest: Bool
    /// How many rows there have been.
    private(set) var rows = 0
    /// The option that was found: its row, from 1; 0: none of that name.
    private(set) var row = 0
    private(set) var name: StaticString = ""
    private(set) var place = OptionPlace.file
    /// The permitted values, as described to the administrator.
    private(set) var allowed: ByteText = ""
    private(set) var isUnderstood = false
    /// Whether the worker obeys the option.
    var isForWorker = false
    /// Whether the value may be a secret in the wrong file, which must not be logged.
    private(set) var mayBeSecret = false
    /// If no option has the name: the option whose name is closest to it.
    private(set) var nearest: (name: StaticString, distance: Int)?

    init(of value: ArraySlice<UInt8>, to name: ArraySlice<UInt8>, seekingNearest: Bool = false) {
        wanted = name
        self.value = value
        seeksNearest = seekingNearest
    }

    @inline(never)
    private mutating func isAbout(_ name: StaticString, _ place: OptionPlace) -> Bool {
        rows += 1
        if seeksNearest {
            let most = max(2, wanted.count / 3)
            // The distance is no less than the lengths' difference.
            guard abs(name.utf8CodeUnitCount - wanted.count) <= most else {
                return false
            }
            let distance = editDistance(Array(wanted), name.bytes)
            if distance <= most, distance < nearest?.distance ?? Int.max {
                nearest = (name, distance)
            }
            return false
        }
        guard name.equals(wanted) else {
            return false
        }
        row = rows
        self.name = name
        self.place = place
        return true
    }

    /// Whether it is about the row that was last.
    private var isHere: Bool { row == rows }

    private mutating func store<T>(_ value: T?, _ field: inout T) {
        if let value {
            field = value
            isUnderstood = true
        }
    }

    /// A value that `read` understands.
    @inline(never)
    mutating func value<T>(
        _ name: StaticString, _ field: inout T, _ allowed: StaticString, _ read: (ArraySlice<UInt8>) -> T?,
        _ place: OptionPlace = .file
    ) {
        if isAbout(name, place) {
            self.allowed = ByteText(stringLiteral: allowed)
            store(read(value), &field)
        }
    }

    /// A value that need not be given.
    @inline(never)
    mutating func optional<T>(
        _ name: StaticString, _ field: inout T?, _ allowed: StaticString, _ read: (ArraySlice<UInt8>) -> T?
    ) {
        value(name, &field, allowed) { text in read(text).map { found in .some(found) } }
    }

    /// Text that each configuration has.
    @inline(never)
    mutating func text(
        _ name: StaticString, _ field: inout [UInt8], _ allowed: StaticString, _ isRight: (ArraySlice<UInt8>) -> Bool
    ) {
        value(name, &field, allowed) { text in isRight(text) ? Array(text) : nil }
    }

    /// Text that need not be given.
    @inline(never)
    mutating func text(
        _ name: StaticString, _ field: inout [UInt8]?, _ allowed: StaticString, _ isRight: (ArraySlice<UInt8>) -> Bool
    ) {
        optional(name, &field, allowed) { text in isRight(text) ? Array(text) : nil }
    }

    /// The path of a file with a secret. By mistake, the value may be the secret itself.
    @inline(never)
    mutating func secretFile(_ name: StaticString, _ field: inout [UInt8]?) {
        text(name, &field, "the absolute path of a file that only root can read", isAbsolutePath)
        if isHere {
            mayBeSecret = true
        }
    }

    /// Names, but none that is `refused`.
    @inline(never)
    mutating func names(
        _ name: StaticString, _ field: inout [[UInt8]], _ allowed: StaticString, refusing refused: StaticString = "",
        _ place: OptionPlace = .file
    ) {
        let read = { (text: ArraySlice<UInt8>) in
            let names = words(text)
            return names.contains { name in refused.equals(name) } ? nil : names
        }
        value(name, &field, allowed, read, place)
    }

    /// A proxy, in the form of CURLOPT_PROXY(3). By mistake, it may contain a password.
    @inline(never)
    mutating func proxy(_ name: StaticString, _ field: inout [UInt8]?) {
        text(
            name, &field, "http://host:port, https://host:port or socks5h://host:port, without a user name or password",
            isProxy)
        if isHere {
            mayBeSecret = value.contains(UInt8(ascii: "@"))
        }
    }

    /// Whether the value is this word, after which others may stand.
    @inline(never)
    private mutating func isWord(_ word: ByteText, before others: Int) -> Bool {
        allowed = "\(allowed)\(word)\(others > 1 ? ", " : others == 1 ? " or " : "" as StaticString)"
        return value.elementsEqual(word.bytes)
    }

    /// One of several words.
    @inline(never)
    mutating func word<T: WrittenAsWord>(_ name: StaticString, _ field: inout T, _ place: OptionPlace = .file) {
        if isAbout(name, place) {
            var others = T.allCases.count
            for choice in T.allCases {
                others -= 1
                store(isWord(choice.name, before: others) ? choice : nil, &field)
            }
        }
    }

    /// A word of earlier versions for a value of the row before.
    @inline(never)
    mutating func formerly<T: WrittenAsWord>(_ word: StaticString, _ meaning: T, _ field: inout T) {
        store(isHere && word.equals(value) ? meaning : nil, &field)
    }

    /// One of two words.
    @inline(never)
    mutating func word(
        _ name: StaticString, _ field: inout Bool, no: ByteText, yes: ByteText, _ place: OptionPlace = .file
    ) {
        if isAbout(name, place) {
            store(isWord(no, before: 1) ? false : nil, &field)
            store(isWord(yes, before: 0) ? true : nil, &field)
        }
    }

    @inline(never)
    mutating func yesOrNo(_ name: StaticString, _ field: inout Bool, _ place: OptionPlace = .file) {
        if isAbout(name, place) {
            store(isWord("yes", before: 1) ? true : nil, &field)
            store(isWord("no", before: 0) ? false : nil, &field)
        }
    }

    /// A number within bounds; or 0, if that has a meaning.
    @inline(never)
    mutating func number(
        _ name: StaticString, _ field: inout UInt32, from lowest: Int64, to highest: Int64, zero: StaticString? = nil
    ) {
        if isAbout(name, .file) {
            allow("number", "\(lowest)", "\(highest)", zero)
            if let number = Configuration.number(value),
                number >= lowest && number <= highest || number == 0 && zero != nil
            {
                store(UInt32(exactly: number), &field)
            }
        }
    }

    /// The unit of a duration.
    enum TimeUnit: Int64 {
        case seconds = 1
        case milliseconds = 1000
    }

    /// A time within bounds, which are written as in the file; or 0, if that has a meaning.
    @inline(never)
    mutating func time(
        _ name: StaticString, _ field: inout Int64, _ unit: TimeUnit = .seconds, from shortest: StaticString,
        to longest: StaticString, as remark: StaticString? = nil, such example: StaticString, zero: StaticString? = nil,
        _ place: OptionPlace = .file
    ) {
        if isAbout(name, place) {
            let remark: ByteText = remark.map { remark in ", as \(remark)" } ?? ""
            allow("time", "\(shortest)", "\(longest)\(remark), such as \(example)", zero)
            if let time = Int64(duration: value), let least = Int64(duration: shortest.bytes),
                let most = Int64(duration: longest.bytes),
                time >= least && time <= most || time == 0 && zero != nil
            {
                store(time * unit.rawValue, &field)
            }
        }
    }

    /// A time that need not be given.
    @inline(never)
    mutating func time(
        _ name: StaticString, _ field: inout Int64?, from shortest: StaticString, to longest: StaticString,
        as remark: StaticString, such example: StaticString
    ) {
        var given: Int64 = 0
        time(name, &given, from: shortest, to: longest, as: remark, such: example)
        field = given > 0 ? given : field
    }

    @inline(never)
    private mutating func allow(_ what: StaticString, _ from: ByteText, _ to: ByteText, _ zero: StaticString?) {
        let orZero: ByteText = zero.map { zero in "0 for \(zero), or " } ?? ""
        allowed = "\(orZero)a \(what) from \(from) to \(to)"
    }
}
