import Base
package import Configuration
package import Protocol

/// Whom AdminUserGlobalSignOut is about, and where.
package struct AdminSignOutSubject {
    private let userPoolID: [UInt8]
    private let clientID: [UInt8]
    private let endpoint: [UInt8]?
    private let caFile: [UInt8]?
    private let loginName: [UInt8]

    /// A person who signed in as `loginName` by that client, there.
    package init(
        userPoolID: [UInt8], clientID: [UInt8], endpoint: [UInt8]?, caFile: [UInt8]?, loginName: [UInt8]
    ) {
        self.userPoolID = userPoolID
        self.clientID = clientID
        self.endpoint = endpoint
        self.caFile = caFile
        self.loginName = loginName
    }

    /// Ends all of the person's sessions with the rights of the machine's IAM identity; how far that has reached.
    ///
    /// - Parameter limit: The network's time, in milliseconds.
    package func signOut(
        by settings: Settings, on machine: some Machine, within limit: Int64
    ) throws(Fault) -> SignOutResult {
        var path = settings.path
        path.userPoolID = userPoolID
        path.clientID = clientID
        path.endpoint = endpoint
        path.caFile = caFile
        var request = stepFrame(.adminSignOut, clientSecret: nil, by: path, timeLimit: limit)
        request.add(.loginName, loginName)
        request.add(.tellsReach, true)
        try machine.addIdentity(to: &request, settings)
        let frame = try finished(request)
        let worker = try machine.startWorker()
        // A little more than the worker has, so that it can say what happened.
        var step = try WorkerStep(frame, to: worker, timeLimit: limit + 1000)
        guard let answer = try step.result(ofPool: userPoolID, on: machine) else {
            throw Fault("Cognito did not answer in time")
        }
        guard let result = SignOutResult(answer) else {
            throw Fault(logLine(of: answer))
        }
        return result
    }
}
