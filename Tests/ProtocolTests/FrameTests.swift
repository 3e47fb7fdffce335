import Base
import Protocol
import Testing

@Suite struct FrameTests {
    @Test("a message written and read again is the same", arguments: MessageKind.all)
    func roundTrip(kind: MessageKind) throws {
        var writer = FrameWriter(kind)
        for (field, rule) in kind.rule.fields {
            writer.add(field, field.sample)
            if rule == .repeated {
                writer.add(field, Array("another".utf8))
            }
        }
        let written = try writer.finish()
        let bytes = written.withPacket { packet in packet.copied() }
        #expect(bytes == wholeFrame(kind))
        let read = try decode(bytes)
        #expect(read.kind == kind)
        for (field, rule) in kind.rule.fields {
            #expect(read.bytes(field) == field.sample)
            #expect(read.secret(field)?.withBytes { bytes in bytes.copied() } == field.sample)
            #expect(read.list(field) == [field.sample] + (rule == .repeated ? [Array("another".utf8)] : []))
            #expect(read.code(field) == field.sample.first)
            #expect((read.number(field) != nil) == (field.sample.count >= 8))
        }
        for field in Field.all where !kind.rule.fields.contains(where: { known, _ in known == field }) {
            #expect(read.bytes(field) == nil)
            #expect((read.secret(field)?.count ?? -1) == -1)
            #expect(read.list(field).isEmpty)
        }
    }

