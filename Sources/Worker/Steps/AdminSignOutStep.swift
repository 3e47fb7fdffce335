internal import CognitoIdentityProvider
internal import Protocol
internal import Tokens

/// Ends all sessions of a user whose tokens are lost, with the rights of the machine's IAM identity.
struct AdminSignOutStep {
    private let client: CognitoClient
    private let identity: MachineSigner
    private let userName: String

    init(_ frame: borrowing Frame, _ surroundings: StepSurroundings) throws(StepFailure) {
        client = try surroundings.client(for: frame)
        // The caller retries.
        client.isPatient = false
        guard let userName = StepSurroundings.text(frame.bytes(.loginName)) else {
            throw StepFailure(.internalFault, "The user's name is not valid UTF-8 and cannot exist in Cognito.")
        }
        self.userName = userName
        identity = try MachineSigner(frame, region: client.pool.region.name, surroundings)
    }

    func run() throws(StepFailure) -> SignOutResult {
        do {
            try client.signOutEverywhere(userName: userName, signedBy: identity.signer)
            return .everywhere
        } catch {
            guard error.kind != .userNotFound else {
                return .onlySession(.userGone)
            }
            throw identity.refusal(of: "AdminUserGlobalSignOut", error) ?? StepFailure(signIn: error)
        }
    }
}
