import Base
import Fakes
import Protocol
import Sessions

@testable import Fakes

/// A worker: what its root side says is heard when it is said, what it says after the time that things take.
final class SimulatedWorker: FakeWorker {
    private let process: WorkerProcess
    private let owner: SimulatedMachine

    init(of owner: SimulatedMachine, _ history: History) {
        self.owner = owner
        process = WorkerProcess(history, of: owner)
        super.init([], deafAfter: .max, machine: owner)
    }

    deinit {
        // Its socket is closed with the process that had it, or when that has no more use for it.
        process.hangUp()
    }

    override func send(_ frame: borrowing Frame) throws(Fault) {
        guard owner.step(), !process.isOver else {
            throw Fault("the worker is gone")
        }
        process.hear(frame)
    }

    override func receive(within milliseconds: Int64) throws(Fault) -> Frame? {
        let deadline = owner.now.milliseconds + milliseconds
        while owner.step() {
            if let bytes = process.takeMessage() {
                return try decoded(bytes)
            }
            guard !process.isOver else {
                throw Fault("the worker ended without a result")
            }
            guard owner.now.milliseconds < deadline else {
                return nil
            }
            process.listener = owner.fiber
            owner.sleep(deadline - owner.now.milliseconds)
            process.listener = nil
        }
        throw Fault("the worker is gone")
    }

    private func decoded(_ bytes: [UInt8]) throws(Fault) -> Frame {
        guard let packet = secret(bytes), let frame = try? Frame(decoding: packet) else {
            throw Fault("the worker sent nonsense")
        }
        return frame
    }

    override func kill() {
        if owner.isAlive {
            process.end()
        }
    }
}

/// The process: it goes on when its root side is gone, as the real one does.
final class WorkerProcess {
    /// How long it waits until its tokens are registered, and how long it tries to revoke them when they are not, in
    /// milliseconds.
    private static let registrationTime: Int64 = 10_000
    private static let revocationTime: Int64 = 15_000

    private unowned let history: History
    private let requester: String
    private weak var owner: SimulatedMachine?
    private var cognito: SimulatedCognito { history.cognito }
    private var messages: [[UInt8]] = []
    private var request: [UInt8] = []
    /// What waits for the next message, or for the end of the conversation.
    private var heard: ((MessageKind?) -> Void)?
    private var hasHungUp = false
    private(set) var isOver = false
    /// Whether it waits for another sign-out; how many it has carried out.
    private var isIdle = false
    private var signOuts = 0
    /// Whether it has told of a failure, after which it goes on alone.
    private var wasTold = false
    /// Tokens that it has received and that are not confirmed as registered.
    private var unregistered: Grant?
    var listener: Fiber?

    init(_ history: History, of owner: SimulatedMachine) {
        self.history = history
        requester = owner.name
        self.owner = owner
        owner.started.append(self)
        history.workers.append(self)
    }

    func takeMessage() -> [UInt8]? {
        messages.isEmpty ? nil : messages.removeFirst()
    }

    /// It is killed; with it goes what only it knows.
    func end() {
        guard !isOver else {
            return
        }
        isOver = true
        if let unregistered {
            history.note("\(requester): the worker that has \(unregistered.number) is gone")
        }
        heard = nil
        wake()
    }

    /// The same, by a power cut, or the end of the time that a machine has for its stop.
    func cutOff() {
        unregistered?.excuse = "the machine stopped before it was registered or revoked"
        end()
    }

    func hangUp() {
        guard !hasHungUp else {
            return
        }
        hasHungUp = true
        hear(nil)
        if isIdle {
            end()
        }
    }

    private func hear(_ kind: MessageKind?) {
        if let heard, !isOver {
            self.heard = nil
            heard(kind)
        }
    }

    func hear(_ frame: borrowing Frame) {
        switch frame.kind {
        case .answer, .registered: hear(frame.kind)
        default:
            request = frame.withPacket { packet in packet.copied() }
            isIdle = false
            begin(frame.kind)
        }
    }

    private func say(_ act: Act) {
        guard case .send(let bytes) = act, !isOver else {
            return
        }
        messages.append(bytes)
        wake()
    }

    private func finish(_ act: Act) {
        say(act)
        end()
    }

    private func wake() {
        if let listener {
            history.timeline.wake(listener, after: 0)
        }
    }

    private func after(_ milliseconds: Int64, _ event: @escaping () -> Void) {
        history.timeline.after(milliseconds) { [self] in
            if !isOver {
                event()
            }
        }
    }

    /// A field of the step that it was asked for.
    private func field(_ field: Field) -> [UInt8]? {
        guard let packet = secret(request), let frame = try? Frame(decoding: packet) else {
            return nil
        }
        if let secret = frame.secret(field) {
            return secret.withBytes { bytes in bytes.copied() }
        }
        return frame.bytes(field)
    }

