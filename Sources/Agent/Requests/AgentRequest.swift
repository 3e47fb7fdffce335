import Base
import Configuration
import Keyring
import Messages
import Protocol
import Sessions

/// One connection of a client, from its request to the end: the caller's own sessions, a closed set of requests, never
/// a token in an answer.
package struct AgentRequest<Surroundings: AgentSurroundings, Peer: AgentPeer> {
    let surroundings: Surroundings
    let conversation: PeerConversation<Peer>

    /// How long a client may take to say what it wants, in milliseconds.
    private static var requestLimit: Int64 { 3_000 }
    /// How long a request waits for another one about the same session, in milliseconds: longer than a renewal usually
    /// takes.
    static var lockLimit: Int32 { 20_000 }
    /// The time limit of a sign-out for which no client waits, in milliseconds.
    private static var signOutLimit: Int64 { 30_000 }

    package init(_ surroundings: Surroundings, _ peer: Peer) {
        self.surroundings = surroundings
        conversation = PeerConversation(peer)
    }

    var machine: Surroundings.System { surroundings.machine }
    var userID: UInt32 { conversation.peer.userID }

    /// Serves it. Returns when nothing is left to do, also for a client that has gone away meanwhile.
    package func serve() {
        switch conversation.receive(within: Self.requestLimit) {
        case .frame(let frame):
            conversation.language = frame.bytes(.language).flatMap { tag in Language(tag: tag) }
            serve(frame)
        case .malformed:
            refuse(.malformed, "the message is not a valid request")
        case .nothing: break
        case .gone: break
        }
    }

    private func serve(_ frame: borrowing Frame) {
        let key = KeySerial(frame.serial(.key) ?? 0)
        switch frame.kind {
        case .signInRequest: signIn(key)
        case .attachRequest: attach(key)
        case .importRequest: importTokens(frame.secret(.sealed), through: key)
        case .unlockRequest:
            prove(frame.bytes(.userName) ?? [], for: frame.number(.requester).flatMap(UInt32.init(exactly:)))
        case .recoverRequest: recoverPassword(of: frame.bytes(.userName))
        case .registryRequest: listRegistry()
        case .openingRequest: checkForOpening(key)
        // Those of root the listener passes on.
        case .endingRequest: refuse(.notPermitted, "only root may end the sessions of other users")
        case .signOutRequest where frame.code(.revocation, Revocation.self) == .machine:
            signOutOfMachine(key, frame.bytes(.userName))
        default: serve(frame, aboutSessionOf: key)
        }
    }

    private func serve(_ frame: borrowing Frame, aboutSessionOf key: KeySerial) {
        guard key.number > 0, let session = session(key) else {
            refuse(.noSession, "no session of the user has the requested token key")
            return
        }
        guard isProven(session, frame) else {
            return
        }
        guard !isLocked(session, to: frame.kind) else {
            refuse(.locked, "the session's tokens are locked")
            return
        }
        switch frame.kind {
        case .renewRequest:
            renew(session, minimumLife: frame.number(.minimumLife) ?? 0, askedAt: frame.number(.askedAt) ?? 0)
        case .checkRequest:
            check(session, online: frame.flag(.online))
        case .handOut:
            noteHandOut(session, frame.code(.tokenKind, HandedToken.self), frame.code(.handOutUse, HandOutUse.self))
        case .credentialRequest:
            makeCredentials(
                session, named: frame.bytes(.credentialName) ?? [],
                through: KeySerial(frame.serial(.inbox) ?? 0), sharing: frame.flag(.sharesCredentials))
        case .giveRequest:
            give(session)
        case .lockRequest:
            lock(session)
        case .exportRequest:
            export(session, lasting: frame.number(.exportLife) ?? 0)
        case .keepRequest:
            keep(session, through: KeySerial(frame.serial(.inbox) ?? 0))
        case .poolSessionsRequest:
            askPool(session, ending: frame.bytes(.poolSession))
        case .signOutRequest:
            switch frame.code(.revocation, Revocation.self) {
            case .global?: signOutEverywhere(session)
            case .session?: signOutHere(session)
            case .machine?, nil: refuse(.malformed, "the kind of sign-out is unknown")
            }
        default:
            refuse(.malformed, "the message is not a request")
        }
    }

    // MARK: The session

    /// A session of the caller's.
    struct CallerSession: ~Copyable {
        let key: RootKey
        let entry: RegistryEntry
        /// Whether it was named by the copy of its token key for jobs that go on while it is locked.
        var isKept = false
    }

    /// The caller's open session that has `token` as its token key, or as the copy of that for jobs. Whether it is
    /// another's, or none, cannot be told from outside.
    private func session(_ token: KeySerial) -> CallerSession? {
        let own = surroundings.accountName(userID).flatMap { name in try? machine.entries(of: name) } ?? []
        // Another account may have the same user id.
        return session(token, among: own) ?? session(token, among: (try? machine.entries()) ?? [])
    }

    private func session(_ token: KeySerial, among keys: [RootKey]) -> CallerSession? {
        for key in keys {
            guard let entry = machine.readEntry(key), [entry.tokenKey, entry.keptKey].contains(token.number)
            else {
                continue
            }
            guard entry.state == .open, entry.pidNamespace == machine.pidNamespace,
                let account = try? machine.account(named: entry.user), account.uid == userID,
                machine.isDelivered(token, description: entry.keyDescription)
            else {
                return nil
            }
            let isKept = entry.tokenKey != token.number
            return CallerSession(key: key, entry: entry, isKept: isKept)
        }
        return nil
    }

    /// Whether the client is in the session that it asks about, and not only in one of the same user; else it was
    /// refused.
    ///
    /// What only takes away goes by the user id: signing out and locking.
    private func isProven(_ session: borrowing CallerSession, _ frame: borrowing Frame) -> Bool {
        if frame.kind == .signOutRequest || frame.kind == .lockRequest {
            return true
        }
        guard let proof = frame.secret(.proof), let expected = expectedProof(session), proof.isEqual(to: expected)
        else {
            let entry = session.key.serial.number
            refuse(
                .notInSession,
                "the client did not present the secret for session \(entry) of \(quoting: session.entry.user)")
            return false
        }
        return true
    }

    /// The session's secret, or its jobs'. Where there is none, version 0.1.0 has opened the session, or its user has
    /// destroyed the secret: then what the token key holds, which the same programs can read.
    private func expectedProof(_ session: borrowing CallerSession) -> Secret? {
        let description = session.entry.keyDescription
        if let key = machine.secretKey(of: session.key, ofJobs: session.isKept, beside: description) {
            return try? machine.sessionSecret(in: key, beside: description)
        }
        let key = KeySerial(session.isKept ? session.entry.keptKey : session.entry.tokenKey)
        guard let tokens = try? machine.tokens(in: key, description: description) else {
            return nil
        }
        return sessionProof(tokens)
    }

    // MARK: Requests

    private func renew(_ session: borrowing CallerSession, minimumLife: Int64, askedAt: Int64) {
        let who = subject(session)
        // A time to come would make everything older than the request.
        let asked = Instant(milliseconds: max(0, min(askedAt, machine.now.milliseconds)))
        let renewal = renewal(of: session.key, who, minimumLife: minimumLife, asked: asked) { outcome in
            // The client does not wait for the rest.
            if case .failed(.kept(let reason, _)) = outcome {
                refuse(AgentRefusal(reason))
            }
        }
        switch renewal {
        case .renewed(let expiry, _):
            answerRenewal(.renewed, expiry)
        case .fresh(let expiry):
            answerRenewal(.fresh, expiry)
        case .failed(let failure):
            refuse(failure, session, who)
        }
    }

    /// Renews a session, unless that is too much; what came of it is in the log then.
    ///
    /// - Parameter whenLate: Is told what the client may hear by now, when Cognito's answer is late.
    func renewal(
        of key: RootKey, _ who: AuditSubject, minimumLife: Int64, asked: Instant, whenLate: ((Renewal) -> Void)? = nil
    ) -> Renewal {
        let renewal = counted { mayCall in
            SessionRenewal(machine: machine).renew(
                key, minimumLife: minimumLife, asked: asked, waiting: Self.lockLimit, ifMayCall: mayCall,
                whenLate: whenLate
            ).finish()
        }
        switch renewal {
        case .renewed(_, let note):
            surroundings.log(.information, who.line(.renewed))
            log(note)
        case .fresh:
            break
        case .failed(let failure):
            log(failure, who, .notRenewed)
        }
        return renewal
    }

    /// Runs an operation on a session that may ask Cognito only if the caller has a call left. A call that cannot be
    /// counted fails it.
    func counted<Outcome: OperationOutcome>(_ operation: (_ mayCall: () -> Bool) -> Outcome) -> Outcome {
        var uncounted: ErrorNumber?
        let outcome = operation {
            do throws(ErrorNumber) {
                return try surroundings.takeTurn(.call, of: userID)
            } catch {
                uncounted = error
                return false
            }
        }
        return uncounted.map { error in .failed(.kept(.internalFault, Self.line(error))) } ?? outcome
    }

    /// Writes why an operation has no result, where that is more than this moment's.
    func log(_ failure: OperationFailure, _ who: AuditSubject, _ event: AuditEventName, _ fields: AuditFields = [:]) {
        switch failure {
        case .kept(let reason, let line):
            // The pool need not list sessions.
            let severity: LogSeverity = reason == .notListed ? .information : .warning
            surroundings.log(severity, who.line(event, fields, reason: reason.name, text: line))
        case .ended(let line):
            surroundings.log(.notice, who.line(.sessionEnded, reason: "session_ended", text: line))
        case .gone, .busy:
            break
        }
    }

    /// Tells the client that an operation has no result; a session that Cognito has refused is ended.
    func refuse(_ failure: OperationFailure, _ session: borrowing CallerSession, _ who: AuditSubject) {
        switch failure {
        case .kept(let reason, _):
            refuse(AgentRefusal(reason))
        case .ended:
            refuse(.endedElsewhere)
            finish(endedElsewhere: session, who)
        case .gone:
            refuse(.noSession, "the session has ended in the meantime")
        case .busy:
            refuse(
                .busy,
                """
                another request for this session is taking too long, or the user has sent too many requests to \
                Cognito
                """)
        }
    }

    /// Writes what a renewal has to say beside that it was one.
    func log(_ note: RenewalNote?) {
        if let note {
            surroundings.log(note.isFault ? .warning : .notice, note.line)
        }
    }

    private func answerRenewal(_ outcome: RenewalOutcome, _ expiry: Int64) {
        var answer = FrameWriter(.renewal)
        answer.add(.renewalOutcome, outcome)
        answer.add(.accessTokenExpiry, expiry)
        _ = conversation.send(answer)
    }

    private func check(_ session: borrowing CallerSession, online: Bool) {
        let who = subject(session)
        let key = session.key
        let checked = counted { mayCall in
            SessionCheck(machine: machine).check(key, online: online, waiting: Self.lockLimit, ifMayCall: mayCall)
                .finish()
        }
        switch checked {
        case .good(let tokens):
            log(tokens.note)
            _ = conversation.send(FrameWriter(.tokensValid))
        case .invalid(let line):
            surroundings.log(.warning, who.line(.sessionIsNotValid, text: line))
            refuse(.invalidTokens)
        case .failed(let failure):
            log(failure, who, .notChecked)
            refuse(failure, session, who)
        }
    }

    /// Logs that a token was given to a program. A client can report this only for its own session; no other program
    /// can write such a line.
    private func noteHandOut(_ session: borrowing CallerSession, _ kind: HandedToken?, _ use: HandOutUse?) {
        guard let kind, let use else {
            surroundings.log(
                .notice, .event(.requestRefused, asker, reason: "malformed", text: "the kind of token is unknown"))
            return
        }
        surroundings.log(
            .information,
            subject(session).line(.tokenHandedOut, client + ["token": "\(kind.word)", "by": "\(use.word)"]))
    }

    /// Cognito first, then local; what Cognito does not confirm stays as it was.
    private func signOutEverywhere(_ session: borrowing CallerSession) {
        guard takesTurn(.signOut, of: userID, orRefusing: "the user has sent too many requests to Cognito") else {
            return
        }
        let who = subject(session)
        let asked = machine.now
        switch SessionEnding(machine: machine).endNow(session.key, forLock: Self.lockLimit) {
        case .done(let result, let how):
            Ending.done(how).tell(of: who, report: report)
            answerEnding(result)
            if result == .everywhere {
                conversation.peer.hangUp()
                // The next request about them gets the reason why they ended.
                for key in (try? machine.entries(of: session.entry.user)) ?? [] {
                    machine.noteSignedOut(key, of: session.entry.userPoolID, before: asked)
                }
            }
        case .failed(.ended(let line)):
            // The caller wanted that.
            log(.ended(line), who, .notSignedOut)
            refuse(.endedElsewhere)
            finish(session.key, who)
        case .failed(let failure):
            log(failure, who, .notSignedOut)
            refuse(failure, session, who)
        }
    }

    /// At once, without the network: the person has let go of the tokens before Cognito is asked.
    private func signOutHere(_ session: borrowing CallerSession) {
        let who = subject(session)
        guard SessionEnding(machine: machine).destroyTokens(session.key, forLock: Self.lockLimit, because: .signedOut)
        else {
            refuse(.busy, "another request for this session is taking too long")
            return
        }
        answerEnding(.revoked)
        finish(session.key, who)
    }

    /// The same for all of the caller's sessions on this machine; or, for root, the one of that number, or all of
    /// `user`.
    private func signOutOfMachine(_ number: KeySerial, _ user: [UInt8]?) {
        guard userID == 0 || number.number == 0 && user == nil else {
            refuse(.notPermitted, "only root may end the sessions of other users")
            return
        }
        let keys: [RootKey]
        do throws(ErrorNumber) {
            keys = try machine.entries()
        } catch {
            refuse(.internalFault, "the registry cannot be read (errno \(error.code)); \(error.keyringRemedy)")
            return
        }
        if let user {
            // A program that was stopped while it entered a session keeps others of that account from signing in.
            _ = machine.lockForEnd(.counting(user))
        }
        let deadline = machine.now.milliseconds + Int64(Self.lockLimit)
        var accounts: [[UInt8]: UInt32] = [:]
        var closing: [(key: RootKey, who: AuditSubject)] = []
        var busy: [(key: RootKey, who: AuditSubject)] = []
        let ending = SessionEnding(machine: machine)
        for key in keys {
            guard let entry = machine.readEntry(key), entry.state == .open,
                entry.pidNamespace == machine.pidNamespace
            else {
                continue
            }
            if let user {
                guard entry.user == user else {
                    continue
                }
            } else if number.number != 0 {
                guard key.serial == number else {
                    continue
                }
            } else {
                let owner = accounts[entry.user] ?? (try? machine.account(named: entry.user))?.uid
                accounts[entry.user] = owner
                guard owner == userID else {
                    continue
                }
            }
            let who = AuditSubject(key, entry, ["uid": "\(userID)", "key": "\(entry.tokenKey)"])
            if ending.destroyTokens(key, forLock: 0, because: .signedOut) {
                closing.append((key, who))
            } else {
                busy.append((key, who))
            }
        }
        // All of these are waited for at the same time.
        var left = 0
        for session in busy {
            let limit = Int32(clamping: max(0, deadline - machine.now.milliseconds))
            if ending.destroyTokens(session.key, forLock: limit, because: .signedOut) {
                closing.append(session)
            } else {
                left += 1
            }
        }
        if closing.isEmpty, left > 0 {
            refuse(.busy, "other requests for the user's sessions are taking too long")
        } else {
            var answer = FrameWriter(.ending)
            answer.add(SignOutResult.revoked)
            answer.add(.sessionCount, Int64(closing.count))
            answer.add(.sessionsLeft, Int64(left))
            _ = conversation.send(answer)
        }
        conversation.peer.hangUp()
        // Where Cognito cannot be asked, the reaper does the rest.
        for session in closing where !finish(session.key, session.who) {
            break
        }
    }

    private func report(_ line: LogLine, _ isFault: Bool) {
        surroundings.log(isFault ? .warning : .information, line)
    }

    private func answerEnding(_ result: SignOutResult) {
        var answer = FrameWriter(.ending)
        answer.add(result)
        _ = conversation.send(answer)
    }

    /// The same for a session that Cognito has refused. The caller has heard of it; what the administrator wants
    /// follows.
    func finish(endedElsewhere session: borrowing CallerSession, _ who: AuditSubject) {
        // As it is now: with what Cognito said of it.
        guard let entry = machine.readEntry(session.key) else {
            return
        }
        conversation.peer.hangUp()
        let reason = machine.askWhyEnded(entry, session.key)
        finish(
            session.key, who, UnaskedEnd(reason, of: entry, who, on: machine, surroundings.sessions), heard: true)
    }

    /// Revokes what a session leaves that ends unasked, and does what follows for it.
    ///
    /// - Parameter hasHeard: Whether its person knows of it already.
    func finish(
        _ key: RootKey, _ who: AuditSubject, _ consequences: UnaskedEnd<Surroundings.System, Surroundings.Sessions>,
        heard hasHeard: Bool
    ) {
        consequences.tell(whoHasHeard: hasHeard)
        finish(key, who)
        consequences.act(report: report)
    }

    /// Revokes the tokens of a closing session. No client waits for it; the cleanup does the rest.
    ///
    /// - Returns: Whether that was done.
    @discardableResult
    func finish(_ key: RootKey, _ who: AuditSubject) -> Bool {
        conversation.peer.hangUp()
        let ending = SessionEnding(machine: machine).end(
            key, mode: nil, forLock: holderPatience, waiting: Self.signOutLimit, trying: .patient)
        ending.tell(of: who, report: report)
        return if case .left = ending { false } else { true }
    }

    // MARK: Words

    /// The process at the other end, for the log: its number, and its program as far as that is known.
    var client: AuditFields {
        ["process": "\(conversation.peer.process)", "program": .outside(conversation.peer.program)]
    }

    /// Whose process it is, and which.
    private var asker: AuditFields { ["uid": "\(userID)"] + client }

    /// Who it is about, for the log: the session, the one who asked, and the session's token key.
    func subject(_ session: borrowing CallerSession) -> AuditSubject {
        AuditSubject(session.key, session.entry, ["uid": "\(userID)", "key": "\(session.entry.tokenKey)"])
    }

    /// What the administrator has set; nil: that cannot be read, which the client has been told.
    func settings(at path: [UInt8]) -> Settings? {
        do throws(Fault) {
            return try machine.settings(at: path, arguments: [])
        } catch {
            refuse(.configuration, error.line)
            return nil
        }
    }

    /// Takes a turn of a user's; false: there is none, which the client has been told.
    func takesTurn(
        _ charge: Charge, of userID: UInt32, orRefusing why: ByteText, saying words: Phrase? = nil
    ) -> Bool {
        do throws(ErrorNumber) {
            guard try surroundings.takeTurn(charge, of: userID) else {
                refuse(.busy, why, saying: words)
                return false
            }
            return true
        } catch {
            refuse(.internalFault, Self.line(error))
            return false
        }
    }

    /// What keeps turns from being counted, for the log.
    static func line(_ uncounted: ErrorNumber) -> ByteText {
        """
        requests cannot be counted in /run/pam-cognito/counts (errno \(uncounted.code)), so Cognito was not contacted; \
        check the free space: df /run/pam-cognito
        """
    }

    /// Says no, in the usual words or in `words`; with `why`, also in the log.
    func refuse(_ refusal: AgentRefusal, _ why: ByteText? = nil, saying words: Phrase? = nil) {
        if let why {
            surroundings.log(.notice, .event(.requestRefused, asker, reason: refusal.name, text: why))
        }
        var answer = FrameWriter(.refused)
        answer.add(.refusal, refusal)
        answer.add(.text, (words ?? refusal.text).said(in: conversation.language ?? machine.language ?? .english))
        _ = conversation.send(answer)
    }
}

extension HandedToken {
    /// The word in the log.
    fileprivate var word: StaticString {
        switch self {
        case .access: "access"
        case .identity: "id"
        }
    }
}

extension HandOutUse {
    /// The word in the log: the subcommand.
    fileprivate var word: StaticString {
        switch self {
        case .printed: "token"
        case .command: "exec"
        case .kubectl: "kube-credential"
        case .git: "git-credential"
        case .docker: "docker-credential"
        }
    }
}
