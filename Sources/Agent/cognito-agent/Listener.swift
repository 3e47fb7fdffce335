import Agent
import Base
import CLinux
import Glibc
import Messages
import Protocol
import Sessions

/// Starts a process for each client of the socket: a limited number, counted for each user.
///
/// It reads nothing of a request except whether it is only a notification, and it waits for no client. A client that is
/// not served is disconnected immediately, so that the queue stays short.
struct Listener: ~Copyable {
    /// How long a client may take to say what it wants, in milliseconds.
    private static let silence: Int64 = 3_000
    /// How long a request may take, in milliseconds: longer than a user has for the answers of a sign-in.
    private static let service: Int64 = 1_200_000
    /// After how many milliseconds without a client a listener ends that systemd starts again.
    private static let idleness: Int64 = 10_000
    /// How long to let those wait who come when no more descriptors are to be had, in milliseconds.
    private static let shortage: Int64 = 100
    /// How many are let in before those are looked after who are in already.
    private static let mostAtOnce = 64
    private static let mostReaders = 8
    /// Short: a new client waits until those in it are admitted or refused. When it is full, clients sleep in
    /// connect(2). pam-cognito-agent.socket has the same.
    private static let queue: CInt = 64

    /// Where it listens; nil at a socket of systemd's.
    private let path: String?
    private let listener: Descriptor
    private let termination: Descriptor
    private let busy: ReadyAnswer
    private let notPermitted: ReadyAnswer
    private let complete: ReadyAnswer
    private var places = ConnectionQuota()
    private var accounts = AccountMemory()
    private var visitors: [Visitor] = []
    private var readers: [AccountReader] = []
    /// Nil if there was no sign-in lately.
    private var watcher: Watcher?
    /// Nil if no session was handed over lately.
    private var endings: EndingProcesses?
    private var lastVisit = Instant.now
    private var shortageEnds: Instant?

    /// A connection.
    private final class Visitor {
        enum ConnectionState {
            /// Whose it is has to be found out.
            case unknown
            /// It has not said what it wants.
            case silent
            case served(SharedDescriptor)
            case gone
        }

        let userID: UInt32
        /// The same, but of a set-uid program who has started it.
        let starter: UInt32
        /// Who has a place taken for it.
        var owner: QuotaOwner
        var state: ConnectionState
        var deadline: Instant
        /// nil when it is a process's.
        var connection: SharedDescriptor?

        init(
            _ connection: SharedDescriptor, _ userID: UInt32, _ starter: UInt32, _ owner: QuotaOwner,
            _ state: ConnectionState, until: Instant
        ) {
            self.starter = starter
            self.connection = connection
            self.userID = userID
            self.owner = owner
            self.state = state
            deadline = until
        }

        /// What there is to wait for.
        var watched: CInt? {
            switch state {
            case .unknown, .gone: nil
            case .silent: connection?.descriptor.number
            case .served(let process): process.descriptor.number
            }
        }
    }

    /// At the socket that systemd has bound, or else at one of its own.
    init(path: String) throws(ErrorNumber) {
        let language = LinuxMachine().language ?? .english
        guard let busy = ReadyAnswer(.busy, AgentWording.busy, language),
            let notPermitted = ReadyAnswer(.notPermitted, AgentWording.noAccount, language),
            let complete = ReadyAnswer(FrameWriter(.complete))
        else {
            throw .noMemory
        }
        let waiting = try Descriptor(opened: linux_termination_descriptor())
        var isInherited: CInt = 0
        let bound = try Descriptor(
            opened: unsafe linux_service_socket(path, CInt(LINUX_SOCKET_PACKETS), Self.queue, &isInherited))
        if isInherited == 0 {
            // Busy processors must not delay it. A failure is not a fault, since systemd does the same by a weight. The
            // programs that it starts have the usual priority.
            _ = setpriority(CInt(PRIO_PROCESS.rawValue), 0, -10)
        }
        self.path = isInherited == 0 ? path : nil
        listener = bound
        self.termination = waiting
        self.busy = busy
        self.notPermitted = notPermitted
        self.complete = complete
    }

