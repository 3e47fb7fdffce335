internal import Base
package import Commands
internal import Keyring
internal import Messages
package import Tokens

/// The surroundings of this process that may explain why there are no tokens.
package struct Surroundings: Sendable {
    package var uid: UInt32
    /// The user who signed in, by the kernel's audit (pam_loginuid); nil without a login.
    package var loginUID: UInt32?
    /// `TMUX` is set.
    package var isInsideTmux = false
    /// `STY` is set.
    package var isInsideScreen = false
    /// `SUDO_UID` is set.
    package var isInsideSudo = false
    /// The control group is one of systemd's user manager.
    package var isInsideUserManager = false
    /// cron, at or the like carries this out.
    package var isInsideJob = false
}

/// Why there are no tokens that could be used.
package enum Absence: Equatable, Sendable {
    /// The session's keyring has been revoked: the session is over.
    case sessionEnded
    case insideJob
    case insideTmux
    case insideScreen
    case insideUserManager
    case insideSudo
    /// The account was taken on by su.
    case insideSu
    /// The session keyring is another account's.
    case foreignKeyring
    /// Only the account's default keyring, or none.
    case defaultKeyring
    /// Nothing is wrong: the user did not sign in with Cognito here, or signed out again.
    case noSignIn
    /// There was a token key, and its time has run out.
    case expired
    /// The kernel does not show the keyring.
    case unreadable(error: Int32)
    /// The key is ours, but is no token bundle.
    case damaged(String)
    /// The key is ours, and cannot be read until the person proves who they are: `lock_tokens`.
    case locked(KeyPlace)
    /// The key went away under our eyes.
    case vanished

    /// The problem, in a sentence.
    package var headline: String {
        switch self {
        case .expired: ToolWording.tokensExpired
        case .locked: ToolWording.tokensLocked
        default: ToolWording.noTokens
        }
    }

    /// For scripts.
    package var exitCode: ExitCode {
        switch self {
        case .expired: .expired
        case .locked: .locked
        default: .none
        }
    }

    /// Whether there is nothing that could be taken away: what is not readable may be there.
    var meansNothingIsHere: Bool {
        switch self {
        case .unreadable, .damaged, .locked: false
        default: true
        }
    }

    /// The word for it in JSON.
    package var name: String { words.name }
    /// Why that may be, and what to do.
    package var explanation: (reason: String, advice: String) { (words.reason, words.advice) }

    private var words: (name: String, reason: String, advice: String) {
        switch self {
        case .sessionEnded: ("session_ended", ToolWording.reasonRevoked, ToolWording.adviceRevoked)
        case .insideJob: ("job", ToolWording.reasonJob, ToolWording.adviceJob)
        case .insideTmux: ("tmux", ToolWording.reasonTmux, ToolWording.adviceTmux)
        case .insideScreen: ("screen", ToolWording.reasonScreen, ToolWording.adviceScreen)
        case .insideUserManager: ("systemd_user", ToolWording.reasonUserManager, ToolWording.adviceUserManager)
        case .insideSudo: ("sudo", ToolWording.reasonSudo, ToolWording.adviceSudo)
        case .insideSu: ("su", ToolWording.reasonSu, ToolWording.adviceSu)
        case .foreignKeyring: ("foreign_keyring", ToolWording.reasonForeignRing, ToolWording.adviceForeignRing)
        case .defaultKeyring: ("default_keyring", ToolWording.reasonDefaultRing, ToolWording.adviceDefaultRing)
        case .noSignIn: ("no_sign_in", ToolWording.reasonNoSignIn, ToolWording.adviceNoSignIn)
        case .expired: ("expired", ToolWording.reasonExpired, ToolWording.adviceExpired)
        case .unreadable(let error): ("unreadable", ToolWording.reasonUnreadable(error), ToolWording.adviceUnreadable)
        case .damaged(let why): ("damaged", ToolWording.reasonDamaged(why), ToolWording.adviceDamaged)
        case .locked: ("locked", ToolWording.reasonLocked, ToolWording.adviceLocked)
        case .vanished: ("vanished", ToolWording.reasonVanished, ToolWording.adviceRevoked)
        }
    }
}

/// The place of a session's tokens.
package struct KeyPlace: Equatable, Sendable {
    /// The keyring's serial: the session's, or one that this leads to.
    package var ring: Int32
    package var ringName: String
    package var key: Int32
    /// Whether it is the user keyring, where another session of the same person has shared its tokens.
    package var isShared = false
    /// Whether another session of the same person has handed them over.
    package var isAttached = false
}

/// A key that has a token key's name and is not one.
package struct IgnoredKey: Equatable, Sendable {
    package var key: Int32
    package var name: String
    package var owner: UInt32
    package var permissions: String
}

