import Accounts
import Base
import CPAM
import Configuration
import Keyring
import Protocol
import Sessions
import Testing

@testable import Fakes

/// A user who is not managed.
private struct Stranger: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var name: [UInt8] = Array("alice".utf8)
    var account: Account? = Account(uid: 5001, gid: 5001, hasUsablePassword: false)
    var inGroup = true
    var configuration = ""
    var expected = ReturnValue.ignore

    static let all: [Stranger] =
        [
            Stranger(
                testDescription: "root", name: Array("root".utf8),
                account: Account(uid: 0, gid: 0, hasUsablePassword: true)),
            Stranger(
                testDescription: "root by another name, listed", name: Array("toor".utf8),
                account: Account(uid: 0, gid: 0, hasUsablePassword: false), configuration: "users = toor root"),
            Stranger(testDescription: "low uid", account: Account(uid: 999, gid: 5001, hasUsablePassword: false)),
            Stranger(
                testDescription: "low uid, listed", account: Account(uid: 999, gid: 5001, hasUsablePassword: false),
                configuration: "users = alice"),
            Stranger(
                testDescription: "below a higher minimum", configuration: "minimum_uid = 5002\nusers = alice"),
            Stranger(
                testDescription: "local password", account: Account(uid: 5001, gid: 5001, hasUsablePassword: true)),
            Stranger(
                testDescription: "locked local password",
                account: Account(uid: 5001, gid: 5001, hasUsablePassword: false, hasLockedPassword: true)),
            Stranger(testDescription: "not in the group", inGroup: false),
            Stranger(
                testDescription: "other users listed", inGroup: false, configuration: "users = bob alicea alic ALICE"),
            Stranger(
                testDescription: "other case than the one listed", name: Array("Alice".utf8), inGroup: false,
                configuration: "users = alice"),
            Stranger(
                testDescription: "other Unicode form than the one listed", name: Array("jose\u{301}".utf8),
                inGroup: false,
                configuration: "users = jos\u{e9}"),
            Stranger(testDescription: "no such account", account: nil, expected: .userUnknown),
        ]
        + [
            ("empty", []), ("slash", Array("a/b".utf8)), ("dots and slash", Array("../alice".utf8)),
            ("newline", Array("alice\n".utf8)), ("escape", Array("\u{1b}alice".utf8)),
            ("delete", Array("ali\u{7f}ce".utf8)),
            ("blank", Array("alice ".utf8)), ("tab", Array("al\tice".utf8)), ("C1 control", Array("alice\u{85}".utf8)),
            ("invalid UTF-8", [0x61, 0xff]), ("cut UTF-8", [0x61, 0xc3]), ("overlong UTF-8", [0xc1, 0xa1]),
            ("NUL", [0x61, 0]), ("too long", [UInt8](repeating: 0x61, count: 129)),
        ].map { name, bytes in
            Stranger(
                testDescription: "name with \(name)", name: bytes, configuration: "users = alice",
                expected: .userUnknown)
        }
}

@Suite struct CoverageTests {
    @Test("who is not covered is asked nothing, costs no process and leaves no line", arguments: Stranger.all)
    private func strangers(stranger: Stranger) {
        let world = World(stranger.configuration, scripts: [.ask(.password), .signedIn(as: text(stranger.name))])
        world.machine.accounts = [:]
        world.machine.accounts[stranger.name] = stranger.account
        world.machine.people = stranger.inGroup ? [stranger.name] : []
        world.host.userName = .success(stranger.name)
        #expect(world.authenticate() == stranger.expected)
        #expect(world.checkAccount() == .ignore)
        #expect(world.setCredentials() == .success)
        #expect(world.openSession() == .success)
        #expect(world.closeSession() == .success)
        #expect(world.machine.workers.isEmpty)
        #expect(world.host.questions.isEmpty)
        #expect(world.host.shown.isEmpty)
        #expect(world.host.takeLog() == [])
    }

