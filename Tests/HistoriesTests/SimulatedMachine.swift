import Agent
import Base
import Configuration
import Fakes
import Glibc
import Keyring
import Protocol
import Sessions

@testable import Fakes

/// What the processes of a simulated machine share.
final class SimulatedKernel {
    /// A lock is held as long as what was given for it lives, and its process.
    fileprivate struct Held {
        weak var lock: EntryLock?
        weak var owner: SimulatedMachine?
    }

    let registry = FakeRegistry()
    fileprivate var tokenKeys: [Int32: FakeMachine.TokenKey] = [:]
    fileprivate var locks: [String: Held] = [:]
    fileprivate var nextKey: Int32 = 500
    /// The files of the journal by their names.
    var journal: [String: [UInt8]] = [:] {
        didSet { journalChanges += 1 }
    }
    fileprivate private(set) var journalChanges: Int64 = 0
    var alive: Set<Int32> = []
    var nextProcess: Int32 = 100
    var boot = 0

    /// What is left of it when the power is cut: the disk.
    func cutPower() {
        registry.entries = [:]
        registry.attempts = []
        registry.begins = []
        tokenKeys = [:]
        locks = [:]
        alive = []
        boot += 1
    }

    /// Token keys that a process can still read; those of an ended process are gone with its session keyring.
    func strayTokenKeys(besides known: Set<Int32>) -> [Int32] {
        tokenKeys.filter { serial, key in !known.contains(serial) && Int32(key.bundle).map(alive.contains) ?? false }
            .keys.sorted()
    }
}

/// One process of a simulated machine: before each thing that it asks of the machine it may be made to wait, or killed.
/// Of one that was killed nothing is seen any more: its code runs to its end by itself.
final class SimulatedMachine: FakeMachine {
    let name: String
    let fiber: Fiber
    var started: [WorkerProcess] = []
    /// When its person had given their last answer, in milliseconds.
    var answered: Int64?
    private(set) var isAlive = true
    /// Whether it could not read something, or could not start a process.
    var wasShort = false
    /// How long a killed one still believes to wait, in milliseconds.
    private var afterlife: Int64 = 0
    private var death: Int64 = 0
    private unowned let history: History
    private var kernel: SimulatedKernel { history.kernel }

    init(_ name: String, _ fiber: Fiber, _ history: History, parent: SimulatedMachine? = nil) {
        let kernel = history.kernel
        kernel.nextProcess += 1
        kernel.alive.insert(kernel.nextProcess)
        self.name = "\(name) \(kernel.nextProcess)"
        self.fiber = fiber
        self.history = history
        super.init(registry: kernel.registry)
        process = ProcessIdentity(id: kernel.nextProcess, startTime: UInt64(kernel.nextProcess))
        parentProcess = parent?.process.id ?? 1
        parentOfSameProgram = parent?.process
        configuration = history.configuration
        bootID = Array("\(kernel.boot)".utf8) + Array(repeating: UInt8(ascii: "b"), count: 31)
        history.processes.append(self)
    }

    // MARK: Its life

    /// Whether it goes on; after what keeps it from that for a while.
    @discardableResult
    func step() -> Bool {
        guard isAlive else {
            return false
        }
        switch history.fate() {
        case .goesOn: break
        case .waits(let milliseconds): sleep(milliseconds)
        case .dies: die("killed")
        }
        return isAlive
    }

    /// Waits, unless it is woken before.
    func sleep(_ milliseconds: Int64) {
        guard isAlive else {
            afterlife += milliseconds
            return
        }
        history.timeline.wake(fiber, after: milliseconds)
        history.timeline.wait(fiber)
    }

    /// It is gone, in whatever it was at.
    func die(_ how: String) {
        guard isAlive else {
            return
        }
        history.note("\(name): \(how)")
        isAlive = false
        death = history.timeline.now
        kernel.alive.remove(process.id)
        for worker in started {
            worker.hangUp()
        }
        history.hasDied(process)
    }

    private func isShort(of shortage: Shortage) -> Bool {
        let isShort = history.isShort(of: shortage)
        wasShort = wasShort || isShort
        return isShort
    }

    private var elapsed: Int64 { isAlive ? history.timeline.now : death + afterlife }

    override var now: Instant {
        get { Instant(milliseconds: 1000 + elapsed - history.booted) }
        set {}
    }

    override var time: Int64 {
        get { history.wallTime }
        set {}
    }

    override func random(below bound: Int64) -> Int64 {
        isAlive ? history.number(below: bound) : bound - 1
    }

    override func pause(milliseconds: Int64) {
        sleep(milliseconds)
    }

    override func life(of process: ProcessIdentity) -> Life {
        guard step() else {
            return .gone
        }
        return isShort(of: .descriptors)
            ? .unknown(.tooManyOpenFiles) : kernel.alive.contains(process.id) ? .alive : .gone
    }

    // MARK: Programs

    override func startWorker() throws(Fault) -> FakeWorker {
        guard step(), !isShort(of: .processes) else {
            throw Fault("the worker cannot be started")
        }
        return SimulatedWorker(of: self, history)
    }

    override func endWorkers() {
        if step() {
            for worker in history.workers {
                worker.cutOff()
            }
        }
    }

    override func runHooks(_ notice: SignOutNotice) {
        step()
    }

    override func startEnding(_ key: RootKey) -> Bool {
        guard step(), !isShort(of: .processes) else {
            return false
        }
        history.startEnding(key)
        return true
    }

