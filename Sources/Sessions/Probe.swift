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
    /// Has a worker test the connection to Cognito, and look for refusals that concern every sign-in: it begins one
    /// with a name that no user has, if the app client's secret can be read.
    ///
    /// - Parameters:
    ///   - flow: The flow to begin with; nil: no sign-in begins at the endpoint.
    ///   - asksForLevels: Whether to find out, too, if Cognito asks for levels of authentication there.
    ///   - observe: Called while the worker waits for instructions.
    package func probe(
        _ settings: Settings, flow: AuthenticationFlow?, levels asksForLevels: Bool, observe: (Worker) -> Void
    ) throws(Fault) -> ProbeOutcome {
        var secret: Secret?
        var canBegin = true
        do throws(Fault) {
            secret = try clientSecret(settings)
        } catch {
            canBegin = false
        }
        var request = settings.stepFrame(.probe, clientSecret: secret)
        request.add(.flow, canBegin ? flow : nil)
        if canBegin, asksForLevels {
            // One that no pool has: that is an error where there are levels.
            request.add(.requiredACR, ("urn:pam-cognito:no-level" as StaticString).bytes)
        }
        // Faults of the file itself are reported by the check of the file.
        if let file = try? keySetFile(settings) {
            request.add(.keySet, file.content)
            request.add(.fixedKeySet, true)
        } else {
            request.add(.keySet, ifPresent: keySet(ofPool: settings.userPoolID))
        }
        let frame = try finished(request)
        let worker = try startWorker()
        observe(worker)
        var step = try WorkerStep(frame, to: worker, timeLimit: settings.networkTimeout + 1000)
        guard let answer = try step.result(ofPool: settings.userPoolID, on: self) else {
            return .outOfTime
        }
        if let report = answer.bytes(.report) {
            return .reached(report)
        }
        return .failed(answer.failureReason, answer.bytes(.logText) ?? [])
    }
}
