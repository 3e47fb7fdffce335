import Base
import Keyring
import LoginHooks
import Messages
import Protocol
import Sessions

/// How long a client may take to accept its new tokens, in milliseconds.
private let takingLimit: Int64 = 10_000

// The requests in whose course a person is asked: the same hooks as at a login, over the client's conversation.
extension AgentRequest {
    /// Signs the caller in, as a login would, and puts the tokens into their session through `inbox`.
    func signIn(_ inbox: KeySerial) {
        guard surroundings.takeTurn(.conversation, of: userID) else {
            refuse(.busy, "too many sign-ins of theirs")
            return
        }
        guard let name = surroundings.accountName(userID) else {
            refuse(.notCovered, "there is no account with their user id")
            return
        }
        let conversation = conversation
        let machine = surroundings.machine(forSessionOf: conversation.peer.process, userID, inbox: inbox) { key in
            var offer = FrameWriter(.inInbox)
            offer.add(.key, Int64(key.number))
            guard conversation.send(offer), case .frame = conversation.receive(within: takingLimit) else {
                return false
            }
            return true
        }
        guard let machine else {
            refuse(.noInbox, "their session has no inbox, or no process that it belongs to")
            return
        }
        let transaction = PeerTransaction(
            name, conversation, service: "cognito-session", now: { machine.now }, log: surroundings.log)
        let hooks = Hooks(transaction, on: machine, arguments: [], caller: userID)
        // Why not is in the log already.
        switch hooks.authenticate() {
        case .success: break
        case .ignore, .userUnknown:
            refuse(.notCovered, "the account is not Cognito's")
            return
        case .authenticationInformationUnavailable, .credentialsUnavailable:
            refuse(.serviceFault)
            return
        default:
            refuseSlowly()
            return
        }
        guard hooks.openSession() == .success else {
            refuse(.noInbox)
            return
        }
        _ = conversation.send(FrameWriter(.complete))
    }

    /// Says that the person was not who they say, as late as a login says so.
    private func refuseSlowly() {
        machine.pause(milliseconds: failureDelay)
        refuse(.notSignedIn)
    }

    // MARK: A forgotten password

    /// Sets a forgotten password anew: the caller's own, or that of whoever is named. Who calls is of no importance: what
    /// counts is the code.
    func recoverPassword(of named: [UInt8]?) {
        guard surroundings.takeTurn(.conversation, of: userID) else {
            refuse(.busy, "too many conversations of theirs")
            return
        }
        guard let name = named ?? surroundings.accountName(userID) else {
            refuse(.notCovered, "there is no account with their user id")
            return
        }
        // Whoever it is that asks, and whether there is such an account or not.
        guard surroundings.takeTurn(.recovery(of: name), of: userID) else {
            refuse(.busy, "too many codes for \(quoting: name)", saying: AgentWording.tooManyCodes)
            return
        }
        let machine = machine
        surroundings.log(.information, "password recovery asked for; user=\(quoting: name) uid=\(userID)")
        let transaction = PeerTransaction(
            name, conversation, service: "cognito-session", now: { machine.now }, log: surroundings.log)
        switch Hooks(transaction, on: machine, arguments: [], caller: userID).recoverPassword() {
        case .success: _ = conversation.send(FrameWriter(.complete))
        case .authenticationTokenRecoveryError: refuse(.serviceFault)
        case .tryAgain: refuse(.busy)
        default: refuse(.notRecovered)
        }
    }

    // MARK: Screen locks

    /// Proves that the caller is the person of the account whose process it is, for a screen lock, which runs as them.
    func unlock(_ named: [UInt8]) {
        guard surroundings.takeTurn(.conversation, of: userID) else {
            refuse(.busy, "too many conversations of theirs")
            return
        }
        guard let name = surroundings.accountName(userID), name == named else {
            refuse(.notPermitted, "they may unlock as themselves only, not as \(quoting: named)")
            return
        }
        let machine = machine
        let asked = machine.now
        let transaction = PeerTransaction(
            name, conversation, service: "screen-lock", now: { machine.now }, log: surroundings.log)
        // Why not is in the log already.
        switch Hooks(transaction, on: machine, arguments: [], caller: userID).proveIdentity() {
        case .success: break
        case .ignore:
            refuse(.notCovered)
            return
        case .permissionDenied:
            refuse(.notPermitted)
            return
        case .authenticationInformationUnavailable:
            refuse(.unreachable)
            return
        case .credentialsUnavailable, .systemError:
            refuse(.serviceFault)
            return
        default:
            refuseSlowly()
            return
        }
        _ = conversation.send(FrameWriter(.complete))
        // What follows is nothing that the person should wait for in front of a locked screen.
        conversation.peer.hangUp()
        renewSessions(of: name, asked: asked)
    }

    /// Renews every open session of the caller's, unless that was done since it was `asked` for.
    private func renewSessions(of user: [UInt8], asked: Instant) {
        for key in (try? machine.entries(of: user)) ?? [] {
            guard let entry = machine.readEntry(key),
                entry.state == .open, entry.pidNamespace == machine.pidNamespace, entry.user == user
            else {
                continue
            }
            let session = Found(key, entry)
            let who = subject(session)
            if case .ended = renewal(of: key, who, minimumLife: .max, asked: asked) {
                finish(endedElsewhere: session, who)
            }
        }
    }
}
