internal import Base

/// The claims of a token, read without checking its signature: only for display to its owner, not for decisions. The
/// worker verified the token before the session got it.
package struct UnverifiedClaims: Sendable, Equatable {
    /// `cognito:username` or `username`.
    package var userName: String?
    /// `name`, else `given_name` and `family_name`.
    package var fullName: String?
    /// `email`.
    package var emailAddress: String?
    /// `sub`: the person's lasting identifier in the pool.
    package var subject: String?
    /// `cognito:groups`, in the token's order.
    package var groups: [String]
    /// `exp`, in seconds since the epoch.
    package var expiry: Int64?
    /// `auth_time`: when the person last proved who they are, in seconds since the epoch.
    package var authenticatedAt: Int64?
    /// `device_key`: the device that the token belongs to, in a pool that tracks devices.
    package var deviceKey: String?

    /// The claims in a JSON Web Token's payload; nil when `token` is not one.
    package static func members(of token: SecretValue) -> [String: JSONValue]? {
        token.withBytes { bytes in
            TokenParts(bytes).flatMap { parts in Base64.url.decode(bytes.extracting(parts.payload)) }
        }
        .flatMap(JSONValue.init(parsing:))?.members
    }

    /// Reads a JSON Web Token's payload; nil when `token` is not one.
    ///
    /// Control characters are taken out of every text: a person chooses their own name, and it ends up on terminals.
    package init?(token: SecretValue) {
        guard let claims = Self.members(of: token) else {
            return nil
        }
        func shown(_ name: String) -> String? {
            claims[name]?.text.map(Self.withoutControlCharacters)
        }
        userName = shown("cognito:username") ?? shown("username")
        let nameParts = [shown("given_name"), shown("family_name")].compactMap(\.self)
        fullName = shown("name") ?? (nameParts.isEmpty ? nil : nameParts.joined(separator: " "))
        emailAddress = shown("email")
        subject = shown("sub")
        groups = (claims["cognito:groups"]?.texts ?? []).map(Self.withoutControlCharacters)
        expiry = claims["exp"]?.seconds
        authenticatedAt = claims["auth_time"]?.seconds
        deviceKey = shown("device_key")
    }

    /// `text` without C0 and C1 control characters, line and paragraph separators and bidirectional controls.
    package static func withoutControlCharacters(_ text: String) -> String {
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0..<0x20, 0x7f..<0xa0, 0x2028...0x202e, 0x2066...0x2069, 0x200e, 0x200f, 0x061c:
                continue
            default:
                shown.append(scalar)
            }
        }
        return String(shown)
    }
}

/// The positions of the parts of a JSON Web Token (RFC 7515 section 3.1).
package struct TokenParts: Sendable, Equatable {
    /// The header, in base64url.
    package let header: Range<Int>
    /// The claims, in base64url.
    package let payload: Range<Int>
    /// The signature of all before its point, in base64url.
    package let signature: Range<Int>

    /// Looks for the parts; nil where there are not exactly three.
    package init?(_ token: RawSpan) {
        let points = (0..<token.byteCount).filter { offset in token.byte(at: offset) == UInt8(ascii: ".") }
        guard points.count == 2 else {
            return nil
        }
        header = 0..<points[0]
        payload = points[0] + 1..<points[1]
        signature = points[1] + 1..<token.byteCount
    }
}

extension Session {
    /// What the ID token says about the person, for display only.
    package var idTokenClaims: UnverifiedClaims? {
        UnverifiedClaims(token: idToken)
    }

    /// The claims of the access token, for display only.
    package var accessTokenClaims: UnverifiedClaims? {
        UnverifiedClaims(token: accessToken)
    }

    /// The person's groups as the access token has them, for display only.
    package var groups: [String] {
        accessTokenClaims?.groups ?? []
    }
}
