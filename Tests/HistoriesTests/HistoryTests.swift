import Glibc
import Testing

/// Every token that was issued is held by a living session or will be revoked, and none is revoked that was signed in
/// later: in histories of sign-ins, renewals, ends, kills, delays, clocks that are set, full keyrings, power cuts and a
/// Cognito that fails, each of which follows from a number.
@Suite struct HistoryTests {
    private static func number(_ name: String) -> UInt64? {
        getenv(name).flatMap { text in UInt64(String(cString: text)) }
    }

    @Test func promises() {
        let first = Self.number("PAM_COGNITO_FIRST_HISTORY") ?? 1
        let count = Self.number("PAM_COGNITO_HISTORIES") ?? 100
        var counts: [String: Int] = [:]
        for seed in first..<(first + count) {
            let history = History(seed: seed)
            history.run()
            counts.merge(history.counts) { left, right in left + right }
            guard history.breaches.isEmpty else {
                let again = History(seed: seed, tracing: true)
                again.run()
                #expect(again.breaches == history.breaches, "history \(seed) is another one the second time")
                let story = again.trace.suffix(400).joined(separator: "\n")
                Issue.record("history \(seed): \(history.breaches.joined(separator: "; "))\n\(story)")
                break
            }
        }
        print(
            "histories: \(count) from \(first):",
            counts.sorted { left, right in left.key < right.key }
                .map { what, times in "\(what) \(times)" }.joined(separator: ", "))
    }
}