    @Test("root gets in with a broken configuration, without a line")
    func rootAndBrokenConfiguration() {
        let world = World()
        world.machine.configuration = [0xff]
        world.machine.accounts[Array("root".utf8)] = Account(uid: 0, gid: 0, hasUsablePassword: true)
        world.host.userName = .success(Array("root".utf8))
        #expect(world.authenticate() == .ignore)
        #expect(world.host.takeLog() == [])
    }

    @Test(
        "covered are accounts listed by name, and those of the group without a local password",
        arguments: [
            ("users = alice", true, false), ("users = bob alice", false, false), ("users = alice", false, true),
            ("", false, true),
        ] as [(String, Bool, Bool)]
    )
    func covered(configuration: String, localPassword: Bool, inGroup: Bool) {
        let world = World(configuration, scripts: [.ask(.password), .signedIn()])
        world.machine.accounts[Array("alice".utf8)] = Account(uid: 1000, gid: 5001, hasUsablePassword: localPassword)
        world.machine.people = inGroup ? [Array("alice".utf8)] : []
        #expect(world.authenticate() == .success)
    }

    @Test("a group that does not exist is a fault of the configuration, told once")
    func missingGroup() {
        let world = World()
        world.machine.configuration = Array(
            """
            user_pool_id = a_b
            client_id = a
            allowed_groups = *
            unix_group = peple
            """.utf8)
        #expect(world.authenticate() == .credentialsUnavailable)
        #expect(
            world.host.takeLog() == [
                "ERROR \(signInFailure)configuration: unix_group is 'peple', which is not a group on this machine. "
                    + "Managed accounts cannot sign in until you create the group or specify another group"
            ])
    }

    @Test(
        "return values are libpam's",
        arguments: [
            (.success, PAM_SUCCESS), (.systemError, PAM_SYSTEM_ERR), (.permissionDenied, PAM_PERM_DENIED),
            (.authenticationError, PAM_AUTH_ERR), (.authenticationInformationUnavailable, PAM_AUTHINFO_UNAVAIL),
            (.userUnknown, PAM_USER_UNKNOWN), (.tooManyTries, PAM_MAXTRIES), (.sessionError, PAM_SESSION_ERR),
            (.conversationError, PAM_CONV_ERR), (.authenticationTokenError, PAM_AUTHTOK_ERR), (.ignore, PAM_IGNORE),
            (.abort, PAM_ABORT), (.authenticationTokenRecoveryError, PAM_AUTHTOK_RECOVERY_ERR),
            (.authenticationTokenAgingDisabled, PAM_AUTHTOK_DISABLE_AGING),
            (.tryAgain, PAM_TRY_AGAIN), (.credentialsUnavailable, PAM_CRED_UNAVAIL),
        ] as [(ReturnValue, Int32)]
    )
    func returnValues(value: ReturnValue, constant: Int32) {
        #expect(value.rawValue == constant)
    }

    @Test("there is no return value that the comparison above leaves out; a success cannot be thrown, all others can")
    func allReturnValues() {
        let refusals: [Int32] = [4, 6, 7, 9, 10, 11, 14, 15, 19, 20, 21, 23, 24, 25, 26]
        #expect((-1...100).filter { code in ReturnValue(rawValue: code) != nil } == [PAM_SUCCESS] + refusals)
        #expect((-1...100).filter { code in PAMRefusal(rawValue: code) != nil } == refusals)
        #expect(refusals.compactMap { code in PAMRefusal(rawValue: code).map(ReturnValue.init)?.rawValue } == refusals)
    }

    @Test(
        "a refusal of the person never falls through; no reason lets in; names are unique",
        arguments: FailureReason.allCases)
    func reasons(reason: FailureReason) {
        let refusals: [FailureReason] = [
            .refused, .lockedOut, .disabled, .notConfirmed, .passwordChangeNeeded, .challengeNotSupported,
            .refusedByPool, .otherIdentity, .noNewPassword, .levelNotReached, .operationNotEnabled,
            .managedLogin,
        ]
        let value = reason.refusal
        #expect([.authenticationError, .tooManyTries, .permissionDenied].contains(value) == refusals.contains(reason))
        #expect((value == .authenticationInformationUnavailable) == !refusals.contains(reason))
        let passwordValue = reason.passwordRefusal
        #expect(
            [.permissionDenied, .authenticationTokenError, .authenticationTokenRecoveryError].contains(passwordValue))
        #expect((passwordValue == .authenticationTokenRecoveryError) == !refusals.contains(reason))
        #expect(FailureReason.allCases.filter { other in "\(other.name)" == "\(reason.name)" } == [reason])
    }
}

