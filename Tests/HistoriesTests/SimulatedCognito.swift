import Fakes

/// Cognito's answer to a request, and the time when it arrives.
enum Reply {
    case accepted
    case refusedAccessToken(isExpired: Bool)
    case revoked
    case throttled
    case serviceFault
    /// The result is unknown.
    case lost
}

/// What one sign-in gave: a refresh token, whatever it is renewed to, and access tokens.
final class Grant {
    let number: Int
    let person: String
    /// When the person had given their last answer, in milliseconds.
    let answered: Int64
    private(set) var isRevoked = false
    /// Whether it was taken along by the end of a session that was over before the person had answered.
    fileprivate(set) var wasTakenAlong = false
    /// Whether a session had it, which then was over; since when, in milliseconds.
    var wasOpened = false
    var over: Int64?
    /// Whether Cognito did not say how it stood when it was asked: what it does not say counts for the person.
    var wasLookedAtInVain = false
    /// The reason why the tokens cannot be revoked, so that the promise does not cover them; nil: they must be revoked.
    var excuse: String?

    fileprivate init(_ number: Int, of person: String, answered: Int64) {
        self.number = number
        self.person = person
        self.answered = answered
    }

    fileprivate func revoke() {
        isRevoked = true
    }
}

/// An access token, and the refresh token that goes with it, as they stand in a bundle.
struct SimulatedTokens {
    let grant: Int
    /// In seconds of Cognito's clock.
    let issued: Int64
    let expires: Int64

    var bundle: [UInt8] { Array("tok3n \(grant) \(issued) \(expires)".utf8) }

    init(grant: Int, issued: Int64, expires: Int64) {
        self.grant = grant
        self.issued = issued
        self.expires = expires
    }

    init?(_ bundle: [UInt8]) {
        let numbers = String(decoding: bundle, as: UTF8.self).split(separator: " ").dropFirst().compactMap { number in
            Int64(number)
        }
        guard numbers.count == 3 else {
            return nil
        }
        self.init(grant: Int(numbers[0]), issued: numbers[1], expires: numbers[2])
    }
}

/// Cognito as far as the promise depends on it: what lives, and that it revokes by the second.
final class SimulatedCognito {
    /// The epoch of its clock.
    static let epoch: Int64 = 1_800_000_000

    private let timeline: Timeline
    /// How long access tokens are good, in seconds.
    let accessTokenLife: Int64
    private(set) var grants: [Grant] = []
    /// The times of the last global sign-outs, in seconds.
    private var signedOut: [String: Int64] = [:]
    var onTakenAlong: ((Grant, String) -> Void)?

    init(_ timeline: Timeline, accessTokenLife: Int64) {
        self.timeline = timeline
        self.accessTokenLife = accessTokenLife
    }

    var time: Int64 { Self.epoch + timeline.now / 1000 }

    func signIn(_ person: String, answered: Int64) -> SimulatedTokens {
        grants.append(Grant(grants.count, of: person, answered: answered))
        return tokens(grants.count - 1)
    }

    private func tokens(_ grant: Int) -> SimulatedTokens {
        SimulatedTokens(grant: grant, issued: time, expires: time + accessTokenLife)
    }

    /// GetUser.
    func look(_ tokens: SimulatedTokens) -> Reply {
        guard tokens.expires > time else {
            return .refusedAccessToken(isExpired: true)
        }
        let grant = grants[tokens.grant]
        let isOfThatSecond = signedOut[grant.person].map { second in tokens.issued <= second } ?? false
        return grant.isRevoked || isOfThatSecond ? .refusedAccessToken(isExpired: false) : .accepted
    }

    /// GetTokensFromRefreshToken; nil: they are revoked.
    func renew(_ old: SimulatedTokens) -> SimulatedTokens? {
        grants[old.grant].isRevoked ? nil : tokens(old.grant)
    }

    /// RevokeToken.
    func revoke(_ tokens: SimulatedTokens) -> Reply {
        let grant = grants[tokens.grant]
        defer { grant.revoke() }
        return grant.isRevoked ? .revoked : .accepted
    }

    /// GlobalSignOut.
    ///
    /// - Parameter since: When the session was over whose end this is, in milliseconds; nil: the person wants
    ///   everything ended now.
    func signOutEverywhere(_ tokens: SimulatedTokens, since: Int64?) -> Reply {
        let reply = look(tokens)
        if case .accepted = reply {
            endAll(of: grants[tokens.grant].person, since: since, "the end of \(tokens.grant)")
        }
        return reply
    }

    /// AdminUserGlobalSignOut is the same without tokens.
    func endAll(of person: String, since: Int64?, _ cause: String) {
        signedOut[person] = time
        for grant in grants where grant.person == person && !grant.isRevoked {
            grant.revoke()
            if let since, grant.answered > since {
                grant.wasTakenAlong = true
                onTakenAlong?(grant, cause)
            }
        }
    }
}
