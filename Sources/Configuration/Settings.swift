package import Base

package enum AuthFlow: ByteText, WrittenAsWord {
    case srp
    case password
    /// The person chooses among what the pool offers.
    case choice
    /// The pool's own challenges.
    case custom
}

/// The first challenge, if the flow leaves it open.
package enum PreferredChallenge: ByteText, WrittenAsWord {
    case none
    case passwordSRP = "password_srp"
    case password
    case emailCode = "email_otp"
    case messageCode = "sms_otp"
}

/// Whether a session follows a sign-in.
package enum SessionRule: ByteText, WrittenAsWord {
    /// As it is known of the service by its name.
    case byService = "auto"
    case follows = "open"
    case neverFollows = "never"
}

/// Services of Debian's whose programs authenticate people and begin no session for them: of those that these names
/// belong to, no program calls pam_open_session(3), but for Dovecot with `session=yes`, which closes it again at once.
///
/// Made anew each time: a stored list would be left behind in the host each time that libpam unloads the module.
package var servicesWithoutSession: [StaticString] {
    [
        "chfn", "chsh", "cups", "dovecot", "exim", "groupmems", "imap", "mariadb", "mysql", "nginx", "openvpn",
        "polkit-1", "pop", "pop3", "postgresql", "sieve", "smtp", "squid",
    ]
}

/// Whether users of an external identity provider sign in, through the pool's managed login in a browser.
package enum FederatedSignIn: ByteText, WrittenAsWord {
    case no
    /// Beside those who have a password in the pool: Enter alone at the password prompt.
    case yes
    /// No password is requested.
    case only
}

/// The treatment of a session's tokens when it ends.
package enum SignOutMode: UInt8, WrittenAsWord {
    /// GlobalSignOut: all of the person's sessions everywhere.
    case global = 1
    /// GlobalSignOut with the person's last session on this machine, RevokeToken before.
    case last = 4
    /// RevokeToken: this session's.
    case session = 2
    /// They live until they expire.
    case none = 3

    package var name: ByteText {
        switch self {
        case .global: "global"
        case .last: "last"
        case .session: "session"
        case .none: "none"
        }
    }
}

/// The treatment of a session that was signed out elsewhere or by the idle timeout, after its tokens are gone.
package enum RevokedAction: ByteText, WrittenAsWord {
    /// The person is told, and the session goes on without tokens.
    case notify
    /// Its screen is locked, too.
    case lock
    case terminate
}

/// The part of a sign-in that is done while the user types the password.
package enum Preconnect: ByteText, WrittenAsWord {
    case no
    case connect
    /// The proof of the password is begun, too, if that needs no password and has no message sent.
    case begin
}

/// The source of the users' accounts.
package enum AccountOrigin: ByteText, WrittenAsWord {
    /// They are created on this machine by the administrator.
    case none
    /// The pool's directory.
    case directory
    /// Their first sign-in here.
    case signIn = "sign-in"
}

/// Which Cognito groups may come in.
package enum AllowedGroups: Equatable, Sendable {
    case everybody
    case these([[UInt8]])
}

/// The decision of the rules about groups, and the rule that made it.
package enum GroupDecision: Equatable, Sendable {
    /// `allowed_groups = *`.
    case everybody
    case allowed([UInt8])
    /// A group in `denied_groups`, which weighs more.
    case denied([UInt8])
    case notAllowed
}

/// The Unix groups that a Cognito group stands for.
package struct GroupMapping: Equatable, Sendable {
    package let cognito: [UInt8]
    package let unix: [[UInt8]]

    /// A mapping by its parts.
    package init(cognito: [UInt8], unix: [[UInt8]]) {
        self.cognito = cognito
        self.unix = unix
    }
}

/// How many people may lose their accounts at once.
package enum RemovalLimit: Equatable, Sendable {
    /// So many in a hundred of those who have one, and in any case five.
    case share(UInt32)
    case number(UInt32)

    /// Whether `count` of `all` may.
    package func admits(_ count: Int, of all: Int) -> Bool {
        switch self {
        case .share(let share): count <= max(5, all / 100 * Int(share) + all % 100 * Int(share) / 100)
        case .number(let number): count <= Int(number)
        }
    }
}