    /// Serves until it is stopped, or, at a socket of systemd, until it is idle. Requests in progress are served to the
    /// end.
    mutating func run() {
        while true {
            let now = Instant.now
            endWhatIsLate(at: now)
            searchAccounts(at: now)
            endings?.look(at: now)
            visitors = visitors.filter { visitor in
                if case .gone = visitor.state { false } else { true }
            }
            if let idleEnd, now >= idleEnd {
                break
            }
            guard wait(from: now) else {
                break
            }
        }
        endings?.finish()
        if let path {
            unsafe linux_remove_socket(path)
        }
    }

    // MARK: Waiting

    /// When to end as idle; nil while there are connections, a watcher or sessions to be ended.
    private var idleEnd: Instant? {
        // Another listener would start another watcher.
        guard path == nil, visitors.isEmpty, watcher == nil, endings?.isIdle ?? true else {
            return nil
        }
        // Not before all users have their full limits again, since the counts are forgotten then.
        return max(Instant(milliseconds: lastVisit.milliseconds + Self.idleness), places.completion)
    }

    /// Waits for whatever comes first, and does what it asks for; false when this is to end.
    private mutating func wait(from now: Instant) -> Bool {
        let listens = shortageEnds == nil
        let watching = visitors.filter { visitor in visitor.watched != nil }
        let searching = readers
        let ending = endings?.descriptors ?? []
        let watched =
            [termination.number, listens ? listener.number : -1, watcher?.descriptor ?? -1] + ending
            + searching.map(\.descriptor) + watching.compactMap(\.watched)
        let left = nextMoment().map { moment in max(0, moment.milliseconds - now.milliseconds) } ?? -1
        linux_service_hurry(0)
        let found = try? cognito_agent.wait(for: watched, timeout: CInt(clamping: left))
        linux_service_hurry(1)
        guard let ready = found, !ready[0] else {
            return false
        }
        if ready[2] {
            // It says nothing: it has ended.
            watcher = nil
        }
        endings?.learn(ready.dropFirst(3).prefix(ending.count), at: .now)
        let isReady = ready.dropFirst(3 + ending.count)
        for (reader, isReady) in zip(searching, isReady) where isReady {
            learn(from: reader)
        }
        for (visitor, isReady) in zip(watching, isReady.dropFirst(searching.count)) where isReady {
            lookAfter(visitor)
        }
        if ready[1] {
            letIn()
        }
        return true
    }

    /// When something is late, or over, unless something happens before; nil: never.
    private func nextMoment() -> Instant? {
        var moments = visitors.map(\.deadline) + readers.compactMap { reader in reader.search?.deadline }
        if let shortageEnds {
            moments.append(shortageEnds)
        }
        if let idleEnd {
            moments.append(idleEnd)
        }
        if let look = endings?.nextLook {
            moments.append(look)
        }
        return moments.min()
    }

    private mutating func endWhatIsLate(at now: Instant) {
        if let end = shortageEnds, now >= end {
            shortageEnds = nil
        }
        for visitor in visitors where now >= visitor.deadline {
            if case .served(let process) = visitor.state {
                linux_kill(process.descriptor.number, 0)
                // Its place is free when it has ended.
                visitor.deadline = Instant(milliseconds: now.milliseconds + Self.service)
            } else {
                dismiss(visitor)
            }
        }
    }

    // MARK: Coming

    private mutating func letIn() {
        let now = Instant.now
        lastVisit = now
        for _ in 0..<Self.mostAtOnce {
            let number = accept(listener.number, nil, nil)
            let error = errno
            guard let connection = SharedDescriptor(owning: number) else {
                if ![EAGAIN, ECONNABORTED, EINTR].contains(error) {
                    // It would be ready all the time.
                    shortageEnds = Instant(milliseconds: now.milliseconds + Self.shortage)
                }
                return
            }
            _ = fcntl(number, F_SETFD, FD_CLOEXEC)
            letIn(connection, at: now)
        }
    }

