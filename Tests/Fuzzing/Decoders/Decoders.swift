import Accounts
import Base
import CognitoIdentityProvider
import Commands
import Configuration
import Cryptography
import Keyring
import MachineIdentity
import Protocol
import Sessions
import Tokens

@testable import Agent
@testable import CognitoIdentityProvider
@testable import Doctor
@testable import HTTPClient
@testable import UserDatabase

/// The decoders of foreign bytes, and the properties that must hold for any bytes. Each traps if they do not, and ends.
public enum Decoder: String, CaseIterable, Sendable {
    case frame, entry, journal, configuration, workerOptions, json, bundle, token, keySet, head, refusal, certificate
    case credentials, sealing, exportTicket, command, services, daemon, machine, process, account, userDatabase
    case publicKeys

    /// Reads `bytes`.
    public func read(_ bytes: [UInt8]) {
        switch self {
        case .frame: readFrame(bytes)
        case .entry: readEntry(bytes)
        case .journal: readJournal(bytes)
        case .configuration: _ = try? Settings(parsing: bytes, arguments: [])
        case .workerOptions: _ = WorkerSettings(bytes)
        case .json: readJSON(bytes)
        case .bundle: readBundle(bytes)
        case .token: readToken(bytes)
        case .keySet: readKeySet(bytes)
        case .head: readHead(bytes)
        case .refusal: _ = ServiceError(HTTPResponse(status: 400, body: SecretValue(copying: bytes.span.bytes)))
        case .certificate: _ = PublicKeyPin.make(certificate: String(decoding: bytes, as: UTF8.self))
        case .credentials: readCredentials(bytes)
        case .sealing: readSealing(bytes)
        case .exportTicket: readExportTicket(bytes)
        case .command: readCommand(bytes)
        case .services: readServices(String(decoding: bytes, as: UTF8.self))
        case .daemon: readDaemon(String(decoding: bytes, as: UTF8.self))
        case .machine: readMachine(String(decoding: bytes, as: UTF8.self))
        case .process: readProcess(bytes)
        case .account: readAccount(bytes)
        case .userDatabase: readUserDatabase(bytes)
        case .publicKeys: readPublicKeys(bytes)
        }
    }
}

/// A frame satisfies the table of its kind.
private func readFrame(_ bytes: [UInt8]) {
    guard let packet = Secret(copying: bytes.span.bytes), let frame = try? Frame(decoding: packet) else {
        return
    }
    for (field, rule) in frame.kind.rule.fields {
        let value = frame.bytes(field)
        precondition(rule != .required || value != nil)
        _ = (frame.number(field), frame.code(field), frame.list(field))
        _ = frame.secret(field)
    }
}

/// What was understood is written so that it is understood again as the same.
private func readEntry(_ bytes: [UInt8]) {
    guard let payload = Secret(copying: bytes.span.bytes) else {
        return
    }
    _ = RegistryEntry.decodeMetadata(payload)
    guard var entry = RegistryEntry.decode(payload), let written = entry.encode() else {
        return
    }
    guard var again = RegistryEntry.decode(written), let twice = again.encode() else {
        preconditionFailure("an entry that was written is none")
    }
    precondition(written.withBytes { bytes in bytes.copied() } == twice.withBytes { bytes in bytes.copied() })
}

private func readJournal(_ bytes: [UInt8]) {
    _ = JournalRecord.isOfAnotherVersion(bytes)
    guard let record = JournalRecord.decode(bytes), let written = record.encode() else {
        return
    }
    precondition(JournalRecord.decode(written)?.encode() == written)
}

private func readJSON(_ bytes: [UInt8]) {
    guard let value = JSONValue(parsing: bytes) else {
        return
    }
    guard let written = value.serialized else {
        preconditionFailure("what was read cannot be written")
    }
    precondition(JSONValue(parsing: written)?.serialized == written)
}

