import Base

/// The largest configuration file that is read.
package let largestConfiguration = 65_536
/// The longest line in it.
let longestLine = 4096

extension Settings {
    /// Reads a configuration file's text and, after it, the options that stand as arguments in the PAM stack; throws
    /// the first mistake.
    ///
    /// - Parameters:
    ///   - text: The file, UTF-8.
    ///   - arguments: Module arguments other than `config=`.
    package init(parsing text: [UInt8], arguments: [[UInt8]] = []) throws(ConfigurationError) {
        self = try ConfigurationReading(parsing: text, arguments: arguments).settings.get()
    }
}

/// A configuration that is read on after a mistake.
package struct ConfigurationReading: Sendable {
    /// With more, another file is there by mistake, and is not read to its end: each costs a login some time.
    private static var mostMistakes: Int { 20 }

    /// The settings from lines and arguments without a mistake.
    private var understood = Settings()
    private var given: [(row: Int, line: Int)] = []
    private var doubts: [CoverageDoubt] = []
    /// The first mistakes, in the order in which they were found.
    package private(set) var mistakes: [ConfigurationError] = []

    /// All that is set; or the first mistake, since with one no user signs in.
    package var settings: Result<Settings, ConfigurationError> {
        mistakes.first.map { mistake in .failure(mistake) } ?? .success(understood)
    }

    /// Which accounts are managed, and whether local passwords count: as far as the lines about that have no mistake.
    package var coverage: CoverageSettings { CoverageSettings(understood, doubts) }

    /// Reads a file's text and, after it, module arguments other than `config=`.
    package init(parsing text: [UInt8], arguments: [[UInt8]] = []) {
        if text.count > largestConfiguration {
            mistakes.append(
                ConfigurationError(
                    "the file has more than \(largestConfiguration) bytes. Check that the path is correct"))
        } else {
            var number = 0
            for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
                number += 1
                attempt(line) { reading throws(ConfigurationError) in try reading.read(line, number) }
                guard mistakes.count < Self.mostMistakes else {
                    doubts += CoverageDoubt.ofUnreadRest
                    break
                }
            }
        }
        // The file by itself, too: the reaper and the agent read it without any service's arguments.
        attempt { reading throws(ConfigurationError) in try reading.understood.checkTogether() }
        for argument in arguments {
            attempt(argument[...]) { reading throws(ConfigurationError) in try reading.apply(argument: argument) }
        }
        attempt { reading throws(ConfigurationError) in try reading.understood.checkTogether() }
        attempt { reading throws(ConfigurationError) in try reading.understood.checkComplete(reading.given) }
    }

    /// Takes over what `part` reads from `text`. If that is a mistake, only the names in it that are managed accounts
    /// are taken over.
    private mutating func attempt(
        _ text: ArraySlice<UInt8> = [], _ part: (inout ConfigurationReading) throws(ConfigurationError) -> Void
    ) {
        let before = understood
        do throws(ConfigurationError) {
            try part(&self)
        } catch {
            let users = understood.users
            understood = before
            if users != before.users {
                understood.users += users
            }
            if let doubt = CoverageDoubt(mistakeIn: text) {
                doubts.append(doubt)
            }
            mistakes.append(error)
        }
    }

    private mutating func read(_ line: ArraySlice<UInt8>, _ number: Int) throws(ConfigurationError) {
        guard line.count <= longestLine else {
            throw ConfigurationError(
                line: number,
                "the line has more than \(longestLine) bytes. Use a group instead of a long list of names"
            )
        }
        // Files that came through Windows end their lines so; it means nothing else.
        let line = trimmed(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
        guard let first = line.first, first != UInt8(ascii: "#") else {
            return
        }
        guard isPrintableUTF8(line) else {
            throw ConfigurationError(
                line: number,
                "the line contains bytes that are not UTF-8 text. Save the file as UTF-8 without control characters"
            )
        }
        try assign(line, number)
    }

    private mutating func assign(_ line: ArraySlice<UInt8>, _ number: Int) throws(ConfigurationError) {
        guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else {
            // Not quoted: it may be a secret that was put into the wrong file.
            throw ConfigurationError(line: number, "the line has no '='. Write: key = value")
        }
        let name = trimmed(line[..<equals])
        let value = trimmed(line[(equals + 1)...])
        var option = Assignment(of: value, to: name)
        understood.set(by: &option)
        guard option.row > 0 else {
            throw ConfigurationError(line: number, "unknown key \(quoting: name); \(Self.remedy(for: name))")
        }
        guard option.place != .onlyArgument else {
            throw ConfigurationError(
                line: number,
                """
                \(option.name) is not allowed in the configuration file. Add the option after pam_cognito.so in the \
                auth line of a service
                """
            )
        }
        guard !value.isEmpty else {
            throw ConfigurationError(line: number, "\(option.name) has no value; allowed: \(option.allowed)")
        }
        if let earlier = given.first(where: { other in other.row == option.row }) {
            throw ConfigurationError(
                line: number,
                "\(option.name) is set twice: it is already set in line \(earlier.line). Remove one of the lines"
            )
        }
        given.append((option.row, number))
        try settle(option, value, line: number)
    }

    private static func remedy(for name: ArraySlice<UInt8>) -> ByteText {
        nearestOption(to: name).map { near in "did you mean \(near)?" } ?? "see pam_cognito.conf(5)"
    }

    private mutating func apply(argument: [UInt8]) throws(ConfigurationError) {
        guard let equals = argument.firstIndex(of: UInt8(ascii: "=")) else {
            throw Self.unknown(argument)
        }
        let value = argument[(equals + 1)...]
        var option = Assignment(of: value, to: argument[..<equals])
        understood.set(by: &option)
        guard option.row > 0 else {
            throw Self.unknown(argument)
        }
        guard option.place != .file else {
            throw ConfigurationError(
                isArgument: true,
                """
                \(option.name) is not allowed as a module argument in the PAM stack. Set the option in the \
                configuration file
                """)
        }
        try settle(option, value, line: nil)
    }

    private static func unknown(_ argument: [UInt8]) -> ConfigurationError {
        ConfigurationError(
            isArgument: true, "unknown module argument \(quoting: argument) in the PAM stack; see pam_cognito(8)")
    }

    private mutating func settle(
        _ option: Assignment, _ value: ArraySlice<UInt8>, line: Int?
    ) throws(ConfigurationError) {
        guard option.isUnderstood else {
            let found: ByteText = option.mayBeSecret ? "the given value" : "\(quoting: value)"
            throw ConfigurationError(
                line: line, isArgument: line == nil,
                "\(option.name) cannot be \(found); allowed: \(option.allowed)")
        }
        if option.isForWorker {
            understood.workerOptions += ByteText("\(option.name)=\(Array(value))\n").bytes
        }
    }
}

