import Base
import LoginHooks
import Protocol
import Sessions

/// An agent that follows a script.
final class FakeAgent: AgentConnection {
    /// The packets that it received.
    private(set) var received: [[UInt8]] = []
    /// How long it was waited for, each time, in milliseconds.
    private(set) var limits: [Int64] = []
    private var script: [[UInt8]]
    private let deafAfter: Int

    /// - Parameters:
    ///   - script: The packets that it sends, one each time the module listens; then it is gone.
    ///   - deafAfter: From this packet on, it takes nothing.
    init(_ script: [[UInt8]], deafAfter: Int = .max) {
        self.script = script
        self.deafAfter = deafAfter
    }

    func send(_ frame: borrowing Frame) -> Bool {
        guard received.count < deafAfter else {
            return false
        }
        received.append(frame.withPacket { packet in packet.copied() })
        return true
    }

    func receive(within milliseconds: Int64) -> Frame? {
        limits.append(milliseconds)
        guard !script.isEmpty, let packet = secret(script.removeFirst()) else {
            return nil
        }
        return try? Frame(decoding: packet)
    }
}