    private func code(_ field: Field) -> UInt8? {
        self.field(field)?.first
    }

    private func number(_ field: Field) -> Int64 {
        self.field(field)?.reduce(0) { sum, byte in sum << 8 | Int64(byte) } ?? 0
    }

    private var tokens: SimulatedTokens? { field(.bundle).flatMap(SimulatedTokens.init) }

    /// Asks Cognito.
    ///
    /// - Parameter limit: How long the answer may take, in milliseconds.
    private func ask(
        within limit: Int64, _ what: String, _ operation: @escaping () -> Reply, then: @escaping (Reply) -> Void
    ) {
        let way = history.network(limit)
        guard let there = way.there else {
            after(limit) { then(.lost) }
            return
        }
        // A request that was sent arrives, whether or not a process waits for the answer.
        history.timeline.after(there) { [self] in
            let reply = history.trouble() ?? operation()
            history.note("\(requester): \(what): \(reply)\(way.back == nil ? ", which is lost" : "")")
            after(way.back ?? max(0, limit - there)) { then(way.back == nil ? .lost : reply) }
        }
    }

    /// The same, and again where Cognito has refused for a while.
    private func askPatiently(
        within limit: Int64, _ what: String, attempts: Int = 3, _ operation: @escaping () -> Reply,
        then: @escaping (Reply) -> Void
    ) {
        ask(within: limit, what, operation) { [self] reply in
            switch reply {
            case .throttled where attempts > 1, .serviceFault where attempts > 1:
                after(200 * Int64(4 - attempts)) { [self] in
                    askPatiently(within: limit, what, attempts: attempts - 1, operation, then: then)
                }
            default: then(reply)
            }
        }
    }

    private func begin(_ kind: MessageKind) {
        switch kind {
        case .signIn: signIn()
        case .renew: renew()
        case .check: check()
        case .signOut: signOut()
        case .adminSignOut: adminSignOut()
        default: end()
        }
    }

    // MARK: The steps

    private func signIn() {
        let person = field(.userName).map(text) ?? ""
        after(history.moment()) { [self] in
            heard = { [self] kind in
                guard kind == .answer else {
                    return end()
                }
                let answered = owner?.answered ?? history.timeline.now
                let limit = number(.timeLimit)
                ask(within: limit, "sign-in of \(person)") { [self] in
                    let tokens = cognito.signIn(person, answered: answered)
                    unregistered = cognito.grants[tokens.grant]
                    // Until the answer is here, no process knows them.
                    unregistered?.excuse = "Cognito's answer never came"
                    history.note("\(requester): grant \(tokens.grant)")
                    return .accepted
                } then: { [self] reply in
                    take(reply, person)
                }
            }
            say(.ask(.password))
        }
    }

    private func take(_ reply: Reply, _ person: String) {
        guard case .accepted = reply, let grant = unregistered else {
            return finish(failure(reply))
        }
        grant.excuse = nil
        let tokens = SimulatedTokens(
            grant: grant.number, issued: cognito.time, expires: cognito.time + cognito.accessTokenLife)
        heard = { [self] kind in
            if kind == .registered {
                unregistered = nil
                end()
            } else {
                revoke(tokens, until: history.timeline.now + Self.revocationTime)
            }
        }
        after(Self.registrationTime) { [self] in hear(nil) }
        say(
            .signedIn(
                as: person, subject: "sub-of-\(person)", bundle: tokens.bundle, until: tokens.expires))
        if hasHungUp {
            hear(nil)
        }
    }

    /// Tries until it has been heard that it is done.
    private func revoke(_ tokens: SimulatedTokens, until limit: Int64, pause: Int64 = 200) {
        let left = limit - history.timeline.now
        guard left > 0 else {
            unregistered?.excuse = "Cognito was away for all the time that the worker had to revoke it"
            return end()
        }
        ask(within: min(left, 5000), "revocation of \(tokens.grant)") { [self] in
            cognito.revoke(tokens)
        } then: { [self] reply in
            switch reply {
            case .accepted, .revoked: end()
            default: after(pause) { [self] in revoke(tokens, until: limit, pause: pause * 2) }
            }
        }
    }

    private func renew() {
        guard let old = tokens else {
            return end()
        }
        let person = cognito.grants[old.grant].person
        var new: SimulatedTokens?
        askPatiently(within: number(.timeLimit), "renewal of \(old.grant)") { [self] in
            new = cognito.renew(old)
            return new == nil ? .revoked : .accepted
        } then: { [self] reply in
            guard case .accepted = reply, let new else {
                return finish(failure(reply))
            }
            finish(.renewed(as: person, bundle: text(new.bundle), until: new.expires))
        }
    }

