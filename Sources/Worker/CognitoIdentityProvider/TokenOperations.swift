package import HTTPClient
package import Tokens

// Requests with tokens, or about them.
extension CognitoClient {
    // MARK: - Renewing

    /// New tokens for a refresh token.
    ///
    /// With the key of the device that they belong to; where the service has forgotten that device, once more without.
    /// GetTokensFromRefreshToken works with rotation and without; older services do not know it, and then it is
    /// InitiateAuth with REFRESH_TOKEN_AUTH.
    ///
    /// - Parameter userName: the canonical name: the older operation hashes it.
    package func refresh(
        _ refreshToken: SecretValue, userName: String, _ policy: RetryPolicy = .never
    ) throws(CognitoError) -> AuthenticationResult {
        do throws(CognitoError) {
            return try refreshOnce(refreshToken, userName: userName, policy)
        } catch {
            guard error.kind?.mayConcernDevice == true, deviceKey != nil else {
                throw error
            }
            deviceKey = nil
            return try refreshOnce(refreshToken, userName: userName, policy)
        }
    }

    private func refreshOnce(
        _ refreshToken: SecretValue, userName: String, _ policy: RetryPolicy
    ) throws(CognitoError) -> AuthenticationResult {
        do throws(CognitoError) {
            var members: [String: JSONValue] = [
                "RefreshToken": .secret(refreshToken), "ClientId": .string(pool.clientID),
            ]
            members["DeviceKey"] = deviceKey.map(JSONValue.string)
            members["ClientSecret"] = secret.map(JSONValue.secret)
            let answer = try call("GetTokensFromRefreshToken", members, policy, to: .any)
            guard let result = AuthenticationResult(answer["AuthenticationResult"]) else {
                throw CognitoError.malformed(status: 200)
            }
            return result
        } catch {
            guard error.kind == .operationNotSupported || error.kind == .operationNotEnabled else {
                throw error
            }
        }
        var parameters: [String: JSONValue] = ["REFRESH_TOKEN": .secret(refreshToken)]
        parameters["SECRET_HASH"] = try secretHash(userName)
        guard case .tokens(let result) = try authenticate("REFRESH_TOKEN_AUTH", parameters, policy) else {
            throw .malformed(status: 200)
        }
        return result
    }

    // MARK: - Devices

    /// ConfirmDevice: makes this host a device of the access token's person. Whether the person must also agree that it
    /// is remembered.
    ///
    /// - Parameters:
    ///   - device: what came with the tokens.
    ///   - verifier, salt: as `SecureRemotePassword.deviceVerifier` makes them.
    ///   - name: what the person sees of it in a list.
    package func confirm(
        _ device: NewDevice, accessToken: SecretValue, verifier: String, salt: String, name: String?
    ) throws(CognitoError) -> Bool {
        var members: [String: JSONValue] = [
            "AccessToken": .secret(accessToken), "DeviceKey": .string(device.key),
            "DeviceSecretVerifierConfig": .object(["PasswordVerifier": .string(verifier), "Salt": .string(salt)]),
        ]
        members["DeviceName"] = name.map(JSONValue.string)
        return try call("ConfirmDevice", members, .attempt, to: .current)["UserConfirmationNecessary"] == .boolean(true)
    }

    /// UpdateDeviceStatus: the person agrees that the device is remembered.
    package func remember(_ device: NewDevice, accessToken: SecretValue) throws(CognitoError) {
        let members: [String: JSONValue] = [
            "AccessToken": .secret(accessToken), "DeviceKey": .string(device.key),
            "DeviceRememberedStatus": .string("remembered"),
        ]
        _ = try call("UpdateDeviceStatus", members, .idempotent, to: .current)
    }

    // MARK: - Changing the password

    /// ChangePassword: for the access token's person. After an answer that got lost, the old password may be none any
    /// more.
    package func changePassword(
        accessToken: SecretValue, previous: SecretValue, proposed: SecretValue
    ) throws(CognitoError) {
        let members: [String: JSONValue] = [
            "AccessToken": .secret(accessToken), "PreviousPassword": .secret(previous),
            "ProposedPassword": .secret(proposed),
        ]
        _ = try call("ChangePassword", members, .attempt, to: .any)
    }

