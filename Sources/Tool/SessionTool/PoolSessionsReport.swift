package import Commands
internal import Messages
internal import Protocol
package import Tokens

/// The agent, as far as the pool's own list of sessions goes.
package protocol PoolSessionAgent {
    /// The sessions of that list, each as one JSON object; or has the one that it calls `ended` ended, and there are
    /// none.
    func poolSessions(_ key: Int32, ending ended: String?) throws(AgentFault) -> [[UInt8]]
}

/// The output of `cognito-session sessions --everywhere`: every session of the user that the pool knows, on any device.
package struct PoolSessionsReport: Sendable {
    private struct PoolSession {
        var name: String
        var isCurrent: Bool
        var isBrowser: Bool
        var clientID: String?
        var created: Int64?
        var lastActive: Int64
        var device: String?
        var origin: [String]

        /// None of it is trusted: it came through the worker, and from whatever answered as Cognito.
        init?(_ report: [UInt8]) {
            guard let value = JSONValue(parsing: report), let name = value["session"]?.text,
                let lastActive = value["active"]?.seconds
            else {
                return nil
            }
            self.name = printable(name)
            self.lastActive = lastActive
            isCurrent = value["current"]?.flag ?? false
            isBrowser = value["browser"]?.flag ?? false
            clientID = value["client_id"]?.text.map { text in printable(text) }
            created = value["created"]?.seconds
            device = value["device"]?.text.map { text in printable(text) }
            origin = ["address", "place"].compactMap { member in value[member]?.text.map { text in printable(text) } }
        }
    }

    private let sessions: [PoolSession]
    /// The app client and the token key of the session that asks.
    private let clientID: String
    private let key: Int32
    private let now: Int64

    /// Has the pool's list read with the session's tokens, `now` in seconds since the epoch.
    package init(of status: SessionStatus, by agent: some PoolSessionAgent, at now: Int64) throws(Refusal) {
        let (session, place) = try TokenRequest.session(status)
        do throws(AgentFault) {
            // Whatever was used last stands first.
            sessions = try agent.poolSessions(place.key, ending: nil).compactMap(PoolSession.init)
                .sorted { left, right in (left.lastActive, left.name) > (right.lastActive, right.name) }
        } catch {
            throw Refusal(listing: error)
        }
        clientID = session.clientID
        key = place.key
        self.now = now
    }

    /// Has the session of that name ended; what it was.
    package func end(_ name: String, by agent: some PoolSessionAgent) throws(Refusal) -> String {
        guard let session = sessions.first(where: { session in session.name == name }) else {
            throw Refusal(.none, ToolWording.notInList(printable(name)), name: Self.notListed)
        }
        guard !session.isCurrent else {
            throw Refusal(.usage, ToolWording.endsItself)
        }
        do throws(AgentFault) {
            _ = try agent.poolSessions(key, ending: name)
        } catch {
            if case .refused(.notListed, _) = error {
                throw Refusal(.none, ToolWording.notInList(printable(name)), name: Self.notListed)
            }
            throw Refusal(listing: error)
        }
        return session.device ?? session.name
    }

    /// The word in JSON for what is not in the list, or for the list that there is none of.
    fileprivate static let notListed = "not_listed"

    // MARK: For a person

    /// The report in words: a paragraph for each session, since what devices say of themselves is long.
    ///
    /// - Parameter localTime: A point in time as people here write it.
    package func text(_ look: Appearance, localTime: (Int64) -> String) -> String {
        guard !sessions.isEmpty else {
            return look.paragraph(ToolWording.emptyList).joined(separator: "\n") + "\n"
        }
        var lines = look.paragraph(look.strong(ToolWording.everywhereHeading(Int64(sessions.count))))
        for session in sessions {
            lines += [""] + look.paragraph(heading(session, look))
            lines += look.rows([
                (ToolWording.signedInAt, session.created.map(localTime)),
                (ToolWording.lastUsed, localTime(session.lastActive)),
                (ToolWording.sessionsFrom, session.origin.isEmpty ? nil : session.origin.joined(separator: ", ")),
                (ToolWording.appClient, session.clientID == clientID ? nil : session.clientID),
                (ToolWording.sessionID, session.name),
            ])
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func heading(_ session: PoolSession, _ look: Appearance) -> String {
        let device = session.device ?? (session.isBrowser ? ToolWording.aBrowser : ToolWording.unknownDevice)
        return session.isCurrent ? look.good(ToolWording.thisSession(device)) : look.strong(device)
    }

    // MARK: For a program

    /// The report as one JSON object: the documented, stable form. Times are seconds since the epoch.
    package var json: JSONValue {
        answerObject(.valid, nil, ["sessions": .array(sessions.map(Self.object))])
    }

    private static func object(_ session: PoolSession) -> JSONValue {
        .object([
            "session": .string(session.name), "current": .boolean(session.isCurrent),
            "type": .string(session.isBrowser ? "sso" : "token"),
            "client_id": session.clientID.map(JSONValue.string) ?? .null,
            "created_at": session.created.map(JSONValue.integer) ?? .null,
            "used_at": .integer(session.lastActive), "device": session.device.map(JSONValue.string) ?? .null,
            "from": session.origin.isEmpty ? .null : .string(session.origin.joined(separator: ", ")),
        ])
    }
}

extension Refusal {
    /// Why the list was not had.
    fileprivate init(listing fault: AgentFault) {
        if case .refused(.notListed, _) = fault {
            self.init(.none, ToolWording.notListed, name: PoolSessionsReport.notListed)
        } else {
            self.init(fault, absent: ToolWording.sessionsAbsent, broken: ToolWording.onlineFault)
        }
    }
}
