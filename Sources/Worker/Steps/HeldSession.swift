internal import CognitoIdentityProvider
internal import Protocol
internal import Tokens

extension Session {
    /// The session that `frame` carries, once it is found to be one of `pool`.
    init(heldIn frame: borrowing Frame, of pool: UserPool) throws(StepFailure) {
        let session: Session
        do {
            session = try Session(decoding: frame.bytes(.bundle) ?? [])
        } catch {
            throw StepFailure(.internalFault, "The session's tokens cannot be read. \(error.description)")
        }
        guard session.userPoolID == pool.identifier, session.clientID == pool.clientID else {
            throw StepFailure(.internalFault, "The session's tokens come from another pool or app client.")
        }
        self = session
    }
}
