internal import Base
internal import Configuration
internal import LoginHooks
internal import Messages
internal import Sessions
internal import Tokens

/// The app client's secret.
@CheckList
func secretFindings(_ path: String, _ fault: FileFault?, isEmpty: Bool) -> [Check] {
    let why = "Without the app client's secret Cognito answers no sign-in: no managed account can sign in."
    if let fault {
        Check(.secretFile, .broken, "\(path) \(fault.words).", why: why, fix: fault.fix(path, mode: "0600"))
    } else if isEmpty {
        Check(.secretEmpty, .broken, "\(path) is empty.", why: why, fix: edit(path))
    }
}

/// The app client's secret, in the file of that path.
func secretFindings(_ file: [UInt8]) -> [Check] {
    let path = text(file)
    switch trustedContent(path, secret: true, limit: 256) {
    case .failure(let fault): return secretFindings(path, fault, isEmpty: false)
    case .success(let text):
        return secretFindings(path, nil, isEmpty: text.allSatisfy { byte in [0x0a, 0x0d, 0x20].contains(byte) })
    }
}

/// The file with the pool's key set.
enum KeySetFacts {
    static let why =
        "Tokens are verified by the keys in key_set_file alone. If one is missing, sign-ins and renewals fail."

    static func fetch(_ address: String, to path: String) -> String {
        "curl -sSfo \(shellWord(path)) \(shellWord(address))   # or on a machine that reaches this address, then "
            + "copy it; root:root, mode 0644"
    }

    /// What the file lacks of the key set that Cognito shows.
    @CheckList
    static func findings(_ reached: ReachedCognito, _ file: (path: String, address: String)) -> [Check] {
        let fix = fetch(file.address, to: file.path)
        if reached.keySetFile == "other" {
            Check(
                .keySetOfAnotherPool, .broken,
                "key_set_file has none of the keys that Cognito shows for this pool: it is another pool's, or far "
                    + "too old.", why: why, fix: fix)
        } else if reached.keySetFile == "older" {
            Check(
                .keySetLacksKey, .warning, "key_set_file lacks a key that Cognito shows for this pool.",
                why: why, fix: fix)
        }
    }
}

/// The file with the pool's key set, which is at `address` for machines that reach it.
@CheckList
func keySetFindings(_ path: String, _ content: Result<KeySetFile, FileFault>, address: String) -> [Check] {
    let why = KeySetFacts.why
    let fetch = KeySetFacts.fetch(address, to: path)
    switch content {
    case .failure(let fault):
        Check(
            .keySetFile, .broken, "\(path) \(fault.words).", why: why,
            fix: fault == .missing ? fetch : fault.fix(path, mode: "0644"))
    case .success(let file):
        if file.content.isEmpty {
            Check(.keySetEmpty, .broken, "\(path) is empty.", why: why, fix: fetch)
        } else if JSONValue(parsing: file.content)?["keys"]?.elements?.isEmpty ?? true {
            Check(
                .keySetWithoutKeys, .broken,
                "\(path) (key_set_file) holds no key set: it needs JSON with a list \"keys\".", why: why, fix: fetch)
        } else if file.age < 0 {
            Check(
                .keySetOfTheFuture, .warning,
                "\(path) (key_set_file) has a date in the future, so its age is not known.", why: why, fix: fetch)
        } else if file.isOld {
            Check(
                .keySetOld, .warning,
                "\(path) (key_set_file) is \(file.age) days old, and may lack a key that Cognito has begun to use.",
                why: why, fix: fetch)
        }
    }
}

/// The same of the file of that path, as a sign-in would read it.
func keySetFindings(_ file: [UInt8], address: String) -> [Check] {
    var written: Int64 = 0
    let content: Result<KeySetFile, FileFault>
    do throws(FileFault) {
        let text = try readTrustedFile(file, secret: false, limit: KeySetFile.largestSize, modified: &written)
        content = .success(
            KeySetFile(text.withBytes { bytes in bytes.copied() }, written: written, now: LinuxMachine().time))
    } catch {
        content = .failure(error)
    }
    return keySetFindings(text(file), content, address: address)
}
