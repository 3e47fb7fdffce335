package import Base
internal import Messages

/// What this machine has to end those sessions with that a crash left, and who else could use it.
package struct IdentityFacts: Sendable {
    /// The file that `iam_credentials_file` names.
    package struct KeyFile: Sendable {
        package var path: String
        /// Why root does not believe it.
        package var fault: FileFault?
        /// Whether there are keys in it.
        package var hasKeys: Bool

        /// Facts from their parts.
        package init(_ path: String, fault: FileFault?, hasKeys: Bool) {
            self.path = path
            self.fault = fault
            self.hasKeys = hasKeys
        }
    }

    /// Who reaches the instance's metadata.
    package struct Reach: Sendable {
        /// The address at which it answered an account without any right; nil where it did not.
        package var byAnybody: String?
        /// Whether workers reach it.
        package var byWorkers: Bool

        /// Facts from their parts.
        package init(byAnybody: String?, byWorkers: Bool) {
            self.byAnybody = byAnybody
            self.byWorkers = byWorkers
        }
    }

    /// The configuration file.
    package var configuration: String
    /// `journal`.
    package var keepsJournal: Bool
    /// Nil where `iam_credentials_file` is not set.
    package var file: KeyFile?
    /// Nil without `iam_instance_metadata`.
    package var metadata: Reach?

    /// Facts from their parts.
    package init(configuration: String, keepsJournal: Bool, file: KeyFile?, metadata: Reach?) {
        self.configuration = configuration
        self.keepsJournal = keepsJournal
        self.file = file
        self.metadata = metadata
    }

    /// What is wrong with them.
    package var findings: [Finding] {
        guard file != nil || metadata != nil else {
            return []
        }
        var found = fileFindings + metadataFindings
        if !keepsJournal {
            found.append(
                Finding(
                    .warning, DoctorWording.noJournal, why: DoctorWording.noJournalWhy,
                    mend: DoctorWording.edit(configuration, line: nil)))
        }
        return found
    }

    private var fileFindings: [Finding] {
        guard let file else {
            return []
        }
        if let fault = file.fault {
            let isOpen = [FileFault.wrongOwner, .writableByOthers, .readableByOthers].contains(fault)
            return [
                Finding(
                    isOpen ? .broken : .warning, DoctorWording.fileFault(file.path, fault.words),
                    why: isOpen ? DoctorWording.openKeysWhy : DoctorWording.noKeysWhy,
                    mend: fault.mend(file.path, mode: "0600"))
            ]
        }
        return file.hasKeys
            ? []
            : [
                Finding(
                    .warning, DoctorWording.fileFault(file.path, DoctorWording.fileWithoutKeys),
                    why: DoctorWording.noKeysWhy, mend: DoctorWording.edit(file.path, line: nil))
            ]
    }

    /// Of nftables(8), as cognito-agent(8) has them: only root and workers reach the instance's metadata.
    private static let rules =
        "table inet instance_metadata { chain output { type filter hook output priority filter; policy accept; "
        + "ip daddr 169.254.169.254 meta skuid != { 0, _pam-cognito } reject; "
        + "ip6 daddr fd00:ec2::254 meta skuid != { 0, _pam-cognito } reject; }; }"

    private var metadataFindings: [Finding] {
        guard let metadata else {
            return []
        }
        var found: [Finding] = []
        if let address = metadata.byAnybody {
            found.append(
                Finding(
                    .broken, DoctorWording.metadataAnswersAnybody(address), why: DoctorWording.openKeysWhy,
                    mend: DoctorWording.blockMetadata(Self.rules)))
        }
        if !metadata.byWorkers {
            found.append(
                Finding(
                    .warning, DoctorWording.metadataSilent, why: DoctorWording.noKeysWhy,
                    mend: DoctorWording.showFirewall))
        }
        return found
    }
}
