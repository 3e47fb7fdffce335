import Base
import Protocol
import Sessions

/// What a worker does when the root side listens.
enum Act: Sendable {
    /// Sends these bytes as a packet.
    case send([UInt8])
    /// Says that all that it was asked to sign out is signed out.
    case signedOutAsAsked
    /// Says nothing until the time is over.
    case silence
    /// Ends.
    case end
    /// Says something that cannot be heard, for want of memory.
    case deafness
    /// Takes so many milliseconds before it goes on, from when it was asked or was done with what came before.
    case wait(Int64)
}

/// A worker that follows a script.
class FakeWorker: WorkerConnection {
    /// The packets that it received.
    private(set) var received: [[UInt8]] = []
    private(set) var wasKilled = false
    /// Whether its messages were waited for.
    private(set) var wasHeard = false
    private var script: [Act]
    private let deafAfter: Int
    private let machine: FakeMachine
    /// The time until which it has been busy: it also works while no process listens.
    private var busy: Int64 = 0

    /// - Parameter deafAfter: From this packet on, sending to it fails: it has ended.
    init(_ script: [Act], deafAfter: Int, machine: FakeMachine) {
        self.script = script
        self.deafAfter = deafAfter
        self.machine = machine
    }

    /// The kinds of the messages that it received.
    var kinds: [MessageKind] {
        received.compactMap { packet in MessageKind(rawValue: packet[1]) }
    }

    /// A field of the message that it received at `index`.
    func field(_ field: Field, of index: Int = 0) -> [UInt8]? {
        guard received.indices.contains(index), let packet = secret(received[index]),
            let frame = try? Frame(decoding: packet)
        else {
            return nil
        }
        return frame.bytes(field)
    }

    func send(_ frame: borrowing Frame) throws(Fault) {
        guard received.count < deafAfter, received.isEmpty || frame.kind != .signOut || machine.workersAreShared else {
            throw Fault("the worker is gone")
        }
        received.append(frame.withPacket { packet in packet.copied() })
        busy = machine.now.milliseconds
    }

    func receive(within milliseconds: Int64) throws(Fault) -> Frame? {
        wasHeard = true
        var left = milliseconds
        while true {
            let act = script.isEmpty ? Act.end : script.removeFirst()
            switch act {
            case .send(let bytes):
                guard let packet = secret(bytes), let frame = try? Frame(decoding: packet) else {
                    throw Fault("the worker sent nonsense")
                }
                return frame
            case .signedOutAsAsked:
                let isWide = field(.revocation) != [Revocation.session.rawValue]
                guard case .send(let bytes) = Act.signedOut(isWide ? .everywhere : .revoked),
                    let packet = secret(bytes)
                else {
                    throw Fault("the worker sent nonsense")
                }
                return try? Frame(decoding: packet)
            case .wait(let time):
                busy += time
                let rest = max(0, busy - machine.now.milliseconds)
                guard rest < left || rest == 0 else {
                    machine.advance(left)
                    return nil
                }
                left -= rest
                machine.advance(rest)
            case .silence:
                machine.advance(left)
                return nil
            case .end:
                throw Fault("the worker ended without a result")
            case .deafness:
                throw Fault("there is no memory to hear the worker")
            }
        }
    }

    func kill() {
        wasKilled = true
    }
}

/// A message's bytes.
func packet(_ kind: MessageKind, _ fields: [(Field, [UInt8])]) -> [UInt8] {
    var writer = FrameWriter(kind)
    for (field, value) in fields {
        writer.add(field, value)
    }
    guard let frame = try? writer.finish() else {
        return []
    }
    return frame.withPacket { bytes in bytes.copied() }
}

/// A number as a message has it.
func bytes(_ number: Int64) -> [UInt8] {
    bigEndian(UInt64(bitPattern: number))
}

extension Proof {
    /// As a worker says it.
    fileprivate var fields: [(Field, [UInt8])] {
        (authenticatedAt.map { time in [(.authenticatedAt, bytes(time))] } ?? [])
            + (acr.map { acr in [(.acr, acr)] } ?? []) + amr.map { method in (.amr, method) }
    }
}

extension Act {
    static func ask(
        _ style: PromptStyle, _ text: String = "Password: ", _ judgement: AnswerJudgement = .notWrong,
        codeSent: Bool = false
    ) -> Act {
        .send(
            packet(
                .ask,
                [
                    (.promptStyle, [style.rawValue]), (.text, Array(text.utf8)), (.judgement, [judgement.rawValue]),
                ] + (codeSent ? [(.codeSent, [1])] : [])
            ))
    }

    /// A prompt of a worker that does not say what the answer before it was.
    static func unjudged(_ style: PromptStyle) -> Act {
        .send(packet(.ask, [(.promptStyle, [style.rawValue]), (.text, Array("Code: ".utf8))]))
    }

    static func signedIn(
        as name: String = "alice",
        subject: String = "sub-of-alice",
        uidClaim: String? = nil,
        realName: String? = nil,
        groups: [String] = ["staff"],
        bundle: [UInt8] = Array(Secrets.bundle.utf8),
        sessionBundle: [UInt8]? = nil,
        proof: Proof? = nil,
        place: Int64? = nil,
        device: String? = nil,
        log: String? = nil,
        rule: IdentityRule? = nil,
        until expiry: Int64 = 9
    ) -> Act {
        .send(
            packet(
                .signedIn,
                [
                    (.userName, Array(name.utf8)), (.subject, Array(subject.utf8)), (.bundle, bundle),
                    (.accessTokenExpiry, Fakes.bytes(expiry)),
                ]
                    + (proof?.fields ?? [])
                    + groups.map { group in (.group, Array(group.utf8)) }
                    + (sessionBundle.map { bytes in [(.sessionBundle, bytes)] } ?? [])
                    + (uidClaim.map { text in [(.uidClaim, Array(text.utf8))] } ?? [])
                    + (realName.map { text in [(.realName, Array(text.utf8))] } ?? [])
                    + (place.map { place in [(.sessionPlace, Fakes.bytes(place))] } ?? [])
                    + (device.map { device in [(.device, Array(device.utf8))] } ?? [])
                    + (log.map { text in [(.logText, Array(text.utf8))] } ?? [])
                    + (rule.map { rule in [(.identityRule, [rule.rawValue])] } ?? [])
            ))
    }

