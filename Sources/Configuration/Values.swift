import Base

private func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09
}

func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var text = text
    while let first = text.first, isBlank(first) {
        text = text.dropFirst()
    }
    while let last = text.last, isBlank(last) {
        text = text.dropLast()
    }
    return text
}

func words(_ text: ArraySlice<UInt8>) -> [[UInt8]] {
    var words: [[UInt8]] = []
    var isInWord = false
    for byte in text {
        if isBlank(byte) {
            isInWord = false
        } else if isInWord, let last = words.indices.last {
            words[last].append(byte)
        } else {
            words.append([byte])
            isInWord = true
        }
    }
    return words
}

func number(_ text: ArraySlice<UInt8>) -> Int64? {
    Int64(decimal: text, atMost: 12)
}

/// One to eight levels: AcrValueType of the API.
func levels(_ text: ArraySlice<UInt8>) -> [[UInt8]]? {
    let levels = words(text)
    return (1...8).contains(levels.count) && levels.allSatisfy { level in level.count <= 64 && isTokenText(level) }
        ? levels : nil
}

/// NQCHAR of RFC 6749 (appendix A).
private func isTokenText(_ text: [UInt8]) -> Bool {
    text.allSatisfy { byte in
        (0x21...0x7e).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
}

func namePatterns(_ text: ArraySlice<UInt8>) -> [[UInt8]]? {
    let patterns = words(text)
    return patterns.allSatisfy(isNamePattern) ? patterns : nil
}

/// Names of Cognito groups; `*` alone is every user.
func groups(_ text: ArraySlice<UInt8>) -> AllowedGroups? {
    let names = words(text)
    guard names.contains([UInt8(ascii: "*")]) else {
        return .these(names)
    }
    return names.count == 1 ? .everybody : nil
}

func isOneWord(_ text: ArraySlice<UInt8>) -> Bool {
    words(text).count == 1
}

/// `COGNITO:UNIX[,UNIX…]`, separated by blanks; nil when one of them is not of that form, or a Cognito group stands
/// there twice. Names of Cognito groups may have any punctuation in them, those of Unix groups neither colon nor comma.
func mappings(_ text: ArraySlice<UInt8>) -> [GroupMapping]? {
    var found: [GroupMapping] = []
    for word in words(text) {
        guard let colon = word.lastIndex(of: UInt8(ascii: ":")), colon > 0 else {
            return nil
        }
        let cognito = Array(word[..<colon])
        let unix = word[(colon + 1)...].split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard unix.allSatisfy(isUnixGroup), !found.contains(where: { mapping in mapping.cognito == cognito }) else {
            return nil
        }
        found.append(GroupMapping(cognito: cognito, unix: unix.map { name in Array(name) }))
    }
    return found
}

extension [GroupMapping] {
    /// The Unix groups that Cognito groups stand for, each once.
    package func unixGroups(of cognito: [[UInt8]]) -> [[UInt8]] {
        var found: [[UInt8]] = []
        for mapping in self where cognito.contains(mapping.cognito) {
            found += mapping.unix.filter { group in !found.contains(group) }
        }
        return found
    }
}

/// `[a-zA-Z_][a-zA-Z0-9._-]*`, at most 32 characters, as groupadd(8) takes it; and none whose members are root's.
private func isUnixGroup(_ name: ArraySlice<UInt8>) -> Bool {
    guard let first = name.first, name.count <= 32, first.isAlphanumericASCII(or: "_"), !first.isDecimalDigit else {
        return false
    }
    return !("root" as StaticString).equals(name)
        && name.allSatisfy { byte in byte.isAlphanumericASCII(or: "._-") }
}

/// A share in a hundred, or a number.
func removalLimit(_ text: ArraySlice<UInt8>) -> RemovalLimit? {
    let isShare = text.last == UInt8(ascii: "%")
    guard let value = number(isShare ? text.dropLast() : text), let count = UInt32(exactly: value) else {
        return nil
    }
    guard isShare else {
        return .number(count)
    }
    return count <= 100 ? .share(count) : nil
}

/// The name of an attribute, as the API has it: at most 32 characters, here printable ASCII.
func isAttributeName(_ text: ArraySlice<UInt8>) -> Bool {
    (1...32).contains(text.count) && text.allSatisfy { byte in (0x21...0x7e).contains(byte) }
}

/// `[\w-]+_[0-9a-zA-Z]+`, at most 55 characters, as the API has it.
func isUserPoolID(_ text: ArraySlice<UInt8>) -> Bool {
    guard text.count <= 55, let underscore = text.firstIndex(of: UInt8(ascii: "_")) else {
        return false
    }
    let region = text[..<underscore]
    let name = text[(underscore + 1)...]
    return !region.isEmpty && !name.isEmpty
        && region.allSatisfy { byte in byte.isAlphanumericASCII(or: "-") }
        && name.allSatisfy { byte in byte.isAlphanumericASCII }
}

/// `[\w+]+`, at most 128 characters, as the API has it.
func isClientID(_ text: ArraySlice<UInt8>) -> Bool {
    (1...128).contains(text.count) && text.allSatisfy { byte in byte.isAlphanumericASCII(or: "_+") }
}

func isAbsolutePath(_ text: ArraySlice<UInt8>) -> Bool {
    text.first == UInt8(ascii: "/") && text.count <= 1024
}

/// `https://host` or `https://host:port`: no path, no user, no blanks.
func isEndpoint(_ text: ArraySlice<UInt8>) -> Bool {
    isServer(text, "https://", needsPort: false)
}

/// `host` or `host:port`.
func isDomain(_ text: ArraySlice<UInt8>) -> Bool {
    isEndpoint(("https://" as StaticString).bytes[...] + text)
}

/// A ProviderName, as the API has it: 3 to 32 characters, none of them a blank or an underscore.
func isProviderName(_ text: ArraySlice<UInt8>) -> Bool {
    (3...128).contains(text.count) && !text.contains(UInt8(ascii: "_")) && isOneWord(text)
}

/// An address that a browser is sent back to, without query and fragment (RFC 6749, section 3.1.2). Short enough that
/// su and login, which read 511 bytes, take it with code and state.
func isRedirectURI(_ text: ArraySlice<UInt8>) -> Bool {
    let prefixes: [StaticString] = ["https://", "http://localhost", "http://127.0.0.1", "http://[::1]"]
    guard text.count <= 128,
        let prefix = prefixes.first(where: { prefix in text.starts(with: prefix.bytes) })?.bytes
    else {
        return false
    }
    let rest = text.dropFirst(prefix.count)
    let isWhole =
        prefix == ("https://" as StaticString).bytes
        ? rest.first?.isAlphanumericASCII ?? false
        : rest.first.map { byte in byte == UInt8(ascii: "/") || byte == UInt8(ascii: ":") } ?? true
    return isWhole && rest.allSatisfy { byte in byte.isAlphanumericASCII(or: "-._~/:%@+") }
}

/// Scopes (RFC 6749, section 3.3), openid among them: without it there is no ID token.
func areScopes(_ text: ArraySlice<UInt8>) -> Bool {
    let scopes = words(text)
    return text.count <= 256 && scopes.contains(("openid" as StaticString).bytes)
        && scopes.allSatisfy(isTokenText)
}

/// One to four different addresses as `isEndpoint` has them, with one blank between them; nil when they are none.
func endpointList(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    let endpoints = words(text)
    guard (1...4).contains(endpoints.count), endpoints.allSatisfy({ endpoint in isEndpoint(endpoint[...]) }) else {
        return nil
    }
    for (place, endpoint) in endpoints.enumerated() where endpoints[..<place].contains(endpoint) {
        return nil
    }
    return Array(endpoints.joined(separator: [UInt8(ascii: " ")]))
}

/// The same for a proxy, with the schemes of CURLOPT_PROXY(3) that have the proxy resolve Cognito's name. The port is
/// required, because libcurl's default, 1080, is hardly ever meant.
func isProxy(_ text: ArraySlice<UInt8>) -> Bool {
    let schemes: [StaticString] = ["http://", "https://", "socks5h://"]
    return schemes.contains { scheme in isServer(text, scheme, needsPort: true) }
}

private func isServer(_ text: ArraySlice<UInt8>, _ scheme: StaticString, needsPort: Bool) -> Bool {
    guard text.starts(with: scheme.bytes), text.count <= 300 else {
        return false
    }
    let authority = text.dropFirst(scheme.bytes.count)
    let parts = authority.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard let host = parts.first, !host.isEmpty, parts.count <= 2,
        host.allSatisfy({ byte in byte.isAlphanumericASCII(or: "-.") })
    else {
        return false
    }
    return parts.count == 1 ? !needsPort : (1...65_535).contains(number(parts[1]) ?? 0)
}

/// Public keys as `sha256//BASE64[;sha256//BASE64…]`, without blanks; nil when one of them is none. libcurl compares
/// the text, so that what does not stand for exactly 32 bytes would match nothing.
func pins(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var pins: [UInt8] = []
    for part in text.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
        let pin = trimmed(part)
        let prefix = ("sha256//" as StaticString).bytes
        let digits = pin.dropFirst(prefix.count)
        // 43 digits of six bits and a mark; the last digit stands for four bits, and two that are zero.
        guard pin.starts(with: prefix), digits.count == 44, digits.last == UInt8(ascii: "="),
            digits.dropLast().allSatisfy({ byte in byte.isAlphanumericASCII(or: "+/") }),
            let last = digits.dropLast().last,
            ("AEIMQUYcgkosw048" as StaticString).bytes.contains(last)
        else {
            return nil
        }
        if !pins.isEmpty {
            pins.append(UInt8(ascii: ";"))
        }
        pins += pin
    }
    return pins
}

