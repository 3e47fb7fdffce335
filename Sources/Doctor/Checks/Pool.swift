internal import Base
internal import Commands
internal import Configuration
internal import Protocol
internal import Sessions

extension CognitoExamination {
    @CheckList
    static func managedLoginFindings(_ answer: String, _ settings: Settings, _ path: String) -> [Check] {
        let why = "Federated users cannot sign in."
        let domain = text(settings.worker.managedLoginDomain ?? [])
        switch answer {
        case "possible": []
        case "unreachable", "no_managed_login":
            Check(
                .managedLoginAway, .broken,
                "\(domain) does not respond like managed login (managed_login_domain).", why: why,
                fix: "curl -sS -i https://\(domain)/oauth2/authorize   # shows what answers")
        case let error:
            Check(
                .managedLoginRefuses, .broken,
                "Managed login refuses sign-ins with this app client (\(error)). The app client must allow the "
                    + "authorization code grant, redirect_uri, managed_login_scopes and "
                    + "identity_provider.", why: why, fix: edit(path))
        }
    }

    /// What pool and app client lack that the configuration needs.
    @CheckList
    static func poolFindings(_ reached: ReachedCognito, _ settings: Settings, _ path: String) -> [Check] {
        poolFault(reached, settings, path)
        if reached["revocation"] == "off", settings.signOut == .session || settings.signOut == .last {
            Check(
                .noRevocation, .warning,
                "Token revocation is disabled in the app client (EnableTokenRevocation).",
                why: "The refresh token stays valid after the user logs out. A copy of the token can be used until the "
                    + "token expires.",
                fix: "aws cognito-idp describe-user-pool-client --user-pool-id \(text(settings.userPoolID)) "
                    + "--client-id \(text(settings.clientID)) | grep -v ClientSecret   # then run "
                    + "update-user-pool-client with all these settings and --enable-token-revocation")
        }
    }

    private static func poolFault(_ reached: ReachedCognito, _ settings: Settings, _ path: String) -> Check? {
        let flow = settings.beginning(.signIn).flow.name
        let found: (id: CheckID, what: String)? =
            // Where levels are not to be had, no sign-in that asks for one is; that says more.
            switch (reached.levels, reached.signIn) {
            case ("no_plan", _):
                (
                    .levelsNotInPlan,
                    "required_acr needs the feature plan Essentials or Plus. The user pool's plan has no "
                        + "authentication levels."
                )
            case ("ignored", _):
                (.levelsIgnored, "required_acr is set, but Cognito ignores authentication levels for this user pool.")
            case ("no_flow", _):
                (.levelsWithoutFlow, "required_acr needs the flow USER_AUTH. Enable ALLOW_USER_AUTH in the app client.")
            case (_, "no_client"):
                (.noClient, "There is no app client with this id (client_id) in the user pool's region.")
            case (_, "no_secret"):
                (
                    .otherSecret,
                    "The app client's secret does not match client_secret_file, or only one of the two is set."
                )
            case (_, "no_flow"):
                (.noFlow, "Sign-ins need the flow \(flow) (auth_flow). Enable ALLOW_\(flow) in the app client.")
            case (_, "no_plan"): (.noChoice, "auth_flow = choice needs the feature plan Essentials or Plus.")
            case (_, "not_enabled"):
                (
                    .signInNotEnabled,
                    "This endpoint does not allow sign-ins (OperationNotEnabledException): a replica may be inactive "
                        + "(endpoint)."
                )
            case (_, _): nil
            }
        guard let (id, what) = found else { return nil }
        if id == .otherSecret, let file = settings.clientSecretFile.map(text) {
            return Check(
                id, .broken, what,
                why: "Cognito refuses all users. If the secret worked before, it was probably rotated: by default, app "
                    + "client secrets made in the AWS console rotate every seven days. Write the new secret into the "
                    + "file, or turn off rotation.", fix: edit(file))
        }
        let isLevel = [.levelsNotInPlan, .levelsIgnored, .levelsWithoutFlow].contains(id)
        return Check(
            id, .broken, what,
            why: isLevel
                ? "Users who need an authentication level are refused, even with the correct password."
                : "Cognito refuses all users, even with the correct password.", fix: edit(path))
    }
}