/// The result of acct_mgmt for an account from the pool.
private struct Own: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let account: OwnAccount?
    /// Whether it comes in by another way than a sign-in, and by one.
    let other: ReturnValue
    let signedIn: ReturnValue
    var reason: String?

    static let all = [
        Own(testDescription: "enabled", account: OwnAccount(.enabled), other: .ignore, signedIn: .success),
        Own(
            testDescription: "locked", account: OwnAccount(.locked), other: .permissionDenied, signedIn: .success,
            reason: "reason=locked"),
        Own(
            testDescription: "forgotten, or never known", account: OwnAccount(.forgotten), other: .permissionDenied,
            signedIn: .success, reason: "reason=forgotten"),
        Own(
            testDescription: "barred by root", account: OwnAccount(.barred), other: .permissionDenied,
            signedIn: .permissionDenied, reason: "reason=barred"),
        Own(
            testDescription: "with somebody else's home",
            account: OwnAccount(.enabled, foreignFile: Array("/home/alice".utf8)),
            other: .permissionDenied, signedIn: .permissionDenied, reason: "reason=foreign_file: /home/alice "),
        Own(
            testDescription: "known to another source, too", account: OwnAccount(.locked, contest: "ldap knows it"),
            other: .permissionDenied, signedIn: .permissionDenied, reason: "reason=known_elsewhere: ldap knows it"),
        Own(
            testDescription: "damaged", account: nil, other: .permissionDenied, signedIn: .permissionDenied,
            reason: "reason=record: the record is damaged"),
    ]
}

/// A way in, of alice, who has the right password.
private struct WayIn: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var prepare: @Sendable (World) -> Void = { _ in }
    var script: [Act] = [.ask(.password), .signedIn()]
    let enter: @Sendable (World) -> ReturnValue

    /// sudo in a session of hers, of which Cognito says that.
    private static func sudo(_ world: World, _ argument: String, _ held: Act) {
        _ = world.runSudo()
        world.arguments = [argument]
        world.machine.scripts.insert([held], at: 0)
    }

    private static let level = "urn:cognito:loa:4"
    private static let proof = Proof(
        acr: Array(level.utf8), amr: [Array("otp".utf8)], authenticatedAt: 1_800_000_000)

    static let all =
        ["sshd", "sudo", "cognito-session", "cups", "gdm-screensaver"].map { service in
            WayIn(
                testDescription: service, prepare: { world in world.host.service = Array(service.utf8) },
                enter: { world in world.authenticate() })
        } + [
            WayIn(
                testDescription: "by the session that sudo is called from",
                prepare: { world in sudo(world, "try_session=yes", .checked(at: 1_799_999_940)) },
                enter: { world in world.authenticate() }),
            WayIn(
                testDescription: "by that and a further factor",
                prepare: { world in
                    sudo(
                        world, "required_acr=\(level)",
                        .checked(at: 1_799_999_940, acr: "urn:cognito:loa:1", amr: ["pwd"]))
                }, script: [.ask(.visible, "Code: "), .signedIn(proof: proof)],
                enter: { world in world.authenticate() }),
            WayIn(
                testDescription: "a new password",
                script: [
                    .ask(.hidden, "Current password: "), .signedIn(), .ask(.hidden, "New password: "),
                    .passwordChanged(),
                ],
                enter: { world in
                    world.host.answers = [.success("old"), .success("new")]
                    return world.changePassword(.update)
                }),
        ]
        + [("a screen lock", .screenLock), ("a program that asks", .service), ("a trial", .trial)].map { name, proof in
            WayIn(testDescription: "the agent, for \(name)", enter: { world in world.proveIdentity(for: proof) })
        } as [WayIn]

    /// What comes of it.
    func world(_ state: AccountRecord.State, _ configuration: String = "") -> (World, ReturnValue) {
        let world = World("accounts = directory\n\(configuration)")
        world.machine.ownAccounts[Array("alice".utf8)] = .some(OwnAccount(state))
        world.machine.scripts = [script, [.signedOutAsAsked]]
        world.host.answers = [.success("123456")]
        prepare(world)
        return (world, enter(world))
    }
}