    static func failed(
        _ reason: FailureReason, log: String = "told by Cognito", text: String? = nil, outcome: SignOutOutcome? = nil,
        judgement: AnswerJudgement? = nil
    ) -> Act {
        .failed(code: reason.rawValue, log: log, text: text, outcome: outcome, judgement: judgement)
    }

    static func failed(
        code: UInt8, log: String = "told by Cognito", text: String? = nil, outcome: SignOutOutcome? = nil,
        judgement: AnswerJudgement? = nil
    ) -> Act {
        .send(
            packet(
                .failed,
                [(.reason, [code]), (.logText, Array(log.utf8))]
                    + (text.map { text in [(.text, Array(text.utf8))] } ?? [])
                    + (outcome.map { outcome in [(.outcome, [outcome.rawValue])] } ?? [])
                    + (judgement.map { judgement in [(.judgement, [judgement.rawValue])] } ?? [])
            ))
    }

    /// Cognito says that the tokens were revoked.
    static var revoked: Act { refused(.revoked) }
    /// Cognito says that the refresh token has run out.
    static var ranOut: Act { refused(.ranOut) }

    private static func refused(_ why: Field) -> Act {
        .send(
            packet(
                .failed,
                [
                    (.reason, [FailureReason.sessionEnded.rawValue]), (.logText, Array("told by Cognito".utf8)),
                    (why, [1]),
                ]))
    }

    static func checked(
        at time: Int64? = nil, groups: [String] = ["staff"], place: Int64? = nil, acr: String? = nil, amr: [String] = []
    ) -> Act {
        let proof = Proof(
            acr: acr.map { acr in Array(acr.utf8) }, amr: amr.map { method in Array(method.utf8) },
            authenticatedAt: time)
        return .send(
            packet(
                .checked,
                proof.fields + (place.map { place in [(.sessionPlace, bytes(place))] } ?? [])
                    + groups.map { group in (.group, Array(group.utf8)) }))
    }

    /// Credentials that end in so many seconds, of the machine's clock at the beginning.
    static func credentialMade(_ end: Int64, identity: String? = nil, _ credential: String = "{}") -> Act {
        var fields: [(Field, [UInt8])] = [(.credential, Array(credential.utf8)), (.credentialExpiry, bytes(end))]
        if let identity {
            fields.append((.identityID, Array(identity.utf8)))
        }
        return .send(packet(.credentialMade, fields))
    }

    static func listed(_ reports: [String], own: String? = nil) -> Act {
        .send(
            packet(
                .poolSessionList,
                reports.map { report in (.report, Array(report.utf8)) }
                    + (own.map { name in [(.poolSession, Array(name.utf8))] } ?? [])))
    }

    static func withheld(_ reason: FailureReason, _ log: String) -> Act {
        .send(packet(.withheld, [(.reason, [reason.rawValue]), (.logText, Array(log.utf8))]))
    }

    static func keep(_ keySet: String) -> Act {
        .send(packet(.keep, [(.keySet, Array(keySet.utf8))]))
    }

    static func passwordChanged(_ outcome: SignOutOutcome? = .revoked, log: String? = nil) -> Act {
        .send(
            packet(
                .passwordChanged,
                (outcome.map { outcome in [(.outcome, [outcome.rawValue])] } ?? [])
                    + (log.map { text in [(.logText, Array(text.utf8))] } ?? [])))
    }

    static func renewed(
        as name: String = "alice",
        bundle: String = "new-tok3n-bundle",
        sessionBundle: String? = nil,
        until expiry: Int64 = 1_800_007_200,
        groups: [String] = []
    ) -> Act {
        .send(
            packet(
                .renewed,
                [
                    (.userName, Array(name.utf8)), (.subject, Array("sub-of-\(name)".utf8)),
                    (.bundle, Array(bundle.utf8)), (.accessTokenExpiry, bytes(expiry)),
                ]
                    + (sessionBundle.map { bundle in [(.sessionBundle, Array(bundle.utf8))] } ?? [])
                    + groups.map { group in (.group, Array(group.utf8)) }
            ))
    }

    static func signedOut() -> Act {
        .signedOutAsAsked
    }

    static func signedOut(_ result: SignOutResult, log: String? = nil) -> Act {
        var writer = FrameWriter(.signedOut)
        writer.add(result)
        writer.add(.logText, ifPresent: log.map { text in Array(text.utf8) })
        guard let frame = try? writer.finish() else {
            return .end
        }
        return .send(frame.withPacket { bytes in bytes.copied() })
    }
}

/// What must never be seen.
enum Secrets {
    static let password = "hunter2-pass"
    static let bundle = "{\"refresh_token\":\"tok3n-bundle\"}"
    static let sessionBundle = "{\"access_token\":\"tok3n-session\"}"
    static let clientSecret = "cl1ent-secret"
    static let code = "314159-code"

    static let all = [password, "tok3n", clientSecret, code]
}
