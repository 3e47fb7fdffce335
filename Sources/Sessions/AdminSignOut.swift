import Base
package import Configuration
package import Protocol

extension Machine {
    /// Ends all sessions of the Cognito user `loginName` with the rights of the machine's IAM identity
    /// (AdminUserGlobalSignOut); how far that has reached.
    ///
    /// - Parameter limit: The network's time, in milliseconds.
    package func adminSignOut(
        of loginName: [UInt8], by path: NetworkPath, _ settings: Settings, within limit: Int64
    ) throws(Fault) -> SignOutResult {
        var request = Sessions.stepFrame(.adminSignOut, clientSecret: nil, by: path, timeLimit: limit)
        request.add(.loginName, loginName)
        request.add(.tellsReach, true)
        try addIdentity(to: &request, settings)
        let frame = try finished(request)
        let worker = try startWorker()
        // A little more than the worker has, so that it can say what happened.
        var step = try WorkerStep(frame, to: worker, timeLimit: limit + 1000)
        guard let answer = try step.result(ofPool: path.userPoolID, on: self) else {
            throw Fault("Cognito did not answer in time")
        }
        guard let result = SignOutResult(answer) else {
            throw Fault(logLine(of: answer))
        }
        return result
    }
}
