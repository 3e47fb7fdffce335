import Base
import Configuration
import Protocol
import Sessions

/// A member of a group, as the worker reports it. Names are bytes as received.
struct ListedPerson: Equatable {
    /// Username and `sub`.
    var name: [UInt8]
    var subject: [UInt8]
    /// Whether Cognito would let them in.
    var isEnabled: Bool
    /// When they came into the pool, in seconds since the epoch.
    var createdAt: Int64
    /// Their address, where it is verified; and what the attributes that were asked for have.
    var emailAddress: [UInt8]?
    var realName: [UInt8]?
    var publicKeys: [UInt8]?
    var uidClaim: [UInt8]?
}

extension ListedPerson {
    fileprivate init?(_ frame: borrowing Frame) {
        guard let name = frame.bytes(.userName), let subject = frame.bytes(.subject),
            let isEnabled = frame.code(.isEnabled), let createdAt = frame.number(.createdAt)
        else {
            return nil
        }
        self.init(
            name: name, subject: subject, isEnabled: isEnabled == 1, createdAt: createdAt,
            emailAddress: frame.bytes(.emailAddress), realName: frame.bytes(.realName),
            publicKeys: frame.bytes(.publicKeys), uidClaim: frame.bytes(.uidClaim))
    }
}

/// The people of a group in the pool's directory, by as many workers as it takes: one that fails is followed by
/// another, which goes on where it was.
struct GroupListing<System: Machine> {
    /// All of the network in one worker, and how much longer it may take to say what came of it, in milliseconds.
    private static var limit: Int64 { 60_000 }
    /// So many workers in a row may get nowhere; the pause after the first of them, which doubles, in milliseconds.
    private static var mostFailures: Int { 4 }
    private static var firstPause: Int64 { 1000 }
    /// More people than this are none to have accounts on one machine.
    static var mostPeople: Int { 200_000 }

    let machine: System
    let settings: Settings
    let group: [UInt8]
    private var people: [ListedPerson] = []
    private var known: Set<[UInt8]> = []
    /// Where the list goes on, and where it was before.
    private var token: [UInt8]?
    private var tokens: Set<[UInt8]> = []
    private var failures = 0

    init(_ group: [UInt8], _ settings: Settings, on machine: System) {
        self.machine = machine
        self.settings = settings
        self.group = group
    }

    /// Who is in the group; nil where the pool has no such group. A list that does not come to its end, or is none, is
    /// a fault: nothing of it counts.
    static func people(
        of group: [UInt8], _ settings: Settings, on machine: System
    ) throws(Fault) -> [ListedPerson]? {
        var listing = GroupListing(group, settings, on: machine)
        while true {
            switch try listing.fetchMore() {
            case .goesOn: continue
            case .ended: return listing.people
            case .noGroup: return nil
            }
        }
    }

    private enum Progress {
        case goesOn
        case ended
        case noGroup
    }

    /// Has a worker go on with the list.
    private mutating func fetchMore() throws(Fault) -> Progress {
        let worker = try machine.startWorker()
        var step = try WorkerStep(try request(), to: worker, timeLimit: Self.limit + 1000)
        var page: [ListedPerson] = []
        while true {
            guard let message = try step.receive(by: { machine.now }) else {
                step.kill()
                try backOff("the next part of Cognito's list did not arrive in time")
                return .goesOn
            }
            switch message.kind {
            case .person:
                if let person = ListedPerson(message) {
                    page.append(person)
                }
            case .page:
                try take(page, next: message.bytes(.nextToken))
                page = []
            case .listed:
                try take(page, next: nil)
                return .ended
            default:
                let line = logLine(of: message)
                let reason = message.kind == .failed ? message.code(.reason, FailureReason.self) : nil
                // One that goes away while it is told is looked at again in the next round.
                if reason == .notListed, known.isEmpty {
                    return .noGroup
                }
                guard let reason, reason.passes else {
                    throw Fault(line)
                }
                try backOff(line)
                return .goesOn
            }
        }
    }

    private func request() throws(Fault) -> Frame {
        var request = settings.stepFrame(.listPeople, clientSecret: nil, timeLimit: Self.limit)
        request.add(.group, group)
        request.add(.nextToken, ifPresent: token)
        request.add(.publicKeyAttribute, ifPresent: settings.accountKeyAttribute)
        request.add(.uidAttribute, ifPresent: settings.accountUIDClaim)
        try machine.addIdentity(to: &request, settings)
        return try finished(request)
    }

    /// Takes a page that was told to its end.
    private mutating func take(_ page: [ListedPerson], next: [UInt8]?) throws(Fault) {
        let new = page.filter { person in known.insert(person.subject).inserted }
        // If the group changes meanwhile, a user may be listed twice; a whole page of known users means that the list
        // starts again.
        guard page.isEmpty || !new.isEmpty, next.map({ token in tokens.insert(token).inserted }) ?? true else {
            throw Fault(
                "Cognito's list of users in the group \(quoting: group) does not end, so the list is ignored"
            )
        }
        people += new
        guard people.count <= Self.mostPeople else {
            throw Fault("the group \(quoting: group) has more than \(Self.mostPeople) users and is ignored")
        }
        token = next
        failures = 0
    }

    /// Waits for a while before another worker goes on, unless too many have got nowhere.
    private mutating func backOff(_ line: ByteText) throws(Fault) {
        failures += 1
        guard failures < Self.mostFailures else {
            throw Fault(line)
        }
        let longest = Self.firstPause << Int64(failures - 1)
        machine.pause(milliseconds: longest / 2 + machine.random(below: longest / 2 + 1))
    }
}

extension FailureReason {
    /// Whether it may be over in a moment.
    fileprivate var passes: Bool {
        switch self {
        case .unreachable, .throttled: true
        default: false
        }
    }
}
