import Messages
import Testing

@Suite("Time in words")
struct WordingTests {
    @Test(
        "takes the two largest parts",
        arguments: [
            (-5, "less than a minute"),
            (0, "less than a minute"),
            (59, "less than a minute"),
            (60, "1 minute"),
            (3480, "58 minutes"),
            (3600, "1 hour"),
            (3660, "1 hour 1 minute"),
            (7199, "1 hour 59 minutes"),
            (86_399, "23 hours 59 minutes"),
            (86_400, "1 day"),
            (86_460, "1 day"),
            (90_000, "1 day 1 hour"),
            (2_592_000 - 1, "29 days 23 hours"),
            (.max, "106751991167300 days 15 hours"),
        ] as [(Int64, String)])
    func duration(seconds: Int64, words: String) {
        #expect(ToolWording.duration(seconds) == words)
    }

    @Test("has its plurals in Spanish")
    func spanish() async {
        await #expect(processExitsWith: .success) {
            Language.current = .spanish
            let expected: [(Int64, String)] = [
                (0, "menos de un minuto"), (60, "1 minuto"), (3600, "1 hora"), (7260, "2 horas 1 minuto"),
                (86_400, "1 día"), (2_592_000 - 1, "29 días 23 horas"),
            ]
            for (seconds, words) in expected {
                #expect(ToolWording.duration(seconds) == words)
            }
        }
    }
}
