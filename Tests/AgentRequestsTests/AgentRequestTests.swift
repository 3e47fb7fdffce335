import Agent
import Base
import Keyring
import Protocol
import Sessions
import Testing

@testable import Fakes

/// A client of the agent that says what it was told to.
private final class FakePeer: AgentPeer {
    enum Saying: Sendable {
        case packet([UInt8])
        case malformed
        case nothing
        case gone
    }

    let userID: UInt32
    let process: Int32 = 4711
    let program = Array("/usr/bin/curious".utf8)
    private var sayings: [Saying]
    private(set) var heard: [[UInt8]] = []
    private(set) var wasLetGo = false

    init(_ userID: UInt32, _ sayings: [Saying]) {
        self.userID = userID
        self.sayings = sayings
    }

    func receive(within milliseconds: Int64) -> PeerMessage {
        switch sayings.isEmpty ? .gone : sayings.removeFirst() {
        case .packet(let bytes):
            guard let packet = secret(bytes), let frame = try? Frame(decoding: packet) else {
                return .malformed
            }
            return .frame(frame)
        case .malformed: return .malformed
        case .nothing: return .nothing
        case .gone: return .gone
        }
    }

    func send(_ frame: borrowing Frame) -> Bool {
        heard.append(frame.withPacket { packet in packet.copied() })
        return true
    }

    func hangUp() {
        wasLetGo = true
    }

    /// The texts that it was sent.
    var words: [String] {
        heard.compactMap { bytes in
            guard let packet = secret(bytes), let frame = try? Frame(decoding: packet) else {
                return nil
            }
            return frame.bytes(.text).map(text)
        }
    }

    /// What it heard: a message's kind, and of a refusal the reason.
    var answers: [String] {
        heard.map { bytes in
            guard let packet = secret(bytes), let frame = try? Frame(decoding: packet) else {
                return "nonsense"
            }
            guard frame.kind == .refused else {
                return "\(frame.kind)"
            }
            return frame.code(.refusal).flatMap(AgentRefusal.init).map { refusal in "\(refusal)" } ?? "refused"
        }
    }
}

/// Those who wait for tokens.
private final class FakeOffers: OfferRegistry {
    var all: [(offer: Offer, state: OfferState)] = []
    /// Called when the offers are read.
    var onLook: (FakeOffers) -> Void = { _ in }

    func add(_ receiver: ProcessIdentity, of userID: UInt32, _ state: OfferState, lasting seconds: Int64) -> Offer {
        let key = RootKey(serial: KeySerial(Int32(800 + all.count)), description: [])
        let offer = Offer(key: key, userID: userID, receiver: receiver)
        all.append((offer, state))
        return offer
    }

    func offers(of userID: UInt32) -> [Offer] {
        all.map { one in one.offer }.filter { offer in offer.userID == userID }
    }

    func state(of offer: Offer) -> OfferState? {
        onLook(self)
        return all.first { one in one.offer == offer }?.state
    }

    func enter(_ state: OfferState, of offer: Offer, lasting seconds: Int64) throws(ErrorNumber) {
        guard let index = all.firstIndex(where: { one in one.offer == offer }) else {
            throw .noKey
        }
        all[index].state = state
    }

    func remove(_ offer: Offer) {
        all.removeAll { one in one.offer == offer }
    }
}

/// What the agent has of the machine, with as many turns as a test wants.
private final class FakeSurroundings: AgentSurroundings {
    let machine = FakeMachine()
    var sessions: FakeMachine { machine }
    var names: [UInt32: String] = [5001: "alice", 5002: "bob", 5003: "local"]
    var hasInbox = true
    /// How many turns are left: of a charge, as a word, and a person.
    var turns: [String: Int] = [:]
    private(set) var lines: [String] = []

    func accountName(_ userID: UInt32) -> [UInt8]? {
        names[userID].map { name in Array(name.utf8) }
    }

    func machine(
        forSessionOf process: Int32, _ userID: UInt32, inbox: KeySerial, isTaken: @escaping (KeySerial) -> Bool
    ) -> FakeMachine? {
        machine.onDelivery = isTaken
        return hasInbox ? machine : nil
    }

    let offers = FakeOffers()
    /// Those that run as one person, by their number.
    var processes: [Int32: UInt32] = [4711: 5001, 4712: 5001]
    /// The inboxes that token keys were put into.
    private(set) var handedOver: [Int32] = []
    /// The keys that are proved.
    private(set) var proofs: [Int32?] = []

    func plainProcess(_ process: Int32, of userID: UInt32) -> ProcessIdentity? {
        processes[process] == userID ? ProcessIdentity(id: process, startTime: 7) : nil
    }

    func origin(of process: Int32) -> ProcessOrigin {
        ProcessOrigin(terminal: Array("pts/7".utf8), service: Array("sshd), \u{1B}[2J".utf8), remoteHost: [])
    }

    func isInbox(_ ring: KeySerial, of userID: UInt32) -> Bool { hasInbox }

    func handOver(
        _ token: KeySerial, provedBy secret: KeySerial?, into inbox: KeySerial, of userID: UInt32,
        isTaken: @escaping (KeySerial) -> Bool
    ) -> Bool {
        guard isTaken(KeySerial(900)) else {
            return false
        }
        handedOver.append(token.number)
        proofs.append(secret?.number)
        return true
    }

    /// What this machine seals with; nil: nothing.
    var seal: String? = "sealed here"

    func seal(_ content: borrowing Secret, name: [UInt8]) -> Secret? {
        guard let seal else {
            return nil
        }
        let bytes = content.withBytes { bytes in bytes.copied() }
        return secret(Array("\(seal) \(text(name)):".utf8) + bytes)
    }

    func unseal(_ content: consuming Secret, name: [UInt8]) -> Secret? {
        let bytes = content.withBytes { bytes in bytes.copied() }
        let header = Array("\(seal ?? "") \(text(name)):".utf8)
        return bytes.starts(with: header) ? secret(Array(bytes.dropFirst(header.count))) : nil
    }

    /// What keeps turns from being counted.
    var turnError: ErrorNumber?

    func takeTurn(_ charge: Charge, of userID: UInt32) throws(ErrorNumber) -> Bool {
        if let turnError {
            throw turnError
        }
        let left = turns["\(charge) \(userID)"] ?? .max
        turns["\(charge) \(userID)"] = left - 1
        return left > 0
    }

    func log(_ severity: LogSeverity, _ line: LogLine) {
        lines.append(text(line.bytes))
    }
}

/// The machine's clock, in seconds since the epoch.
private let begin: Int64 = 1_800_000_000

/// The secret of the session that a test is about.
private let sessionSecret = Array("0123456789abcdef".utf8)
/// How the log names the client.
private let client = "process=4711 program='/usr/bin/curious'"

/// One request that is about a session.
private enum Request: CaseIterable {
    case renew, check, handOut, signOutEverywhere, signOutHere, signOutSomehow, list, endListed, endNonsense

