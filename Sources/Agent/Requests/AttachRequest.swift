package import Base
package import Keyring
import Messages
import Protocol
import Sessions

/// Where a process is, as this machine sees it; nothing of it is the process's own word. What is not known is empty.
package struct ProcessOrigin: Equatable, Sendable {
    package let terminal: [UInt8]
    /// What let its person in: a PAM service, or a program of root's.
    package let service: [UInt8]
    /// Where the person came from.
    package let remoteHost: [UInt8]

    /// An origin by its parts.
    package init(terminal: [UInt8], service: [UInt8], remoteHost: [UInt8]) {
        self.terminal = terminal
        self.service = service
        self.remoteHost = remoteHost
    }
}

/// Those who wait for tokens: root's memory, which all of the agent's processes share.
package protocol OfferRegistry {
    /// Enters a process that waits, for so many seconds.
    func add(
        _ receiver: ProcessIdentity, of userID: UInt32, _ state: OfferState, lasting seconds: Int64
    ) throws(ErrorNumber) -> Offer
    /// Those of a person that have not ended.
    func offers(of userID: UInt32) throws(ErrorNumber) -> [Offer]
    /// What has become of one; nil when it has ended.
    func state(of offer: Offer) -> OfferState?
    /// Writes the new state. A caller that depends on the old one must have its lock.
    func enter(_ state: OfferState, of offer: Offer, lasting seconds: Int64) throws(ErrorNumber)
    func remove(_ offer: Offer)
}

/// The time in which the tokens must be handed over, in seconds.
private let offerLife: Int64 = 120
/// How many of a person's sessions do so at the same time.
private let mostOffers = 4
/// How many wrong codes end an offer.
private let mostWrong: UInt8 = 3
/// How long a code may be thought about, in milliseconds.
private let answerLimit: Int64 = 150_000
/// Between looks at what the other side does, in milliseconds.
private let interval: Int64 = 100
/// How long the giver waits until a client has accepted its tokens, in milliseconds: longer than that may take.
private let handingLimit: Int64 = 20_000

// A session's tokens for another session of the same person: one process of the agent serves who waits, another who
// gives, and the offers are between them.
extension AgentRequest {
    // MARK: Who waits

    /// Waits until another session of the caller's gives its tokens to the one with `inbox`.
    func attach(_ inbox: KeySerial) {
        guard let receiver = receiver(through: inbox) else {
            return
        }
        let code = digits(machine.random(below: 1_000_000))
        guard
            let offer = try? surroundings.offers.add(
                receiver, of: userID, .waiting(code: code, wrong: 0), lasting: offerLife)
        else {
            refuse(.internalFault, "the request for tokens cannot be written to the keyring")
            return
        }
        guard waiting().count <= mostOffers else {
            surroundings.offers.remove(offer)
            refuse(.busy, "too many of the user's sessions are waiting for tokens", saying: AgentWording.tooManyOffers)
            return
        }
        show(AgentWording.attachCode, [code])
        guard let giver = awaitGiver(offer) else {
            surroundings.offers.remove(offer)
            return
        }
        take(from: giver, offer, inbox)
    }

    /// Returns the caller, if it has only its own user's rights and can be identified; nil: it was refused.
    func plainCaller() -> ProcessIdentity? {
        guard takesConversation(of: userID) else {
            return nil
        }
        guard userID != 0, let caller = surroundings.plainProcess(conversation.peer.process, of: userID) else {
            refuse(
                .notPermitted, "the client runs as root or in a container, or is a set-uid program",
                saying: AgentWording.attachForbidden)
            return nil
        }
        return caller
    }

    /// `plainCaller`, who gets tokens through that inbox.
    func receiver(through inbox: KeySerial) -> ProcessIdentity? {
        guard let caller = plainCaller() else {
            return nil
        }
        guard surroundings.isInbox(inbox, of: userID) else {
            refuse(.noInbox, "the session has no keyring for receiving tokens")
            return nil
        }
        return caller
    }

