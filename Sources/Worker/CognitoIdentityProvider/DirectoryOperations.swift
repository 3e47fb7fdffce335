package import HTTPClient
internal import Tokens

/// A user in the pool's directory.
package struct DirectoryPerson: Sendable, Equatable {
    package let userName: String
    /// `sub`.
    package let subject: String
    /// Enabled, and in a state in which they could sign in (UserStatus).
    package let isEnabled: Bool
    /// UserCreateDate, in seconds since the epoch.
    package let createdAt: Int64
    /// Attributes, by their names.
    package let attributes: [String: String]

    /// Nil where something is missing that every person has: a list with such a member is none to act on.
    init?(_ value: JSONValue) {
        guard let userName = value["Username"]?.text, (1...128).contains(userName.unicodeScalars.count),
            let isEnabled = value["Enabled"]?.flag, let status = value["UserStatus"]?.text,
            let createdAt = value["UserCreateDate"]?.seconds,
            let attributes = Self.attributes(value["Attributes"]), let subject = attributes["sub"],
            (1...256).contains(subject.utf8.count)
        else {
            return nil
        }
        self.userName = userName
        self.subject = subject
        self.createdAt = createdAt
        self.isEnabled = isEnabled && !["UNCONFIRMED", "ARCHIVED", "COMPROMISED"].contains(status)
        self.attributes = attributes
    }

    private static func attributes(_ value: JSONValue?) -> [String: String]? {
        guard let elements = value?.elements else {
            return nil
        }
        var found: [String: String] = [:]
        for element in elements {
            // One that is there twice would have two values, and one without a value has the empty one.
            guard let name = element["Name"]?.text, found[name] == nil else {
                return nil
            }
            found[name] = element["Value"]?.text ?? ""
        }
        return found
    }
}

/// A part of a list of people.
package struct DirectoryPage: Sendable, Equatable {
    package let people: [DirectoryPerson]
    /// NextToken; nil: it is the last one.
    package let next: String?
}

// Requests about other users, which need the rights of an IAM identity.
extension CognitoClient {
    /// How many people a page has, at first and where such a page is more than an answer may be.
    private static let pageSizes = [60, 10, 1]

    /// ListUsersInGroup: the people of `group`, from `token` on.
    package func people(
        of group: String, from token: String?, signedBy signer: RequestSigner
    ) throws(CognitoError) -> DirectoryPage {
        for size in Self.pageSizes {
            do throws(CognitoError) {
                return try people(of: group, from: token, size, signer)
            } catch .transport(.tooLarge) where size != Self.pageSizes.last {
                continue
            }
        }
        throw .malformed(status: 200)
    }

    private func people(
        of group: String, from token: String?, _ size: Int, _ signer: RequestSigner
    ) throws(CognitoError) -> DirectoryPage {
        var members: [String: JSONValue] = [
            "UserPoolId": .string(pool.identifier), "GroupName": .string(group), "Limit": .integer(Int64(size)),
        ]
        members["NextToken"] = token.map(JSONValue.string)
        let answer = try call("ListUsersInGroup", members, .idempotent, to: .first, signedBy: signer)
        guard let users = answer["Users"]?.elements, users.count <= size else {
            throw .malformed(status: 200)
        }
        let people = users.compactMap(DirectoryPerson.init)
        guard people.count == users.count else {
            throw .malformed(status: 200)
        }
        guard let next = answer["NextToken"] else {
            return DirectoryPage(people: people, next: nil)
        }
        guard let next = next.text, (1...32_767).contains(next.utf8.count) else {
            throw .malformed(status: 200)
        }
        return DirectoryPage(people: people, next: next)
    }
}
