import CLinux

/// The next names in an open directory, unordered; none at its end.
package func nextNames(in directory: borrowing Descriptor) throws(ErrorNumber) -> [[UInt8]] {
    var names = [CChar](repeating: 0, count: 4096)
    let used = unsafe linux_next_names(directory.number, &names, names.count)
    return names.prefix(Int(try ErrorNumber.check(used))).split(separator: 0).map { name in
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
    try visibleNames(in: Descriptor(opened: unsafe linux_open_directory(path, 0)))
}