    @Test("what an installed worker or agent understands is what is written")
    func stored() throws {
        var renewal = FrameWriter(.renewal)
        renewal.add(.renewalOutcome, code: 2)
        renewal.add(.accessTokenExpiry, 1_800_003_600)
        #expect(
            try renewal.finish().withPacket { packet in packet.copied() } == [
                1, 69, 66, 0, 0, 0, 1, 2, 24, 0, 0, 0, 8, 0, 0, 0, 0, 0x6b, 0x49, 0xe0, 0x10,
            ])
        var refusal = FrameWriter(.refused)
        refusal.add(.refusal, code: 1)
        refusal.add(.text, Array("no".utf8))
        #expect(
            try refusal.finish().withPacket { packet in packet.copied() } == [
                1, 65, 67, 0, 0, 0, 1, 1, 21, 0, 0, 0, 2, 0x6e, 0x6f,
            ])
    }

    /// Compatible back to there, see docs/howto/upgrade.md.
    @Test("each message of version 0.1.0 is read, with all of its fields")
    func earlier() throws {
        let recorded = try Recorded("messages-0.1.0.txt")
        #expect(recorded.lines.count == 56)
        for (name, bytes) in recorded.lines {
            let frame = try decode(bytes)
            var rest = bytes.dropFirst(2)
            while !rest.isEmpty {
                let field = try #require(rest.first.flatMap(Field.init(rawValue:)), "\(name)")
                let length = rest.dropFirst().prefix(4).reduce(0) { length, byte in length << 8 | Int(byte) }
                let value = Array(rest.dropFirst(5).prefix(length))
                #expect(frame.list(field).contains(value), "\(name): \(field)")
                rest = rest.dropFirst(5 + length)
            }
        }
    }

    @Test("numbers of all sizes and signs come through", arguments: [0, 1, -1, 15_000, Int64.max, Int64.min])
    func numbers(number: Int64) throws {
        var writer = FrameWriter(.signedIn)
        writer.add(.userName, [0x61])
        writer.add(.subject, [0x61])
        writer.add(.bundle, [0x7b, 0x7d])
        writer.add(.accessTokenExpiry, number)
        #expect(try writer.finish().number(.accessTokenExpiry) == number)
    }

    @Test("required fields alone are enough; without one of them there is no message", arguments: MessageKind.all)
    func missing(kind: MessageKind) {
        #expect(fault(wholeFrame(kind) { _, rule in rule == .required }) == nil)
        for (field, rule) in kind.rule.fields {
            let rest = wholeFrame(kind) { other, _ in other != field }
            #expect(fault(rest) == (rule == .required ? .fieldMissing(field) : nil))
        }
    }

    @Test("a field twice is refused unless it may be repeated", arguments: MessageKind.all)
    func repeated(kind: MessageKind) {
        for (field, rule) in kind.rule.fields {
            let twice = wholeFrame(kind) + field.encoded(field.sample)
            #expect(fault(twice) == (rule == .repeated ? nil : .fieldRepeated(field)))
        }
    }

    @Test("a field that does not belong is refused", arguments: MessageKind.all)
    func notAllowed(kind: MessageKind) {
        for field in Field.all where !kind.rule.fields.contains(where: { known, _ in known == field }) {
            #expect(fault(wholeFrame(kind) + field.encoded(field.sample)) == .fieldNotAllowed(field))
        }
    }

    @Test("unknown versions, kinds and fields are named")
    func unknown() {
        for code in UInt8.min...UInt8.max {
            if code != Frame.version {
                #expect(fault([code, 10]) == .unknownVersion(code))
            }
            if MessageKind(rawValue: code) == nil {
                #expect(fault([Frame.version, code]) == .unknownKind(code))
            }
            if Field(rawValue: code) == nil {
                #expect(fault([Frame.version, 10, code, 0, 0, 0, 0]) == .unknownField(code))
            }
        }
    }

    @Test("who asks has the even kinds, who answers the odd ones, and tags are unique")
    func numbering() {
        for kind in MessageKind.all {
            #expect(kind.isAsked == kind.rawValue.isMultiple(of: 2))
        }
        #expect(Field.all.count == 98)
    }

    @Test("each request that locked tokens refuse is named here")
    func whileLocked() {
        let isRefused: [MessageKind] = [.giveRequest, .keepRequest, .poolSessionsRequest, .exportRequest]
        for kind in MessageKind.all {
            let isRequest = kind.rawValue >= 64 && kind.isAsked && ![.taken, .answer].contains(kind)
            let answer = kind.allowedWhileLocked
            switch kind {
            case .renewRequest, .credentialRequest: #expect(answer == .servedForJobs)
            default: #expect(answer == (isRequest && !isRefused.contains(kind) ? .served : .refused))
            }
        }
    }

    @Test("a length that cannot be right is refused, whatever the kind", arguments: MessageKind.all)
    func malformed(kind: MessageKind) {
        for (field, _) in kind.rule.fields {
            let before = wholeFrame(kind) { other, _ in other != field }
            for length in [0, 1, 7, 9, 256, 257, 4096, 4097, 32_767, 32_768] {
                let found = fault(before + field.encoded([UInt8](repeating: 0x61, count: length)))
                #expect(found == nil || found == .fieldMalformed(field), "\(field) of \(length)")
                if length == 32_768 {
                    #expect(found == .fieldMalformed(field))
                }
            }
            for lie in [1, 4, 255, 65_536, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff] {
                #expect(fault(before + field.encoded([], length: lie)) == .truncated)
            }
        }
    }

    @Test("every cut of a message is refused, but where only optional parts are cut off", arguments: MessageKind.all)
    func truncated(kind: MessageKind) throws {
        let whole = wholeFrame(kind)
        for length in 0..<whole.count {
            // A cut between two fields may leave a message: then all that is required is in it.
            if fault(Array(whole.prefix(length))) == nil {
                let frame = try decode(Array(whole.prefix(length)))
                for (field, rule) in kind.rule.fields where rule == .required {
                    #expect(frame.bytes(field) == field.sample)
                }
            }
        }
        #expect(fault([]) == .truncated)
        #expect(fault([Frame.version]) == .truncated)
    }

    @Test("no change of one byte traps; what is still a message obeys the table", arguments: MessageKind.all)
    func corrupted(kind: MessageKind) throws {
        let whole = wholeFrame(kind)
        for offset in whole.indices {
            for value in [whole[offset] ^ 1, whole[offset] ^ 0x80, 0, 1, 5, 0x7f, 0xff, whole[offset] &+ 1] {
                var changed = whole
                changed[offset] = value
                guard fault(changed) == nil else {
                    continue
                }
                let frame = try decode(changed)
                for (field, rule) in frame.kind.rule.fields where rule == .required {
                    #expect(frame.bytes(field) != nil)
                }
                // Those that it has, and one that it has not, for which all of it is searched.
                let fields = frame.kind.rule.fields.map(\.0)
                let absent = Field.all.first { field in !fields.contains(field) }
                for field in fields + [absent].compactMap(\.self) {
                    _ = (frame.bytes(field), frame.number(field), frame.code(field), frame.list(field))
                }
            }
        }
    }

    @Test("random bytes never trap")
    func randomBytes() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            var bytes = [Frame.version, MessageKind.all.randomElement(using: &random)?.rawValue ?? 0]
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                let field = Field.all.randomElement(using: &random) ?? .text
                bytes += field.encoded(
                    Bool.random(using: &random) ? field.sample : [],
                    length: Bool.random(using: &random) ? nil : .random(in: 0...99, using: &random))
            }
            _ = fault(bytes)
        }
    }

    @Test("a message that is larger than a packet may be is refused on both ways")
    func tooLarge() {
        #expect(fault([UInt8](repeating: 1, count: Frame.largestSize + 1)) == .tooLarge)
        #expect(fault(signedIn(of: Frame.largestSize)) == nil)
        #expect(fault(signedIn(of: Frame.largestSize + 1)) == .tooLarge)
        // The largest that can be: every part at its limit fits.
        let largest = [UInt8](repeating: 0x61, count: 32_767)
        let result = finishing(.signedIn) { writer in
            writer.add(.userName, [0x61])
            writer.add(.subject, [0x61])
            writer.add(.bundle, largest)
            writer.add(.sessionBundle, largest)
            writer.add(.accessTokenExpiry, 1)
        }
        #expect(result == nil)
        let groups = finishing(.signedIn) { writer in
            writer.add(.userName, [0x61])
            writer.add(.subject, [0x61])
            writer.add(.bundle, largest)
            writer.add(.accessTokenExpiry, 1)
            for _ in 0..<20 {
                writer.add(.group, [UInt8](repeating: 0x61, count: 4096))
            }
        }
        #expect(groups == .tooLarge)
    }

    /// A message that is one but for its size, which its groups make up.
    private func signedIn(of size: Int) -> [UInt8] {
        var bytes = wholeFrame(.signedIn)
        let room = size - bytes.count
        let groups = room / 4000 + 1
        for group in 0..<groups {
            let length = room * (group + 1) / groups - room * group / groups
            // The tag and the length take five.
            bytes += Field.group.encoded([UInt8](repeating: 0x61, count: length - 5))
        }
        return bytes
    }

    @Test("a writer's mistakes show when it finishes")
    func writer() {
        #expect(finishing(.registered) { _ in } == nil)
        #expect(finishing(.answer) { _ in } == .fieldMissing(.answer))
        #expect(finishing(.registered) { writer in writer.add(.text, []) } == .fieldNotAllowed(.text))
        #expect(
            finishing(.answer) { writer in writer.add(.answer, [UInt8](repeating: 0, count: 4097)) }
                == .fieldMalformed(.answer))
        #expect(finishing(.registered) { writer in writer.add(.text, ifPresent: nil as [UInt8]?) } == nil)
    }

    private func finishing(_ kind: MessageKind, _ body: (inout FrameWriter) -> Void) -> FrameError? {
        var writer = FrameWriter(kind)
        body(&writer)
        do throws(FrameError) {
            _ = try writer.finish()
            return nil
        } catch {
            return error
        }
    }
}
