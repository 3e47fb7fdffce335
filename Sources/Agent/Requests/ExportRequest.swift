import Base
import Configuration
import Keyring
import Messages
import Protocol
import Sessions

/// For how long an export may be good, in seconds.
private let longestExport: Int64 = 86_400
/// How many of a person's exports may be good at the same time.
private let mostExports = 4

// A session's tokens in another session by means of a file: a second delivery of one entry, as by `attach`, but without
// a user who types a code.
extension AgentRequest {
    /// Seals what leads to the session's tokens, and sends it.
    func export(_ session: borrowing CallerSession, lasting seconds: Int64) {
        guard let caller = plainCaller() else {
            return
        }
        guard let settings = settings(at: session.entry.configuration) else {
            return
        }
        guard settings.exportsTokens else {
            refuse(.notPermitted, "export_tokens is not set", saying: AgentWording.exportIsOff)
            return
        }
        guard exports().count < mostExports else {
            refuse(.busy, "too many of the user's exports are still valid", saying: AgentWording.tooManyExports)
            return
        }
        let life = min(seconds, longestExport, session.entry.expires - machine.time)
        guard life > 0, let bootID = machine.bootID,
            let offer = try? surroundings.offers.add(caller, of: userID, .exported(session.key), lasting: life)
        else {
            refuse(.internalFault, "the export cannot be written to the keyring")
            return
        }
        var ticket = ExportTicket(
            offer: offer.key, userID: userID, user: session.entry.user, userPoolID: session.entry.userPoolID,
            bootID: bootID, end: machine.time + life)
        guard let content = ticket.encode(),
            let sealed = surroundings.seal(content, name: ExportTicket.sealName(userID))
        else {
            surroundings.offers.remove(offer)
            refuse(.cannotSeal, "systemd-creds cannot seal the export; try: systemd-creds setup")
            return
        }
        surroundings.log(
            .information,
            subject(session).line(.tokensExported, client + ["expires_at": "\(ticket.end)"]))
        var answer = FrameWriter(.exported)
        answer.add(.sealed, sealed)
        if !conversation.send(answer) {
            surroundings.offers.remove(offer)
        }
    }

    /// The person's exports that are good. Those of sessions that have ended are of no use any more, and are removed.
    private func exports() -> [Offer] {
        ((try? surroundings.offers.offers(of: userID)) ?? []).filter { offer in
            guard case .exported(let key)? = surroundings.offers.state(of: offer) else {
                return false
            }
            if let entry = machine.readEntry(key), isOpen(entry) {
                return true
            }
            surroundings.offers.remove(offer)
            return false
        }
    }

    /// Lets the session with `inbox` have the tokens that something sealed leads to: once.
    func importTokens(_ sealed: consuming Secret?, through inbox: KeySerial) {
        guard let receiver = receiver(through: inbox) else {
            return
        }
        guard let sealed, let content = surroundings.unseal(sealed, name: ExportTicket.sealName(userID)),
            let ticket = ExportTicket(decoding: content), ticket.userID == userID
        else {
            refuse(.notTheirs, "the export was not sealed for this user on this machine")
            return
        }
        guard let key = use(ticket, receiver), let entry = machine.readEntry(key) else {
            return
        }
        let session = CallerSession(key: key, entry: entry)
        guard handOver(session, into: inbox) else {
            refuse(.notHandedOver, "the session did not accept the tokens, and the export cannot be used again")
            return
        }
        let origin = surroundings.origin(of: receiver.id)
        surroundings.log(
            .information,
            subject(session).line(.tokensImported, client + ["terminal": .outside(origin.terminal)]))
        _ = conversation.send(FrameWriter(.complete))
    }

    /// Uses an export up: the entry of its session; nil: it is of no use, which the client has been told.
    private func use(_ ticket: ExportTicket, _ receiver: ProcessIdentity) -> RootKey? {
        let offer = Offer(key: ticket.offer, userID: userID, receiver: receiver)
        guard let lock = machine.lock(offer.key, within: Self.lockLimit) else {
            refuse(.busy, "another request is importing the same export")
            return nil
        }
        defer { withExtendedLifetime(lock) {} }
        guard ticket.bootID == machine.bootID, ticket.end > machine.time,
            case .exported(let key)? = surroundings.offers.state(of: offer), let entry = machine.readEntry(key),
            isOpen(entry), entry.user == ticket.user, entry.userPoolID == ticket.userPoolID
        else {
            refuse(.usedUp, "the export has already been used or has expired")
            return nil
        }
        guard !areTokensLocked(CallerSession(key: key, entry: entry)) else {
            refuse(.locked, "the session's tokens are locked")
            return nil
        }
        surroundings.offers.remove(offer)
        return key
    }
}
