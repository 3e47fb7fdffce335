import Base

/// The options of `pam_cognito.conf`, in the order of the manual page.
///
/// This table is the one source: the parser, the sample file and the messages about mistakes come from it.
package enum Option: UInt8, CaseIterable, Sendable {
    case userPoolID
    case clientID
    case clientSecretFile
    case users
    case unixGroup
    case allowedGroups
    case deniedGroups
    case keyLogins
    case minimumUID
    case usernameTemplate
    case authFlow
    case preferredChallenge
    case combinedCode
    case rememberDevice
    case maxFailures
    case failInterval
    case localPassword
    case trySession
    case trySessionAge
    case session
    case signOut
    case signOutWait
    case checkInterval
    case onRevoked
    case idleSignOut
    case keyring
    case refreshToken
    case refreshTokenValidity
    case networkTimeout
    case connectTimeout
    case preconnect
    case sendClientAddress
    case sendClientMetadata
    case isolateSessions
    case journal
    case iamCredentialsFile
    case iamInstanceMetadata
    case welcome
    case translatePrompts
    case endpoint
    case caFile
    case pinnedPublicKeys
    case proxy

    /// The key in the file.
    package var name: StaticString {
        switch self {
        case .userPoolID: "user_pool_id"
        case .clientID: "client_id"
        case .clientSecretFile: "client_secret_file"
        case .users: "users"
        case .unixGroup: "unix_group"
        case .allowedGroups: "allowed_groups"
        case .deniedGroups: "denied_groups"
        case .keyLogins: "key_logins"
        case .minimumUID: "minimum_uid"
        case .usernameTemplate: "username_template"
        case .authFlow: "auth_flow"
        case .preferredChallenge: "preferred_challenge"
        case .combinedCode: "combined_code"
        case .rememberDevice: "remember_device"
        case .maxFailures: "max_failures"
        case .failInterval: "fail_interval"
        case .localPassword: "local_password"
        case .trySession: "try_session"
        case .trySessionAge: "try_session_age"
        case .session: "session"
        case .signOut: "sign_out"
        case .signOutWait: "sign_out_wait"
        case .checkInterval: "check_interval"
        case .onRevoked: "on_revoked"
        case .idleSignOut: "idle_sign_out"
        case .keyring: "keyring"
        case .refreshToken: "refresh_token"
        case .refreshTokenValidity: "refresh_token_validity"
        case .networkTimeout: "network_timeout"
        case .connectTimeout: "connect_timeout"
        case .preconnect: "preconnect"
        case .sendClientAddress: "send_client_address"
        case .sendClientMetadata: "send_client_metadata"
        case .isolateSessions: "isolate_sessions"
        case .journal: "journal"
        case .iamCredentialsFile: "iam_credentials_file"
        case .iamInstanceMetadata: "iam_instance_metadata"
        case .welcome: "welcome"
        case .translatePrompts: "translate_prompts"
        case .endpoint: "endpoint"
        case .caFile: "ca_file"
        case .pinnedPublicKeys: "pinned_public_keys"
        case .proxy: "proxy"
        }
    }

    /// What a value must look like, as a person is told it.
    package var allowed: StaticString {
        switch self {
        case .userPoolID: "a user pool id such as eu-west-1_AbCdEf123"
        case .clientID: "an app client id: 1 to 128 letters, digits, '_' or '+'"
        case .clientSecretFile, .iamCredentialsFile: "the absolute path of a file that only root can read"
        case .users: "names of local accounts, separated by blanks"
        case .unixGroup: "the name of a local group"
        case .allowedGroups: "names of Cognito groups, separated by blanks, or * for everybody in the pool"
        case .deniedGroups: "names of Cognito groups, separated by blanks"
        case .keyLogins: "ignore or refuse"
        case .minimumUID: "a number from 1 to 4294967294"
        case .usernameTemplate: "{user} or {user}@example.com: exactly one {user} and a literal domain"
        case .authFlow: "srp, password, choice or custom"
        case .preferredChallenge: "none, password_srp, password, email_otp or sms_otp"
        case .maxFailures: "0 for no limit, or a number from 1 to 1000"
        case .failInterval: "a time from 1m to 24h, such as 10m"
        case .localPassword: "never or unavailable"
        case .trySessionAge: "a time from 1s to 24h, such as 5m"
        case .session: "auto, open or never"
        case .signOut: "global, last, session or none"
        case .signOutWait: "a time from 0s to 60s, such as 5s"
        case .checkInterval: "0 for never, or a time from 1s to 24h, such as 10m"
        case .onRevoked: "notify, lock or terminate"
        case .idleSignOut: "0 for never, or a time from 5m to 7d, such as 30m"
        case .keyring: "session or user"
        case .refreshToken: "session or root"
        case .refreshTokenValidity: "a time from 1h to 3650d, as set for the app client, such as 30d"
        case .networkTimeout: "a time from 1s to 120s, such as 15s"
        case .connectTimeout: "a time from 1s to 60s, such as 5s"
        case .combinedCode, .rememberDevice, .trySession, .preconnect, .sendClientAddress, .sendClientMetadata,
            .isolateSessions, .journal, .iamInstanceMetadata, .welcome, .translatePrompts:
            "yes or no"
        case .endpoint: "https://host or https://host:port"
        case .caFile: "the absolute path of a file of CA certificates (PEM)"
        case .pinnedPublicKeys: "sha256//BASE64, or several of them separated by ';', each 44 characters of base64"
        case .proxy: "http://host:port, https://host:port or socks5h://host:port, without a name or a password"
        }
    }

    /// The value in force when the option is not given; nil where there is none.
    package var defaultText: StaticString? {
        switch self {
        case .keyLogins: "ignore"
        case .minimumUID: "1000"
        case .usernameTemplate: "{user}"
        case .authFlow: "srp"
        case .preferredChallenge: "none"
        case .combinedCode, .rememberDevice, .trySession, .sendClientMetadata, .journal, .iamInstanceMetadata,
            .translatePrompts:
            "no"
        case .maxFailures: "3"
        case .failInterval: "10m"
        case .localPassword: "never"
        case .trySessionAge: "5m"
        case .session: "auto"
        case .signOut: "global"
        case .signOutWait: "5s"
        case .checkInterval: "10m"
        case .onRevoked: "notify"
        case .idleSignOut: "0"
        case .keyring: "session"
        case .refreshToken: "session"
        case .refreshTokenValidity: "30d"
        case .networkTimeout: "15s"
        case .connectTimeout: "5s"
        case .preconnect, .sendClientAddress, .isolateSessions, .welcome: "yes"
        default: nil
        }
    }

    /// Whether a module argument may set it for one service.
    package var mayBeModuleArgument: Bool {
        switch self {
        case .allowedGroups, .deniedGroups, .keyLogins, .authFlow, .preferredChallenge, .combinedCode, .rememberDevice:
            true
        case .localPassword, .trySession, .trySessionAge, .session, .signOut, .signOutWait, .isolateSessions: true
        case .welcome, .translatePrompts: true
        default: false
        }
    }

    /// Whether it may stand in the file, where it would hold for all services.
    package var mayStandInFile: Bool {
        self != .trySession && self != .session
    }

    /// The option of that name; names are compared as bytes.
    package init?(named name: ArraySlice<UInt8>) {
        for option in Self.allCases where option.nameBytes.elementsEqual(name) {
            self = option
            return
        }
        return nil
    }

    /// The name as bytes.
    package var nameBytes: [UInt8] {
        name.bytes
    }
}
