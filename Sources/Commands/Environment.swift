internal import Base
internal import CLinux
internal import Glibc

/// The folder of the programs that people do not start themselves, fixed when this was built.
package var programFolder: String {
    let worker = unsafe String(cString: linux_worker_path())
    return worker.split(separator: "/").dropLast().map { part in "/\(part)" }.joined()
}

/// Whether the environment does not have `variable`.
package func isUnset(_ variable: String) -> Bool {
    // An empty variable counts as unset: https://no-color.org
    guard let value = unsafe getenv(variable) else {
        return true
    }
    return unsafe value.pointee == 0
}

/// Whether the terminal can do nothing but print.
package var isDumb: Bool {
    guard let value = unsafe getenv("TERM") else {
        return true
    }
    return unsafe strcmp(value, "dumb") == 0
}

/// A file of /proc, which has no size before it is read; nil when there is none.
package func readWhole(_ path: String) -> String? {
    (try? readFile(path)).map { bytes in String(decoding: bytes, as: UTF8.self) }
}
