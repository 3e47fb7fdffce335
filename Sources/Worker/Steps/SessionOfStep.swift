internal import CognitoIdentityProvider
internal import Protocol
internal import Tokens

extension Session {
    /// The session that `frame` carries, once it is found to be one of `pool`.
    init(from frame: borrowing Frame, of pool: UserPool) throws(StepFailure) {
        let session: Session
        do {
            let read = frame.withField(.bundle) { bytes in
                Result { () throws(SessionError) in try Session(decoding: bytes) }
            }
            session = try (read ?? .failure(.notAnObject)).get()
        } catch {
            throw StepFailure(.internalFault, "The session's tokens cannot be read. \(error.description)")
        }
        guard session.userPoolID == pool.identifier, session.clientID == pool.clientID else {
            throw StepFailure(.internalFault, "The session's tokens come from another pool or app client.")
        }
        self = session
    }
}
