internal import Base
internal import Commands
internal import Configuration
internal import Protocol
internal import Sessions

extension CognitoExamination {
    @CheckList
    static func managedLoginFindings(_ answer: String, _ settings: Settings, _ path: String) -> [Check] {
        let domain = text(settings.worker.managedLoginDomain ?? [])
        let isAway = ["unreachable", "no_managed_login"].contains(answer)
        if answer != "possible" {
            Check(
                .managedLogin, .broken,
                isAway
                    ? "The server at \(domain) does not seem to provide managed login (managed_login_domain)."
                    : "Managed login refuses sign-ins with this app client (\(answer)). The app client must allow the "
                        + "authorization code grant, redirect_uri, managed_login_scopes and identity_provider.",
                why: "Federated users cannot sign in.",
                fix: isAway
                    ? "curl -sS -i https://\(domain)/oauth2/authorize   # shows which server answers" : edit(path))
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
        let levels = [
            "no_plan": "required_acr needs the Essentials or Plus feature plan. The user pool's plan does not include "
                + "authentication levels.",
            "ignored": "required_acr is set, but Cognito ignores authentication levels for this user pool.",
            "no_flow": "required_acr needs the USER_AUTH flow. Enable ALLOW_USER_AUTH in the app client.",
        ]
        let signIns = [
            "no_client": "The user pool's Region has no app client with the id that client_id specifies.",
            "no_secret": "The app client's secret does not match client_secret_file, or only one of the two is set.",
            "no_flow": "Sign-ins need the \(flow) flow (auth_flow). Enable ALLOW_\(flow) in the app client.",
            "no_plan": "auth_flow = choice needs the Essentials or Plus feature plan.",
            "not_enabled": "This endpoint does not allow sign-ins (OperationNotEnabledException), and may belong to an "
                + "inactive replica (see the endpoint option).",
        ]
        // Where levels are not to be had, no sign-in that asks for one is; that says more.
        if let what = levels[reached.levels ?? ""] {
            return Check(
                .noLevels, .broken, what,
                why: "Users who must sign in at one of the authentication levels in required_acr are refused, even "
                    + "with the correct password.",
                fix: edit(path))
        }
        guard let word = reached.signIn, let what = signIns[word] else { return nil }
        let secretFile = word == "no_secret" ? settings.clientSecretFile.map(text) : nil
        let clients =
            "aws cognito-idp list-user-pool-clients --user-pool-id \(text(settings.userPoolID)) --max-results 60"
            + "   # then set client_id in \(path)"
        return Check(
            word == "not_enabled" ? .signInNotEnabled : .noSignIn, .broken, what,
            why: secretFile == nil
                ? "Cognito refuses all users, even with the correct password."
                : "Cognito refuses all users. By default, app client secrets created in the AWS console rotate every "
                    + "seven days: write the new secret into client_secret_file, or turn off rotation.",
            fix: word == "no_client" ? clients : edit(secretFile ?? path))
    }
}