private func readBundle(_ bytes: [UInt8]) {
    guard let session = try? Session(decoding: bytes.span.bytes) else {
        return
    }
    _ = (session.idTokenClaims, session.accessTokenClaims, session.groups)
    guard let written = try? session.encoded() else {
        preconditionFailure("a bundle that was read cannot be written")
    }
    let again = written.withBytes { bytes in try? Session(decoding: bytes) }
    precondition(again == session)
}

/// Nothing that was made up is ever believed: the key that it would have to be signed with is not here.
private func readToken(_ bytes: [UInt8]) {
    _ = TokenParts(bytes.span.bytes)
    guard let token = SecretValue(copying: bytes.span.bytes), let parsed = try? JSONWebToken(parsing: token),
        let keys = KeySet(parsing: genuineKeySet)
    else {
        return
    }
    precondition((try? parsed.verified(by: keys)) == nil)
}

private func readKeySet(_ bytes: [UInt8]) {
    guard let keys = KeySet(parsing: bytes) else {
        return
    }
    precondition(keys.count > 0)
    _ = try? keys.key("k")
}

/// Lines of a head, as libcurl hands them over, and what is read out of them.
private func readHead(_ bytes: [UInt8]) {
    let buffer = ResponseBuffer(limit: 4096)
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
        let isTaken = Array(line).withUnsafeBytes { line in buffer.addHeader(line) }
        precondition(isTaken || bytes.count > 4096 - bytes.count)
    }
    for value in buffer.headers.values {
        _ = HTTPDate.seconds(value)
    }
    _ = HTTPDate.seconds(String(decoding: bytes, as: UTF8.self))
}

private func readCredentials(_ bytes: [UInt8]) {
    guard let file = Secret(copying: bytes.span.bytes), let credentials = IAMCredentials(file: file) else {
        return
    }
    precondition(credentials.accessKeyID.count > 0 && credentials.secretAccessKey.count > 0)
}

private func readSealing(_ bytes: [UInt8]) {
    guard let packet = Secret(copying: bytes.span.bytes), let request = SealingRequest(decoding: packet) else {
        return
    }
    guard let written = request.encode() else {
        preconditionFailure("a request that was read cannot be written")
    }
    precondition(written.withBytes { bytes in bytes.copied() } == bytes)
}

/// What is read of it is what it was written with, cut to what the fields can have.
private func readExportTicket(_ bytes: [UInt8]) {
    guard let content = Secret(copying: bytes.span.bytes), var ticket = ExportTicket(decoding: content) else {
        return
    }
    guard let written = ticket.encode(), var again = ExportTicket(decoding: written), let twice = again.encode() else {
        preconditionFailure("a ticket that was read cannot be written")
    }
    precondition(written.withBytes { bytes in bytes.copied() } == twice.withBytes { bytes in bytes.copied() })
    precondition(again.offer == ticket.offer && again.userID == ticket.userID && again.end == ticket.end)
    precondition(again.user == ticket.user && again.userPoolID == ticket.userPoolID && again.bootID == ticket.bootID)
}

/// Words that end with zero bytes.
private func readCommand(_ bytes: [UInt8]) {
    _ = try? Commands.parse(bytes.split(separator: 0, omittingEmptySubsequences: false).map(Array.init))
    _ = Commands.printable(bytes)
}

/// Files, each with a line "== NAME" before it: those of PAM's services, which may include one another.
private func files(_ text: String) -> [String: String] {
    var files: [String: String] = [:]
    var name = "sshd"
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
        if line.hasPrefix("== ") {
            name = String(line.dropFirst(3))
        } else {
            files[name, default: ""] += "\(line)\n"
        }
    }
    return files
}

private func readServices(_ text: String) {
    let judge = StackJudge(ModuleFolder().path(of: "pam_debug.so"))
    let services = PAMServices(files(text))
    _ = services.moduleNames
    for service in [services.service("sshd")] + services.ours {
        _ = StackCheck(service: service, judge: judge, missing: [], refusesKeys: false).problems
        for facility in Facility.allCases {
            precondition(service.stack(facility).count <= 4100)
        }
    }
}

