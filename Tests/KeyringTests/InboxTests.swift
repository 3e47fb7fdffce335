import Base
import CKeyutils
import CLinux
import Glibc
import Testing

@testable import Keyring

/// A keyring of that name in the session keyring, as any program can make one.
private func plant(_ name: String) -> KeySerial {
    KeySerial(unsafe add_key("keyring", name, nil, 0, KEY_SPEC_SESSION_KEYRING))
}

@Suite(.enabled(if: geteuid() == 0, "needs root: a session keyring of its own is joined"))
struct InboxTests {
    @Test("of several in a session the oldest is first, and what is none keeps nobody waiting")
    func turns() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            check(linux_join_session_keyring(0, 0) > 0, "no session keyring")
            guard let first = try? Inbox.make() else {
                return check(false, "no inbox")
            }
            check(Inbox(first, of: 0) != nil, "root does not take it for one")
            check(Inbox(first, of: 65_501) == nil, "it is somebody else's")
            check(Inbox.isFirst(first))
            // Later, of a process that lives.
            let later = plant("cognito-inbox:999999999999999:\(getppid())")
            check(Inbox.isFirst(first) && !Inbox.isFirst(later))
            for name in [
                "1:2147483647", "1:0", "1:-1", "1:", ":1", "1", "1:1:1", "x:\(getppid())", "1:\(getppid())x", "",
                "9999999999999999:\(getppid())", "1: \(getppid())",
            ] {
                let planted = plant("cognito-inbox:" + name)
                check(planted.number > 0 && Inbox.isFirst(first), "cognito-inbox:\(name)")
                planted.unlink(from: .sessionKeyring)
            }
            let earlier = plant("cognito-inbox:1:\(getppid())")
            check(!Inbox.isFirst(first) && !Inbox.isFirst(later) && Inbox.isFirst(earlier), "the older one")
            Inbox.remove(earlier)
            check(Inbox.isFirst(first))
            Inbox.remove(first)
            check(Inbox.isFirst(later))
        }
        #expect(result.map { result in String(decoding: result.standardErrorContent, as: UTF8.self) } == "")
    }
}
