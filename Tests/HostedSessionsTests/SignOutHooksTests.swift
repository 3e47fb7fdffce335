import Agent
import Sessions
import Testing

@Suite struct SignOutHooksTests {
    @Test("what programs, editors and packages leave behind is no hook; the others run in order")
    func names() {
        let listing = ["20-b", "10-a", "a.dpkg-old", "b~", "c.sh", "README", "a b", "\u{e9}", "z_1"]
        let hooks = SignOutHooks.hooks(among: listing.map { name in Array(name.utf8) }).map { name in
            String(decoding: name, as: UTF8.self)
        }
        #expect(hooks == ["10-a", "20-b", "README", "z_1"])
        #expect(SignOutHooks.hooks(among: []).isEmpty)
    }

    @Test("a notice comes back as it was, whatever bytes the name has", arguments: EndReason.allCases)
    func notice(reason: EndReason) {
        for user in [Array("alice".utf8), [0xff, 0x01, 0x20, 0x3a, 0x24], [UInt8](repeating: 0x61, count: 256)] {
            let notice = SignOutNotice(user: user, reason: reason)
            #expect(SignOutNotice(argument: notice.argument) == notice)
            #expect(notice.argument.allSatisfy { byte in (0x2d...0x7a).contains(byte) })
        }
    }

    @Test(
        "what is no notice is none",
        arguments: [
            "", ":", "logout", "logout:", "logout:6", "logout:61626", "logout:6G", "logout:6A", "exit:61", "logout:00",
            " logout:61", "logout:61 ",
            "logout:" + String(repeating: "61", count: 257),
        ])
    func nonsense(text: String) {
        #expect(SignOutNotice(argument: Array(text.utf8)) == nil)
    }
}