    // MARK: - Asking

    /// GetUser: the name of the access token's person, if Cognito still accepts the token.
    package func userName(accessToken: SecretValue) throws(CognitoError) -> String {
        let answer = try call("GetUser", ["AccessToken": .secret(accessToken)], .idempotent, to: .any)
        guard let name = answer["Username"]?.text else {
            throw .malformed(status: 200)
        }
        return name
    }

    /// ListUserSessions: the sessions of the access token's person, in a pool that tracks them.
    package func sessions(accessToken: SecretValue) throws(CognitoError) -> [TrackedSession] {
        var found: [TrackedSession] = []
        var members: [String: JSONValue] = ["AccessToken": .secret(accessToken)]
        // There are a hundred at most.
        for _ in 0..<10 {
            let answer = try call("ListUserSessions", members, .idempotent, to: .any)
            guard let sessions = answer["Sessions"]?.elements else {
                throw .malformed(status: 200)
            }
            found += sessions.compactMap(TrackedSession.init)
            guard let next = answer["NextToken"]?.text else {
                break
            }
            members["NextToken"] = .string(next)
        }
        return found
    }

    /// RevokeUserSession: ends one session of the access token's person, in a pool that tracks them; not the token's
    /// own.
    package func revoke(session: String, accessToken: SecretValue) throws(CognitoError) {
        let members: [String: JSONValue] = ["AccessToken": .secret(accessToken), "SessionId": .string(session)]
        _ = try call("RevokeUserSession", members, .idempotent, to: .first)
    }

    // MARK: - Signing out

    /// GlobalSignOut: ends every session of the access token's person. Once: a later one would end those that began
    /// since.
    package func globalSignOut(accessToken: SecretValue) throws(CognitoError) {
        _ = try call("GlobalSignOut", ["AccessToken": .secret(accessToken)], .never, to: .first)
    }

    /// RevokeToken: ends this refresh token and the access tokens made from it.
    package func revoke(refreshToken: SecretValue) throws(CognitoError) {
        var members: [String: JSONValue] = [
            "Token": .secret(refreshToken), "ClientId": .string(pool.clientID),
        ]
        members["ClientSecret"] = secret.map(JSONValue.secret)
        if endsBrowserSession {
            members["RevokeAssociatedSessions"] = .string("LINKED")
        }
        _ = try call("RevokeToken", members, .persistent, to: .first)
    }

    /// AdminUserGlobalSignOut: ends every session of a person, with the rights of an IAM identity.
    package func signOutEverywhere(userName: String, signedBy signer: RequestSigner) throws(CognitoError) {
        let members: [String: JSONValue] = ["UserPoolId": .string(pool.identifier), "Username": .string(userName)]
        _ = try call("AdminUserGlobalSignOut", members, .idempotent, to: .first, signedBy: signer)
    }
}

/// A session in the pool's own list. The texts are as the service sent them.
package struct TrackedSession: Sendable {
    package let identifier: String
    /// When its tokens were last obtained or renewed, in seconds since the epoch.
    package let lastActive: Int64
    /// CreateDate, in seconds since the epoch.
    package let created: Int64?
    /// Whether it is the one whose access token was asked with.
    package let isCurrent: Bool
    /// Whether it is one of managed login in a browser (SessionType SSO), and not one of tokens.
    package let isBrowser: Bool
    package let clientID: String?
    /// DeviceType, which the service makes of the User-Agent.
    package let device: String?
    package let address: String?
    /// LastLocation: City and Country.
    package let place: [String]

    init?(_ value: JSONValue) {
        let created = value["CreateDate"]?.seconds
        guard let lastActive = value["LastActiveDate"]?.seconds ?? created else {
            return nil
        }
        self.lastActive = lastActive
        self.created = created
        identifier = value["SessionId"]?.text ?? ""
        isCurrent = value["IsCurrentSession"]?.flag ?? false
        isBrowser = value["SessionType"]?.text == "SSO"
        clientID = value["ClientId"]?.text
        device = value["DeviceType"]?.text
        address = value["LastIPAddress"]?.text
        place = ["City", "Country"].compactMap { name in value["LastLocation"]?[name]?.text }
    }
}
