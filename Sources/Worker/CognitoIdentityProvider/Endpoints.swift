internal import Base
internal import HTTPClient
internal import Tokens

/// The endpoints to which a request may go, if there are several.
enum EndpointRule {
    /// To the one that answered last, or the next one that a connection can be made to. For requests that begin
    /// something.
    case any
    /// To the one that has begun what goes on, and to no other.
    case current
    /// To the first one, and to no other: what ends tokens is done when that one says so.
    case first
}

/// The endpoints of a pool: the first one, and those that take its place while it cannot be reached.
struct Endpoints {
    /// `https://host[:port]` each.
    let addresses: [String]
    /// The place of the one that answered last, of those that may be any.
    private(set) var current = 0
    /// The place of the one that has begun something, as a challenge, which goes on there alone; nil: nothing was
    /// begun.
    private var begun: Int?
    /// Why others were passed over, by their places, each for the last time.
    private(set) var failures: [Int: HTTPError] = [:]

    /// Reads addresses separated by blanks; nil when one is none.
    init?(_ text: String) {
        addresses = text.split(separator: " ").compactMap { part in Self.base(String(part)) }
        guard !addresses.isEmpty, addresses.count == text.split(separator: " ").count else {
            return nil
        }
    }

    /// `https://host[:port]` without a final slash; nil for everything else.
    private static func base(_ text: String) -> String? {
        let scheme = "https://"
        guard text.hasPrefix(scheme) else {
            return nil
        }
        var host = text.dropFirst(scheme.count)
        if host.hasSuffix("/") {
            host = host.dropLast()
        }
        let allowed = host.utf8.allSatisfy { byte in byte.isAlphanumericASCII(or: "-.:[]") }
        return allowed && !host.isEmpty ? scheme + host : nil
    }

    /// The places that a request may go to, in their order.
    func places(_ rule: EndpointRule) -> [Int] {
        switch rule {
        case .any: addresses.indices.map { offset in (current + offset) % addresses.count }
        case .current: [begun ?? current]
        case .first: [0]
        }
    }

    /// Notes that the endpoint of that place, which may have been any, has answered.
    ///
    /// - Parameter isBeginning: Whether what was sent may go on.
    mutating func noteAnswer(from place: Int, isBeginning: Bool) {
        current = place
        if isBeginning {
            begun = place
        }
    }

    /// Notes that no request could be sent to the endpoint of that place.
    mutating func note(_ error: HTTPError, of place: Int) {
        failures[place] = error
    }

    /// A sentence for the log about those that were passed over; nil: none was, or there is no other.
    var remark: String? {
        guard addresses.count > 1, !failures.isEmpty else {
            return nil
        }
        let passedOver = failures.sorted { one, other in one.key < other.key }
            .map { place, error in "\(addresses[place]) (\(error.description))" }
        let asked = failures[current] == nil ? "; \(addresses[current]) was used instead" : ""
        return "No request could be sent to \(passedOver.joined(separator: ", "))\(asked)."
    }
}

extension HTTPError {
    /// Whether another endpoint may be tried after this, if no byte was sent: the name, the connection or TLS failed.
    var isOfConnection: Bool {
        switch self {
        case .unresolvable, .unreachable, .timedOut, .certificate, .publicKey, .proxy, .tlsTooOld, .tls: true
        // libcurl says so of an address that this machine has no way to, as of IPv6 where that is switched off.
        case .shortage: true
        // This machine's own, or an answer.
        case .tooLarge, .malformed, .caFile, .unusable: false
        }
    }
}
