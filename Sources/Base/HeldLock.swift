import CLinux

/// How long an end waits for another process that has a lock, in milliseconds, before it ends that one.
package var holderPatience: Int32 { 5000 }

/// A lock of pam-cognito that a process holds until it releases it.
///
/// It consists of two. The first one, the turn, is in a file of its own. A PAM application takes it under its name
/// (fcntl(2), F_SETLK), so that others see which process has it: the user who started su or sudo can stop it at any
/// moment. The programs of pam-cognito take it without a name, and are not ended. The second one keeps threads of one
/// PAM application apart. Version 0.1.0 knows only this one.
package final class HeldLock {
    private let place: LockPlace
    private let turn: Descriptor
    /// nil: only a child of a process that was ended has it, or a host of version 0.1.0.
    private var lock: Descriptor?

    fileprivate init(_ place: LockPlace, _ turn: consuming Descriptor, _ lock: consuming Descriptor?) {
        self.place = place
        self.turn = turn
        self.lock = lock
    }

    deinit {
        // The turn is released last: a process that has the turn but not the lock knows that no program of this version
        // holds it.
        lock = nil
        if place.isTurnRemoved {
            _ = unsafe linux_remove_file(place.directory, place.turnFile)
        }
    }
}

package struct LockPlace {
    /// The directory, which is root's.
    fileprivate let directory: String
    private let file: String
    private let byte: UInt64
    fileprivate let turnFile: String
    private let turnByte: UInt64
    /// Whether the file of the turn goes with the lock.
    fileprivate let isTurnRemoved: Bool
    /// The subject of the lock, for the log: fields of a line.
    private let subject: ByteText
}

extension LockPlace {
    /// One byte of a file among many, which are locked at the same time: the turn has a file of its own, since a
    /// process lets go of all that it has under its name in a file when it closes one descriptor of it.
    package init(directory: String, file: String, byte: UInt64, subject: ByteText) {
        self.init(
            directory: directory, file: file, byte: byte,
            turnFile: String(decoding: Self.turnFile(byte), as: UTF8.self), turnByte: 0, isTurnRemoved: true,
            subject: subject)
    }

    private static func turnFile(_ byte: UInt64) -> [UInt8] {
        ("turn-\(byte)" as ByteText).bytes
    }

    /// The byte whose turn has a file of that name; nil: it is no turn's.
    package static func byte(ofTurnFile name: [UInt8]) -> UInt64? {
        UInt64(decimal: name.drop { letter in !letter.isDecimalDigit }, atMost: 20)
            .flatMap { byte in turnFile(byte) == name ? byte : nil }
    }

    /// The only lock of a file, with the turn beside it.
    package init(directory: String, file: String, subject: ByteText) {
        self.init(
            directory: directory, file: file, byte: 0, turnFile: file, turnByte: 1, isTurnRemoved: false,
            subject: subject)
    }

    /// Takes the lock; EAGAIN when another process has it after `milliseconds`.
    ///
    /// - Parameter byName: Whether this is a PAM application.
    package func lock(
        within milliseconds: Int32, byName: Bool = isPAMApplication
    ) throws(ErrorNumber) -> HeldLock {
        let deadline = linux_boottime_ms() + Int64(milliseconds)
        let turn = try takeTurn(within: milliseconds, byName)
        return HeldLock(self, turn, try takeLock(within: Int32(clamping: max(0, deadline - linux_boottime_ms()))))
    }

    /// The same for an end that has waited for `holderPatience`: a PAM application that has it is ended, and so are
    /// some that come between. EAGAIN when one has it that is left alone; nil where only what an ended one has left has
    /// it.
    ///
    /// - Parameter sparing: Whether a process of root's own, which no user can stop, is left alone.
    package func lockEndingHolder(
        sparingRoot sparing: Bool = false, byName: Bool = isPAMApplication
    ) throws(ErrorNumber) -> HeldLock? {
        var left = 16
        while true {
            let end = endHolder(sparingRoot: sparing)
            do throws(ErrorNumber) {
                let turn = try takeTurn(within: end == .ended ? 1000 : 0, byName)
                // Any process of this version that has the lock has the turn, except for threads of this very process.
                return HeldLock(self, turn, try? takeLock(within: 0))
            } catch .resourceTemporarilyUnavailable {
                left -= 1
                switch end {
                case .ended where left > 0: continue
                case .ended, .left: throw .resourceTemporarilyUnavailable
                case .orphaned: return nil
                }
            }
        }
    }

