package import Base

/// Why a session's tokens have ended. Its word is the same for hooks, the log and the journal.
package enum EndReason: ByteText, Sendable, CaseIterable {
    case logout
    /// The person signed out, here or from another session of theirs on this machine.
    case signedOut = "sign-out"
    /// Cognito no longer accepted them.
    case endedElsewhere = "ended-elsewhere"
    /// The refresh token has expired.
    case expired
    /// The pool's limit of sessions, at a newer sign-in. That shows only after hooks have heard of `endedElsewhere`.
    case sessionLimit = "session_limit"
    /// `endedElsewhere` or `sessionLimit`.
    case unclear
    case idle
    /// The session's host was gone without a word.
    case hostGone = "crash"
    case shutdown
    /// The account is not enabled any more.
    case accountLocked = "account-locked"
    /// A Unix group was taken away.
    case groupLost = "group-lost"
}

extension RegistryEntry {
    /// Why a session has ended whose tokens Cognito has refused, as far as its own entry tells.
    package var refusalReason: EndReason { ranOut ? .expired : .endedElsewhere }
}