    private mutating func letIn(_ connection: SharedDescriptor, at now: Instant) {
        guard let (process, userID) = PacketSocket(connection.descriptor.number).peer else {
            return
        }
        // Many users may sign in at the same time, and no process serves these messages.
        if userID == 0, passOn(connection.descriptor.number, at: now) {
            return
        }
        let isAccount = userID == 0 ? true : accounts.isAccount(userID, at: now)
        guard isAccount != false else {
            refuseNobody(connection, userID, at: now)
            return
        }
        let starter = userID == 0 ? Self.starter(of: process) : userID
        let owner: QuotaOwner =
            starter == 0 ? .root : isAccount == true ? .account(starter) : .block(of: userID)
        guard places.take(for: owner) else {
            // Closed without a word: the client tries again.
            note("too many connections at the same time", owner, userID, at: now)
            return
        }
        visitors.append(
            Visitor(
                connection, userID, starter, owner, isAccount == true ? .silent : .unknown,
                until: Instant(milliseconds: now.milliseconds + Self.silence)))
    }

    /// Who has started a program that runs as root: su and sudo take no place of root's, which their callers could
    /// fill.
    private static func starter(of process: Int32) -> UInt32 {
        // Of another pid namespace nothing can be told.
        process > 0 ? (try? ProcessStatus(of: process))?.numbers("Uid").first ?? nobodysUserID : 0
    }

    private mutating func refuseNobody(_ connection: SharedDescriptor, _ userID: UInt32, at now: Instant) {
        notPermitted.send(to: connection.descriptor.number)
        if places.deservesLine(.block(of: userID), at: now) {
            log(
                .notice,
                .event(
                    .requestRefused, ["uid": "\(userID)"], reason: "not_permitted",
                    text: "the user id does not belong to an account")
            )
        }
    }

    private mutating func dismiss(_ visitor: Visitor) {
        places.leave(visitor.owner)
        visitor.connection = nil
        visitor.state = .gone
    }

    private mutating func note(_ what: StaticString, _ owner: QuotaOwner, _ userID: UInt32, at now: Instant) {
        if places.deservesLine(owner, at: now) {
            log(.notice, .event(.requestRefused, ["uid": "\(userID)"], reason: "busy", text: "\(what)"))
        }
    }

    // MARK: Whose connection it is

    /// Has it found out whose the connections are; of each block of user ids one at a time, so that those of one do not
    /// keep the others waiting.
    private mutating func searchAccounts(at now: Instant) {
        readers = readers.filter { reader in reader.search.map { search in now < search.deadline } ?? true }
        for visitor in visitors {
            guard case .unknown = visitor.state, !isSearching(visitor.owner) else {
                continue
            }
            guard let reader = readers.first(where: { reader in reader.search == nil }) ?? newReader() else {
                break
            }
            if !reader.look(for: visitor.userID, at: now) {
                readers = readers.filter { other in other !== reader }
            }
        }
        // A reader that has nothing to look for ends.
        readers = readers.filter { reader in reader.search != nil }
    }

    private func isSearching(_ owner: QuotaOwner) -> Bool {
        readers.contains { reader in
            reader.search.map { search in QuotaOwner.block(of: search.userID) == owner } ?? false
        }
    }

    private mutating func newReader() -> AccountReader? {
        guard readers.count < Self.mostReaders, let reader = AccountReader() else {
            return nil
        }
        readers.append(reader)
        return reader
    }

    private mutating func learn(from reader: AccountReader) {
        guard let userID = reader.search?.userID else {
            return
        }
        let now = Instant.now
        guard let isAccount = reader.finding() else {
            readers = readers.filter { other in other !== reader }
            for visitor in visitors where visitor.userID == userID {
                if case .unknown = visitor.state {
                    dismiss(visitor)
                }
            }
            return
        }
        accounts.learn(userID, isAccount: isAccount, at: now)
        for visitor in visitors where visitor.userID == userID {
            guard case .unknown = visitor.state, let connection = visitor.connection else {
                continue
            }
            guard isAccount else {
                refuseNobody(connection, userID, at: now)
                dismiss(visitor)
                continue
            }
            guard charge(visitor, to: .account(userID), at: now) else {
                continue
            }
            visitor.state = .silent
            visitor.deadline = Instant(milliseconds: now.milliseconds + Self.silence)
        }
    }

