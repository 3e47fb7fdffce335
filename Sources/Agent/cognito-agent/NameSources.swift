import Accounts
import Base
import CLinux
import Glibc

/// A process that asks the other sources of names (nsswitch.conf(5)) about a name or a number. So their libraries are
/// in no PAM application, only root starts them, and the caller decides how long it waits.
enum NameSources {
    /// A source of users, of groups, or of both.
    private struct NameSource {
        let name: [UInt8]
        var databases: [linux_source_database] = []
    }

    /// The milliseconds without a question after which it ends: the user who started su can stop its caller.
    private static let idleness: Int32 = 30_000
    private static let configuration = "/etc/nsswitch.conf"

    /// Answers the one behind standard input until that is gone. The result is the exit status.
    static func serve() -> CInt {
        // systemd's source is asked for all but what it has from us, be it through its multiplexer.
        guard PacketSocket.isOne(STDIN_FILENO),
            unsafe linux_set_environment(
                "SYSTEMD_BYPASS_USERDB", "org.pam_cognito.Accounts:io.systemd.Multiplexer") == 0
        else {
            return EX_USAGE
        }
        let channel = PacketSocket(STDIN_FILENO)
        while let packet = try? channel.receive(atMost: SourceQuestion.largest, timeout: idleness) {
            guard let question = SourceQuestion(decoding: packet.withBytes { bytes in bytes.copied() }) else {
                return EX_USAGE
            }
            let verdict = verdict(on: question) { source in
                try? channel.send(unsafe SourceReport.asking(source).packet.span.bytes, timeout: 2000)
            }
            guard (try? channel.send(unsafe SourceReport.verdict(verdict).packet.span.bytes, timeout: 2000)) != nil
            else {
                return EX_IOERR
            }
        }
        return EX_OK
    }

    private static func verdict(
        on question: SourceQuestion, asking tell: ([UInt8]) -> Void
    ) -> SourceAnswer.SourceVerdict {
        let text: [UInt8]
        do throws(ErrorNumber) {
            text = try readFile(configuration)
        } catch .noSuchFileOrDirectory {
            return .nobody
        } catch {
            return .silent(Array(configuration.utf8))
        }
        var silent: [UInt8]?
        for source in sources(in: text) {
            tell(source.name)
            for database in source.databases {
                for isName in [true, false] {
                    switch ask(source.name, database, question, byName: isName) {
                    case .nobody: break
                    case .silent: silent = silent ?? source.name
                    case .known(let known): return .known(known)
                    }
                }
            }
        }
        return silent.map(SourceAnswer.SourceVerdict.silent) ?? .nobody
    }

    /// All but this machine's own files. systemd's comes behind the others, since it asks them, too, for the name of a
    /// group id (nss-systemd), and would be named for their silence; and at last the one that repeats the files, which
    /// an adoption does not mind.
    private static func sources(in text: [UInt8]) -> [NameSource] {
        var sources: [NameSource] = []
        for (database, kind) in [("passwd", LINUX_SOURCE_USERS), ("group", LINUX_SOURCE_GROUPS)]
            as [(StaticString, linux_source_database)]
        {
            for name in nameServices(of: database.bytes, in: text) where !("files" as StaticString).equals(name) {
                if let known = sources.firstIndex(where: { source in source.name == name }) {
                    sources[known].databases.append(kind)
                } else {
                    sources.append(NameSource(name: name, databases: [kind]))
                }
            }
        }
        let rank = { (source: NameSource) in
            ("compat" as StaticString).equals(source.name) ? 2 : ("systemd" as StaticString).equals(source.name) ? 1 : 0
        }
        return (0...2).flatMap { place in sources.filter { source in rank(source) == place } }
    }

    private static func ask(
        _ source: [UInt8], _ database: linux_source_database, _ question: SourceQuestion, byName: Bool
    ) -> SourceAnswer.SourceVerdict {
        var entry = linux_source_entry()
        let service = String(decoding: source, as: UTF8.self)
        let name = String(decoding: question.name, as: UTF8.self)
        let answer =
            unsafe byName
            ? linux_ask_source(service, database, name, 0, &entry)
            : linux_ask_source(service, database, nil, question.uid, &entry)
        switch answer {
        case CInt(LINUX_SOURCE_KNOWS_NOT.rawValue), CInt(LINUX_SOURCE_ABSENT.rawValue): return .nobody
        case CInt(LINUX_SOURCE_KNOWS.rawValue): break
        default: return .silent(source)
        }
        let owner = unsafe withUnsafeBytes(of: entry.name) { field in
            unsafe [UInt8](field.prefix { byte in byte != 0 })
        }
        let isUser = database == LINUX_SOURCE_USERS
        let conflict: LocalNames.Conflict =
            byName ? (isUser ? .user : .group) : isUser ? .userID(of: owner) : .groupID(of: owner)
        return .known(KnownElsewhere(source: source, conflict, uid: byName && isUser ? entry.number : 0))
    }
}
