import CLinux

/// The beginning of the first argument of a worker that serves a user; the user id follows.
var forSomebody: StaticString { "cognito-worker for uid " }

/// Whether `uid` runs so many workers for `caller` that no other may be started. It counts the kernel's own list, which
/// a user cannot fill or empty by killing the programs that started them.
///
/// - Parameter own: Not that one, nor those that are younger; 0: any.
package func tooManyWorkers(
    for caller: UInt32, as uid: UInt32, besides own: Int32 = 0, most: UInt32, mostOfAll: UInt32
) throws(ErrorNumber) -> Bool {
    let ownStart = own > 0 ? ProcessIdentity(now: own).startTime : .max
    var (all, allOlder, callers, callersOlder): (UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0)
    for process in try processIDs() where process != own {
        do throws(ErrorNumber) {
            guard let found = try callerOfWorker(process, as: uid) else {
                continue
            }
            let start = ProcessIdentity(now: process).startTime
            let isOlder = start < ownStart || (start == ownStart && process < own)
            all += 1
            allOlder += isOlder ? 1 : 0
            if found == caller {
                callers += 1
                callersOlder += isOlder ? 1 : 0
            }
        } catch  where error == .noSuchFileOrDirectory || error == .noSuchProcess {
            // A process that cannot be read must be counted; but this one has ended.
            continue
        }
    }
    // One whose program has not begun is not seen by those that have looked before it was.
    return callersOlder >= most || callers >= 2 * most || allOlder >= mostOfAll || all >= 2 * mostOfAll
}

/// Returns the user id that a process works for, if it is a worker that runs as `uid`.
private func callerOfWorker(_ process: Int32, as uid: UInt32) throws(ErrorNumber) -> UInt32? {
    // A process that only root may look into counts as root's here. No other user's process is read, since that user
    // could delay the reading.
    guard case let owner = try processOwner(process), owner == 0 || owner == uid else {
        return nil
    }
    let name = forSomebody.bytes
    let line = try readProcessFile(process, "cmdline", atMost: 511)
    // Any program can have such a name, but not run as that account.
    guard line.starts(with: name), try ProcessStatus(of: process).numbers("Uid").first == uid else {
        return nil
    }
    return line.dropFirst(name.count).prefix { byte in (48...57).contains(byte) }
        .reduce(0) { number, digit in number &* 10 &+ UInt32(digit &- 48) }
}

/// Kills every worker that runs as `uid`.
package func endWorkers(as uid: UInt32) {
    for process in (try? processIDs()) ?? [] {
        if let status = try? ProcessStatus(of: process), status.isNamed("cognito-worker"),
            status.numbers("Uid").first == uid
        {
            linux_kill_process(process)
        }
    }
}
