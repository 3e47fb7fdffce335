internal import Base
package import Commands
internal import Messages

/// A request of git to a credential helper: lines `name=value` (git-credential(1)).
package struct GitRequest: Equatable, Sendable {
    private var scheme: [UInt8]?
    private var host: [UInt8]?
    private var userName: [UInt8]?
    /// git can send something else than a name and a password (capability `authtype`, git 2.46).
    private var knowsAuthenticationTypes = false
    /// The server's WWW-Authenticate fields.
    private var challenges: [[UInt8]] = []

    /// Reads the request, which ends with an empty line, or at all.
    package init(parsing bytes: [UInt8]) throws(Refusal) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for line in lines.prefix(while: { line in !line.isEmpty }) {
            guard let sign = line.firstIndex(of: UInt8(ascii: "=")) else {
                throw Refusal(.usage, ToolWording.noGitRequest)
            }
            try take(line[..<sign], Array(line[(sign + 1)...]))
        }
    }

    private mutating func take(_ name: ArraySlice<UInt8>, _ value: [UInt8]) throws(Refusal) {
        // With two hosts, one might be checked and the other one used.
        func once(_ place: inout [UInt8]?) throws(Refusal) {
            guard place == nil else {
                throw Refusal(.usage, ToolWording.noGitRequest)
            }
            place = value
        }
        switch String(decoding: name, as: UTF8.self) {
        case "protocol": try once(&scheme)
        case "host": try once(&host)
        case "username": try once(&userName)
        case "capability[]" where value == Array("authtype".utf8): knowsAuthenticationTypes = true
        case "wwwauth[]": challenges.append(value)
        default: break
        }
    }

    /// Whether it is about one of `hosts`.
    ///
    /// - Parameter hosts: with their ports, and commas between them.
    package func isAbout(oneOf hosts: String) throws(Refusal) -> Bool {
        let names = hosts.utf8.split(separator: UInt8(ascii: ","))
        guard let host, !host.isEmpty, names.contains(where: { name in ServerName(name) == ServerName(host) }) else {
            return false
        }
        guard let scheme, scheme.equalsIgnoringCase("https".utf8) else {
            throw Refusal(.usage, ToolWording.gitNotHTTPS(printable(host)))
        }
        return true
    }

    /// Why there is no answer for a host that is not one of `hosts`.
    package func hostNotNamed(_ hosts: String) -> String {
        ToolWording.gitHostNotNamed(printable(host ?? []), hosts)
    }

    /// The reason for no answer if git requests the password of another user than that of `token`.
    package func otherName(_ token: GrantedToken) -> String {
        ToolWording.gitOtherName(printable(userName ?? []), printable(Array(token.userName.utf8)))
    }

    /// The answer; nil where git wants another person's password.
    package func answer(_ token: GrantedToken) -> String? {
        let name = Array(token.userName.utf8)
        guard userName == nil || userName == name else {
            return nil
        }
        // It would be another line of the answer. Without any, git asks elsewhere.
        guard name.allSatisfy({ byte in byte >= 0x20 && byte != 0x7f }) else {
            return ""
        }
        let end = "password_expiry_utc=\(token.expiry)\n"
        if wantsBearer {
            return "capability[]=authtype\nauthtype=Bearer\ncredential=\(token.text)\nephemeral=1\n\(end)"
        }
        return "username=\(token.userName)\n\(end)password=\(token.text)\n"
    }

    /// Whether the server takes a token as such (RFC 6750), and no password.
    private var wantsBearer: Bool {
        let schemes = challenges.map { challenge in
            String(decoding: challenge.prefix { byte in byte != UInt8(ascii: " ") }, as: UTF8.self).lowercased()
        }
        return knowsAuthenticationTypes && schemes.contains("bearer") && !schemes.contains("basic")
    }
}
