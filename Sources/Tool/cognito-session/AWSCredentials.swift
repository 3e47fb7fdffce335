internal import Base
internal import Commands
internal import Glibc
internal import Keyring
internal import Messages
internal import Protocol
internal import Tokens

/// The name of credentials if none is given.
private let usualName = Array("default".utf8)

/// `aws-credentials`: as the SDKs read it from a `credential_process`.
func printAWSCredentials(_ invocation: Invocation) throws(Refusal) -> ExitCode {
    try keepFromTerminal(invocation)
    let credentials = try awsCredentials(named: invocation.operands.first ?? usualName)
    try answer(credential: String(decoding: credentials.withBytes { bytes in bytes.copied() }, as: UTF8.self) + "\n")
    return .valid
}

/// Puts credentials into the variables that AWS's programs look for.
func exportAWSCredentials(named name: String?) throws(Refusal) {
    let credentials = try awsCredentials(named: name.map { name in Array(name.utf8) } ?? usualName).withBytes { bytes in
        JSONValue(parsing: bytes)
    }
    for (variable, member) in [
        ("AWS_ACCESS_KEY_ID", "AccessKeyId"), ("AWS_SECRET_ACCESS_KEY", "SecretAccessKey"),
        ("AWS_SESSION_TOKEN", "SessionToken"), ("AWS_CREDENTIAL_EXPIRATION", "Expiration"),
    ] {
        guard let value = credentials?[member]?.text, unsafe setenv(variable, value, 1) == 0 else {
            throw Refusal(.fault, ToolWording.credentialsBroken)
        }
    }
}

/// Credentials that are good for a while: the session's, or new ones.
private func awsCredentials(named name: [UInt8]) throws(Refusal) -> Secret {
    let kept = credentialKey(named: name)
    if let kept, kept.label.freshUntil > now, let credentials = try? kept.serial.read() {
        return credentials
    }
    do throws(Refusal) {
        return try newAWSCredentials(named: name)
    } catch {
        // Credentials that expire soon are better than none, unless they were refused.
        guard error.exitStatus == .unreachable || error.exitStatus == .noAgent, let kept, kept.label.end > now,
            let credentials = try? kept.serial.read()
        else {
            throw error
        }
        return credentials
    }
}

private func credentialKey(named name: [UInt8]) -> CredentialKey? {
    SessionKeyring.credentials.first { key in key.label.name == name }
}

/// Waits for programs of this session that asked before, for as long as that may take: a house full of them would leave
/// the session's other requests no room at the agent. What one of them has had made meanwhile.
private func awaitTurn(of inbox: KeySerial, _ name: [UInt8]) -> CredentialKey? {
    for _ in 0..<1200 {
        if let made = credentialKey(named: name), made.label.freshUntil > now {
            return made
        }
        guard !Inbox.isFirst(inbox) else {
            return nil
        }
        usleep(25_000)
    }
    return nil
}

private func newAWSCredentials(named name: [UInt8]) throws(Refusal) -> Secret {
    let (_, place) = try TokenRequest.session(currentStatus)
    guard !place.isShared else {
        throw Refusal(.none, ToolWording.credentialsShared)
    }
    return try withInbox(after: nil) { inbox throws(Refusal) in
        if let made = awaitTurn(of: inbox, name), let credentials = try? made.serial.read() {
            return credentials
        }
        // The session that has handed its tokens over has those that it had made, or the other way round.
        for isShared in place.isAttached ? [true] : [false, true] {
            if let credentials = try obtainCredentials(place, name, inbox, sharing: isShared) {
                return credentials
            }
        }
        throw Refusal(.fault, ToolWording.credentialsBroken)
    }
}

/// Returns the credentials that the agent has made or found; nil if this process cannot read them.
private func obtainCredentials(
    _ place: KeyPlace, _ name: [UInt8], _ inbox: KeySerial, sharing isShared: Bool
) throws(Refusal) -> Secret? {
    let made: Int32
    do throws(AgentFault) {
        made = try agent.makeCredentials(
            for: place.key, named: name, inbox: inbox.number, sharing: isShared,
            unless: {
                credentialKey(named: name).flatMap { key in key.label.freshUntil > now ? key.serial.number : nil }
            },
            take: takeFromInbox)
    } catch {
        throw Refusal(error, absent: ToolWording.credentialsAbsent, broken: ToolWording.credentialsBroken)
    }
    guard let key = CredentialKey(KeySerial(made)), key.label.name == name else {
        return nil
    }
    return try? key.serial.read()
}
