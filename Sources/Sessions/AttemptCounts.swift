package import Base
package import Keyring

/// The attempts that count for one subject at one moment.
package struct AttemptCounts {
    /// Those that have failed, and those of processes that ended before Cognito had judged the answer.
    package fileprivate(set) var failures: [Attempt] = []
    /// Those of the failures whose process ended before the judgement: Cognito may have sent a code for them, too.
    package fileprivate(set) var unjudged: [Attempt] = []
    /// Answers that Cognito is judging.
    package fileprivate(set) var reserved = 0
    /// Codes that Cognito has sent and that have not been entered.
    package fileprivate(set) var codesSent: [Attempt] = []
    /// Those that wait for room, in the order of their coming.
    fileprivate var waiting: [Attempt] = []

    fileprivate init() {}

    /// How many wait that came before `ticket`; without one, all that wait.
    package func waiting(before ticket: RootKey?) -> Int {
        waiting.prefix { attempt in attempt.key != ticket }.count
    }

    fileprivate mutating func add(_ attempt: Attempt, isProcessGone: Bool) {
        switch attempt.kind {
        case .failure: failures.append(attempt)
        case .reserved where isProcessGone:
            failures.append(attempt)
            unjudged.append(attempt)
        case .reserved: reserved += 1
        case .codeSent: codesSent.append(attempt)
        case .waiting where !isProcessGone: waiting.append(attempt)
        case .waiting, .answered, .signingOut, .begun: break
        }
    }
}

/// A line for each who has tried to be whom: what has failed, when the last of it ends, and the codes that were not
/// entered, if any.
package func listing(failures: [Attempt], codesSent: [Attempt], at now: Instant) -> ByteText {
    var lines: ByteText = ""
    var rest = failures + codesSent
    while let subject = rest.first?.subject {
        let own = rest.filter { attempt in attempt.subject == subject }
        rest.removeAll { attempt in attempt.subject == subject }
        let codes = codesSent.filter { attempt in attempt.subject == subject }.count
        let end = own.map { attempt in attempt.end.milliseconds }.max() ?? 0
        let seconds = max(0, end - now.milliseconds) / 1000
        let more: ByteText = codes == 0 ? "" : " codes=\(codes)"
        lines = """
            \(lines)user=\(quoting: subject.user) uid=\(subject.caller) failures=\(own.count - codes) \
            ends=\(seconds)\(more)

            """
    }
    return lines
}

extension Machine {
    /// What counts now of a subject's attempts.
    package func attemptCounts(of subject: AttemptSubject) throws(ErrorNumber) -> AttemptCounts {
        try attemptCounts { other in other == subject }
    }

    /// The same of all wanted subjects together.
    package func attemptCounts(where isWanted: (AttemptSubject) -> Bool) throws(ErrorNumber) -> AttemptCounts {
        var counts = AttemptCounts()
        for attempt in try attempts(where: isWanted) where now < attempt.end {
            counts.add(attempt, isProcessGone: isProcessGone(attempt))
        }
        counts.waiting.sort { left, right in
            left.end == right.end
                ? left.key.description.lexicographicallyPrecedes(right.key.description) : left.end < right.end
        }
        return counts
    }

    /// Forgets what has failed of a subject's attempts, and the codes that were not entered.
    package func forgetFailures(of subject: AttemptSubject) {
        guard let counts = try? attemptCounts(of: subject) else {
            return
        }
        for attempt in counts.failures + counts.codesSent {
            forgetAttempt(attempt.key)
        }
    }

    /// Of a process in a container nothing is known: its attempts count until they end by themselves.
    func isProcessGone(_ attempt: Attempt) -> Bool {
        guard let holder = attempt.holder, holder.pidNamespace == pidNamespace else {
            return false
        }
        return life(of: holder.process) == .gone
    }
}
