import Agent
import Base
import Configuration
import Fakes
import Keyring
import Protocol
import Sessions

@testable import Fakes
@testable import Sessions

/// What there may be too little of for a while.
enum Shortage: CaseIterable {
    case keys
    case memory
    case processes
    case descriptors
    case disk
}

/// What becomes of a process at a moment.
enum Fate {
    case goesOn
    case waits(Int64)
    case dies
}

/// One history of a machine: all of it follows from the seed.
final class History {
    /// How bad it may get: drawn once for a history, so that some have much of one thing.
    private struct Climate {
        let waits: Int64
        let longestWait: Int64
        let deaths: Int64
        /// Of workers that sign-outs share.
        let workerDeaths: Int64
        let losses: Int64
        let troubles: Int64
        var shortages: [(Shortage, Range<Int64>)] = []
        var outages: [Range<Int64>] = []
    }

    let timeline = Timeline()
    let kernel = SimulatedKernel()
    let configuration: [UInt8]
    let cognito: SimulatedCognito
    var processes: [SimulatedMachine] = []
    var workers: [WorkerProcess] = []
    /// When the machine was started last, and when its power was cut, in milliseconds.
    private(set) var booted: Int64 = 0
    private(set) var powerCut: Int64?
    /// How long the machine takes to be there again, in milliseconds.
    private static let bootTime: Int64 = 4000
    private var random: Seeded
    private var climate: Climate
    private var wallOffset: Int64 = 0
    /// Whether everything goes well from now on.
    private var isCalm = false
    /// How many processes have something to do.
    private var busy = 0
    private let isJournaled: Bool
    private let hasIdentity: Bool
    private var isTracing: Bool
    private(set) var trace: [String] = []
    /// What was promised and is not so.
    private(set) var breaches: [String] = []
    private(set) var counts: [String: Int] = [:]
    /// The registry's entries whose sessions a process has.
    private var hosted: [(process: ProcessIdentity, grant: Grant)] = []
    private var stays: [SimulatedMachine] = []
    private var mayLeave = false
    /// What only the journal knows.
    private var journaled: [Int: String] = [:]
    /// Whether sessions that are handed over wait in an inbox, for processes that end them in turn; what is in it, and
    /// how many such processes there are.
    private let sharesEnds: Bool
    private var inbox: [KeySerial] = []
    private var endingProcesses = 0

