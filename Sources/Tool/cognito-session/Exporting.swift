internal import Base
internal import Commands
internal import Glibc
internal import Keyring
internal import Messages
internal import Protocol

/// The default validity of an export, in seconds.
private let usualLife: Int64 = 3600
/// The most that is read of one: longer than any.
private let largestExport = 7168

func exportTokens(_ invocation: Invocation) throws(Refusal) -> ExitCode {
    guard invocation.has(.sealed) else {
        throw Refusal(.usage, ToolWording.exportIsSealed)
    }
    try keepFromTerminal(invocation)
    let (_, place) = try TokenRequest.session(currentStatus)
    let life = invocation.seconds(.lasting) ?? usualLife
    let sealed: [UInt8]
    do throws(AgentFault) {
        sealed = try agent.export(place.key, lasting: life)
    } catch {
        throw Refusal(error, absent: ToolWording.exportAbsent, broken: ToolWording.exportBroken)
    }
    try answer(credential: String(decoding: sealed, as: UTF8.self) + (sealed.last == 0x0a ? "" : "\n"))
    return .valid
}

func importTokens(_ invocation: Invocation) throws(Refusal) -> ExitCode {
    try refuseRights()
    try refuseTokens(currentStatus, saying: ToolWording.hasTokens)
    guard let sealed = try? readRest(STDIN_FILENO), (1...largestExport).contains(sealed.count) else {
        throw Refusal(.usage, ToolWording.noExport)
    }
    try withInbox { inbox throws(Refusal) in
        do throws(AgentFault) {
            try agent.importTokens(sealed, inbox: inbox.number, take: takeInPlace)
        } catch {
            throw Refusal(error, absent: ToolWording.importAbsent, broken: ToolWording.importBroken)
        }
    }
    try invocation.answer(Person(currentStatus, at: now).json, ToolWording.attached, afterChange: true)
    return .valid
}
