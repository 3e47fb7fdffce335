package import Base
package import Configuration
package import Protocol

/// The way to Cognito: the pool and its app client, and what a connection is made to, and through.
package struct NetworkPath: Equatable {
    package var userPoolID: [UInt8]
    package var clientID: [UInt8]
    /// Other addresses than the pool's own, and other certificates than the system's.
    package var endpoint: [UInt8]?
    package var caFile: [UInt8]?
    /// The options that the worker obeys, as `Settings.workerOptions` has them.
    package var options: [UInt8]
    /// Time for one connection, in milliseconds.
    package var connectTimeout = Settings.defaults.connectTimeout
}

extension Settings {
    /// The way to Cognito, as it is set.
    package var path: NetworkPath {
        NetworkPath(
            userPoolID: userPoolID, clientID: clientID, endpoint: endpoint, caFile: caFile, options: workerOptions,
            connectTimeout: connectTimeout)
    }
}

/// The frame that begins a step: where the pool is and how long it may take.
package func stepFrame(
    _ kind: MessageKind, clientSecret: consuming Secret?, by path: NetworkPath, timeLimit: Int64
) -> FrameWriter {
    var frame = FrameWriter(kind)
    frame.add(.userPoolID, path.userPoolID)
    frame.add(.clientID, path.clientID)
    frame.add(.clientSecret, ifPresent: clientSecret)
    frame.add(.endpoint, ifPresent: path.endpoint)
    frame.add(.caFile, ifPresent: path.caFile)
    frame.add(.options, ifPresent: path.options.isEmpty ? nil : path.options)
    frame.add(.timeLimit, timeLimit)
    frame.add(.connectTimeLimit, path.connectTimeout)
    return frame
}

extension Settings {
    /// The same for the pool and the app client that are set.
    package func stepFrame(_ kind: MessageKind, clientSecret: consuming Secret?, timeLimit: Int64? = nil) -> FrameWriter
    {
        Sessions.stepFrame(kind, clientSecret: clientSecret, by: path, timeLimit: timeLimit ?? networkTimeout)
    }
}

extension Machine {
    /// Adds the machine's IAM identity: its keys, or where they are.
    package func addIdentity(to request: inout FrameWriter, _ settings: Settings) throws(Fault) {
        switch try iamCredentials(settings) {
        case .some(let credentials): request.add(.credentials, credentials)
        case .none: request.add(.instanceMetadata, true)
        }
    }
}

extension FrameWriter {
    /// Names the service that a session is, or was, begun by.
    package mutating func addRequester(_ service: [UInt8]) {
        if (1...256).contains(service.count) {
            add(.requestingService, service)
        }
    }
}

/// Finishes a frame of our own making: only its size can be wrong.
package func finished(_ writer: consuming FrameWriter) throws(Fault) -> Frame {
    do throws(FrameError) {
        return try writer.finish()
    } catch {
        let finding = error.finding
        throw Fault("a message to the worker cannot be created: \(finding.what) \(finding.number)")
    }
}

/// The line for the log that a worker's message has, as it may stand there; empty when it has none.
package func logLine(of message: borrowing Frame) -> ByteText {
    ByteText(printable(message.bytes(.logText) ?? []))
}

/// One step with a worker: each message checked against what may come now, one limit for all of its own time.
package struct WorkerStep<Worker: WorkerConnection> {
    private let worker: Worker
    private var exchange = Exchange(.rootSideAndWorker)
    /// What the worker said of the tokens that it used for the step alone; nil: they may live.
    package private(set) var outcome: SignOutOutcome?
    /// Whether the worker itself said that it failed, in words of its own.
    package private(set) var hasFailed = false
    private var timeLeft: Int64

    /// Begins `step`, for which the worker gets `timeLimit` milliseconds of its own.
    package init(_ step: borrowing Frame, to worker: Worker, timeLimit: Int64) throws(Fault) {
        self.worker = worker
        timeLeft = timeLimit
        try send(step)
    }

    /// Sends a message that may be sent now.
    package mutating func send(_ frame: borrowing Frame) throws(Fault) {
        guard exchange.accept(frame.kind) else {
            throw Fault("a message to the worker was out of sequence. This is a bug in pam_cognito; please report it")
        }
        try worker.send(frame)
    }

    /// Ends a worker that is past its time. Other workers, and those that cannot be heard or are faulty, end by
    /// themselves after they have revoked their tokens.
    package func kill() {
        worker.kill()
    }

    /// Leaves the worker no more time than this, in milliseconds: others were waited for meanwhile.
    package mutating func limit(to milliseconds: Int64) {
        timeLeft = min(timeLeft, milliseconds)
    }

    /// Gives the worker this many milliseconds from now.
    mutating func extend(to milliseconds: Int64) {
        timeLeft = milliseconds
    }

    /// The next message. nil: the worker's time is over.
    package mutating func receive(by clock: () -> Instant) throws(Fault) -> Frame? {
        let before = clock()
        let frame = try worker.receive(within: max(0, timeLeft))
        timeLeft -= clock().milliseconds - before.milliseconds
        switch consume frame {
        case .some(let frame):
            guard exchange.accept(frame.kind) else {
                throw Fault(
                    """
                    the worker sent a message out of sequence. Reinstall pam-cognito so that the versions of its \
                    components match
                    """,
                    .installation)
            }
            outcome = frame.code(.outcome, SignOutOutcome.self)
            hasFailed = frame.kind == .failed
            return frame
        case .none:
            return nil
        }
    }
}
