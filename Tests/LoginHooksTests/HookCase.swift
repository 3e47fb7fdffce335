import Base
import Keyring
import Protocol
import Sessions
import Testing

@testable import Fakes

/// One call of a hook, and all that comes of it.
struct HookCase: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// What the worker does; nil: it cannot be started.
    let script: [Act]?
    /// What the worker does that revokes the tokens in its place; nil: none is started.
    let revoker: [Act]?
    let configuration: String
    private let prepare: @Sendable (World) -> Void
    let expected: ReturnValue
    let log: [String]
    let shown: [String]
    /// Whether the registry keeps the tokens for the reaper.
    let left: Bool

    init(
        _ name: String, _ script: [Act]?, revoker: [Act]? = nil, configuration: String = "",
        prepare: @escaping @Sendable (World) -> Void = { _ in }, _ expected: ReturnValue, log: [String] = [],
        shown: [String] = [], left: Bool = false
    ) {
        testDescription = name
        self.script = script
        self.revoker = revoker
        self.configuration = configuration
        self.prepare = prepare
        self.expected = expected
        self.log = log
        self.shown = shown
        self.left = left
    }

    func setUp(_ world: World) {
        world.machine.configuration = FakeMachine.configuration(configuration)
        world.machine.scripts = [script, revoker].compactMap(\.self)
        prepare(world)
    }
}

/// The beginning of what the log has of a sign-in that failed, behind the severity.
let signInFailure = "authentication failure; user='alice' session=0 service='sshd' rhost='203.0.113.7' reason="
let notInTime =
    "unreachable: Cognito did not answer within network_timeout. Check the network, then run: curl -sS https://HOST"
let workerEnded = "ERROR the worker ended without a result"
let outOfSequence =
    """
    ERROR the worker sent a message out of sequence. Reinstall pam-cognito so that the versions of its components \
    match
    """
let quotaIsFull =
    """
    root's key quota is full: compare /proc/key-users with kernel.keys.root_maxkeys and kernel.keys.root_maxbytes
    """
let inNoGroup = "group: Cognito accepted this user, but allowed_groups contains none of this user's Cognito groups"
let tokensOfAnother = "other_identity: the tokens belong to another user; the sign-in was refused"

extension AttemptSubject {
    static func alice(by caller: UInt32 = 0) -> AttemptSubject {
        AttemptSubject(user: Array("alice".utf8), caller: caller)
    }
}

extension World {
    func add(_ count: Int, _ sample: Sample) {
        for _ in 0..<count {
            _ = sample.add(to: machine)
        }
    }

    /// sudo, run by alice in an open session of hers, whose entry it returns.
    func runSudo(in sample: Sample = Sample(loginName: "alice")) -> RootKey {
        machine.realUserID = 5001
        machine.process = ProcessIdentity(id: 400, startTime: 9)
        machine.agent = FakeAgent(checkingSessionsOf: machine)
        machine.tokenKeys[600] = FakeMachine.TokenKey()
        machine.inherited = [KeySerial(600)]
        host.service = Array("sudo".utf8)
        host.remoteHost = []
        return sample.add(to: machine)
    }
}