@Suite struct OwnAccountTests {
    private func world(_ own: OwnAccount?) -> World {
        let world = World()
        world.machine.configuration = Array(
            """
            user_pool_id = a_b
            client_id = c
            allowed_groups = *
            accounts = directory
            """.utf8)
        world.machine.people = []
        world.machine.ownAccounts[Array("alice".utf8)] = .some(own)
        return world
    }

    @Test("who comes in another way than by a sign-in needs an enabled record", arguments: Own.all)
    private func otherWays(own: Own) {
        let world = world(own.account)
        #expect(world.checkAccount() == own.other)
        let log = world.host.takeLog()
        #expect(log.count == (own.reason == nil ? 0 : 1))
        #expect(own.reason.map { reason in log[0].contains(reason) } ?? true)
    }

    @Test("whom Cognito has accepted just now comes in, unless root has barred them", arguments: Own.all)
    private func signIns(own: Own) {
        let world = world(OwnAccount(.enabled))
        world.machine.scripts = [[.ask(.password), .signedIn()]]
        #expect(world.authenticate() == .success)
        world.machine.ownAccounts[Array("alice".utf8)] = .some(own.account)
        #expect(world.checkAccount() == own.signedIn)
    }

    @Test(
        "whom root has barred comes in by no way, and hears no more than those whom the pool's groups keep out",
        arguments: WayIn.all)
    private func barred(way: WayIn) {
        #expect(way.world(.enabled).1 == .success)
        let (other, otherValue) = way.world(.enabled, "denied_groups = staff")
        let (world, value) = way.world(.barred)
        #expect(value == .permissionDenied && otherValue == value)
        #expect(world.host.shown == other.host.shown)
        let log = world.host.takeLog()
        #expect(log.contains { line in line.contains(" reason=barred: root has locked the account on this machine; ") })
        #expect(!log.contains { line in line.contains("reused") && line.contains("age=") })
        #expect(world.machine.registry.sessions.count == (world.machine.inherited.isEmpty ? 0 : 1))
    }

    @Test("an account that another source knows, too, is refused before anybody is asked")
    func contested() {
        let world = world(OwnAccount(.locked, contest: "ldap knows it"))
        #expect(world.authenticate() == .permissionDenied)
        #expect(world.host.takeLog().joined().contains("reason=known_elsewhere: ldap knows it"))
        // libpam makes no second pass after a refusal: the log must have the reason by then.
        #expect(world.changePassword(.preliminary) == .permissionDenied)
        #expect(world.host.takeLog().joined().contains("reason=known_elsewhere: ldap knows it"))
        #expect(world.changePassword(.update) == .permissionDenied)
        #expect(world.host.takeLog() == [])
        #expect(world.machine.registry.sessions.isEmpty)
        #expect(world.machine.workers.isEmpty && world.host.questions.isEmpty)
    }