    override func startReaper() {
        if step() {
            history.startReaper(after: history.moment())
        }
    }

    // MARK: The journal

    override func removeUnfinishedFiles() {}

    override var journalStamp: Int64? {
        step() ? kernel.journalChanges : nil
    }

    override func journalNames() throws(ErrorNumber) -> [[UInt8]] {
        guard step() else {
            throw .noKey
        }
        return kernel.journal.keys.sorted().map { name in Array(name.utf8) }
    }

    override func journalRecord(named name: [UInt8]) throws(FileFault) -> [UInt8] {
        guard step(), let record = kernel.journal[text(name)] else {
            throw .missing
        }
        return record
    }

    override func keepJournalRecord(_ record: [UInt8], named name: [UInt8]) throws(ErrorNumber) {
        guard step(), !isShort(of: .disk) else {
            throw ErrorNumber(ENOSPC)
        }
        kernel.journal[text(name)] = record
    }

    override func dropJournalRecord(named name: [UInt8]) -> Bool {
        guard step() else {
            return false
        }
        kernel.journal[text(name)] = nil
        return true
    }

    // MARK: The registry

    override func register(
        _ payload: borrowing Secret, of user: [UInt8], expiringIn seconds: Int64
    ) throws(ErrorNumber) -> RootKey {
        guard step(), !isShort(of: .keys) else {
            throw .diskQuotaExceeded
        }
        let key = try super.register(payload, of: user, expiringIn: seconds)
        history.note("\(name): registers \(key.serial.number)")
        return key
    }

    override func replace(_ key: RootKey, with payload: borrowing Secret, expiringIn seconds: Int64) throws(ErrorNumber)
    {
        guard step(), !isShort(of: .keys) else {
            throw .diskQuotaExceeded
        }
        try super.replace(key, with: payload, expiringIn: seconds)
        history.noteEntry(key, by: name)
    }

    override func read(_ key: RootKey) throws(ErrorNumber) -> Secret {
        guard step(), !isShort(of: .memory) else {
            throw .noMemory
        }
        return try super.read(key)
    }

    override func remove(_ key: RootKey) {
        if step() {
            super.remove(key)
            history.note("\(name): removes \(key.serial.number)")
        }
    }

    override func serials() throws(ErrorNumber) -> [KeySerial] {
        guard step(), !isShort(of: .memory) else {
            throw .noMemory
        }
        return try super.serials()
    }

    override func entry(at serial: KeySerial) -> RootKey? {
        step() ? super.entry(at: serial) : nil
    }

    override func isLocked(_ key: RootKey) -> Bool {
        guard step(), let held = kernel.locks["\(key.serial.number)"] else {
            return false
        }
        return held.lock != nil && held.owner?.isAlive == true
    }

    override func lock(_ part: RegistryLock, within milliseconds: Int32) -> EntryLock? {
        switch part {
        case .entry(let key): lock("\(key.serial.number)", within: milliseconds)
        case .reaping: lock("reaping", within: milliseconds)
        case .signOuts: lock("sign-outs", within: milliseconds)
        case .counting(let person): lock("counting \(person)", within: milliseconds)
        }
    }

    private func lock(_ name: String, within milliseconds: Int32) -> EntryLock? {
        let deadline = now.milliseconds + Int64(milliseconds)
        var pause: Int64 = 1
        while step() {
            let held = kernel.locks[name]
            if held?.lock == nil || held?.owner?.isAlive != true {
                let lock = EntryLock(nil)
                kernel.locks[name] = SimulatedKernel.Held(lock: lock, owner: self)
                return lock
            }
            guard now.milliseconds < deadline else {
                return nil
            }
            sleep(min(pause, deadline - now.milliseconds))
            pause = min(250, pause * 2)
        }
        // A killed process believes that it has waited.
        sleep(Int64(max(1, milliseconds)))
        return nil
    }

    // MARK: Tokens in keyrings

    override func deliver(
        _ bundle: borrowing Secret, description: [UInt8], to account: Account, entry: RootKey,
        expiringIn seconds: Int64
    ) throws(ErrorNumber) -> KeySerial {
        guard step(), !isShort(of: .keys) else {
            throw .diskQuotaExceeded
        }
        kernel.nextKey += 1
        kernel.tokenKeys[kernel.nextKey] = TokenKey(
            description: text(description), bundle: "\(process.id)", uid: account.uid, seconds: seconds)
        return KeySerial(kernel.nextKey)
    }

    override func isDelivered(_ key: KeySerial, description: [UInt8]) -> Bool {
        step() && kernel.tokenKeys[key.number]?.description == text(description)
    }

    override func update(
        _ key: KeySerial, description: [UInt8], with bundle: borrowing Secret, entry: RootKey,
        expiringIn seconds: Int64
    ) throws(ErrorNumber) {
        guard step(), !isShort(of: .keys), kernel.tokenKeys[key.number] != nil else {
            throw .noKey
        }
    }

    override func share(_ key: KeySerial, provedBy secret: KeySerial?, with account: Account) throws(ErrorNumber) {
        guard step(), kernel.tokenKeys[key.number] != nil else {
            throw .noKey
        }
    }

    override func destroy(_ key: KeySerial) {
        if step() {
            kernel.tokenKeys[key.number] = nil
        }
    }

    override func destroyHeld(of entry: RootKey) {
        step()
    }
}
