import Base

extension Settings {
    /// The options of `pam_cognito.conf`, in the order of the manual page: for each its name, the field that it sets,
    /// what a value must look like, and where it may stand, if that is not the file alone. What the field begins with
    /// is the default.
    ///
    /// This table is the one source: the parser, its messages and the checks of manual page and sample file go by it.
    mutating func set(by row: inout Assignment) {
        row.text("user_pool_id", &userPoolID, "a user pool id such as eu-west-1_AbCdEf123", isUserPoolID)
        row.text("client_id", &clientID, "an app client id with 1 to 128 letters, digits, '_' or '+'", isClientID)
        row.secretFile("client_secret_file", &clientSecretFile)
        row.names("users", &users, "names of local accounts, separated by spaces")
        row.text("unix_group", &unixGroup, "the name of a local group", isOneWord)
        row.names(
            "authenticating_users", &authenticatingUsers,
            "names of local accounts other than root, separated by spaces",
            refusing: "root")
        row.value(
            "allowed_groups", &allowedGroups,
            "names of Cognito groups, separated by spaces, or an asterisk for every user of the pool", groups,
            .alsoArgument)
        row.names(
            "denied_groups", &deniedGroups, "names of Cognito groups, separated by spaces", refusing: "*", .alsoArgument
        )
        row.word("key_logins", &refusesKeyLogins, no: "ignore", yes: "refuse", .alsoArgument)
        row.number("minimum_uid", &minimumUID, from: 1, to: 4_294_967_294)
        row.word("accounts", &accounts)
        row.value(
            "account_names", &accountNames,
            "account name patterns, separated by spaces; an asterisk or a question mark is a wildcard", namePatterns)
        row.value("account_uids", &accountUIDs, "a range LOWEST-HIGHEST between 1000 and 2147483647", userIDRange)
        row.text("account_shell", &accountShell, "the absolute path of a shell", isAccountPath)
        row.text("account_home", &accountHome, "an absolute path that contains {user} exactly once", isHomeTemplate)
        row.yesOrNo("account_subids", &accountSubordinateIDs)
        row.value(
            "username_template", &aliasDomain,
            "{user}, or {user} with a literal domain such as {user}@example.com", domain(ofTemplate:))
        row.word("auth_flow", &authFlow, .alsoArgument)
        row.word("preferred_challenge", &preferredChallenge, .alsoArgument)
        row.yesOrNo("combined_code", &combinedCode, .alsoArgument)
        row.yesOrNo("remember_device", &rememberDevice, .alsoArgument)
        row.number("max_failures", &maxFailures, from: 1, to: 1000, zero: "no limit")
        row.time("fail_interval", &failInterval, from: "1m", to: "24h", such: "10m")
        row.word("local_password", &allowsLocalPasswords, no: "never", yes: "unavailable", .alsoArgument)
        row.yesOrNo("try_session", &trySession, .onlyArgument)
        row.time("try_session_age", &trySessionAge, from: "1s", to: "24h", such: "5m", .alsoArgument)
        row.value(
            "required_acr", &requiredACR, "one to eight levels such as urn:cognito:loa:4, separated by spaces",
            levels, .alsoArgument)
        row.time("max_age", &maxAge, from: "1s", to: "7d", such: "8h", .alsoArgument)
        row.word("session", &session, .onlyArgument)
        row.word("sign_out", &signOut, .alsoArgument)
        row.time("sign_out_wait", &signOutWait, .milliseconds, from: "0s", to: "60s", such: "5s", .alsoArgument)
        row.time("check_interval", &checkInterval, from: "1s", to: "24h", such: "10m", zero: "never")
        row.yesOrNo("renew_ahead", &renewsAhead)
        row.yesOrNo("lock_tokens", &locksTokens)
        row.yesOrNo("export_tokens", &exportsTokens)
        row.word("on_revoked", &onRevoked)
        row.time("idle_sign_out", &idleSignOut, from: "5m", to: "7d", such: "30m", zero: "never")
        row.word("keyring", &sharesTokens, no: "session", yes: "user")
        row.word("refresh_token", &withholdsRefreshToken, no: "session", yes: "root")
        row.time(
            "refresh_token_validity", &givenRefreshTokenValidity, from: "1h", to: "3650d", as: "set for the app client",
            such: "30d")
        row.time("network_timeout", &networkTimeout, .milliseconds, from: "1s", to: "120s", such: "15s")
        row.time("connect_timeout", &connectTimeout, .milliseconds, from: "1s", to: "60s", such: "5s")
        row.word("preconnect", &preconnect)
        row.formerly("yes", .begin, &preconnect)
        row.yesOrNo("send_client_address", &sendClientAddress)
        row.yesOrNo("send_client_metadata", &sendClientMetadata)
        row.yesOrNo("isolate_sessions", &isolateSessions, .alsoArgument)
        row.yesOrNo("journal", &journal)
        row.secretFile("iam_credentials_file", &iamCredentialsFile)
        row.yesOrNo("iam_instance_metadata", &iamInstanceMetadata)
        row.text("metrics_directory", &metricsDirectory, "the absolute path of a directory", isAbsolutePath)
        row.value(
            "group_map", &groupMap,
            "entries separated by spaces, such as COGNITO-GROUP:UNIX-GROUP,UNIX-GROUP; the root group is not allowed",
            mappings)
        row.text("account_ssh_key_attribute", &accountKeyAttribute, "the name of an attribute", isAttributeName)
        row.text("account_uid_claim", &accountUIDClaim, "the name of an attribute", isAttributeName)
        row.value(
            "account_removal_limit", &accountRemovalLimit, "a percentage from 0% to 100%, or a number of accounts",
            removalLimit)
        row.yesOrNo("welcome", &welcome, .alsoArgument)
        row.yesOrNo("translate_prompts", &translatePrompts, .alsoArgument)
        row.optional(
            "endpoint", &endpoint,
            "one to four addresses such as https://host or https://host:port, separated by spaces",
            endpointList)
        row.text("ca_file", &caFile, "the absolute path of a file of CA certificates (PEM)", isAbsolutePath)
        row.text(
            "key_set_file", &keySetFile, "the absolute path of a file with the pool's key set (JSON)", isAbsolutePath)
        let rootsOwn = row.row
        worker.set(by: &row)
        row.isForWorker = row.row != rootsOwn
    }
}

