import Base

/// A language in which people are spoken to. What programs read, the log first of all, is English.
///
/// Translations are kept with gettext's tools (`packaging/po`) and compiled in, for gettext(3) itself is none for our
/// places: it translates only into locales that the machine has installed, listens to LANGUAGE also in a set-uid host,
/// and keeps its catalogue mapped in a host that goes on for days.
package enum Language: UInt8, CaseIterable, Sendable {
    /// The language of the sources.
    case english
    case spanish

    /// The language's tag (BCP 47).
    package var tag: StaticString {
        switch self {
        case .english: "en"
        case .spanish: "es"
        }
    }

    /// The language of that tag; nil for others than ours.
    package init?(tag: some Collection<UInt8>) {
        for language in Self.allCases where language.tag.equals(tag) {
            self = language
            return
        }
        return nil
    }

    /// The language of a locale, by its name (locale(7)): `es_ES.UTF-8`, `es`. English for every other language.
    ///
    /// Nil where the name names none: when it is empty, or `C` or `POSIX`, which is what every program begins with.
    package init?(locale: some Collection<UInt8>) {
        let name = locale.prefix { byte in isLetter(byte) }
        let isAbsent =
            locale.isEmpty || ("C" as StaticString).equals(locale) || ("POSIX" as StaticString).equals(locale)
        guard !isAbsent else {
            return nil
        }
        self = Language(tag: name) ?? .english
    }

    /// The language of a machine, by what `/etc/default/locale` or `/etc/locale.conf` holds (locale.conf(5)): the first
    /// of `LC_ALL`, `LC_MESSAGES` and `LANG` that has a value. Nil where none names a language.
    package init?(settings: [UInt8]) {
        for name in ["LC_ALL=", "LC_MESSAGES=", "LANG="] as [StaticString] {
            let value = assignment(of: name, in: settings)
            if !value.isEmpty {
                guard let language = Language(locale: value) else {
                    return nil
                }
                self = language
                return
            }
        }
        return nil
    }
}

/// The last value that is assigned to `name`, which ends in `=`; without quotes.
private func assignment(of name: StaticString, in settings: [UInt8]) -> [UInt8] {
    var value: [UInt8] = []
    for line in settings.split(separator: 0x0a) {
        let words = line.drop { byte in byte == 0x20 || byte == 0x09 }
        if words.count > name.utf8CodeUnitCount, name.equals(words.prefix(name.utf8CodeUnitCount)) {
            value = words.dropFirst(name.utf8CodeUnitCount).filter { byte in byte > 0x20 && byte != 0x22 && byte != 0x27
            }
        }
    }
    return value
}

private func isLetter(_ byte: UInt8) -> Bool {
    (0x61...0x7a).contains(byte | 0x20)
}

#if !hasFeature(Embedded)

internal import Glibc
internal import Synchronization

extension Language {
    private static let chosen = Atomic<UInt8>(Language.english.rawValue)

    /// The language of this program: for `cognito-session`, which serves one person, and sets it before it says a word.
    package static var current: Language {
        get { Language(rawValue: chosen.load(ordering: .relaxed)) ?? .english }
        set { chosen.store(newValue.rawValue, ordering: .relaxed) }
    }

    /// The language that this process's environment asks for. Not for a set-uid program.
    package static var ofEnvironment: Language {
        Language { name in
            let value = unsafe getenv(name).map { text in unsafe String(cString: text) } ?? ""
            return value.isEmpty ? nil : value
        }
    }

    /// The language of the user's environment, as gettext(3) reads it: with a locale, the first language of `LANGUAGE`
    /// that has translations here.
    ///
    /// - Parameter variable: The value of an environment variable; nil when it is unset or empty.
    package init(environment variable: (String) -> String?) {
        let locale = variable("LC_ALL") ?? variable("LC_MESSAGES") ?? variable("LANG") ?? ""
        guard let language = Language(locale: Array(locale.utf8)) else {
            self = .english
            return
        }
        let wishes = (variable("LANGUAGE") ?? "").utf8.split(separator: UInt8(ascii: ":"))
        self = wishes.lazy.compactMap { wish in Language(tag: wish.prefix(while: isLetter)) }.first ?? language
    }
}

#endif
