import Testing
import TokenSigning
import Tokens

@testable import HTTPClient

@Suite struct ResponseBufferTests {
    private func add(_ text: String, to buffer: ResponseBuffer, header: Bool = false) -> Bool {
        unsafe Array(text.utf8).withUnsafeBytes { bytes in
            unsafe header ? buffer.addHeader(bytes) : buffer.add(bytes)
        }
    }

    private func headers(_ lines: [String]) -> [String: String] {
        let buffer = ResponseBuffer(limit: 1000)
        for line in lines {
            #expect(add(line + "\r\n", to: buffer, header: true))
        }
        return buffer.headers
    }

    @Test("header fields: names in lower case, values without what surrounds them, the last of each name")
    func fields() {
        #expect(
            headers([
                "HTTP/1.1 200 OK", "Date:  Tue, 05 Sep\t ", "X-Empty:", "x-twice: 1", "X-Twice: 2", "no field", "",
            ])
                == ["date": "Tue, 05 Sep", "x-empty": "", "x-twice": "2"])
    }

    @Test("of several answers the fields of the last count")
    func continued() {
        #expect(headers(["HTTP/1.1 100 Continue", "A: 1", "", "HTTP/1.1 200 OK", "B: 2"]) == ["b": "2"])
    }

    @Test("a body is taken up to the limit, and not a byte beyond it")
    func limit() {
        let buffer = ResponseBuffer(limit: 10)
        #expect(add("12345", to: buffer) && add("67890", to: buffer) && !buffer.overflowed)
        #expect(!add("1", to: buffer) && buffer.overflowed)
        #expect(buffer.takeBody() == "1234567890")
        buffer.clear()
        #expect(!buffer.overflowed && buffer.takeBody() == nil)
        #expect(add("1", to: buffer))
    }

    @Test("header fields have the same limit of their own")
    func headerLimit() {
        let buffer = ResponseBuffer(limit: 10)
        #expect(add("1234567890", to: buffer))
        #expect(add("A: 4567890", to: buffer, header: true) && !buffer.overflowed)
        #expect(!add("B", to: buffer, header: true) && buffer.overflowed)
    }

    @Test("a body larger than the usual room is whole")
    func large() {
        let buffer = ResponseBuffer(limit: 100_000)
        var body = ""
        for index in 0..<90 {
            let part = String(repeating: index.isMultiple(of: 2) ? "a" : "b", count: 1000)
            #expect(add(part, to: buffer))
            body += part
        }
        #expect(buffer.takeBody()?.text == body)
        #expect(buffer.takeBody() == nil)
    }
}
