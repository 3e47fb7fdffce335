package import Base

/// What events are explained by `journalctl -x` where no reason is given. Their places are their numbers: others come
/// behind them.
package var explainedEvents: [AuditEventName] {
    [
        .signedIn, .signedOut, .signOutNotFinished, .givenUp, .sessionLeftOver, .sessionWithoutTokens,
        .noSessionFollowed, .roundNotFinished, .signInTried, .sessionNotLocked, .sessionNotTerminated,
        .steppedUp,
    ]
}

extension AuditEvent {
    /// The same for all of our messages, but for their last four digits; never to be changed.
    private static let family: StaticString = "781453df0251f12d0ffd85293afe"
    private static let firstEvent = 0x100

    /// What the journal's message catalogue has the event's explanation under; nil: there is none.
    package var messageID: ByteText? {
        let number: Int
        if let word = fields["reason"]?.bytes {
            guard let reason = logReasons.firstIndex(where: { name in name.equals(word) }) else {
                return nil
            }
            number = reason + 1
        } else if let event = explainedEvents.firstIndex(of: name) {
            number = Self.firstEvent + event
        } else {
            return nil
        }
        return "\(Self.family)\(hexadecimal(bigEndian(UInt64(number)).suffix(2)))"
    }
}

/// A line of the log as systemd-journald takes it (its native protocol): each field with its length, so that nothing in
/// a value begins another one. What the line is about is in fields of its own.
package struct JournalEntry {
    /// To be sent as it is.
    package private(set) var bytes: [UInt8] = []

    /// - Parameters:
    ///   - shown: The whole line as syslog(3) would have it.
    ///   - severity: As syslog(3) has it, 0 to 7.
    ///   - program: Whose line it is.
    package init(_ line: LogLine, shown: ByteText, severity: Int32, of program: [UInt8], process: Int32) {
        add("MESSAGE", shown.bytes)
        add("PRIORITY", ("\(severity)" as ByteText).bytes)
        // LOG_AUTHPRIV.
        add("SYSLOG_FACILITY", ("10" as StaticString).bytes)
        add("SYSLOG_IDENTIFIER", program)
        add("SYSLOG_PID", ("\(process)" as ByteText).bytes)
        guard case .audit(let event) = line else {
            return
        }
        if let messageID = event.messageID {
            add("MESSAGE_ID", messageID.bytes)
        }
        add("COGNITO_EVENT", event.name.rawValue.bytes)
        for field in event.fields.list {
            let upper = field.name.bytes.map { byte in byte == UInt8(ascii: "_") ? byte : byte - 0x20 }
            add(("COGNITO_" as StaticString).bytes + upper, field.value.bytes)
        }
    }

    private mutating func add(_ name: StaticString, _ value: [UInt8]) {
        add(name.bytes, value[...])
    }

    private mutating func add(_ name: [UInt8], _ value: ArraySlice<UInt8>) {
        bytes += name
        bytes.append(0x0a)
        for shift in stride(from: 0, to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: value.count >> shift))
        }
        bytes += value
        bytes.append(0x0a)
    }
}
