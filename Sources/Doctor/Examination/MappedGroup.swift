internal import Base
internal import Configuration
internal import Glibc
internal import Messages

/// A Unix group that `group_map` puts people into.
struct MappedGroup: Equatable, Sendable {
    /// Groups whose members can read or write all there is, or start something that can. Whoever puts people into sudo means it.
    private static let asGoodAsRoot = [
        "disk", "docker", "incus", "incus-admin", "kmem", "libvirt", "lxd", "podman", "shadow",
    ]

    var name: String
    /// Which Cognito groups it stands for.
    var cognito: [String]
    /// nil: there is no such group here.
    var gid: UInt32?

    /// Those that `settings` name.
    static func all(of settings: Settings) -> [MappedGroup] {
        var found: [MappedGroup] = []
        for mapping in settings.groupMap {
            let cognito = String(decoding: mapping.cognito, as: UTF8.self)
            for name in mapping.unix.map({ name in String(decoding: name, as: UTF8.self) }) {
                if let index = found.firstIndex(where: { group in group.name == name }) {
                    found[index].cognito.append(cognito)
                } else {
                    let entry = unsafe getgrnam(name)
                    found.append(
                        MappedGroup(
                            name: name, cognito: [cognito],
                            gid: unsafe entry.map { entry in unsafe entry.pointee.gr_gid }))
                }
            }
        }
        return found
    }

    /// What there is to say of it.
    var findings: [Finding] {
        let edit = DoctorWording.edit("/etc/security/pam_cognito.conf", line: nil)
        switch gid {
        case nil:
            return [
                Finding(
                    .warning, "group_map names \(name), which is no group of this machine.",
                    why: "Nobody is put into it.",
                    mend: DoctorWording.makeGroup(name))
            ]
        case 0:
            return [
                Finding(
                    .warning, "group_map names \(name), which is root's own group (gid 0).",
                    why: "Root's own group is given to nobody, whatever it is called.", mend: edit)
            ]
        default:
            guard Self.asGoodAsRoot.contains(name) else {
                return []
            }
            return [
                Finding(
                    .warning,
                    "group_map puts members of \(cognito.joined(separator: ", ")) into \(name), who can make "
                        + "themselves root by it.",
                    why: "Whoever may add people to those groups in the user pool decides who is root here.", mend: edit
                )
            ]
        }
    }
}