/// Returns the part after `{user}`: nothing, or `@` and a domain. nil if the template has another form.
func domain(ofTemplate text: ArraySlice<UInt8>) -> [UInt8]? {
    let placeholder = ("{user}" as StaticString).bytes
    guard text.starts(with: placeholder) else {
        return nil
    }
    let rest = text.dropFirst(placeholder.count)
    guard
        rest.isEmpty
            || rest.first == UInt8(ascii: "@") && rest.count > 1 && rest.count <= 100
                && rest.dropFirst().allSatisfy({ byte in byte.isAlphanumericASCII(or: "-.") })
    else {
        return nil
    }
    return Array(rest)
}

/// Whether the text is UTF-8 (RFC 3629) without control characters.
package func isPrintableUTF8(_ text: ArraySlice<UInt8>) -> Bool {
    var rest = text
    while let first = rest.popFirst() {
        if first < 0x80 {
            guard first >= 0x20 || first == 0x09, first != 0x7f else {
                return false
            }
            continue
        }
        let following: Int
        var scalar: UInt32
        switch first {
        case 0xc2...0xdf: (following, scalar) = (1, UInt32(first & 0x1f))
        case 0xe0...0xef: (following, scalar) = (2, UInt32(first & 0x0f))
        case 0xf0...0xf4: (following, scalar) = (3, UInt32(first & 0x07))
        default: return false
        }
        for _ in 0..<following {
            guard let next = rest.popFirst(), next & 0xc0 == 0x80 else {
                return false
            }
            scalar = scalar << 6 | UInt32(next & 0x3f)
        }
        let shortest: UInt32 = following == 1 ? 0x80 : following == 2 ? 0x800 : 0x1_0000
        guard scalar >= shortest, scalar <= 0x10_ffff, !(0xd800...0xdfff).contains(scalar),
            !(0x80...0x9f).contains(scalar)
        else {
            return false
        }
    }
    return true
}
