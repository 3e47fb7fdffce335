import Accounts
import Base
import CLinux
import Configuration
import UserDatabase

/// How much a line in the log matters, as syslog(3) has it.
enum SyslogPriority: CInt {
    case error = 3
    case notice = 5
}

func log(_ severity: SyslogPriority, _ line: ByteText) {
    let terminated = (line.bytes + [0]).map { byte in CChar(truncatingIfNeeded: byte) }
    unsafe linux_log_at_once("cognito-accounts", severity.rawValue, terminated)
}

/// The clients of the socket. Each has a quota and a time limit, so that no client delays others and memory does not
/// grow.
struct Server: ~Copyable {
    static let path: StaticString = "/run/systemd/userdb/org.pam_cognito.Accounts"
    /// How long a client may take for a call and for reading what it is answered, in milliseconds, since it was last of
    /// use.
    private static let patience: Int64 = 2_000
    /// The calls of a client that are answered before others get their turn.
    private static let turn = 8
    /// The milliseconds without a client after which a service that systemd starts again exits.
    private static let idleness: Int64 = 120_000
    /// How long to let those wait who come when no more descriptors are to be had, in milliseconds.
    private static let shortage: Int64 = 50
    /// The length of the queue: Linux's own limit (net.core.somaxconn). Further clients are refused.
    private static let queue: CInt = 4096

    private let listener: Descriptor
    private let watchdog: Int64
    private var clients: [Client] = []
    private var settings = CurrentSettings()
    private let newcomers = Newcomers()
    private var store: AccountStore?
    private var lastVisit = Instant.now
    /// One line a minute of each kind: one kind must not keep the other out of the log.
    private var records = Complaints()
    private var nameLimits = Complaints()
    private var crowding = Complaints()
    private var nextSign = Instant.now
    private var shortageEnds: Instant?

    /// Uses systemd's socket, or one of its own.
    init() throws(ErrorNumber) {
        var isInherited: CInt = 0
        listener = try Descriptor(
            opened: unsafe linux_service_socket(
                Self.path.terminated, CInt(LINUX_SOCKET_STREAM), Self.queue, &isInherited))
        watchdog = linux_service_watchdog()
        store = try? AccountStore()
    }

    /// Serves until there has been no client for long, if systemd starts another service then.
    mutating func run() {
        settings.update(complaining: { line in log(.error, line) })
        unsafe linux_service_notify("READY=1")
        while true {
            let now = Instant.now
            sign(at: now)
            for client in clients where now >= client.deadline {
                client.isOver = true
            }
            clients = clients.filter { client in !client.isOver }
            if let end = shortageEnds, now >= end {
                shortageEnds = nil
            }
            if watchdog > 0, clients.isEmpty, now.milliseconds - lastVisit.milliseconds >= Self.idleness {
                return
            }
            wait(from: now)
        }
    }

    /// Tells systemd that this goes on.
    private mutating func sign(at now: Instant) {
        guard watchdog > 0, now >= nextSign else {
            return
        }
        unsafe linux_service_notify("WATCHDOG=1")
        nextSign = Instant(milliseconds: now.milliseconds + max(1, watchdog / 3))
    }

    private mutating func wait(from now: Instant) {
        var watched = [
            linux_poll(descriptor: shortageEnds == nil ? listener.number : -1, wanted: Int16(LINUX_POLL_IN), found: 0)
        ]
        var next = Instant(milliseconds: now.milliseconds + (watchdog > 0 ? watchdog / 3 : 3_600_000))
        next = min(next, shortageEnds ?? next)
        for client in clients {
            watched.append(linux_poll(descriptor: client.number, wanted: client.wanted, found: 0))
            next = min(next, client.deadline)
        }
        let isBusy = clients.contains { client in client.isBusy }
        let left = isBusy ? 0 : max(0, next.milliseconds - now.milliseconds)
        linux_service_hurry(0)
        _ = unsafe linux_poll(&watched, watched.count, CInt(clamping: left))
        linux_service_hurry(1)
        for (client, found) in zip(clients, watched.dropFirst()) where found.found != 0 || client.isBusy {
            lookAfter(client)
        }
        if let found = watched.first, found.found != 0 {
            letIn()
        }
    }

    // MARK: Coming

    /// Accepts all waiting clients before it serves any, so that the queue has room for others during a flood. It
    /// accepts at most as many as the queue can hold.
    private mutating func letIn() {
        lastVisit = Instant.now
        clients = clients.filter { client in !client.isOver }
        var payers = Payers()
        for _ in 0...Self.queue {
            let now = Instant.now
            sign(at: now)
            var (userID, processID): (UInt32, CInt) = (0, 0)
            let number = unsafe linux_service_accept(listener.number, &userID, &processID)
            guard let connection = Descriptor(owning: number) else {
                let error = ErrorNumber(-number)
                if error != .resourceTemporarilyUnavailable, error != .interrupted {
                    // It would be ready all the time.
                    shortageEnds = Instant(milliseconds: now.milliseconds + Self.shortage)
                }
                return
            }
            // A client without quota is closed immediately: to try again is better than to wait.
            let payer = payers.payer(userID, processID) { self.payer(userID, processID) }
            let (own, all) = occupied(by: payer)
            guard payer == .root ? own < Client.mostOfRoot : 4 * own < Client.most - all else {
                crowding.tell(
                    """
                    too many connections from \(payer.words) (currently \(own)), so a new connection was closed \
                    without a reply. In total, users other than root have \(all) of \(Client.most) possible \
                    connections open. Check the programs of the user with the most connections
                    """, at: now)
                continue
            }
            clients.append(
                Client(
                    connection, userID, processID, payer,
                    until: Instant(milliseconds: now.milliseconds + Self.patience)))
        }
    }

