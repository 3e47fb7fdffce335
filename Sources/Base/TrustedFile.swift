import CLinux

/// Why a file of ours is not believed.
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

/// Reads a whole file that belongs to root and that nobody else can write.
///
/// - Parameters:
///   - path: Absolute path, bytes, without a NUL.
///   - secret: Whether nobody else may be able to read it either.
///   - limit: The most bytes it may have.
package func readTrustedFile(_ path: [UInt8], secret: Bool, limit: Int) throws(FileFault) -> Secret {
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
    switch outcome.fault {
    case 0: return content
    case 1: throw .missing
    case 2: throw .notRegular
    case 3: throw .wrongOwner
    case 4: throw .writableByOthers
    case 5: throw .readableByOthers
    case 6: throw .tooLarge
    default: throw .unreadable(ErrorNumber(outcome.error))
    }
}
