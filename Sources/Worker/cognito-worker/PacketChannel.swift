internal import Base
internal import Glibc
internal import Protocol
internal import Steps

/// The packet socket on standard input: one packet is one message.
final class PacketChannel: RootChannel {
    /// Milliseconds until the root side must have taken a message.
    private static let sendTimeLimit: CInt = 5_000
    private let socket = PacketSocket(STDIN_FILENO)

    func receive(timeLimit: Int64?) -> Received {
        // A person may take a night. The alarm that this process was started with is for what hangs.
        let rest = timeLimit == nil ? alarm(0) : nil
        defer {
            if let rest {
                alarm(rest)
            }
        }
        while true {
            do throws(FrameReceiveFault) {
                return .frame(try socket.receiveFrame(timeout: timeLimit ?? .max))
            } catch .socket(.timedOut) {
                guard timeLimit == nil else {
                    return .nothing
                }
            } catch {
                return .closed
            }
        }
    }

    func stopReceiving() {
        shutdown(STDIN_FILENO, CInt(SHUT_RD))
    }

    func send(_ frame: borrowing Frame) -> Bool {
        (try? socket.send(frame, timeout: Self.sendTimeLimit)) != nil
    }
}