    @Test(
        "nor does it get in by any other way, nor by a mistake elsewhere in the configuration",
        arguments: [
            "", "colour = red", "local_password = perhaps", "accounts = perhaps", "account_uids = 1-2",
            "minimum_uid = x", "users = alice", "local_password = unavailable", "key_logins = refuse",
        ])
    func contestedEverywhere(line: String) {
        for origin in ["directory", "sign-in"] {
            let world = world(OwnAccount(.locked, contest: "ldap knows it"))
            world.machine.configuration = FakeMachine.configuration(
                "accounts = \(origin)\n" + (origin == "sign-in" ? "account_names = a*\n" : "") + line)
            for value in [
                world.authenticate(), world.changePassword(.preliminary), world.changePassword(.update),
                world.checkAccount(), world.proveIdentity(),
            ] {
                #expect(value == .permissionDenied, "\(origin), \(line)")
            }
            #expect(
                world.host.takeLog().filter { line in line.contains("reason=known_elsewhere: ldap knows it") }.count
                    == 4, "\(origin), \(line)")
            #expect(world.machine.workers.isEmpty && world.host.questions.isEmpty)
        }
    }

    @Test("Cognito is asked about no such name for a forgotten password")
    func contestedRecovery() {
        let world = world(OwnAccount(.locked, contest: "ldap knows it"))
        world.machine.scripts = [[.end]]
        #expect(world.recoverPassword() != .success)
        #expect(world.machine.workers.count == 1 && world.machine.workers.first?.field(.loginName) == nil)
    }

    @Test(
        "somebody who has the name of an account's person, but is another, gets neither their session nor their files",
        arguments: [
            (AccountRecord.Owner(subject: Array("sub-of-alice".utf8), pool: Array("a_b".utf8)), ReturnValue.success),
            (AccountRecord.Owner(subject: Array("sub-of-old".utf8), pool: Array("a_b".utf8)), .permissionDenied),
            (AccountRecord.Owner(subject: Array("sub-of-alice".utf8), pool: Array("a_c".utf8)), .permissionDenied),
        ])
    func otherPerson(person: AccountRecord.Owner, value: ReturnValue) {
        let world = world(OwnAccount(.enabled, person: person))
        world.machine.scripts = [[.ask(.password), .signedIn()]]
        #expect(world.authenticate() == value)
        #expect(world.machine.registry.sessions.isEmpty == (value != .success))
        let log = world.host.takeLog().joined()
        #expect(log.contains("reason=other_person: ") == (value != .success))
    }

    @Test(
        """
        whose ssh keys have changed is told at the next sign-in, and whoever comes by a key before that, which \
        counts for nothing
        """,
        arguments: [
            (1_799_999_000, 0, "sshd", true, true), (1_799_999_000, 1_799_999_999, "sshd", true, true),
            (1_799_000_000, 1_799_000_001, "sshd", false, false), (0, 0, "sshd", false, false),
            (1_700_000_000, 0, "sshd", true, false), (1_799_999_000, 0, "cron", true, false),
        ] as [(Int64, Int64, String, Bool, Bool)])
    func changedKeys(changed: Int64, told: Int64, service: String, bySignIn: Bool, byKey: Bool) {
        var record = AccountRecord(
            name: Array("alice".utf8), subject: Array("sub-of-alice".utf8), pool: Array("a_b".utf8), uid: 5001,
            shell: Array("/bin/sh".utf8), home: Array("/home/alice".utf8), source: .directory)
        record.keys = [Array("ssh-ed25519 AAAA".utf8), Array("ssh-ed25519 AAAB".utf8)]
        (record.keysChanged, record.keysTold) = (changed, told)
        for isSignIn in [false, true] {
            let world = world(OwnAccount(.enabled, person: record.owner, record: record))
            world.host.service = Array(service.utf8)
            world.machine.scripts = [[.ask(.password), .signedIn()]]
            if isSignIn {
                #expect(world.authenticate() == .success)
            }
            _ = world.checkAccount()
            let said = world.host.shown.filter { line in
                line.hasPrefix("The ssh keys of your account on this machine have changed (number of keys now: 2).")
            }
            #expect(said.count == ((isSignIn ? bySignIn : byKey) ? 1 : 0))
            #expect(world.machine.toldOfKeys == (isSignIn && bySignIn && told == 0 ? ["alice"] : []))
        }
    }

    @Test("a local password opens no account of ours, and users and unix_group are not needed for it")
    func covered() {
        for hasPassword in [false, true] {
            let world = world(OwnAccount(.locked))
            world.machine.accounts[Array("alice".utf8)] = Account(uid: 5001, gid: 5001, hasUsablePassword: hasPassword)
            world.machine.scripts = [[.ask(.password), .failed(.refused)]]
            #expect(world.authenticate() == .authenticationError)
            #expect(world.machine.workers.count == 1)
        }
    }

    @Test("the person's own program, which cannot read what root keeps, leaves the decision to root's")
    func screenLock() {
        let world = world(OwnAccount(nil))
        world.machine.effectiveUserID = 5001
        #expect(world.checkAccount() == .ignore)
    }
}

