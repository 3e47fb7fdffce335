package import Base
import CLinux

// This machine as the remembered device of users: a file for each user, which only root can read.
//
// The first line of a file says in which form the rest is: sealed by systemd-creds(1), or as it is. The file's mode
// protects it from other users of this machine; a seal also protects a copy of the file, or, with a TPM, of the whole
// disk.

extension LinuxMachine {
    private static let stateDirectory = "/var/lib/pam-cognito"
    static let deviceDirectory = "/var/lib/pam-cognito/devices"

    private enum DeviceForm: CaseIterable {
        case plain
        case sealed

        var line: [UInt8] {
            switch self {
            case .plain: ("pam-cognito device 1 plain\n" as StaticString).bytes
            case .sealed: ("pam-cognito device 1 systemd-creds\n" as StaticString).bytes
            }
        }
    }

    private static func devicePath(_ name: [UInt8]) -> [UInt8] {
        ("/var/lib/pam-cognito/devices/" as StaticString).bytes + name
    }

    package func device(named name: [UInt8]) throws(Fault) -> Secret? {
        let content: Secret
        do throws(FileFault) {
            content = try readTrustedFile(Self.devicePath(name), secret: true, limit: SealingRequest.largestSize)
        } catch {
            guard error != .missing else {
                return nil
            }
            throw Fault("\(Self.devicePath(name)) \(Self.explanation(of: error, needed: "root:root, mode 0600"))")
        }
        for form in DeviceForm.allCases {
            let rest: Secret? = content.withBytes { bytes in
                bytes.byteCount > form.line.count && bytes.extracting(0..<form.line.count).isEqual(to: form.line)
                    ? Secret(copying: bytes.extracting(form.line.count..<bytes.byteCount)) : nil
            }
            switch consume rest {
            case .some(let rest) where form == .plain:
                return rest
            case .some(let rest):
                do throws(SealingOutcome) {
                    return try Sealer.unseal(rest, name: name)
                } catch .refused {
                    throw Fault(
                        """
                        \(Self.devicePath(name)) cannot be unsealed by systemd-creds. The file is damaged or comes \
                        from another machine, or this machine's key or TPM has changed
                        """)
                } catch {
                    throw Fault(
                        """
                        \(Self.devicePath(name)) was not unsealed. systemd-creds cannot be run, or took too long \
                        because the TPM or the machine is busy
                        """)
                }
            case .none:
                continue
            }
        }
        throw Fault("\(Self.devicePath(name)) is damaged")
    }

    package func keepDevice(_ device: borrowing Secret, named name: [UInt8]) throws(Fault) -> Bool {
        let sealed = Sealer.seal(device, name: name)
        let result: CInt
        let isSealed: Bool
        switch consume sealed {
        case .some(let sealed):
            isSealed = true
            result = Self.writeDevice(.sealed, sealed, name)
        case .none:
            isSealed = false
            result = Self.writeDevice(.plain, device, name)
        }
        guard result == 0 else {
            throw Fault(
                """
                \(Self.devicePath(name)) cannot be written (errno \(-result)). The directory must belong to root, and \
                must not be writable by other users
                """)
        }
        return isSealed
    }

    private static func writeDevice(_ form: DeviceForm, _ content: borrowing Secret, _ name: [UInt8]) -> CInt {
        guard var file = Secret(capacity: form.line.count + content.count), file.append(form.line),
            content.withBytes({ bytes in file.append(bytes) })
        else {
            return -ErrorNumber.noMemory.code
        }
        let made = unsafe linux_make_directory(stateDirectory)
        guard made == 0 else {
            return made
        }
        let fileName = String(decoding: name, as: UTF8.self)
        return file.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { bytes in
                unsafe linux_replace_file(deviceDirectory, fileName, 1, 0, bytes.baseAddress, bytes.count)
            }
        }
    }

    package func forgetDevice(named name: [UInt8]) {
        _ = unsafe linux_remove_file(Self.deviceDirectory, String(decoding: name, as: UTF8.self))
    }
}
