import Base
import Configuration
import Keyring
import LoginHooks
import Protocol
import Sessions

/// What is left of an access token that is good enough to make credentials with, in seconds.
private let enoughLife: Int64 = 60
/// How long a client may take to accept its credentials, or tokens, in milliseconds.
private let takingLimit: Int64 = 10_000

extension AgentRequest {
    /// Has credentials of AWS made for the person's session, which get there through `inbox`.
    ///
    /// - Parameter isShared: Whether those that are in another session, to which this one's tokens belong, too, get there as well.
    func makeCredentials(
        _ session: borrowing Found, named name: [UInt8], through inbox: KeySerial, sharing isShared: Bool
    ) {
        guard let settings = settings(at: session.entry.configuration) else {
            return
        }
        guard isCredentialName(name), settings.worker.awsCredentials(named: name) != nil
        else {
            refuse(.noSuchCredential, "there are no credentials of the name that they gave")
            return
        }
        let machine = surroundings.machine(
            forSessionOf: conversation.peer.process, userID, inbox: inbox, isTaken: isTaken)
        guard let machine else {
            refuse(.noInbox, "their session has no inbox, or no process that it belongs to")
            return
        }
        let who = subject(session)
        guard isRenewed(session, who) else {
            return
        }
        var uncounted: ErrorNumber?
        var outcome = SessionCredentials(machine: machine).obtain(
            session.key, named: name, keeping: session.isKept, waiting: Self.lockLimit,
            ifMayCall: { mayCall(noting: &uncounted) })
        if let uncounted {
            outcome = .kept(.internalFault, Self.line(uncounted))
        }
        if isShared, case .fresh(let found) = outcome {
            share(found, through: inbox)
        } else {
            answer(outcome, name, who)
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
            refuse(.noInbox, "their session did not take the credentials")
            return
        }
        _ = conversation.send(FrameWriter(.complete))
    }

    /// Renews the session if need be; false: it came to nothing, which the client has been told.
    private func isRenewed(_ session: borrowing Found, _ who: AuditSubject) -> Bool {
        switch renewal(of: session.key, who, minimumLife: enoughLife, asked: machine.now) {
        case .renewed, .fresh: return true
        case .kept(let reason, _): refuse(AgentRefusal(reason))
        case .ended:
            refuse(.endedElsewhere)
            finish(endedElsewhere: session, who)
        case .gone: refuse(.noSession, "the session ended meanwhile")
        case .busy: refuse(.busy, "too many requests of theirs went to Cognito")
        }
        return false
    }

    private func answer(_ outcome: CredentialOutcome, _ name: [UInt8], _ who: AuditSubject) {
        switch outcome {
        case .made(let made):
            surroundings.log(
                .information,
                who.line(.credentialsMade, client + ["name": .outside(name), "expires_at": "\(made.label.end)"]))
            _ = conversation.send(FrameWriter(.complete))
        case .fresh(let found):
            var answer = FrameWriter(.credential)
            answer.add(.key, Int64(found.serial.number))
            _ = conversation.send(answer)
        case .kept(let reason, let line):
            surroundings.log(
                .warning, who.line(.credentialsNotMade, ["name": .outside(name)], reason: reason.name, text: line))
            refuse(AgentRefusal(reason))
        case .refused:
            refuse(.credentialRefused)
        case .locked:
            refuse(.locked)
        case .gone:
            refuse(.noSession, "the session ended meanwhile")
        case .busy:
            refuse(.busy, "another request for the session takes too long, or too many of theirs went to Cognito")
        }
    }
}
