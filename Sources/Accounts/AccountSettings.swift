import Base
package import Configuration

extension AccountRules {
    /// The rules as the administrator has set them.
    package init(_ settings: Settings, local: LocalNames = LocalNames(), replacingLocalUser: Bool = false) {
        self.init(
            range: settings.accountUIDs,
            groups: settings.groupMap.flatMap { mapping in mapping.unix }
                + (settings.unixGroup.map { group in [group] } ?? []),
            local: local, replacingLocalUser: replacingLocalUser)
    }
}

extension AccountRecord {
    /// The record of a person who has none yet, as the administrator has set it.
    package init(name: [UInt8], subject: [UInt8], source: Source, settings: Settings) {
        self.init(
            name: name, subject: subject, pool: settings.userPoolID,
            uid: settings.accountUIDs.userID(of: subject, inPool: settings.userPoolID), shell: settings.accountShell,
            home: Self.home(of: name, settings.accountHome), source: source)
    }

    /// The home directory that a template means.
    static func home(of name: [UInt8], _ template: [UInt8]) -> [UInt8] {
        let placeholder = ("{user}" as StaticString).bytes
        guard let place = template.indices.first(where: { index in template[index...].starts(with: placeholder) })
        else {
            return template
        }
        return template[..<place] + name + template[(place + placeholder.count)...]
    }
}
