internal import Base
internal import CLinux
internal import Glibc
internal import Protocol
internal import Steps

/// The packet socket on standard input: one packet is one message.
final class PacketChannel: RootChannel {
    /// Milliseconds until the root side must have taken a message.
    private static let sendTimeLimit: CInt = 5_000
    private static let descriptor: CInt = 0

    func receive(timeLimit: Int64?) -> Received {
        var length: Int64 = 0
        let packet = unsafe Secret(capacity: Frame.largestSize) { memory, capacity in
            repeat {
                let wait = CInt(clamping: timeLimit ?? Int64(CInt.max))
                length = unsafe linux_receive(Self.descriptor, memory, capacity, wait)
            } while timeLimit == nil && length == Int64(-ETIMEDOUT)
            return Int(max(length, 0))
        }
        if length == Int64(-ETIMEDOUT) {
            return .nothing
        }
        guard length > 0, let packet, let frame = try? Frame(decoding: packet) else {
            return .closed
        }
        return .frame(frame)
    }

    func send(_ frame: borrowing Frame) -> Bool {
        let result = frame.withPacket { bytes in
            unsafe bytes.withUnsafeBytes { buffer in
                unsafe linux_send(Self.descriptor, buffer.baseAddress, buffer.count, Self.sendTimeLimit)
            }
        }
        return result == 0
    }
}