    /// Returns how many connections the payer has, and how many all but root have. Root has a quota of its own; the
    /// others share theirs, and each can have a quarter of the free rest.
    private func occupied(by payer: Payer) -> (own: Int, all: Int) {
        (
            clients.count { client in client.payer == payer },
            clients.count { client in client.payer != .root }
        )
    }

    private func payer(_ userID: UInt32, _ processID: CInt) -> Payer {
        // The user who started su or sudo can stop it while it waits for an answer.
        let real = userID == 0 ? (try? ProcessStatus(of: processID))?.numbers("Uid").first : nil
        let owner = real ?? userID
        return owner == 0 || hasAccount(owner) ? .account(owner) : .block(owner >> 16)
    }

    /// Whether a user id belongs to an account, of this machine or of the pool.
    private func hasAccount(_ userID: UInt32) -> Bool {
        let local = settings.rules?.local ?? LocalNames()
        if (try? local.hasUser(userID)) ?? true {
            return true
        }
        switch store {
        case .some(let store): return (try? store.record(uid: userID)) ?? nil != nil
        case .none: return false
        }
    }

    // MARK: Serving

    private mutating func lookAfter(_ client: Client) {
        let now = Instant.now
        // Many may have called at the same time, and each answer may take a while, as where /etc/group is long.
        sign(at: now)
        guard client.send() else {
            return
        }
        guard client.isAnswered else {
            advance(client, at: now)
            return
        }
        // One that calls as fast as it is answered leaves the others their turns, and systemd a sign.
        for _ in 0..<Self.turn {
            guard !client.isOver, client.isAnswered, let message = client.receive() else {
                return
            }
            let now = Instant.now
            sign(at: now)
            settings.update(complaining: { line in log(.error, line) })
            if store == nil {
                store = try? AccountStore()
            }
            begin(client, message, at: now)
            advance(client, at: now)
        }
    }

    private mutating func begin(_ client: Client, _ message: [UInt8], at now: Instant) {
        do throws(UserDatabaseError) {
            let call = try UserDatabaseCall(reading: message)
            let (newcomers, settings) = (newcomers, settings)
            client.answer = UserDatabaseAnswer(to: call, of: client.userID, in: store, by: settings.rules) {
                name, store in
                newcomers.account(named: name, for: client, in: store, settings)
            }
        } catch {
            client.answer = UserDatabaseAnswer(error)
        }
        if let line = newcomers.takeComplaint() {
            nameLimits.tell(line, at: now)
        }
    }

    /// Sends what can be sent now.
    private mutating func advance(_ client: Client, at now: Instant) {
        guard let answer = client.answer, !client.isOver else {
            return
        }
        switch answer.next(in: store) {
        case .reply(let bytes):
            client.deadline = Instant(milliseconds: now.milliseconds + Self.patience)
            client.output = bytes
            _ = client.send()
        case .later: break
        case .end: client.endAnswer()
        }
        if let line = answer.complaint {
            records.tell(line, at: now)
        }
    }
}

/// The payers of the connections that wait at one moment. During a flood, which must be closed as fast as it arrives,
/// each is looked up once.
private struct Payers {
    private static let most = 256
    private var known: [(userID: UInt32, processID: CInt, payer: Payer)] = []

    mutating func payer(_ userID: UInt32, _ processID: CInt, lookingUp lookUp: () -> Payer) -> Payer {
        // Each of root's processes has its own.
        let processID = userID == 0 ? processID : 0
        if let one = known.first(where: { one in one.userID == userID && one.processID == processID }) {
            return one.payer
        }
        if known.count == Self.most {
            known.removeAll(keepingCapacity: true)
        }
        let payer = lookUp()
        known.append((userID, processID, payer))
        return payer
    }
}

extension Payer {
    static var root: Payer { .account(0) }

    /// The payer's name for the log.
    var words: ByteText {
        switch self {
        case .account(let userID): "the user id \(userID)"
        case .block(let block): "user ids without an account (from \(block << 16))"
        }
    }
}

/// One line a minute says as much as a thousand.
private struct Complaints {
    private static let pause: Int64 = 60_000
    private var last: Instant?

    /// A line that is not written is not made either: a flood must be let go faster than it comes.
    mutating func tell(_ line: @autoclosure () -> ByteText, at now: Instant) {
        if let last, now.milliseconds - last.milliseconds < Self.pause {
            return
        }
        last = now
        log(.notice, line())
    }
}