    /// Waits for the code to be typed elsewhere: the session in which that was done; nil: it was not, or the client has
    /// gone.
    private func awaitGiver(_ offer: Offer) -> RootKey? {
        let end = machine.now.milliseconds + offerLife * 1000
        while machine.now.milliseconds < end {
            switch conversation.receive(within: interval) {
            case .nothing: break
            case .gone: return nil
            default:
                refuse(.malformed, "the client sent a message while waiting for tokens")
                return nil
            }
            switch surroundings.offers.state(of: offer) {
            case .waiting?: continue
            case .accepted(let giver)?: return giver
            case .taken?, .exported?, nil: break
            }
            break
        }
        refuse(.notHandedOver, "no other session shared its tokens in time")
        return nil
    }

    private func take(from giver: RootKey, _ offer: Offer, _ inbox: KeySerial) {
        guard let entry = machine.readEntry(giver), isOpen(entry),
            handOver(unlocked: CallerSession(key: giver, entry: entry), into: inbox)
        else {
            surroundings.offers.remove(offer)
            refuse(.notHandedOver, "the sharing session has ended, or the waiting session did not accept the tokens")
            return
        }
        try? surroundings.offers.enter(.taken, of: offer, lasting: offerLife)
        _ = conversation.send(FrameWriter(.complete))
    }

    private func handOver(unlocked session: borrowing CallerSession, into inbox: KeySerial) -> Bool {
        !isLocked(session, to: .giveRequest) && handOver(session, into: inbox)
    }

    /// Lets the session with that inbox have the tokens of another one, or of its jobs, and prove that it has them.
    func handOver(_ session: borrowing CallerSession, into inbox: KeySerial) -> Bool {
        let key = KeySerial(session.isKept ? session.entry.keptKey : session.entry.tokenKey)
        let secret = machine.secretKey(
            of: session.key, ofJobs: session.isKept, beside: session.entry.keyDescription)
        return surroundings.handOver(key, provedBy: secret, into: inbox, of: userID, isTaken: isTaken)
    }

    // MARK: Who gives

    /// Gives what a session has to another session of the caller's, whose code they type.
    func give(_ session: borrowing CallerSession) {
        guard let caller = plainCaller() else {
            return
        }
        let waiting = waiting().filter { offer in offer.receiver != caller }
        guard !waiting.isEmpty else {
            refuse(.noReceiver, "no session of the user is waiting for tokens")
            return
        }
        for offer in waiting {
            let origin = surroundings.origin(of: offer.receiver.id)
            show(
                AgentWording.receiver,
                [ByteText("\(offer.receiver.id)").bytes, origin.terminal, origin.service, origin.remoteHost])
        }
        for _ in 0..<mostWrong {
            guard let code = askForCode() else {
                return
            }
            // The person may have left meanwhile.
            if let entry = machine.readEntry(session.key),
                isLocked(CallerSession(key: session.key, entry: entry, isKept: session.isKept), to: .giveRequest)
            {
                refuse(.locked, "the session's tokens are locked")
                return
            }
            if let offer = accept(code, among: waiting, session) {
                awaitTaking(offer, session)
                return
            }
            guard waiting.contains(where: { offer in isWaiting(offer) && isAlive(offer) }) else {
                break
            }
            show(AgentWording.codeIsWrong, [])
        }
        refuse(.wrongCode, "the code does not match any waiting session of the user")
    }

    /// What was typed; nil: the client has gone, or it took too long.
    private func askForCode() -> [UInt8]? {
        var question = FrameWriter(.ask)
        question.add(.promptStyle, PromptStyle.visible)
        question.add(.text, said(AgentWording.codeQuestion))
        guard conversation.send(question), case .frame(let frame) = conversation.receive(within: answerLimit),
            let answer = frame.secret(.answer)
        else {
            return nil
        }
        return answer.withBytes { bytes in bytes.copied() }.filter { byte in byte != UInt8(ascii: " ") }
    }

