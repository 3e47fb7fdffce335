package import Encodings
internal import Session
internal import Wording

/// What `cognito-session status` says of a situation, at a point in time.
package struct Report: Sendable {
    private let situation: Situation
    private let now: Int64

    /// Makes a report about `situation`, `now` in seconds since the epoch.
    package init(_ situation: Situation, at now: Int64) {
        self.situation = situation
        self.now = now
    }

    /// What scripts go by.
    package var exitStatus: ExitCode {
        switch situation.finding {
        case .session(let session, _): session.accessTokenExpiry > now ? .valid : .expired
        case .absent(.expired): .expired
        case .absent: .none
        }
    }

    // MARK: For a person

    /// The report in words.
    ///
    /// - Parameters:
    ///   - colored: Whether the terminal shows colours and the person wants them.
    ///   - localTime: A point in time as people here write it.
    package func text(colored: Bool, localTime: (Int64) -> String) -> String {
        let style = Style(colored: colored)
        var lines: [String]
        switch situation.finding {
        case .session(let session, let place):
            lines = describe(session, place, style, localTime)
        case .absent(let absence):
            let explanation = absence.explanation
            let first = absence == .expired ? ToolWording.tokensExpired : ToolWording.noTokens
            lines = [style.strong(first), explanation.reason, explanation.advice]
        }
        for key in situation.others {
            lines.append(ToolWording.alsoHere(key.name, key: key.key))
        }
        for key in situation.ignored {
            lines.append(
                ToolWording.ignoredKey(key.name, key: key.key, owner: key.owner, permissions: key.permissions)
            )
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func describe(
        _ session: Session, _ place: Place, _ style: Style, _ localTime: (Int64) -> String
    ) -> [String] {
        let claims = session.idTokenClaims
        let details = [claims?.fullName, claims?.emailAddress].compactMap(\.self).filter { text in !text.isEmpty }
        let inBrackets = details.isEmpty ? "" : " (\(details.joined(separator: ", ")))"
        let name = style.strong(printable(session.userName))
        let isValid = session.accessTokenExpiry > now
        let groups = session.groups
        var lines = [
            isValid
                ? ToolWording.signedIn(name, details: inBrackets)
                : ToolWording.signInExpired(name, details: inBrackets),
            "",
            Self.row(ToolWording.pool, printable(session.userPoolID)),
            Self.row(ToolWording.client, printable(session.clientID)),
            Self.row(ToolWording.groups, groups.isEmpty ? ToolWording.noGroups : groups.joined(separator: ", ")),
            Self.row(ToolWording.signedInAt, past(session.signedInAt, localTime)),
            Self.row(
                ToolWording.renewedAt,
                session.renewedAt == session.signedInAt
                    ? ToolWording.neverRenewed : past(session.renewedAt, localTime)
            ),
            Self.row(ToolWording.accessToken, life(session.accessTokenExpiry, style)),
            Self.row(ToolWording.idToken, life(claims?.expiry, style)),
            Self.row(
                ToolWording.refreshToken,
                session.refreshToken == nil
                    ? ToolWording.refreshTokenWithheld : life(session.refreshTokenExpiry, style)
            ),
            Self.row(ToolWording.session, ToolWording.place(ring: place.ring, name: place.ringName, key: place.key)),
            Self.row(ToolWording.logout, Self.logout(session.signOut)),
        ]
        if !isValid {
            let renewable = session.refreshToken != nil && session.refreshTokenExpiry > now
            lines += ["", renewable ? ToolWording.adviceRenewable : ToolWording.adviceSignInAgain]
        }
        return lines
    }

    private static func row(_ label: String, _ value: String) -> String {
        "  \(padded(label, to: 15))\(value)"
    }

    private func past(_ time: Int64, _ localTime: (Int64) -> String) -> String {
        ToolWording.past(now - time, at: localTime(time))
    }

    private func life(_ expiry: Int64?, _ style: Style) -> String {
        guard let expiry else {
            return ToolWording.unknownExpiry
        }
        let left = expiry - now
        guard left > 0 else {
            return style.bad(ToolWording.expired(-left))
        }
        // Under five minutes a script that starts now may not get to its end.
        return left < 300 ? style.warning(ToolWording.remaining(left)) : style.good(ToolWording.remaining(left))
    }

    private static func logout(_ mode: SignOutMode) -> String {
        switch mode {
        case .global: ToolWording.logoutGlobal
        case .last: ToolWording.logoutLast
        case .session: ToolWording.logoutSession
        case .none: ToolWording.logoutNone
        }
    }

    // MARK: For a program

    /// The report as one JSON object: the documented, stable form. Times are seconds since the epoch.
    package var json: JSONValue {
        var members: [String: JSONValue] = ["exit_status": .integer(Int64(exitStatus.rawValue))]
        switch situation.finding {
        case .session(let session, let place):
            let claims = session.idTokenClaims
            members["state"] = .string(exitStatus == .valid ? "valid" : "expired")
            members["username"] = .string(printable(session.userName))
            members["name"] = claims?.fullName.map(JSONValue.string) ?? .null
            members["email"] = claims?.emailAddress.map(JSONValue.string) ?? .null
            members["subject"] = claims?.subject.map(JSONValue.string) ?? .null
            members["groups"] = .array(session.groups.map(JSONValue.string))
            members["user_pool_id"] = .string(printable(session.userPoolID))
            members["client_id"] = .string(printable(session.clientID))
            members["region"] = .string(printable(session.region))
            members["signed_in_at"] = .integer(session.signedInAt)
            members["renewed_at"] = .integer(session.renewedAt)
            members["sign_out"] = .string(session.signOut.rawValue)
            members["access_token"] = lifetime(session.accessTokenExpiry)
            members["id_token"] = claims?.expiry.map(lifetime) ?? .null
            members["refresh_token"] =
                session.refreshToken == nil ? .null : lifetime(session.refreshTokenExpiry)
            members["keyring"] = .integer(Int64(place.ring))
            members["key"] = .integer(Int64(place.key))
        case .absent(let absence):
            members["state"] = .string(exitStatus == .expired ? "expired" : "none")
            members["reason"] = .string(absence.name)
            members["message"] = .string(absence.explanation.reason)
            members["advice"] = .string(absence.explanation.advice)
        }
        members["ignored_keys"] = .array(
            situation.ignored.map { key in
                .object([
                    "key": .integer(Int64(key.key)), "description": .string(key.name),
                    "uid": .integer(Int64(key.owner)), "permissions": .string(key.permissions),
                ])
            }
        )
        return .object(members)
    }

    private func lifetime(_ expiry: Int64) -> JSONValue {
        .object(["expires_at": .integer(expiry), "expires_in": .integer(max(0, expiry - now))])
    }
}

/// Emphasis on a terminal.
private struct Style {
    let colored: Bool

    func strong(_ text: String) -> String { wrapped(text, "1") }
    func good(_ text: String) -> String { wrapped(text, "32") }
    func warning(_ text: String) -> String { wrapped(text, "33") }
    func bad(_ text: String) -> String { wrapped(text, "31") }

    private func wrapped(_ text: String, _ code: String) -> String {
        colored ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
