import Base
import Configuration
import Keyring
import Protocol
import Sessions

/// What a file of the journal is about, for a session that the registry does not know.
enum JournalVerdict: Equatable {
    /// A crash left it: it was not ended at Cognito.
    case leftOver
    /// It may go on, or may be another container's: how that is known.
    case leave(ByteText)
}

/// Goes through the journal once: for what the registry, which ends with the machine, knows nothing of any more.
struct JournalRound<System: Machine> {
    /// How long a round may go on beginning with other sessions, and how long one may take, in milliseconds.
    private static var timeLimit: Int64 { 50_000 }
    private static var patience: Int64 { 10_000 }

    private let machine: System
    private let scope: ReaperScope
    private let began: Instant
    /// Who has been signed out in this round, which holds for all of their sessions; and which pools cannot be asked.
    private var signedOut: [(person: [UInt8], outcome: AuditFields)] = []
    private var silent: [[UInt8]] = []

    init(_ machine: System, _ scope: ReaperScope) {
        self.machine = machine
        self.scope = scope
        began = machine.now
    }

    /// Ends what a crash left, where this machine has an IAM identity; else says so, once for each session. When its
    /// tokens run out is Cognito's to say: the time decides only when no more is tried.
    ///
    /// - Returns: How many could not be seen to.
    mutating func run(dryRun: Bool, report: (LogLine, Bool) -> Void) -> Int {
        if !dryRun {
            machine.removeUnfinishedFiles()
        }
        let names: [[UInt8]]
        let known: [RootKey]
        do throws(ErrorNumber) {
            names = try machine.journalNames()
            guard !names.isEmpty else {
                return 0
            }
            // After the names: a session that begins now is in the registry before it is in the journal.
            known = try machine.entries()
        } catch {
            report(
                """
                the journal /var/lib/pam-cognito/journal cannot be read (errno \(error.code)); root must own its \
                directory
                """,
                true)
            return 1
        }
        var left = 0
        for bytes in names {
            guard let name = JournalName(bytes), !isKnown(name, known) else {
                continue
            }
            left += look(at: name, dryRun, report) ? 0 : 1
        }
        return left
    }

    private func isKnown(_ name: JournalName, _ known: [RootKey]) -> Bool {
        known.contains { key in key.serial.number == name.number && JournalName(key) == name }
    }

    /// Whether the file was seen to.
    private mutating func look(at name: JournalName, _ dryRun: Bool, _ report: (LogLine, Bool) -> Void) -> Bool {
        let text: [UInt8]
        do throws(FileFault) {
            text = try machine.journalRecord(named: name.bytes)
        } catch {
            switch error {
            case .missing:
                // Its session has just ended, the file before the entry.
                return true
            case .unreadable, .outOfMemory:
                report("the journal file \(name.bytes) cannot be read; check the disk", true)
                return false
            case .notRegular, .wrongOwner, .writableByOthers, .readableByOthers, .tooLarge:
                return removeUnbelieved(name, dryRun, report)
            }
        }
        guard let record = JournalRecord.decode(text) else {
            return JournalRecord.isOfAnotherVersion(text) || removeUnbelieved(name, dryRun, report)
        }
        let who = Self.subject(name, record)
        switch judge(record) {
        case .leave(let why):
            if dryRun {
                report(who.line(.sessionLeftOver, text: "no change: \(why)"), false)
            }
            return true
        case .leftOver:
            return end(name, record, who, dryRun, report)
        }
    }

    private mutating func end(
        _ name: JournalName, _ record: JournalRecord, _ who: AuditSubject, _ dryRun: Bool,
        _ report: (LogLine, Bool) -> Void
    ) -> Bool {
        let settings = try? machine.settings(at: record.configuration, arguments: [])
        guard let settings, settings.hasIAMIdentity else {
            return record.isReported && hasLongRunOut(record.expires, at: machine.time)
                ? giveUp(name, who, dryRun, report) : tell(name, record, who, dryRun, report)
        }
        // It would be ended, too. If it ends as the last one and globally, this one has ended with it.
        guard hasNoSession(record) else {
            if dryRun {
                report(
                    who.line(
                        .sessionLeftOver,
                        text: "sign-out postponed until the user's newer sessions on this machine have ended"), false)
            }
            return true
        }
        guard !isGivenUp(after: record.attempts, record.expires, at: machine.time) else {
            return giveUp(name, who, dryRun, report)
        }
        guard !dryRun else {
            report(who.line(.sessionLeftOver, text: "the user would be signed out everywhere"), false)
            return true
        }
        let pause = record.nextAttempt - machine.time
        // A clock that was set back must not put it off for long.
        guard scope == .now || pause <= 0 || pause > longestPause / 1000 else {
            return false
        }
        let person = record.userPoolID + [0x20] + record.loginName
        if let done = signedOut.first(where: { done in done.person == person }) {
            return drop(name, who, done.outcome, report)
        }
        let service = record.userPoolID + [0x20] + record.endpoint + [0x20] + record.configuration
        guard !silent.contains(service), machine.now.milliseconds - began.milliseconds < Self.timeLimit else {
            return false
        }
        do throws(Fault) {
            guard let outcome = try signOut(record, settings) else {
                return false
            }
            signedOut.append((person, outcome))
            return drop(name, who, outcome, report)
        } catch {
            silent.append(service)
            var later = record
            if later.attempts < UInt8.max {
                later.attempts += 1
            }
            later.nextAttempt = machine.time + machine.pause(after: later.attempts) / 1000
            if let text = later.encode() {
                try? machine.keepJournalRecord(text, named: name.bytes)
            }
            report(who.line(.signOutNotFinished, text: "the session ended in a crash: \(error.line)"), true)
            return false
        }
    }

