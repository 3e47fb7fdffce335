internal import Base
internal import Configuration
internal import Messages
internal import Sessions
internal import Tokens

@CheckList
func secretFindings(_ path: String, _ content: Result<[UInt8], FileFault>) -> [Check] {
    let why = "Without the app client's secret, Cognito refuses every sign-in."
    switch content {
    case .failure(let fault):
        Check(.secretFile, .broken, "\(path) \(fault.words).", why: why, fix: fault.fix(path, mode: "0600"))
    case .success(let text):
        if text.allSatisfy({ byte in [0x0a, 0x0d, 0x20].contains(byte) }) {
            Check(.secretEmpty, .broken, "\(path) is empty.", why: why, fix: edit(path))
        }
    }
}

private let keySetWhy =
    "Tokens are verified only with the keys in key_set_file. If a key is missing, sign-ins and renewals fail."

private func fetch(_ address: String, to path: String) -> String {
    "curl -sSfo \(shellWord(path)) \(shellWord(address))   # or download it on another machine and copy it; root:root, "
        + "mode 0644"
}

/// What the file lacks of the key set that Cognito shows.
@CheckList
func keySetFindings(_ path: String, _ reached: ReachedCognito, _ settings: Settings) -> [Check] {
    let fix = fetch(settings.keySetAddress, to: path)
    if reached["key_set_file"] == "other" {
        Check(
            .keySetOfAnotherPool, .broken,
            "key_set_file has none of the keys that Cognito publishes for this pool: it is outdated or belongs to "
                + "another pool.", why: keySetWhy, fix: fix)
    } else if reached["key_set_file"] == "older" {
        Check(
            .keySetLacksKey, .warning, "key_set_file lacks a key that Cognito publishes for this pool.",
            why: keySetWhy, fix: fix)
    }
}

/// The file with the pool's key set, which is at `address` for machines that reach it.
@CheckList
func keySetFindings(_ path: String, _ content: Result<KeySetFile, FileFault>, address: String) -> [Check] {
    let fetch = fetch(address, to: path)
    switch content {
    case .failure(let fault):
        Check(
            .keySetFile, .broken, "\(path) \(fault.words).", why: keySetWhy,
            fix: fault == .missing ? fetch : fault.fix(path, mode: "0644"))
    case .success(let file):
        if let (id, severity, words) = fault(of: file) {
            Check(id, severity, "\(path) \(words).", why: keySetWhy, fix: fetch)
        }
    }
}

private func fault(of file: KeySetFile) -> (CheckID, Severity, String)? {
    if file.content.isEmpty {
        (.keySetEmpty, .broken, "is empty")
    } else if JSONValue(parsing: file.content)?["keys"]?.elements?.isEmpty ?? true {
        (.keySetWithoutKeys, .broken, "(key_set_file) contains no key set, which is JSON with a list \"keys\"")
    } else if file.isOld {
        (
            .keySetOld, .warning,
            "(key_set_file) is \(file.age) days old and may lack a new key of Cognito"
        )
    } else {
        nil
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
