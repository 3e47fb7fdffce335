internal import Base
internal import Commands
internal import Glibc
internal import Messages

/// `doctor --mend`: makes the changes of files that findings name, one after the other, each after it was shown and asked for.
struct Mending {
    private let terminal: Terminal
    private let path: String

    /// - Parameter path: pam_cognito.conf, or another file in its place.
    init(_ path: String) throws(Refusal) {
        guard let terminal = Terminal() else {
            throw Refusal(.usage, DoctorWording.mendTerminal)
        }
        self.terminal = terminal
        self.path = path
    }

    /// Mends what can be mended so; what is wrong afterwards decides.
    func perform() throws(Refusal) -> ExitCode {
        // What somebody does not want, or what failed, is not asked for again.
        var passed: Set<String> = []
        var examination = MachineExamination(configuration: path)
        while let finding = examination.mendable.first(where: { finding in !passed.contains(finding.what) }) {
            passed.insert(finding.what)
            terminal.show(DoctorReport([]).entries(finding, .current).joined(separator: "\n"))
            var isAnswered = true
            do throws(MendFault) {
                isAnswered = try make(finding.changes, examination)
            } catch {
                terminal.show(DoctorWording.notMended(error.why))
            }
            guard isAnswered else {
                throw Refusal(.cancelled, DoctorWording.notWanted)
            }
            // The lines of one file are other ones now.
            examination = MachineExamination(configuration: path)
        }
        let report = DoctorReport(examination.areas)
        terminal.show(report.exitStatus == .valid ? DoctorWording.nothingLeft : DoctorWording.somethingLeft)
        return report.exitStatus
    }

    /// Tries the changes together, shows them, asks and makes them; false: nobody answered.
    private func make(_ changes: [FileMend], _ examination: MachineExamination) throws(MendFault) -> Bool {
        var drafts: [(exchange: FileExchange, text: String)] = []
        for change in changes {
            drafts.append(try draft(change))
        }
        try judge(drafts, examination)
        for (exchange, _) in drafts {
            terminal.show(exchange.difference)
        }
        guard let answer = terminal.choice(DoctorWording.mendQuestion) else {
            return false
        }
        guard ToolWording.isYes(answer) else {
            throw MendFault(DoctorWording.notWanted)
        }
        for (exchange, text) in drafts {
            let kept = try KeptMends.add(exchange.path, before: exchange.text, after: text)
            do throws(MendFault) {
                try exchange.commit()
            } catch {
                KeptMends.remove(kept)
                throw error
            }
            terminal.show(DoctorWording.mended(exchange.path))
        }
        return true
    }

    /// The file as a change leaves it.
    private func draft(_ change: FileMend) throws(MendFault) -> (exchange: FileExchange, text: String) {
        guard change.source == change.path else {
            throw MendFault(DoctorWording.mendVendors(change.source))
        }
        let exchange = try FileExchange(change.path)
        let checksum = posixChecksum(exchange.text)
        guard change.checksum ?? checksum == checksum else {
            throw MendFault(DoctorWording.mendChanged(change.path))
        }
        // sed(1) is told of the very text that was read.
        try exchange.write(exchange.text)
        let options = change.scripts.flatMap { script in ["-e", script] }
        guard let (status, text) = run(["/bin/sed"] + options + [exchange.draft]), status == 0, text != exchange.text
        else {
            throw MendFault(DoctorWording.mendSame(change.path))
        }
        try exchange.write(text)
        return (exchange, text)
    }

    /// Whether they may take their files' places.
    private func judge(
        _ drafts: [(exchange: FileExchange, text: String)], _ examination: MachineExamination
    ) throws(MendFault) {
        var services: [String: String] = [:]
        for (exchange, text) in drafts {
            if exchange.path.hasPrefix("\(PAMServices.folder)/") {
                services[String(exchange.path.dropFirst(PAMServices.folder.count + 1))] = text
            } else if exchange.path.hasPrefix("/etc/ssh/"), !acceptsSSHD(exchange.draft, for: exchange.path) {
                throw MendFault(DoctorWording.mendRefusedBySSHD(exchange.path))
            }
        }
        guard services.isEmpty || examination.staysOpen(with: services) else {
            throw MendFault(DoctorWording.mendLocksOut)
        }
    }

    /// Whether sshd takes `draft` where `path` is (`sshd -t`): in a view of the file system that nobody else has, since it may be a file
    /// that another one includes.
    private func acceptsSSHD(_ draft: String, for path: String) -> Bool {
        let script = "mount --bind -- \"$1\" \"$2\" && exec /usr/sbin/sshd -t"
        let isolated = ["/usr/bin/unshare", "--mount", "/bin/sh", "-c", script, "sh", draft, path]
        guard let (status, output) = run(isolated) else {
            return false
        }
        // It reads all of its settings before it looks for its folder, which systemd makes when it is started.
        let last = output.split(whereSeparator: \.isNewline).last ?? ""
        return status == 0 || last.hasPrefix("Missing privilege separation directory")
    }

    /// `doctor --undo`: the last change is taken back, if nobody has changed the file since.
    func undo() throws(Refusal) -> ExitCode {
        do throws(MendFault) {
            guard let last = try KeptMends.newest() else {
                throw MendFault(DoctorWording.nothingToUndo)
            }
            let exchange = try FileExchange(last.path)
            guard Array(exchange.text.utf8) == Array(last.after.utf8) else {
                throw MendFault(DoctorWording.undoChanged(last.path, KeptMends.folder))
            }
            try exchange.write(last.before)
            terminal.show(exchange.difference)
            guard ToolWording.isYes(terminal.choice(DoctorWording.mendQuestion)) else {
                terminal.show(DoctorWording.notWanted)
                return .cancelled
            }
            try exchange.commit()
            KeptMends.remove(last)
            terminal.show(DoctorWording.mended(last.path))
            return .valid
        } catch {
            throw Refusal(.fault, error.why)
        }
    }
}
