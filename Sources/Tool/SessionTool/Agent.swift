/// The requests to `cognito-agent` that only root can carry out for a session. A session is named by its token key's
/// serial number. Tokens are not sent: new ones arrive in the key.
package protocol Agent {
    /// Has the tokens renewed, unless the access token is still valid for `minimumLife` seconds.
    ///
    /// - Returns: Whether they were; false if another program had just done it.
    func renew(_ key: Int32, minimumLife: Int64) throws(AgentFault) -> Bool

    /// Has the session's tokens verified as at sign-in: signature, issuer, app client, user, life.
    ///
    /// - Parameter online: Ask Cognito, too, whether it still accepts them.
    func check(_ key: Int32, online: Bool) throws(AgentFault)
}
