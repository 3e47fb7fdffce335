import Base
package import Configuration
import Protocol

/// Under which name this host is kept as the device that a pool remembers for an account: pool, app client, and the
/// account's name in hexadecimal digits. nil when that is longer than a file's name may be.
package func deviceName(of user: [UInt8], _ settings: Settings) -> [UInt8]? {
    let name =
        settings.userPoolID + [UInt8(ascii: ".")] + settings.clientID + [UInt8(ascii: ".")] + hexadecimal(user)
    return name.count <= 255 ? name : nil
}

extension Hooks {
    /// Tells the worker about this host as the user's device. A fault in the stored data refuses no user: Cognito then
    /// treats the host as unknown.
    func addDevice(to request: inout FrameWriter, _ user: [UInt8], _ settings: Settings) {
        guard settings.rememberDevice, let name = deviceName(of: user, settings) else {
            return
        }
        do throws(Fault) {
            request.add(.device, ifPresent: try machine.device(named: name))
        } catch {
            host.log(
                .warning,
                "\(error.line). The record is not used, and \(quoting: user) signs in as if on a new device")
        }
    }

    /// Removes what Cognito does not know any more.
    func forgetDevice(_ user: [UInt8], _ settings: Settings) {
        guard settings.rememberDevice, let name = deviceName(of: user, settings) else {
            return
        }
        machine.forgetDevice(named: name)
        host.log(
            .notice,
            """
            this host's device record for \(quoting: user) is no longer valid and was removed, because Cognito has \
            forgotten the device or the record is damaged
            """)
    }

    /// Keeps what the worker got for the next sign-in. The person is in, whatever becomes of it.
    func keepDevice(_ signedIn: borrowing Frame, _ user: [UInt8], _ settings: Settings) {
        if let remark = signedIn.bytes(.logText) {
            host.log(
                .warning,
                audit(.signedInWithARemark, user, session: host.login?.entry, text: ByteText(printable(remark)))
            )
        }
        guard settings.rememberDevice, let device = signedIn.secret(.device) else {
            return
        }
        guard let name = deviceName(of: user, settings) else {
            host.log(.warning, "\(quoting: user) is too long for the file name of a device record. Nothing is stored")
            return
        }
        do throws(Fault) {
            let isSealed = try machine.keepDevice(device, named: name)
            let form: StaticString = isSealed ? "systemd-creds" : "none"
            host.log(.information, "Cognito remembers this host as a device of \(quoting: user); seal=\(form)")
        } catch {
            host.log(
                .warning,
                """
                \(error.line); Cognito remembers this host as a device of \(quoting: user), but this host could not \
                store the record
                """)
        }
    }
}
