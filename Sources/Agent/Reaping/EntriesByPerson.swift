import Keyring
import LoginHooks
import Sessions

/// The registry's entries by whose sessions they are, for whoever asks about many people in a row: each entry is read once,
/// where going through the registry for each of them would take the square of its size.
///
/// What begins meanwhile is found; what ended meanwhile is for the caller to see, who reads the entries of the one person.
final class EntriesByPerson<System: Machine> {
    private let machine: System
    private var known: Set<Int32> = []
    private var keys: [[UInt8]: [RootKey]] = [:]

    /// Reads nothing yet.
    init(_ machine: System) {
        self.machine = machine
    }

    /// The entries that are, or were, about sessions of `user`.
    func entries(of user: [UInt8]) -> [RootKey] {
        for key in (try? machine.entries(besides: { serial in known.contains(serial.number) })) ?? [] {
            known.insert(key.serial.number)
            if let entry = machine.readEntry(key) {
                keys[entry.user, default: []].append(key)
            }
        }
        return keys[user] ?? []
    }
}
