import Base
import CLinux
import Glibc
import LinuxHost

/// Seals or unseals what one packet on standard input asks for, with systemd-creds(1), and answers in one packet.
///
/// It is a filter: it opens no file by a name that it was told. What it seals can be unsealed on this machine only, and
/// only under the same name.
struct SealingFilter {
    /// Milliseconds for systemd-creds; below what the other side waits.
    private static let timeLimit: Int32 = 5000

    /// Answers; the result is the exit status.
    func run() -> CInt {
        guard linux_is_packet_socket(STDIN_FILENO) == 1,
            let packet = try? receivePacket(
                from: STDIN_FILENO, atMost: SealingRequest.largestSize, timeout: Self.timeLimit),
            let request = SealingRequest(decoding: packet), !request.name.contains(0),
            var answer = Secret(capacity: SealingRequest.largestSize)
        else {
            return EX_USAGE
        }
        let isAnswered: Bool
        switch filtered(request) {
        case .some(let content):
            isAnswered =
                answer.append(SealingOutcome.done.rawValue) && content.withBytes { bytes in answer.append(bytes) }
        case .none:
            let outcome: SealingOutcome = request.kind == .seal ? .unavailable : .refused
            isAnswered = answer.append(outcome.rawValue)
        }
        let sent = answer.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { bytes in
                unsafe linux_send(STDIN_FILENO, bytes.baseAddress, bytes.count, 2000)
            }
        }
        return isAnswered && sent == 0 ? EX_OK : EX_IOERR
    }

    /// The other form of the request's content; nil when systemd-creds does not make it.
    private func filtered(_ request: borrowing SealingRequest) -> Secret? {
        let unseals: CInt = request.kind == .unseal ? 1 : 0
        let name = String(decoding: request.name, as: UTF8.self)
        return request.content.withBytes { content in
            unsafe content.withUnsafeBytes { content in
                // A byte less than an answer holds: its first one says what follows.
                unsafe Secret(capacity: SealingRequest.largestSize - 1) { memory, capacity in
                    let size = unsafe linux_seal(
                        unseals, name, content.baseAddress, content.count, memory, capacity, Self.timeLimit)
                    return Int(size)
                }
            }
        }
    }
}
