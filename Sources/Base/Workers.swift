import CLinux

/// What a worker's first argument begins with that is for somebody, whose user id follows.
var forSomebody: StaticString { "cognito-worker for uid " }

/// Whether there are so many workers already, started as `uid` for `caller`, that there can be no other. It is the kernel's own list
/// that is counted, which nobody can fill or empty by killing whoever started them.
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
            // Who cannot look must not take it for nothing; but this one has ended.
            continue
        }
    }
    // One whose program has not begun is not seen by those that have looked before it was.
    return callersOlder >= most || callers >= 2 * most || allOlder >= mostOfAll || all >= 2 * mostOfAll
}

/// Whom a process works for, if it is a worker that runs as `uid`.
private func callerOfWorker(_ process: Int32, as uid: UInt32) throws(ErrorNumber) -> UInt32? {
    // A process that nobody may look into is root's here, whoever it runs as. Nothing of anybody else's is read, which can make
    // reading last.
    guard case let owner = try processOwner(process), owner == 0 || owner == uid else {
        return nil
    }
    let name = forSomebody.bytes
    let line = try readProcessFile(process, "cmdline", atMost: 511)
    // Anybody can have such a name, but not run as that account.
    guard line.starts(with: name), try ProcessStatus(of: process).numbers("Uid").first == uid else {
        return nil
    }
    return line.dropFirst(name.count).prefix { byte in (48...57).contains(byte) }
        .reduce(0) { number, digit in number &* 10 &+ UInt32(digit &- 48) }
}

/// Kills every worker that runs as `uid`, whoever started it.
package func endWorkers(as uid: UInt32) {
    for process in (try? processIDs()) ?? [] {
        if let status = try? ProcessStatus(of: process), status.isNamed("cognito-worker"),
            status.numbers("Uid").first == uid
        {
            linux_kill_process(process)
        }
    }
}