/// The administrator's settings, checked. Names are bytes.
package struct Settings: Sendable {
    package var userPoolID: [UInt8] = []
    package var clientID: [UInt8] = []
    /// The file with the app client's secret.
    package var clientSecretFile: [UInt8]?
    /// Local accounts that are Cognito's, by name.
    package var users: [[UInt8]] = []
    /// Local accounts that are Cognito's, by group.
    package var unixGroup: [UInt8]?
    /// The accounts whose programs may have the agent check the password of other users.
    package var authenticatingUsers: [[UInt8]] = []
    /// Which Cognito groups may come in.
    package var allowedGroups = AllowedGroups.these([])
    /// Which Cognito groups stay out, whatever else they are in.
    package var deniedGroups: [[UInt8]] = []
    /// Whether a Cognito account that came in without Cognito, with an ssh key, is refused.
    package var refusesKeyLogins = false
    /// User ids below this are never Cognito's.
    package var minimumUID: UInt32 = 1000
    /// The source of the users' accounts.
    package var accounts = AccountOrigin.none
    /// Which names get one by their first sign-in.
    package var accountNames: [[UInt8]] = []
    /// Which user ids such accounts have.
    package var accountUIDs = UserIDRange.default
    package var accountShell: [UInt8] = ("/bin/bash" as StaticString).bytes
    /// Their home, with `{user}` where the name belongs.
    package var accountHome: [UInt8] = ("/home/{user}" as StaticString).bytes
    /// Whether people with such an account get subordinate ids, once they have come in.
    package var accountSubordinateIDs = false
    /// The domain that is appended to the account's name for the e-mail address sent to Cognito; empty: the name itself
    /// is sent.
    package var aliasDomain: [UInt8] = []
    package var authFlow = AuthFlow.srp
    /// The first challenge.
    package var preferredChallenge = PreferredChallenge.none
    /// Whether a password may be typed with a code behind it.
    package var combinedCode = false
    /// Whether this host becomes a device that the pool remembers for each person.
    package var rememberDevice = false
    /// The number of failed sign-ins of one user id for one account before further ones are refused; 0: any number.
    package var maxFailures: UInt32 = 3
    /// For how long one counts, in seconds.
    package var failInterval: Int64 = 600
    /// Whether this machine's password of a Cognito account, if there is one, counts while Cognito cannot be asked.
    package var allowsLocalPasswords = false
    /// Whether a person whose session this is run from comes in without a word: one service's business.
    package var trySession = false
    /// For how long after a sign-in, in seconds.
    package var trySessionAge: Int64 = 300
    /// The levels (`acr`) one of which a person must have proved themselves by, the first one asked for first; none:
    /// none is asked for.
    package var requiredACR: [[UInt8]] = []
    /// For how long after a sign-in what was proved in it counts for that, in seconds.
    package var maxAge: Int64 = 300
    /// Whether a session follows a sign-in.
    package var session = SessionRule.byService
    /// The treatment of the tokens when a session ends.
    package var signOut = SignOutMode.global
    /// How long the end of a session may wait for Cognito, in milliseconds.
    package var signOutWait: Int64 = 0
    /// How often Cognito is asked whether an open session still stands, in seconds; 0: never.
    package var checkInterval: Int64 = 600
    /// Whether open sessions are renewed before their access tokens expire, even if no program requests one.
    package var renewsAhead = false
    /// Whether a session's tokens cannot be read while its screen is locked.
    package var locksTokens = false
    /// Whether people may write a session's tokens, sealed, to a file, and have them in another session by it.
    package var exportsTokens = false
    /// The treatment of a session that Cognito no longer accepts.
    package var onRevoked = RevokedAction.notify
    /// The seconds without input at a session's terminals until its tokens are revoked; 0: unlimited.
    package var idleSignOut: Int64 = 0
    /// Whether all of the person's sessions can read the tokens, those included that did not sign in.
    package var sharesTokens = false
    /// Whether the session's key lacks the refresh token.
    package var withholdsRefreshToken = false
    /// How long refresh tokens live, in seconds, where that is given.
    package var givenRefreshTokenValidity: Int64?
    /// Time for all of the network in one sign-in, in milliseconds.
    package var networkTimeout: Int64 = 15_000
    /// Time for one connection, in milliseconds.
    package var connectTimeout: Int64 = 5000
    /// The part of a sign-in that is done while the user types.
    package var preconnect = Preconnect.begin
    /// Whether Cognito is told the address of a client on the network.
    package var sendClientAddress = true
    /// Whether the pool's Lambda triggers are told the service and this machine's name.
    package var sendClientMetadata = false
    /// Whether su and sudo get a session keyring of their own rather than the caller's tokens.
    package var isolateSessions = true
    /// Whether who has an open session is kept on disk, too, for the time after a crash.
    package var journal = false
    /// The file with the keys of this machine's IAM identity.
    package var iamCredentialsFile: [UInt8]?
    /// Whether the instance's metadata has these keys.
    package var iamInstanceMetadata = false
    /// The directory for Prometheus metrics of this machine.
    package var metricsDirectory: [UInt8]?
    /// Which Unix groups Cognito groups stand for, for accounts that come from the pool's directory.
    package var groupMap: [GroupMapping] = []
    /// The attributes of such people that have their public ssh keys, and their user ids.
    package var accountKeyAttribute: [UInt8]?
    package var accountUIDClaim: [UInt8]?
    /// How many of them may lose their accounts at once.
    package var accountRemovalLimit = RemovalLimit.share(10)
    /// Whether to say a word after sign-in.
    package var welcome = true
    /// Whether the prompts that programs look for are in the person's language, too.
    package var translatePrompts = false
    /// The endpoints that replace the pool's own: the first address, or the next one if that cannot be reached. They
    /// are one text, separated by blanks.
    package var endpoint: [UInt8]?
    /// CA certificates to trust instead of the system's.
    package var caFile: [UInt8]?
    /// The pool's key set, where it is not fetched.
    package var keySetFile: [UInt8]?
    package var worker = WorkerSettings()
    /// Those of them that are given, as they travel: `name=value`, a line each.
    package internal(set) var workerOptions: [UInt8] = []

    /// How long refresh tokens live, in seconds: as given, or Cognito's own default.
    package var refreshTokenValidity: Int64 { givenRefreshTokenValidity ?? 30 * 86_400 }

    init() {}

    /// The settings of an empty configuration, or of one that cannot be read.
    package static var defaults: Settings {
        @inline(never) get { Settings() }
    }

    /// Whether no session follows a sign-in at `service`. Then its tokens have no use.
    package func opensNoSession(_ service: [UInt8]) -> Bool {
        switch session {
        case .byService: servicesWithoutSession.contains { name in name.bytes == service }
        case .follows: false
        case .neverFollows: true
        }
    }

    /// Returns the decision of the rules for a user in `groups`.
    package func decide(_ groups: [[UInt8]]) -> GroupDecision {
        if let group = groups.first(where: { group in deniedGroups.contains(group) }) {
            return .denied(group)
        }
        switch allowedGroups {
        case .everybody: return .everybody
        case .these(let names):
            return groups.first { group in names.contains(group) }.map { group in .allowed(group) } ?? .notAllowed
        }
    }

    /// Whether the proof of a password can be begun without it. Then Cognito sends no message, and runs no custom
    /// challenge of the pool.
    package var canBeginUnasked: Bool {
        authFlow == .srp || authFlow == .choice && preferredChallenge == .passwordSRP
    }

    /// Whether this machine has an IAM identity, with which it can end sessions that a crash left.
    package var hasIAMIdentity: Bool {
        iamCredentialsFile != nil || iamInstanceMetadata
    }

    /// The name sent to Cognito for a local account.
    package func loginName(for account: [UInt8]) -> [UInt8] {
        account + aliasDomain
    }
}

