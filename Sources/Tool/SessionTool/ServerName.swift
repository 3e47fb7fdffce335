internal import Base

/// A host and its port, as https compares them (RFC 3986, section 6.2): the host has no case, and 443 is the port where
/// none is named. A name with a dot at its end is another one: without it, a resolver may add a domain.
struct ServerName: Equatable {
    private let bytes: [UInt8]

    init(_ text: some Sequence<UInt8>) {
        let name = text.map(lowercaseASCII)
        let port = Array(":443".utf8)
        bytes = name.count > port.count && name.suffix(port.count) == port[...] ? name.dropLast(port.count) : name
    }

    /// The server of an address that may begin with `https://`, and ends with the host and its port.
    init(address text: some Collection<UInt8>) {
        let scheme = "https://".utf8
        self.init(text.dropFirst(text.startsIgnoringCase(with: scheme) ? scheme.count : 0))
    }
}
