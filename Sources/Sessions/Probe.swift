import Base
package import Configuration
package import Protocol

/// What a look at the way to Cognito came to.
package enum ProbeOutcome {
    /// The pool's key set is there; what was found on the way, as `ProbeStep` of the worker wrote it (JSON).
    case reached([UInt8])
    /// The worker says why not.
    case failed(FailureReason, [UInt8])
    /// No answer within the time.
    case outOfTime
}

extension Machine {
    /// Has a worker look at the way to Cognito, without signing anybody in.
    ///
    /// - Parameter observe: Called while the worker waits to be told what to do.
    package func probe(_ settings: Settings, observe: (Worker) -> Void) throws(Fault) -> ProbeOutcome {
        let frame = try finished(
            Sessions.stepFrame(
                .probe, userPoolID: settings.userPoolID, clientID: settings.clientID, clientSecret: nil,
                by: settings.path, timeLimit: settings.networkTimeout,
                connectTimeLimit: settings.connectTimeout))
        let worker = try startWorker()
        observe(worker)
        var step = try WorkerStep(frame, to: worker, timeLimit: settings.networkTimeout + 1000)
        guard let answer = try step.receive(by: { now }) else {
            step.kill()
            return .outOfTime
        }
        if let report = answer.bytes(.report) {
            return .reached(report)
        }
        let reason = answer.code(.reason).flatMap { code in FailureReason(rawValue: code) } ?? .internalFault
        return .failed(reason, answer.bytes(.logText) ?? [])
    }
}
