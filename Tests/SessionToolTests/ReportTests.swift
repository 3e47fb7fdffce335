import Protocol
import Testing
import TokenSigning
import Tokens

@testable import Commands
@testable import cognito_session

extension SessionStatus {
    /// The same with another session, or in another place.
    func changing(_ change: (inout Session, inout KeyPlace) -> Void) -> SessionStatus {
        guard case .session(var session, var place) = finding else {
            Issue.record("no session")
            return self
        }
        change(&session, &place)
        var status = self
        status.finding = .session(session, place)
        return status
    }
}

@Suite("The report of cognito-session")
struct ReportTests {
    static let now: Int64 = 1_800_000_000

    static func token(_ claims: String) -> String {
        "e30.\(Base64.url.encode(Array(claims.utf8))).c2lnbmF0dXJl"
    }

    static func status(
        accessExpiry: Int64 = now + 3480, refresh: Bool = true, signOut: SignOutPolicy = .global,
        claims: String? = nil, renewedAt: Int64 = now - 120
    ) -> SessionStatus {
        let session = Session(
            accessToken: SecretValue(token(#"{"cognito:groups":["linux-users","admins"],"exp":\#(accessExpiry)}"#)),
            idToken: SecretValue(
                token(
                    claims ?? #"{"name":"Ana García","email":"ana@example.com","sub":"5ub","exp":\#(accessExpiry)}"#
                )),
            refreshToken: refresh ? "eyJ.secret.refresh" : nil,
            accessTokenExpiry: accessExpiry,
            refreshTokenExpiry: now + 2_591_999,
            userName: "ana",
            userPoolID: "eu-west-1_AbCdEf123",
            clientID: "1example23456789",
            region: "eu-west-1",
            signedInAt: now - 120,
            renewedAt: renewedAt,
            signOut: signOut
        )
        return SessionStatus(finding: .session(session, KeyPlace(ring: 123, ringName: "_ses", key: 456)))
    }

    static func text(_ status: SessionStatus, colored: Bool = false) -> String {
        Report(status, at: now).text(Appearance(isColored: colored), localTime: { _ in "12:03" })
    }

    @Test("a user whose name in the pool is a UUID is called by the e-mail address")
    func emailSignIn() {
        let status = Self.status(claims: #"{"name":"Ana García","email":"ana@example.com","sub":"ana"}"#)
        #expect(Self.text(status).hasPrefix("Signed in to Amazon Cognito as ana@example.com (Ana García, ana).\n"))
        let nameless = Self.status(claims: #"{"email":"","sub":"ana"}"#)
        #expect(Self.text(nameless).hasPrefix("Signed in to Amazon Cognito as ana.\n"))
    }

    @Test("says who, where, how long and what then")
    func valid() {
        #expect(
            Self.text(Self.status()) == """
                Signed in to Amazon Cognito as ana (Ana García, ana@example.com).

                  User pool      eu-west-1_AbCdEf123
                  App client     1example23456789
                  Groups         linux-users, admins
                  Signed in      2 minutes ago, at 12:03
                  Renewed        not yet
                  Access token   ██████████ 58 minutes left
                  ID token       ██████████ 58 minutes left
                  Refresh token  ██████████ 29 days 23 hours left (estimated from settings)
                  Session        keyring 123 (_ses), key 456
                  At logout      Cognito signs you out of all sessions, on all machines and in all applications.
                  At Cognito     accepted 2 minutes ago, at 12:03; to check now, add --online

                """
        )
        #expect(Report(Self.status(), at: Self.now).exitStatus == .valid)
    }

    @Test("says what has expired, and what to do")
    func expired() {
        let status = Self.status(accessExpiry: Self.now - 300, refresh: false)
        let text = Self.text(status)
        #expect(text.contains("but the access token has expired."))
        #expect(text.contains("Access token   ░░░░░░░░░░ expired 5 minutes ago\n"))
        #expect(text.contains("Refresh token  withheld from this session by this machine's settings\n"))
        #expect(text.hasSuffix("The renewal succeeds only if Cognito still accepts the refresh token.\n"))
        #expect(Report(status, at: Self.now).exitStatus == .expired)
        #expect(Report(Self.status(accessExpiry: Self.now), at: Self.now).exitStatus == .expired)
    }

    @Test("never has a token in it, in any form")
    func noToken() throws {
        let status = Self.status()
        let json = try #require(Report(status, at: Self.now).json.serialized)
        guard case .session(let session, _) = status.finding else {
            Issue.record("no session")
            return
        }
        for text in [Self.text(status), String(decoding: json, as: UTF8.self)] {
            for token in [session.accessToken, session.idToken, session.refreshToken] {
                #expect(!text.contains(token?.text ?? "-"))
            }
            #expect(!text.contains("c2lnbmF0dXJl"))
        }
    }

    @Test("lets no claim write to the terminal")
    func controlCharacters() {
        let text = Self.text(Self.status(claims: #"{"name":"A\u001b[2Jb\u202e","email":"x\ny@example.com"}"#))
        #expect(text.hasPrefix("Signed in to Amazon Cognito as ana (A[2Jb, xy@example.com).\n"))
        #expect(text.contains("ID token       expiry unknown\n"))
    }

    @Test("is coloured only when asked")
    func color() {
        #expect(!Self.text(Self.status()).contains("\u{1B}"))
        let asked = Report(Self.status(), onlineStatus: .accepted, at: Self.now)
            .text(Appearance(isColored: true), localTime: { _ in "12:03" })
        #expect(asked.contains("\u{1B}[32m██████████ 58 minutes left\u{1B}[0m"))
        #expect(
            Self.text(Self.status(accessExpiry: Self.now + 299), colored: true).contains(
                "\u{1B}[33m███████░░░ 4 minutes left")
        )
    }

    @Test("is green only by Cognito's word, and says when that was")
    func unasked() {
        let status = Self.status(renewedAt: Self.now - 60)
        let text = Self.text(status, colored: true)
        #expect(
            !text.contains("\u{1B}[32m")
                && text.contains("accepted 1 minute ago, at 12:03; to check now, add --online\n"))
        for (onlineStatus, time) in [
            (nil, Self.now - 60), (.accepted, Self.now), (.unknown(.refused(.unreachable)), Self.now - 60),
        ]
            as [(OnlineStatus?, Int64)]
        {
            #expect(Report(status, onlineStatus: onlineStatus, at: Self.now).json["accepted_at"]?.seconds == time)
        }
        #expect(ShellPrompt(status, at: Self.now).json["accepted_at"]?.seconds == Self.now - 60)
    }

    @Test("tells what logout will do", arguments: SignOutPolicy.allCases)
    func logout(mode: SignOutPolicy) {
        let words = [
            SignOutPolicy.global: "all machines", .last: "your last session", .session: "stay signed in",
            .none: "Nothing",
        ]
        #expect(Self.text(Self.status(signOut: mode)).contains(words[mode] ?? "?"))
    }

    @Test("tells whose the tokens are that another session shares")
    func shared() throws {
        #expect(!Self.text(Self.status()).contains("shared"))
        let shared = Self.status().changing { _, place in place.isShared = true }
        let bytes = try #require(Report(shared, at: Self.now).json.serialized)
        #expect(String(decoding: bytes, as: UTF8.self).contains("\"shared\":true"))
        #expect(Self.text(shared).contains("borrowed from another of your sessions"))
    }

    @Test("says which credentials of AWS live on, and so does a sign-out")
    func credentials() {
        var status = Self.status()
        status.credentials = [
            MadeCredentials(name: "b", end: Self.now + 3000), MadeCredentials(name: "a", end: Self.now + 120),
            MadeCredentials(name: "old", end: Self.now),
        ]
        #expect(Self.text(status).contains("a (2 minutes left), b (50 minutes left): anyone with a copy"))
        #expect(!Self.text(Self.status()).contains("copy"))
        #expect(Report(status, at: Self.now).json["aws_credentials"]?.elements?.count == 2)
        let ended = SignOut(scope: .here).perform(status, by: SignedOutAgent()) { _ in true }
        #expect(
            ended.leaving(status.credentials, at: Self.now).text.hasSuffix(
                "\nAWS credentials that programs have obtained stay valid: a (2 minutes left), b (50 minutes left).\n"
            ))
        #expect(ended.leaving([], at: Self.now).text == ended.text)
        let nothing = SignOut(scope: .here).perform(SessionStatus(finding: .absent(.noSignIn)), by: SignedOutAgent()) {
            _ in
            true
        }
        #expect(!nothing.leaving(status.credentials, at: Self.now).text.contains("AWS"))
    }

    private struct SignedOutAgent: SignOutAgent {
        func signOut(_ key: Int32, _ scope: SignOutScope) throws(AgentFault) -> SignOutResult { .revoked }
        func signOutOfMachine() throws(AgentFault) -> MachineSignOut { MachineSignOut(ended: 1, left: 0) }
    }

    @Test("is one stable JSON object")
    func json() throws {
        let bytes = try #require(Report(Self.status(renewedAt: Self.now - 60), at: Self.now).json.serialized)
        #expect(
            String(decoding: bytes, as: UTF8.self) == """
                {"accepted_at":1799999940,"access_token":{"expires_at":1800003480,"expires_in":3480},"attached":false,"aws_credentials":[],"client_id":"1example23456789","email":"ana@example.com","error":null,"exit_status":0,"groups":["linux-users","admins"],"id_token":{"expires_at":1800003480,"expires_in":3480},"ignored_keys":[],"key":456,"keyring":123,"message":null,"name":"Ana \
                García","refresh_token":{"estimated":true,"expires_at":1802591999,"expires_in":2591999},"region":"eu-west-1","renewed_at":1799999940,"shared":false,"sign_out":"global","signed_in_at":1799999880,"state":"valid","subject":"5ub","user_pool_id":"eu-west-1_AbCdEf123","username":"ana"}
                """
        )
    }

    @Test("explains every absence in two sentences", arguments: absences)
    func absence(_ absence: Absence, status: ExitCode) throws {
        let report = Report(SessionStatus(finding: .absent(absence)), at: Self.now)
        let lines = report.text(Appearance(), localTime: { _ in "" }).split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.allSatisfy { line in line.hasSuffix(".") })
        #expect(report.exitStatus == status)
        #expect(report.json["reason"]?.text == absence.name)
        #expect(report.json["state"]?.text == (status == .expired ? "expired" : "none"))
    }

    static let absences: [(Absence, ExitCode)] = [
        (.sessionEnded, .none), (.insideTmux, .none), (.insideScreen, .none), (.insideUserManager, .none),
        (.insideSudo, .none), (.insideSu, .none), (.foreignKeyring, .none), (.defaultKeyring, .none),
        (.noSignIn, .none), (.expired, .expired), (.unreadable(error: 1), .none),
        (.damaged("The token set is not a JSON object."), .none), (.vanished, .none),
    ]

    @Test("names keys that it does not believe")
    func ignored() {
        let key = IgnoredKey(key: 7, name: "cognito:pool:client", owner: 1000, permissions: "3f010000")
        let report = Report(SessionStatus(finding: .absent(.noSignIn), ignored: [key]), at: Self.now)
        let text = report.text(Appearance(), localTime: { _ in "" })
        #expect(text.contains("Ignoring key 7, \"cognito:pool:client\": it is owned by uid 1000"))
        #expect(report.json["ignored_keys"]?.elements?.count == 1)
    }
}
