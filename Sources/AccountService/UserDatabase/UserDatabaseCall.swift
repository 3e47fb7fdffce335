import Base
import CJansson

/// A call of systemd's user database, `io.systemd.UserDatabase` (USER_GROUP_API.md), as varlink.org has calls.
package struct UserDatabaseCall: Equatable, Sendable {
    package enum Method: CaseIterable, Sendable {
        case user
        case group
        case memberships

        var name: StaticString {
            switch self {
            case .user: "io.systemd.UserDatabase.GetUserRecord"
            case .group: "io.systemd.UserDatabase.GetGroupRecord"
            case .memberships: "io.systemd.UserDatabase.GetMemberships"
            }
        }
    }

    package var method: Method
    /// The account, and the group, by name.
    package var user: [UInt8]?
    package var group: [UInt8]?
    /// The user id, or the group id.
    package var number: UInt32?
    /// Whether several answers may come.
    package var wantsMore = false

    /// A call by its parts.
    package init(_ method: Method) {
        self.method = method
    }

    /// Reads a message without the NUL behind it.
    package init(reading message: [UInt8]) throws(UserDatabaseError) {
        let text = JSONObject(reading: message)
        guard let text, let name = text.text("method") else {
            throw .notUnderstood
        }
        guard let method = Method.allCases.first(where: { method in method.name.equals(name) }) else {
            throw .methodNotFound(name)
        }
        self.init(method)
        guard let parameters = text.object("parameters") else {
            throw .badService
        }
        // A request for another service's answers gets none.
        guard let service = parameters.text("service"), userDatabaseService.equals(service) else {
            throw .badService
        }
        wantsMore = text.isTrue("more")
        (user, group) = (parameters.text("userName"), parameters.text("groupName"))
        if method != .memberships {
            let key: StaticString = method == .user ? "uid" : "gid"
            if let given = parameters.number(key) {
                guard let number = UInt32(exactly: given) else {
                    throw .invalidParameter(key)
                }
                self.number = number
            } else if parameters.has(key) {
                throw .invalidParameter(key)
            }
        }
        for key in ["userName", "groupName"] as [StaticString] where parameters.has(key) && parameters.text(key) == nil
        {
            throw .invalidParameter(key)
        }
    }
}

/// The name of this service: that of its socket.
package var userDatabaseService: StaticString { "org.pam_cognito.Accounts" }

/// An answer that is an error.
package enum UserDatabaseError: Error, Equatable, Sendable {
    /// The message is not a call, and the connection is closed without an answer.
    case notUnderstood
    case methodNotFound([UInt8])
    case invalidParameter(StaticString)
    case badService
    case noRecord
    case conflicting
    case enumerationNotSupported
    case expectedMore
    case notAvailable

    var name: StaticString {
        switch self {
        case .notUnderstood: ""
        case .methodNotFound: "org.varlink.service.MethodNotFound"
        case .invalidParameter: "org.varlink.service.InvalidParameter"
        case .badService: "io.systemd.UserDatabase.BadService"
        case .noRecord: "io.systemd.UserDatabase.NoRecordFound"
        case .conflicting: "io.systemd.UserDatabase.ConflictingRecordFound"
        case .enumerationNotSupported: "io.systemd.UserDatabase.EnumerationNotSupported"
        case .expectedMore: "org.varlink.service.ExpectedMore"
        case .notAvailable: "io.systemd.UserDatabase.ServiceNotAvailable"
        }
    }

    package static func == (one: UserDatabaseError, other: UserDatabaseError) -> Bool {
        one.name.bytes == other.name.bytes
    }
}

/// An object of JSON, in Jansson's memory.
@safe
private final class JSONObject {
    private let value: UnsafeMutablePointer<json_t>

    /// nil: it is none, or there are two members of one name.
    init?(reading bytes: [UInt8]) {
        let flags = Int(JSON_REJECT_DUPLICATES)
        let read = unsafe bytes.withUnsafeBytes { buffer in
            unsafe json_loadb(buffer.baseAddress?.assumingMemoryBound(to: CChar.self) ?? nil, buffer.count, flags, nil)
        }
        guard let read = unsafe read else {
            return nil
        }
        unsafe value = read
        guard unsafe value.pointee.type == JSON_OBJECT else {
            return nil
        }
    }

    private init(_ member: UnsafeMutablePointer<json_t>) {
        unsafe value = member
        unsafe json_incref(member)
    }

    deinit {
        unsafe json_decref(value)
    }

    private func member(_ name: StaticString, _ type: json_type) -> UnsafeMutablePointer<json_t>? {
        guard let found = unsafe json_object_get(value, name.utf8Start), unsafe found.pointee.type == type else {
            return nil
        }
        return unsafe found
    }

    /// Whether there is such a member, and it is not null.
    func has(_ name: StaticString) -> Bool {
        unsafe json_object_get(value, name.utf8Start) != nil && member(name, JSON_NULL) == nil
    }

    func text(_ name: StaticString) -> [UInt8]? {
        guard let found = unsafe member(name, JSON_STRING), let start = unsafe json_string_value(found) else {
            return nil
        }
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: json_string_length(found)))
    }

    func number(_ name: StaticString) -> Int64? {
        guard let found = unsafe member(name, JSON_INTEGER) else {
            return nil
        }
        return unsafe json_integer_value(found)
    }

    func isTrue(_ name: StaticString) -> Bool {
        unsafe member(name, JSON_TRUE) != nil
    }

    func object(_ name: StaticString) -> JSONObject? {
        guard let found = unsafe member(name, JSON_OBJECT) else {
            return nil
        }
        return unsafe JSONObject(found)
    }
}
