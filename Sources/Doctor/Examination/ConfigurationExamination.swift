internal import Base
internal import Configuration
internal import Messages

/// The configuration file, read as a login reads it, and every mistake in it rather than the first one only.
struct ConfigurationExamination: Sendable {
    /// What is set; nil while there is a mistake, since a login then sets nothing either.
    let settings: Settings?
    /// What was found.
    let findings: [Finding]

    /// More mistakes than that are not told: somebody put another file there.
    private static let most = 20

    /// Examines what was read of the file at `path`.
    init(_ path: String, _ content: Result<[UInt8], FileFault>) {
        switch content {
        case .failure(let fault):
            settings = nil
            findings = [Self.finding(of: fault, at: path)]
        case .success(let text):
            var mistakes: [ConfigurationError] = []
            var lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Array.init)
            var settings: Settings?
            while mistakes.count < Self.most {
                do throws(ConfigurationError) {
                    settings = try Settings(parsing: Array(lines.joined(separator: [0x0a])))
                    break
                } catch {
                    // What is missing may be missing only because of a line that was taken out.
                    if error.line != nil || mistakes.isEmpty {
                        mistakes.append(error)
                    }
                    guard let line = error.line, lines.indices.contains(line - 1) else {
                        break
                    }
                    lines[line - 1] = []
                }
            }
            self.settings = mistakes.isEmpty ? settings : nil
            findings = mistakes.map { mistake in
                let text = String(decoding: mistake.finding.bytes, as: UTF8.self)
                let words = DoctorWording.mistake(path, mistake.line, text)
                return Finding(
                    .broken, words.what, why: words.why, mend: DoctorWording.edit(path, line: mistake.line))
            }
        }
    }

    private static func finding(of fault: FileFault, at path: String) -> Finding {
        let words = DoctorWording.fileFault(path, fault.words)
        return Finding(
            .broken, words, why: DoctorWording.configurationWhy, mend: fault.mend(path, mode: "0644"))
    }

    /// What a login finds wrong with the arguments of a line of ours in a PAM stack; nil when nothing is.
    static func argumentFault(_ arguments: [String]) -> String? {
        let options = arguments.filter { text in
            !text.hasPrefix("config=") && text != "use_first_pass" && text != "try_first_pass"
        }
        do throws(ConfigurationError) {
            _ = try Settings(
                parsing: Array("user_pool_id = a-b-1_c\nclient_id = c\nusers = u\nallowed_groups = *\n".utf8),
                arguments: options.map { text in Array(text.utf8) })
            return nil
        } catch {
            return String(decoding: error.finding.bytes, as: UTF8.self)
        }
    }
}

extension FileFault {
    /// What is wrong, to stand behind the file's name.
    var words: String {
        switch self {
        case .missing: DoctorWording.fileMissing
        case .notRegular: DoctorWording.fileNotRegular
        case .wrongOwner: DoctorWording.fileWrongOwner
        case .writableByOthers: DoctorWording.fileWritable
        case .readableByOthers: DoctorWording.fileReadable
        case .tooLarge: DoctorWording.fileTooLarge
        case .unreadable(let error): DoctorWording.fileUnreadable(error.code)
        case .outOfMemory: DoctorWording.fileNoMemory
        }
    }

    /// The command for it.
    func mend(_ path: String, mode: String) -> String {
        switch self {
        case .missing: DoctorWording.create(path, mode: mode)
        case .notRegular, .tooLarge: DoctorWording.inspect(path)
        case .wrongOwner, .writableByOthers, .readableByOthers, .unreadable, .outOfMemory:
            DoctorWording.own(path, mode: mode)
        }
    }
}

/// The app client's secret.
func secretFindings(_ path: String, _ fault: FileFault?, isEmpty: Bool) -> [Finding] {
    let words: String
    let mend: String
    if let fault {
        words = DoctorWording.fileFault(path, fault.words)
        mend = fault.mend(path, mode: "0600")
    } else if isEmpty {
        words = DoctorWording.fileFault(path, DoctorWording.fileEmpty)
        mend = DoctorWording.edit(path, line: nil)
    } else {
        return []
    }
    return [Finding(.broken, words, why: DoctorWording.secretWhy, mend: mend)]
}

/// The app client's secret, in the file of that path.
func secretFindings(_ file: [UInt8]) -> [Finding] {
    let path = String(decoding: file, as: UTF8.self)
    switch trustedContent(path, secret: true, limit: 256) {
    case .failure(let fault): return secretFindings(path, fault, isEmpty: false)
    case .success(let text):
        return secretFindings(path, nil, isEmpty: text.allSatisfy { byte in [0x0a, 0x0d, 0x20].contains(byte) })
    }
}
