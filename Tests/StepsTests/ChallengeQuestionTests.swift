import Messages
import Protocol
import Testing
import Tokens

@testable import Steps

@Suite("A challenge that is one question") struct ChallengeQuestionTests {
    @Test(
        "is asked in words, and its answer is sent under its name",
        arguments: ChallengeName.allCases.filter { name in name.question != nil })
    func asked(name: ChallengeName) throws {
        let question = try #require(name.question)
        let step = Step()
        step.pool.answers["InitiateAuth"] = [challenge(name.rawValue)]
        let root = step.run(
            [Step.signIn(flow: .choice)], registers: true, person: ("password", "123456"))
        let asked = root.prompts.compactMap { message in message.text(.text) }
        #expect(asked.count == 1 && asked.allSatisfy { text in text.hasSuffix(": ") && text.count > 2 })
        #expect(step.pool.bodies.last?["ChallengeName"]?.text == name.rawValue)
        #expect(step.pool.bodies.last?["ChallengeResponses"]?[question.response]?.text == "123456")
        #expect(root.last?.kind == .signedIn)
    }

    @Test("what can be chosen has a line of its own in the menu")
    func menus() {
        for choices in [ChallengeName.codeKinds, ChallengeName.firstFactors, ChallengeName.setups] {
            let passwords = choices.filter { choice in
                ChallengeName.label(choice).english == ChallengeWording.password.english
            }
            #expect(passwords.allSatisfy { choice in choice.hasPrefix("PASSWORD") })
            #expect(choices.count - passwords.count >= 2)
        }
    }
}
