import Base

/// The state of a session in the registry, for a list.
package enum RegisteredStatus: UInt8, Sendable, CaseIterable {
    /// The sign-in succeeded, but no session has been opened.
    case pending = 1
    /// The session is open.
    case open = 2
    /// The session has ended, but Cognito has not confirmed the sign-out.
    case closing = 3
    /// The tokens are for a single step, such as a password change.
    case temporary = 4
    /// The session's process has exited without closing the session. The next cleanup run ends the session.
    case abandoned = 5
    /// The session belongs to another container, which will end the session.
    case foreign = 6
    /// The entry cannot be read.
    case damaged = 7
    /// The entry was written by another version of pam-cognito.
    case otherVersion = 8
}

/// A session of the registry as the agent tells of it to root. No token is in it.
package struct RegisteredSession: Equatable, Sendable {
    /// What is known of a session whose entry can be read. Names and addresses are bytes as they came.
    package struct Details: Equatable, Sendable {
        /// The account.
        package var user: [UInt8] = []
        /// PAM_SERVICE, PAM_RHOST and PAM_TTY; empty where there was none.
        package var service: [UInt8] = []
        package var remoteHost: [UInt8] = []
        package var terminal: [UInt8] = []
        /// What happens at its end: `global`, `last`, `session` or `none`.
        package var signOut: [UInt8] = []
        /// Where the tokens come from.
        package var userPoolID: [UInt8] = []
        package var clientID: [UInt8] = []
        /// The process whose end is the session's end.
        package var hostProcess: Int64 = 0
        /// How many seconds ago the person signed in, and the tokens were last renewed.
        package var signedInAgo: Int64 = 0
        package var renewedAgo: Int64 = 0
        /// When the tokens end, in seconds since the epoch.
        package var accessTokenExpiry: Int64 = 0
        package var refreshTokenExpiry: Int64 = 0
        /// How often its end was tried in vain.
        package var attempts: Int64 = 0
        /// In how many seconds it is tried again; 0: at the next cleanup run.
        package var nextAttemptIn: Int64 = 0

        /// Of which nothing is known yet.
        package static var unknown: Details { Details() }

        fileprivate mutating func code(_ coder: inout some RecordCoder<Field>) {
            coder.require(.userName, &user)
            service = coder.bytes(.serviceName, service.isEmpty ? nil : service) ?? []
            remoteHost = coder.bytes(.clientAddress, remoteHost.isEmpty ? nil : remoteHost) ?? []
            terminal = coder.bytes(.terminal, terminal.isEmpty ? nil : terminal) ?? []
            coder.require(.signOutMode, &signOut)
            coder.require(.userPoolID, &userPoolID)
            coder.require(.clientID, &clientID)
            coder.require(.hostProcess, &hostProcess)
            coder.require(.signedInAgo, &signedInAgo, longest)
            coder.require(.renewedAgo, &renewedAgo, longest)
            coder.require(.accessTokenExpiry, &accessTokenExpiry, longest)
            coder.require(.refreshTokenExpiry, &refreshTokenExpiry, longest)
            coder.require(.attempts, &attempts)
            coder.require(.nextAttemptIn, &nextAttemptIn, longest)
        }
    }

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
        guard let number = frame.number(.key), let status = frame.code(.registeredStatus, RegisteredStatus.self) else {
            return nil
        }
        var details = Details.unknown
        var reader = frame.reader()
        details.code(&reader)
        self.init(number: number, status: status, details: reader.isWhole ? details : nil)
    }

    /// The message that tells of it.
    package var message: FrameWriter {
        var fields = RecordWriter<Field>()
        var details = details
        details?.code(&fields)
        var writer = FrameWriter(.registeredSession)
        writer.add(.key, number)
        writer.add(.registeredStatus, status)
        writer.add(fields)
        return writer
    }
}

/// The end of the year 9999, in seconds since the epoch: no time of a session is later, and none is further off. Of
/// such times sums can be made.
private let longest: UInt64 = 253_402_300_799

extension RecordCoder {
    /// A number that must be there, and no further from 0 than `limit`.
    fileprivate mutating func require(_ key: Key, _ value: inout Int64, _ limit: UInt64 = .max) {
        var bits = UInt64(bitPattern: value)
        require(key, &bits)
        value = Int64(bitPattern: bits)
        if value.magnitude > limit {
            fail()
        }
    }
}
