internal import Encodings

/// What the service wants next, on the way to tokens.
package enum AuthenticationStep: Sendable, Equatable {
    /// The person is in.
    case tokens(AuthenticationResult)
    /// Something is to be answered first.
    case challenge(Challenge)
}

/// The tokens of a sign-in or a renewal, unverified.
package struct AuthenticationResult: Sendable, Equatable {
    /// A JSON Web Token.
    package let accessToken: String
    /// A JSON Web Token.
    package let idToken: String
    /// Opaque. Nil after a renewal without rotation: the old one stays good.
    package let refreshToken: String?

    init?(_ value: JSONValue?) {
        guard let access = value?["AccessToken"]?.text, !access.isEmpty,
            let identity = value?["IdToken"]?.text, !identity.isEmpty
        else {
            return nil
        }
        accessToken = access
        idToken = identity
        let refresh = value?["RefreshToken"]?.text
        refreshToken = refresh?.isEmpty == true ? nil : refresh
    }
}

/// A challenge: a name and what is needed to answer it.
package struct Challenge: Sendable, Equatable {
    /// ChallengeName.
    package let name: String
    /// ChallengeParameters.
    package let parameters: [String: String]
    /// Session: opaque, to be sent back with the answer. Not every challenge has one.
    package let session: String?

    init?(_ answer: JSONValue) {
        guard let name = answer["ChallengeName"]?.text, !name.isEmpty else {
            return nil
        }
        self.name = name
        parameters = (answer["ChallengeParameters"]?.members ?? [:]).compactMapValues(\.text)
        session = answer["Session"]?.text
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