    func packet(_ key: Int32 = 600, proof: [UInt8]? = sessionSecret) -> [UInt8] {
        let longest = bigEndian(UInt64(Int64.max))
        let key: (Field, [UInt8]) = (.key, bigEndian(UInt64(bitPattern: Int64(key))))
        let (kind, rest): (MessageKind, [(Field, [UInt8])]) =
            switch self {
            case .renew: (.renewRequest, [(.minimumLife, longest), (.askedAt, longest)])
            case .check: (.checkRequest, [(.online, [1])])
            case .handOut: (.handOut, [(.tokenKind, [1]), (.handOutUse, [1])])
            case .signOutEverywhere: (.signOutRequest, [(.revocation, [Revocation.global.rawValue])])
            case .signOutHere: (.signOutRequest, [(.revocation, [Revocation.session.rawValue])])
            case .signOutSomehow: (.signOutRequest, [(.revocation, [99])])
            case .list: (.poolSessionsRequest, [])
            case .endListed: (.poolSessionsRequest, [(.poolSession, Array("tkn0123abc".utf8))])
            case .endNonsense: (.poolSessionsRequest, [(.poolSession, Array("tkn' reason=none".utf8))])
            }
        let proof = kind == .signOutRequest ? nil : proof
        return Fakes.packet(kind, [key] + rest + (proof.map { proof in [(.proof, proof)] } ?? []))
    }

    /// What the worker says to it, and what the caller hears then.
    var script: [Act] {
        switch self {
        case .renew: [.renewed()]
        case .check: [.checked(at: 1)]
        case .signOutEverywhere, .signOutHere: [.signedOut()]
        case .handOut, .signOutSomehow, .endNonsense: []
        case .list: [.listed(["one", "two"])]
        case .endListed: [.listed([])]
        }
    }

    var answers: [String] {
        switch self {
        case .renew: ["renewal"]
        case .check: ["tokensValid"]
        // Told, not asked.
        case .handOut: []
        case .signOutEverywhere, .signOutHere: ["ending"]
        case .signOutSomehow, .endNonsense: ["malformed"]
        case .list, .endListed: ["poolSessionsFound"]
        }
    }

    /// Whether Cognito is asked while the caller waits, so that it takes one of their turns.
    var isCall: Bool {
        switch self {
        case .renew, .check, .signOutEverywhere, .list, .endListed: true
        case .handOut, .signOutHere, .signOutSomehow, .endNonsense: false
        }
    }
}

/// Who asks about a session, in what state that is, and whether it is any of their business.
private struct Situation: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var sample: Sample? = Sample()
    var caller: UInt32 = 5001
    var prepare: @Sendable (FakeMachine) -> Void = { _ in }
    var isTheirs = false

    static let all = [
        Situation(testDescription: "the owner", isTheirs: true),
        Situation(testDescription: "somebody else", caller: 5002),
        Situation(testDescription: "root", caller: 0),
        Situation(testDescription: "somebody without an account", caller: 9999),
        Situation(testDescription: "no session at all", sample: nil),
        Situation(testDescription: "not yet open", sample: Sample(state: .pending)),
        Situation(testDescription: "closing", sample: Sample(state: .closing)),
        Situation(testDescription: "held by root alone", sample: Sample(state: .temporary)),
        Situation(testDescription: "another key's", sample: Sample(tokenKey: 601)),
        Situation(testDescription: "a container's", sample: Sample(inContainer: true)),
        Situation(
            testDescription: "the key is no token key any more", prepare: { machine in machine.tokenKeys = [:] }),
        Situation(
            testDescription: "the registry cannot be read",
            prepare: { machine in machine.entriesError = .permissionDenied }),
        Situation(
            testDescription: "the entry cannot be read", prepare: { machine in machine.readError = .keyExpired }),
        Situation(testDescription: "the account is gone", prepare: { machine in machine.accounts = [:] }),
        Situation(
            testDescription: "the account's uid is another's now",
            prepare: { machine in
                machine.accounts[Array("alice".utf8)] = Account(uid: 6000, gid: 6000, hasUsablePassword: false)
            }),
    ]
}

@Suite struct AgentRequestTests {
    /// Serves one connection; what the client heard, and what the log has.
    private static func serve(
        _ sayings: [FakePeer.Saying], from caller: UInt32 = 5001, _ sample: Sample? = Sample(), script: [Act] = [],
        prepare: (FakeSurroundings) -> Void = { _ in }
    ) -> (peer: FakePeer, surroundings: FakeSurroundings) {
        let surroundings = FakeSurroundings()
        if let entry = sample?.add(to: surroundings.machine) {
            surroundings.machine.secrets[entry.serial.number] = sessionSecret
        }
        surroundings.machine.tokenKeys[600] = FakeMachine.TokenKey()
        surroundings.machine.scripts = [script]
        surroundings.machine.configuration = FakeMachine.configuration(
            "aws_credentials = default=eu-west-1:pool build=arn:aws:iam::123456789012:role/Builder\n")
        prepare(surroundings)
        let peer = FakePeer(caller, sayings)
        AgentRequest(surroundings, peer).serve()
        for line in surroundings.lines {
            #expect(Secrets.all.allSatisfy { secret in !line.contains(secret) })
        }
        for bytes in peer.heard {
            #expect(Secrets.all.allSatisfy { secret in !text(bytes).contains(secret) })
        }
        return (peer, surroundings)
    }

    @Test(
        """
        a session here that its person ends from another one: it ends at once, its terminal hears why, and \
        on_revoked follows
        """,
        arguments: [("notify", []), ("lock", ["lock 5001 at 300"]), ("terminate", ["terminate 5001 at 300"])])
    func endHere(action: String, done: [String]) {
        let ended = "tkn0123abc"
        let (peer, surroundings) = Self.serve([.packet(Request.endListed.packet())]) { surroundings in
            let machine = surroundings.machine
            machine.configuration = FakeMachine.configuration("sign_out = last\non_revoked = \(action)\n")
            _ = Sample(tokenKey: 601).add(to: machine)
            _ = Sample(tokenKey: 602).add(to: machine)
            // Which one each of the two is, the end, and what is left to be revoked.
            machine.scripts = [[.listed([], own: "tkn9")], [.listed([], own: ended)], [.listed([])], [.signedOut()]]
        }
        let machine = surroundings.machine
        #expect(peer.answers == ["poolSessionsFound"] && peer.wasLetGo)
        #expect(machine.registry.sessions.count == 2)
        #expect(machine.told.count == 1 && machine.told.first?.contains("you used another of your sessions") == true)
        #expect(machine.done == done)
        #expect(!surroundings.lines.contains { line in line.contains("left open") })
    }

    @Test("a session elsewhere is ended there; what cannot say which one it is keeps nobody from that")
    func endElsewhere() {
        for script in [[Act.listed([], own: "tkn9")], [.failed(.notListed)], [.failed(.unreachable)], [.silence]] {
            let (peer, surroundings) = Self.serve([.packet(Request.endListed.packet())]) { surroundings in
                _ = Sample(tokenKey: 601).add(to: surroundings.machine)
                surroundings.machine.scripts = [script, [.listed([])]]
            }
            #expect(peer.answers == ["poolSessionsFound"], "\(script)")
            #expect(surroundings.machine.registry.sessions.count == 2 && surroundings.machine.told.isEmpty)
        }
    }

    @Test("after a sign-out everywhere from here, the others here are known to have been signed out")
    func noted() {
        let (_, surroundings) = Self.serve([.packet(Request.signOutEverywhere.packet())], script: [.signedOut()]) {
            surroundings in
            _ = Sample(tokenKey: 601).add(to: surroundings.machine)
            _ = Sample(user: "bob", tokenKey: 602).add(to: surroundings.machine)
        }
        let machine = surroundings.machine
        let noted = ((try? machine.entries()) ?? []).compactMap { key -> String? in
            guard let entry = machine.readEntry(key) else {
                return nil
            }
            return "\(text(entry.user)) \(entry.isSignedOut)"
        }
        #expect(noted.sorted() == ["alice true", "bob false"])
    }