    /// Gives a connection a place among those of `owner`; false: there is none, and it is let go.
    private mutating func charge(_ visitor: Visitor, to owner: QuotaOwner, at now: Instant) -> Bool {
        places.leave(visitor.owner)
        visitor.owner = owner
        guard places.take(for: owner) else {
            visitor.connection = nil
            visitor.state = .gone
            note("too many connections at the same time", owner, visitor.userID, at: now)
            return false
        }
        return true
    }

    // MARK: Serving

    private mutating func lookAfter(_ visitor: Visitor) {
        switch visitor.state {
        case .silent: serve(visitor)
        case .served: dismiss(visitor)
        case .unknown, .gone: break
        }
    }

    private mutating func serve(_ visitor: Visitor) {
        let now = Instant.now
        var beginning: [UInt8] = [0, 0]
        guard let connection = visitor.connection?.descriptor.number,
            peek(connection, &beginning)
        else {
            // It has gone again.
            dismiss(visitor)
            return
        }
        if visitor.userID == 0, passOn(connection, at: now) {
            dismiss(visitor)
            return
        }
        let kind = beginning.last.flatMap { code in MessageKind(rawValue: code) }
        if visitor.owner == .root, kind == .unlockRequest, !charge(visitor, to: .polkit, at: now) {
            return
        }
        guard places.takeTurn(of: visitor.starter, for: kind, at: now) else {
            busy.send(to: connection)
            note("too many connections", visitor.owner, visitor.userID, at: now)
            dismiss(visitor)
            return
        }
        let started = unsafe linux_start_agent(connection, "serve", nil)
        visitor.connection = nil
        let fault = StartFault(stage: started.stage, error: started.error)
        guard fault == nil, let process = SharedDescriptor(owning: started.pidfd) else {
            dismiss(visitor)
            let why = (fault ?? StartFault(.makingDescriptors, .tooManyOpenFiles)).words
            log(.error, "a request cannot be handled, because a cognito-agent process cannot be started: \(why)")
            return
        }
        visitor.state = .served(process)
        visitor.deadline = Instant(milliseconds: now.milliseconds + Self.service)
    }

    /// Gives the watcher, or the processes that end sessions, what root's connection is only to tell them, as it came;
    /// false: it is for something else, or nothing has come.
    private mutating func passOn(_ connection: CInt, at now: Instant) -> Bool {
        var beginning: [UInt8] = [0, 0]
        guard peek(connection, &beginning), let kind = MessageKind(rawValue: beginning[1]),
            kind == .watchRequest || kind == .endingRequest
        else {
            return false
        }
        var packet = [UInt8](repeating: 0, count: max(Watcher.longestMessage, EndingProcesses.longestMessage))
        let length = unsafe packet.withUnsafeMutableBytes { bytes in
            unsafe linux_receive(connection, bytes.baseAddress, bytes.count, 0)
        }
        guard length > 0 else {
            return true
        }
        let message = packet.prefix(Int(length))
        if kind == .watchRequest {
            watch(message, at: now)
        } else {
            endings = endings ?? EndingProcesses()
            let answer = endings?.take(message, at: now) == true ? complete : busy
            answer.send(to: connection)
        }
        return true
    }

    private mutating func watch(_ message: ArraySlice<UInt8>, at now: Instant) {
        if watcher?.tell(message) != true {
            // There was none, or it has just ended.
            watcher = Watcher()
            if watcher?.tell(message) != true {
                note("the cognito-agent process that monitors new sign-ins cannot be started", .root, 0, at: now)
            }
        }
    }
}

/// An answer to whatever may have been asked for, ready to be sent.
private final class ReadyAnswer {
    private let frame: Frame

    init?(_ answer: consuming FrameWriter) {
        guard let frame = try? answer.finish() else {
            return nil
        }
        self.frame = frame
    }

    convenience init?(_ refusal: AgentRefusal, _ text: Phrase, _ language: Language) {
        var writer = FrameWriter(.refused)
        writer.add(.refusal, refusal)
        writer.add(.text, text.said(in: language))
        self.init(writer)
    }

    /// Sends it, unless the other side does not take it now.
    func send(to connection: CInt) {
        try? PacketSocket(connection).send(frame, timeout: 0)
    }
}
