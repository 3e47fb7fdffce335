import Agent
import Base
import CLinux
import Glibc
import Sessions

/// Seals or unseals what one packet on standard input asks for, with systemd-creds(1), and answers in one packet.
///
/// It is a filter: it opens no file by a name that it was told. What it seals can be unsealed on this machine only, and
/// only under the same name.
struct SealingFilter {
    /// Milliseconds for systemd-creds; below what the other side waits.
    private static let timeLimit: Int32 = 5000

    /// Answers; the result is the exit status.
    func run() -> CInt {
        let socket = PacketSocket(STDIN_FILENO)
        guard PacketSocket.isOne(STDIN_FILENO),
            let packet = try? socket.receive(atMost: SealingRequest.largestSize, timeout: Self.timeLimit),
            let request = SealingRequest(decoding: packet), !request.name.contains(0),
            var answer = Secret(capacity: SealingRequest.largestSize)
        else {
            return EX_USAGE
        }
        let isAnswered: Bool
        let begin = Instant.now.milliseconds
        switch filtered(request) {
        case .some(let content):
            isAnswered =
                answer.append(SealingOutcome.done.rawValue) && content.withBytes { bytes in answer.append(bytes) }
        case .none:
            // What took too long says nothing of what was to be unsealed.
            let isLate = Instant.now.milliseconds - begin >= Int64(Self.timeLimit)
            let outcome: SealingOutcome = request.kind == .seal || isLate ? .unavailable : .refused
            isAnswered = answer.append(outcome.rawValue)
        }
        let isSent = answer.withBytes { bytes in (try? socket.send(bytes, timeout: 2000)) != nil }
        return isAnswered && isSent ? EX_OK : EX_IOERR
    }

    /// The other form of the request's content; nil when systemd-creds does not make it.
    private func filtered(_ request: borrowing SealingRequest) -> Secret? {
        // "auto" is the machine's own key and its TPM, of these what there is; it fails where there is neither.
        let command: [ByteText] = request.kind == .seal ? ["encrypt", "--with-key=auto"] : ["decrypt"]
        let arguments = ["/usr/bin/systemd-creds"] + command + ["--name=\(request.name)", "-", "-"]
        return request.content.withBytes { content in
            unsafe content.withUnsafeBytes { content in
                // A byte less than an answer holds: its first one says what follows.
                unsafe Secret(capacity: SealingRequest.largestSize - 1) { memory, capacity in
                    unsafe Agent.run(
                        arguments, input: content,
                        output: UnsafeMutableRawBufferPointer(start: memory, count: capacity),
                        timeout: Int64(Self.timeLimit)) ?? -1
                }
            }
        }
    }
}
