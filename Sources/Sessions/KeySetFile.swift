package import Configuration
package import Protocol

/// The pool's key set as the administrator keeps it (`key_set_file`), for machines that reach nothing but the API
/// endpoint.
package struct KeySetFile {
    /// The most bytes of one, which a message takes.
    package static var largestSize: Int { 32_767 }
    /// After so many days it may lack a key: Cognito changes keys rarely, and without notice.
    package static var longestAge: Int64 { 90 }

    package let content: [UInt8]
    /// How many days ago it was written; less than 0: that is in the future.
    package let age: Int64

    /// A file that was written at that time, in seconds since the epoch.
    package init(_ content: [UInt8], written: Int64, now: Int64) {
        self.content = content
        age = now >= written ? (now - written) / 86_400 : -1
    }

    /// Whether it is so old that the log should say so.
    package var isOld: Bool { age > Self.longestAge }
}

extension Machine {
    /// Adds the keys that tokens are verified by: those of the administrator's file and no others, where there is one,
    /// or else those of an earlier sign-in.
    ///
    /// - Parameter settings: Those of today; nil: they cannot be read, or are not this pool's.
    /// - Returns: The administrator's file.
    @discardableResult
    package func addKeySet(
        to request: inout FrameWriter, ofPool userPoolID: [UInt8], _ settings: Settings?
    ) throws(Fault) -> KeySetFile? {
        guard let settings, let file = try keySetFile(settings) else {
            request.add(.keySet, ifPresent: keySet(ofPool: userPoolID))
            return nil
        }
        request.add(.keySet, file.content)
        request.add(.fixedKeySet, true)
        return file
    }
}