    @Test("each request, by whom it comes and how the session is", arguments: Situation.all, Request.allCases)
    private func table(situation: Situation, request: Request) {
        let (peer, surroundings) = Self.serve(
            [.packet(request.packet())], from: situation.caller, situation.sample, script: request.script
        ) { surroundings in situation.prepare(surroundings.machine) }
        let machine = surroundings.machine
        guard situation.isTheirs else {
            // A session of another user cannot be told from one that does not exist.
            #expect(peer.answers == (request == .handOut ? [] : ["noSession"]))
            #expect(
                surroundings.lines == [
                    """
                    request refused; uid=\(situation.caller) \(client) reason=no_session: no session of the user \
                    has the requested token key
                    """
                ])
            #expect(machine.workers.isEmpty && machine.destroyed.isEmpty)
            return
        }
        #expect(peer.answers == request.answers)
        #expect(machine.workers.count == (request.script.isEmpty ? 0 : 1))
        let isSignOut = request == .signOutEverywhere || request == .signOutHere
        #expect(machine.registry.sessions.isEmpty == isSignOut && machine.tokenKeys.isEmpty == isSignOut)
        #expect(surroundings.lines.count == (request == .check || request == .list ? 0 : 1))
    }

    @Test("what cannot be counted is no fault of the caller's, and the log says what is", arguments: Request.allCases)
    private func uncounted(request: Request) {
        guard request.isCall, request != .signOutEverywhere else {
            return
        }
        let (peer, surroundings) = Self.serve([.packet(request.packet())], script: request.script) { surroundings in
            surroundings.turnError = ErrorNumber(28)
        }
        #expect(peer.answers == ["internalFault"])
        #expect(surroundings.lines.count == 1 && surroundings.lines.allSatisfy { line in line.contains("errno 28") })
        #expect(surroundings.machine.workers.isEmpty)
    }

    @Test(
        "turns are each person's own, and those of Cognito are taken only where it is asked",
        arguments: Request.allCases)
    private func turns(request: Request) {
        for (turns, isRefused) in [
            (["call": 0], request.isCall && request != .signOutEverywhere), (["call": 1], false),
            (["signOut": 0], request == .signOutEverywhere), (["conversation": 0], false),
        ] as [([String: Int], Bool)] {
            for caller: UInt32 in [5001, 5002] {
                let (peer, surroundings) = Self.serve([.packet(request.packet())], script: request.script) {
                    surroundings in
                    for (charge, count) in turns {
                        surroundings.turns["\(charge) \(caller)"] = count
                    }
                }
                let expected = isRefused && caller == 5001 ? ["busy"] : request.answers
                #expect(peer.answers == expected, "\(turns) of \(caller)")
                if isRefused, caller == 5001 {
                    #expect(surroundings.machine.workers.isEmpty && surroundings.machine.destroyed.isEmpty)
                }
            }
        }
    }

    @Test(
        "credentials are made once, and a refusal stands for a moment",
        arguments: [
            ([[.credentialMade(begin + 3600)]], ["made", "fresh"], 2699, 1),
            // After three quarters of their life newer ones are made.
            (
                [[.credentialMade(begin + 3600)], [.credentialMade(begin + 7200)]],
                ["made", "made"], 2700, 2
            ),
            ([[.failed(.credentialRefused)]], ["credentialRefused", "refused"], 1, 1),
            (
                [[.failed(.credentialRefused)], [.credentialMade(begin + 3600)]],
                ["credentialRefused", "made"], 31, 2
            ),
            ([[.failed(.throttled)], [.failed(.unreachable)]], ["throttled", "unreachable"], 1, 2),
            // Ended already, or later than anything that AWS gives.
            (
                [[.credentialMade(begin)], [.credentialMade(begin + 50_000)]],
                ["internalFault", "internalFault"], 1, 2
            ),
        ] as [([[Act]], [String], Int64, Int)])
    private func credentials(scripts: [[Act]], outcomes: [String], pause: Int64, workers: Int) {
        let machine = FakeMachine()
        let key = Sample().add(to: machine)
        machine.tokenKeys[600] = FakeMachine.TokenKey()
        machine.scripts = scripts
        for expected in outcomes {
            let outcome = SessionCredentials(machine: machine).obtain(
                key, named: Array("default".utf8), waiting: 0, ifMayCall: { true })
            let name =
                switch outcome {
                case .made: "made"
                case .fresh: "fresh"
                case .failed(.kept(let reason, _)): "\(reason)"
                case .refused: "refused"
                case .locked: "locked"
                case .failed(let failure): "\(failure)"
                }
            #expect(name == expected)
            machine.time += pause
        }
        #expect(machine.workers.count == workers)
        #expect(machine.credentials(of: key).count <= 1)
    }

    @Test("a session has four credentials at most, and those that end first go", arguments: [4, 6])
    private func mostCredentials(count: Int) {
        let names = (0..<count).map { number in "n\(number)" }
        let surroundings = FakeSurroundings()
        let machine = surroundings.machine
        let key = Sample().add(to: machine)
        machine.tokenKeys[600] = FakeMachine.TokenKey()
        machine.scripts = names.indices.map { index in [.credentialMade(begin + 3600 + Int64(index))] }
        for name in names {
            let made = SessionCredentials(machine: machine).obtain(
                key, named: Array(name.utf8), waiting: 0, ifMayCall: { true })
            guard case .made = made else {
                Issue.record("\(made)")
                return
            }
        }
        #expect(
            machine.credentials(of: key).map { credential in text(credential.label.name) } == Array(names.suffix(4)))
        machine.destroyTokens(600, of: key)
        #expect(machine.credentials(of: key).isEmpty)
    }

    @Test("nobody is asked for credentials that have no name in the configuration, or no way into the session")
    private func noCredentials() {
        for (config, hasInbox, answer) in [
            ("", true, "noSuchCredential"), ("aws_credentials = other=eu-west-1:pool\n", true, "noSuchCredential"),
            ("aws_credentials = default=eu-west-1:pool\n", false, "noInbox"),
        ] {
            let (peer, surroundings) = Self.serve([
                .packet(
                    Fakes.packet(
                        .credentialRequest,
                        [
                            (.key, [0, 0, 0, 0, 0, 0, 2, 88]), (.inbox, [0, 0, 0, 0, 0, 0, 2, 188]),
                            (.credentialName, Array("default".utf8)), (.proof, sessionSecret),
                        ]))
            ]) { surroundings in
                surroundings.machine.configuration = FakeMachine.configuration(config)
                surroundings.hasInbox = hasInbox
            }
            #expect(peer.answers == [answer])
            #expect(surroundings.machine.workers.isEmpty)
        }
    }

    private static func answer(_ text: String) -> FakePeer.Saying {
        .packet(Fakes.packet(.answer, [(.answer, Array(text.utf8))]))
    }

    /// The content of a test session's token key, as the proof that a program can read it.
    private static let folded = Array("old".utf8) + [UInt8](repeating: 0, count: 253)

    private static func gift(_ proof: [UInt8] = sessionSecret) -> FakePeer.Saying {
        .packet(Fakes.packet(.giveRequest, [(.key, [0, 0, 0, 0, 0, 0, 2, 88]), (.proof, proof)]))
    }

    @Test(
        "tokens are given to who shows the code, and to nobody else",
        arguments: [
            ([gift(), answer("123456")], ["show", "ask", "complete"], "taken"),
            ([gift(), answer(" 123 456")], ["show", "ask", "complete"], "taken"),
            ([gift(), answer("999999"), answer("123456")], ["show", "ask", "show", "ask", "complete"], "taken"),
            ([gift(), answer("12345"), .gone], ["show", "ask", "show", "ask"], "waiting 1"),
            (
                [gift(), answer("0"), answer(""), answer("1234567")],
                ["show", "ask", "show", "ask", "show", "ask", "wrongCode"], "nothing"
            ),
            ([gift(), .malformed], ["show", "ask"], "waiting 0"),
            ([gift([UInt8](repeating: 0, count: 16)), answer("123456")], ["notInSession"], "waiting 0"),
            ([gift(folded), answer("123456")], ["notInSession"], "waiting 0"),
        ] as [([FakePeer.Saying], [String], String)])
    private func give(sayings: [FakePeer.Saying], answers: [String], after: String) {
        let (peer, surroundings) = Self.serve(sayings) { surroundings in
            let receiver = ProcessIdentity(id: 4712, startTime: 7)
            _ = surroundings.offers.add(
                receiver, of: 5001, .waiting(code: Array("123456".utf8), wrong: 0), lasting: 120)
            // The agent's other process, which serves who waits, sees it at once.
            surroundings.offers.onLook = { offers in
                if let index = offers.all.indices.first, case .accepted = offers.all[index].state {
                    offers.all[index].state = .taken
                }
            }
        }
        #expect(peer.answers == answers)
        let isGiven = answers.last == "complete"
        let lines = surroundings.lines.filter { line in line.hasPrefix("tokens handed over; ") }
        #expect(lines.count == (isGiven ? 1 : 0))
        #expect(lines.allSatisfy { line in line.hasSuffix("process=4712 terminal='pts/7'") })
        switch surroundings.offers.all.first?.state {
        case .waiting(_, let wrong)?: #expect(after == "waiting \(wrong)")
        case nil: #expect(after == (isGiven ? "taken" : "nothing"))
        case .accepted?, .taken?, .exported?: Issue.record("the offer is still there")
        }
        if answers.first == "show" {
            #expect(
                peer.words.first
                    == "Another of your sessions is waiting for these tokens: process 4712, terminal pts/7, "
                    + "signed in by sshd?????2J, from (unknown).")
        }
    }

    @Test("who has gone, is somebody else's or the caller itself has nothing to wait for")
    private func nobodyWaits() {
        for (process, userID) in [(4711, 5001), (4799, 5001), (4712, 5002)] as [(Int32, UInt32)] {
            let (peer, surroundings) = Self.serve([Self.gift(), Self.answer("123456")]) { surroundings in
                _ = surroundings.offers.add(
                    ProcessIdentity(id: process, startTime: 7), of: userID,
                    .waiting(code: Array("123456".utf8), wrong: 0), lasting: 120)
            }
            #expect(peer.answers == ["noReceiver"])
            #expect(surroundings.handedOver.isEmpty)
        }
    }

    @Test(
        "who waits gets the tokens of the session that accepted, and of no other",
        arguments: [
            ("accepted", [.packet(Fakes.packet(.taken, []))], ["show", "inInbox", "complete"]),
            ("accepted", [.gone], ["show", "inInbox", "notHandedOver"]),
            ("ended", [], ["show", "notHandedOver"]),
            ("removed", [], ["show", "notHandedOver"]),
            ("waiting", [.gone], ["show"]),
            ("waiting", [.malformed], ["show", "malformed"]),
        ] as [(String, [FakePeer.Saying], [String])])
    private func attach(state: String, sayings: [FakePeer.Saying], answers: [String]) {
        let request = Fakes.packet(.attachRequest, [(.key, [0, 0, 0, 0, 0, 0, 2, 188])])
        let looks = state == "waiting" ? [] : [FakePeer.Saying.nothing]
        let (peer, surroundings) = Self.serve([.packet(request)] + looks + sayings) { surroundings in
            let machine = surroundings.machine
            surroundings.offers.onLook = { offers in
                guard let index = offers.all.indices.first, case .waiting = offers.all[index].state else {
                    return
                }
                // The first look is its own: whether too many wait.
                offers.onLook = { offers in
                    switch state {
                    case "accepted", "ended":
                        guard let key = try? machine.entries().first else {
                            return
                        }
                        offers.all[index].state = .accepted(key)
                        if state == "ended" {
                            machine.tokenKeys = [:]
                        }
                    case "removed": offers.all = []
                    default: break
                    }
                    offers.onLook = { _ in }
                }
            }
        }
        #expect(peer.answers == answers)
        #expect(surroundings.handedOver == (answers.last == "complete" ? [600] : []))
        #expect(surroundings.proofs == (answers.last == "complete" ? [1001] : []))
    }

    // MARK: Who is in a session

    @Test("a session is for who has its secret, and not for everybody of the user id")
    private func proofs() {
        var nearly = sessionSecret
        nearly[15] ^= 1
        let credentials: (Field, [UInt8]) = (.credentialName, Array("default".utf8))
        let inbox: (Field, [UInt8]) = (.inbox, [0, 0, 0, 0, 0, 0, 0, 7])
        let requests: [(MessageKind, [(Field, [UInt8])], [[Act]], [String])] = [
            (.renewRequest, [(.minimumLife, bigEndian(9)), (.askedAt, bigEndian(0))], [], ["renewal"]),
            (.checkRequest, [(.online, [1])], [[.checked(at: 1)]], ["tokensValid"]),
            (.handOut, [(.tokenKind, [1]), (.handOutUse, [1])], [], []),
            // They are not taken, on a machine without an inbox.
            (.credentialRequest, [inbox, credentials], [[.credentialMade(begin + 3600)]], []),
            (.giveRequest, [], [], ["noReceiver"]), (.exportRequest, [(.exportLife, bigEndian(60))], [], ["exported"]),
            (.keepRequest, [inbox], [], ["inInbox", "noInbox"]),
            (.poolSessionsRequest, [], [[.listed(["one"])]], ["poolSessionsFound"]),
            (
                .poolSessionsRequest, [(.poolSession, Array("tkn0123abc".utf8))],
                [[.failed(.notListed)], [.listed([])]], ["poolSessionsFound"]
            ),
        ]
        let proofs: [([UInt8]?, hasSecret: Bool, isRight: Bool)] = [
            (sessionSecret, true, true), (nil, true, false), (nearly, true, false),
            (Array("another session!".utf8), true, false), ([UInt8](repeating: 0, count: 16), true, false),
            (sessionSecret + [0], true, false),
            // Which version 0.1.0 has opened.
            (Self.folded, true, false), (Self.folded, false, true), (sessionSecret, false, false),
            (nil, false, false), ([UInt8](repeating: 0, count: 256), false, false),
        ]
        for (kind, fields, scripts, answers) in requests {
            for (proof, hasSecret, isRight) in proofs {
                let request = packet(kind, [Self.key] + fields + (proof.map { proof in [(.proof, proof)] } ?? []))
                let (peer, surroundings) = Self.serve([.packet(request)]) { surroundings in
                    let machine = surroundings.machine
                    machine.scripts = scripts
                    machine.configuration = FakeMachine.configuration(
                        "export_tokens = yes\naws_credentials = default=eu-west-1:pool\n")
                    // Another one of the same user's, with a secret of its own.
                    let other = Sample(tokenKey: 601).add(to: machine)
                    machine.secrets[other.serial.number] = Array("another session!".utf8)
                    machine.secrets[1001] = hasSecret ? sessionSecret : nil
                }
                let refused = kind == .handOut ? [] : ["notInSession"]
                #expect(peer.answers == (isRight ? answers : refused), "\(kind) by \(proof ?? []), \(hasSecret)")
                guard !isRight else {
                    #expect(surroundings.machine.workers.count == scripts.count)
                    continue
                }
                #expect(
                    surroundings.lines == [
                        "request refused; uid=5001 \(client) reason=not_in_session: "
                            + "the client did not present the secret for session 1001 of 'alice'"
                    ])
                #expect(surroundings.machine.workers.isEmpty && surroundings.offers.all.isEmpty)
            }
            for count in [0, 15, 257] {
                let request = packet(kind, [Self.key] + fields + [(.proof, [UInt8](repeating: 0, count: count))])
                #expect(Self.serve([.packet(request)]).peer.answers == ["malformed"])
            }
        }
    }

    @Test("what takes away goes by the user id: signing out, locking")
    private func takingAway() {
        for request in [Request.signOutHere, .signOutEverywhere] {
            #expect(Self.serve([.packet(request.packet())], script: [.signedOut()]).peer.answers == ["ending"])
        }
        let (peer, _) = Self.serve([.packet(packet(.lockRequest, [Self.key]))]) { surroundings in
            surroundings.machine.configuration = FakeMachine.configuration(Self.locking)
        }
        #expect(peer.answers == ["complete"])
    }

    @Test("nobody waits who is not one person's, has no inbox, no turn, or too many that wait")
    private func mayNotWait() {
        let request = Fakes.packet(.attachRequest, [(.key, [0, 0, 0, 0, 0, 0, 2, 188])])
        for (why, answer) in [
            ("process", "notPermitted"), ("inbox", "noInbox"), ("turn", "busy"), ("others", "busy"), ("", "show"),
        ] {
            let (peer, surroundings) = Self.serve([.packet(request)]) { surroundings in
                switch why {
                case "process": surroundings.processes = [4711: 5002]
                case "inbox": surroundings.hasInbox = false
                case "turn": surroundings.turns["conversation 5001"] = 0
                case "others":
                    surroundings.processes = [4711: 5001, 4712: 5001]
                    for _ in 0..<4 {
                        _ = surroundings.offers.add(
                            ProcessIdentity(id: 4712, startTime: 7), of: 5001,
                            .waiting(code: Array("123456".utf8), wrong: 0), lasting: 120)
                    }
                default: break
                }
            }
            #expect(peer.answers == [answer], "\(why)")
            #expect(surroundings.offers.all.count == (why == "others" ? 4 : 0), "\(why)")
        }
    }

    // MARK: Locked tokens

    private static let key: (Field, [UInt8]) = (.key, [0, 0, 0, 0, 0, 0, 2, 88])
    private static let locking = "lock_tokens = yes\nexport_tokens = yes\n"

    private static func lockTokens(_ surroundings: FakeSurroundings) {
        guard let entry = try? surroundings.machine.entries().first else {
            return
        }
        #expect(TokenLock(machine: surroundings.machine).lock(entry, waiting: 0) == .had(.made))
    }

    @Test("locked tokens are for nobody, and nobody is kept from signing out", arguments: Request.allCases)
    private func locked(request: Request) {
        let (peer, surroundings) = Self.serve([.packet(request.packet())], script: request.script) { surroundings in
            surroundings.machine.configuration = FakeMachine.configuration(Self.locking)
            surroundings.machine.answer = { [.signedOut(.revoked)] }
            Self.lockTokens(surroundings)
            #expect(surroundings.machine.unreadable == [600])
        }
        let isRefused = [Request.renew, .list, .endListed, .endNonsense].contains(request)
        #expect((peer.answers == ["locked"]) == isRefused, "\(peer.answers)")
        #expect(surroundings.machine.workers.isEmpty || !isRefused)
    }

    @Test(
        "whoever asks while the screen is locked finds the tokens locked",
        arguments: [
            ("lock_tokens = yes\n", true, "locked"), ("lock_tokens = yes\n", false, "renewal"),
            ("lock_tokens = yes\n", nil, "renewal"), ("lock_tokens = no\n", true, "renewal"), ("", true, "renewal"),
        ] as [(String, Bool?, String)])
    private func screen(configuration: String, isLocked: Bool?, answer: String) {
        let (peer, surroundings) = Self.serve([.packet(Request.renew.packet())], script: [.renewed()]) { surroundings in
            surroundings.machine.configuration = FakeMachine.configuration(configuration)
            surroundings.machine.isScreenLocked = isLocked
        }
        #expect(peer.answers == [answer])
        #expect(surroundings.machine.unreadable == (answer == "locked" ? [600] : []))
        #expect(surroundings.lines.contains { line in line.hasSuffix("by=screen") } == (answer == "locked"))
    }

    @Test("a job's copy is had by who reads the tokens, and asks on while they are locked")
    func kept() {
        let request: ([UInt8]) -> FakePeer.Saying = { proof in
            .packet(packet(.keepRequest, [Self.key, (.inbox, [0, 0, 0, 0, 0, 0, 0, 7]), (.proof, proof)]))
        }
        let taken = FakePeer.Saying.packet(packet(.taken, []))
        let (peer, surroundings) = Self.serve([request(sessionSecret), taken])
        #expect(peer.answers == ["inInbox", "complete"])
        let kept = surroundings.machine.keptKey.number
        #expect(kept > 0 && surroundings.handedOver == [kept] && surroundings.proofs == [kept])
        #expect(Self.serve([request(sessionSecret), .gone]).peer.answers == ["inInbox", "noInbox"])
        let (refused, _) = Self.serve([request(sessionSecret), taken]) { surroundings in Self.lockTokens(surroundings) }
        #expect(refused.answers == ["locked"])

        Self.lockTokens(surroundings)
        surroundings.machine.scripts = [[.renewed()]]
        let again = FakePeer(
            5001, [.packet(Request.renew.packet(kept, proof: surroundings.machine.secrets[kept]))])
        AgentRequest(surroundings, again).serve()
        #expect(again.answers == ["renewal"])
        // Not by that of the session, whose tokens are locked.
        for proof in [nil, [UInt8](repeating: 0, count: 256), sessionSecret, Self.folded] {
            let asking = FakePeer(
                5001,
                [
                    .packet(
                        packet(
                            .credentialRequest,
                            [
                                (.key, [0, 0, 0, 0] + bigEndian(UInt64(kept)).suffix(4)),
                                (.inbox, [0, 0, 0, 0, 0, 0, 0, 7]), (.credentialName, Array("default".utf8)),
                            ] + (proof.map { proof in [(.proof, proof)] } ?? [])))
                ])
            AgentRequest(surroundings, asking).serve()
            #expect(asking.answers == ["notInSession"])
        }
    }

    @Test("nobody is told that tokens are locked, or not to be locked, of whom neither is known")
    func notLocked() {
        for (full, configuration, answer) in [
            (true, Self.locking, "internalFault"), (false, "lock_tokens = perhaps", "configuration"),
        ] {
            let (peer, surroundings) = Self.serve([.packet(packet(.lockRequest, [Self.key]))]) { surroundings in
                surroundings.machine.configuration = FakeMachine.configuration(configuration)
                surroundings.machine.replaceError = full ? .diskQuotaExceeded : nil
            }
            #expect(peer.answers == [answer])
            #expect(surroundings.machine.unreadable.isEmpty)
            #expect(surroundings.lines.count == 1)
        }
    }

    @Test("what is asked for and waits while the tokens are locked is not made")
    func lockedMeanwhile() {
        for isKept in [false, true] {
            let machine = FakeMachine()
            let key = Sample().add(to: machine)
            machine.tokenKeys[600] = FakeMachine.TokenKey()
            machine.scripts = [[.credentialMade(machine.time + 3600)]]
            #expect(TokenLock(machine: machine).lock(key, waiting: 0) == .had(.made))
            let outcome = SessionCredentials(machine: machine).obtain(
                key, named: Array("default".utf8), keeping: isKept, waiting: 0, ifMayCall: { true })
            if case .locked = outcome { #expect(!isKept) } else { #expect(isKept) }
            #expect(machine.workers.isEmpty != isKept)
        }
    }

    @Test("tokens are locked for who wants that, where they may be; and not unlocked by who is not their person")
    func lockRequest() {
        for (configuration, isLocked, answer) in [
            (Self.locking, false, "complete"), (Self.locking, true, "complete"), ("", false, "notPermitted"),
        ] {
            let (peer, surroundings) = Self.serve([.packet(packet(.lockRequest, [Self.key]))]) { surroundings in
                surroundings.machine.configuration = FakeMachine.configuration(configuration)
                if isLocked {
                    Self.lockTokens(surroundings)
                }
            }
            #expect(peer.answers == [answer])
            #expect(surroundings.machine.unreadable.isEmpty == (answer != "complete"))
            #expect(surroundings.lines.isEmpty == isLocked, "the log is told when they are locked, not when they are")
        }
        let unlock = packet(.unlockRequest, [(.userName, Array("alice".utf8))])
        for (script, isOpen) in [
            ([Act.ask(.password), .signedIn()], true), ([.ask(.password), .failed(.refused)], false),
        ] {
            let (_, surroundings) = Self.serve([.packet(unlock), Self.answer("x")], script: script) { surroundings in
                surroundings.machine.configuration = FakeMachine.configuration(Self.locking)
                surroundings.machine.answer = { [.signedOut(.revoked)] }
                surroundings.machine.isScreenLocked = true
                Self.lockTokens(surroundings)
            }
            #expect(surroundings.machine.unreadable.isEmpty == isOpen)
        }
    }

    // MARK: Exports

    private static func export(_ proof: [UInt8] = sessionSecret, lasting seconds: UInt64 = 60) -> FakePeer.Saying {
        .packet(packet(.exportRequest, [key, (.proof, proof), (.exportLife, bigEndian(seconds))]))
    }

    /// What the agent seals.
    private static func sealed(_ surroundings: FakeSurroundings) -> [UInt8] {
        surroundings.machine.configuration = FakeMachine.configuration(locking)
        let peer = FakePeer(5001, [export()])
        AgentRequest(surroundings, peer).serve()
        #expect(peer.answers == ["exported"])
        guard let heard = peer.heard.first.flatMap(secret), let answer = try? Frame(decoding: heard) else {
            return []
        }
        return answer.bytes(.sealed) ?? []
    }

    @Test("what is sealed leads to the tokens once, and for nobody else")
    func imports() {
        let cases: [(String, UInt32, ([UInt8]) -> [UInt8], (FakeSurroundings) -> Void, String)] = [
            ("as it should be", 5001, { $0 }, { _ in }, "complete"),
            ("another person", 5002, { $0 }, { $0.processes[4711] = 5002 }, "notTheirs"),
            ("another machine", 5001, { $0 }, { $0.seal = "sealed elsewhere" }, "notTheirs"),
            ("a bit less", 5001, { Array($0.dropLast()) }, { _ in }, "notTheirs"),
            ("nonsense", 5001, { _ in Array("nonsense".utf8) }, { _ in }, "notTheirs"),
            ("another boot", 5001, { $0 }, { $0.machine.bootID = Array(repeating: 0x63, count: 32) }, "usedUp"),
            ("too late", 5001, { $0 }, { $0.machine.time += 60 }, "usedUp"),
            ("forgotten", 5001, { $0 }, { $0.offers.all = [] }, "usedUp"),
            ("no session any more", 5001, { $0 }, { $0.machine.registry.entries = [:] }, "usedUp"),
            ("locked", 5001, { $0 }, { Self.lockTokens($0) }, "locked"),
            ("no inbox", 5001, { $0 }, { $0.hasInbox = false }, "noInbox"),
            ("a set-uid program", 5001, { $0 }, { $0.processes = [:] }, "notPermitted"),
        ]
        for (why, caller, change, prepare, answer) in cases {
            let (_, surroundings) = Self.serve([])
            let export = change(Self.sealed(surroundings))
            #expect(!text(export).contains("old"), "no token is in it")
            prepare(surroundings)
            for again in [false, true] {
                let peer = FakePeer(
                    caller,
                    [
                        .packet(packet(.importRequest, [(.key, [0, 0, 0, 0, 0, 0, 0, 7]), (.sealed, export)])),
                        .packet(packet(.taken, [])),
                    ])
                AgentRequest(surroundings, peer).serve()
                #expect(peer.answers.last == (again && answer == "complete" ? "usedUp" : answer), "\(why)")
            }
            #expect(surroundings.handedOver == (answer == "complete" ? [600] : []), "\(why)")
        }
    }

    @Test("who may export, and how much")
    func exports() {
        let on: (FakeSurroundings) -> Void = { surroundings in
            surroundings.machine.configuration = FakeMachine.configuration(Self.locking)
        }
        #expect(Self.serve([Self.export()]).peer.answers == ["notPermitted"])
        #expect(Self.serve([Self.export(lasting: 0)], prepare: on).peer.answers == ["internalFault"])
        let (peer, surroundings) = Self.serve([Self.export()]) { surroundings in
            on(surroundings)
            surroundings.seal = nil
        }
        #expect(peer.answers == ["cannotSeal"] && surroundings.offers.all.isEmpty)
        let (_, many) = Self.serve([])
        for _ in 0..<4 {
            _ = Self.sealed(many)
        }
        let one = FakePeer(5001, [Self.export()])
        AgentRequest(many, one).serve()
        #expect(one.answers == ["busy"])
        // Of sessions that have ended.
        for index in many.offers.all.indices {
            many.offers.all[index].state = .exported(RootKey(serial: KeySerial(4711), description: []))
        }
        _ = Self.sealed(many)
        #expect(many.offers.all.count == 1)
    }

    @Test(
        "the pool's list is handed on as it is, asked once more with new tokens where the access token was refused",
        arguments: [
            ([[.listed(["one", "two"])]], "poolSessionsFound", ["one", "two"]),
            ([[.failed(.accessTokenExpired)], [.renewed()], [.listed(["one"])]], "poolSessionsFound", ["one"]),
            ([[.failed(.accessTokenExpired)], [.failed(.sessionEnded)]], "endedElsewhere", []),
            ([[.failed(.accessTokenExpired)], [.failed(.unreachable)]], "unreachable", []),
            ([[.failed(.notListed)]], "notListed", []), ([[.failed(.throttled)]], "throttled", []),
            ([[.failed(.configuration)]], "configuration", []),
            ([[.checked()]], "internalFault", []),
        ] as [([[Act]], String, [String])])
    private func poolSessions(scripts: [[Act]], answer: String, reports: [String]) {
        let (peer, surroundings) = Self.serve([.packet(Request.list.packet())]) { surroundings in
            surroundings.machine.scripts = scripts
        }
        #expect(peer.answers == [answer])
        #expect(surroundings.machine.tokenKeys.isEmpty == (answer == "endedElsewhere"))
        var heard: [String] = []
        if let last = peer.heard.last, let packet = secret(last), let frame = try? Frame(decoding: packet) {
            heard = frame.list(.report).map(text)
        }
        #expect(heard == reports)
    }

    @Test(
        """
        all sessions on this machine: how many were ended, and how many others were at; where that is all of them, \
        nothing is done
        """,
        arguments: [([], 2, 0), ([1002], 1, 1), ([1001, 1002], 0, 2)] as [(Set<Int32>, Int64, Int64)])
    func ofMachine(locked: Set<Int32>, ended: Int64, left: Int64) {
        let key = [UInt8](repeating: 0, count: 8)
        let request = packet(.signOutRequest, [(.key, key), (.revocation, [Revocation.machine.rawValue])])
        let (peer, surroundings) = Self.serve([.packet(request)]) { surroundings in
            _ = Sample(tokenKey: 601).add(to: surroundings.machine)
            surroundings.machine.locked = locked
        }
        #expect(peer.answers == [ended > 0 ? "ending" : "busy"])
        #expect(surroundings.machine.destroyed.count == Int(ended))
        guard ended > 0, let heard = peer.heard.first.flatMap(secret), let answer = try? Frame(decoding: heard) else {
            #expect(ended == 0)
            return
        }
        #expect(answer.number(.sessionCount) == ended && answer.number(.sessionsLeft) == left)
    }

    @Test("what is fresh enough takes no turn")
    func fresh() {
        let request = packet(
            .renewRequest,
            [
                (.key, [0, 0, 0, 0, 0, 0, 2, 88]), (.minimumLife, Array(repeating: 0, count: 8)),
                (.askedAt, Array(repeating: 0, count: 8)), (.proof, sessionSecret),
            ])
        let (peer, surroundings) = Self.serve([.packet(request)]) { surroundings in surroundings.turns["call 5001"] = 0
        }
        #expect(peer.answers == ["renewal"])
        #expect(surroundings.machine.workers.isEmpty && surroundings.lines == [])
    }

    @Test(
        "what Cognito says of a session", arguments: [Request.renew, .check, .signOutEverywhere], FailureReason.allCases
    )
    private func failures(request: Request, reason: FailureReason) {
        let (peer, surroundings) = Self.serve([.packet(request.packet())], script: [.failed(reason)]) { surroundings in
            surroundings.machine.answer = { [.signedOut(.alreadyRevoked)] }
        }
        let machine = surroundings.machine
        let isEnd = reason == .sessionEnded
        #expect(machine.tokenKeys.isEmpty == isEnd)
        #expect(peer.wasLetGo == isEnd)
        #expect(peer.answers.count == 1 && peer.answers != request.answers)
        #expect((peer.answers == ["endedElsewhere"]) == isEnd)
        // A renewal decides what comes of it, for a check.
        let isLast = request != .check || reason != .accessTokenExpired
        #expect(!isLast || surroundings.lines.first?.contains("told by Cognito") == true)
    }

    @Test("whatever is no request is refused once, or not heard at all")
    func hostile() {
        let requests: Set<MessageKind> = [
            .renewRequest, .signOutRequest, .signInRequest, .checkRequest, .recoverRequest,
            .unlockRequest,
            .handOut, .registryRequest,
        ]
        for code in UInt8.min...UInt8.max where MessageKind(rawValue: code).map({ !requests.contains($0) }) ?? true {
            let (peer, surroundings) = Self.serve([.packet([1, code]), .packet(Request.signOutHere.packet())])
            #expect(peer.answers == ["malformed"], "kind \(code)")
            #expect(
                surroundings.lines == [
                    "request refused; uid=5001 \(client) reason=malformed: the message is not a "
                        + "valid request"
                ]
            )
            #expect(surroundings.machine.tokenKeys.count == 1)
        }
        for (saying, answers) in [(.malformed, ["malformed"]), (.nothing, []), (.gone, [])]
            as [(FakePeer.Saying, [String])]
        {
            #expect(Self.serve([saying, .packet(Request.signOutHere.packet())]).peer.answers == answers)
        }
        for key: Int32 in [0, -1, .min, .max] {
            #expect(Self.serve([.packet(Request.renew.packet(key))]).peer.answers == ["noSession"])
        }
        #expect(
            Self.serve(
                [.packet(Request.check.packet()), .packet(Request.signOutHere.packet())], script: Request.check.script
            ).peer.answers == ["tokensValid"])
    }

    @Test(
        "set-uid programs of root's are told what a session proves, and nobody else",
        arguments: [
            (0, 1001, [.checked(at: 5)], "good"), (0, 1001, [.failed(.unreachable)], "not"),
            (0, 1001, [.failed(.sessionEnded)], "not"), (0, 1002, [], "noSession"), (0, 600, [], "noSession"),
            (5001, 1001, [], "notPermitted"), (5002, 1001, [], "notPermitted"),
        ] as [(UInt32, UInt64, [Act], String)])
    private func opening(caller: UInt32, number: UInt64, script: [Act], answer: String) {
        let (peer, surroundings) = Self.serve(
            [.packet(Self.about(number, .openingRequest))], from: caller, script: script)
        #expect(surroundings.machine.workers.count == (script.isEmpty ? 0 : 1))
        guard let packet = peer.heard.first.flatMap(secret), let frame = try? Frame(decoding: packet),
            frame.kind == .sessionChecked
        else {
            #expect(peer.answers == [answer])
            return
        }
        switch OpeningAnswer(frame) {
        case .good(let proof, let groups):
            #expect(answer == "good" && proof.authenticatedAt == 5 && groups == [Array("staff".utf8)])
        case .not(_, let line): #expect(answer == "not" && line == "told by Cognito")
        }
    }

    @Test("users end no sessions of others, as the listener does for root")
    func handedOver() {
        let (peer, surroundings) = Self.serve(
            [.packet(Self.about(1001, .endingRequest))], from: 5001, Sample(state: .closing), script: [.signedOut()])
        #expect(peer.answers == ["notPermitted"] && !surroundings.machine.registry.entries.isEmpty)
    }

    private static func about(_ number: UInt64, _ kind: MessageKind) -> [UInt8] {
        packet(kind, [(.key, bigEndian(number))])
    }

    @Test("a sign-in is a conversation; whatever goes wrong in it leaves no tokens")
    func signIn() {
        let request = packet(.signInRequest, [(.key, [0, 0, 0, 0, 0, 0, 0, 7])])
        let answer = packet(.answer, [(.answer, Array(Secrets.password.utf8))])
        let taken = packet(.taken, [])
        let good: [Act] = [.ask(.password), .signedIn()]
        let cases:
            [(sayings: [FakePeer.Saying], caller: UInt32, script: [Act], prepare: (FakeSurroundings) -> Void, [String])] =
                [
                    ([.packet(answer), .packet(taken)], 5001, good, { _ in }, ["ask", "inInbox", "show", "complete"]),
                    ([.packet(answer), .gone], 5001, good, { _ in }, ["ask", "inInbox", "noInbox"]),
                    ([.packet(answer), .packet(answer)], 5001, good, { _ in }, ["ask", "inInbox", "noInbox"]),
                    ([.packet(answer)], 5001, [.ask(.password), .failed(.refused)], { _ in }, ["ask", "notSignedIn"]),
                    ([.packet(taken)], 5001, good, { _ in }, ["ask"]),
                    ([.packet(request)], 5001, good, { _ in }, ["ask"]),
                    ([.malformed], 5001, good, { _ in }, ["ask"]),
                    ([.gone], 5001, good, { _ in }, ["ask"]),
                    ([], 5003, good, { _ in }, ["notCovered"]),
                    ([], 9999, good, { _ in }, ["notCovered"]),
                    ([], 5001, good, { surroundings in surroundings.hasInbox = false }, ["noInbox"]),
                    ([], 5001, good, { surroundings in surroundings.turns["conversation 5001"] = 0 }, ["busy"]),
                ]
        for (index, (sayings, caller, script, prepare, answers)) in cases.enumerated() {
            let (peer, surroundings) = Self.serve([.packet(request)] + sayings, from: caller, nil, script: script) {
                surroundings in
                surroundings.machine.tokenKeys = [:]
                surroundings.machine.answer = { [.signedOut()] }
                prepare(surroundings)
            }
            #expect(Array(peer.answers.prefix(answers.count)) == answers, "case \(index)")
            let isIn = answers.last == "complete"
            #expect(answers.last != "notSignedIn" || surroundings.machine.paused == 2000, "case \(index)")
            #expect(surroundings.machine.tokenKeys.count == (isIn ? 1 : 0), "case \(index)")
            #expect(surroundings.machine.registry.sessions.map(\.state) == (isIn ? [.open] : []), "case \(index)")
        }
    }

    @Test("what needs no session of the caller's still needs the caller to be the right one")
    func persons() {
        func name(_ kind: MessageKind, _ name: String) -> [UInt8] {
            packet(kind, [(.userName, Array(name.utf8))])
        }
        for (request, caller, spent, answers) in [
            (name(.unlockRequest, "alice"), 5002, false, ["notPermitted"]),
            (name(.unlockRequest, "alice"), 9999, false, ["notPermitted"]),
            (name(.unlockRequest, "local"), 5003, false, ["notCovered"]),
            (name(.unlockRequest, "alice"), 5001, true, ["busy"]),
            (name(.recoverRequest, "alice"), 5001, true, ["busy"]),
            (packet(.recoverRequest, []), 9999, false, ["notCovered"]),
            (name(.recoverRequest, "mallory"), 5001, false, ["busy"]),
            (packet(.registryRequest, []), 5001, false, ["registeredSession", "complete"]),
            (packet(.registryRequest, []), 5002, false, ["complete"]),
            (packet(.registryRequest, []), 9999, false, ["notPermitted"]),
            (packet(.registryRequest, []), 0, false, ["registeredSession", "complete"]),
        ] as [([UInt8], UInt32, Bool, [String])] {
            let (peer, surroundings) = Self.serve([.packet(request)], from: caller) { surroundings in
                surroundings.turns["conversation \(caller)"] = spent ? 0 : nil
                surroundings.turns["\(Charge.recovery(of: Array("mallory".utf8))) \(caller)"] = 0
            }
            #expect(peer.answers == answers)
            #expect(surroundings.machine.tokenKeys.count == 1 && surroundings.machine.workers.isEmpty)
        }
    }

    @Test("of a screen lock's proof nothing is called unreachable but what a worker could not reach")
    func unlocking() {
        let request = packet(.unlockRequest, [(.userName, Array("alice".utf8))])
        let answer = packet(.answer, [(.answer, Array(Secrets.password.utf8))])
        for (script, refusal) in [
            ([.ask(.password), .failed(.unreachable)], "unreachable"),
            ([.ask(.password), .failed(.throttled)], "serviceFault"),
            ([.ask(.password), .failed(.internalFault)], "serviceFault"),
            ([.ask(.password), .end], "serviceFault"), ([.ask(.password), .failed(.refused)], "notSignedIn"),
        ] as [([Act], String)] {
            let peer = Self.serve([.packet(request), .packet(answer)], nil, script: script).peer
            #expect(peer.answers == ["ask", refusal])
        }
    }

    @Test(
        """
        root asks about others for who has connected to polkit's helper: theirs are turns and workers; no session \
        is renewed
        """
    )
    func polkit() {
        func request(_ name: String, _ requester: UInt64?) -> [UInt8] {
            packet(
                .unlockRequest,
                [(.userName, Array(name.utf8))] + (requester.map { number in [(.requester, bigEndian(number))] } ?? []))
        }
        let answer = packet(.answer, [(.answer, Array(Secrets.password.utf8))])
        for (name, caller, requester, script, spent, answers, startedFor) in [
            ("alice", 0, 5002, [.ask(.password), .signedIn()], nil, ["ask", "complete"], [5002]),
            ("alice", 0, nil, [.ask(.password), .signedIn()], nil, ["ask", "complete"], [0]),
            ("alice", 0, 5002, [.ask(.password), .failed(.refused)], nil, ["ask", "notSignedIn"], [5002]),
            ("alice", 0, 5002, [.ask(.password), .failed(.unreachable)], nil, ["ask", "unreachable"], [5002]),
            ("alice", 0, 5002, [], 5002, ["busy"], []), ("root", 0, 5002, [], nil, ["notCovered"], []),
            ("local", 0, 5002, [], nil, ["notCovered"], []),
            // Only root may say for whom it asks.
            ("alice", 5002, 0, [], nil, ["notPermitted"], []), ("alice", 5002, 5001, [], nil, ["notPermitted"], []),
        ] as [(String, UInt32, UInt64?, [Act], UInt32?, [String], [UInt32])] {
            let (peer, surroundings) = Self.serve(
                [.packet(request(name, requester)), .packet(answer)], from: caller, script: script
            ) { surroundings in
                surroundings.machine.answer = { [.signedOut(.revoked)] }
                spent.map { userID in surroundings.turns["conversation \(userID)"] = 0 }
            }
            #expect(peer.answers == answers, "\(name) \(caller)")
            #expect(surroundings.machine.startedFor.prefix(1) == startedFor[...], "\(name) \(caller)")
            #expect(surroundings.machine.registry.sessions.map(\.state) == [.open])
            guard answers.contains("complete") else {
                continue
            }
            #expect(
                surroundings.lines.contains { line in
                    line.hasPrefix("identity proved; user='alice'") && line.contains("service='polkit-1'")
                })
            #expect(!surroundings.lines.contains { line in line.hasPrefix("renewed") })
        }
    }

    @Test("who asks for a forgotten password has no more workers than other prompts may have")
    func crowded() {
        let request = packet(.recoverRequest, [(.userName, Array("alice".utf8))])
        let (peer, surroundings) = Self.serve([.packet(request)], nil) { surroundings in
            surroundings.machine.crowded = [5001]
        }
        #expect(peer.answers == ["show", "busy"])
        #expect(surroundings.machine.startedFor == [5001] && surroundings.machine.workers.isEmpty)
    }

    @Test("times of an entry that nobody could have entered trap nowhere: root is told of the session all the same")
    func absurdTimes() {
        for time in [Int64.max, Int64.max - 1000, 253_402_300_800_000] {
            let (peer, _) = Self.serve([.packet(packet(.registryRequest, []))], from: 0) { surroundings in
                surroundings.machine.now = Instant(milliseconds: 1)
                _ = Sample(
                    state: .closing, created: time, expires: time, attempts: 1, nextAttempt: time,
                    accessTokenExpiry: time, renewed: time, checked: time, warned: time
                ).add(to: surroundings.machine)
            }
            #expect(peer.answers == ["registeredSession", "registeredSession", "complete"])
        }
    }
}
