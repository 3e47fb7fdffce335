import Base
import Configuration
import Keyring
import Protocol
import Sessions

/// What is left of an access token that is good enough to make credentials with, in seconds.
private let enoughLife: Int64 = 60
/// How long a client may take to accept its credentials, or tokens, in milliseconds.
private let takingLimit: Int64 = 10_000

extension AgentRequest {
    /// Has credentials of AWS made for the person's session, which get there through `inbox`.
    ///
    /// - Parameter isShared: Whether those that are in another session, to which this one's tokens belong, too, get
    ///   there as well.
    func makeCredentials(
        _ session: borrowing CallerSession, named name: [UInt8], through inbox: KeySerial, sharing isShared: Bool
    ) {
        guard let settings = settings(at: session.entry.configuration) else {
            return
        }
        guard isCredentialName(name), settings.worker.awsCredentials(named: name) != nil
        else {
            refuse(.noSuchCredential, "aws_credentials does not list the requested name")
            return
        }
        let machine = surroundings.machine(
            forSessionOf: conversation.peer.process, userID, inbox: inbox, isTaken: isTaken)
        guard let machine else {
            refuse(.noInbox, "the session has no keyring for receiving credentials, or no running process")
            return
        }
        let who = subject(session)
        if case .failed(let failure) = renewal(of: session.key, who, minimumLife: enoughLife, asked: machine.now) {
            return refuse(failure, session, who)
        }
        let (key, isKept) = (session.key, session.isKept)
        let outcome = counted { mayCall in
            SessionCredentials(machine: machine).obtain(
                key, named: name, keeping: isKept, waiting: Self.lockLimit, ifMayCall: mayCall)
        }
        switch outcome {
        case .made(let made):
            surroundings.log(
                .information,
                who.line(.credentialsMade, client + ["name": .outside(name), "expires_at": "\(made.label.end)"]))
            _ = conversation.send(FrameWriter(.complete))
        case .fresh(let found) where isShared:
            share(found, through: inbox)
        case .fresh(let found):
            var answer = FrameWriter(.credential)
            answer.add(.key, Int64(found.serial.number))
            _ = conversation.send(answer)
        case .refused:
            refuse(.credentialRefused)
        case .locked:
            refuse(.locked)
        case .failed(let failure):
            log(failure, who, .credentialsNotMade, ["name": .outside(name)])
            refuse(failure, session, who)
        }
    }

    /// Tells the client of the key in its inbox; whether it has taken that.
    func isTaken(_ key: KeySerial) -> Bool {
        var offer = FrameWriter(.inInbox)
        offer.add(.key, Int64(key.number))
        guard conversation.send(offer), case .frame = conversation.receive(within: takingLimit) else {
            return false
        }
        return true
    }

    private func share(_ found: CredentialKey, through inbox: KeySerial) {
        guard surroundings.handOver(found.serial, provedBy: nil, into: inbox, of: userID, isTaken: isTaken) else {
            refuse(.noInbox, "the session did not accept the credentials")
            return
        }
        _ = conversation.send(FrameWriter(.complete))
    }
}
