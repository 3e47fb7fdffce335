internal import CCurl

/// The Date of an answer (RFC 9110 section 5.6.7).
package enum HTTPDate {
    /// Seconds since the epoch for `Tue, 05 Sep 2023 14:03:07 GMT`; nil for what is no date (curl_getdate(3)).
    package static func seconds(_ text: String) -> Int64? {
        let seconds = Int64(unsafe curl_getdate(text, nil))
        return seconds < 0 ? nil : seconds
    }
}
