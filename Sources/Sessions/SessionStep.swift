import Base
import Configuration
package import Protocol

extension Machine {
    /// The network's time limit in one step about a session, for which a user waits, in milliseconds.
    func networkLimit(_ entry: borrowing RegistryEntry) -> Int64 {
        ((try? settings(at: entry.configuration, arguments: [])) ?? .defaults).networkTimeout
    }

    /// The frame that begins a step about a session: the pool, client and endpoint that its tokens came from.
    func stepFrame(
        _ kind: MessageKind,
        _ entry: borrowing RegistryEntry,
        timeLimit: Int64
    ) throws(Fault) -> FrameWriter {
        let today = todaysSettings(of: entry)
        return try stepFrame(kind, entry, by: networkPath(of: entry, today), today, timeLimit: timeLimit)
    }

    /// The same for a path that is known already.
    func stepFrame(
        _ kind: MessageKind,
        _ entry: borrowing RegistryEntry,
        by path: NetworkPath,
        _ today: Settings?,
        timeLimit: Int64
    ) throws(Fault) -> FrameWriter {
        let secret: Secret? = if let today { try clientSecret(today) } else { nil }
        var request = Sessions.stepFrame(kind, clientSecret: secret, by: path, timeLimit: timeLimit)
        request.addRequester(entry.service)
        return request
    }

    /// A session's way to Cognito. The options that the worker obeys come from the file of today or, where that cannot
    /// be read, from the sign-in. The rest is always as it was at the sign-in.
    func networkPath(of entry: borrowing RegistryEntry, _ today: Settings?) -> NetworkPath {
        var path = NetworkPath(
            userPoolID: entry.userPoolID, clientID: entry.clientID, endpoint: entry.endpoint, caFile: entry.caFile,
            options: entry.workerOptions)
        if let today {
            path.connectTimeout = today.connectTimeout
            path.options = today.workerOptions
        }
        return path
    }

    /// The same, for a step that looks at the session's tokens: whose they must be, and by which keys that is seen.
    func tokenFrame(
        _ kind: MessageKind,
        _ entry: borrowing RegistryEntry,
        timeLimit: Int64
    ) throws(Fault) -> FrameWriter {
        var request = try stepFrame(kind, entry, timeLimit: timeLimit)
        // Whose claim was the account's once is the same user of the pool ever after, whatever the options say today.
        let isFederated = entry.identity == .federated
        request.add(.userName, isFederated ? entry.loginName : entry.user)
        request.add(.loginName, entry.loginName)
        request.add(.identityRule, isFederated ? .userName : entry.identity)
        request.add(.bundle, entry.bundle)
        try addKeySet(to: &request, ofPool: entry.userPoolID, todaysSettings(of: entry))
        return request
    }

    /// The settings of today; nil where they cannot be read, or are about another app client.
    func todaysSettings(of entry: borrowing RegistryEntry) -> Settings? {
        guard let settings = try? settings(at: entry.configuration, arguments: []),
            settings.clientID == entry.clientID, settings.userPoolID == entry.userPoolID
        else {
            return nil
        }
        return settings
    }
}

extension WorkerStep {
    /// The worker's result for a session of the pool `userPoolID`; a key set that it hands over before is kept. nil:
    /// its time was over, and it was ended. A worker that cannot be heard finishes by itself.
    package mutating func result(
        ofPool userPoolID: [UInt8],
        on machine: some Machine
    ) throws(Fault) -> Frame? {
        while true {
            guard let answer = try receive(by: { machine.now }) else {
                kill()
                return nil
            }
            guard answer.kind == .keep else {
                return answer
            }
            if let keySet = answer.bytes(.keySet) {
                machine.keepKeySet(keySet, ofPool: userPoolID)
            }
        }
    }
}