/// The option whose name takes the fewest changes to get from `name`; nil: there is none like it.
func nearestOption(to name: ArraySlice<UInt8>) -> StaticString? {
    guard name.count <= 40 else {
        return nil
    }
    var search = Assignment(of: [], to: name, seekingNearest: true)
    var settings = Settings()
    settings.set(by: &search)
    return search.nearest?.name
}

extension Settings {
    fileprivate func checkComplete(_ given: [(row: Int, line: Int)]) throws(ConfigurationError) {
        for name in ["user_pool_id", "client_id", "allowed_groups"] as [StaticString] {
            var option = Assignment(of: [], to: name.bytes[...])
            var settings = self
            settings.set(by: &option)
            guard given.contains(where: { other in other.row == option.row }) else {
                throw ConfigurationError("\(name) is required but missing; allowed: \(option.allowed)")
            }
        }
        guard namesManagedAccounts else {
            throw ConfigurationError(
                """
                users, unix_group and accounts are all missing. One of these options must specify the managed \
                accounts
                """)
        }
        guard accounts != .signIn || !accountNames.isEmpty else {
            throw ConfigurationError(
                """
                accounts = sign-in needs account_names, which lists the names that may try to sign in, such as \
                account_names = *@example.com
                """
            )
        }
        guard accounts != .signIn || accountKeyAttribute == nil else {
            throw ConfigurationError(
                """
                account_ssh_key_attribute does not work with accounts = sign-in, because only the directory shows \
                when a user loses a key. Remove the option, or set accounts = directory
                """)
        }
    }

    /// Whether the password is asked for before anything else.
    private var beginsWithPassword: Bool {
        switch authFlow {
        case .srp, .password: true
        case .choice: preferredChallenge == .passwordSRP || preferredChallenge == .password
        case .custom: preferredChallenge == .passwordSRP
        }
    }

    /// Checks the options that a sign-in with an external identity provider needs.
    private func checkFederated() throws(ConfigurationError) {
        let needed: [(StaticString, [UInt8]?)] = [
            ("managed_login_domain", worker.managedLoginDomain), ("identity_provider", worker.identityProvider),
            ("redirect_uri", worker.redirectURI), ("identity_claim", worker.identityClaim),
        ]
        for (name, value) in needed where value == nil {
            throw ConfigurationError("federated = \(worker.federated.name) needs \(name): see pam_cognito.conf(5)")
        }
        guard worker.federated == .only || beginsWithPassword else {
            throw ConfigurationError(
                """
                federated = yes needs an auth_flow that starts with the password prompt, where users can press Enter \
                to sign in with a browser instead. Set auth_flow = srp, or federated = only
                """)
        }
        guard !worker.endsBrowserSession || signOut == .session else {
            throw ConfigurationError(
                """
                browser_sign_out = yes does not work with sign_out = \(signOut.name), because Cognito ends the \
                browser session with RevokeToken, which is refused after GlobalSignOut. Set sign_out = session
                """)
        }
    }

    fileprivate func checkTogether() throws(ConfigurationError) {
        guard !iamInstanceMetadata || iamCredentialsFile == nil else {
            throw ConfigurationError(
                "iam_instance_metadata = yes does not work with iam_credentials_file. Remove one of the two options")
        }
        guard requiredACR.isEmpty || authFlow != .custom else {
            throw ConfigurationError(
                """
                required_acr does not work with auth_flow = custom, because Cognito supports authentication \
                levels only in USER_AUTH. Set auth_flow = srp
                """
            )
        }
        if worker.federated != .no {
            try checkFederated()
        }
        // With both, one scp on any machine would lock or end the person's sessions on all of them.
        guard signOut == .global, onRevoked != .notify else {
            return
        }
        throw ConfigurationError(
            """
            on_revoked = \(onRevoked.name) does not work with sign_out = global (the default), because every logout, \
            even after scp, would \(onRevoked.name) all of the user's sessions everywhere. Set sign_out = last
            """)
    }
}
