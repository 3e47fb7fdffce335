package import Base

/// Where the agent listens. Compiled in: a path from outside could lead a password astray.
package var agentSocketPath: StaticString { "/run/pam-cognito/agent.sock" }

/// Why there is no frame.
package enum FrameReceiveFault: Error, Equatable {
    /// Nothing came whole.
    case socket(ReceiveFault)
    /// What came is no frame.
    case frame(FrameError)
}

extension PacketSocket {
    /// Sends one frame, which the other side must take within the time.
    package func send(_ frame: borrowing Frame, timeout milliseconds: Int32) throws(ErrorNumber) {
        try frame.withPacket { bytes throws(ErrorNumber) in try send(bytes, timeout: milliseconds) }
    }

    /// Waits for one frame.
    ///
    /// - Parameter largest: More bytes than this are none.
    package func receiveFrame(
        atMost largest: Int = Frame.largestSize, timeout milliseconds: Int64
    ) throws(FrameReceiveFault) -> Frame {
        let packet: Secret
        do throws(ReceiveFault) {
            packet = try receive(atMost: largest, timeout: Int32(clamping: max(0, milliseconds)))
        } catch {
            throw .socket(error)
        }
        do throws(FrameError) {
            return try Frame(decoding: packet)
        } catch {
            throw .frame(error)
        }
    }
}
