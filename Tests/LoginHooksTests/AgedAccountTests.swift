import Base
import Protocol
import Sessions
import Testing

@testable import Fakes

@Suite("Accounts of Cognito's whose entry in shadow(5) has aged") struct AgedAccountTests {
    private static let old = PasswordAges(changed: 19_000, longest: 90, inactive: -1, expires: -1)

    private static func account(
        _ shadow: ShadowEntry, hasUsablePassword: Bool = false, hasLockedPassword: Bool = false
    ) -> Account {
        Account(
            uid: 5001, gid: 5001, hasUsablePassword: hasUsablePassword, hasLockedPassword: hasLockedPassword,
            shadow: shadow)
    }

    @Test(
        "only the age of a password that is not there is passed over, and only of Cognito's accounts",
        arguments: [
            (account(.present(old)), "", true), (account(.notAsked), "", false), (account(.missing), "", false),
            (account(.present(old), hasUsablePassword: true), "users = alice", false),
            (account(.present(old), hasLockedPassword: true), "users = alice", false),
            (account(.present(PasswordAges(changed: 19_000, longest: 90, inactive: 7, expires: -1))), "", false),
            (account(.present(PasswordAges(changed: 19_000, longest: 90, inactive: -1, expires: 19_500))), "", false),
            (account(.present(PasswordAges(changed: 19_000, longest: 99_999, inactive: -1, expires: -1))), "", false),
        ] as [(Account, String, Bool)])
    func age(account: Account, configuration: String, isPassed: Bool) {
        for isSignedIn in [false, true] {
            let world = World(configuration)
            world.arguments = ["no_pass_expiry"]
            world.machine.accounts[Array("alice".utf8)] = account
            if isSignedIn {
                world.machine.scripts = [[.ask(.password), .signedIn()]]
                #expect(world.authenticate() == .success)
            }
            let usual: ReturnValue = isSignedIn ? .success : .ignore
            #expect(world.checkAccount() == (isPassed ? .authenticationTokenAgingDisabled : usual))
            // A line that does not know the answer gets the usual one.
            world.arguments = []
            #expect(world.checkAccount() == usual)
            world.arguments = ["no_pass_expiry"]
            // Another's account is none of Cognito's.
            world.machine.people = []
            world.machine.configuration = FakeMachine.configuration()
            #expect(world.checkAccount() == usual)
            world.machine.isDisabled = true
            #expect(world.checkAccount() == .ignore)
        }
    }

    @Test("whom key_logins keeps out stays out, however old the password is")
    func keys() {
        let world = World("key_logins = refuse")
        world.arguments = ["no_pass_expiry"]
        world.machine.accounts[Array("alice".utf8)] = Self.account(.present(Self.old))
        #expect(world.checkAccount() == .permissionDenied)
    }
}
