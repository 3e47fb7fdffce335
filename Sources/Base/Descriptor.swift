import CLinux

/// The number behind a `Descriptor`. A class for the same reason as in `SecretMemory`: Embedded Swift runs no
/// `deinit` of another module's noncopyable type.
final class OpenDescriptor {
    let number: CInt

    init(_ number: CInt) {
        self.number = number
    }

    deinit {
        linux_close(number)
    }
}

/// An open file descriptor that is closed when its one owner lets it go.
package struct Descriptor: ~Copyable {
    private let open: OpenDescriptor

    /// Takes over `number`; nil when it is negative.
    package init?(owning number: CInt) {
        guard number >= 0 else {
            return nil
        }
        open = OpenDescriptor(number)
    }

    /// Takes over what a function of CLinux has opened; throws where it failed.
    package init(opened number: CInt) throws(ErrorNumber) {
        open = OpenDescriptor(try ErrorNumber.check(number))
    }

    /// The number, for a call that neither keeps nor closes it.
    package var number: CInt {
        open.number
    }
}
