import Agent
import Base
import Sessions
import Testing

@testable import Fakes

extension FakeMachine {
    /// What is to become of a session; nil: there is no memory.
    func judge(_ sample: Sample) -> Verdict? {
        guard let entry = sample.entry(self) else {
            return nil
        }
        return judge(entry)
    }

    /// A round of the reaper: how many sessions are left, and its lines, with `!` in front of faults.
    func reap(_ scope: ReaperScope = .due, dryRun: Bool = false) -> (left: Int, report: [String]) {
        var report: [String] = []
        let left = Reaper(machine: self).reap(scope, dryRun: dryRun) { line, isFault in
            report.append((isFault ? "! " : "  ") + text(line.bytes))
        }
        for line in report {
            #expect(Secrets.all.allSatisfy { secret in !line.contains(secret) })
        }
        return (left, report)
    }
}
