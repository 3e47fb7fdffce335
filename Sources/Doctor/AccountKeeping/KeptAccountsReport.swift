internal import Accounts
package import Commands
internal import Messages
package import Tokens

/// Accounts as they are shown.
package struct KeptAccountsReport {
    private let entries: [KeptAccounts.KeptEntry]

    package init(_ entries: [KeptAccounts.KeptEntry]) {
        self.entries = entries
    }

    // MARK: For the terminal

    /// A line for each account.
    package func table(_ look: Appearance, localTime: (Int64) -> String) -> String {
        guard !entries.isEmpty else {
            return AccountWording.noManagedAccount + "\n"
        }
        let headings = [
            AccountWording.userHeading, AccountWording.numberHeading, AccountWording.groupsHeading,
            AccountWording.changedHeading, AccountWording.stateHeading,
        ]
        let rows = entries.map { entry in
            switch entry {
            case .damaged(let name): [printable(name), "", "", "", look.bad(AccountWording.damaged)]
            case .record(let record):
                [
                    printable(record.name), "\(record.uid)", record.currentGroups.map(printable).joined(separator: " "),
                    localTime(record.changed),
                    record.state == .enabled ? look.good(record.state.words) : look.warning(record.state.words),
                ]
            }
        }
        return look.table(headings, rows).map { line in line + "\n" }.joined()
    }

    /// All that is known of each.
    package func details(_ look: Appearance, localTime: (Int64) -> String) -> String {
        entries.flatMap { entry -> [String] in
            guard case .record(let record) = entry else {
                return look.row(AccountWording.stateHeading, look.bad(AccountWording.damaged), labels: 18)
            }
            let rows: [(String, String)] = [
                (AccountWording.userHeading, printable(record.name)),
                (AccountWording.numberHeading, "\(record.uid)"),
                (AccountWording.stateHeading, record.state.words),
                (AccountWording.nameHeading, printable(record.realName)),
                (AccountWording.subjectHeading, printable(record.subject)),
                (AccountWording.poolHeading, printable(record.pool)),
                (AccountWording.groupsHeading, record.currentGroups.map(printable).joined(separator: " ")),
                (AccountWording.keysHeading, "\(record.currentKeys.count)"),
                (AccountWording.homeHeading, printable(record.home)),
                (AccountWording.shellHeading, printable(record.shell)),
                (AccountWording.changedHeading, localTime(record.changed)),
                (AccountWording.sourceHeading, "\(record.source.word)"),
            ]
            return rows.flatMap { label, value in value.isEmpty ? [] : look.row(label, value, labels: 18) }
        }.map { line in line + "\n" }.joined()
    }

    // MARK: For a program

    /// The documented, stable form. Times are seconds since the epoch.
    package var json: JSONValue {
        answerObject(.valid, nil, ["accounts": .array(entries.map(object))])
    }

    private func object(_ entry: KeptAccounts.KeptEntry) -> JSONValue {
        guard case .record(let record) = entry else {
            return .object(["user": .string(printable(entry.name)), "state": .string("damaged")])
        }
        func list(_ texts: [[UInt8]]) -> JSONValue { .array(texts.map { text in .string(printable(text)) }) }
        return .object([
            "user": .string(printable(record.name)),
            "uid": .integer(Int64(record.uid)),
            "state": .string("\(record.state.word)"),
            "name": .string(printable(record.realName)),
            "sub": .string(printable(record.subject)),
            "user_pool_id": .string(printable(record.pool)),
            "groups": list(record.currentGroups),
            "ssh_keys": list(record.currentKeys),
            "home": .string(printable(record.home)),
            "shell": .string(printable(record.shell)),
            "changed_at": .integer(record.changed),
            "source": .string("\(record.source.word)"),
        ])
    }
}

extension AccountRecord.State {
    fileprivate var words: String {
        switch self {
        case .enabled: AccountWording.enabled
        case .locked: AccountWording.locked
        case .barred: AccountWording.barred
        case .forgotten: AccountWording.forgotten
        }
    }
}