    /// Accepts the offer that has that code; where none has it, that counts for all of them.
    private func accept(_ code: [UInt8], among offers: [Offer], _ session: borrowing CallerSession) -> Offer? {
        var others: [Offer] = []
        for offer in offers {
            guard let lock = machine.lock(offer.key, within: Self.lockLimit) else {
                continue
            }
            defer { withExtendedLifetime(lock) {} }
            guard case .waiting(let right, _)? = surroundings.offers.state(of: offer), isAlive(offer) else {
                continue
            }
            guard code == right else {
                others.append(offer)
                continue
            }
            let entered: Void? = try? surroundings.offers.enter(.accepted(session.key), of: offer, lasting: offerLife)
            return entered == nil ? nil : offer
        }
        for offer in others {
            countWrong(offer)
        }
        return nil
    }

    private func countWrong(_ offer: Offer) {
        guard let lock = machine.lock(offer.key, within: Self.lockLimit),
            case .waiting(let code, let wrong)? = surroundings.offers.state(of: offer)
        else {
            return
        }
        defer { withExtendedLifetime(lock) {} }
        let counted: Void? =
            wrong + 1 < mostWrong
            ? try? surroundings.offers.enter(.waiting(code: code, wrong: wrong + 1), of: offer, lasting: offerLife)
            : nil
        // What cannot be counted is over, too.
        if counted == nil {
            surroundings.offers.remove(offer)
        }
    }

    private func awaitTaking(_ offer: Offer, _ session: borrowing CallerSession) {
        // It may end as soon as it has them.
        let origin = surroundings.origin(of: offer.receiver.id)
        let end = machine.now.milliseconds + handingLimit
        while machine.now.milliseconds < end, let state = surroundings.offers.state(of: offer) {
            guard state == .taken else {
                machine.pause(milliseconds: interval)
                continue
            }
            surroundings.offers.remove(offer)
            surroundings.log(
                .information,
                subject(session).line(
                    .tokensHandedOver, ["process": "\(offer.receiver.id)", "terminal": .outside(origin.terminal)]))
            _ = conversation.send(FrameWriter(.complete))
            return
        }
        surroundings.offers.remove(offer)
        refuse(.notHandedOver, "the waiting session did not accept the tokens")
    }

    // MARK: Both

    /// The caller's sessions that wait.
    private func waiting() -> [Offer] {
        ((try? surroundings.offers.offers(of: userID)) ?? []).filter { offer in isWaiting(offer) && isAlive(offer) }
    }

    private func isWaiting(_ offer: Offer) -> Bool {
        if case .waiting? = surroundings.offers.state(of: offer) { true } else { false }
    }

    private func isAlive(_ offer: Offer) -> Bool {
        surroundings.plainProcess(offer.receiver.id, of: userID) == offer.receiver
    }

    func isOpen(_ entry: borrowing RegistryEntry) -> Bool {
        entry.state == .open && entry.pidNamespace == machine.pidNamespace
            && (try? machine.account(named: entry.user))??.uid == userID
            && machine.isDelivered(KeySerial(entry.tokenKey), description: entry.keyDescription)
    }

    /// Six of them.
    private func digits(_ number: Int64) -> [UInt8] {
        let text = ByteText("\(number)").bytes
        return [UInt8](repeating: UInt8(ascii: "0"), count: max(0, 6 - text.count)) + text
    }

    private func said(_ phrase: Phrase, _ inserts: [[UInt8]] = []) -> [UInt8] {
        phrase.said(in: conversation.language ?? machine.language ?? .english, filling: inserts)
    }

    /// Shows a text; in place of what is not known, it says so.
    private func show(_ phrase: Phrase, _ inserts: [[UInt8]]) {
        let known = inserts.map { insert in
            insert.isEmpty
                ? said(AgentWording.unknownPart) : Array(insert.prefix(64)).map { byte in isPlain(byte) ? byte : 0x3f }
        }
        var message = FrameWriter(.show)
        message.add(.text, said(phrase, known))
        _ = conversation.send(message)
    }
}

/// Nothing with which one part of a text could look like another.
private func isPlain(_ byte: UInt8) -> Bool {
    byte.isAlphanumericASCII || (".:-_/%" as StaticString).bytes.contains(byte)
}
