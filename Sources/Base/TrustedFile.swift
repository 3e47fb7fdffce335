import CLinux

/// The reason why a file is not trusted.
package enum FileFault: Error, Equatable, Sendable {
    case missing
    case notRegular
    case wrongOwner
    case writableByOthers
    case readableByOthers
    case tooLarge
    case unreadable(ErrorNumber)
    case outOfMemory
}

/// Reads a whole file that root owns and only root can write.
///
/// - Parameters:
///   - path: Absolute path, bytes, without a NUL.
///   - secret: Whether only root may be able to read it.
///   - limit: The most bytes it may have.
package func readTrustedFile(_ path: [UInt8], secret: Bool, limit: Int) throws(FileFault) -> Secret {
    var modified: Int64 = 0
    return try readTrustedFile(path, secret: secret, limit: limit, modified: &modified)
}

/// Reads the same, and says when the file was last written, in seconds since the epoch.
package func readTrustedFile(
    _ path: [UInt8], secret: Bool, limit: Int, modified: inout Int64
) throws(FileFault) -> Secret {
    guard !path.contains(0) else {
        throw .missing
    }
    var outcome = linux_file()
    let content = unsafe Secret(capacity: limit) { memory, capacity in
        outcome = unsafe linux_read_trusted_file(path + [0], secret ? 1 : 0, memory, capacity)
        return outcome.fault == 0 ? outcome.size : 0
    }
    guard let content else {
        throw .outOfMemory
    }
    if let fault = FileFault(outcome) {
        throw fault
    }
    modified = outcome.modified
    return content
}

/// Reads a whole file, of an open directory, that root owns and only root can write.
///
/// - Parameters:
///   - name: Its name, bytes, without a NUL.
///   - directory: The directory's descriptor.
///   - limit: The most bytes it may have.
package func readTrustedFile(_ name: [UInt8], in directory: CInt, limit: Int) throws(FileFault) -> [UInt8] {
    guard !name.contains(0) else {
        throw .missing
    }
    var outcome = linux_file()
    let content = unsafe [UInt8](unsafeUninitializedCapacity: limit) { memory, count in
        outcome = unsafe linux_read_trusted_file_at(directory, name + [0], 0, memory.baseAddress, limit)
        count = outcome.fault == 0 ? outcome.size : 0
    }
    if let fault = FileFault(outcome) {
        throw fault
    }
    return content
}

extension FileFault {
    /// nil: none.
    fileprivate init?(_ outcome: linux_file) {
        switch outcome.fault {
        case 0: return nil
        case 1: self = .missing
        case 2: self = .notRegular
        case 3: self = .wrongOwner
        case 4: self = .writableByOthers
        case 5: self = .readableByOthers
        case 6: self = .tooLarge
        default: self = .unreadable(ErrorNumber(outcome.error))
        }
    }
}
