package import Accounts
package import Base
import CLinux
package import Configuration
package import Messages

// The machine's settings and accounts.

extension LinuxMachine {
    private static let largestCredentials = 16_384

    package var language: Language? {
        // Debian's place, where there is one; on some machines a link to the other.
        for path in ["/etc/default/locale", "/etc/locale.conf"] as [StaticString] {
            if let content = try? readTrustedFile(path.bytes, secret: false, limit: 4096) {
                return Language(settings: content.withBytes { bytes in bytes.copied() })
            }
        }
        return nil
    }

    package func ownAccount(
        _ name: [UInt8], _ account: Account, _ configuration: LoginConfiguration
    ) throws(Fault) -> OwnAccount? {
        let coverage = configuration.coverage
        guard coverage.accounts != .none || !coverage.isComplete else {
            return nil
        }
        do throws(ErrorNumber) {
            // A user in the machine's own files is not from the pool, whatever the user id.
            guard try LocalNames().conflict(with: name, account.uid) != .user else {
                return nil
            }
        } catch {
            throw Fault(
                "\(AccountRefusal.unreadable(error).reason(for: name))",
                isResourceExhaustion: error.isResourceExhaustion)
        }
        do throws(AccountFault) {
            let store = try AccountStore()
            if let record = try store.record(named: name), record.uid == account.uid {
                if let contest = contest(of: record) {
                    return record.state == .forgotten ? nil : OwnAccount(.locked, contest: contest)
                }
                return OwnAccount(
                    record.state, person: record.owner, groups: record.groups, foreignFile: record.foreignFile,
                    changed: store.lastChange(of: name), record: record)
            }
        } catch .directory(.permissionDenied) where effectiveUserID != 0 {
            return coverage.accounts != .none && coverage.accountUIDs.contains(account.uid) ? OwnAccount(nil) : nil
        } catch .directory(.noSuchFileOrDirectory) {
            return nil
        } catch {
            throw Fault(error.reason(for: name), isResourceExhaustion: error.isResourceExhaustion)
        }
        return try newcomer(name, account, configuration)
    }

    package func enterNewcomer(_ record: AccountRecord, _ settings: Settings) throws(Fault) -> AccountRecord {
        do throws(AccountRefusal) {
            // A forgotten user gets the same user id again.
            let before = (try? AccountStore().record(named: record.name)).flatMap { before in before }
            let uid = before.flatMap { before in before.isSamePerson(as: record) ? before.uid : nil } ?? record.uid
            let answer = otherSources(about: SourceQuestion(record.name, uid))
            let writer = try AccountWriter(within: 2_000)
            _ = try writer.enter(record, by: AccountRules(settings), answer, at: time)
            NameCheck(answer, at: now).keep()
            return try AccountRefusal.unlessFault { () throws(AccountFault) in
                try writer.store.record(named: record.name) ?? record
            }
        } catch {
            throw Fault(error.reason(for: record.name))
        }
    }

    package func enterGroups(_ groups: [[UInt8]], of name: [UInt8]) throws(Fault) {
        do throws(AccountRefusal) {
            try AccountWriter(within: 2_000).setGroups(groups, of: name, at: time)
        } catch {
            throw Fault(error.reason(for: name))
        }
    }

    package func noteKeysTold(_ name: [UInt8]) {
        try? AccountWriter(within: 2_000).noteKeysTold(name, at: time)
    }

    package func configuration(at path: [UInt8], arguments: [[UInt8]]) -> LoginConfiguration {
        let text: [UInt8]
        do throws(Fault) {
            text = try configurations.text(at: path)
        } catch {
            return .wrong(error, CoverageSettings(withoutFile: arguments))
        }
        let reading = ConfigurationReading(parsing: text, arguments: arguments)
        switch reading.settings {
        case .success(let settings): return .right(settings)
        case .failure(let mistake): return .wrong(Fault(mistake.message(file: path), .configuration), reading.coverage)
        }
    }

