import Accounts
import Base

// Replies, as varlink.org has them: JSON with a NUL behind it.

/// An answer with these parameters.
func reply(_ parameters: ByteText, continues: Bool = false) -> [UInt8] {
    let end: StaticString = continues ? #","continues":true}"# : "}"
    return (#"{"parameters":\#(parameters)\#(end)"# as ByteText).bytes + [0]
}

func reply(_ error: UserDatabaseError) -> [UInt8] {
    let parameters: ByteText =
        switch error {
        case .methodNotFound(let method): #"{"method":\#(quoted(method))}"#
        case .invalidParameter(let name): #"{"parameter":"\#(name)"}"#
        default: "{}"
        }
    return (#"{"error":"\#(error.name)","parameters":\#(parameters)}"# as ByteText).bytes + [0]
}

/// A user record, in the format of USER_RECORD.md.
///
/// - Parameter isPrivileged: Whether the client may see all of it.
func userRecord(_ record: AccountRecord, isPrivileged: Bool) -> ByteText {
    let isOpen = record.state == .enabled
    // Programs that ask no PAM find nothing to run there.
    let shell = isOpen ? record.shell : ("/usr/sbin/nologin" as StaticString).bytes
    var text: ByteText = #"{"record":{"userName":\#(quoted(record.name)),"uid":\#(record.uid),"gid":\#(record.uid),"#
    if !record.realName.isEmpty {
        text.bytes += (#""realName":\#(quoted(record.realName)),"# as ByteText).bytes
    }
    text.bytes +=
        (#""homeDirectory":\#(quoted(record.home)),"shell":\#(quoted(shell)),"disposition":"regular","# as ByteText)
        .bytes
    if !isOpen {
        text.bytes += (#""locked":true,"# as StaticString).bytes
    }
    let keys = record.currentKeys
    if isPrivileged, !keys.isEmpty {
        text.bytes += (#""privileged":{"sshAuthorizedKeys":["# as StaticString).bytes
        for (position, key) in keys.enumerated() {
            text.bytes += ((position > 0 ? "," : "") as StaticString).bytes + quoted(key).bytes
        }
        text.bytes += ("]}," as StaticString).bytes
    }
    let incomplete: StaticString = isPrivileged || keys.isEmpty ? "false" : "true"
    return #"\#(text)"service":"\#(userDatabaseService)"},"incomplete":\#(incomplete)}"#
}

/// A person's own group, as GROUP_RECORD.md has it.
func groupRecord(_ record: AccountRecord) -> ByteText {
    """
    {"record":{"groupName":\(quoted(record.name)),"gid":\(record.uid),"disposition":"regular",\
    "service":"\(userDatabaseService)"},"incomplete":false}
    """
}

/// A membership record: the user is in the group.
func membership(_ user: [UInt8], _ group: [UInt8]) -> ByteText {
    #"{"userName":\#(quoted(user)),"groupName":\#(quoted(group))}"#
}

/// A string of JSON. Records and what Jansson has read are UTF-8.
private func quoted(_ text: [UInt8]) -> ByteText {
    var quoted = ByteText([0x22])
    for byte in text {
        switch byte {
        case 0x22, 0x5c: quoted.bytes += [0x5c, byte]
        case 0..<0x20, 0x7f:
            quoted.bytes += (#"\u00"# as StaticString).bytes + hexadecimal([byte])
        default: quoted.bytes.append(byte)
        }
    }
    quoted.bytes.append(0x22)
    return quoted
}
