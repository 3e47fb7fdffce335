package import Commands
internal import Messages
package import Protocol
package import Tokens

/// The output of `cognito-session sessions` about sessions on this machine, at a point in time.
package struct SessionsReport: Sendable {
    private let sessions: [RegisteredSession]
    private let isOfEverybody: Bool
    private let now: Int64

    /// Makes a report about `sessions`, `now` in seconds since the epoch.
    ///
    /// - Parameter isOfEverybody: Whether they are all that there are, or those of one person.
    package init(_ sessions: [RegisteredSession], ofEverybody isOfEverybody: Bool = true, at now: Int64) {
        self.isOfEverybody = isOfEverybody
        self.now = now
        // The oldest session is first; unreadable entries are last.
        self.sessions = sessions.sorted { left, right in
            (-(left.details?.signedInAgo ?? -1), left.number) < (-(right.details?.signedInAgo ?? -1), right.number)
        }
    }

    // MARK: For a person

    /// The report in words: a table where there is room for it, else a paragraph for each session.
    ///
    /// - Parameter localTime: A point in time as people here write it.
    package func text(_ look: Appearance, localTime: (Int64) -> String) -> String {
        guard !sessions.isEmpty else {
            let text = isOfEverybody ? ToolWording.noSessions : ToolWording.noSessionsOfYours
            return look.paragraph(text).joined(separator: "\n") + "\n"
        }
        let people = Set(sessions.compactMap { session in session.details?.user }).count
        var lines = look.paragraph(look.strong(ToolWording.sessionsHeading(sessions.count, people))) + [""]
        let rows = sessions.map { session in row(session, look, localTime) }
        let headings = [
            ToolWording.sessionsUser, ToolWording.signedInAt, ToolWording.sessionsFrom, ToolWording.accessToken,
            ToolWording.sessionsState,
        ]
        let table = look.table(headings, rows.map(\.cells))
        if let columns = look.columns, table.contains(where: { line in visibleWidth(line) > columns }) {
            lines += zip(sessions, rows).flatMap { session, row in block(session, row, look, localTime) + [""] }
                .dropLast()
        } else {
            lines += table
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private struct SessionRow {
        var user: String
        var since = ""
        var from = ""
        var accessToken = ""
        var state: String

        var cells: [String] { [user, since, from, accessToken, state] }
    }

    private func row(_ session: RegisteredSession, _ look: Appearance, _ localTime: (Int64) -> String) -> SessionRow {
        guard let details = session.details else {
            return SessionRow(
                user: ToolWording.unreadableSession(session.number), state: look.bad(session.status.words.text))
        }
        let left = details.accessTokenExpiry - now
        let expiry = ToolWording.until(localTime(details.accessTokenExpiry))
        var state = session.status.words.text
        if details.attempts > 0 {
            let next = details.nextAttemptIn > 0 ? localTime(now + details.nextAttemptIn) : nil
            state += ", \(ToolWording.attempts(details.attempts, next: next))"
        }
        return SessionRow(
            user: printable(details.user),
            since: localTime(now - details.signedInAgo),
            from: details.origin,
            accessToken: left < 0 ? look.bad(expiry) : left < Report.soon ? look.warning(expiry) : expiry,
            state: session.status.isOrdinary && details.attempts == 0 ? look.good(state) : look.warning(state)
        )
    }

    private func block(
        _ session: RegisteredSession, _ row: SessionRow, _ look: Appearance, _ localTime: (Int64) -> String
    ) -> [String] {
        let details = session.details
        return look.paragraph(look.strong(row.user))
            + look.rows([
                (
                    ToolWording.signedInAt,
                    details.map { details in ToolWording.past(details.signedInAgo, at: row.since) }
                ), (ToolWording.sessionsFrom, details.map { _ in row.from }),
                (ToolWording.accessToken, details.map { _ in row.accessToken }),
                (
                    ToolWording.refreshToken,
                    details.map { details in ToolWording.until(localTime(details.refreshTokenExpiry)) }
                ), (ToolWording.sessionsState, row.state),
            ])
    }

    // MARK: For a program

    /// The report as one JSON object: the documented, stable form. Times are seconds since the epoch.
    package var json: JSONValue {
        answerObject(.valid, nil, ["sessions": .array(sessions.map(object))])
    }

    private func object(_ session: RegisteredSession) -> JSONValue {
        var members: [String: JSONValue] = [
            "session": .integer(session.number), "state": .string(session.status.words.name),
        ]
        if let details = session.details {
            members["user"] = .string(printable(details.user))
            members["service"] = Self.text(details.service)
            members["remote_host"] = Self.text(details.remoteHost)
            members["terminal"] = Self.text(details.terminal)
            members["process"] = .integer(details.hostProcess)
            members["user_pool_id"] = Self.text(details.userPoolID)
            members["client_id"] = Self.text(details.clientID)
            members["sign_out"] = Self.text(details.signOut)
            members["signed_in_at"] = .integer(now - details.signedInAgo)
            members["renewed_at"] = .integer(now - details.renewedAgo)
            members["access_token"] = lifetime(until: details.accessTokenExpiry, at: now)
            members["refresh_token"] = lifetime(until: details.refreshTokenExpiry, at: now, isEstimated: true)
            members["attempts"] = .integer(details.attempts)
            members["next_attempt_at"] = details.attempts > 0 ? .integer(now + details.nextAttemptIn) : .null
        }
        return .object(members)
    }

    private static func text(_ bytes: [UInt8]) -> JSONValue {
        bytes.isEmpty ? .null : .string(printable(bytes))
    }
}

extension RegisteredSession.Details {
    /// The service, and the host or the terminal that the person came from.
    fileprivate var origin: String {
        let isTerminal = terminal.starts(with: Array("/dev/".utf8))
        let place = remoteHost.isEmpty ? (isTerminal ? Array(terminal.dropFirst(5)) : terminal) : remoteHost
        return [service, place].filter { part in !part.isEmpty }.map(printable).joined(separator: " ")
    }
}

extension RegisteredStatus {
    /// Whether nothing has gone wrong.
    fileprivate var isOrdinary: Bool {
        switch self {
        case .pending, .open, .temporary: true
        case .closing, .abandoned, .foreign, .damaged, .otherVersion: false
        }
    }

    /// The state for the user, and the word for it in JSON.
    fileprivate var words: (text: String, name: String) {
        switch self {
        case .pending: (ToolWording.pendingState, "pending")
        case .open: (ToolWording.openState, "open")
        case .closing: (ToolWording.closingState, "closing")
        case .temporary: (ToolWording.heldState, "held")
        case .abandoned: (ToolWording.abandonedState, "abandoned")
        case .foreign: (ToolWording.foreignState, "foreign")
        case .damaged: (ToolWording.damagedState, "damaged")
        case .otherVersion: (ToolWording.otherVersionState, "other_version")
        }
    }
}
