import Base
import CLinux

// cognito-accounts answers systemd's user database protocol from root's files.

/// Its account: not the worker's, which reads what comes from the network.
let accountName: StaticString = "_pam-cognito-accounts"

func serve() -> CInt {
    var own: Account?
    if linux_effective_user_id() == 0 {
        // Before there is a socket: the question would come here.
        own = try? Account.named(accountName.bytes)
        guard own != nil else {
            log(.error, "the account \(accountName) is missing; run systemd-sysusers, or reinstall pam-cognito")
            return 1
        }
    }
    var server: Server
    do throws(ErrorNumber) {
        server = try Server()
    } catch {
        log(
            .error,
            "the socket \(Server.path) cannot be opened (errno \(error.code)); is another cognito-accounts running?")
        return 1
    }
    let result = own.map { own in linux_service_become(own.uid, own.gid) } ?? 0
    guard result == 0 else {
        log(.error, "cannot switch to the account \(accountName) (errno \(-result))")
        return 1
    }
    server.run()
    return 0
}

linux_exit(serve())
