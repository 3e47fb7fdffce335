package import Accounts
import Base
import CLinux
import Configuration

// Who else knows an account by its name or number (nsswitch.conf(5)).

/// What other sources said of an account that there is: a file of root's in memory, by the account's name.
struct NameCheck {
    private enum NameStanding: UInt8 {
        case free = 0x66
        case contested = 0x63
        case silent = 0x73
    }

    private static let directory = "/run/pam-cognito/names"
    /// The time for which an answer is used, in milliseconds.
    private static let life: Int64 = 600_000
    private static let largest = 64

    private let name: [UInt8]
    private let uid: UInt32
    private let verdict: NameStanding
    private let time: Int64

    /// What was said at `now`.
    init(_ answer: SourceAnswer, at now: Instant) {
        (name, uid, time) = (answer.name, answer.uid, now.milliseconds)
        switch answer.verdict {
        case .nobody: verdict = .free
        case .known: verdict = .contested
        case .silent: verdict = .silent
        }
    }

    /// What was said of it last, be it long ago; nil: nothing.
    init?(of record: AccountRecord) {
        let path = (Self.directory + "/").utf8 + record.name
        guard let file = try? readTrustedFile(Array(path), secret: false, limit: Self.largest) else {
            return nil
        }
        let words = file.withBytes { bytes in bytes.copied() }.split(separator: 0x20)
        guard words.count == 3, words[0].count == 1,
            let verdict = NameStanding(rawValue: words[0][words[0].startIndex]),
            userID(claimed: Array(words[1])) == record.uid,
            let time = Int64(decimal: words[2], atMost: 18)
        else {
            return nil
        }
        (name, uid, self.verdict) = (record.name, record.uid, verdict)
        self.time = time
    }

    /// Whether that another knew it was said last.
    var wasContested: Bool { verdict == .contested }

    /// Whether the answer can still be used. A name that another source knows may become free at any moment.
    func holds(at now: Instant) -> Bool {
        !wasContested && (0..<Self.life).contains(now.milliseconds - time)
    }

    /// Keeps it; where that fails, it is asked again.
    func keep() {
        var text: ByteText = " \(uid) \(time)"
        text.bytes.insert(verdict.rawValue, at: 0)
        _ = unsafe text.bytes.withUnsafeBytes { bytes in
            unsafe linux_replace_file(
                Self.directory, String(decoding: name, as: UTF8.self), 0, 0, bytes.baseAddress, bytes.count)
        }
    }
}

/// What was asked for last, for the other hooks of the same sign-in.
final class LastAnswer {
    /// A host may live for days.
    private static let life: Int64 = 60_000

    private var kept: (answer: SourceAnswer, time: Int64)?

    func about(_ question: SourceQuestion, at now: Instant, asking ask: () -> SourceAnswer) -> SourceAnswer {
        if let kept, kept.answer.name == question.name, kept.answer.uid == question.uid,
            (0..<Self.life).contains(now.milliseconds - kept.time)
        {
            return kept.answer
        }
        let answer = ask()
        kept = (answer, now.milliseconds)
        return answer
    }
}

extension LinuxMachine {
    /// How long the sources may take for one account, in milliseconds.
    private static let patience: Int32 = 5_000

    package func otherSources(about people: [SourceQuestion]) -> [SourceAnswer] {
        askOtherSources(about: people, within: Self.patience)
    }

    func otherSources(about one: SourceQuestion) -> SourceAnswer {
        otherSources(about: [one]).first ?? SourceAnswer(of: one.name, one.uid, .silent([]))
    }

    /// Returns the reason why an existing account belongs to another user, too; nil: it does not, as far as is known,
    /// or the caller cannot know.
    func contest(of record: AccountRecord) -> ByteText? {
        let last = NameCheck(of: record)
        guard effectiveUserID == 0, record.state == .forgotten || !(last?.holds(at: now) ?? false) else {
            return nil
        }
        let answer = otherSources(about: SourceQuestion(record.name, record.uid))
        switch answer.verdict {
        case .nobody, .known: break
        case .silent(let source):
            if let last, last.wasContested {
                return """
                    \(AccountRefusal.silent(source).reason(for: record.name)). The last time \
                    that other sources in nsswitch.conf answered, one of them contained the account's name or id
                    """
            }
        }
        NameCheck(answer, at: now).keep()
        return answer.objection.map { objection in objection.reason(for: record.name) }
    }

    /// Returns a user without a record, who signs in for the first time, with the user id that the name alone decides;
    /// nil: it is another account's.
    func newcomer(
        _ name: [UInt8], _ account: Account, _ configuration: LoginConfiguration
    ) throws(Fault) -> OwnAccount? {
        guard configuration.coverage.accounts == .signIn, effectiveUserID == 0 else {
            return nil
        }
        let computed: UInt32?
        let changed: Int64?
        do throws(AccountRefusal) {
            let store = try AccountRefusal.unlessFault { () throws(AccountFault) in try AccountStore() }
            changed = store.lastChange(of: name) ?? store.lastRelease
            switch configuration {
            case .right(let settings):
                computed = try store.newcomer(named: name, settings, by: AccountRules(settings))?.uid
            case .wrong(_, let coverage):
                // What the name gets cannot be said, and our service answers for none: any of these may have come from
                // it before.
                computed = coverage.accountUIDs.contains(account.uid) ? account.uid : nil
            }
        } catch {
            switch error {
            case .unreadable(let number):
                throw Fault(error.reason(for: name), isResourceExhaustion: number.isResourceExhaustion)
            case .fault(let fault):
                throw Fault(error.reason(for: name), isResourceExhaustion: fault.isResourceExhaustion)
            // Our service answers for none of these.
            case .mistake, .distributions, .configuredGroup, .local, .elsewhere, .silent, .subordinate, .outOfRange,
                .otherPerson, .granted, .taken, .unknown, .busy, .notWritten:
                return nil
            }
        }
        guard computed == account.uid else {
            return nil
        }
        let question = SourceQuestion(name, account.uid)
        let answer = lastAnswer.about(question, at: now) { otherSources(about: question) }
        switch answer.verdict {
        case .nobody: return OwnAccount(.forgotten, changed: changed)
        case .silent(let source): throw Fault(AccountRefusal.silent(source).reason(for: name))
        case .known(let known):
            // It is that one's where it has just this number there, and else has come from our service.
            return known.conflict == .user && known.uid == account.uid
                ? nil : OwnAccount(.locked, contest: AccountRefusal.elsewhere(known, account.uid).reason(for: name))
        }
    }
}
