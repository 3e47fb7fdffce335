internal import CLinux
internal import CognitoIdentityProvider

/// The machine's clocks.
final class SystemClock: Clock {
    func milliseconds() -> Int64 {
        linux_boottime_ms()
    }

    func seconds() -> Int64 {
        linux_realtime_ms() / 1000
    }

    func sleep(milliseconds: Int64) {
        let end = linux_boottime_ms() + milliseconds
        while case let left = end - linux_boottime_ms(), left > 0 {
            // A signal may cut it short.
            linux_sleep_ms(left)
        }
    }
}
