internal import Base
internal import CognitoIdentityProvider
internal import Protocol
internal import Tokens

/// Telling the root side who is in a group of the pool, with the rights of the machine's own IAM identity.
struct ListPeopleStep {
    /// Between two pages, in milliseconds: of UserList's 30 requests a second for all machines of an account, this one
    /// takes a fifth.
    private static let pause: Int64 = 150

    private let client: CognitoClient
    private let identity: MachineSigner
    private let conversation: Conversation
    private let group: String
    private let first: String?
    private let publicKeyAttribute: String?
    private let uidAttribute: String?

    init(
        _ frame: borrowing Frame, _ conversation: Conversation, _ surroundings: StepSurroundings
    ) throws(StepFailure) {
        self.conversation = conversation
        client = try surroundings.client(for: frame)
        guard let group = StepSurroundings.text(frame.bytes(.group)) else {
            throw StepFailure(.configuration, "A group's name is not valid UTF-8 and cannot exist in Cognito.")
        }
        self.group = group
        first = StepSurroundings.text(frame.bytes(.nextToken))
        publicKeyAttribute = StepSurroundings.text(frame.bytes(.publicKeyAttribute))
        uidAttribute = StepSurroundings.text(frame.bytes(.uidAttribute))
        identity = try MachineSigner(frame, region: client.pool.region.name, surroundings)
    }

    func run() throws(StepFailure) {
        // By their bytes: two that Unicode takes for one are two.
        var known: Set<[UInt8]> = []
        var token = first
        while true {
            if let token, !known.insert(Array(token.utf8)).inserted {
                throw StepFailure(
                    .serviceFault,
                    "Cognito's list of a group's users is endless (a NextToken was repeated) and is ignored. "
                        + "Check \"endpoint\".")
            }
            let page = try page(from: token)
            for person in page.people where !tell(person) {
                return
            }
            token = page.next
            guard let next = token else {
                conversation.send(FrameWriter(.listed))
                return
            }
            var end = FrameWriter(.page)
            end.add(.nextToken, Array(next.utf8))
            guard conversation.send(end) else {
                return
            }
            guard client.pause(milliseconds: Self.pause) else {
                throw StepFailure(signIn: .outOfTime)
            }
        }
    }

    private func page(from token: String?) throws(StepFailure) -> DirectoryPage {
        do {
            return try client.people(of: group, from: token, signedBy: identity.signer)
        } catch {
            switch error.kind {
            case .groupNotFound:
                throw StepFailure(.notListed, "The group does not exist in Cognito.")
            case .clientNotFound:
                throw StepFailure(
                    .configuration,
                    "The group or the pool does not exist in Cognito: check \"allowed_groups\", \"denied_groups\", "
                        + "\"group_map\" and \"user_pool_id\"")
            default: break
            }
            throw identity.refusal(of: "ListUsersInGroup", error) ?? StepFailure(signIn: error)
        }
    }

    /// Reports a user; returns false if the root side is gone.
    private func tell(_ person: DirectoryPerson) -> Bool {
        var writer = FrameWriter(.person)
        // A name may have more bytes than a message takes. Cut, it is still none that an account may have: it has
        // others than ASCII.
        writer.add(.userName, Array(person.userName.utf8.prefix(256)))
        writer.add(.subject, Array(person.subject.utf8))
        writer.add(.isEnabled, person.isEnabled)
        writer.add(.createdAt, person.createdAt)
        if person.attributes["email_verified"] == "true" {
            writer.add(.emailAddress, ifFits: person.attributes["email"])
        }
        writer.add(.realName, ifFits: person.attributes["name"])
        writer.add(.publicKeys, ifFits: publicKeyAttribute.flatMap { name in person.attributes[name] })
        writer.add(.uidClaim, ifFits: uidAttribute.flatMap { name in person.attributes[name] })
        return conversation.send(writer)
    }
}
