import Glibc

/// The time of a simulated machine, its events, and its processes. Only one process runs at a time, until it waits. The
/// next one is decided only by the time and by the order of the requests.
///
/// Each process has a thread, since the real code waits wherever it was called. It is sendable because no other thread
/// runs meanwhile.
final class Timeline: @unchecked Sendable {
    private enum Happening {
        case event(() -> Void)
        case wake(Fiber, Int)
    }

    private struct Entry {
        let time: Int64
        let order: Int
        let happening: Happening
    }

    /// In milliseconds.
    private(set) var now: Int64 = 0
    /// The earliest first, as a binary heap.
    private var heap: [Entry] = []
    private var asked = 0
    private let observer = Fiber()

    /// Has something happen in so many milliseconds.
    func after(_ milliseconds: Int64, _ event: @escaping () -> Void) {
        add(milliseconds, .event(event))
    }

    /// Starts a process.
    func start(after milliseconds: Int64, _ body: @escaping (Fiber) -> Void) {
        let fiber = Fiber()
        fiber.begin {
            body(fiber)
        } then: { [self] in
            // The observer returns only after the last one has continued.
            goOn(instead: fiber)
        }
        wake(fiber, after: milliseconds)
    }

    /// Has a process go on that waits, unless it does so before.
    func wake(_ fiber: Fiber, after milliseconds: Int64) {
        add(milliseconds, .wake(fiber, fiber.turns))
    }

    /// Makes the running process wait until another one wakes it.
    func wait(_ fiber: Fiber) {
        goOn(instead: fiber)
    }

    /// Lets so much time pass, for who looks on from outside of it.
    func pass(_ milliseconds: Int64) {
        wake(observer, after: milliseconds)
        goOn(instead: observer)
    }

    private func add(_ milliseconds: Int64, _ happening: Happening) {
        asked += 1
        heap.append(Entry(time: now + max(0, milliseconds), order: asked, happening: happening))
        var child = heap.count - 1
        while child > 0, isEarlier(child, (child - 1) / 2) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private func isEarlier(_ left: Int, _ right: Int) -> Bool {
        (heap[left].time, heap[left].order) < (heap[right].time, heap[right].order)
    }

    private func next() -> Entry? {
        guard let first = heap.first, let last = heap.popLast() else {
            return nil
        }
        guard !heap.isEmpty else {
            return first
        }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && isEarlier(child, least) {
                least = child
            }
            guard least != parent else {
                return first
            }
            heap.swapAt(parent, least)
            parent = least
        }
    }

    private func goOn(instead own: Fiber) {
        while let entry = next() {
            now = entry.time
            switch entry.happening {
            case .event(let event):
                event()
            case .wake(let fiber, let turn):
                guard fiber.turns == turn, !fiber.isOver else {
                    continue
                }
                fiber.turns += 1
                guard fiber !== own else {
                    return
                }
                own.handOver(to: fiber)
                return
            }
        }
        fatalError("nothing happens any more, and somebody waits for it")
    }
}

/// One process's thread.
final class Fiber: @unchecked Sendable {
    /// How often it has gone on.
    fileprivate(set) var turns = 0
    fileprivate(set) var isOver = false
    private let turn: UnsafeMutablePointer<sem_t>
    private var body: (() -> Void)?
    private var end: (() -> Void)?

    init() {
        turn = .allocate(capacity: 1)
        sem_init(turn, 0, 0)
    }

    deinit {
        sem_destroy(turn)
        turn.deallocate()
    }

    fileprivate func begin(_ body: @escaping () -> Void, then end: @escaping () -> Void) {
        self.body = body
        self.end = end
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, 1 << 20)
        var thread = pthread_t()
        let started = pthread_create(
            &thread, &attributes,
            { argument in
                argument.map { argument in Unmanaged<Fiber>.fromOpaque(argument).takeRetainedValue().live() }
                return nil
            }, Unmanaged.passRetained(self).toOpaque())
        pthread_attr_destroy(&attributes)
        precondition(started == 0, "no thread can be started")
    }

    private func live() {
        awaitTurn()
        body?()
        // What it held goes while it is still its turn.
        body = nil
        isOver = true
        let end = end
        self.end = nil
        end?()
    }

    private func awaitTurn() {
        while sem_wait(turn) != 0 {}
    }

    fileprivate func handOver(to other: Fiber) {
        let isOver = isOver
        sem_post(other.turn)
        if !isOver {
            awaitTurn()
        }
    }
}
