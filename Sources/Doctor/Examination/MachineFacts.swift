internal import Accounts
internal import Base
internal import CLinux
internal import Commands
internal import Glibc
internal import Messages

/// What everything else rests on: room to write, the log, names, and whether anybody is let in at all.
struct MachineFacts: Sendable {
    /// Why nothing can be written somewhere.
    enum Room: Equatable, Sendable {
        case readOnly
        case full
    }

    /// Where the log is.
    private static let logFolder = "/var/log"
    /// Where there must be room; of those on one file system the first is named.
    static let places = ["/run", "/run/pam-cognito", "/var/lib/pam-cognito", "/var", logFolder]

    /// Folders in which nothing can be written.
    var rooms: [(path: String, fault: Room)] = []
    /// The file that closes the machine to all but root (pam_nologin(8)).
    var nologin: String?
    /// The error of a connection to /dev/log; nil where it is heard.
    var logError: Int32?
    var names = NameServices()

    /// What is wrong with it.
    var findings: [Finding] {
        var found: [Finding] = names.findings
        for (path, fault) in rooms {
            let isRun = path.hasPrefix("/run")
            let why =
                isRun
                ? "Locks, key sets and counts have no place: sign-ins are slow or refused, and sessions "
                    + "are not renewed. cognito-session sign-out works."
                : path == Self.logFolder
                    ? "What pam_cognito, sshd and sudo have to say of sign-ins and refusals may be lost."
                    : "Devices are not remembered and no journal is kept; the log may be lost, too."
            let isFull = fault == .full
            found.append(
                Finding(
                    isRun ? .broken : .warning, isFull ? "\(path) is full." : "\(path) is read-only.",
                    why: why,
                    mend: isFull
                        ? "df -h \(shellWord(path)); du -xah \(shellWord(path)) | sort -h | tail   # and remove "
                            + "what is not needed"
                        : "dmesg | tail -20; findmnt -T \(shellWord(path))   # a fault of the disk? If not: mount "
                            + "-o remount,rw \"$(findmnt -no TARGET -T \(shellWord(path)))\""))
        }
        if let nologin {
            found.append(
                Finding(
                    .broken, "\(nologin) is there: nobody but root may sign in.",
                    why: "pam_nologin and sshd turn everybody else away, Cognito's accounts and local ones; "
                        + "shutdown(8) and systemd make it.",
                    mend: "cat \(nologin); rm \(nologin)   # if the machine is not about to stop"))
        }
        if let logError {
            found.append(
                Finding(
                    .warning, "Nobody listens at /dev/log (errno \(logError)).",
                    why: "What pam_cognito, sshd and sudo have to say of sign-ins and refusals is lost, to "
                        + "whoever looks for a cause and to auditors.",
                    mend: "systemctl restart systemd-journald.socket systemd-journald-dev-log.socket   # without "
                        + "systemd: rsyslogd"))
        }
        return found
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

    /// Whether somebody who is not found may be there all the same.
    var isBlind: Bool {
        !blind.isEmpty || !missing.isEmpty
    }

    /// Those that know this machine's own accounts only.
    private static let own = ["files", "compat", "db", "systemd", "altfiles", "extrausers", "sudo"]
    /// They are part of the C library.
    private static let builtIn = ["files", "dns"]

    /// What is wrong with it.
    var findings: [Finding] {
        blind.map { name in
            Finding(
                .broken, "What stands in /etc/\(name) is not found: /etc/nsswitch.conf, \(name).",
                why: "Accounts that are there count as missing, root's too: nobody can be signed in. Do not "
                    + "make them anew.",
                mend: "/etc/nsswitch.conf: write files first behind \(name):")
        }
            + missing.map { name in
                Finding(
                    .warning, "/etc/nsswitch.conf names \(name), whose library libnss_\(name).so.2 cannot be loaded.",
                    why:
                        "Accounts and groups that come from there are not found. Do not make them anew on this machine.",
                    mend: "apt-cache search libnss | grep -i \(shellWord(name))   # install it, or take it out of "
                        + "/etc/nsswitch.conf")
            }
    }

    /// The services of a database; what has no line is looked for in files.
    static func services(of database: String, in text: String) -> [String] {
        nameServices(of: Array(database.utf8), in: Array(text.utf8)).map { name in String(decoding: name, as: UTF8.self)
        }
    }

    /// Reads nsswitch.conf(5).
    ///
    /// - Parameters:
    ///   - isFound: Whether a database finds root.
    ///   - hasLibrary: Whether a service's library can be loaded.
    init(_ text: String, isFound: (_ database: String) -> Bool, hasLibrary: (_ service: String) -> Bool) {
        var all: [String] = []
        for database in ["passwd", "group", "shadow"] {
            if !isFound(database) {
                blind.append(database)
            }
            all += Self.services(of: database, in: text).filter { name in !all.contains(name) }
        }
        missing = all.filter { name in !Self.builtIn.contains(name) && !hasLibrary(name) }
        directories = all.filter { name in !Self.own.contains(name) }
    }

    init() {}
}

extension NameServices {
    static var current: NameServices {
        NameServices(readWhole("/etc/nsswitch.conf") ?? "") { database in
            guard
                readWhole("/etc/\(database)")?.split(separator: "\n").contains(where: { line in
                    line.hasPrefix("root:")
                }) == true
            else {
                return true
            }
            switch database {
            case "passwd": return unsafe getpwnam("root") != nil
            case "group": return unsafe getgrnam("root") != nil
            default:
                let root = (try? Account.named(Array("root".utf8))) ?? nil
                return if case .present? = root?.shadow { true } else { false }
            }
        } hasLibrary: { name in
            guard let library = unsafe dlopen("libnss_\(name).so.2", RTLD_LAZY | RTLD_LOCAL) else {
                return false
            }
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
            guard unsafe stat(path, &status) == 0, let fault = Room(of: path),
                devices.insert(UInt64(status.st_dev)).inserted
            else {
                continue
            }
            facts.rooms.append((path, fault))
        }
        facts.nologin = ["/run/nologin", "/etc/nologin"].first(where: linuxExists)
        let error = unsafe -linux_socket_fault("/dev/log", 0)
        // One with much to do is there all the same.
        facts.logError = error == 0 || error == EAGAIN ? nil : error
        return facts
    }
}

extension MachineFacts.Room {
    /// Less than that is as good as nothing, in bytes.
    private static let least: UInt64 = 64 << 10

    /// Nil where something can be written.
    fileprivate init?(of path: String) {
        if unsafe access(path, W_OK) != 0, errno == EROFS {
            self = .readOnly
            return
        }
        var room = statvfs()
        guard unsafe statvfs(path, &room) == 0 else {
            return nil
        }
        // Some file systems make their inodes as they go, and say that they have none.
        let hasInodes = room.f_files == 0 || room.f_ffree > 0
        guard room.f_blocks > 0, !hasInodes || UInt64(room.f_bfree) * UInt64(room.f_frsize) < Self.least else {
            return nil
        }
        self = .full
    }
}
