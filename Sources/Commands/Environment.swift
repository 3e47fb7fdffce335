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
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
        return nil
    }
    defer { close(descriptor) }
    return readAll(descriptor)
}

/// All that can be read from `descriptor`.
package func readAll(_ descriptor: Int32) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while bytes.count < 1 << 24 {
        let count = unsafe buffer.withUnsafeMutableBytes { memory in
            unsafe read(descriptor, memory.baseAddress, memory.count)
        }
        if count < 0, errno == EINTR {
            continue
        }
        guard count > 0 else {
            break
        }
        bytes += buffer.prefix(count)
    }
    return String(decoding: bytes, as: UTF8.self)
}
