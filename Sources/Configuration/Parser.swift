import Base

/// The largest configuration file that is read.
package let largestConfiguration = 65_536
private var everybody: [UInt8] { [UInt8(ascii: "*")] }
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
        var given: [(option: Option, line: Int)] = []
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
            let (option, value) = try Self.assignment(line, number)
            if let earlier = given.first(where: { other in other.option == option }) {
                throw ConfigurationError(
                    line: number,
                    "\(option.name) is given again; it stands in line \(earlier.line) already, remove one of them"
                )
            }
            given.append((option, number))
            try set(option, to: value, line: number)
        }
        // The file by itself, too: the reaper and the agent read it without any service's arguments.
        try checkTogether()
        for argument in arguments {
            try apply(argument: argument)
        }
        try checkTogether()
        try checkComplete(given.map { entry in entry.option })
    }

    private static func assignment(
        _ line: ArraySlice<UInt8>,
        _ number: Int
    ) throws(ConfigurationError) -> (Option, ArraySlice<UInt8>) {
        guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else {
            // Not quoted: it may be a secret that was put into the wrong file.
            throw ConfigurationError(line: number, "the line has no '='; write: key = value")
        }
        let name = trimmed(line[..<equals])
        let value = trimmed(line[(equals + 1)...])
        guard let option = Option(named: name) else {
            var remedy: ByteText = "see pam_cognito.conf(5)"
            if let near = nearestOption(to: name) {
                remedy = "did you mean \(near.name)?"
            }
            throw ConfigurationError(line: number, "unknown key \(quoting: name); \(remedy)")
        }
        guard option.mayStandInFile else {
            throw ConfigurationError(
                line: number,
                "\(option.name) cannot stand in the file; write it behind pam_cognito.so in the auth line of one service"
            )
        }
        guard !value.isEmpty else {
            throw ConfigurationError(
                line: number, "\(option.name) has no value; allowed: \(option.allowed)")
        }
        return (option, value)
    }

    private mutating func apply(argument: [UInt8]) throws(ConfigurationError) {
        guard let equals = argument.firstIndex(of: UInt8(ascii: "=")),
            let option = Option(named: argument[..<equals])
        else {
            throw ConfigurationError(
                "unknown module argument \(quoting: argument) in the PAM stack; see pam_cognito(8)")
        }
        guard option.mayBeModuleArgument else {
            throw ConfigurationError(
                "\(option.name) cannot be a module argument in the PAM stack; set it in the file")
        }
        try set(option, to: argument[(equals + 1)...], line: nil)
    }

    private func checkComplete(_ given: [Option]) throws(ConfigurationError) {
        for needed in [Option.userPoolID, .clientID, .allowedGroups] where !given.contains(needed) {
            throw ConfigurationError(
                "\(needed.name) is missing; it is needed: \(needed.allowed)")
        }
        guard given.contains(.users) || given.contains(.unixGroup) else {
            throw ConfigurationError(
                "neither users nor unix_group is given; one must say which local accounts are Cognito's")
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

    private mutating func set(
        _ option: Option,
        to value: ArraySlice<UInt8>,
        line: Int?
    ) throws(ConfigurationError) {
        let understood: Bool
        switch option {
        case .userPoolID: understood = isUserPoolID(value) && store(&userPoolID, Array(value))
        case .clientID: understood = isClientID(value) && store(&clientID, Array(value))
        case .clientSecretFile: understood = isAbsolutePath(value) && store(&clientSecretFile, Array(value))
        case .users: understood = store(&users, words(value))
        case .unixGroup: understood = words(value).count == 1 && store(&unixGroup, Array(value))
        case .allowedGroups:
            let names = words(value)
            if names == [everybody] {
                understood = store(&allowedGroups, .everybody)
            } else {
                understood = !names.contains(everybody) && store(&allowedGroups, .these(names))
            }
        case .deniedGroups:
            let names = words(value)
            understood = !names.contains(everybody) && store(&deniedGroups, names)
        case .keyLogins:
            understood = store(&refusesKeyLogins, choice(value, [("ignore", false), ("refuse", true)]))
        case .minimumUID:
            understood = store(&minimumUID, number(value, in: 1...4_294_967_294).map { uid in UInt32(uid) })
        case .usernameTemplate:
            understood = store(&aliasDomain, domain(ofTemplate: value))
        case .authFlow:
            let flows: [(StaticString, AuthFlow)] = [
                ("srp", .srp), ("password", .password), ("choice", .choice), ("custom", .custom),
            ]
            understood = store(&authFlow, choice(value, flows))
        case .preferredChallenge:
            let challenges: [(StaticString, PreferredChallenge)] = [
                ("none", .none), ("password_srp", .passwordSRP), ("password", .password), ("email_otp", .emailCode),
                ("sms_otp", .messageCode),
            ]
            understood = store(&preferredChallenge, choice(value, challenges))
        case .combinedCode: understood = store(&combinedCode, yesOrNo(value))
        case .rememberDevice: understood = store(&rememberDevice, yesOrNo(value))
        case .maxFailures:
            understood = store(&maxFailures, number(value, in: 0...1000).map { number in Int(number) })
        case .failInterval: understood = store(&failInterval, duration(value, in: 60...86_400))
        case .localPassword:
            understood = store(&allowsLocalPasswords, choice(value, [("never", false), ("unavailable", true)]))
        case .trySession: understood = store(&trySession, yesOrNo(value))
        case .trySessionAge: understood = store(&trySessionAge, duration(value, in: 1...86_400))
        case .session:
            let rules: [(StaticString, SessionRule)] = [
                ("auto", .byService), ("open", .follows), ("never", .neverFollows),
            ]
            understood = store(&session, choice(value, rules))
        case .signOut:
            let modes: [(StaticString, SignOutMode)] = [
                ("global", .global), ("last", .last), ("session", .session), ("none", .none),
            ]
            understood = store(&signOut, choice(value, modes))
        case .signOutWait: understood = store(&signOutWait, duration(value, in: 0...60).map(milliseconds))
        case .checkInterval: understood = store(&checkInterval, duration(value, in: 0...86_400))
        case .onRevoked:
            let actions: [(StaticString, RevokedAction)] = [
                ("notify", .notify), ("lock", .lock), ("terminate", .terminate),
            ]
            understood = store(&onRevoked, choice(value, actions))
        case .idleSignOut:
            understood = store(
                &idleSignOut, duration(value, in: 0...604_800).flatMap { time in time == 0 || time >= 300 ? time : nil }
            )
        case .keyring:
            understood = store(&sharesTokens, choice(value, [("session", false), ("user", true)]))
        case .refreshToken:
            understood = store(&refreshTokenInSession, choice(value, [("session", true), ("root", false)]))
        case .refreshTokenValidity:
            understood = store(&refreshTokenValidity, duration(value, in: 3600...(3650 * 86_400)))
        case .networkTimeout: understood = store(&networkTimeout, duration(value, in: 1...120).map(milliseconds))
        case .connectTimeout: understood = store(&connectTimeout, duration(value, in: 1...60).map(milliseconds))
        case .preconnect: understood = store(&preconnect, yesOrNo(value))
        case .sendClientAddress: understood = store(&sendClientAddress, yesOrNo(value))
        case .sendClientMetadata: understood = store(&sendClientMetadata, yesOrNo(value))
        case .isolateSessions: understood = store(&isolateSessions, yesOrNo(value))
        case .journal: understood = store(&journal, yesOrNo(value))
        case .iamCredentialsFile: understood = isAbsolutePath(value) && store(&iamCredentialsFile, Array(value))
        case .iamInstanceMetadata: understood = store(&iamInstanceMetadata, yesOrNo(value))
        case .welcome: understood = store(&welcome, yesOrNo(value))
        case .translatePrompts: understood = store(&translatePrompts, yesOrNo(value))
        case .endpoint: understood = isEndpoint(value) && store(&endpoint, Array(value))
        case .caFile: understood = isAbsolutePath(value) && store(&caFile, Array(value))
        case .pinnedPublicKeys: understood = store(&pinnedPublicKeys, pins(value))
        case .proxy: understood = isProxy(value) && store(&proxy, Array(value))
        }
        guard understood else {
            // In place of its file's name somebody may have written the secret itself, or a password for a proxy: it does not
            // belong into a log.
            let isSecret =
                option == .clientSecretFile || option == .iamCredentialsFile
                || option == .proxy && value.contains(UInt8(ascii: "@"))
            let found: ByteText = isSecret ? "what stands there" : "\(quoting: value)"
            throw ConfigurationError(line: line, "\(option.name) cannot be \(found); allowed: \(option.allowed)")
        }
    }
}

/// Stores a value that was understood; false when there is none.
private func store<T>(_ place: inout T, _ value: T?) -> Bool {
    guard let value else {
        return false
    }
    place = value
    return true
}

private func store<T>(_ place: inout T?, _ value: T?) -> Bool {
    guard let value else {
        return false
    }
    place = value
    return true
}

private func milliseconds(_ seconds: Int64) -> Int64 {
    seconds * 1000
}
