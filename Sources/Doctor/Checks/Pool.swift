internal import Base
internal import Commands
internal import Configuration
internal import LoginHooks
internal import Protocol

extension CognitoExamination {
    @CheckList
    static func managedLoginFindings(_ answer: String, _ settings: Settings, _ path: String) -> [Check] {
        let why = "Users of the identity provider cannot sign in (federated)."
        let domain = text(settings.worker.managedLoginDomain ?? [])
        switch answer {
        case "possible": []
        case "unreachable", "no_managed_login":
            Check(
                .managedLoginAway, .broken,
                "\(domain) does not answer as managed login does (managed_login_domain).", why: why,
                fix: "curl -sS -i https://\(domain)/oauth2/authorize   # shows what answers")
        case let error:
            Check(
                .managedLoginRefuses, .broken,
                "Managed login refuses such sign-ins (\(error)). The app client must allow the authorization code "
                    + "grant, redirect_uri, managed_login_scopes and identity_provider.", why: why, fix: edit(path))
        }
        if settings.host.mentions(".vpce.") {
            Check(
                .managedLoginWithPrivateLink, .warning,
                "endpoint is a PrivateLink address, and Cognito does not allow PrivateLink for a pool with a domain.",
                why: why, fix: edit(path))
        }
    }

    /// What pool and app client lack that the configuration needs.
    @CheckList
    static func poolFindings(_ reached: ReachedCognito, _ settings: Settings, _ path: String) -> [Check] {
        // Where levels are not to be had, no sign-in that asks for one is; that says more.
        let isAboutLevels = ["no_plan", "ignored", "no_flow"].contains(reached.levels)
        let secretFile = reached.signIn == "no_secret" && !isAboutLevels ? settings.clientSecretFile.map(text) : nil
        let (pool, client) = (text(settings.userPoolID), text(settings.clientID))
        if let (id, what) = poolFault(reached.levels, reached.signIn, settings.beginning(.signIn).flow.name) {
            Check(
                id, .broken, what,
                why: isAboutLevels
                    ? "Users who need a level to sign in are refused, with any password."
                    : secretFile != nil
                        ? "Cognito refuses all users. If this secret used to work, it was probably rotated: by "
                            + "default, app client secrets made in the AWS console rotate every seven days. Write the "
                            + "new secret into the file, or turn off its rotation."
                        : "Cognito refuses all users, whatever password they give.",
                fix: edit(secretFile ?? path))
        }
        if reached["revocation"] == "off", settings.signOut == .session || settings.signOut == .last {
            Check(
                .noRevocation, .warning,
                "The app client does not allow that tokens are revoked (EnableTokenRevocation).",
                why: "A session's refresh token outlives the logout: a copy of it can be used until it expires.",
                fix: "aws cognito-idp describe-user-pool-client --user-pool-id \(pool) --client-id \(client)   # and "
                    + "update-user-pool-client with all of it, and --enable-token-revocation")
        }
    }

    private static func poolFault(_ levels: String?, _ signIn: String?, _ flow: String) -> (CheckID, String)? {
        switch (levels, signIn) {
        case ("no_plan", _):
            (
                .levelsNotInPlan,
                "The user pool's feature plan has no levels of authentication, and required_acr wants one: it takes "
                    + "Essentials or Plus."
            )
        case ("ignored", _):
            (
                .levelsIgnored,
                "Cognito pays no attention to levels of authentication for this user pool, and required_acr wants one."
            )
        case ("no_flow", _):
            (
                .levelsWithoutFlow,
                "The app client does not allow USER_AUTH, which required_acr needs: it takes ALLOW_USER_AUTH."
            )
        case (_, "no_client"):
            (.noClient, "Cognito knows no app client of this id (client_id), or not in this pool's region.")
        case (_, "no_secret"):
            (
                .otherSecret,
                "The app client has another secret than client_secret_file, has none, or has one that is not set here."
            )
        case (_, "no_flow"):
            (
                .noFlow,
                "The app client does not allow \(flow), with which sign-ins begin (auth_flow): it takes ALLOW_\(flow)."
            )
        case (_, "no_plan"):
            (
                .noChoice,
                "The user pool's feature plan has no choice of factors (auth_flow = choice): it takes Essentials or "
                    + "Plus."
            )
        case (_, "not_enabled"):
            (
                .signInNotEnabled,
                "Cognito signs in no user at this endpoint (OperationNotEnabledException): a replica may be inactive "
                    + "(endpoint)."
            )
        case (_, _): nil
        }
    }
}
