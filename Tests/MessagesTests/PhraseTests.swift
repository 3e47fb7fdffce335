import Testing

@testable import Messages

/// Texts in their languages.
struct PhraseTests {
    @Test("What is filled in stands as it is, also where it looks like a place for something")
    func filling() {
        #expect(
            Manner(.spanish).say(ChallengeWording.messageCode, filling: "{0} {1}")
                == "Código enviado por SMS a {0} {1}: ")
        #expect(Manner().say(ChallengeWording.messageCode, filling: "+34 600") == "Code sent by SMS to +34 600: ")
    }

    @Test("A name that is not UTF-8 survives as it came")
    func bytes() {
        #expect(Wording.welcome(lasting: 1).phrase.said(in: .spanish, filling: [0xff, 0xfe]).contains(0xff))
    }

    @Test(
        "The welcome says for how long, in whole units, rounded up",
        arguments: [
            (-5, "0 min"), (0, "0 min"), (1, "1 min"), (60, "1 min"), (61, "2 min"), (7200, "120 min"),
            (7201, "3 hours"), (172_800, "48 hours"), (172_801, "3 days"), (2_591_999, "30 days"),
            (.max, "106751991167301 days"),
        ] as [(Int64, String)])
    func welcome(seconds: Int64, length: String) {
        let welcome = Wording.welcome(lasting: seconds)
        let inserts = [Array("ana".utf8), Array("\(welcome.count)".utf8)]
        let said = String(decoding: welcome.phrase.said(in: .english, filling: inserts), as: UTF8.self)
        #expect(said.hasPrefix("Signed in to Cognito as ana for up to \(length). "))
    }

    @Test("The prompts that programs look for are English, unless it is asked otherwise")
    func prompts() {
        let prompts = [
            Wording.passwordPrompt, ChallengeWording.currentPassword, ChallengeWording.newPassword,
            ChallengeWording.newPasswordAgain,
        ]
        #expect(
            prompts.map { prompt in Manner(.spanish).prompt(prompt) }
                == ["Password: ", "Current password: ", "New password: ", "Retype new password: "])
        #expect(
            prompts.map { prompt in Manner(.spanish, translatesPrompts: true).prompt(prompt) }
                == ["Contraseña: ", "Contraseña actual: ", "Nueva contraseña: ", "Repita la nueva contraseña: "])
    }

    @Test("A text without a translation is shown in English")
    func untranslated() {
        #expect(Manner(.spanish).say("Not translated {0}.", filling: "yet") == "Not translated yet.")
        let sentence: Sentence = "Not translated \("yet") " + "\(1)."
        #expect(sentence.said(in: .spanish) == "Not translated yet 1.")
    }
}
