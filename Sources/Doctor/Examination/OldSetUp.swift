internal import Messages

/// The configuration of another module of the same name: that of AWS Research and Engineering Studio, which has ended.
struct OldSetUp: Equatable, Sendable {
    /// Where it is.
    static let path = "/etc/cognito_auth.conf"
    private let values: [String: String]

    /// Reads it, as that module does: what has no "=" counts for nothing, the last of a name for all.
    init(_ text: String) {
        var values: [String: String] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let sides = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { side in
                side.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            }
            if sides.count == 2, !sides[0].isEmpty {
                values[sides[0]] = sides[1]
            }
        }
        self.values = values
    }

    /// The same for this software. Whoever was in the pool came in, so that is what it says.
    var equivalent: String {
        var lines: [String] = []
        func add(_ name: String, _ value: String?) {
            if let value, !value.isEmpty {
                lines.append("\(name) = \(value)")
            }
        }
        add("user_pool_id", values["user_pool_id"])
        add("client_id", values["client_id"])
        add("unix_group", values["cognito_default_user_group"] ?? "cognito")
        add("allowed_groups", "*")
        add("minimum_uid", values["min_id"])
        return lines.joined(separator: "\n") + "\n"
    }

    /// What there is to say of it.
    ///
    /// - Parameter text: This software's own configuration; empty where there is none.
    func finding(path configuration: String, besides text: String) -> Finding {
        // Whatever is set there, be it with a mistake, is more than the old one says.
        let isReplaced = text.split(whereSeparator: \.isNewline).contains { line in
            line.first { letter in !letter.isWhitespace } ?? "#" != "#"
        }
        return isReplaced
            ? Finding(
                .warning, DoctorWording.oldSetUp(Self.path), why: DoctorWording.oldSetUpReplaced,
                mend: DoctorWording.removeOldSetUp(Self.path))
            : Finding(
                .warning, DoctorWording.oldSetUp(Self.path), why: DoctorWording.oldSetUpWhy,
                mend: DoctorWording.convertOldSetUp(
                    equivalent.split(separator: "\n").joined(separator: "\\n"), configuration))
    }
}