/// A first sign-in, with accounts = sign-in.
private struct FirstSignIn: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var claim: String?
    var wantsClaim = false
    var keptUserID: UInt32?
    var fault: Fault?
    let value: ReturnValue
    var entered: [UInt32] = []
    let log: String
    var said = ""

    static let all = [
        FirstSignIn(
            testDescription: "under the user id of the name", claim: "70001", value: .success, entered: [5001],
            log: "account entered; user='alice' uid=5001 groups=sudo,adm source=sign-in"),
        FirstSignIn(
            testDescription: "with the claim's, which is the same", claim: "5001", wantsClaim: true, value: .success,
            entered: [5001], log: "account entered; user='alice' uid=5001 groups=sudo,adm source=sign-in"),
        FirstSignIn(
            testDescription: "with the claim's, which is another", claim: "70001", wantsClaim: true,
            value: .credentialsUnavailable,
            entered: [70_001],
            log: "reason=new_account: sshd looked up the user id 5001, but the correct user id is 70001",
            said: "Open a new connection"),
        FirstSignIn(
            testDescription: "forgotten, and with the same user id again", keptUserID: 70_002,
            value: .credentialsUnavailable,
            entered: [70_002], log: "reason=new_account", said: "Open a new connection"),
        FirstSignIn(
            testDescription: "without a claim", wantsClaim: true, value: .permissionDenied,
            log: "reason=no_account: Cognito accepted this user, but the ID token has no number",
            said: "cannot be created on this machine"),
        FirstSignIn(
            testDescription: "with a claim that is no number", claim: "-5001", wantsClaim: true,
            value: .permissionDenied, log: "reason=no_account", said: "cannot be created on this machine"),
        FirstSignIn(
            testDescription: "refused by the store", fault: Fault("the disk is full"), value: .permissionDenied,
            log: "reason=no_account: Cognito accepted this user, but the disk is full",
            said: "cannot be created on this machine"),
    ]
}

@Suite struct FirstSignInTests {
    private func world(_ first: FirstSignIn) -> World {
        let world = World()
        world.machine.configuration = Array(
            """
            user_pool_id = a_b
            client_id = c
            allowed_groups = *
            accounts = sign-in
            account_names = a*
            group_map = admins:root-like staff:sudo,adm
            \(first.wantsClaim ? "account_uid_claim = custom:uid" : "")
            """.utf8)
        world.machine.people = []
        world.machine.ownAccounts[Array("alice".utf8)] = .some(OwnAccount(.forgotten))
        world.machine.keptUserID = first.keptUserID
        world.machine.newcomerFault = first.fault
        return world
    }

    @Test("whoever comes in for the first time has an account before they have a session", arguments: FirstSignIn.all)
    private func first(sign: FirstSignIn) {
        let world = world(sign)
        world.machine.scripts = [[.ask(.password), .signedIn(uidClaim: sign.claim, realName: "Alice A")]]
        #expect(world.authenticate() == sign.value)
        #expect(world.machine.workers.first?.field(.uidAttribute).map(text) == (sign.wantsClaim ? "custom:uid" : nil))
        #expect(world.machine.newcomers.map(\.uid) == sign.entered)
        #expect(world.machine.newcomers.allSatisfy { one in one.realName == Array("Alice A".utf8) })
        #expect(world.machine.newcomers.allSatisfy { one in one.subject == Array("sub-of-alice".utf8) })
        let groups = ["sudo", "adm"].map { name in Array(name.utf8) }
        #expect(world.machine.newcomers.allSatisfy { one in one.groups == groups })
        #expect(world.machine.registry.sessions.isEmpty == (sign.value != .success))
        #expect(world.host.takeLog().contains { line in line.contains(sign.log) })
        #expect(sign.said.isEmpty || world.host.shown.contains { line in line.contains(sign.said) })
    }

