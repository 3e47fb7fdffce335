#if !hasFeature(Embedded)

/// A change of a file by sed(1), for a person to type or for the doctor to make: both are the same scripts.
package struct FileMend: Hashable, Sendable {
    /// The file, and what is taken in its place while there is none.
    package let path: String
    package let source: String
    /// What sed(1) is told.
    package let scripts: [String]
    /// What cksum(1) says of the text that the scripts are about; nil where any will do.
    package let checksum: String?
    private let afterwards: String

    /// A change of whatever stands in `path`.
    init(_ path: String, _ script: String, afterwards: String = "") {
        self.path = path
        self.afterwards = afterwards
        source = path
        scripts = [script]
        checksum = nil
    }

    /// A change of one text.
    package init(from source: String, to path: String, checksum: String, _ scripts: [String]) {
        self.source = source
        self.path = path
        self.checksum = checksum
        self.scripts = scripts
        afterwards = ""
    }

    /// What root types: the file is kept as it was, and the difference is shown.
    package var command: String {
        let word = shellWord(path)
        let copy = shellWord("\(path)~")
        guard let checksum else {
            let script = scripts.joined(separator: ";")
            return Messages.command(
                "cp -p --backup=t \(word) \(copy) && sed -i --follow-symlinks '\(script)' \(word); ")
                + Messages.command("diff \(copy) \(word) || :") + afterwards
        }
        let options = scripts.map { script in Messages.command(" -e \(shellWord(script))") }.joined()
        let edit = Messages.command("sed -i --follow-symlinks\(options) \(word) && (diff \(copy) \(word) || :)")
        let keep = Messages.command(" && cp -p --backup=t \(word) \(copy) && ")
        guard source == path else {
            // What belongs to a package is left alone.
            return Messages.command("cp -n \(shellWord(source)) \(word)") + keep + edit
        }
        return Messages.command("test \"$(cksum <\(word))\" = '\(checksum)'") + keep + edit
    }
}

#endif
