import Base
import Keyring
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
    private weak var machine: FakeMachine?
    /// What it has written into the log.
    private(set) var lines: [String] = []

    /// - Parameters:
    ///   - script: The packets that it sends, one each time the module listens; then it is gone.
    ///   - deafAfter: From this packet on, it takes nothing.
    init(_ script: [[UInt8]], deafAfter: Int = .max) {
        self.script = script
        self.deafAfter = deafAfter
    }

    /// One that answers set-uid programs of `machine` what they ask about a session.
    init(checkingSessionsOf machine: FakeMachine) {
        script = []
        deafAfter = .max
        self.machine = machine
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
        if let machine, let packet = secret(received.last ?? []), let request = try? Frame(decoding: packet),
            request.kind == .openingRequest, let number = request.number(.key)
        {
            machine.waits(for: "the agent")
            return machine.asRootsProcess { answer(about: KeySerial(Int32(number)), on: machine) }
        }
        guard !script.isEmpty, let packet = secret(script.removeFirst()) else {
            return nil
        }
        return try? Frame(decoding: packet)
    }

    private func answer(about number: KeySerial, on machine: FakeMachine) -> Frame? {
        guard let key = machine.entry(at: number) else {
            return nil
        }
        let checked = SessionCheck(machine: machine).checkForOpening(key) { note in
            lines.append("renewed")
            if let note {
                lines.append(text(note.line.bytes))
            }
        }
        if case .good(let tokens) = checked, let note = tokens.note {
            lines.append(text(note.line.bytes))
        }
        switch checked.openingAnswer {
        case .some(let answer): return try? answer.finish()
        case .none: return nil
        }
    }
}
