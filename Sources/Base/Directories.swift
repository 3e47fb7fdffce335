import CLinux

/// The next names in an open directory, unordered; none at its end.
package func nextNames(in directory: borrowing Descriptor) throws(ErrorNumber) -> [[UInt8]] {
    var names = [CChar](repeating: 0, count: 4096)
    let used = unsafe linux_next_names(directory.number, &names, names.count)
    guard used >= 0 else {
        throw ErrorNumber(-used)
    }
    return names.prefix(Int(used)).split(separator: 0).map { name in
        name.map { character in UInt8(truncatingIfNeeded: character) }
    }
}

/// The names in an open directory without those that begin with a dot, unordered.
func visibleNames(in directory: borrowing Descriptor) throws(ErrorNumber) -> [[UInt8]] {
    var names: [[UInt8]] = []
    while true {
        let next = try nextNames(in: directory)
        guard !next.isEmpty else {
            return names
        }
        names += next.filter { name in name.first != UInt8(ascii: ".") }
    }
}

/// The same of a directory that root must own, to which only root may write, and which is no link.
package func names(inRootsDirectory path: String) throws(ErrorNumber) -> [[UInt8]] {
    let number = unsafe linux_open_directory(path, 0)
    guard let directory = Descriptor(owning: number) else {
        throw ErrorNumber(-number)
    }
    return try visibleNames(in: directory)
}
