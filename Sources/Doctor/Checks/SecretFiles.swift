internal import Base
internal import Configuration
internal import Messages
internal import Sessions
internal import Tokens

@CheckList
func secretFindings(_ path: String, _ content: Result<[UInt8], FileFault>) -> [Check] {
    let fault: (words: String, fix: String)? =
        switch content {
        case .failure(let fault): (fault.words, fault.fix(path, mode: "0600"))
        case .success(let text):
            text.allSatisfy { byte in [0x0a, 0x0d, 0x20].contains(byte) } ? ("is empty", edit(path)) : nil
        }
    if let fault {
        Check(
            .secretFile, .broken, "\(path) \(fault.words).",
            why: "Without the app client's secret, Cognito refuses every sign-in.", fix: fault.fix)
    }
}

/// A fault of the file with the pool's key set, which is at `address` for machines that reach it.
private func keySetFinding(
    _ severity: Severity, _ words: String, _ path: String, _ address: String, fix: String? = nil
) -> Check {
    Check(
        .keySetFile, severity, "\(path) \(words).",
        why: "Tokens are verified only with the keys in key_set_file. If this file lacks a key that Cognito uses, "
            + "sign-ins and renewals fail.",
        fix: fix ?? "curl -sSfo \(shellWord(path)) \(shellWord(address))   # or download it on another machine and "
            + "copy it; root:root, mode 0644")
}

/// What the file lacks of the key set that Cognito shows.
func keySetFinding(_ path: String, _ reached: ReachedCognito, _ settings: Settings) -> Check? {
    let words = "(key_set_file) lacks a key that Cognito publishes for this pool"
    return switch reached["key_set_file"] {
    case "other":
        keySetFinding(
            .broken,
            "(key_set_file) has none of the keys that Cognito publishes for this pool, and may belong to another pool",
            path, settings.keySetAddress)
    case "older": keySetFinding(.warning, words, path, settings.keySetAddress)
    default: nil
    }
}

func keySetFinding(_ path: String, _ content: Result<KeySetFile, FileFault>, address: String) -> Check? {
    switch content {
    case .failure(let fault):
        return keySetFinding(
            .broken, fault.words, path, address, fix: fault == .missing ? nil : fault.fix(path, mode: "0644"))
    case .success(let file):
        if JSONValue(parsing: file.content)?["keys"]?.elements?.isEmpty ?? true {
            let words = "(key_set_file) does not contain a key set, which is a JSON object with a list named \"keys\""
            return keySetFinding(.broken, words, path, address)
        }
        let words = "(key_set_file) is \(file.age) days old and may lack a key that Cognito now uses"
        return file.isOld ? keySetFinding(.warning, words, path, address) : nil
    }
}

/// The key set in a file, as a sign-in would read it.
func keySet(in file: [UInt8]) -> Result<KeySetFile, FileFault> {
    var written: Int64 = 0
    do throws(FileFault) {
        let text = try readTrustedFile(file, secret: false, limit: KeySetFile.largestSize, modified: &written)
        return .success(
            KeySetFile(text.withBytes { bytes in bytes.copied() }, written: written, now: LinuxMachine().time))
    } catch {
        return .failure(error)
    }
}
