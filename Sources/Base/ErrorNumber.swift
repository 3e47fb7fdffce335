internal import CLinux

/// An error number as errno(3) has it.
package struct ErrorNumber: Error, Equatable, Sendable {
    /// The positive errno value.
    package let code: CInt

    /// Wraps a positive errno value.
    package init(_ code: CInt) {
        self.code = code
    }

    /// The error of the last failed C library call.
    package static var last: ErrorNumber { ErrorNumber(linux_errno()) }

    /// What a function of CLinux has returned; throws where it failed, which it says by a negative error number.
    @discardableResult
    package static func check<Number: FixedWidthInteger & SignedInteger>(
        _ result: Number
    ) throws(ErrorNumber) -> Number {
        guard result >= 0 else {
            throw ErrorNumber(CInt(truncatingIfNeeded: 0 &- result))
        }
        return result
    }
}

/// The numbers that the code compares or returns, by their names in Swift System.
extension ErrorNumber {
    package static var notPermitted: ErrorNumber { ErrorNumber(EPERM) }
    package static var noSuchFileOrDirectory: ErrorNumber { ErrorNumber(ENOENT) }
    package static var noSuchProcess: ErrorNumber { ErrorNumber(ESRCH) }
    package static var noChildProcess: ErrorNumber { ErrorNumber(ECHILD) }
    package static var interrupted: ErrorNumber { ErrorNumber(EINTR) }
    package static var ioError: ErrorNumber { ErrorNumber(EIO) }
    package static var resourceTemporarilyUnavailable: ErrorNumber { ErrorNumber(EAGAIN) }
    package static var noMemory: ErrorNumber { ErrorNumber(ENOMEM) }
    package static var permissionDenied: ErrorNumber { ErrorNumber(EACCES) }
    package static var invalidArgument: ErrorNumber { ErrorNumber(EINVAL) }
    package static var tooManyOpenFilesInSystem: ErrorNumber { ErrorNumber(ENFILE) }
    package static var tooManyOpenFiles: ErrorNumber { ErrorNumber(EMFILE) }
    package static var textFileBusy: ErrorNumber { ErrorNumber(ETXTBSY) }
    package static var execFormatError: ErrorNumber { ErrorNumber(ENOEXEC) }
    package static var noFunction: ErrorNumber { ErrorNumber(ENOSYS) }
    package static var notSupported: ErrorNumber { ErrorNumber(EOPNOTSUPP) }
    package static var brokenPipe: ErrorNumber { ErrorNumber(EPIPE) }
    package static var connectionReset: ErrorNumber { ErrorNumber(ECONNRESET) }
    package static var noData: ErrorNumber { ErrorNumber(ENODATA) }
    package static var messageTooLong: ErrorNumber { ErrorNumber(EMSGSIZE) }
    package static var timedOut: ErrorNumber { ErrorNumber(ETIMEDOUT) }
    package static var diskQuotaExceeded: ErrorNumber { ErrorNumber(EDQUOT) }
    package static var noKey: ErrorNumber { ErrorNumber(ENOKEY) }
    package static var keyExpired: ErrorNumber { ErrorNumber(EKEYEXPIRED) }
    package static var keyRevoked: ErrorNumber { ErrorNumber(EKEYREVOKED) }
}

extension ErrorNumber {
    /// Whether a system call is refused as such: the kernel does not have it, or a filter (seccomp(2)) forbids it.
    package var isRefusedCall: Bool {
        self == .notPermitted || self == .noFunction || self == .notSupported
    }

    /// The fix for a failed call of keyrings(7), for the log.
    package var keyringRemedy: StaticString {
        switch self {
        case _ where isRefusedCall:
            """
            keyrings(7) calls are not permitted: the kernel must support keyctl and add_key, and the seccomp filter \
            of this container or service must allow these calls
            """
        case .diskQuotaExceeded:
            """
            root's key quota is full: compare /proc/key-users with kernel.keys.root_maxkeys and \
            kernel.keys.root_maxbytes
            """
        case .noMemory: "this machine has too little memory"
        default: "see keyrings(7) and /proc/key-users"
        }
    }
}
