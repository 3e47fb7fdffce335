import Base
import CLinux
import UserDatabase

/// The owner of the quota that a connection counts against.
enum Payer: Equatable {
    case account(UInt32)
    /// User ids without an account here that have all but their low 16 bits in common, as subordinate ids (subuid(5))
    /// of one user mostly do. They share the quota of one account.
    case block(UInt32)
}

/// A connection.
final class Client {
    /// How many there are at once, of all but root; and of root.
    static let most = 96
    static let mostOfRoot = 32
    /// The longest call: nss-systemd's have 150 bytes.
    private static let longestMessage = 4096

    let userID: UInt32
    let processID: CInt
    let payer: Payer
    var deadline: Instant
    var isOver = false
    var answer: UserDatabaseAnswer?
    /// The output that the client has not read yet.
    var output: [UInt8] = []
    private let connection: Descriptor
    private var input: [UInt8] = []

    init(
        _ connection: consuming Descriptor, _ userID: UInt32, _ processID: CInt, _ payer: Payer, until deadline: Instant
    ) {
        self.connection = connection
        self.userID = userID
        self.processID = processID
        self.payer = payer
        self.deadline = deadline
    }

    var number: CInt { connection.number }
    /// Whether the next call may come.
    var isAnswered: Bool { answer == nil && output.isEmpty }
    /// Whether there is something to do that nothing has to be waited for.
    var isBusy: Bool { !isOver && output.isEmpty && (answer != nil || input.contains(0)) }
    /// The events for poll(2).
    var wanted: Int16 { Int16(output.isEmpty ? LINUX_POLL_IN : LINUX_POLL_OUT) }

    /// Sends what there is; whether all of it is gone.
    func send() -> Bool {
        guard !output.isEmpty else {
            return true
        }
        let sent = unsafe linux_service_send(number, output, output.count)
        if sent < 0, ErrorNumber(-sent) != .resourceTemporarilyUnavailable, ErrorNumber(-sent) != .interrupted {
            isOver = true
        }
        if sent > 0 {
            output.removeFirst(min(Int(sent), output.count))
        }
        return output.isEmpty
    }

    /// The next call; nil: it is not whole yet, or the connection has ended.
    func receive() -> [UInt8]? {
        if let message = takeMessage() {
            return message
        }
        var bytes = [UInt8](repeating: 0, count: Self.longestMessage)
        let got = unsafe linux_service_receive(number, &bytes, bytes.count - input.count)
        guard got > 0 else {
            let error = ErrorNumber(-got)
            isOver = got == 0 || error != .resourceTemporarilyUnavailable && error != .interrupted
            return nil
        }
        input += bytes.prefix(Int(got))
        let message = takeMessage()
        // No call is as long as that.
        isOver = message == nil && input.count >= Self.longestMessage
        return message
    }

    private func takeMessage() -> [UInt8]? {
        guard let end = input.firstIndex(of: 0) else {
            return nil
        }
        let message = Array(input[..<end])
        input.removeFirst(end + 1)
        return message
    }

    /// The call has its answer. One that was none ends the connection.
    func endAnswer() {
        isOver = answer?.endsConnection ?? true
        answer = nil
    }
}
