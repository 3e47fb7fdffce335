internal import Glibc

/// An answer that is heard out, since the other side may have done something for it that must be undone.
package struct LateAnswer {
    /// How much longer than its time limit a request is waited for that has been sent, in milliseconds.
    package var patience: Int64
    /// Is called, once, when the time limit is reached without an answer.
    package var onLimit: () -> Void
    /// Gets what comes after it. The request has failed all the same; nil: it has not, and this is its answer.
    package var take: ((HTTPResponse) -> Void)?

    /// Makes one of its parts.
    package init(patience: Int64, onLimit: @escaping () -> Void, take: ((HTTPResponse) -> Void)?) {
        self.patience = patience
        self.onLimit = onLimit
        self.take = take
    }
}

/// The time after a request's limit.
final class Overtime {
    let late: LateAnswer
    private let end: Int64
    private let size: Int64
    private(set) var hasBegun = false

    init(_ late: LateAnswer, after timeLimit: Int64, size: Int64) {
        self.late = late
        self.size = size
        end = Self.now + timeLimit
    }

    /// Whether the request goes on, `sent` bytes of it being on their way: not after its limit when it is not whole.
    func goesOn(sent: Int64) -> Bool {
        guard !hasBegun, Self.now >= end else {
            return true
        }
        guard sent >= size else {
            return false
        }
        hasBegun = true
        late.onLimit()
        return true
    }

    /// Milliseconds that only ever go forward.
    private static var now: Int64 {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
