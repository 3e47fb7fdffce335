internal import Commands
internal import Glibc
internal import Messages

/// A package manager that says whether installed files are as its package has them.
struct PackageManager {
    /// What is asked which package a file is of; the file comes behind it.
    let owner: [String]
    /// What is asked for that package's own record of sums, where a package may have none; the name comes between both.
    let sums: (before: [String], after: [String])?
    /// What compares; the name comes behind it.
    let verify: [String]

    /// Those that are asked, in this order.
    static let all = [
        PackageManager(
            owner: ["/usr/bin/dpkg-query", "--search"],
            sums: (["/usr/bin/dpkg-query", "--control-path"], ["md5sums"]),
            verify: ["/usr/bin/dpkg", "--verify"]),
        PackageManager(
            owner: ["/usr/bin/rpm", "--query", "--queryformat", "%{NAME}: ", "--file"], sums: nil,
            verify: ["/usr/bin/rpm", "--verify"]),
    ]

    /// The package that `file` is of; nil: this one knows none.
    func package(of file: String) -> String? {
        guard let (status, output) = run(owner + [file]), status == 0 else {
            return nil
        }
        // "pam-cognito: /usr/lib/...", and "name:arch: " where it is one of several architectures.
        let name = output.prefix { character in character != ":" }
        return name.isEmpty || name.contains(where: \.isWhitespace) ? nil : String(name)
    }

    /// What is not as `package` has it, a line each; nil: that cannot be said.
    func differences(from package: String) -> [String]? {
        if let sums {
            guard let (status, path) = run(sums.before + [package] + sums.after), status == 0, !path.isEmpty else {
                return nil
            }
        }
        // Both have a status of their own for "something differs".
        guard let (status, output) = run(verify + [package], within: 60_000), status == 0 || status == 1 else {
            return nil
        }
        let lines = output.split(separator: "\n").map(String.init)
        return status == 0 || !lines.isEmpty ? lines : nil
    }
}

/// Whether a line of theirs is about a file of the configuration, which is there to be changed: "??5?????? c /etc/...".
func isAboutConfiguration(_ line: String) -> Bool {
    line.split(separator: " ", omittingEmptySubsequences: true).dropFirst().first == "c"
}

/// Compares the installed files with what their package says of them.
func verifyPackage() throws(Refusal) -> ExitCode {
    let file = installedPrefix + "/libexec/pam-cognito/cognito-worker"
    for manager in PackageManager.all {
        guard let package = manager.package(of: file) else {
            continue
        }
        let tool = (manager.verify + [package]).joined(separator: " ")
        guard let differences = manager.differences(from: package) else {
            throw Refusal(.fault, DoctorWording.notComparable(package, tool))
        }
        guard !differences.isEmpty else {
            try answer(DoctorWording.asPackaged(package, tool) + "\n")
            return .valid
        }
        try answer(([DoctorWording.notAsPackaged(package, tool)] + differences).map { line in line + "\n" }.joined())
        return differences.allSatisfy(isAboutConfiguration) ? .valid : .broken
    }
    throw Refusal(.fault, DoctorWording.noPackage(file))
}
