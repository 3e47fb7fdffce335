internal import Base
internal import CLinux
internal import Configuration
internal import MachineIdentity
internal import Sessions

/// What this machine has to revoke the tokens of sessions that a crash left, and who else could use it.
struct IdentityFacts: Sendable {
    /// The file that `iam_credentials_file` names.
    struct KeyFile: Sendable {
        var path: String
        /// Why root does not trust it.
        var fault: FileFault?
        var hasKeys = false
    }

    var configuration: String
    var keepsJournal: Bool
    /// `accounts = directory`: the pool's users are asked for with it.
    var asksDirectory = false
    /// Nil where `iam_credentials_file` is not set.
    var file: KeyFile?
    /// The addresses of the instance's metadata that an account without any right reaches, or has kept the doctor from
    /// trying, and whether workers reach it; nil without `iam_instance_metadata`.
    var metadata: (open: [String], isReached: Bool)?

    /// Of nftables(8), as cognito-agent(8) has them: only root and workers reach the instance's metadata.
    private static let rules =
        "table inet instance_metadata { chain output { type filter hook output priority filter; policy accept; "
        + "ip daddr 169.254.169.254 meta skuid != { 0, _pam-cognito } reject; "
        + "ip6 daddr fd00:ec2::254 meta skuid != { 0, _pam-cognito } reject; }; }"
    private static let openKeysWhy =
        "Accounts other than root can read this machine's IAM keys and use them to sign out every user of the pool."

    private var noKeysWhy: String {
        (asksDirectory ? "\(AccountServiceFacts.noRoundsWhy) " : "")
            + "Sessions left behind by a crash are not ended, so their tokens stay valid until they expire."
    }

    @CheckList var findings: [Check] {
        if let file {
            fileFindings(file)
        }
        if let address = metadata?.open.first {
            Check(
                .metadata, .broken,
                "Unprivileged accounts can reach the instance metadata at \(address), or the doctor could not test "
                    + "whether they can.",
                why: Self.openKeysWhy, fix: "nft '\(Self.rules)'   # also in /etc/nftables.conf")
        }
        if metadata?.isReached == false {
            Check(
                .metadata, .warning, "Workers cannot reach the instance metadata at 169.254.169.254.",
                why: noKeysWhy, fix: "nft list ruleset   # see cognito-agent(8), JOURNAL")
        }
        if file != nil || metadata != nil, !keepsJournal, !asksDirectory {
            Check(
                .noJournal, .warning, "This machine has an IAM identity, but keeps no journal.",
                why: "Without journal = yes, sessions left behind by a crash are neither detected nor ended.",
                fix: edit(configuration))
        }
    }

    @CheckList
    private func fileFindings(_ file: KeyFile) -> [Check] {
        if let fault = file.fault {
            let isOpen = [.wrongOwner, .writableByOthers, .readableByOthers].contains(fault)
            Check(
                .identityFile, isOpen ? .broken : .warning, "\(file.path) \(fault.words).",
                why: isOpen ? Self.openKeysWhy : noKeysWhy, fix: fault.fix(file.path, mode: "0600"))
        } else if !file.hasKeys {
            Check(
                .identityFile, .warning,
                "\(file.path) lacks aws_access_key_id or aws_secret_access_key in a [default] section.",
                why: noKeysWhy, fix: edit(file.path))
        }
    }
}

extension IdentityFacts {
    private static let addresses = ["169.254.169.254", "fd00:ec2::254"]
    /// The kernel's "overflow" account, which owns nothing.
    private static let nobody: UInt32 = 65_534

    /// What is set in the file at `path`, tried out.
    init(of settings: Settings, at path: String) {
        let file = settings.iamCredentialsFile.map { bytes in
            let path = text(bytes)
            switch trustedContent(path, secret: true, limit: 16_384) {
            case .failure(let fault): return KeyFile(path: path, fault: fault)
            case .success(let text):
                guard let content = unsafe Secret(copying: text.span.bytes) else { return KeyFile(path: path) }
                return KeyFile(path: path, hasKeys: IAMCredentials(file: content) != nil)
            }
        }
        var metadata: (open: [String], isReached: Bool)?
        if settings.iamInstanceMetadata {
            let open = Self.addresses.filter { address in Self.reach(address, as: Self.nobody, Self.nobody) != 0 }
            let worker = existingAccount(WorkerAccount.usualName)
            let isReached = worker.map { account in Self.reach(Self.addresses[0], as: account.uid, account.gid) != 0 }
            metadata = (open, isReached ?? false)
        }
        self.init(
            configuration: path, keepsJournal: settings.journal, asksDirectory: settings.accounts == .directory,
            file: file, metadata: metadata)
    }

    /// Whether it is reached, 1 or 0; below where that could not be tried.
    private static func reach(_ address: String, as uid: UInt32, _ gid: UInt32) -> Int32 {
        unsafe linux_reaches_as(uid, gid, address, 80, 1500)
    }
}
