import Messages
import Testing

/// Which language people are spoken to in.
struct LanguageTests {
    @Test(
        "A locale's name decides by its first letters; others than ours are English, and no name is no language",
        arguments: [
            ("es_ES.UTF-8", Language.spanish), ("es", .spanish), ("es_MX@euro", .spanish), ("es.UTF-8", .spanish),
            ("en_GB.UTF-8", .english), ("C.UTF-8", .english), ("fr_FR.UTF-8", .english), ("est", .english),
            ("ES_ES", .english), ("_es", .english), ("../es", .english), ("C", nil), ("POSIX", nil), ("", nil),
        ] as [(String, Language?)])
    func locale(name: String, language: Language?) {
        #expect(Language(locale: Array(name.utf8)) == language)
    }

    @Test(
        "A machine's file is read as locale.conf(5) says",
        arguments: [
            ("LANG=es_ES.UTF-8\n", Language.spanish), ("LANG=\"es_ES.UTF-8\"", .spanish), ("LANG='es'\n", .spanish),
            ("# LANG=es\nLANG=en_US.UTF-8\n", .english), ("LANG=en_US\nLC_MESSAGES=es_ES\n", .spanish),
            ("LC_ALL=en_US\nLC_MESSAGES=es_ES\n", .english), ("LANG=es\nLANG=en_US\n", .english),
            ("LANGUAGE=es\n", nil), ("LC_TIME=es\n", nil), ("LANG=\n", nil), ("LANG=C\n", nil), ("", nil),
            ("XLANG=es\n", nil), ("  LANG=es\n", .spanish), ("LANG", nil), ("=\n\n=", nil),
        ] as [(String, Language?)])
    func settings(content: String, language: Language?) {
        #expect(Language(settings: Array(content.utf8)) == language)
    }

    @Test(
        "A person's environment is read as gettext(3) does",
        arguments: [
            (["LANG": "es_ES.UTF-8"], Language.spanish), (["LANG": "es", "LC_MESSAGES": "en_US"], .english),
            (["LANG": "en_US", "LC_MESSAGES": "es"], .spanish), (["LC_ALL": "C", "LANG": "es"], .english),
            (["LANG": "en_US.UTF-8", "LANGUAGE": "fr:es_ES:en"], .spanish), (["LANGUAGE": "es"], .english),
            (["LANG": "C", "LANGUAGE": "es"], .english), (["LANG": "es", "LANGUAGE": "fr"], .spanish),
            (["LANG": "es_ES", "LANGUAGE": "en"], .english), ([:], .english),
        ] as [([String: String], Language)])
    func environment(variables: [String: String], language: Language) {
        #expect(Language { name in variables[name] } == language)
    }

    @Test("A tag is one of ours, or none", arguments: ["", "e", "fr", "es_ES", "ES", "es "])
    func unknownTag(tag: String) {
        #expect(Language(tag: Array(tag.utf8)) == nil)
    }

    @Test("Each language is found by its own tag", arguments: Language.allCases)
    func tag(language: Language) {
        #expect(Language(tag: Array(language.tag.description.utf8)) == language)
    }
}
