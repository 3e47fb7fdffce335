package import Base

/// A process as `/proc` shows it.
package struct ProcessView: Equatable, Sendable {
    package let identity: ProcessIdentity
    package let parent: Int32
    /// The leader of its session, setsid(2).
    package let session: Int32
    /// Whose it is; nil when it has another user's rights than its own, as su and sudo do.
    package let user: UInt32?
    package let terminal: TerminalDevice?
}

extension ProcessView {
    /// What can be seen of a process now.
    fileprivate init(_ id: Int32) throws(ErrorNumber) {
        let stat = try ProcessStat(of: id)
        let users = try ProcessStatus(of: id).numbers("Uid")
        identity = ProcessIdentity(id: id, startTime: stat.startTime)
        parent = stat.parent
        session = stat.session
        // The real one, and the effective one.
        user = users.count > 1 && users[0] == users[1] ? users[0] : nil
        terminal = TerminalDevice(stat.terminal)
    }
}

/// All processes at one moment: what a session that another process hosts consists of.
package struct ProcessTable: Sendable {
    private let processes: [ProcessView]

    package init(_ processes: [ProcessView]) {
        self.processes = processes
    }

    /// The processes that can be seen now; none where one of them could not be looked at for want of something.
    package static var current: ProcessTable {
        var found: [ProcessView] = []
        do throws(ErrorNumber) {
            for id in try processIDs() {
                do throws(ErrorNumber) {
                    found.append(try ProcessView(id))
                } catch  where error.isAboutProcess {
                    continue
                }
            }
        } catch {
            found = []
        }
        return ProcessTable(found)
    }

    /// `user`'s processes in the session that `host` hosts: itself and what it started, and all that came of that.
    private func family(of host: ProcessIdentity, _ user: UInt32) -> [ProcessView] {
        guard processes.contains(where: { process in process.identity == host }) else {
            return []
        }
        // A parent may stand behind its child: process ids begin anew.
        var members = [host.id]
        var next = 0
        while next < members.count {
            let parent = members[next]
            next += 1
            for process in processes where process.parent == parent && !members.contains(process.identity.id) {
                members.append(process.identity.id)
            }
        }
        return processes.filter { process in process.user == user && members.contains(process.identity.id) }
    }

    /// The terminals at which `user` sits in the session that `host` hosts.
    package func terminals(of host: ProcessIdentity, _ user: UInt32) -> [TerminalDevice] {
        var found: [TerminalDevice] = []
        for process in family(of: host, user) {
            if let terminal = process.terminal, !found.contains(terminal) {
                found.append(terminal)
            }
        }
        return found
    }

    /// Those of `user`'s processes on which the session that `host` hosts depends: the first ones, such as a shell or
    /// sshd's part that carries the connection, and the leaders of sessions below them.
    package func leaders(of host: ProcessIdentity, _ user: UInt32) -> [ProcessIdentity] {
        let family = family(of: host, user)
        let known = family.map { process in process.identity.id }
        return family.filter { process in
            process.session == process.identity.id || !known.contains(process.parent)
        }.map { process in process.identity }
    }
}

/// The systemd-logind session that the text of `/proc/PID/cgroup` names, as sd_pid_get_session(3) finds it: the
/// `session-ID.scope` right below the slices. nil where there is none.
package func loginSession(inControlGroups text: [UInt8]) -> [UInt8]? {
    let prefix = Array("session-".utf8)
    let suffix = Array(".scope".utf8)
    let slice = Array(".slice".utf8)
    func ends(_ part: ArraySlice<UInt8>, _ suffix: [UInt8]) -> Bool {
        part.suffix(suffix.count).elementsEqual(suffix)
    }
    for line in text.split(separator: UInt8(ascii: "\n")) {
        // What is below a unit may be of its person's making, and have any name (user@.service).
        let unit = line.split(separator: UInt8(ascii: "/")).dropFirst().first { part in !ends(part, slice) } ?? []
        let id = unit.dropFirst(prefix.count).dropLast(suffix.count)
        // Letters and digits, as logind makes them (session_id_valid).
        if unit.starts(with: prefix), ends(unit, suffix), (1...64).contains(id.count),
            id.allSatisfy(\.isAlphanumericASCII)
        {
            return Array(id)
        }
    }
    return nil
}