    private func takeTurn(within milliseconds: Int32, _ byName: Bool) throws(ErrorNumber) -> Descriptor {
        let number =
            unsafe byName
            ? linux_lock_byte_by_name(directory, turnFile, turnByte, milliseconds)
            : linux_lock_byte(directory, turnFile, turnByte, milliseconds)
        return try Descriptor(opened: number)
    }

    private func takeLock(within milliseconds: Int32) throws(ErrorNumber) -> Descriptor {
        try Descriptor(opened: unsafe linux_lock_byte(directory, file, byte, milliseconds))
    }

    /// Whether a process has it.
    package var isLocked: Bool {
        var process: Int32 = 0
        return unsafe linux_lock_holder(directory, file, byte, &process) == 1
            || linux_lock_holder(directory, turnFile, turnByte, &process) == 1
    }

    /// The result of ending the process that has the turn under its name.
    private enum HolderEnd {
        /// There was one, and it has been killed.
        case ended
        /// It has ended, and a child of it that has not become its own program yet still has its descriptors: that does
        /// nothing more.
        case orphaned
        /// There is none, or it is left alone.
        case left
    }

    private var holder: Int32? {
        var process: Int32 = 0
        let isHeld = unsafe linux_lock_holder(directory, turnFile, turnByte, &process) == 1
        return isHeld && process > 0 ? process : nil
    }

    /// The process that has the turn under its name, as fields of a line in the log.
    package var holderFields: ByteText? {
        guard let id = holder, let status = try? ProcessStatus(of: id), let user = status.numbers("Uid").first else {
            return nil
        }
        return Self.fields(id, user, status)
    }

    private static func fields(_ id: Int32, _ user: UInt32, _ status: ProcessStatus) -> ByteText {
        "process=\(id) uid=\(user) program=\(quoting: status.name)"
    }

    private func endHolder(sparingRoot sparing: Bool) -> HolderEnd {
        guard let id = holder, id != linux_process_id() else {
            return .left
        }
        let opened = linux_open_process(id)
        guard let process = Descriptor(owning: opened) else {
            return ErrorNumber(-opened) == .noSuchProcess && holder == id ? .orphaned : .left
        }
        // From here on the number is that process's: it may have been another's before. One of a container is not ours
        // to end.
        guard holder == id, let status = try? ProcessStatus(of: id),
            status.numbers("NSpid") == [UInt32(bitPattern: id)],
            let user = status.numbers("Uid").first, !(sparing && user == 0)
        else {
            return .left
        }
        guard linux_send_signal(process.number, killSignal) == 0 else {
            return .left
        }
        _ = linux_wait_gone(process.number, 1000)
        let line: ByteText = """
            program ended; \(subject) \(Self.fields(id, user, status)): the program was killed, because another \
            process had waited \(holderPatience / 1000) seconds for a lock that the program held
            """
        let text = line.bytes.map { byte in CChar(truncatingIfNeeded: byte) } + [0]
        unsafe linux_log_at_once("pam_cognito", warningPriority, text)
        return .ended
    }
}

#if hasFeature(Embedded)
/// Whether this process is a PAM application, which others may stop, and not a program of pam-cognito.
package var isPAMApplication: Bool { true }
#else
/// Whether this process is a PAM application, which others may stop, and not a program of pam-cognito.
package var isPAMApplication: Bool { false }
#endif

private var killSignal: CInt { 9 }
private var warningPriority: CInt { 4 }
