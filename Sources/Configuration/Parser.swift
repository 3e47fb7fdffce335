import Base

/// The largest configuration file that is read.
package let largestConfiguration = 65_536
/// The longest line in it.
let longestLine = 4096

extension Settings {
    /// Reads a configuration file's text and, after it, the options that stand as arguments in the PAM stack.
    ///
    /// - Parameters:
    ///   - text: The file, UTF-8.
    ///   - arguments: Module arguments other than `config=`.
    package init(parsing text: [UInt8], arguments: [[UInt8]] = []) throws(ConfigurationError) {
        self.init()
        guard text.count <= largestConfiguration else {
            throw ConfigurationError(
                "the file has more than \(largestConfiguration) bytes; a configuration needs less than a page"
            )
        }
        var given: [(row: Int, line: Int)] = []
        var number = 0
        for var line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            guard line.count <= longestLine else {
                throw ConfigurationError(
                    line: number,
                    "the line has more than \(longestLine) bytes; use a group instead of a long list of names"
                )
            }
            // Files that came through Windows end their lines so; it means nothing else.
            if line.last == UInt8(ascii: "\r") {
                line = line.dropLast()
            }
            line = trimmed(line)
            guard let first = line.first, first != UInt8(ascii: "#") else {
                continue
            }
            guard isPrintableUTF8(line) else {
                throw ConfigurationError(
                    line: number,
                    "the line holds bytes that are not UTF-8 text; save the file as UTF-8 without control characters"
                )
            }
            try assign(line, number, &given)
        }
        // The file by itself, too: the reaper and the agent read it without any service's arguments.
        try checkTogether()
        for argument in arguments {
            try apply(argument: argument)
        }
        try checkTogether()
        try checkComplete(given)
    }

    private mutating func assign(
        _ line: ArraySlice<UInt8>, _ number: Int, _ given: inout [(row: Int, line: Int)]
    ) throws(ConfigurationError) {
        guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else {
            // Not quoted: it may be a secret that was put into the wrong file.
            throw ConfigurationError(line: number, "the line has no '='; write: key = value")
        }
        let name = trimmed(line[..<equals])
        let value = trimmed(line[(equals + 1)...])
        var option = Assignment(of: value, to: name)
        set(by: &option)
        guard option.row > 0 else {
            throw ConfigurationError(line: number, "unknown key \(quoting: name); \(Self.remedy(for: name))")
        }
        guard option.place != .onlyArgument else {
            throw ConfigurationError(
                line: number,
                "\(option.name) cannot stand in the file; write it behind pam_cognito.so in the auth line of one service"
            )
        }
        guard !value.isEmpty else {
            throw ConfigurationError(line: number, "\(option.name) has no value; allowed: \(option.allowed)")
        }
        if let earlier = given.first(where: { other in other.row == option.row }) {
            throw ConfigurationError(
                line: number,
                "\(option.name) is given again; it stands in line \(earlier.line) already, remove one of them"
            )
        }
        given.append((option.row, number))
        try settle(option, value, line: number)
    }

    private static func remedy(for name: ArraySlice<UInt8>) -> ByteText {
        guard name.count <= 40 else {
            return "see pam_cognito.conf(5)"
        }
        var search = Assignment(of: [], to: name, seekingNearest: true)
        var settings = Settings()
        settings.set(by: &search)
        return search.nearest.map { near in "did you mean \(near.name)?" } ?? "see pam_cognito.conf(5)"
    }

    private mutating func apply(argument: [UInt8]) throws(ConfigurationError) {
        guard let equals = argument.firstIndex(of: UInt8(ascii: "=")) else {
            throw Self.unknown(argument)
        }
        let value = argument[(equals + 1)...]
        var option = Assignment(of: value, to: argument[..<equals])
        set(by: &option)
        guard option.row > 0 else {
            throw Self.unknown(argument)
        }
        guard option.place != .file else {
            throw ConfigurationError(
                "\(option.name) cannot be a module argument in the PAM stack; set it in the file")
        }
        try settle(option, value, line: nil)
    }

    private static func unknown(_ argument: [UInt8]) -> ConfigurationError {
        ConfigurationError("unknown module argument \(quoting: argument) in the PAM stack; see pam_cognito(8)")
    }

    private mutating func settle(
        _ option: Assignment, _ value: ArraySlice<UInt8>, line: Int?
    ) throws(ConfigurationError) {
        guard option.isUnderstood else {
            let found: ByteText = option.mayBeSecret ? "what stands there" : "\(quoting: value)"
            throw ConfigurationError(line: line, "\(option.name) cannot be \(found); allowed: \(option.allowed)")
        }
        if option.isForWorker {
            workerOptions += ByteText("\(option.name)=\(Array(value))\n").bytes
        }
    }

    private func checkComplete(_ given: [(row: Int, line: Int)]) throws(ConfigurationError) {
        for name in ["user_pool_id", "client_id", "allowed_groups"] as [StaticString] {
            var option = Assignment(of: [], to: name.bytes[...])
            var settings = self
            settings.set(by: &option)
            guard given.contains(where: { other in other.row == option.row }) else {
                throw ConfigurationError("\(name) is missing; it is needed: \(option.allowed)")
            }
        }
        guard !users.isEmpty || unixGroup != nil || accounts != .none else {
            throw ConfigurationError(
                "neither users nor unix_group is given, nor accounts; one must say which accounts are Cognito's")
        }
        guard accounts != .signIn || !accountNames.isEmpty else {
            throw ConfigurationError(
                "accounts = sign-in needs account_names: the names that are let try, such as account_names = *@example.com"
            )
        }
        guard accounts != .signIn || accountKeyAttribute == nil else {
            throw ConfigurationError(
                """
                account_ssh_key_attribute does not go together with accounts = sign-in: only the directory tells when somebody loses \
                a key; remove it, or set accounts = directory
                """)
        }
    }

    private func checkTogether() throws(ConfigurationError) {
        guard !iamInstanceMetadata || iamCredentialsFile == nil else {
            throw ConfigurationError(
                """
                iam_instance_metadata = yes does not go together with iam_credentials_file: the keys of this machine come from \
                one place; remove one of them
                """)
        }
        guard requiredACR.isEmpty || authFlow != .custom else {
            throw ConfigurationError(
                "required_acr does not go together with auth_flow = custom: Cognito knows levels in USER_AUTH alone; set auth_flow = srp"
            )
        }
        // With both, one scp on any machine would lock or end the person's sessions on all of them.
        guard signOut == .global, onRevoked != .notify else {
            return
        }
        throw ConfigurationError(
            """
            on_revoked = \(onRevoked.name) does not go together with sign_out = global, which is the default: every logout of \
            a person, also of one scp, would \(onRevoked.name) all of their sessions everywhere; set sign_out = last
            """)
    }
}