private func readDaemon(_ text: String) {
    let files = files(text)
    let settings = SSHConfiguration("sshd") { pattern in
        let name = String(pattern.split(separator: "/").last ?? "")
        return files[name].map { text in [(name, text)] } ?? []
    }
    _ = settings.keywords
    _ = SSHAccess(text)
}

private func readMachine(_ text: String) {
    _ = SudoGrant(listing: text)
    _ = PolkitSandbox(text, asksAgent: false)
    _ = NameServices(text, isFound: { _ in true }, hasLibrary: { _ in false })
    _ = SystemdUnit.all(in: text)
    _ = WorkerFacts(status: text).findings(account: 996)
    if let report = JSONValue(parsing: Array(text.utf8)) {
        let fact = CognitoFact.reached(ReachedCognito(report))
        _ = CognitoExamination(fact, .defaults, at: "/c", hasProxy: false)
    }
}

private func readProcess(_ bytes: [UInt8]) {
    _ = try? ProcessStat(parsing: bytes)
    if let session = loginSession(inControlGroups: bytes) {
        precondition((1...64).contains(session.count))
    }
    _ = KeyDescription(parsing: bytes)
}

/// A record that is believed is written the same, and can be told as JSON, whatever it holds.
private func readAccount(_ bytes: [UInt8]) {
    guard let record = AccountRecord(file: bytes) else {
        return
    }
    precondition(record.file == bytes)
    for isPrivileged in [false, true] {
        precondition(JSONValue(parsing: userRecord(record, isPrivileged: isPrivileged).bytes) != nil)
    }
}

/// Each message has one answer, JSON with a NUL behind it, or none and the end of its connection.
private func readUserDatabase(_ bytes: [UInt8]) {
    let answer: UserDatabaseAnswer
    do throws(UserDatabaseError) {
        answer = UserDatabaseAnswer(to: try UserDatabaseCall(reading: bytes), of: 1000, in: nil, by: nil)
    } catch {
        answer = UserDatabaseAnswer(error)
    }
    guard case .reply(let text) = answer.next(in: nil), !answer.endsConnection else {
        precondition(answer.endsConnection)
        return
    }
    precondition(text.last == 0 && JSONValue(parsing: Array(text.dropLast())) != nil)
    precondition(answer.next(in: nil) == .end)
}

/// What is taken for keys is lines that a record can have.
private func readPublicKeys(_ bytes: [UInt8]) {
    let keys = PublicKeys(bytes, atMost: AccountRecord.mostKeys)
    var record = AccountRecord(
        name: [0x61], subject: [0x61], pool: [0x61], uid: 70_000, shell: [0x2f], home: [0x2f], source: .directory)
    record.keys = keys.keys
    precondition(record.mistake == nil && keys.keys.count <= AccountRecord.mostKeys)
    precondition(PublicKeys(Array(keys.keys.joined(separator: [0x0a])), atMost: 8) == keys || keys.refused > 0)
}

/// A key set without a known private key.
private let genuineKeySet = Array(
    """
    {"keys":[{"kid":"k","kty":"RSA","alg":"RS256","use":"sig","e":"AQAB","n":"\
    qbd8koN7XMIGjDr1098lYr6fkKdjZ-ow4EC3hiV06hSv5yOqtAgtJVFGrQ0r60w5-QKPB4mkA_sOm2-HodCkhCb9pbGYUtPl6GQnvp2PbvOMAL\
    vrFOjmnXpiEEecsbZV_PRO7P7Kcl1yzkavj2cJp_gADtnXyUNubfWUGyRvLsoJJ-A5aTxewrfxmMbht46BYXcdsR3z_8eYRrZJEsJdf5AsiW40\
    _VbIW7S0IdTOO33n9Wbs5_xMmms-Rcmhb7PiZDF1ZgWREyZiaORwzqX56YSCajEmXfWtgafzS48euaCJjzSalZVK4EXj0C7ufqaaXtHhk4sK2G\
    QP718-FpNoJQ\
    "}]}
    """.utf8)