/// The administrator's settings that the worker needs.
package struct WorkerSettings: Equatable, Sendable {
    /// Public keys of which Cognito's endpoint must have one, in the form of CURLOPT_PINNEDPUBLICKEY(3).
    package var pinnedPublicKeys: [UInt8]?
    /// The proxy that all requests go through, in the form of CURLOPT_PROXY(3).
    package var proxy: [UInt8]?
    /// The credentials of AWS that a session may have made, by their names: `awsCredentials(named:)` reads them.
    package var awsCredentials: [UInt8]?
    /// The endpoints that replace AWS's own for them.
    package var awsEndpoint: [UInt8]?
    /// Whether users of an external identity provider sign in.
    package var federated = FederatedSignIn.no
    /// The domain of the pool's managed login: `host` or `host:port`.
    package var managedLoginDomain: [UInt8]?
    /// The name that the provider has in the pool (ProviderName).
    package var identityProvider: [UInt8]?
    /// The redirect URI, one of the app client's CallbackURLs.
    package var redirectURI: [UInt8]?
    /// The claim of the ID token that must be the name sent to Cognito for the account.
    package var identityClaim: [UInt8]?
    /// The scopes that are asked for, with a blank between them.
    package var managedLoginScopes: [UInt8] = ("openid aws.cognito.signin.user.admin" as StaticString).bytes
    /// Whether a browser that is signed in already is enough.
    package var acceptsBrowserSession = false
    /// Whether the end of a session ends the browser's session at the pool, too.
    package var endsBrowserSession = false

    package init() {}

    /// Reads what `Settings.workerOptions` wrote; nil when there is something that this version does not know.
    package init?(_ workerOptions: [UInt8]) {
        for line in workerOptions.split(separator: UInt8(ascii: "\n")) {
            guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else {
                return nil
            }
            var option = Assignment(of: line[(equals + 1)...], to: line[..<equals])
            set(by: &option)
            guard option.isUnderstood else {
                return nil
            }
        }
    }
}
