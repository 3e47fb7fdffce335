import Accounts
import Base
import Configuration
import Messages
import Protocol

// Accounts that this machine has from the pool alone: whose they are, and who gets one.
extension Hooks {
    /// Returns the reason why an account that this machine has from the pool alone is refused, whatever the user has
    /// proved, or why it belongs to another user; nil: the user is admitted, or there is no record. The pool can give a
    /// name to another user, who would own the user's files of the earlier one.
    ///
    /// - Parameter subject: The `sub` that was proved; nil: the session's own user, whom root's registry knows.
    func refusalByRecord(
        _ user: [UInt8], subject: [UInt8]?, _ settings: Settings
    ) -> AuditReason? {
        let own: OwnAccount
        do throws(Fault) {
            guard settings.accounts != .none, let account = try machine.account(named: user),
                let found = try machine.ownAccount(user, account, .right(settings))
            else {
                return nil
            }
            own = found
        } catch {
            return AuditReason("record", error.line)
        }
        if let refusal = own.refusal(of: user) {
            return refusal
        }
        guard let known = own.person, let subject,
            known != AccountRecord.Owner(subject: subject, pool: settings.userPoolID)
        else {
            return nil
        }
        return AuditReason(
            "other_person",
            """
            Cognito accepted this user, sub \(quoting: subject) of user pool \(settings.userPoolID), but the account \
            belongs to an earlier user of this name, sub \(quoting: known.subject) of user pool \
            \(quoting: known.pool). To remove the account, run 'cognito-session accounts --forget \(user)'
            """)
    }

    /// With accounts = sign-in, a user who signs in for the first time gets the account under which they were asked.
    ///
    /// The application has taken its user id before the user was asked. If the verified one differs, the account can be
    /// used from the next sign-in on.
    func enterAccount(
        _ signedIn: borrowing Frame, _ user: [UInt8], _ settings: Settings
    ) throws(PAMRefusal) {
        guard settings.accounts != .none else {
            return
        }
        let given: UInt32
        let own: OwnAccount
        var entry: AccountRecord?
        do throws(Fault) {
            guard let account = try machine.account(named: user),
                let known = try machine.ownAccount(user, account, .right(settings))
            else {
                return
            }
            (given, own) = (account.uid, known)
            if settings.accounts == .signIn, own.state == .forgotten, staleConnection(own, user) == nil {
                entry = try machine.enterNewcomer(try newcomer(signedIn, user, given, settings), settings)
            }
        } catch {
            logFailure(
                user, .signIn, reason: "no_account", "Cognito accepted this user, but \(error.line)", .error,
                saying: Wording.noAccount)
            throw .permissionDenied
        }
        guard let entered = entry else {
            try refuseStaleConnection(own, user)
            try renewGroups(own, signedIn, user, given, settings)
            return tellOfKeys(own, user, signingIn: true)
        }
        host.log(
            .notice,
            .event(
                .accountEntered,
                [
                    "user": .outside(user), "uid": "\(entered.uid)", "groups": "\(list: entered.groups)",
                    "source": "sign-in",
                ]))
        guard entered.uid == given else {
            logFailure(
                user, .signIn, reason: "new_account",
                """
                \(host.service) looked up the user id \(given), but the correct user id is \(entered.uid). \
                The next sign-in uses the correct user id
                """, saying: Wording.accountMade)
            throw .tryAgain
        }
    }

    /// Tells the user that other ssh keys open the account than before: with a stolen access token one can be planted
    /// if the app client may write the attribute.
    func tellOfKeys(_ own: OwnAccount, _ user: [UInt8], signingIn isSignIn: Bool) {
        guard let record = own.record, record.isKeyChangeNews(at: machine.time, signingIn: isSignIn) else {
            return
        }
        say(Wording.keysChanged, filling: ("\(record.keys.count)" as ByteText).bytes)
        if isSignIn, record.keysTold == 0 {
            machine.noteKeysTold(user)
        }
    }

