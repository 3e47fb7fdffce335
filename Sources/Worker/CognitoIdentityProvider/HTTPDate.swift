/// The Date of an answer (RFC 9110 section 5.6.7).
enum HTTPDate {
    /// Seconds since the epoch for `Tue, 05 Sep 2023 14:03:07 GMT`; nil for every other form.
    static func seconds(_ text: String) -> Int64? {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", let day = Int64(parts[1]),
            let month = Timestamp.months.firstIndex(of: String(parts[2])), let year = Int64(parts[3]),
            (1970...9999).contains(year), (1...31).contains(day)
        else {
            return nil
        }
        let clock = parts[4].split(separator: ":").compactMap { part in Int64(part) }
        guard clock.count == 3, (0..<24).contains(clock[0]), (0..<60).contains(clock[1]), (0...60).contains(clock[2])
        else {
            return nil
        }
        // Days since the epoch, with March as the first month so that the leap day is the last.
        let fromMarch = Int64((month + 10) % 12)
        let shifted = fromMarch >= 10 ? year - 1 : year
        let days = 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + (153 * fromMarch + 2) / 5 + day - 1
        return (days - 719_468) * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2]
    }
}