extension WorkerSettings {
    /// Those options that the worker obeys: the last ones of the manual page. They travel there by themselves.
    mutating func set(by row: inout Assignment) {
        row.optional(
            "pinned_public_keys", &pinnedPublicKeys,
            "keys such as sha256//BASE64, each with 44 characters of base64, separated by ';'", pins)
        row.proxy("proxy", &proxy)
        row.text(
            "aws_credentials", &awsCredentials,
            """
            entries separated by spaces, each as NAME=IDENTITY_POOL[,ROLE_ARN] or NAME=ROLE_ARN[,TIME] with a TIME \
            from 15m to 12h
            """,
            areAWSCredentials)
        row.text("aws_endpoint", &awsEndpoint, "https://host or https://host:port", isEndpoint)
        row.word("federated", &federated, .alsoArgument)
        row.text(
            "managed_login_domain", &managedLoginDomain, "a domain such as auth.example.com, or auth.example.com:8443",
            isDomain)
        row.text(
            "identity_provider", &identityProvider, "the name of an identity provider of the pool, such as Okta",
            isProviderName)
        row.text(
            "redirect_uri", &redirectURI,
            "an https:// address that the app client allows (at most 128 characters), or http://localhost for tests",
            isRedirectURI)
        row.text(
            "identity_claim", &identityClaim, "the name of a claim in the ID token, such as email", isAttributeName)
        row.text(
            "managed_login_scopes", &managedLoginScopes, "scopes separated by spaces; openid must be one of them",
            areScopes)
        row.word("browser_session", &acceptsBrowserSession, no: "ask", yes: "accept", .alsoArgument)
        row.yesOrNo("browser_sign_out", &endsBrowserSession)
    }
}

/// The places where an option is permitted.
enum OptionPlace: Sendable {
    /// In the file, where it holds for all services.
    case file
    /// There, and as a module argument that sets it for one service.
    case alsoArgument
    /// As a module argument.
    case onlyArgument
}