    @Test(
        "each sign-in brings the Unix groups that the Cognito groups stand for; nobody keeps one for want of a disk",
        arguments: [
            (["sudo", "adm"], nil, ReturnValue.success, "signed in"),
            (["adm"], nil, .success, "before=adm now=sudo,adm"),
            (["sudo", "adm", "docker"], nil, .success, "before=sudo,adm,docker now=sudo,adm"),
            (
                ["sudo"], Fault("the disk is full"), .success,
                "groups not changed; user='alice' uid=5001 now=sudo: the disk is full"
            ),
            (["docker"], Fault("the disk is full"), .permissionDenied, "but the disk is full"),
        ] as [([String], Fault?, ReturnValue, String)])
    func groups(before: [String], fault: Fault?, value: ReturnValue, said: String) {
        let world = world(FirstSignIn.all[0])
        let known = before.map { name in Array(name.utf8) }
        world.machine.ownAccounts[Array("alice".utf8)] = .some(
            OwnAccount(
                .enabled, person: AccountRecord.Owner(subject: Array("sub-of-alice".utf8), pool: Array("a_b".utf8)),
                groups: known))
        world.machine.newcomerFault = fault
        world.machine.scripts = [[.ask(.password), .signedIn()]]
        #expect(world.authenticate() == value)
        #expect(world.host.takeLog().contains { line in line.contains(said) })
        let wanted = ["sudo", "adm"].map { name in Array(name.utf8) }
        #expect(world.machine.enteredGroups == (known == wanted || fault != nil ? [] : [wanted]))
        #expect(world.host.shown.isEmpty == (value == .success))
    }

    @Test(
        "sshd goes no further in a connection that may know another user id",
        arguments: [
            (nil, nil, "sshd", .success), (100, 99, "sshd", .credentialsUnavailable),
            (100, 112, "sshd", .credentialsUnavailable),
            (100, nil, "sshd", .credentialsUnavailable), (100, 113, "sshd", .success), (100, 1, "login", .success),
            (100, 1, "su", .success), (100, 113, "su", .credentialsUnavailable),
            (Int64.max, 1, "sshd", .success),
        ] as [(Int64?, Int64?, String, ReturnValue)])
    func staleConnection(since: Int64?, began: Int64?, service: String, value: ReturnValue) {
        let world = world(FirstSignIn.all[0])
        let own = OwnAccount(
            .enabled, person: AccountRecord.Owner(subject: Array("sub-of-alice".utf8), pool: Array("a_b".utf8)),
            changed: since)
        world.machine.ownAccounts[Array("alice".utf8)] = .some(own)
        world.machine.sessionBegan = began
        // The other way round.
        world.machine.processBegan = began.map { began in began > 112 ? 1 : 113 }
        world.host.service = Array(service.utf8)
        #expect(world.checkAccount() == (value == .success ? .ignore : .permissionDenied))
        _ = world.host.takeLog()
        world.machine.scripts = [[.ask(.password), .signedIn()]]
        #expect(world.authenticate() == value)
        let log = world.host.takeLog()
        #expect(log.contains { line in line.contains("reason=new_account") } == (value != .success))
        if value == .success {
            // The sign-in has seen to it.
            #expect(world.checkAccount() == .success)
        }
    }

    @Test("a sign-in that fails, or of somebody who may not come in, leaves no account behind")
    func none() {
        for script in [[Act.ask(.password), .failed(.refused)], [.ask(.password), .signedIn(as: "bob")]] {
            let world = world(FirstSignIn.all[0])
            world.machine.scripts = [script]
            #expect(world.authenticate() != .success)
            #expect(world.machine.newcomers.isEmpty)
        }
    }

    @Test("who has an account already is not entered again, and another person not at all")
    func again() {
        for (subject, value) in [("sub-of-alice", ReturnValue.success), ("sub-of-old", .permissionDenied)] {
            let world = world(FirstSignIn.all[0])
            let person = AccountRecord.Owner(subject: Array(subject.utf8), pool: Array("a_b".utf8))
            world.machine.ownAccounts[Array("alice".utf8)] = .some(OwnAccount(.enabled, person: person))
            world.machine.scripts = [[.ask(.password), .signedIn()]]
            #expect(world.authenticate() == value)
            #expect(world.machine.newcomers.isEmpty)
        }
    }
}
