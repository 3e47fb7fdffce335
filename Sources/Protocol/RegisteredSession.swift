/// Where a session of the registry stands, as whoever lists them is told.
package enum RegisteredStatus: UInt8, Sendable, CaseIterable {
    /// Its tokens wait for a session to begin.
    case pending = 1
    /// It goes on.
    case open = 2
    /// It ended; Cognito has not said yes yet.
    case closing = 3
    /// Its tokens serve one step, such as a password change.
    case temporary = 4
    /// It ended without a word, and is about to be ended at Cognito.
    case abandoned = 5
    /// It is another container's, where it is ended.
    case foreign = 6
    /// Its entry cannot be read.
    case damaged = 7
    /// Its entry was written by another version, which understands it.
    case otherVersion = 8
}

/// A session of the registry as the agent tells of it to root. No token is in it.
package struct RegisteredSession: Equatable, Sendable {
    /// What is known of a session whose entry can be read. Names and addresses are bytes as they came.
    package struct Details: Equatable, Sendable {
        /// The account.
        package var user: [UInt8]
        /// PAM_SERVICE, PAM_RHOST and PAM_TTY; empty where there was none.
        package var service: [UInt8]
        package var remoteHost: [UInt8]
        package var terminal: [UInt8]
        /// What happens at its end: `global`, `last`, `session` or `none`.
        package var signOut: [UInt8]
        /// Where the tokens come from.
        package var userPoolID: [UInt8]
        package var clientID: [UInt8]
        /// The process whose end is the session's end.
        package var hostProcess: Int64
        /// How many seconds ago the person signed in, and the tokens were last renewed.
        package var signedInAgo: Int64
        package var renewedAgo: Int64
        /// When the tokens end, in seconds since the epoch.
        package var accessTokenExpiry: Int64
        package var refreshTokenExpiry: Int64
        /// How often its end was tried in vain.
        package var attempts: Int64
        /// In how many seconds it is tried again; 0: in the next round.
        package var nextAttemptIn: Int64

        /// Details by their parts.
        package init(
            user: [UInt8], service: [UInt8], remoteHost: [UInt8], terminal: [UInt8], signOut: [UInt8],
            userPoolID: [UInt8], clientID: [UInt8], hostProcess: Int64, signedInAgo: Int64, renewedAgo: Int64,
            accessTokenExpiry: Int64, refreshTokenExpiry: Int64, attempts: Int64, nextAttemptIn: Int64
        ) {
            self.user = user
            self.service = service
            self.remoteHost = remoteHost
            self.terminal = terminal
            self.signOut = signOut
            self.userPoolID = userPoolID
            self.clientID = clientID
            self.hostProcess = hostProcess
            self.signedInAgo = signedInAgo
            self.renewedAgo = renewedAgo
            self.accessTokenExpiry = accessTokenExpiry
            self.refreshTokenExpiry = refreshTokenExpiry
            self.attempts = attempts
            self.nextAttemptIn = nextAttemptIn
        }
    }

    /// The end of the year 9999, in seconds since the epoch: no time of a session is later, and none is further off.
    private static let longest: Int64 = 253_402_300_799

    /// The serial number of the entry: the session's number in the log.
    package var number: Int64
    /// Where it stands.
    package var status: RegisteredStatus
    /// Nil where the entry cannot be read.
    package var details: Details?

    /// A session by its parts.
    package init(number: Int64, status: RegisteredStatus, details: Details?) {
        self.number = number
        self.status = status
        self.details = details
    }

    /// The session that a message tells of; nil when it tells of none.
    package init?(_ frame: borrowing Frame) {
        guard let number = frame.number(.key),
            let status = frame.code(.registeredStatus).flatMap({ code in RegisteredStatus(rawValue: code) })
        else {
            return nil
        }
        self.number = number
        self.status = status
        guard let user = frame.bytes(.userName), let signOut = frame.bytes(.signOutMode),
            let pool = frame.bytes(.userPoolID), let client = frame.bytes(.clientID),
            let host = frame.number(.hostProcess), let signedInAgo = frame.number(.signedInAgo),
            let renewedAgo = frame.number(.renewedAgo), let accessTokenExpiry = frame.number(.accessTokenExpiry),
            let refreshTokenExpiry = frame.number(.refreshTokenExpiry), let attempts = frame.number(.attempts),
            let nextAttemptIn = frame.number(.nextAttemptIn),
            // Of such times sums can be made.
            [signedInAgo, renewedAgo, accessTokenExpiry, refreshTokenExpiry, nextAttemptIn].allSatisfy({ seconds in
                (-Self.longest...Self.longest).contains(seconds)
            })
        else {
            return
        }
        details = Details(
            user: user, service: frame.bytes(.serviceName) ?? [], remoteHost: frame.bytes(.clientAddress) ?? [],
            terminal: frame.bytes(.terminal) ?? [], signOut: signOut, userPoolID: pool, clientID: client,
            hostProcess: host, signedInAgo: signedInAgo, renewedAgo: renewedAgo, accessTokenExpiry: accessTokenExpiry,
            refreshTokenExpiry: refreshTokenExpiry, attempts: attempts, nextAttemptIn: nextAttemptIn)
    }

    /// The message that tells of it.
    package var message: FrameWriter {
        var writer = FrameWriter(.registeredSession)
        writer.add(.key, number)
        writer.add(.registeredStatus, code: status.rawValue)
        guard let details else {
            return writer
        }
        func nonempty(_ bytes: [UInt8]) -> [UInt8]? {
            bytes.isEmpty ? nil : bytes
        }
        writer.add(.userName, details.user)
        writer.add(.serviceName, ifPresent: nonempty(details.service))
        writer.add(.clientAddress, ifPresent: nonempty(details.remoteHost))
        writer.add(.terminal, ifPresent: nonempty(details.terminal))
        writer.add(.signOutMode, details.signOut)
        writer.add(.userPoolID, details.userPoolID)
        writer.add(.clientID, details.clientID)
        writer.add(.hostProcess, details.hostProcess)
        writer.add(.signedInAgo, details.signedInAgo)
        writer.add(.renewedAgo, details.renewedAgo)
        writer.add(.accessTokenExpiry, details.accessTokenExpiry)
        writer.add(.refreshTokenExpiry, details.refreshTokenExpiry)
        writer.add(.attempts, details.attempts)
        writer.add(.nextAttemptIn, details.nextAttemptIn)
        return writer
    }
}