    package func clientSecret(_ settings: Settings) throws(Fault) -> Secret? {
        guard let path = settings.clientSecretFile else {
            return nil
        }
        let text: Secret
        do throws(FileFault) {
            text = try readTrustedFile(path, secret: true, limit: 256)
        } catch {
            throw Fault(
                "\(path): client_secret_file \(Self.explanation(of: error, needed: "root:root, mode 0600"))",
                .configuration)
        }
        // An editor's newline at the end does not belong to the secret.
        let secret = text.withBytes { bytes in
            var end = bytes.byteCount
            while end > 0, let last = bytes.byte(at: end - 1), last == 0x0a || last == 0x0d || last == 0x20 {
                end -= 1
            }
            return end > 0 ? Secret(copying: bytes.extracting(0..<end)) : nil
        }
        guard let secret else {
            throw Fault(
                "\(path): client_secret_file is empty. Write the app client's secret into the file", .configuration)
        }
        return secret
    }

    package func keySetFile(_ settings: Settings) throws(Fault) -> KeySetFile? {
        guard let path = settings.keySetFile else {
            return nil
        }
        var written: Int64 = 0
        let content: Secret
        do throws(FileFault) {
            content = try readTrustedFile(path, secret: false, limit: KeySetFile.largestSize, modified: &written)
        } catch {
            throw Fault(
                "\(path): key_set_file \(Self.explanation(of: error, needed: "root:root, mode 0644"))",
                isResourceExhaustion: error.isResourceExhaustion, else: .configuration)
        }
        guard content.count > 0 else {
            throw Fault("\(path): key_set_file is empty. Write the pool's key set into the file", .configuration)
        }
        return KeySetFile(content.withBytes { bytes in bytes.copied() }, written: written, now: time)
    }

    package func iamCredentials(_ settings: Settings) throws(Fault) -> Secret? {
        guard let path = settings.iamCredentialsFile else {
            return nil
        }
        let content: Secret
        do throws(FileFault) {
            content = try readTrustedFile(path, secret: true, limit: Self.largestCredentials)
        } catch {
            throw Fault("\(path): iam_credentials_file \(Self.explanation(of: error, needed: "root:root, mode 0600"))")
        }
        guard content.count > 0 else {
            throw Fault("\(path): iam_credentials_file is empty. Write the keys into a [default] section of the file")
        }
        return content
    }

    static func explanation(of fault: FileFault, needed: StaticString) -> ByteText {
        switch fault {
        case .missing: "does not exist; create it as \(needed)"
        case .notRegular: "is not a regular file. Replace it with a regular file (\(needed))"
        case .wrongOwner: "does not belong to root, so the owner can change it; set \(needed)"
        case .writableByOthers: "can be changed by users other than root; set \(needed)"
        case .readableByOthers: "can be read by users other than root; set \(needed)"
        case .tooLarge: "is too large. Check the content of the file"
        case .unreadable(let error): "cannot be read (errno \(error.code)); set \(needed)"
        case .outOfMemory: "cannot be read: this machine has too little memory"
        }
    }

    package func account(named name: [UInt8]) throws(Fault) -> Account? {
        do throws(ErrorNumber) {
            return try Account.named(name)
        } catch {
            throw Fault(
                "accounts cannot be looked up (errno \(error.code)); see nsswitch.conf(5) and getent(1)",
                isResourceExhaustion: error.isResourceExhaustion)
        }
    }

    package func isMember(_ name: [UInt8], _ account: Account, of group: [UInt8]) throws(Fault) -> Bool? {
        do throws(ErrorNumber) {
            return try account.isMember(name, of: group)
        } catch {
            throw Fault(
                "groups cannot be looked up (errno \(error.code)); see nsswitch.conf(5) and getent(1)",
                isResourceExhaustion: error.isResourceExhaustion)
        }
    }
}
