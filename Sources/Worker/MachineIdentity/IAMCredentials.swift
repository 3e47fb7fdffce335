package import Base
package import Tokens

/// The keys of an IAM identity: from a file of the form that the AWS command line shares (`~/.aws/credentials`), or
/// from the instance's metadata.
package struct IAMCredentials: Sendable {
    /// `aws_access_key_id`.
    package let accessKeyID: SecretValue
    /// `aws_secret_access_key`.
    package let secretAccessKey: SecretValue
    /// `aws_session_token`, where the keys are lent for a while.
    package let sessionToken: SecretValue?

    package init(accessKeyID: SecretValue, secretAccessKey: SecretValue, sessionToken: SecretValue?) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
    }

    /// Reads the profile `default`; nil when it is not there, or has no keys.
    package init?(file: borrowing Secret) {
        guard let accessKeyID = Self.value(of: "aws_access_key_id", in: file),
            let secretAccessKey = Self.value(of: "aws_secret_access_key", in: file)
        else {
            return nil
        }
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        sessionToken = Self.value(of: "aws_session_token", in: file)
    }

    private static func value(of key: StaticString, in file: borrowing Secret) -> SecretValue? {
        file.withBytes { bytes in
            var isDefault = false
            var begin = 0
            while begin < bytes.byteCount {
                var end = begin
                while end < bytes.byteCount, bytes.byte(at: end) != 0x0a {
                    end += 1
                }
                let line = trimmed(begin..<end, of: bytes)
                begin = end + 1
                if bytes.byte(at: line.lowerBound) == UInt8(ascii: "[") {
                    isDefault = bytes.extracting(line).isEqual(to: Array("[default]".utf8))
                } else if isDefault, let value = value(of: key, in: line, of: bytes) {
                    return value.isEmpty ? nil : SecretValue(copying: bytes.extracting(value))
                }
            }
            return nil
        }
    }

    /// Returns the position of the value of `key` in `line`; nil if the line has another key.
    private static func value(of key: StaticString, in line: Range<Int>, of bytes: RawSpan) -> Range<Int>? {
        guard let equals = line.first(where: { offset in bytes.byte(at: offset) == UInt8(ascii: "=") }) else {
            return nil
        }
        let name = trimmed(line.lowerBound..<equals, of: bytes)
        guard name.count == key.utf8CodeUnitCount, bytes.extracting(name).isEqual(to: key.bytes) else {
            return nil
        }
        return trimmed(equals + 1..<line.upperBound, of: bytes)
    }

    private static func trimmed(_ range: Range<Int>, of bytes: RawSpan) -> Range<Int> {
        func isBlank(_ offset: Int) -> Bool {
            switch bytes.byte(at: offset) {
            case 0x20, 0x09, 0x0d: true
            default: false
            }
        }
        var range = range
        while !range.isEmpty, isBlank(range.lowerBound) {
            range = range.lowerBound + 1..<range.upperBound
        }
        while !range.isEmpty, isBlank(range.upperBound - 1) {
            range = range.lowerBound..<range.upperBound - 1
        }
        return range
    }
}
