package import Commands
internal import Messages
internal import Protocol
package import Tokens

/// The claims of a session's token, and whether its signature is valid.
package struct ClaimsReport: Sendable {
    private let kind: TokenKind
    private let userName: String
    private let claims: [String: JSONValue]
    /// Why the token was not verified now; nil when it was.
    private let failure: AgentFault?
    private let hasExpired: Bool
    /// For scripts.
    package let exitCode: ExitCode

    /// Reads a token and has it verified, `now` in seconds since the epoch. Without an agent it is not verified, and
    /// the report says so.
    package init(
        _ kind: TokenKind, of status: SessionStatus, verifiedBy agent: some Agent, at now: Int64
    ) throws(Refusal) {
        let (session, place) = try TokenRequest.session(status)
        let token = session.token(kind, from: place.key)
        guard let claims = UnverifiedClaims.members(of: kind == .access ? session.accessToken : session.idToken) else {
            throw Refusal(Absence.damaged(ToolWording.noClaims))
        }
        self.kind = kind
        self.claims = claims
        userName = session.userName
        hasExpired = token.expiry <= now
        let life: ExitCode = hasExpired ? .expired : .valid
        do throws(AgentFault) {
            try agent.check(place.key, online: false)
            failure = nil
            exitCode = life
        } catch {
            failure = error
            exitCode = error.refusal == .invalidTokens ? .refused : life
        }
    }

    /// The report in words.
    ///
    /// - Parameter localTime: A point in time as people here write it.
    package func text(_ look: Appearance, localTime: (Int64) -> String) -> String {
        let name = kind == .access ? ToolWording.accessTokenName : ToolWording.idTokenName
        var lines = look.paragraph(ToolWording.claimsHeading(name, look.strong(printable(userName))))
        lines.append("")
        let sorted = claims.sorted { left, right in left.key.utf8.lexicographicallyPrecedes(right.key.utf8) }
        for (claim, value) in sorted {
            lines += look.row(printable(claim), Self.shown(claim, value, localTime), labels: 22)
        }
        let isGood = failure == nil && exitCode == .valid
        lines += [""] + look.paragraph(isGood ? look.good(verdict) : look.warning(verdict))
        return lines.joined(separator: "\n") + "\n"
    }

    /// Whether the token is good, as far as that is known.
    private var verdict: String {
        guard let failure else {
            return hasExpired ? ToolWording.verifiedExpired : ToolWording.verified
        }
        let why = failure == .absent ? ToolWording.unverified : ToolWording.notVerified(failure.onlineMessage)
        return hasExpired ? "\(ToolWording.tokenExpired) \(why)" : why
    }

    private static func shown(_ claim: String, _ value: JSONValue, _ localTime: (Int64) -> String) -> String {
        // RFC 7519 section 4.1, OpenID Connect Core section 2.
        if ["exp", "iat", "nbf", "auth_time"].contains(claim), let seconds = value.seconds {
            return ToolWording.moment(seconds, at: localTime(seconds))
        }
        if let text = value.text {
            return printable(text)
        }
        if let texts = value.texts {
            return texts.map(printable).joined(separator: ", ")
        }
        return printable(value.serialized ?? [])
    }

    /// The report as one JSON object; the claims stand in it as they do in the token.
    package var json: JSONValue {
        let verification = failure?.name ?? exitCode.name
        return answerObject(
            exitCode, exitCode == .valid ? nil : verdict,
            [
                "type": .string(kind.rawValue), "claims": .object(claims),
                "verified": .boolean(verification == ExitCode.valid.name), "verification": .string(verification),
            ])
    }
}
