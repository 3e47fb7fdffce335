#if !hasFeature(Embedded)

internal import Glibc

// Functions for programs only, not for PAM applications.

/// All of a file that has no size before it is read, as those of /proc.
package func readFile(_ path: String) throws(ErrorNumber) -> [UInt8] {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
        throw .last
    }
    defer { close(file) }
    return try readRest(file)
}

/// All that can be read from `descriptor`, of 16 MB at most.
package func readRest(_ descriptor: CInt) throws(ErrorNumber) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while bytes.count < 1 << 24 {
        let count = unsafe buffer.withUnsafeMutableBytes { memory in
            unsafe read(descriptor, memory.baseAddress, memory.count)
        }
        if count > 0 {
            bytes += buffer.prefix(count)
        } else if count == 0 {
            break
        } else if errno != EINTR {
            throw .last
        }
    }
    return bytes
}

/// Writes all of `bytes`, whatever interrupts it and however long it has to wait; some may have been written where it
/// fails.
package func writeAll(_ bytes: [UInt8], to descriptor: CInt) throws(ErrorNumber) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let written = unsafe rest.withUnsafeBytes { memory in
            unsafe write(descriptor, memory.baseAddress, memory.count)
        }
        if written > 0 {
            rest = rest.dropFirst(written)
        } else if written == 0 {
            throw .ioError
        } else if errno == EAGAIN {
            // Another process with the same pipe may have made it non-blocking.
            var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard unsafe poll(&room, 1, -1) >= 0 || errno == EINTR else {
                throw .last
            }
        } else if errno != EINTR {
            throw .last
        }
    }
}

/// Sees to it that no file that is opened takes the place of standard input, output or error where this process was
/// started without: what reads or writes there fails as before, and a program that takes this one's place finds it
/// closed.
package func holdStandardDescriptors() throws(ErrorNumber) {
    for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 {
        let null = unsafe open("/dev/null", (number == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC)
        guard null == number else {
            throw null < 0 ? .last : ErrorNumber(EBADF)
        }
    }
}

/// The names in a directory without those that begin with a dot, unordered.
package func names(inFolder folder: String) throws(ErrorNumber) -> [[UInt8]] {
    guard let directory = Descriptor(owning: unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) else {
        throw .last
    }
    return try visibleNames(in: directory)
}

/// The name of the account with that user id; nil when there is none (getpwuid_r(3)).
package func accountName(_ userID: UInt32) throws(ErrorNumber) -> [UInt8]? {
    var entry = unsafe passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 16_384)
    let result = unsafe getpwuid_r(userID, &entry, &buffer, buffer.count, &found)
    guard unsafe found != nil, let name = unsafe entry.pw_name else {
        guard result == 0 || result == ENOENT || result == ESRCH else {
            throw ErrorNumber(result)
        }
        return nil
    }
    return unsafe [UInt8](UnsafeRawBufferPointer(start: name, count: strlen(name)))
}

/// The two ends of a pipe, the one to be read first, close-on-exec.
package func pipeEnds() throws(ErrorNumber) -> (CInt, CInt) {
    var ends: [CInt] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else {
        throw .last
    }
    for end in ends {
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    return (ends[0], ends[1])
}

/// `texts` as C has them, with NULL behind the last, for as long as `body` lasts.
package func withStrings<R>(_ texts: [ByteText], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> R) -> R? {
    var copies: [UnsafeMutablePointer<CChar>?] = unsafe texts.map { text in
        unsafe strdup((text.bytes + [0]).map { byte in CChar(truncatingIfNeeded: byte) })
    }
    unsafe copies.append(nil)
    defer {
        for index in unsafe copies.indices {
            unsafe free(copies[index])
        }
    }
    return unsafe copies.withUnsafeBufferPointer { list in unsafe list.baseAddress.map(body) }
}

#endif
