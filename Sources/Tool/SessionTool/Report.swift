package import Commands
internal import Messages
package import Tokens

/// The output of `cognito-session status` at a point in time.
package struct Report: Sendable {
    private let status: SessionStatus
    private let onlineStatus: OnlineStatus?
    private let now: Int64

    /// Makes a report about `status`, `now` in seconds since the epoch, with what Cognito said if it was asked.
    package init(_ status: SessionStatus, onlineStatus: OnlineStatus? = nil, at now: Int64) {
        self.status = status
        self.onlineStatus = onlineStatus
        self.now = now
    }

    /// For scripts.
    package var exitStatus: ExitCode {
        switch onlineStatus {
        case .unknown(let failure): failure.exitStatus
        case .accepted, nil: status.exitCode(at: now)
        }
    }

    // MARK: For a person

    /// The report in words.
    ///
    /// - Parameter localTime: A point in time as people here write it.
    package func text(_ look: Appearance, localTime: (Int64) -> String) -> String {
        var lines: [String]
        switch status.finding {
        case .session(let session, let place):
            lines = describe(session, place, look, localTime)
        case .absent(let absence):
            let explanation = absence.explanation
            lines = look.paragraph(look.strong(absence.headline))
            // Cognito's answer says why, and what to do.
            if absence != .vanished || exitStatus != .refused {
                lines += look.paragraph(explanation.reason) + look.paragraph(explanation.advice)
            }
        }
        if case .unknown(let failure) = onlineStatus {
            lines += [""] + look.paragraph(look.warning(failure.onlineMessage))
        }
        for key in status.others {
            lines += look.paragraph(ToolWording.alsoHere(key.name, key: key.key))
        }
        for key in status.ignored {
            lines += look.paragraph(
                ToolWording.ignoredKey(key.name, key: key.key, owner: key.owner, permissions: key.permissions)
            )
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func describe(
        _ session: Session, _ place: KeyPlace, _ look: Appearance, _ localTime: (Int64) -> String
    ) -> [String] {
        let claims = session.idTokenClaims
        // In pools with e-mail sign-in, the user name is the subject, a UUID, which nobody recognizes.
        let userName = printable(session.userName)
        let known = [userName, claims?.fullName, claims?.emailAddress].compactMap(\.self)
        var names = known.filter { name in !name.isEmpty }
        if userName == claims?.subject, claims?.emailAddress?.isEmpty == false {
            names.reverse()
        }
        let inBrackets = names.count < 2 ? "" : " (\(names.dropFirst().joined(separator: ", ")))"
        let name = look.strong(names.first ?? "")
        let isValid = session.accessTokenExpiry > now
        let groups = session.groups
        var rows: [(String, String?)] = [
            (ToolWording.pool, printable(session.userPoolID)),
            (ToolWording.client, printable(session.clientID)),
            (ToolWording.groups, groups.isEmpty ? ToolWording.noGroups : groups.joined(separator: ", ")),
            (ToolWording.signedInAt, past(session.signedInAt, localTime)),
            (
                ToolWording.renewedAt,
                session.renewedAt == session.signedInAt
                    ? ToolWording.neverRenewed : past(session.renewedAt, localTime)
            ),
            (ToolWording.accessToken, life(session.accessTokenExpiry, since: session.renewedAt, look)),
            (ToolWording.idToken, life(claims?.expiry, since: session.renewedAt, look)),
            (
                ToolWording.refreshToken,
                session.refreshToken == nil
                    ? ToolWording.refreshTokenWithheld
                    : life(session.refreshTokenExpiry, since: session.signedInAt, look, isEstimated: true)
            ),
            (
                ToolWording.session,
                place.isAttached
                    ? ToolWording.attachedPlace(ring: place.ring, name: place.ringName, key: place.key)
                    : ToolWording.place(
                        ring: place.ring, name: place.ringName, key: place.key, isShared: place.isShared)
            ),
            (
                ToolWording.logout,
                place.isAttached ? ToolWording.attachedLogout : Self.logout(session.signOut)
            ), (ToolWording.awsLabel, status.credentials.alive(at: now).map(ToolWording.awsCredentials)),
        ]
        switch onlineStatus {
        case .accepted: rows.append((ToolWording.onlineStatus, look.good(ToolWording.stands)))
        case .unknown: rows.append((ToolWording.onlineStatus, look.warning(ToolWording.onlineStatusUnknown)))
        case nil:
            rows.append((ToolWording.onlineStatus, ToolWording.accepted(past(session.renewedAt, localTime))))
        }
        var lines = look.paragraph(
            isValid
                ? ToolWording.signedIn(name, details: inBrackets)
                : ToolWording.signInExpired(name, details: inBrackets)
        )
        lines.append("")
        lines += look.rows(rows)
        if !isValid {
            lines += [""] + look.paragraph(ToolWording.adviceRenewable)
        }
        return lines
    }

    private func past(_ time: Int64, _ localTime: (Int64) -> String) -> String {
        ToolWording.past(now - time, at: localTime(time))
    }

    /// Only Cognito's confirmation is green: the remaining time does not show whether the tokens are still accepted.
    private func life(
        _ expiry: Int64?, since start: Int64, _ look: Appearance, isEstimated: Bool = false
    ) -> String {
        guard let expiry else {
            return ToolWording.unknownExpiry
        }
        let left = expiry - now
        let bar = look.bar(left, of: expiry - start)
        guard left > 0 else {
            let expired = ToolWording.expired(-left)
            return look.bad("\(bar) \(isEstimated ? ToolWording.estimated(expired) : expired)")
        }
        let remaining = ToolWording.remaining(left)
        let text = "\(bar) \(isEstimated ? ToolWording.estimated(remaining) : remaining)"
        guard left >= Self.soon else {
            return look.warning(text)
        }
        return onlineStatus == .accepted ? look.good(text) : text
    }

    /// Under five minutes a script that starts now may not get to its end.
    static let soon: Int64 = 300

    private static func logout(_ mode: SignOutPolicy) -> String {
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
        var members: [String: JSONValue] = [:]
        var message = status.complaint(at: now)
        var error: String?
        switch status.finding {
        case .session(let session, let place):
            let claims = session.idTokenClaims
            members["state"] = .string(session.accessTokenExpiry > now ? "valid" : "expired")
            members.merge(session.person) { _, new in new }
            members["user_pool_id"] = .string(printable(session.userPoolID))
            members["client_id"] = .string(printable(session.clientID))
            members["region"] = .string(printable(session.region))
            members["signed_in_at"] = .integer(session.signedInAt)
            members["renewed_at"] = .integer(session.renewedAt)
            members["accepted_at"] = .integer(onlineStatus == .accepted ? now : session.renewedAt)
            members["sign_out"] = .string(session.signOut.rawValue)
            members["access_token"] = lifetime(until: session.accessTokenExpiry, at: now)
            members["id_token"] = claims?.expiry.map { expiry in lifetime(until: expiry, at: now) } ?? .null
            members["refresh_token"] =
                session.refreshToken == nil
                ? .null : lifetime(until: session.refreshTokenExpiry, at: now, isEstimated: true)
            members["keyring"] = .integer(Int64(place.ring))
            members["shared"] = .boolean(place.isShared)
            members["attached"] = .boolean(place.isAttached)
            members["key"] = .integer(Int64(place.key))
            members["aws_credentials"] = status.credentials.json(at: now)
        case .absent(let absence):
            members["state"] = .string(absence == .expired ? "expired" : "none")
            members["reason"] = .string(absence.name)
            message = absence.explanation.reason
            members["advice"] = .string(absence.explanation.advice)
        }
        switch onlineStatus {
        case .accepted: members["online"] = .string(ExitCode.valid.name)
        case .unknown(let failure):
            members["online"] = .string(failure.name)
            error = failure.name
            members["online_message"] = .string(failure.onlineMessage)
            message = failure.onlineMessage
        case nil: break
        }
        members["ignored_keys"] = .array(
            status.ignored.map { key in
                .object([
                    "key": .integer(Int64(key.key)), "description": .string(key.name),
                    "uid": .integer(Int64(key.owner)), "permissions": .string(key.permissions),
                ])
            }
        )
        return answerObject(exitStatus, error: error, message, members)
    }
}

extension Session {
    /// The person, for a program.
    var person: [String: JSONValue] {
        let claims = idTokenClaims
        return [
            "username": .string(printable(userName)),
            "name": claims?.fullName.map(JSONValue.string) ?? .null,
            "email": claims?.emailAddress.map(JSONValue.string) ?? .null,
            "subject": claims?.subject.map(JSONValue.string) ?? .null,
            "groups": .array(groups.map(JSONValue.string)),
        ]
    }
}
