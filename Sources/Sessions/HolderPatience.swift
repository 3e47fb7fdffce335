import Base
package import Keyring

/// How long another process may be at the end of a session before that is strange, in milliseconds.
package var longestEnd: Int64 { 120_000 }

/// How long ends wait for processes that have locks of entries, all together: who ends many sessions does not wait for
/// each.
final class HolderPatience {
    private var found: [(key: RootKey, busy: Instant)] = []

    /// Locks an entry for an end; nil when another process has it after `milliseconds`, and has not been waited for
    /// long enough to be ended, or may not be.
    func lock(_ key: RootKey, within milliseconds: Int32, on machine: some Machine) -> EntryLock? {
        let begun = machine.now
        let since = found.first { one in one.key == key }?.busy ?? begun
        let left = Int64(holderPatience) - (begun.milliseconds - since.milliseconds)
        if let lock = machine.lock(key, within: min(milliseconds, Int32(clamping: max(0, left)))) {
            return lock
        }
        if since == begun, !found.contains(where: { one in one.key == key }) {
            found.append((key, since))
        }
        let now = machine.now.milliseconds
        guard now - since.milliseconds >= Int64(holderPatience) else {
            return nil
        }
        var lock = machine.lockEndingHolder(key)
        // A program of pam-cognito has a deadline of its own.
        let deadline = begun.milliseconds + Int64(milliseconds)
        while lock == nil, machine.now.milliseconds < deadline {
            let rest = Int32(clamping: deadline - machine.now.milliseconds)
            lock = machine.lock(key, within: min(rest, 1000)) ?? machine.lockEndingHolder(key)
        }
        return lock
    }
}

extension Machine {
    /// Locks a part of the registry for an end, within little more than `holderPatience`.
    package func lockForEnd(_ part: RegistryLock) -> EntryLock? {
        lock(part, within: holderPatience) ?? lockEndingHolder(part, sparingRoot: false)
    }
}