    private func hasNoSession(_ record: JournalRecord) -> Bool {
        let always = Instant(milliseconds: 0)
        return machine.hasSession(of: record.user, userPoolID: record.userPoolID, orPendingSince: always) == false
    }

    private func drop(
        _ name: JournalName, _ who: AuditSubject, _ outcome: AuditFields, _ report: (LogLine, Bool) -> Void
    ) -> Bool {
        report(who.line(.signedOut, outcome, text: "the session ended in a crash"), false)
        return machine.dropJournalRecord(named: name.bytes)
    }

    private func giveUp(
        _ name: JournalName, _ who: AuditSubject, _ dryRun: Bool, _ report: (LogLine, Bool) -> Void
    ) -> Bool {
        guard !dryRun else {
            report(who.line(.sessionLeftOver, text: "pam-cognito would stop trying to sign out the session"), false)
            return true
        }
        report(
            who.line(
                .givenUp, ["outcome": "unknown"],
                text: """
                    the session was left over after a crash. The tokens have probably expired, but Cognito never \
                    confirmed the revocation
                    """), true)
        return machine.dropJournalRecord(named: name.bytes)
    }

    private static func subject(_ name: JournalName, _ record: JournalRecord) -> AuditSubject {
        AuditSubject(
            user: record.user, session: name.number, service: record.service, remoteHost: record.remoteHost)
    }

    /// AdminUserGlobalSignOut for the person of `record`; the word for the log. nil: they have signed in meanwhile, or
    /// another process counts their sessions.
    private func signOut(_ record: JournalRecord, _ settings: Settings) throws(Fault) -> AuditFields? {
        var path = settings.path
        path.userPoolID = record.userPoolID
        path.clientID = record.clientID
        path.endpoint = record.endpoint.isEmpty ? nil : record.endpoint
        path.caFile = record.caFile.isEmpty ? nil : record.caFile
        let result: SignOutResult? = try machine.signingOutEverywhere(
            record.user, within: Self.patience
        ) { () throws(Fault) in
            // No sign-in of the user can be affected meanwhile: new tokens are registered before or after all of this.
            guard let lock = machine.lockForEnd(.counting(record.user)),
                hasNoSession(record)
            else {
                return nil
            }
            defer { withExtendedLifetime(lock) {} }
            return try machine.adminSignOut(of: record.loginName, by: path, settings, within: Self.patience)
        }
        return result?.ended("").fields
    }

    /// What comes of a file whose session the registry does not know.
    func judge(_ record: JournalRecord) -> JournalVerdict {
        // Of another start of the machine, nothing is left but this.
        guard let boot = machine.bootID else {
            return .leave("the machine's boot id cannot be read")
        }
        guard record.boot == boot else {
            return .leftOver
        }
        // The registry of a container is its own, and its journal may be shared.
        guard record.pidNamespace == machine.pidNamespace else {
            return .leave("the session belongs to another container (pid namespace \(record.pidNamespace.inode))")
        }
        switch machine.life(of: record.host) {
        case .alive: return .leave("the PAM application is still running")
        case .gone: return .leftOver
        case .unknown(let error): return .leave(unknownHost(error))
        }
    }

    private func tell(
        _ name: JournalName, _ record: JournalRecord, _ who: AuditSubject, _ dryRun: Bool,
        _ report: (LogLine, Bool) -> Void
    ) -> Bool {
        guard dryRun || !record.isReported else {
            return true
        }
        let days = (record.expires - machine.time + 86_399) / 86_400
        let end: ByteText = days > 0 ? "expire in \(days) days" : "have expired"
        // A name that the log cannot show as it is would be another's in a command.
        let isShown = [record.loginName, record.userPoolID].allSatisfy { name in
            name.count <= 60
                && name.allSatisfy { byte in (0x21...0x7e).contains(byte) && byte != UInt8(ascii: "'") }
        }
        let remedy: ByteText =
            isShown
            ? """
            aws cognito-idp admin-user-global-sign-out --user-pool-id \(record.userPoolID) \
            --username \(quoting: record.loginName)
            """ : "AdminUserGlobalSignOut for this user"
        report(
            who.line(
                .sessionLeftOver,
                text: """
                    the session ended in a crash, and its tokens were not revoked. According to this machine's \
                    configuration and clock, the tokens \(end). To revoke them: \(remedy)
                    """), !dryRun)
        guard !dryRun else {
            return true
        }
        var told = record
        told.isReported = true
        guard let text = told.encode() else {
            return false
        }
        return (try? machine.keepJournalRecord(text, named: name.bytes)) != nil
    }

    private func removeUnbelieved(_ name: JournalName, _ dryRun: Bool, _ report: (LogLine, Bool) -> Void) -> Bool {
        guard !dryRun else {
            report("a damaged journal file would be removed: \(name.bytes)", true)
            return true
        }
        guard machine.dropJournalRecord(named: name.bytes) else {
            report(
                """
                \(name.bytes) in the journal does not belong to pam-cognito and cannot be removed. Remove the \
                entry manually
                """,
                true)
            return false
        }
        report("a damaged journal file was removed: \(name.bytes)", true)
        return true
    }
}
