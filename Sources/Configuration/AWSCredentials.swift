import Base

/// How credentials of AWS are made of a session's ID token.
package enum AWSCredentials: Equatable, Sendable {
    /// By an identity pool (GetCredentialsForIdentity), as the role that the pool chooses, or another one of the
    /// person's.
    case identityPool([UInt8], role: [UInt8]?)
    /// By STS (AssumeRoleWithWebIdentity), for so many seconds.
    case role([UInt8], seconds: Int64)

    /// How long STS's last, where nothing is said, in seconds.
    private static var usualLife: Int64 { 3600 }

    /// Reads what stands behind a name.
    fileprivate init?(_ text: ArraySlice<UInt8>) {
        let parts = text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard let first = parts.first, parts.count <= 2 else {
            return nil
        }
        let second = parts.count == 2 ? parts.last : nil
        if isRoleARN(first) {
            let life = second.map { time in Int64(duration: time) } ?? Self.usualLife
            guard let life, (900...43_200).contains(life) else {
                return nil
            }
            self = .role(Array(first), seconds: life)
        } else {
            guard isIdentityPool(first), second.map(isRoleARN) ?? true else {
                return nil
            }
            self = .identityPool(Array(first), role: second.map { role in Array(role) })
        }
    }
}

extension WorkerSettings {
    /// The credentials of that name; nil where none are called so.
    package func awsCredentials(named name: [UInt8]) -> AWSCredentials? {
        for word in words((awsCredentials ?? [])[...]) {
            if let (wordName, source) = named(word[...]), wordName == name {
                return source
            }
        }
        return nil
    }
}

/// Whether the text is credentials with names, of which no two are the same.
func areAWSCredentials(_ text: ArraySlice<UInt8>) -> Bool {
    var names: [[UInt8]] = []
    for word in words(text) {
        guard let (name, _) = named(word[...]), !names.contains(name) else {
            return false
        }
        names.append(name)
    }
    return !names.isEmpty
}

/// Whether credentials may be called so.
package func isCredentialName(_ name: [UInt8]) -> Bool {
    (1...64).contains(name.count) && name.first != UInt8(ascii: "-")
        && name.allSatisfy { byte in byte.isAlphanumericASCII(or: "-_.") }
}

private func named(_ word: ArraySlice<UInt8>) -> (name: [UInt8], source: AWSCredentials)? {
    guard let equals = word.firstIndex(of: UInt8(ascii: "=")), isCredentialName(Array(word[..<equals])),
        let source = AWSCredentials(word[(equals + 1)...])
    else {
        return nil
    }
    return (Array(word[..<equals]), source)
}

/// `REGION:GUID` (GetId, IdentityPoolId).
private func isIdentityPool(_ text: ArraySlice<UInt8>) -> Bool {
    let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard text.count <= 55, parts.count == 2, let region = parts.first, let identifier = parts.last else {
        return false
    }
    let isOfBoth = { (byte: UInt8) in byte.isAlphanumericASCII(or: "-") }
    return !region.isEmpty && !identifier.isEmpty && region.allSatisfy(isOfBoth) && identifier.allSatisfy(isOfBoth)
}

/// `arn:PARTITION:iam::ACCOUNT:role/NAME` (AssumeRoleWithWebIdentity, RoleArn).
private func isRoleARN(_ text: ArraySlice<UInt8>) -> Bool {
    let parts = text.split(separator: UInt8(ascii: ":"), maxSplits: 5, omittingEmptySubsequences: false)
    guard (20...2048).contains(text.count), parts.count == 6, let role = parts.last else {
        return false
    }
    let isService = parts.dropFirst(2).first.map { service in ("iam" as StaticString).bytes == Array(service) } ?? false
    return text.starts(with: ("arn:aws" as StaticString).bytes) && isService
        && role.starts(with: ("role/" as StaticString).bytes)
        && text.allSatisfy { byte in (0x21...0x7e).contains(byte) }
}
