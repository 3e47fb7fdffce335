import Base
import Configuration
import Keyring
import Protocol
import Testing

@testable import Fakes
@testable import LoginHooks
@testable import Sessions

/// The end of the year 9999, as if it were counted from boot.
private let lastMillisecond: Int64 = 253_402_300_799_000

@Suite struct RegistryEntryTests {
    @Test(
        "an entry comes back as it was",
        arguments: [
            Sample(), Sample(state: .pending, host: Int32.max, delivered: false, attempts: 255, tokenKey: 0),
            Sample(state: .closing, created: lastMillisecond, expires: 0, signOut: .none, tokenKey: Int32.max),
            Sample(state: .held, signOut: .last),
            Sample(user: "", signOut: .session, bundle: [], sessionBundle: Array(Secrets.sessionBundle.utf8)),
            Sample(endpoint: Array("https://a:1".utf8), caFile: Array("/ca".utf8)),
            Sample(pinnedPublicKeys: Array("sha256//a".utf8), proxy: Array("http://a:1".utf8)),
            Sample(accessTokenExpiry: 0, renewed: lastMillisecond, loginName: "", identity: .verifiedEmail),
            Sample(accessTokenExpiry: 253_402_300_799, renewed: 0, withholdsRefreshToken: true),
            Sample(checked: 1), Sample(isShared: true, checked: lastMillisecond), Sample(warned: 1),
            Sample(warned: lastMillisecond), Sample(closed: 1), Sample(closed: lastMillisecond),
            Sample(attempts: 3, nextAttempt: lastMillisecond, terminal: "/dev/pts/7"),
        ]
    )
    func roundTrip(sample: Sample) {
        let machine = FakeMachine()
        guard let payload = secret(sample.payload(machine)), let entry = RegistryEntry.decode(payload) else {
            Issue.record("not decoded")
            return
        }
        #expect(entry.state == sample.state)
        #expect(entry.host == ProcessIdentity(id: sample.host, startTime: 7))
        #expect(entry.pidNamespace == machine.pidNamespace)
        #expect(entry.created.milliseconds == sample.created)
        #expect(entry.expires == sample.expires)
        #expect(entry.service == Array("sshd".utf8))
        #expect(entry.remoteHost == Array("203.0.113.7".utf8))
        #expect(entry.terminal == Array(sample.terminal.utf8))
        #expect(entry.user == Array(sample.user.utf8))
        #expect(entry.signOut == sample.signOut)
        #expect(entry.closed.milliseconds == sample.closed)
        #expect(entry.delivered == sample.delivered)
        #expect(entry.userPoolID == Array("eu-west-1_AbCdEf123".utf8))
        #expect(entry.clientID == Array("1example23456789".utf8))
        #expect(entry.endpoint == sample.endpoint)
        #expect(entry.caFile == sample.caFile)
        #expect(entry.pinnedPublicKeys == sample.pinnedPublicKeys)
        #expect(entry.proxy == sample.proxy)
        #expect(entry.configuration == Array("/etc/security/pam_cognito.conf".utf8))
        #expect(entry.tokenKey == sample.tokenKey)
        #expect(entry.accessTokenExpiry == sample.accessTokenExpiry)
        #expect(entry.renewed.milliseconds == sample.renewed)
        #expect(entry.loginName == Array(sample.loginName.utf8))
        #expect(entry.identity == sample.identity)
        #expect(entry.withholdsRefreshToken == sample.withholdsRefreshToken)
        #expect(entry.isShared == sample.isShared)
        #expect(entry.checked.milliseconds == sample.checked)
        #expect(entry.warned.milliseconds == sample.warned)
        #expect(entry.attempts == sample.attempts)
        #expect(entry.nextAttempt.milliseconds == sample.nextAttempt)
        #expect(entry.bundle.withBytes { bytes in bytes.copied() } == sample.bundle)
        #expect(entry.sessionBundle?.withBytes { bytes in bytes.copied() } == sample.sessionBundle)
    }

    @Test("every cut of an entry is none, but where an optional part is cut off")
    func truncated() {
        let whole = Sample(sessionBundle: [0x61, 0x62, 0x63]).payload()
        let withoutLast = whole.count - 8
        for length in 0..<whole.count {
            #expect((Snapshot(Array(whole.prefix(length))) != nil) == (length == withoutLast), "\(length)")
        }
    }

    @Test("what a later module adds to an entry is passed over")
    func unknownField() {
        #expect(Snapshot(Sample().payload() + [0xfa, 0, 0, 0, 2, 1, 2]) == Snapshot(Sample().payload()))
        #expect(Snapshot(Sample().payload() + [0xfa, 0, 0, 0, 2, 1]) == nil)
    }

    @Test("no change of a byte traps, here or in the session that is opened with the entry")
    func corrupted() {
        for copy in Sample(state: .pending).payload().changedByteByByte {
            let world = World.signedIn().otherProcess(id: 90)
            world.machine.registry.entries[1001]?.payload = copy
            #expect([.success, .sessionError].contains(world.openSession()))
        }
    }

    @Test(
        "times before the beginning of time are none",
        arguments: [(.min, 1), (-1, 1), (1, -1), (1, .min)] as [(Int64, Int64)])
    func negativeTimes(created: Int64, expires: Int64) {
        #expect(Snapshot(Sample(created: created, expires: expires).payload()) == nil)
    }

    @Test("a time after the year 9999 counts as its end", arguments: [1, Int64.max - lastMillisecond])
    func lateTimes(later: Int64) {
        let time = lastMillisecond + later
        let late = Sample(
            created: time, expires: time, nextAttempt: time, accessTokenExpiry: time, renewed: time, checked: time,
            warned: time)
        let last = Sample(
            created: lastMillisecond, expires: lastMillisecond / 1000, nextAttempt: lastMillisecond,
            accessTokenExpiry: lastMillisecond / 1000, renewed: lastMillisecond, checked: lastMillisecond,
            warned: lastMillisecond)
        #expect(Snapshot(late.payload()) == Snapshot(last.payload()))
    }

    @Test("what is larger than a key may be is no entry")
    func tooLarge() {
        let machine = FakeMachine()
        let overhead = Sample(bundle: []).payload(machine).count
        let most = largestPayload - overhead
        #expect(Sample(bundle: [UInt8](repeating: 0, count: most)).payload(machine).count == largestPayload)
        #expect(Sample(bundle: [UInt8](repeating: 0, count: most + 1)).payload(machine).isEmpty)
        #expect(Sample(bundle: [UInt8](repeating: 0, count: most - 5), sessionBundle: [1]).payload(machine).isEmpty)
    }
}
