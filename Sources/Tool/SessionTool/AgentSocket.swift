internal import Base
internal import CLinux
internal import Commands
internal import Messages
internal import Protocol

/// One connection to the agent, which lasts for one request.
final class AgentSocket {
    private let socket: Descriptor
    private var exchange = Exchange(.clientAndAgent)

    private static let sendLimit: CInt = 10_000

    init() throws(AgentFault) {
        guard let socket = PacketSocket.connect(toRootsAt: agentSocketPath) else {
            Trace.note(ToolWording.traceNoAgent)
            throw .absent
        }
        self.socket = socket
        Trace.note(ToolWording.traceConnected)
    }

    /// A connection to an agent of its own, as only root can start one.
    init(startingAgent: ()) throws(AgentFault) {
        let started = unsafe linux_start_agent(CInt(LINUX_SOCKET_INPUT), "serve", nil)
        // Its end is not awaited: it ends with the connection.
        _ = Descriptor(owning: started.pidfd)
        guard let ours = Descriptor(owning: started.socket) else {
            throw .absent
        }
        socket = ours
        Trace.note(ToolWording.traceStarted)
    }

    func send(_ writer: consuming FrameWriter) throws(AgentFault) {
        guard let frame = try? writer.finish() else {
            throw .broken
        }
        Trace.note(ToolWording.traceSent("\(frame.kind)"))
        guard exchange.accept(frame.kind),
            (try? PacketSocket(socket.number).send(frame, timeout: Self.sendLimit)) != nil
        else {
            throw .broken
        }
    }

    /// The next message; a refusal is thrown.
    func receive(within milliseconds: Int64) throws(AgentFault) -> Frame {
        guard let frame = try? PacketSocket(socket.number).receiveFrame(timeout: milliseconds),
            exchange.accept(frame.kind)
        else {
            Trace.note(ToolWording.traceBroken)
            throw .broken
        }
        Trace.note(ToolWording.traceReceived("\(frame.kind)"))
        if frame.kind == .refused {
            guard let refusal = frame.code(.refusal).flatMap(AgentRefusal.init) else {
                throw .broken
            }
            throw .refused(refusal, text: frame.text(.text) ?? "")
        }
        return frame
    }
}

extension Frame {
    /// A field as text for a terminal: without control characters.
    borrowing func text(_ field: Field) -> String? {
        bytes(field).map { bytes in
            String(decoding: bytes.filter { byte in (byte >= 0x20 && byte != 0x7f) || byte == 0x0a }, as: UTF8.self)
        }
    }
}
