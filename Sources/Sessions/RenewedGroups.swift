import Accounts
import Base
import Configuration
import Protocol

/// What the log is to be told of a renewal beside that it was one.
package struct RenewalNote: Equatable {
    package let line: LogLine
    /// Whether it is a fault.
    package let isFault: Bool
}

extension Machine {
    /// Puts a user who has an account by sign-ins (`accounts = sign-in`) into the Unix groups that the Cognito groups
    /// of new tokens stand for; nil: nothing changed, or it does not apply.
    ///
    /// Processes with a lost group run until the next cleanup.
    func renewGroups(_ renewed: borrowing Frame, of entry: borrowing RegistryEntry) -> RenewalNote? {
        let user = entry.user
        do throws(Fault) {
            let settings = try settings(at: entry.configuration, arguments: [])
            guard settings.accounts == .signIn, let subject = renewed.bytes(.subject),
                let account = try account(named: user), let own = try ownAccount(user, account, .right(settings)),
                own.state == .enabled, own.person == AccountRecord.Owner(subject: subject, pool: entry.userPoolID)
            else {
                return nil
            }
            let groups = settings.groupMap.unixGroups(of: renewed.list(.group))
            guard own.groups != groups else {
                return nil
            }
            let fields: AuditFields = [
                "user": .outside(user), "uid": "\(account.uid)", "before": "\(list: own.groups)",
                "now": "\(list: groups)", "source": "renewal",
            ]
            do throws(Fault) {
                try enterGroups(groups, of: user)
            } catch {
                let rest: ByteText = "The user's Unix groups stay unchanged until the next renewal or sign-in"
                return RenewalNote(
                    line: .event(.groupsNotChanged, fields, text: "\(error.line). \(rest)"), isFault: true)
            }
            return RenewalNote(line: .event(.groupsChanged, fields), isFault: false)
        } catch {
            return RenewalNote(
                line: .event(.groupsNotChanged, ["user": .outside(user), "source": "renewal"], text: error.line),
                isFault: true)
        }
    }
}
