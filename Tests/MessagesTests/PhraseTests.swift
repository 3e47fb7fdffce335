import Messages
import Testing

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
        #expect(Wording.welcome.said(in: .spanish, filling: [0xff, 0xfe]).contains(0xff))
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

    @Test("A text that nobody has translated is English")
    func untranslated() {
        #expect(
            Manner(.spanish).say("Nobody has translated this {0}.", filling: "yet") == "Nobody has translated this yet."
        )
    }
}
