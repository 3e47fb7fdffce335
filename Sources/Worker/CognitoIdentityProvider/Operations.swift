package import Tokens

/// The next step that the service requires before it issues tokens.
package enum AuthenticationStep: Sendable, Equatable {
    /// The person is in.
    case tokens(AuthenticationResult)
    /// Something is to be answered first.
    case challenge(Challenge)
}

/// The tokens of a sign-in or a renewal, unverified.
package struct AuthenticationResult: Sendable, Equatable {
    /// A JSON Web Token.
    package let accessToken: SecretValue
    /// A JSON Web Token.
    package let idToken: SecretValue
    /// Opaque. Nil after a renewal without rotation: the old one stays good.
    package let refreshToken: SecretValue?
    /// In a pool that tracks devices: the device that these tokens belong to once it is confirmed.
    package let newDevice: NewDevice?

    init?(_ value: JSONValue?) {
        self.init(
            value?["AccessToken"], value?["IdToken"], value?["RefreshToken"], NewDevice(value?["NewDeviceMetadata"]))
    }

    /// Returns the tokens from a token endpoint's answer (RFC 6749, section 5.1): all that are needed, or only the
    /// refresh token.
    static func members(
        ofTokenResponse body: SecretValue
    ) -> (result: AuthenticationResult?, refreshToken: SecretValue?) {
        let answer = body.withBytes { bytes in
            JSONValue(parsing: bytes, secrets: ["access_token", "id_token", "refresh_token"])
        }
        let refreshToken = answer?["refresh_token"]
        return (
            AuthenticationResult(answer?["access_token"], answer?["id_token"], refreshToken, nil),
            refreshToken?.filledSecret
        )
    }

    private init?(
        _ accessToken: JSONValue?, _ idToken: JSONValue?, _ refreshToken: JSONValue?, _ newDevice: NewDevice?
    ) {
        guard let accessToken = accessToken?.filledSecret, let idToken = idToken?.filledSecret else {
            return nil
        }
        self.accessToken = accessToken
        self.idToken = idToken
        self.refreshToken = refreshToken?.filledSecret
        self.newDevice = newDevice
    }
}

/// NewDeviceMetadata: a device that the service offers to remember.
package struct NewDevice: Sendable, Equatable {
    package let key: String
    package let groupKey: String

    init?(_ value: JSONValue?) {
        guard let key = value?["DeviceKey"]?.text, let groupKey = value?["DeviceGroupKey"]?.text,
            Self.isKey(key), Self.isKey(groupKey)
        else {
            return nil
        }
        self.key = key
        self.groupKey = groupKey
    }

    /// Whether `text` has the form of either: what is neither could not be kept as a line.
    package static func isKey(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && text.utf8.allSatisfy(\.isVisibleASCII)
    }
}

/// A key for an authenticator app, and the session to go on in.
package struct SoftwareToken: Sendable, Equatable {
    /// The key in base32 (RFC 4648), without padding.
    package let secretCode: SecretValue
    /// Opaque; replaces the challenge's.
    package let session: SecretValue?

    init?(_ answer: JSONValue) {
        guard let secretCode = answer["SecretCode"]?.secret,
            (16...256).contains(secretCode.count),
            secretCode.allSatisfy({ byte in
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                    || (UInt8(ascii: "2")...UInt8(ascii: "7")).contains(byte)
            })
        else {
            return nil
        }
        self.secretCode = secretCode
        session = answer["Session"]?.secret
    }
}

/// A challenge: a name and what is needed to answer it.
package struct Challenge: Sendable, Equatable {
    package let name: String
    package let parameters: [String: String]
    /// Session: opaque, to be sent back with the answer. Not every challenge has one.
    package let session: SecretValue?
    /// AvailableChallenges: what can be chosen from, with SELECT_CHALLENGE.
    package let available: [String]

    init?(_ answer: JSONValue) {
        guard let name = answer["ChallengeName"]?.text, !name.isEmpty else {
            return nil
        }
        self.name = name
        parameters = (answer["ChallengeParameters"]?.members ?? [:]).compactMapValues(\.text)
        session = answer["Session"]?.secret
        available = answer["AvailableChallenges"]?.texts ?? []
    }

    private init(_ challenge: Challenge, session: SecretValue?) {
        name = challenge.name
        parameters = challenge.parameters
        available = challenge.available
        self.session = session
    }

    /// The same challenge in a newer session; the same session where there is no newer one.
    package func continued(in session: SecretValue?) -> Challenge {
        Challenge(self, session: session ?? self.session)
    }

    /// The USERNAME to answer with, which is also the one to hash: the canonical name, whatever was typed.
    package var userName: String? {
        parameters["USERNAME"] ?? parameters["USER_ID_FOR_SRP"]
    }

    /// The challenge of an SRP proof.
    package var srp: SRPChallenge? {
        guard let salt = parameters["SALT"], let value = parameters["SRP_B"], let block = parameters["SECRET_BLOCK"]
        else {
            return nil
        }
        return SRPChallenge(salt: salt, serverValue: value, secretBlock: block)
    }
}

extension Challenge {
    /// A parameter that is the text of a JSON array of texts; empty where it is not.
    package func list(_ parameter: String) -> [String] {
        parameters[parameter].flatMap { text in JSONValue(parsing: Array(text.utf8))?.texts } ?? []
    }
}

/// The destination of a code (CodeDeliveryDetails).
package struct CodeDelivery: Sendable, Equatable {
    /// The address, most of it hidden; empty where the service does not say.
    package let destination: String
    /// `SMS` or `EMAIL`.
    package let medium: String

    init(_ answer: JSONValue) {
        let details = answer["CodeDeliveryDetails"]
        destination = details?["Destination"]?.text ?? ""
        medium = details?["DeliveryMedium"]?.text ?? ""
    }
}
