import Base
import CLinux
import Glibc

/// A process that asks the name service which user ids belong to accounts, so that the listener does not wait for that
/// service. It looks up one at a time.
final class AccountReader {
    /// How long the name service may take, in milliseconds.
    private static let timeLimit: Int64 = 2000

    private enum AccountAnswer: UInt8 {
        case nobody = 0
        case account = 1
        case unknown = 2
    }

    private let channel: Descriptor
    private let process: Descriptor
    /// Whom it is looking for, and until when.
    private(set) var search: (userID: UInt32, deadline: Instant)?

    init?() {
        let started = unsafe linux_start_agent(CInt(LINUX_SOCKET_INPUT), "accounts", nil)
        guard let channel = Descriptor(owning: started.socket), let process = Descriptor(owning: started.pidfd) else {
            return nil
        }
        self.channel = channel
        self.process = process
    }

    deinit {
        // Without a search it ends by itself; with one, who knows when.
        if search != nil {
            linux_kill(process.number, 0)
        }
    }

    /// Can be read when it has found out, or has ended.
    var descriptor: CInt { channel.number }

    /// Has it look for `userID`; whether it does.
    func look(for userID: UInt32, at now: Instant) -> Bool {
        search = (userID, Instant(milliseconds: now.milliseconds + Self.timeLimit))
        var asked = userID
        return unsafe linux_send(channel.number, &asked, MemoryLayout<UInt32>.size, 0) == 0
    }

    /// What it has found out: whether that is an account's; nil when it could not.
    func finding() -> Bool? {
        var code = AccountAnswer.unknown.rawValue
        guard unsafe linux_receive(channel.number, &code, 1, 0) == 1 else {
            // It has ended, or lost its way.
            return nil
        }
        search = nil
        switch AccountAnswer(rawValue: code) {
        case .account?: return true
        case .nobody?: return false
        case .unknown?, nil: return nil
        }
    }

    /// What such a process does: it answers the one behind standard input until that is gone. The result is the exit
    /// status.
    static func serve() -> CInt {
        guard PacketSocket.isOne(STDIN_FILENO) else {
            return EX_USAGE
        }
        var userID: UInt32 = 0
        while unsafe linux_receive(STDIN_FILENO, &userID, MemoryLayout<UInt32>.size, .max)
            == MemoryLayout<UInt32>.size
        {
            var answer = AccountAnswer.unknown.rawValue
            do throws(ErrorNumber) {
                answer = (try accountName(userID) == nil ? AccountAnswer.nobody : .account).rawValue
            } catch {
                // It stays unknown.
            }
            guard unsafe linux_send(STDIN_FILENO, &answer, 1, 2000) == 0 else {
                return EX_IOERR
            }
        }
        return EX_OK
    }
}
