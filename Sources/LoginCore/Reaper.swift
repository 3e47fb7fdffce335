package import ByteText
import KernelKeyring
import LinuxProcess

/// Ends the sessions that ended badly: no session ends without its tokens being revoked.
package struct Reaper<System: Machine> {
    private let machine: System

    /// What one entry of the registry needs.
    package enum Verdict: Equatable {
        /// Its host lives and will end it, or it belongs to another kernel or container.
        case leave
        /// It ended without a word; what happened.
        case end(ByteText)
        /// It is no entry.
        case discard
    }

    /// Reaps on `machine`.
    package init(machine: System) {
        self.machine = machine
    }

    /// Judges one entry.
    package func judge(_ entry: borrowing RegistryEntry) -> Verdict {
        guard entry.boot == machine.boot else {
            return .leave
        }
        switch entry.state {
        case .pending:
            let age = machine.now.milliseconds - entry.created.milliseconds
            return age > pendingGrace ? .end("no session followed") : .leave
        case .open, .held:
            return machine.isAlive(entry.host) ? .leave : .end("its host is gone")
        case .closing:
            return .end("sign-out was not finished")
        }
    }

    /// Goes through the registry once.
    ///
    /// - Parameters:
    ///   - dryRun: Only says what it would do.
    ///   - report: Gets a line for each entry that is not left alone; whether it is a fault.
    /// - Returns: How many entries could not be ended yet.
    package func reap(dryRun: Bool, report: (ByteText, Bool) -> Void) -> Int {
        var left = 0
        let keys: [RootKey]
        do throws(ErrorNumber) {
            keys = try machine.entries()
        } catch {
            report("the registry cannot be read (errno \(error.code)); run this as root", true)
            return 1
        }
        for key in keys {
            guard let payload = try? machine.read(key) else {
                continue
            }
            guard RegistryEntry.isOfThisVersion(payload) else {
                // Of a newer module, in a host that is still there; its own reaper understands it.
                continue
            }
            guard let entry = RegistryEntry.decode(payload) else {
                guard !dryRun else {
                    report("a damaged entry would be removed", true)
                    continue
                }
                machine.remove(key)
                report("a damaged entry was removed", true)
                continue
            }
            guard case .end(let why) = judge(entry) else {
                continue
            }
            let who: ByteText = "session of \(quoting: entry.user) (\(entry.service), process \(entry.host.id))"
            guard !dryRun else {
                report("\(who): would be ended, \(why)", false)
                continue
            }
            let ending = SessionEnding(machine: machine).end(key, mode: nil, waiting: 30_000) { entry in
                judge(entry) != .leave
            }
            switch ending {
            case .done(let how):
                report("\(who): ended, \(why); outcome=\(how)", false)
            case .left(let fault):
                left += 1
                report("\(who): not ended yet, \(why): \(fault)", true)
            case .busy:
                break
            }
        }
        return left
    }
}
