import Base
import Configuration
import Foundation
import Keyring
import Protocol
import Testing

@testable import Fakes
@testable import Sessions

/// The end of the year 9999, as if it were counted from boot.
private let lastMillisecond: Int64 = 253_402_300_799_000

private struct Undecoded: Error {}

/// The entry that is in a key.
func decoded(_ payload: [UInt8]) throws -> RegistryEntry {
    guard let payload = secret(payload), let entry = RegistryEntry.decode(payload) else {
        throw Undecoded()
    }
    return entry
}

@Suite struct RegistryEntryTests {
    @Test(
        "an entry comes back as it was",
        arguments: [
            Sample(), Sample(state: .pending, host: Int32.max, delivered: false, attempts: 255, tokenKey: 0),
            Sample(state: .closing, created: lastMillisecond, expires: 0, signOut: .none, tokenKey: Int32.max),
            Sample(state: .temporary, signOut: .last),
            Sample(user: "", signOut: .session, bundle: [0], sessionBundle: Array(Secrets.sessionBundle.utf8)),
            Sample(endpoint: Array("https://a:1".utf8), caFile: Array("/ca".utf8)),
            Sample(workerOptions: Array("pinned_public_keys=sha256//a\nproxy=http://a:1\n".utf8)),
            Sample(accessTokenExpiry: 0, renewed: lastMillisecond, loginName: "", identity: .verifiedEmail),
            Sample(accessTokenExpiry: 253_402_300_799, renewed: 0, withholdsRefreshToken: true),
            Sample(checked: 1), Sample(isShared: true, checked: lastMillisecond), Sample(warned: 1),
            Sample(warned: lastMillisecond), Sample(closed: 1), Sample(closed: lastMillisecond),
            Sample(attempts: 3, nextAttempt: lastMillisecond, terminal: "/dev/pts/7"),
        ]
    )
    func roundTrip(sample: Sample) throws {
        let machine = FakeMachine()
        let entry = try decoded(sample.payload(machine))
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
        #expect(entry.workerOptions == sample.workerOptions)
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

    /// Entries as they are written: a line for each field, of tag, length and value.
    private static let least = bytes(
        """
        01
        01 00000001 02
        02 00000008 000000000000012c
        03 00000008 0000000000000007
        04 00000008 00000000effffffc
        05 00000008 00000000004b60e0
        06 00000008 000000006b4b58a0
        07 00000004 73736864
        08 0000000b 3230332e302e3131332e37
        09 00000005 616c696365
        0a 00000001 01
        0b 00000001 01
        0c 00000013 65752d776573742d315f416243644566313233
        0d 00000010 316578616d706c653233343536373839
        10 0000001e 2f6574632f73656375726974792f70616d5f636f676e69746f2e636f6e66
        11 00000008 0000000000000258
        15 00000008 000000006b49e010
        16 00000008 00000000003d0900
        17 00000011 616c696365406578616d706c652e636f6d
        18 00000001 01
        19 00000001 00
        28 00000008 0000000000000000
        2f 00000001 00
        12 00000001 00
        1a 00000008 0000000000000000
        13 0000003f 7b226163636573735f746f6b656e223a22612e622e63222c2269645f746f6b656e223a22642e652e66222c22
        726566726573685f746f6b656e223a2267227d
        """)
    /// `options`: in the one field that all of the worker's have, or, as the first version had it, in a field for each
    /// of the first two.
    private static func whole(_ options: String) -> [UInt8] {
        bytes(
            """
            01
            01 00000001 03
            02 00000008 000000007fffffff
            03 00000008 0000000000000007
            29 00000008 0000000000000122
            2a 00000008 0000000000000006
            04 00000008 000000000000004d
            05 00000008 00000000004b60e0
            06 00000008 000000006b4b58a0
            07 00000004 73736864
            08 0000000b 3230332e302e3131332e37
            1d 0000000a 2f6465762f7074732f37
            09 00000005 616c696365
            0a 00000001 03
            0b 00000001 00
            0c 00000013 65752d776573742d315f416243644566313233
            0d 00000010 316578616d706c653233343536373839
            0e 0000000b 68747470733a2f2f613a31
            0f 00000003 2f6361
            \(options)
            10 0000001e 2f6574632f73656375726974792f70616d5f636f676e69746f2e636f6e66
            11 00000008 0000000000000258
            15 00000008 000000006b49e010
            16 00000008 00000000003d0900
            17 00000011 616c696365406578616d706c652e636f6d
            18 00000001 02
            19 00000001 01
            1b 00000001 01
            1c 00000008 0000000000000001
            1e 00000008 0000000000000002
            28 00000008 0000000000000003
            2e 00000008 000000000000000c
            2f 00000001 03
            12 00000001 ff
            1a 00000008 0000000000000005
            13 0000003f 7b226163636573735f746f6b656e223a22612e622e63222c2269645f746f6b656e223a22642e652e66222c22
            726566726573685f746f6b656e223a2267227d
            14 00000002 7b7d
            """)
    }

    private static let options =
        "32 0000002e 70696e6e65645f7075626c69635f6b6579733d7368613235362f2f610a70726f78793d687474703a2f2f613a310a"

    private static let storedBundle = Array(
        #"{"access_token":"a.b.c","id_token":"d.e.f","refresh_token":"g"}"#.utf8)

    @Test("what is yes or no of its tokens is kept with an entry", arguments: 0..<8)
    func flags(bits: Int) throws {
        let sample = Sample(ranOut: bits & 1 != 0, endTold: bits & 2 != 0, tokenKeyIsStale: bits & 4 != 0)
        let entry = try decoded(sample.payload())
        #expect(entry.ranOut == sample.ranOut && entry.endTold == sample.endTold)
        #expect(entry.tokenKeyIsStale == sample.tokenKeyIsStale)
        #expect(!entry.wasRevoked && !entry.isSignedOut)
    }

    @Test("what installed machines hold is what is written")
    func stored() throws {
        #expect(Sample(bundle: Self.storedBundle).payload() == Self.least)
        let whole = Sample(
            state: .closing, host: .max, parent: 290, inContainer: true, signOut: .none, delivered: false,
            attempts: 255, nextAttempt: 5, bundle: Self.storedBundle, sessionBundle: Array("{}".utf8),
            endpoint: Array("https://a:1".utf8), caFile: Array("/ca".utf8),
            workerOptions: Array("pinned_public_keys=sha256//a\nproxy=http://a:1\n".utf8), identity: .verifiedEmail,
            withholdsRefreshToken: true, isShared: true,
            checked: 1, terminal: "/dev/pts/7", warned: 2, closed: 3, place: 12, wasRevoked: true, isSignedOut: true)
        #expect(whole.payload() == Self.whole(Self.options))
        var entry = try decoded(Self.whole(Self.options))
        #expect(entry.wasRevoked && entry.isSignedOut && entry.place == 12 && entry.parent?.id == 290)
        #expect(entry.encode()?.withBytes { bytes in bytes.copied() } == Self.whole(Self.options))
    }

    /// Compatible back to there, see docs/howto/upgrade.md.
    @Test("entries of version 0.1.0 are read, and written as they were")
    func earlier() throws {
        let folder = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(2)
        let file = folder.joined(separator: "/") + "/Conformance/entries-0.1.0.txt"
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").dropFirst()
        #expect(lines.count == 2)
        for line in lines {
            let words = line.split(separator: " ").map(String.init)
            var entry = try decoded(bytes(words[1]))
            #expect(entry.encode()?.withBytes { bytes in bytes.copied() } == bytes(words[1]), "\(words[0])")
        }
    }

    @Test("what the end of a session enters makes its entry no larger: root's key quota may be full")
    func roomForItsEnd() {
        let size = Sample().payload().count
        for later in [
            Sample(state: .closing, closed: 1), Sample(state: .closing, signOut: .session, closed: 1),
            Sample(state: .closing, attempts: 255, nextAttempt: lastMillisecond, closed: lastMillisecond),
            Sample(state: .closing, isSignedOut: true), Sample(state: .closing, wasRevoked: true),
        ] {
            #expect(later.payload().count == size)
        }
    }

    @Test("what has no moment of an end, from before, has none")
    func withoutItsEnd() {
        let fields = [
            bytes("28 00000008 0000000000000000"), bytes("2f 00000001 00"), bytes("1a 00000008 0000000000000000"),
        ]
        var stored = Sample().payload()
        for field in fields {
            guard let place = stored.indices.first(where: { index in stored[index...].starts(with: field) }) else {
                Issue.record("not written")
                return
            }
            stored.removeSubrange(place..<(place + field.count))
        }
        #expect(Snapshot(stored) != nil && Snapshot(stored) == Snapshot(Sample().payload()))
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
        let overhead = Sample(bundle: [0]).payload(machine).count - 1
        let most = largestPayload - overhead
        #expect(Sample(bundle: [UInt8](repeating: 0, count: most)).payload(machine).count == largestPayload)
        #expect(Sample(bundle: [UInt8](repeating: 0, count: most + 1)).payload(machine).isEmpty)
        #expect(Sample(bundle: []).payload(machine).isEmpty, "what was only looked at cannot be written")
        #expect(Sample(bundle: [UInt8](repeating: 0, count: most - 5), sessionBundle: [1]).payload(machine).isEmpty)
    }
}