    init(seed: UInt64, tracing isTracing: Bool = false) {
        var random = Seeded(state: seed)
        func one<T>(of values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &random)] }
        self.isTracing = isTracing
        isJournaled = one(of: [true, false])
        sharesEnds = one(of: [true, false])
        hasIdentity = one(of: [true, false])
        configuration = FakeMachine.configuration(
            """
            sign_out = \(one(of: ["global", "global", "last", "session"]))
            sign_out_wait = \(one(of: sharesEnds ? ["0s"] : ["0s", "2s", "5s"]))
            journal = \(isJournaled ? "yes" : "no")
            check_interval = \(one(of: ["0s", "1m", "10m"]))
            renew_ahead = \(one(of: ["yes", "no"]))
            keyring = \(one(of: ["session", "session", "user"]))
            \(hasIdentity ? "iam_credentials_file = /etc/security/iam" : "")
            """)
        climate = Climate(
            waits: one(of: [3, 10, 40]), longestWait: one(of: [20, 400, 1500]), deaths: one(of: [0, 0, 2000, 300, 80]),
            workerDeaths: one(of: [0, 20, 4]), losses: one(of: [0, 0, 40, 6]), troubles: one(of: [0, 0, 20, 3]))
        cognito = SimulatedCognito(timeline, accessTokenLife: one(of: [300, 900, 3600]))
        self.random = random
        cognito.onTakenAlong = { [unowned self] grant, cause in
            note("\(grant.number) is taken along by \(cause)")
            if grant.wasOpened, grant.over == nil, isOpen(grant) {
                breach("the tokens of \(grant.number), whose session goes on, are taken along by \(cause)")
            }
        }
    }

    // MARK: Chance

    func number(below bound: Int64) -> Int64 {
        bound > 0 ? Int64.random(in: 0..<bound, using: &random) : 0
    }

    private func happens(onceIn times: Int64) -> Bool {
        times > 0 && number(below: times) == 0
    }

    private func one<T>(of values: [T]) -> T {
        values[Int(number(below: Int64(values.count)))]
    }

    /// How long a small thing takes, in milliseconds.
    func moment() -> Int64 {
        1 + number(below: 20)
    }

    func fate() -> Fate {
        if !isCalm, happens(onceIn: climate.deaths) {
            count("killed")
            return .dies
        }
        guard happens(onceIn: climate.waits) else {
            return .goesOn
        }
        return .waits(number(below: happens(onceIn: 4) ? climate.longestWait : 5))
    }

    /// Whether a worker that sign-outs share is killed.
    func killsWorker() -> Bool {
        guard !isCalm, happens(onceIn: climate.workerDeaths) else {
            return false
        }
        count("shared workers killed")
        return true
    }

    func isShort(of shortage: Shortage) -> Bool {
        guard !isCalm,
            climate.shortages.contains(where: { kind, time in kind == shortage && time.contains(timeline.now) }),
            happens(onceIn: 2)
        else {
            return false
        }
        count("short of \(shortage)")
        return true
    }

    /// How long a request and its answer are on their way; nil: they are lost.
    func network(_ limit: Int64) -> (there: Int64?, back: Int64?) {
        func way() -> Int64 { 3 + number(below: happens(onceIn: 10) ? 900 : 60) }
        guard !isCalm else {
            return (way(), way())
        }
        guard !climate.outages.contains(where: { time in time.contains(timeline.now) }),
            !happens(onceIn: climate.losses)
        else {
            count("lost requests")
            return (nil, nil)
        }
        let (there, back) = (way(), way())
        guard !happens(onceIn: climate.losses), there + back < limit else {
            count("lost answers")
            return (there, nil)
        }
        return (there, back)
    }

    func trouble() -> Reply? {
        guard !isCalm, happens(onceIn: climate.troubles) else {
            return nil
        }
        count("refused for a while")
        return one(of: [.throttled, .serviceFault])
    }

    /// What the machine takes for the time, in seconds since the epoch.
    var wallTime: Int64 { cognito.time + wallOffset }

    // MARK: What is noted

    func note(_ line: @autoclosure () -> String) {
        if isTracing {
            trace.append("\(timeline.now) \(line())")
        }
    }

    func noteEntry(_ key: RootKey, by name: String) {
        guard isTracing, let entry = kernel.registry.entries[key.serial.number] else {
            return
        }
        if let session = Snapshot(entry.payload) {
            note(
                """
                \(name): writes \(key.serial.number) \(session.state) \(session.signOut) attempts=\(session.attempts) \
                next=\(session.nextAttempt)
                """)
        }
    }

    private func count(_ what: String) {
        counts[what, default: 0] += 1
    }

    private func breach(_ what: String) {
        note("BREACH: \(what)")
        breaches.append(what)
    }

    /// Whether a session with these tokens goes on: where the machine stops, all of them are ended at once, also those
    /// that have a host.
    private func isOpen(_ grant: Grant) -> Bool {
        kernel.registry.sessions.contains { session in
            session.state == .open && SimulatedTokens(Array(session.bundle.utf8))?.grant == grant.number
        }
    }

    private func grant(of key: RootKey) -> Grant? {
        guard let entry = kernel.registry.entries[key.serial.number], let session = Snapshot(entry.payload) else {
            return nil
        }
        return SimulatedTokens(Array(session.bundle.utf8)).map { tokens in cognito.grants[tokens.grant] }
    }

    /// When the session was over whose tokens these are, in milliseconds; nil: it is not, or the person wants all of
    /// theirs ended now, also one that begins at that moment.
    func end(of grant: Grant, by requester: String) -> Int64? {
        requester.hasPrefix("sign-out") ? nil : grant.over
    }

    /// The same of what the machine ends without tokens: a session that a power cut has ended, unless a person wants
    /// it.
    func endWithoutTokens(by requester: String) -> Int64? {
        requester.hasPrefix("sign-out") ? nil : powerCut
    }

    func hasDied(_ process: ProcessIdentity) {
        for (host, grant) in hosted where host == process && grant.over == nil {
            grant.over = timeline.now
        }
    }

    // MARK: Processes

    /// Starts a process, which ends when `body` does.
    private func start(
        _ name: String, after milliseconds: Int64, parent: SimulatedMachine? = nil,
        _ body: @escaping (SimulatedMachine) -> Void
    ) {
        busy += 1
        timeline.start(after: milliseconds) { [unowned self] fiber in
            // What was on its way when the power went has arrived by the time that a machine has booted.
            while let cut = powerCut, timeline.now < cut + Self.bootTime {
                timeline.wake(fiber, after: cut + Self.bootTime - timeline.now)
                timeline.wait(fiber)
            }
            let machine = SimulatedMachine(name, fiber, self, parent: parent)
            body(machine)
            machine.die("ends")
            busy -= 1
        }
    }

    func startEnding(_ key: RootKey) {
        guard !sharesEnds else {
            inbox.append(key.serial)
            if endingProcesses == 0 || happens(onceIn: 4) {
                startEndingInTurn()
            }
            return
        }
        start("agent", after: moment()) { machine in
            _ = (machine as FakeMachine).endHandedOver(key.serial) { line, _ in
                self.note("\(machine.name): \(text(line.bytes))")
            }
        }
    }

    private func startEndingInTurn() {
        endingProcesses += 1
        start("agent in turn", after: moment()) { machine in
            EndingQueue(machine: machine as FakeMachine).run { milliseconds in
                let deadline = self.timeline.now + milliseconds
                while machine.isAlive, self.inbox.isEmpty, self.timeline.now < deadline {
                    machine.sleep(min(50, deadline - self.timeline.now))
                }
                guard machine.isAlive else {
                    return .closed
                }
                guard !self.inbox.isEmpty else {
                    return .timedOut
                }
                self.count("sessions ended in turn")
                return .session(self.inbox.removeFirst())
            } report: { line, _ in
                self.note("\(machine.name): \(text(line.bytes))")
            }
            self.endingProcesses -= 1
            guard machine.isAlive || !self.happens(onceIn: 2) else {
                // The listener is killed, too.
                self.inbox = []
                return
            }
            if self.endingProcesses == 0, !self.inbox.isEmpty {
                self.startEndingInTurn()
            }
        }
    }

    func startReaper(after milliseconds: Int64, _ scope: ReaperScope = .due, then: (() -> Void)? = nil) {
        start("reaper", after: milliseconds) { machine in
            self.count("rounds")
            _ = Reaper(machine: machine as FakeMachine).reap(scope, dryRun: false) { line, _ in
                self.note("\(machine.name): \(text(line.bytes))")
            }
            then?()
        }
    }

    /// A program that signs a user in, and opens a session or not.
    private func startHost(after milliseconds: Int64) {
        let user = one(of: ["alice", "alice", "alice", "bob"])
        let isDaemon = happens(onceIn: 3)
        start(isDaemon ? "sshd" : "login", after: milliseconds) { machine in
            let host = FakeTransaction()
            host.userName = .success(Array(user.utf8))
            host.service = Array((isDaemon ? "sshd" : "login").utf8)
            guard isDaemon ? self.signInByChild(machine, host) : self.signIn(machine, host) else {
                return
            }
            self.haveSession(machine, host)
        }
    }

    private func hooks(_ host: FakeTransaction, _ machine: SimulatedMachine) -> Hooks<FakeTransaction, FakeMachine> {
        Hooks(host, on: machine as FakeMachine, arguments: [])
    }

    private func signIn(_ machine: SimulatedMachine, _ host: FakeTransaction) -> Bool {
        host.onQuestion = {
            machine.sleep(self.number(below: 3000))
            machine.answered = self.timeline.now
        }
        let value = hooks(host, machine).authenticate()
        note("\(machine.name): authenticate \(value) \(host.log.last ?? "")")
        count(value == .success && machine.isAlive ? "sign-ins" : "sign-ins refused")
        guard machine.isAlive, value == .success else {
            end(machine, host)
            return false
        }
        return true
    }

    /// sshd's child asks for the password, and its monitor has the session.
    private func signInByChild(_ monitor: SimulatedMachine, _ host: FakeTransaction) -> Bool {
        var variables: [String: [UInt8]]?
        var isOver = false
        start("sshd's child", after: moment(), parent: monitor) { machine in
            let own = FakeTransaction()
            own.userName = host.userName
            own.service = host.service
            if self.signIn(machine, own), machine.isAlive {
                variables = own.variables
            }
            monitor.wasShort = monitor.wasShort || machine.wasShort
            isOver = true
        }
        while monitor.isAlive, !isOver {
            monitor.sleep(50)
        }
        guard monitor.isAlive, let variables else {
            return false
        }
        host.variables = variables
        return true
    }

    private func end(_ machine: SimulatedMachine, _ host: FakeTransaction) {
        if let login = host.kept, machine.step() {
            hooks(host, machine).abandon(login)
        }
    }

    private func haveSession(_ machine: SimulatedMachine, _ host: FakeTransaction) {
        guard !happens(onceIn: 8) else {
            count("no session")
            machine.sleep(number(below: 5000))
            return end(machine, host)
        }
        machine.sleep(number(below: 300))
        let value = hooks(host, machine).openSession()
        note("\(machine.name): open \(value) \(host.log.last ?? "")")
        guard machine.isAlive else {
            return
        }
        guard value == .success, let login = host.kept, case .delivered = login.state,
            let grant = grant(of: login.entry)
        else {
            return end(machine, host)
        }
        count("sessions")
        grant.wasOpened = true
        hosted.append((machine.process, grant))
        if grant.wasTakenAlong, !grant.wasLookedAtInVain, !machine.wasShort {
            breach("the tokens of \(grant.number) were taken along before its session began")
        }
        live(machine, login.entry, grant)
        guard machine.isAlive else {
            return
        }
        if happens(onceIn: 6) {
            return machine.die("ends without a word")
        }
        grant.over = timeline.now
        note("\(machine.name): logout of \(grant.number)")
        _ = hooks(host, machine).closeSession()
        _ = hooks(host, machine).setCredentials(deleting: true)
        end(machine, host)
    }

    /// A session's life: what is asked of the agent meanwhile.
    private func live(_ machine: SimulatedMachine, _ entry: RootKey, _ grant: Grant) {
        for _ in 0..<number(below: 4) {
            machine.sleep(number(below: one(of: [500, 20_000, 600_000])))
            guard machine.isAlive else {
                return
            }
            ask(about: entry, grant)
        }
        if happens(onceIn: 3) {
            stays.append(machine)
            while machine.isAlive, !mayLeave {
                machine.sleep(60_000)
            }
            stays.removeAll { other in other === machine }
        }
    }

    private func ask(about entry: RootKey, _ grant: Grant) {
        switch number(below: 8) {
        case 0:
            count("sign-outs everywhere")
            start("sign-out", after: moment()) { machine in
                _ = SessionEnding(machine: machine as FakeMachine).endNow(entry, forLock: 2000)
            }
        case 1:
            start("run-hooks", after: moment()) { machine in
                grant.over = grant.over ?? self.timeline.now
                _ = SessionEnding(machine: machine as FakeMachine).destroyTokens(entry, forLock: 2000, because: .idle)
            }
        case 2, 3:
            start("check", after: moment()) { machine in
                _ = SessionCheck(machine: machine as FakeMachine).check(
                    entry, online: true, waiting: 2000, ifMayCall: { true }
                ).finish()
            }
        default:
            count("renewals")
            start("renewal", after: moment()) { machine in
                _ = SessionRenewal(machine: machine as FakeMachine).renew(
                    entry, minimumLife: .max, asked: machine.now, waiting: 5000, ifMayCall: { true }
                ).finish()
            }
        }
    }

    // MARK: What befalls the machine

    private func cutPower() {
        count("power cuts")
        note("the power is cut")
        let entries = kernel.registry.entries.sorted { left, right in left.key < right.key }
        var known: Set<Int> = []
        for (serial, entry) in entries {
            let key = RootKey(serial: KeySerial(serial), description: entry.description)
            let name = text(JournalName(key).bytes)
            guard let grant = grant(of: key), kernel.journal[name] != nil else {
                continue
            }
            known.insert(grant.number)
            journaled[grant.number] = name
        }
        for process in processes {
            process.die("is cut off")
        }
        for worker in workers {
            worker.cutOff()
        }
        for grant in cognito.grants where !known.contains(grant.number) && journaled[grant.number] == nil {
            grant.excuse = grant.excuse ?? "a power cut came, and no journal knew of it"
        }
        kernel.cutPower()
        inbox = []
        booted = timeline.now
        powerCut = timeline.now
    }

    private func window(within length: Int64, atMost longest: Int64) -> Range<Int64> {
        let start = number(below: length)
        return start..<(start + 1 + number(below: longest))
    }

    /// All of it: what happens until everything is calm, and what is left then.
    func run() {
        let length: Int64 = one(of: [4000, 30_000, 300_000, 1_500_000])
        for shortage in Shortage.allCases where happens(onceIn: 5) {
            climate.shortages.append((shortage, window(within: length, atMost: max(2000, length / 4))))
        }
        for _ in 0..<number(below: 3) where happens(onceIn: 2) {
            climate.outages.append(window(within: length, atMost: min(12_000, length / 2)))
        }
        let centre = number(below: length)
        for _ in 0..<(1 + number(below: 6)) {
            // Some come at once, others whenever.
            startHost(after: happens(onceIn: 2) ? centre + number(below: 1500) : number(below: length))
        }
        if sharesEnds, happens(onceIn: 4) {
            // A crowd.
            for _ in 0..<20 {
                startHost(after: centre + number(below: 1500))
            }
        }
        for _ in 0..<number(below: 3) {
            timeline.after(number(below: length)) { [unowned self] in
                wallOffset = one(of: [0, -5, 5, -3600, 86_400, -86_400 * 400, 86_400 * 4000])
                count("clock jumps")
                note("the clock jumps to \(wallOffset) s")
            }
        }
        if happens(onceIn: 6) {
            timeline.after(number(below: length)) { [unowned self] in cutPower() }
        }
        if happens(onceIn: 12) {
            startReaper(after: number(below: length), .everything)
        }
        var now: Int64 = 0
        while now < length {
            now += 60_000 + number(below: 30_000)
            startReaper(after: min(now, length))
        }
        timeline.pass(length)
        isCalm = true
        note("all is calm")
        settle("while some are still in")
        mayLeave = true
        settle("when all have left")
        for process in processes where process.isAlive {
            breach("\(process.name) never came to an end")
        }
        // No thread may be waiting when all of this is gone.
        while busy > 0 {
            timeline.pass(60_000)
        }
    }

    /// Has the timer go on until nothing more is to be done, and looks what is left.
    private func settle(_ when: String) {
        for round in 0..<60 {
            startReaper(after: 0)
            timeline.pass(60_000 + number(below: 30_000))
            while busy > stays.count, round > 2 {
                timeline.pass(30_000)
            }
            if round > 2, kernel.registry.entries.count <= stays.count, remains.isEmpty {
                break
            }
        }
        for what in remains {
            breach("\(what), \(when)")
        }
    }

    /// What is left that should not be.
    private var remains: [String] {
        var found: [String] = []
        var held: Set<Int> = []
        var keys: Set<Int32> = []
        for (serial, entry) in kernel.registry.entries.sorted(by: { left, right in left.key < right.key }) {
            let key = RootKey(serial: KeySerial(serial), description: entry.description)
            guard let session = Snapshot(entry.payload), let grant = grant(of: key) else {
                found.append("entry \(serial) cannot be read")
                continue
            }
            guard session.state == .open, kernel.alive.contains(session.host.id) else {
                found.append("entry \(serial) is \(session.state), and nobody ends it")
                continue
            }
            held.insert(grant.number)
            keys.insert(session.tokenKey)
        }
        for grant in cognito.grants where !grant.isRevoked && grant.excuse == nil && !held.contains(grant.number) {
            if let name = journaled[grant.number] {
                // Without an identity of its own the machine can only tell, and drops what should have run out by its
                // clock; with one, it waits until its person has no session here.
                let record = kernel.journal[name].map(text)
                guard hasIdentity ? record == nil || held.isEmpty : record?.contains("\nreported 0\n") ?? false else {
                    continue
                }
            }
            found.append("the tokens of \(grant.number) live, and nobody has them")
        }
        found += kernel.strayTokenKeys(besides: keys).map { key in "token key \(key) is left in a session that is over"
        }
        return found
    }
}
