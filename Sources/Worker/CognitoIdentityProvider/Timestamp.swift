internal import Glibc

/// TIMESTAMP as the service signs it: `Tue Sep 5 14:03:07 UTC 2023`.
///
/// English names whatever the locale, UTC, the day without a zero or a space in front: the service parses other
/// spellings and then reports a wrong password, since it signs this one.
package enum Timestamp {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The text for a time in seconds since the epoch; nil when it has none.
    package static func text(_ seconds: Int64) -> String? {
        var time = time_t(seconds)
        var fields = unsafe tm()
        guard unsafe gmtime_r(&time, &fields) != nil else {
            return nil
        }
        let (day, month) = (Int(unsafe fields.tm_wday), Int(unsafe fields.tm_mon))
        guard days.indices.contains(day), months.indices.contains(month) else {
            return nil
        }
        let clock = unsafe [fields.tm_hour, fields.tm_min, fields.tm_sec].map { field in
            field < 10 ? "0\(field)" : "\(field)"
        }
        let year = unsafe Int(fields.tm_year) + 1900
        return "\(days[day]) \(months[month]) \(unsafe fields.tm_mday) \(clock.joined(separator: ":")) UTC \(year)"
    }
}
