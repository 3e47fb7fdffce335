import Commands
import Messages
import Protocol
import Testing
import Tokens

@testable import cognito_session

@Suite("Watching a session")
struct WatchTests {
    private static let now = ReportTests.now
    private static let none = SessionStatus(finding: .absent(.noSignIn))

    /// A session with so many seconds left of its access token, and of what renews it.
    private static func session(_ access: Int64, refresh: Int64 = 80_000) -> SessionStatus {
        ReportTests.status(accessExpiry: now + access).changing { session, _ in
            session.refreshTokenExpiry = now + refresh
        }
    }

    @Test(
        "renews ahead of time, whatever is thought of the refresh token",
        arguments: [
            (300, 80_000, false), (299, 80_000, true), (-5, 80_000, true), (299, 0, true), (299, -5, true),
            (300, 0, false),
        ]
            as [(Int64, Int64, Bool)])
    func renewal(access: Int64, refresh: Int64, isRenewed: Bool) {
        var watch = Watch(asking: false)
        #expect(watch.look(at: Self.session(access, refresh: refresh), now: Self.now).contains(.renew) == isRenewed)
    }

    @Test("a renewal that fails is told once, and tried again after longer and longer")
    func failing() {
        var watch = Watch(asking: false)
        var now = Self.now
        for (index, pause) in [30, 60, 120, 240, 480, 960, 1920, 3600, 3600].enumerated() {
            #expect(watch.look(at: Self.session(10), now: now) == [.renew])
            let told = watch.renewed(.refused(.unreachable), at: now)
            #expect(told == (index == 0 ? [.tell(ToolWording.unreachable)] : []))
            now += Int64(pause)
            #expect(watch.look(at: Self.session(10), now: now - 1).isEmpty)
        }
        #expect(watch.renewed(nil, at: now).isEmpty)
        #expect(watch.look(at: Self.session(10), now: now + 29).isEmpty)
        #expect(watch.look(at: Self.session(10), now: now + 30) == [.renew])
        #expect(watch.renewed(.refused(.unreachable), at: now) == [.tell(ToolWording.unreachable)])
    }

    @Test("tells once when the session's last minutes begin")
    func lastCall() {
        var watch = Watch(asking: false)
        #expect(watch.look(at: Self.session(3000, refresh: 900), now: Self.now).isEmpty)
        #expect(
            watch.look(at: Self.session(3000, refresh: 899), now: Self.now)
                == [
                    .tell(
                        "According to this machine's settings, the session ends in 14 minutes and cannot be renewed "
                            + "after that. Sign in again before the session ends.")
                ])
        #expect(watch.look(at: Self.session(3000, refresh: 899), now: Self.now).isEmpty)
        var late = Watch(asking: false)
        #expect(late.look(at: Self.session(3000, refresh: 0), now: Self.now).isEmpty)
    }

    @Test("a lost renewal is no end: it is told, and asked for once an hour at most")
    func lostRenewal() {
        var watch = Watch(asking: false)
        #expect(watch.look(at: Self.session(10), now: Self.now) == [.renew])
        #expect(watch.renewed(.refused(.unreachable), at: Self.now) == [.tell(ToolWording.unreachable)])
        #expect(watch.renewed(.refused(.renewalLost), at: Self.now) == [.tell(ToolWording.renewalLost)])
        #expect(watch.renewed(.refused(.renewalLost), at: Self.now).isEmpty)
        #expect(watch.look(at: Self.session(10), now: Self.now + 3599).isEmpty)
    }

    @Test("tells of the session's end, and ends")
    func end() {
        var watch = Watch(asking: false)
        #expect(watch.look(at: Self.none, now: Self.now) == [.end(.none)])
        _ = watch.look(at: Self.session(3000), now: Self.now)
        #expect(watch.look(at: Self.none, now: Self.now) == [.tell(ToolWording.watchedEnded), .end(.none)])
        let over: [Watch.WatchAction] = [.tell(ToolWording.ended), .end(.refused)]
        #expect(watch.renewed(.refused(.endedElsewhere), at: Self.now) == over)
        #expect(watch.asked(.refused(.endedElsewhere), at: Self.now) == over)
        #expect(watch.asked(.refused(.unreachable), at: Self.now).isEmpty)
    }

    @Test("tokens that are locked are no end: there is nothing to do until they are there again")
    func locked() {
        var watch = Watch(asking: true)
        let locked = SessionStatus(
            finding: .absent(.locked(KeyPlace(ring: 1, ringName: "_ses", key: 2, isShared: false, isAttached: false))))
        #expect(watch.look(at: locked, now: Self.now).count == 1)
        _ = watch.look(at: Self.session(3000), now: Self.now)
        #expect(watch.look(at: locked, now: Self.now).isEmpty)
        #expect(watch.look(at: Self.session(10), now: Self.now + 9) == [.renew])
    }

    @Test("asks Cognito once a minute, when that is wanted")
    func asking() {
        var watch = Watch(asking: true)
        #expect(watch.look(at: Self.session(3000), now: Self.now) == [.ask])
        #expect(watch.look(at: Self.session(3000), now: Self.now + 59).isEmpty)
        #expect(watch.look(at: Self.session(3000), now: Self.now + 60) == [.ask])
        var quiet = Watch(asking: false)
        #expect(quiet.look(at: Self.session(3000), now: Self.now).isEmpty)
    }
}
