import Base
import Keyring

/// What is sealed: no token, but which session's tokens its holder gets. All of it is compared with what root's memory
/// has.
struct ExportTicket {
    /// The key in root's keyring, which is gone when it was used.
    var offer: RootKey
    var userID: UInt32
    var user: [UInt8]
    var userPoolID: [UInt8]
    /// Which start of the machine it is of.
    var bootID: [UInt8]
    /// Until when it is good, in seconds since the epoch.
    var end: Int64

    fileprivate enum TicketField: UInt8 {
        case serial = 1
        case description, userID, user, userPoolID, bootID, end
    }

    fileprivate mutating func code(_ coder: inout some RecordCoder<TicketField>) {
        var serial = UInt64(UInt32(bitPattern: offer.serial.number))
        var description = offer.description
        var userID = UInt64(userID)
        var end = UInt64(clamping: end)
        coder.require(.serial, &serial)
        coder.require(.description, &description)
        coder.require(.userID, &userID)
        coder.require(.user, &user)
        coder.require(.userPoolID, &userPoolID)
        coder.require(.bootID, &bootID)
        coder.require(.end, &end)
        offer = RootKey(serial: KeySerial(Int32(truncatingIfNeeded: serial)), description: description)
        self.userID = UInt32(truncatingIfNeeded: userID)
        self.end = Int64(clamping: end)
    }

    mutating func encode() -> Secret? {
        var writer = RecordWriter<TicketField>()
        code(&writer)
        return Secret(copying: unsafe writer.bytes.span.bytes)
    }

    /// The name for systemd-creds: a user can have only the own exports opened.
    static func sealName(_ userID: UInt32) -> [UInt8] {
        let name: ByteText = "pam-cognito-export-\(UInt64(userID))"
        return name.bytes
    }
}

extension ExportTicket {
    /// Reads one; nil for anything that is none.
    init?(decoding content: borrowing Secret) {
        self.init(
            offer: RootKey(serial: KeySerial(0), description: []), userID: 0, user: [], userPoolID: [], bootID: [],
            end: 0)
        var reader = content.withBytes { bytes in RecordReader<TicketField>(bytes, from: 0) }
        code(&reader)
        guard reader.isWhole else {
            return nil
        }
    }
}
