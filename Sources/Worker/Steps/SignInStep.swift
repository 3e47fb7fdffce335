internal import CognitoIdentityProvider
internal import Messages
internal import Protocol
internal import Tokens

/// Signing a person in: from the password to tokens that the root side has entered into its registry.
struct SignInStep {
    /// How long the root side may take to enter the tokens into its registry, in milliseconds.
    static let registrationTimeLimit: Int64 = 10_000

    private let authentication: Authentication
    private let request: SignInRequest
    private let hostName: () -> String?

    init(
        _ frame: borrowing Frame, _ conversation: Conversation, _ surroundings: StepSurroundings
    ) throws(StepFailure) {
        request = try SignInRequest(frame)
        authentication = try Authentication(frame, conversation, surroundings)
        hostName = surroundings.hostName
    }

    func run() throws(StepFailure) {
        let handOver = SessionHandOver(.signedIn, authentication.conversation, authentication.keys)
        let answered: AuthenticationResult?
        let begin = authentication.clock.seconds()
        let subject = try authentication.heldSubject()
        var dialogue = authentication.dialogue(.signIn)
        do {
            answered = try dialogue.run()
        } catch {
            throw authentication.explained(error)
        }
        guard let result = answered else {
            return
        }
        let refreshToken = try Authentication.refreshToken(of: result)
        // From here on there is something to revoke, whatever goes wrong.
        let client = authentication.client
        let registered: Bool
        do {
            let tokens = try authentication.verified(result, through: dialogue.browserProof)
            try authentication.flow.target?.check(tokens, since: begin, heldBy: subject)
            registered = try give(result, tokens, refreshToken, handOver, isFederated: dialogue.browserProof != nil)
        } catch {
            client.extendTime(to: Authentication.revocationTimeLimit)
            try? client.revoke(refreshToken: refreshToken)
            guard dialogue.browserProof == nil else {
                throw error.behindBrowser
            }
            throw dialogue.hasNewPassword ? error.saying(ChallengeWording.newPasswordIsSet) : error
        }
        if !registered {
            client.extendTime(to: authentication.timeLimit)
            try? client.revoke(refreshToken: refreshToken)
        }
    }

    /// Hands verified tokens over; true when the root side has entered them into its registry.
    private func give(
        _ result: AuthenticationResult, _ tokens: VerifiedTokens, _ refreshToken: SecretValue,
        _ handOver: consuming SessionHandOver, isFederated: Bool
    ) throws(StepFailure) -> Bool {
        let device = remember(result)
        let key = result.newDevice == nil ? authentication.client.deviceKey : device.confirmed?.key
        let session = authentication.session(tokens, refreshToken, signOut: request.signOutMode, deviceKey: key)
        // Once the tokens are refused, nothing tells whether the pool tracks sessions.
        let place = request.asksPlace ? authentication.client.place(of: tokens.accessToken, lastUsed: nil) : nil
        let remark = [device.remark, authentication.client.endpointRemark].compactMap(\.self)
        return try handOver.send(
            session, tokens, withholding: request.withholdsRefreshToken, uidClaim: request.uidClaim,
            device: device.confirmed, remark: remark.isEmpty ? nil : remark.joined(separator: " "), place: place,
            isFederated: isFederated)
    }

    /// Has this host remembered, if the pool offers that and the administrator wants it. A failure does not refuse the
    /// sign-in; it is reported with its consequence.
    private func remember(_ result: AuthenticationResult) -> (confirmed: RememberedDevice?, remark: String?) {
        guard let offered = result.newDevice, let isWanted = request.remembersDevice else {
            return (nil, nil)
        }
        let consequence = "Cognito will refuse to renew these tokens."
        guard isWanted else {
            return (
                nil,
                "The pool tracks devices, and this host is not one of the user's devices: \(consequence) Set "
                    + "\"remember_device\", or turn device tracking off in the pool."
            )
        }
        do {
            let (device, remark) = try RememberedDevice.confirm(
                offered, accessToken: result.accessToken, client: authentication.client,
                name: hostName().map { name in PromptText.cleaned(name, limit: 64) })
            return (device, remark)
        } catch {
            return (nil, "This host could not be registered as a device of the user: \(consequence) \(error.logText)")
        }
    }
}

/// The fields that only the sign-in message has.
private struct SignInRequest {
    let signOutMode: SignOutPolicy
    let withholdsRefreshToken: Bool
    /// Nil for a root side that knows nothing of devices.
    let remembersDevice: Bool?
    /// The claim with the user id, if the root side needs it.
    let uidClaim: String?
    /// Whether the root side wants the new session's place among the person's.
    let asksPlace: Bool

    init(_ frame: borrowing Frame) throws(StepFailure) {
        guard let mode = StepSurroundings.text(frame.bytes(.signOutMode)).flatMap(SignOutPolicy.init) else {
            throw StepFailure(.internalFault, "The calling program's sign-in message contains an unknown value.")
        }
        signOutMode = mode
        withholdsRefreshToken = frame.flag(.withholdRefreshToken)
        uidClaim = StepSurroundings.text(frame.bytes(.uidAttribute))
        asksPlace = frame.number(.sessionPlace) != nil
        remembersDevice = frame.code(.rememberDevice).map { code in code == 1 }
    }
}
