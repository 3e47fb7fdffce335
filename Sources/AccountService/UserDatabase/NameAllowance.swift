package import Base

/// Limits how many names without an account are answered for. If a client makes up names, only users without an account
/// here have to wait.
package struct NameAllowance {
    /// In a minute.
    package static let most = 30
    /// How long a name goes on being answered for, in milliseconds: a login asks again and again, and a person may take
    /// their time.
    private static let duration: Int64 = 300_000
    private static let minute: Int64 = 60_000

    private var names: [(name: [UInt8], since: Int64)] = []

    package init() {}

    /// Whether the name may be answered for now.
    package mutating func admits(_ name: [UInt8], at now: Instant) -> Bool {
        names.removeAll { one in now.milliseconds - one.since >= Self.duration }
        guard !names.contains(where: { one in one.name == name }) else {
            return true
        }
        guard names.count(where: { one in now.milliseconds - one.since < Self.minute }) < Self.most else {
            return false
        }
        names.append((name, now.milliseconds))
        return true
    }
}
