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
                ? DoctorWording.noRunRoomWhy
                : path == Self.logFolder ? DoctorWording.noLogRoomWhy : DoctorWording.noStateRoomWhy
            let isFull = fault == .full
            found.append(
                Finding(
                    isRun ? .broken : .warning, isFull ? DoctorWording.full(path) : DoctorWording.readOnly(path),
                    why: why,
                    mend: isFull ? DoctorWording.showRoom(path) : DoctorWording.remount(path)))
        }
        if let nologin {
            found.append(
                Finding(
                    .broken, DoctorWording.closed(nologin), why: DoctorWording.closedWhy,
                    mend: DoctorWording.reopen(nologin)))
        }
        if let logError {
            found.append(
                Finding(
                    .warning, DoctorWording.noLog(logError), why: DoctorWording.noLogWhy, mend: DoctorWording.startLog))
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
                .broken, DoctorWording.blindNames(name), why: DoctorWording.blindNamesWhy,
                mend: DoctorWording.addFiles(name))
        }
            + missing.map { name in
                Finding(
                    .warning, DoctorWording.missingNames(name), why: DoctorWording.missingNamesWhy,
                    mend: DoctorWording.findLibrary(name))
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
