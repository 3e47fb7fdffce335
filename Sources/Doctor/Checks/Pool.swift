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
        poolFault(reached, settings, path)
        if reached["revocation"] == "off", settings.signOut == .session || settings.signOut == .last {
            Check(
                .noRevocation, .warning,
                "The app client does not allow that tokens are revoked (EnableTokenRevocation).",
                why: "The refresh token stays valid after the user logs out. A copy can be used until it expires.",
                fix: "aws cognito-idp describe-user-pool-client --user-pool-id \(text(settings.userPoolID)) "
                    + "--client-id \(text(settings.clientID)) | grep -v ClientSecret   # and "
                    + "update-user-pool-client with all of it, and --enable-token-revocation")
        }
    }

    private static func poolFault(_ reached: ReachedCognito, _ settings: Settings, _ path: String) -> Check? {
        func fault(
            _ id: CheckID, _ what: String, why: String = "Cognito refuses all users, whatever password they enter.",
            fix: String? = nil
        ) -> Check {
            Check(id, .broken, what, why: why, fix: fix ?? edit(path))
        }
        let levelsWhy = "Users who need a level to sign in are refused, with any password."
        let flow = settings.beginning(.signIn).flow.name
        // Where levels are not to be had, no sign-in that asks for one is; that says more.
        switch (reached.levels, reached.signIn) {
        case ("no_plan", _):
            return fault(
                .levelsNotInPlan,
                "The user pool's feature plan has no levels of authentication, and required_acr wants one: it takes "
                    + "Essentials or Plus.", why: levelsWhy)
        case ("ignored", _):
            return fault(
                .levelsIgnored,
                "Cognito pays no attention to levels of authentication for this user pool, and required_acr wants one.",
                why: levelsWhy)
        case ("no_flow", _):
            return fault(
                .levelsWithoutFlow,
                "The app client does not allow USER_AUTH, which required_acr needs: it takes ALLOW_USER_AUTH.",
                why: levelsWhy)
        case (_, "no_client"):
            return fault(
                .noClient, "Cognito knows no app client of this id (client_id), or not in this pool's region.")
        case (_, "no_secret"):
            let what =
                "The app client has another secret than client_secret_file, has none, or has one that is not set here."
            guard let file = settings.clientSecretFile.map(text) else { return fault(.otherSecret, what) }
            return fault(
                .otherSecret, what,
                why: "Cognito refuses all users. If this secret used to work, it was probably rotated: by default, app "
                    + "client secrets made in the AWS console rotate every seven days. Write the new secret into the "
                    + "file, or turn off its rotation.", fix: edit(file))
        case (_, "no_flow"):
            return fault(
                .noFlow,
                "The app client does not allow \(flow), with which sign-ins begin (auth_flow): it takes ALLOW_\(flow).")
        case (_, "no_plan"):
            return fault(
                .noChoice,
                "The user pool's feature plan has no choice of factors (auth_flow = choice): it takes Essentials or "
                    + "Plus.")
        case (_, "not_enabled"):
            return fault(
                .signInNotEnabled,
                "Cognito signs in no user at this endpoint (OperationNotEnabledException): a replica may be inactive "
                    + "(endpoint).")
        case (_, _): return nil
        }
    }
}
