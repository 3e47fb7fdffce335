internal import Base

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
        end = Instant.now.milliseconds + timeLimit
    }

    /// Whether the request goes on, `sent` bytes of it being on their way: not after its limit when it is not whole.
    func goesOn(sent: Int64) -> Bool {
        guard !hasBegun, Instant.now.milliseconds >= end else {
            return true
        }
        guard sent >= size else {
            return false
        }
        hasBegun = true
        late.onLimit()
        return true
    }
}
