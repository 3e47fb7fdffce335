import CLinux

/// The content of /proc/PID/stat (proc(5)).
package struct ProcessStat: Equatable, Sendable {
    package let parent: Int32
    /// The leader of its session, setsid(2).
    package let session: Int32
    /// Its controlling terminal, as the kernel numbers it; 0: none.
    package let terminal: UInt32
    /// When it started, in clock ticks since boot.
    package let startTime: UInt64
    /// The same in milliseconds: programs are told a hundred ticks a second on all machines (USER_HZ, time(7)).
    package var startMilliseconds: Int64 { Int64(clamping: startTime) &* 10 }

    /// Reads the present content; ESRCH if the process has just ended.
    package init(of process: Int32) throws(ErrorNumber) {
        try self.init(parsing: try readProcessFile(process, "stat", atMost: 1024))
    }

    package init(parsing line: [UInt8]) throws(ErrorNumber) {
        // The name in parentheses may hold spaces and parentheses: fields are counted from the last one.
        guard let name = line.lastIndex(of: UInt8(ascii: ")")) else {
            throw .noData
        }
        var number = 2
        var state: UInt8 = 0
        var fields: (parent: UInt64, session: UInt64, terminal: UInt64, start: UInt64) = (0, 0, 0, 0)
        var field: UInt64 = 0
        for byte in line[name...] {
            guard byte == UInt8(ascii: " ") else {
                state = number == 3 ? byte : state
                field = field &* 10 &+ UInt64(byte &- UInt8(ascii: "0"))
                continue
            }
            switch number {
            case 4: fields.parent = field
            case 6: fields.session = field
            case 7: fields.terminal = field
            case 22: fields.start = field
            default: break
            }
            number += 1
            field = 0
        }
        guard state != UInt8(ascii: "Z"), state != UInt8(ascii: "X") else {
            throw .noSuchProcess
        }
        guard number > 22 else {
            throw .noData
        }
        parent = Int32(truncatingIfNeeded: fields.parent)
        session = Int32(truncatingIfNeeded: fields.session)
        terminal = UInt32(truncatingIfNeeded: fields.terminal)
        startTime = fields.start
    }
}

/// The content of /proc/PID/status.
package struct ProcessStatus {
    private let text: [UInt8]

    package init(of process: Int32) throws(ErrorNumber) {
        text = try readProcessFile(process, "status", atMost: 4096)
    }

    /// The name of its program, cut to 15 bytes.
    package func isNamed(_ name: StaticString) -> Bool {
        text.starts(with: ("Name:\t" as StaticString).bytes + name.bytes + [0x0a])
    }

    package var name: [UInt8] {
        Array(text.dropFirst(("Name:\t" as StaticString).bytes.count).prefix { byte in byte != 0x0a })
    }

    /// The numbers of a line, as Uid, PPid or NSpid; none where there is no such line.
    package func numbers(_ name: StaticString) -> [UInt32] {
        let start = ("\n\(name):" as ByteText).bytes
        var numbers: [UInt32] = []
        // How many bytes of `start` the last ones were; the line's own follow.
        var matched = 0
        for byte in text {
            if matched < start.count {
                matched = byte == start[matched] ? matched + 1 : byte == start[0] ? 1 : 0
            } else if byte == UInt8(ascii: "\t") || byte == UInt8(ascii: " ") {
                numbers.append(0)
            } else if (48...57).contains(byte), let last = numbers.popLast() {
                numbers.append(last &* 10 &+ UInt32(byte &- UInt8(ascii: "0")))
            } else {
                break
            }
        }
        return numbers
    }
}

/// The beginning of a file of a process's; ENOENT or ESRCH where there is no such process any more.
func readProcessFile(_ process: Int32, _ name: StaticString, atMost limit: Int) throws(ErrorNumber) -> [UInt8] {
    let path: ByteText = "/proc/\(process)/\(name)\0"
    var text = [UInt8](repeating: 0, count: limit)
    let length = unsafe text.withUnsafeMutableBytes { buffer in
        unsafe linux_read_file(path.bytes, buffer.baseAddress, buffer.count)
    }
    text.removeLast(limit - min(limit, Int(try ErrorNumber.check(length))))
    return text
}

/// The arguments that this process was started with, its name first; none where they cannot be read.
package func ownArguments() -> [[UInt8]] {
    let text = (try? readProcessFile(linux_process_id(), "cmdline", atMost: 4096)) ?? []
    return text.split(separator: 0, omittingEmptySubsequences: false).dropLast().map(Array.init)
}

/// The owner of a process; root if only root may look into it.
func processOwner(_ process: Int32) throws(ErrorNumber) -> UInt32 {
    UInt32(truncatingIfNeeded: try ErrorNumber.check(linux_process_owner(process)))
}

/// The ids of the processes that can be seen, in no order.
package func processIDs() throws(ErrorNumber) -> [Int32] {
    var ids = [Int32](repeating: 0, count: 1024)
    while true {
        let count = unsafe ids.withUnsafeMutableBufferPointer { places in
            unsafe linux_process_ids(places.baseAddress, places.count)
        }
        if try ErrorNumber.check(count) <= ids.count {
            ids.removeLast(ids.count - Int(count))
            return ids
        }
        ids = [Int32](repeating: 0, count: Int(count) + 1024)
    }
}

extension ErrorNumber {
    /// Whether it says of one process among all that it is gone by now or hidden from us, rather than that this process
    /// is in want of something.
    package var isAboutProcess: Bool {
        switch self {
        case .noSuchFileOrDirectory, .noSuchProcess, .permissionDenied, .notPermitted: true
        default: false
        }
    }
}
