internal import Accounts
internal import Base
internal import CLinux
internal import Commands
internal import Glibc
internal import Messages

/// What everything else rests on: room to write, the log, names, and whether users other than root are admitted.
struct MachineFacts: Sendable {
    /// Where there must be room; of those on one file system the first is named.
    static let places = ["/run", "/run/pam-cognito", "/var/lib/pam-cognito", "/var", "/var/log"]

    /// Where nothing can be written: the file system is read-only, or it is full.
    var rooms: [(path: String, isReadOnly: Bool)] = []
    /// The file that closes the machine to all but root (pam_nologin(8)).
    var nologin: String?
    /// The error of a connection to /dev/log; nil where there is a listener.
    var logError: Int32?
    var names = NameServices()

    @CheckList var findings: [Check] {
        names.findings
        for (path, isReadOnly) in rooms {
            let folder = shellWord(path)
            Check(
                .room, path.hasPrefix("/run") ? .broken : .warning,
                "\(path) is \(isReadOnly ? "read-only" : "full").", why: Self.why(path),
                fix: isReadOnly
                    ? "dmesg | tail -20; findmnt -T \(folder)   # unless the disk is faulty: mount -o remount,rw "
                        + "\"$(findmnt -no TARGET -T \(folder))\""
                    : "df -h \(folder); du -xah \(folder) | sort -h | tail   # then remove files that are not needed")
        }
        if let nologin {
            Check(
                .nologin, .broken, "\(nologin) exists: only root can sign in.",
                why: "While this file exists, pam_nologin and sshd let only root sign in. shutdown(8) and systemd "
                    + "create the file.",
                fix: "cat \(nologin); rm \(nologin)   # unless the machine is shutting down")
        }
        if let logError {
            Check(
                .noLog, .warning, "No program is listening on /dev/log (errno \(logError)).",
                why: "pam_cognito, sshd and sudo cannot log sign-ins or refusals.",
                fix: "systemctl restart systemd-journald.socket systemd-journald-dev-log.socket   "
                    + "# without systemd: rsyslogd")
        }
    }

    private static func why(_ path: String) -> String {
        switch path {
        case "/var/log": "pam_cognito, sshd and sudo may be unable to log sign-ins or refusals."
        case let path where path.hasPrefix("/run"):
            "Locks, key sets and failure counts cannot be stored. Sign-ins are slow or refused, and sessions are not "
                + "renewed. cognito-session sign-out still works."
        default: "pam_cognito cannot remember devices or keep its journal. Log messages may be lost."
        }
    }
}

/// Where accounts come from: nsswitch.conf(5), and whether what it names is there.
struct NameServices: Equatable, Sendable {
    /// Databases that do not find what stands in their own file in /etc.
    var blind: [String] = []
    /// Services whose library cannot be loaded.
    var missing: [String] = []
    /// Services that get accounts from elsewhere.
    var directories: [String] = []

    /// Whether an account that is not found may be there all the same.
    var isBlind: Bool { !blind.isEmpty || !missing.isEmpty }

    /// Those that know this machine's own accounts only.
    private static let own = ["files", "compat", "db", "systemd", "altfiles", "extrausers", "sudo"]
    /// They are part of the C library.
    private static let builtIn = ["files", "dns"]

    @CheckList var findings: [Check] {
        for name in blind {
            Check(
                .blindDatabase, .broken,
                "Entries in /etc/\(name) are not found; check the \(name) line of /etc/nsswitch.conf.",
                why: "Existing accounts, including root, appear to be missing, so no user can sign in. Do not "
                    + "re-create existing accounts.", fix: "/etc/nsswitch.conf: put files first in the \(name) line")
        }
        for name in missing {
            Check(
                .missingNameService, .warning,
                "/etc/nsswitch.conf names \(name), but libnss_\(name).so.2 cannot be loaded.",
                why: "Accounts and groups from the \(name) source are not found. Do not create local copies of these "
                    + "accounts.",
                fix: "apt-cache search libnss | grep -i \(shellWord(name))   # install the library, or remove "
                    + "the source from /etc/nsswitch.conf")
        }
    }

    /// The services of a database; what has no line is looked for in files.
    static func services(of database: String, in text: String) -> [String] {
        nameServices(of: Array(database.utf8), in: Array(text.utf8)).map(Doctor.text)
    }

    init() {}

    /// Reads nsswitch.conf(5).
    ///
    /// - Parameters:
    ///   - isFound: Whether a database finds root.
    ///   - hasLibrary: Whether a service's library can be loaded.
    init(_ text: String, isFound: (_ database: String) -> Bool, hasLibrary: (_ service: String) -> Bool) {
        let databases = ["passwd", "group", "shadow"]
        blind = databases.filter { database in !isFound(database) }
        let all = unique(databases.flatMap { database in Self.services(of: database, in: text) })
        missing = all.filter { name in !Self.builtIn.contains(name) && !hasLibrary(name) }
        directories = all.filter { name in !Self.own.contains(name) }
    }

    static var current: NameServices {
        NameServices(readWhole("/etc/nsswitch.conf") ?? "") { database in
            let lines = readWhole("/etc/\(database)")?.split(separator: "\n") ?? []
            guard lines.contains(where: { line in line.hasPrefix("root:") }) else { return true }
            switch database {
            case "passwd": return unsafe getpwnam("root") != nil
            case "group": return unsafe getgrnam("root") != nil
            default: return if case .present? = existingAccount("root")?.shadow { true } else { false }
            }
        } hasLibrary: { name in
            guard let library = unsafe dlopen("libnss_\(name).so.2", RTLD_LAZY | RTLD_LOCAL) else { return false }
            unsafe dlclose(library)
            return true
        }
    }
}

extension MachineFacts {
    static var current: MachineFacts {
        var facts = MachineFacts(names: .current)
        var devices: Set<UInt64> = []
        for path in places {
            var status = stat()
            if unsafe stat(path, &status) == 0, let isReadOnly = lacksRoom(path),
                devices.insert(UInt64(status.st_dev)).inserted
            {
                facts.rooms.append((path, isReadOnly))
            }
        }
        facts.nologin = ["/run/nologin", "/etc/nologin"].first(where: linuxExists)
        let error = unsafe -linux_socket_fault("/dev/log", 0)
        // One with much to do is there all the same.
        facts.logError = error == 0 || error == EAGAIN ? nil : error
        return facts
    }

    /// Less than that is as good as nothing, in bytes.
    private static let least: UInt64 = 64 << 10

    /// Whether a directory is read-only rather than full; nil where something can be written.
    private static func lacksRoom(_ path: String) -> Bool? {
        if unsafe access(path, W_OK) != 0, errno == EROFS {
            return true
        }
        var room = statvfs()
        guard unsafe statvfs(path, &room) == 0 else { return nil }
        // Some file systems make their inodes as they go, and say that they have none.
        let hasInodes = room.f_files == 0 || room.f_ffree > 0
        let hasRoom = hasInodes && UInt64(room.f_bfree) * UInt64(room.f_frsize) >= least
        return room.f_blocks > 0 && !hasRoom ? false : nil
    }
}
