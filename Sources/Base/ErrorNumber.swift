internal import CLinux

/// An error number as errno(3) has it.
package struct ErrorNumber: Error, Equatable, Sendable {
    /// The positive errno value.
    package let code: CInt

    /// Wraps a positive errno value.
    package init(_ code: CInt) {
        self.code = code
    }

    /// That of the last failed C library call.
    package static var last: ErrorNumber { ErrorNumber(linux_errno()) }
}

/// The numbers that somebody looks for, or gives, by the names that Swift System has for them.
extension ErrorNumber {
    /// EPERM
    package static var notPermitted: ErrorNumber { ErrorNumber(EPERM) }
    /// ENOENT
    package static var noSuchFileOrDirectory: ErrorNumber { ErrorNumber(ENOENT) }
    /// ESRCH
    package static var noSuchProcess: ErrorNumber { ErrorNumber(ESRCH) }
    /// ECHILD
    package static var noChildProcess: ErrorNumber { ErrorNumber(ECHILD) }
    /// EINTR
    package static var interrupted: ErrorNumber { ErrorNumber(EINTR) }
    /// EIO
    package static var ioError: ErrorNumber { ErrorNumber(EIO) }
    /// EAGAIN
    package static var resourceTemporarilyUnavailable: ErrorNumber { ErrorNumber(EAGAIN) }
    /// ENOMEM
    package static var noMemory: ErrorNumber { ErrorNumber(ENOMEM) }
    /// EACCES
    package static var permissionDenied: ErrorNumber { ErrorNumber(EACCES) }
    /// EINVAL
    package static var invalidArgument: ErrorNumber { ErrorNumber(EINVAL) }
    /// ENFILE
    package static var tooManyOpenFilesInSystem: ErrorNumber { ErrorNumber(ENFILE) }
    /// EMFILE
    package static var tooManyOpenFiles: ErrorNumber { ErrorNumber(EMFILE) }
    /// ETXTBSY
    package static var textFileBusy: ErrorNumber { ErrorNumber(ETXTBSY) }
    /// ENOEXEC
    package static var execFormatError: ErrorNumber { ErrorNumber(ENOEXEC) }
    /// ENOSYS
    package static var noFunction: ErrorNumber { ErrorNumber(ENOSYS) }
    /// EOPNOTSUPP
    package static var notSupported: ErrorNumber { ErrorNumber(EOPNOTSUPP) }
    /// EPIPE
    package static var brokenPipe: ErrorNumber { ErrorNumber(EPIPE) }
    /// ECONNRESET
    package static var connectionReset: ErrorNumber { ErrorNumber(ECONNRESET) }
    /// ENODATA
    package static var noData: ErrorNumber { ErrorNumber(ENODATA) }
    /// EMSGSIZE
    package static var messageTooLong: ErrorNumber { ErrorNumber(EMSGSIZE) }
    /// ETIMEDOUT
    package static var timedOut: ErrorNumber { ErrorNumber(ETIMEDOUT) }
    /// EDQUOT
    package static var diskQuotaExceeded: ErrorNumber { ErrorNumber(EDQUOT) }
    /// ENOKEY
    package static var noKey: ErrorNumber { ErrorNumber(ENOKEY) }
    /// EKEYEXPIRED
    package static var keyExpired: ErrorNumber { ErrorNumber(EKEYEXPIRED) }
    /// EKEYREVOKED
    package static var keyRevoked: ErrorNumber { ErrorNumber(EKEYREVOKED) }
}

extension ErrorNumber {
    /// Whether a system call is refused as such: the kernel does not have it, or a filter (seccomp(2)) forbids it.
    package var isRefusedCall: Bool {
        self == .notPermitted || self == .noFunction || self == .notSupported
    }

    /// What to do about a call of keyrings(7) that failed so, for the log.
    package var keyringRemedy: StaticString {
        switch self {
        case _ where isRefusedCall:
            """
            keyrings(7) calls are not permitted here: the seccomp filter of this container or service must allow keyctl and \
            add_key, and the kernel must have them
            """
        case .diskQuotaExceeded:
            """
            root's key quota is full: compare /proc/key-users with kernel.keys.root_maxkeys and kernel.keys.root_maxbytes
            """
        case .noMemory: "this machine has too little memory"
        default: "see keyrings(7) and /proc/key-users"
        }
    }
}
