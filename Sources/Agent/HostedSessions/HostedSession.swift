package import Base
import Glibc

/// The processes of this machine at a moment that is not long ago: a round looks at many sessions in a row, and going
/// through all processes for each would take the square of their number.
private final class RecentProcesses {
    /// For how long, in milliseconds.
    private static let life: Int64 = 1000
    private var table: ProcessTable?
    private var taken = Instant(milliseconds: 0)

    var now: ProcessTable {
        let now = Instant.now
        if let table, now.milliseconds - taken.milliseconds < Self.life {
            return table
        }
        let table = ProcessTable.current
        self.table = table
        taken = now
        return table
    }
}

/// What loginctl(1) says; nil where it fails, or takes longer than logind takes for anything: the reaper waits for it.
func loginctl(_ arguments: [ByteText]) -> [UInt8]? {
    run(["/usr/bin/loginctl"] + arguments, timeout: 5000)
}

/// The sessions of this machine, as they are.
package struct LinuxSessions: SessionControl {
    private let processes = RecentProcesses()

    package init() {}

    /// Writes `text` to the terminals of the session that belong to the person; to how many.
    ///
    /// What is no printable text is left out, and no terminal is waited for. mesg(1) is about other people's messages:
    /// this one is about the person's own session.
    package func tell(_ text: [UInt8], _ person: Account, inSessionOf host: ProcessIdentity) -> Int {
        let line = Array("\r\n".utf8) + text.filter { byte in byte >= 0x20 && byte != 0x7f } + Array("\r\n".utf8)
        return ProcessTable.current.terminals(of: host, person.uid).filter { terminal in
            (try? terminal.tell(line, as: person.uid)) != nil
        }.count
    }

    /// Returns the seconds since the last input at a terminal of the session that belongs to the user, as w(1) shows
    /// them; nil without such a terminal.
    package func idleTime(of person: Account, inSessionOf host: ProcessIdentity) -> Int64? {
        processes.now.terminals(of: host, person.uid).compactMap { terminal in
            try? terminal.idleTime(of: person.uid)
        }.min()
    }

    /// The systemd-logind session whose leader is the application; not that of a user who called su or sudo in it.
    private func loginSession(of host: ProcessIdentity) -> ByteText? {
        guard let groups = try? readFile("/proc/\(host.id)/cgroup"),
            let id = Agent.loginSession(inControlGroups: groups).map(ByteText.init),
            let leader = loginctl(["show-session", "--property=Leader", "--value", "--", id])
        else {
            return nil
        }
        let digits = leader.prefix { byte in byte != UInt8(ascii: "\n") }
        return Int32(String(decoding: digits, as: UTF8.self)) == host.id && host.life == .alive ? id : nil
    }

    private func order(_ verb: ByteText, _ host: ProcessIdentity) -> Bool {
        loginSession(of: host).map { id in loginctl([verb, "--", id]) != nil } ?? false
    }

    /// Whether systemd-logind says that the session's screen is locked; nil where it has no such session.
    package func isScreenLocked(of person: Account, inSessionOf host: ProcessIdentity) -> Bool? {
        guard let id = loginSession(of: host),
            let answer = loginctl(["show-session", "--property=LockedHint", "--value", "--", id])
        else {
            return nil
        }
        return answer.starts(with: ("yes" as StaticString).bytes)
    }

    /// Locks the session's screen; whether systemd-logind has been told to.
    package func lockScreen(of person: Account, inSessionOf host: ProcessIdentity) -> Bool {
        order("lock-session", host)
    }

    /// Ends the session: by systemd-logind where it has one, else by hanging up on the person's processes.
    ///
    /// - Returns: false when there was nothing to be ended.
    package func terminate(_ person: Account, inSessionOf host: ProcessIdentity) -> Bool {
        if order("terminate-session", host) {
            return true
        }
        var reached = false
        for leader in ProcessTable.current.leaders(of: host, person.uid) {
            reached = (try? leader.signal(SIGHUP)) != nil || reached
        }
        return reached
    }
}

/// What systemd-logind knows of the session that a process is in.
package struct LoginSession: Equatable, Sendable {
    /// What let its person in (PAM_SERVICE), and from where; empty where the person is here.
    package let service: [UInt8]
    package let remoteHost: [UInt8]

    /// That of a process; nil where it is in none.
    package init?(of process: Int32) {
        guard let groups = try? readFile("/proc/\(process)/cgroup"),
            let id = Agent.loginSession(inControlGroups: groups).map(ByteText.init),
            let answer = loginctl(["show-session", "--property=Service", "--property=RemoteHost", "--", id])
        else {
            return nil
        }
        self.init(parsing: answer)
    }

    /// What loginctl(1) says of it.
    package init(parsing answer: [UInt8]) {
        func value(_ name: StaticString) -> [UInt8] {
            let lines = answer.split(separator: UInt8(ascii: "\n"))
            let start = name.bytes + [UInt8(ascii: "=")]
            return lines.first { line in line.starts(with: start) }.map { line in Array(line.dropFirst(start.count)) }
                ?? []
        }
        service = value("Service")
        remoteHost = value("RemoteHost")
    }
}