    private func check() {
        guard let tokens, code(.online) == 1 else {
            return finish(.checked())
        }
        askPatiently(within: number(.timeLimit), "check of \(tokens.grant)") { [self] in
            cognito.look(tokens)
        } then: { [self] reply in
            switch reply {
            case .accepted: finish(.checked())
            case .refusedAccessToken: finish(failure(reply))
            default:
                cognito.grants[tokens.grant].wasLookedAtInVain = true
                finish(failure(reply))
            }
        }
    }

    private func failure(_ reply: Reply) -> Act {
        switch reply {
        case .refusedAccessToken: .failed(.accessTokenExpired)
        case .revoked: .revoked
        case .throttled: .failed(.throttled)
        case .serviceFault: .failed(.serviceFault)
        case .lost, .accepted: .failed(.unreachable)
        }
    }

    private func signOut() {
        guard let tokens else {
            return end()
        }
        signOuts += 1
        if code(.keepsConnection) == 1, history.killsWorker() {
            after(history.number(below: 300)) { [self] in end() }
        }
        let persistence = code(.persistence).flatMap(Persistence.init) ?? .patient
        let limit = history.timeline.now + number(.timeLimit)
        if code(.revocation) == Revocation.global.rawValue {
            signOutEverywhere(tokens, within: persistence == .once ? number(.timeLimit) : 10_000, limit)
        } else {
            endSession(tokens, persistence, until: limit)
        }
    }

    /// Says what a sign-out came to, and waits for another one where it may.
    private func finishSignOut(_ result: SignOutResult) {
        guard code(.keepsConnection) == 1, !hasHungUp, !wasTold, signOuts < Exchange.mostSignOuts else {
            return finish(.signedOut(result))
        }
        isIdle = true
        say(.signedOut(result))
        let before = signOuts
        after(Exchange.longestSharing + 1000) { [self] in
            if isIdle, signOuts == before {
                end()
            }
        }
    }

    private func endSession(
        _ tokens: SimulatedTokens, _ persistence: Persistence, until limit: Int64, told hasTold: Bool = false,
        pause: Int64 = 200
    ) {
        let left = limit - history.timeline.now
        guard left > 0 else {
            return finish(.failed(.unreachable))
        }
        ask(within: min(left, 10_000), "revocation of \(tokens.grant)") { [self] in
            cognito.revoke(tokens)
        } then: { [self] reply in
            switch reply {
            case .accepted: finishSignOut(.revoked)
            case .revoked: finishSignOut(.alreadyRevoked)
            default:
                guard persistence != .once else {
                    return finish(failure(reply))
                }
                if persistence == .unattended, !hasTold {
                    wasTold = true
                    say(failure(reply))
                }
                after(pause) { [self] in
                    endSession(tokens, persistence, until: limit, told: true, pause: min(5000, pause * 2))
                }
            }
        }
    }

    private func signOutEverywhere(_ tokens: SimulatedTokens, within time: Int64, _ limit: Int64) {
        let since = history.end(of: cognito.grants[tokens.grant], by: requester)
        guard tokens.expires - history.wallTime > 30 else {
            return signOutAfterRenewal(tokens, within: time, since, mayWait: true)
        }
        ask(within: time, "sign-out everywhere by \(tokens.grant)") { [self] in
            cognito.signOutEverywhere(tokens, since: since)
        } then: { [self] reply in
            switch reply {
            case .accepted: finishSignOut(.everywhere)
            case .refusedAccessToken: signOutAfterRenewal(tokens, within: time, since, mayWait: true)
            default: finish(failure(reply))
            }
        }
    }

    private func signOutAfterRenewal(_ old: SimulatedTokens, within time: Int64, _ since: Int64?, mayWait: Bool) {
        var new: SimulatedTokens?
        ask(within: time, "renewal of \(old.grant) for its end") { [self] in
            new = cognito.renew(old)
            return new == nil ? .revoked : .accepted
        } then: { [self] reply in
            switch reply {
            case .accepted: break
            case .revoked: return finishSignOut(.onlySession(.alreadyRevoked))
            default: return finish(failure(reply))
            }
            guard let new else {
                return end()
            }
            ask(within: time, "sign-out everywhere by \(old.grant)") { [self] in
                cognito.signOutEverywhere(new, since: since)
            } then: { [self] reply in
                switch reply {
                case .accepted: finishSignOut(.everywhere)
                case .refusedAccessToken where mayWait:
                    after(1100) { [self] in signOutAfterRenewal(new, within: time, since, mayWait: false) }
                default: finish(failure(reply))
                }
            }
        }
    }

    private func adminSignOut() {
        let person = field(.loginName).map(text) ?? ""
        ask(within: number(.timeLimit), "sign-out of \(person) by the machine") { [self] in
            cognito.endAll(of: person, since: history.endWithoutTokens(by: requester), "the machine")
            return .accepted
        } then: { [self] reply in
            if case .accepted = reply {
                finish(.signedOut(.everywhere))
            } else {
                finish(failure(reply))
            }
        }
    }
}
