import Base
import CKeyutils
import CLinux
import Glibc
import Testing

@testable import Keyring

/// keyctl(2)'s name for the session keyring.
private let sessionKeyring = KeySerial(-3)
private let alice = Account(uid: 65_501, gid: 65_501, hasUsablePassword: false)
private let bob = Account(uid: 65_502, gid: 65_502, hasUsablePassword: false)

/// Says on standard error what does not hold: where the test that started this process sees it.
func check(_ holds: Bool, _ found: @autoclosure () -> String = "") {
    if !holds {
        let text = "does not hold: \(found())\n"
        _ = write(2, text, text.utf8.count)
    }
}

private func text(_ secret: borrowing Secret) -> String {
    String(decoding: secret.withBytes { bytes in bytes.copied() }, as: UTF8.self)
}

private let isRoot = geteuid() == 0

/// Keeps a key or keyring that nothing else will hold: the kernel takes those away, at a time of its own choosing.
private func keep(_ key: KeySerial) {
    check(keyctl_link(key.number, KEY_SPEC_PROCESS_KEYRING) == 0, "not kept")
}

/// Whether that is the secret that a program of this session finds.
private func finds(_ secret: borrowing Secret, beside key: KeySerial) -> Bool {
    guard let found = SessionKeyring.secret(beside: key) else {
        return false
    }
    return found.isEqual(to: secret)
}

// Each test is a process of its own with a session keyring of its own, so that nothing of the machine's is touched.
@Suite(.enabled(if: isRoot, "needs root: keyrings of other people are made"))
struct TokenKeyTests {
    @Test("a new session keyring belongs to the person; the ids of this thread are as before")
    func join() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let ring = linux_join_session_keyring(alice.uid, alice.gid)
            check(ring > 0, "\(ring)")
            let description = try? sessionKeyring.describe()
            check(description?.uid == alice.uid, "\(String(describing: description))")
            check(description?.text == Array("_ses".utf8))
            check(linux_user_id() == 0 && linux_effective_user_id() == 0)
            check(getgid() == 0 && getegid() == 0)
        }
        #expect(result.map { result in String(decoding: result.standardErrorContent, as: UTF8.self) } == "")
    }

    @Test("tokens are delivered as root's key into a keyring of the person's own, never beside another's")
    func deliver() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            // The caller's ring, which must not get anything.
            let callers = KeySerial(linux_join_session_keyring(0, 0))
            keep(callers)
            guard let bundle = Secret(copying: Array("{}".utf8).span.bytes), let secret = try? SessionSecret.make()
            else {
                return
            }
            let description = TokenKey.description(userPoolID: Array("a_b".utf8), clientID: Array("c".utf8))
            do throws(ErrorNumber) {
                var held: [KeySerial] = []
                let key = try TokenKey.deliver(
                    bundle, provedBy: secret, description: description, to: alice, timeout: 60
                ) { key in
                    held.append(key)
                    keep(key)
                }
                let proof = held[0]
                check(held == [proof, key])
                let proofDescribed = try proof.describe()
                check(proofDescribed.uid == 0 && proofDescribed.permissions == .tokenKey)
                check(proofDescribed.text == Array("cognito-secret:a_b:c".utf8))
                check(secret.count == 16 && secret.withBytes { bytes in bytes.copied() }.contains { byte in byte != 0 })
                check(finds(secret, beside: key), "not found")
                check(SessionKeyring.secretKey(beside: proof) == nil, "found beside itself")
                let described = try key.describe()
                check(described.uid == 0 && described.permissions == .tokenKey && described.text == description)
                check(text(try key.read()) == "{}")
                check(try sessionKeyring.describe().uid == alice.uid)
                check(try callers.links().isEmpty)
                check(try Set(sessionKeyring.links()) == [proof, key])
                check(try !RootKeyring().restore(key) { proof }, "restored")

                // A second session of hers inherits the first's ring, but does not use it.
                guard let other = try? SessionSecret.make() else {
                    return
                }
                check(!other.isEqual(to: secret))
                var seconds: [KeySerial] = []
                let second = try TokenKey.deliver(
                    bundle, provedBy: other, description: description, to: alice, timeout: 60
                ) { key in
                    seconds.append(key)
                    keep(key)
                }
                check(second != key)
                check(try Set(sessionKeyring.links()) == Set(seconds))
                check(finds(other, beside: second))
                check(SessionKeyring.secretKey(beside: key) == nil, "found in another session")

                // Her own ring is not foreign to her, but to bob, who gets one of his.
                check(try !RootKeyring().isolate(alice), "isolated from herself")
                check(try RootKeyring().isolate(bob), "not isolated")
                check(try sessionKeyring.describe().uid == bob.uid)
                check(try sessionKeyring.links().isEmpty)
                // Nor is his one that alice gets, though it holds no tokens: he may sign in later.
                check(try RootKeyring().isolate(alice), "not isolated from a ring without tokens")
                check(try sessionKeyring.describe().uid == alice.uid)

                // pam_keyinit after us: the key is put back.
                check(try RootKeyring().restore(second) { seconds[0] }, "not restored")
                check(try Set(sessionKeyring.links()) == Set(seconds))
                // Of version 0.1.0 there is none.
                check(try RootKeyring().isolate(bob))
                check(try RootKeyring().isolate(alice))
                check(try RootKeyring().restore(second) { nil }, "not restored")
                check(try sessionKeyring.links() == [second])
                check(SessionKeyring.secretKey(beside: second) == nil)

                second.invalidate()
                second.invalidate()
                key.invalidate()
            } catch {
                check(false, "errno \(error.code)")
            }
        }
        #expect(result.map { result in String(decoding: result.standardErrorContent, as: UTF8.self) } == "")
    }

    @Test("a key that cannot be held is not left in the session")
    func holdFails() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            guard let bundle = Secret(copying: Array("{}".utf8).span.bytes), let secret = try? SessionSecret.make()
            else {
                return
            }
            _ = linux_join_session_keyring(alice.uid, alice.gid)
            do throws(ErrorNumber) {
                // Of the two keys, the second.
                var held = 0
                _ = try TokenKey.deliver(
                    bundle, provedBy: secret, description: Array("cognito:a:b".utf8), to: alice, timeout: 60
                ) { _ throws(ErrorNumber) in
                    held += 1
                    guard held < 2 else {
                        throw .diskQuotaExceeded
                    }
                }
                check(false, "delivered")
            } catch {
                check(error == .diskQuotaExceeded)
            }
            usleep(100_000)
            check((try? sessionKeyring.links()) == [], "left behind")
        }
        #expect(result.map { result in String(decoding: result.standardErrorContent, as: UTF8.self) } == "")
    }
}