    /// Puts a user who has signed in before into the Unix groups that their Cognito groups stand for now, before the
    /// session begins.
    private func renewGroups(
        _ own: OwnAccount, _ signedIn: borrowing Frame, _ user: [UInt8], _ uid: UInt32, _ settings: Settings
    ) throws(PAMRefusal) {
        let groups = settings.groupMap.unixGroups(of: signedIn.list(.group))
        guard settings.accounts == .signIn, own.state == .enabled, own.groups != groups else {
            return
        }
        do throws(Fault) {
            try machine.enterGroups(groups, of: user)
            host.log(
                .notice,
                .event(
                    .groupsChanged,
                    [
                        "user": .outside(user), "uid": "\(uid)", "before": "\(list: own.groups)",
                        "now": "\(list: groups)", "source": "sign-in",
                    ]))
        } catch {
            guard own.groups.allSatisfy(groups.contains) else {
                logFailure(
                    user, .signIn, reason: "groups",
                    "Cognito accepted this user, who now has fewer groups than before, but \(error.line)", .error,
                    saying: Wording.noAccount)
                throw .permissionDenied
            }
            host.log(
                .error,
                .event(
                    .groupsNotChanged, ["user": .outside(user), "uid": "\(uid)", "now": "\(list: own.groups)"],
                    text: error.line))
        }
    }

    /// Returns the reason why a user must start a new connection: sshd and su keep the user id that the name had when
    /// they began. The account may have had another one since, or have belonged to another user.
    func staleConnection(_ own: OwnAccount, _ user: [UInt8]) -> AuditReason? {
        // A time in the future comes from a clock that has been set back since: it must not refuse the user until then.
        guard let changed = own.changed, changed / 1000 <= machine.time else {
            return nil
        }
        let service = host.service
        let began: Int64?
        if ("sshd" as StaticString).equals(service) {
            began = machine.sessionBegan
        } else if ("su" as StaticString).equals(service) || ("su-l" as StaticString).equals(service) {
            began = machine.processBegan
        } else {
            return nil
        }
        if let began, began > changed + staleness {
            return nil
        }
        return AuditReason(
            "new_account",
            """
            \(service) may have looked up the user id of \(quoting: user) before the account was last changed. A new \
            connection uses the correct user id
            """)
    }

    private func refuseStaleConnection(_ own: OwnAccount, _ user: [UInt8]) throws(PAMRefusal) {
        if let reason = staleConnection(own, user) {
            logFailure(user, .signIn, reason: reason.word, reason.text, saying: Wording.accountMade)
            throw .tryAgain
        }
    }

    /// The sign-in's data of a user who has no account here yet.
    private func newcomer(
        _ signedIn: borrowing Frame, _ user: [UInt8], _ uid: UInt32, _ settings: Settings
    ) throws(Fault) -> AccountRecord {
        var record = AccountRecord(
            name: user, subject: signedIn.bytes(.subject) ?? [], source: .signIn, settings: settings)
        record.realName = AccountRecord.presentable(realName: signedIn.bytes(.realName) ?? [])
        record.uid = uid
        record.groups = settings.groupMap.unixGroups(of: signedIn.list(.group))
        if settings.accountUIDClaim != nil {
            guard let claimed = signedIn.bytes(.uidClaim).flatMap(userID(claimed:)) else {
                throw Fault(
                    """
                    the ID token has no number in the claim that account_uid_claim specifies. Set the attribute in \
                    the pool, and allow the app client to read it, but not to write it
                    """)
            }
            record.uid = claimed
        }
        return record
    }
}

extension OwnAccount {
    /// Returns the reason why it is refused, whatever was proved; nil: its own user is admitted.
    func refusal(of user: [UInt8]) -> AuditReason? {
        if let contest {
            return AuditReason("known_elsewhere", contest)
        }
        return switch state {
        case .barred:
            AuditReason(
                "barred",
                """
                root has locked the account on this machine; to unlock the account, run \
                'cognito-session accounts --unlock \(user)'
                """)
        // Whether the pool admits the user, Cognito says at the sign-in.
        case .enabled, .locked, .forgotten, nil: nil
        }
    }
}

/// How much later than a record a connection must have begun, in milliseconds, to have seen it for certain: files are
/// dated by the kernel's last tick (up to 10), and both moments are cut to whole milliseconds.
private let staleness: Int64 = 12