/// The tokens that were found in the session.
package struct SessionStatus: Sendable {
    /// Tokens, or why there are none.
    package enum Content: Sendable {
        case session(Session, KeyPlace)
        case absent(Absence)
    }

    /// The main finding of the report.
    package var finding: Content
    /// Further token keys of pam-cognito, of other pools or app clients.
    package var others: [IgnoredKey] = []
    /// Keys that were not believed.
    package var ignored: [IgnoredKey] = []
    /// Credentials that were made of the tokens.
    package var credentials: [MadeCredentials] = []

    /// For scripts; `now` in seconds since the epoch.
    package func exitCode(at now: Int64) -> ExitCode {
        switch finding {
        case .session(let session, _): session.accessTokenExpiry > now ? .valid : .expired
        case .absent(let absence): absence.exitCode
        }
    }

    /// Why the tokens are not there, or not good any more, and what to do; nil while they are good.
    func complaint(at now: Int64) -> String? {
        switch finding {
        case .session(let session, _):
            session.accessTokenExpiry > now
                ? nil : "\(ToolWording.accessTokenExpired) \(ToolWording.adviceRenewable)"
        case .absent(let absence): Refusal(absence).message
        }
    }

    /// Looks at the session keyring of this process.
    ///
    /// - Parameters:
    ///   - surroundings: What the process is surrounded by; looked at only when there are no tokens.
    ///   - isExpiredTokenKey: Whether a key that can no longer be described was a token key.
    package static func current(
        in surroundings: @autoclosure () -> Surroundings, isExpiredTokenKey: (Int32) -> Bool
    ) -> SessionStatus {
        let ring = SessionKeyring.current
        let ours = ring.tokenKeys.filter(\.isOurs)
        var status = SessionStatus(
            finding: .absent(.noSignIn),
            // A key of the same description was shared by another session of the user. This session's own key has
            // priority.
            others: ours.dropFirst().filter { key in key.description.text != ours.first?.description.text }
                .map(IgnoredKey.init),
            ignored: ring.tokenKeys.filter { key in !key.isOurs }.map(IgnoredKey.init),
            credentials: SessionKeyring.credentials.map(MadeCredentials.init)
        )
        if let key = ours.first {
            let place = KeyPlace(key.serial, key.place)
            do {
                let bundle = try key.read()
                do {
                    let session = try bundle.withBytes { bytes throws(SessionError) in try Session(decoding: bytes) }
                    status.finding = .session(session, place)
                } catch {
                    status.finding = .absent(.damaged(error.explanation))
                }
            } catch {
                status.finding = .absent(error == .keyExpired ? .expired : .vanished)
            }
            return status
        }
        guard let description = ring.description else {
            status.finding = .absent(Self.absence(ofRingFault: ring.fault, in: surroundings()))
            return status
        }
        let ringName = printable(description.text)
        let hasExpired = ring.closedKeys.contains { closed in
            closed.fault == .keyExpired && isExpiredTokenKey(closed.serial.number)
        }
        let surroundings = surroundings()
        // A key in the user's own keyring that cannot even be read was closed by root.
        let closed = ring.closedKeys.first { closed in closed.fault == .permissionDenied }
        if let closed, description.uid == surroundings.uid, !hasExpired {
            status.finding = .absent(.locked(KeyPlace(closed.serial, closed.place)))
        } else {
            status.finding = .absent(
                hasExpired
                    ? .expired : Self.absence(ringName: ringName, owner: description.uid, in: surroundings))
        }
        return status
    }

    /// Why a keyring that cannot be looked at has no tokens.
    static func absence(ofRingFault error: ErrorNumber?, in surroundings: Surroundings) -> Absence {
        // at(1) keeps the environment of the job's submitter, so it does not describe this process.
        guard !surroundings.isInsideJob else {
            return .insideJob
        }
        return switch error {
        case .keyRevoked, .keyExpired:
            // The program around the process is the better explanation: it shows which program has outlived the
            // session.
            if surroundings.isInsideTmux {
                .insideTmux
            } else if surroundings.isInsideScreen {
                .insideScreen
            } else {
                .sessionEnded
            }
        case nil, .noKey: .defaultKeyring
        case let error?: .unreadable(error: error.code)
        }
    }

    /// Why a good keyring has no tokens, the most particular reason first.
    static func absence(ringName: String, owner: UInt32, in surroundings: Surroundings) -> Absence {
        if surroundings.isInsideJob { return .insideJob }
        if surroundings.isInsideTmux { return .insideTmux }
        if surroundings.isInsideScreen { return .insideScreen }
        if surroundings.isInsideUserManager { return .insideUserManager }
        if surroundings.isInsideSudo { return .insideSudo }
        if owner != surroundings.uid { return .foreignKeyring }
        if let loginUID = surroundings.loginUID, loginUID != surroundings.uid { return .insideSu }
        if ringName.hasPrefix("_uid") { return .defaultKeyring }
        return .noSignIn
    }
}

extension MadeCredentials {
    init(_ key: CredentialKey) {
        self.init(name: printable(key.label.name), end: key.label.end)
    }
}

extension KeyPlace {
    fileprivate init(_ key: KeySerial, _ found: SessionKeyring.LinkPlace) {
        self.init(
            ring: found.ring.number, ringName: printable(found.ringName), key: key.number, isShared: found.isShared,
            isAttached: found.isAttached)
    }
}

extension IgnoredKey {
    init(_ key: SessionKeyring.LinkedTokenKey) {
        let digits = String(key.description.permissions.mask, radix: 16)
        self.init(
            key: key.serial.number, name: printable(key.description.text), owner: key.description.uid,
            permissions: String(repeating: "0", count: max(0, 8 - digits.count)) + digits
        )
    }
}

extension SessionError {
    /// The fault of a token set, for the user.
    fileprivate var explanation: String {
        switch self {
        case .notAnObject: ToolWording.bundleNoObject
        case .missing(let member): ToolWording.bundleLacks(member)
        case .malformed(let member): ToolWording.bundleMember(member)
        case .tooLarge: ToolWording.bundleTooLarge
        }
    }
}
