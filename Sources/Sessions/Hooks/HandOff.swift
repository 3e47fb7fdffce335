import Base
import Keyring

extension Hooks {
    /// `<serial>:<description>`. Neither opens anything: the key is root's alone.
    func handOff(_ key: RootKey) -> [UInt8] {
        ByteText("\(key.serial.number):\(key.description)").bytes
    }

    /// The login that this transaction is about: kept in this process, or handed over by sshd's keyboard-interactive
    /// child through the PAM environment. That variable is taken away: it is of no use to the person.
    func currentLogin() -> Login? {
        if let login = host.login {
            host.removeVariable(handOffVariable)
            return login
        }
        guard let value = host.variable(handOffVariable) else {
            return nil
        }
        host.removeVariable(handOffVariable)
        guard let key = Self.key(fromHandOff: value), let user = claim(key) else {
            host.log(
                .warning,
                """
                the login data in the PAM environment does not come from pam_cognito, or the login has ended. The \
                data is ignored
                """)
            return nil
        }
        let login = Login(process: machine.process.id, user: user, entry: key, root: machine.rootDirectory)
        do throws(PAMRefusal) {
            try host.keep(login)
        } catch {
            host.log(
                .error,
                "PAM cannot store the login data of \(quoting: login.user) (pam_set_data). The tokens will be revoked"
            )
            return nil
        }
        return login
    }

    /// Makes this process the host of a login that another one has authenticated, which may be gone; whose login it is.
    private func claim(_ key: RootKey) -> [UInt8]? {
        // Against the reaper, which may be ending it.
        let access = machine.withEntry(key, lockedWithin: 1000) { entry in
            guard entry.state == .pending, entry.service == host.service, entry.pidNamespace == machine.pidNamespace
            else {
                return nil as [UInt8]?
            }
            entry.host = machine.process
            entry.parent = nil
            // Where it cannot be written, it lives as long as it would have.
            try? machine.write(key, &entry)
            return entry.user
        }
        guard case .had(let user) = access else {
            return nil
        }
        return user
    }

    private static func key(fromHandOff value: [UInt8]) -> RootKey? {
        guard value.count <= 96, let colon = value.firstIndex(of: UInt8(ascii: ":")) else {
            return nil
        }
        let description = Array(value[(colon + 1)...])
        guard let serial = Int32(decimal: value[..<colon], atMost: 10),
            description.starts(with: RootKeyring.entryPrefix)
        else {
            return nil
        }
        return RootKey(serial: KeySerial(serial), description: description)
    }
}
