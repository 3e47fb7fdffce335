internal import Accounts
internal import Base
internal import CLinux
internal import Commands
internal import Configuration
internal import Glibc
internal import Sessions

extension AccountServiceFacts {
    /// As they are; nil where no account comes from the pool.
    init?(of settings: Settings, at path: String) {
        guard settings.accounts != .none else {
            return nil
        }
        range = settings.accountUIDs
        self.path = path
        nameServices = readWhole("/etc/nsswitch.conf") ?? ""
        units = SystemdUnit.current([Self.unit, Self.timer, Self.round])
        // It is a socket of another type than the question's.
        isHeard = unsafe linux_socket_fault(Self.socket, 1) == -EPROTOTYPE
        var status = stat()
        isReadable = unsafe stat(path, &status) != 0 || status.st_mode & S_IROTH != 0
        if settings.accounts == .signIn {
            sourceBehind = sourceBehindOurs(in: Array(nameServices.utf8)).map { source in printable(source) }
        }
        isFromDirectory = settings.accounts == .directory
        hasIdentity = settings.hasIAMIdentity
        readRecords(AccountRules(settings))
        others =
            Self.rangesOfUserAdd(readWhole("/etc/login.defs") ?? "")
            + Self.subordinateRanges(readWhole("/etc/subuid") ?? "")
    }

    /// So many accounts are looked up in other sources at most: of thousands that takes long, and each round does it.
    private static let mostLookedUp = 500

    /// Asks the other sources about these, and about an account that does not exist, so that each has to answer.
    private mutating func askOtherSources(about people: [SourceQuestion]) {
        let nobody = SourceQuestion(("pam-cognito-nobody" as StaticString).bytes, UInt32(Int32.max))
        for answer in LinuxMachine().otherSources(about: [nobody] + people.prefix(Self.mostLookedUp)) {
            switch answer.verdict {
            case .nobody: break
            case .known: contested.append(printable(answer.name))
            case .silent(let source):
                silentSources = unique(silentSources + [source.isEmpty ? "cognito-agent" : printable(source)])
            }
        }
    }

    private mutating func readRecords(_ rules: AccountRules) {
        var people: [SourceQuestion] = []
        defer { askOtherSources(about: people) }
        do throws(AccountFault) {
            let store = try AccountStore()
            let names = try store.names()
            while let name = try names.next() {
                let text: String = printable(name)
                guard let record = try? store.record(named: name) else {
                    damaged.append(text)
                    continue
                }
                guard record.state != .forgotten else { continue }
                count += 1
                people.append(SourceQuestion(record.name, record.uid))
                if rules.objection(to: record) != nil {
                    refused.append(text)
                } else if unserved == nil, count <= 3, unsafe getpwnam(text)?.pointee.pw_uid != record.uid {
                    unserved = text
                }
            }
        } catch .directory(let error) where error != .noSuchFileOrDirectory {
            storeFault = error
        } catch {
            // There are no records.
        }
    }

    /// What login.defs(5) has useradd(8) give away.
    static func rangesOfUserAdd(_ text: String) -> [(name: String, lowest: UInt32, highest: UInt32)] {
        let settings = text.split(separator: "\n").map { line in line.split(whereSeparator: \.isWhitespace) }
        let numbers = settings.filter { words in words.count >= 2 }.compactMap { words in
            UInt32(words[1]).map { number in (words[0], number) }
        }
        let values = Dictionary(numbers) { _, last in last }
        // As useradd(8) has them where nothing is said.
        return [
            ("UID_MIN", values["UID_MIN"] ?? 1000, values["UID_MAX"] ?? 60_000),
            ("SUB_UID_MIN", values["SUB_UID_MIN"] ?? 100_000, values["SUB_UID_MAX"] ?? 600_100_000),
        ]
    }

    /// What subuid(5) has given away, with the owners.
    static func subordinateRanges(_ text: String) -> [(name: String, lowest: UInt32, highest: UInt32)] {
        SubordinateIDs(parsing: Array(text.utf8)).shares.map { share in
            ("/etc/subuid, \(printable(share.owner) as String)", share.lowest, share.highest)
        }
    }
}
