import ByteText
import KernelKeyring
import LinuxProcess

/// What a file of the journal is about, for a session that the registry does not know.
enum JournalVerdict: Equatable {
    /// A crash left it: nobody has ended it at Cognito.
    case leftOver
    /// Its tokens have ended by themselves.
    case expired
    /// It may go on, or may be another container's: how that is known.
    case leave(ByteText)
}

/// Goes through the journal once: for what the registry, which ends with the machine, knows nothing of any more.
struct JournalRound<System: Machine> {
    private let machine: System

    init(_ machine: System) {
        self.machine = machine
    }

    /// Says what a crash left, once for each session, and drops what has run out.
    ///
    /// - Returns: How many could not be seen to.
    func run(dryRun: Bool, report: (ByteText, Bool) -> Void) -> Int {
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
                "the journal /var/lib/pam-cognito/journal cannot be gone through (errno \(error.code)); its folder must be root's",
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
    private func look(at name: JournalName, _ dryRun: Bool, _ report: (ByteText, Bool) -> Void) -> Bool {
        let text: [UInt8]
        do throws(FileFault) {
            text = try machine.journalRecord(named: name.bytes)
        } catch {
            switch error {
            case .missing:
                // Its session has just ended, the file before the entry.
                return true
            case .unreadable, .outOfMemory:
                report("\(name.bytes) of the journal cannot be read; check the disk", true)
                return false
            case .notRegular, .wrongOwner, .writableByOthers, .readableByOthers, .tooLarge:
                return removeUnbelieved(name, dryRun, report)
            }
        }
        guard let record = JournalRecord.decode(text) else {
            return JournalRecord.isOfAnotherVersion(text) || removeUnbelieved(name, dryRun, report)
        }
        let line = auditLine(
            "session left over", user: record.user, session: name.number, service: record.service,
            remoteHost: record.remoteHost)
        switch judge(record) {
        case .leave(let why):
            if dryRun {
                report("\(line): left alone: \(why)", false)
            }
            return true
        case .expired:
            if !dryRun {
                report("\(line) outcome=expired: its tokens have run out by themselves", false)
                return machine.dropJournalRecord(named: name.bytes)
            }
            return true
        case .leftOver:
            return tell(name, record, line, dryRun, report)
        }
    }

    /// What comes of a file whose session the registry does not know.
    func judge(_ record: JournalRecord) -> JournalVerdict {
        guard record.expires > machine.time else {
            return .expired
        }
        // Of another start of the machine, nothing is left but this.
        guard record.boot == machine.bootID else {
            return .leftOver
        }
        // The registry of a container is its own, and its journal may be shared.
        guard record.pidNamespace == machine.pidNamespace else {
            return .leave("it is of another container (pid namespace \(record.pidNamespace.inode))")
        }
        return machine.isAlive(record.host) ? .leave("its host goes on") : .leftOver
    }

    private func tell(
        _ name: JournalName, _ record: JournalRecord, _ line: ByteText, _ dryRun: Bool,
        _ report: (ByteText, Bool) -> Void
    ) -> Bool {
        guard dryRun || !record.isReported else {
            return true
        }
        let days = (record.expires - machine.time + 86_399) / 86_400
        report(
            """
            \(line): a crash ended it, and Cognito accepts its tokens for up to \(days) more days. To end them: \
            aws cognito-idp admin-user-global-sign-out --user-pool-id \(record.userPoolID) --username \(quoting: record.loginName)
            """, !dryRun)
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

    private func removeUnbelieved(_ name: JournalName, _ dryRun: Bool, _ report: (ByteText, Bool) -> Void) -> Bool {
        guard !dryRun else {
            report("a damaged file of the journal would be removed: \(name.bytes)", true)
            return true
        }
        guard machine.dropJournalRecord(named: name.bytes) else {
            report("\(name.bytes) in the journal is not ours, and cannot be removed; remove it by hand", true)
            return false
        }
        report("a damaged file of the journal was removed: \(name.bytes)", true)
        return true
    }
}
