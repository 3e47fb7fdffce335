internal import Accounts
internal import Base
package import Commands
internal import Messages

/// `cognito-session accounts`: does what was asked for, and says it.
package func keepAccounts(_ invocation: Invocation, in accounts: KeptAccounts) throws(Refusal) -> ExitCode {
    let changes: [(Option, AccountRecord.State?)] = [
        (.lock, .barred), (.unlock, .enabled), (.forget, .forgotten), (.releaseUID, nil),
    ]
    for (option, state) in changes {
        guard let name = invocation.text(option) else {
            continue
        }
        let text =
            if let state {
                try accounts.set(state, of: name, at: secondsSinceEpoch())
            } else {
                try accounts.releaseUserIDs(of: name)
            }
        try invocation.answer(answerObject(.valid, text), text, afterChange: true)
        return .valid
    }
    let one = invocation.text(.show)
    let entries = if let one { [try accounts.entry(named: one)] } else { try accounts.all() }
    let report = KeptAccountsReport(entries)
    try invocation.answer(
        report.json,
        one == nil
            ? report.table(.current, localTime: localTime) : report.details(.current, localTime: localTime))
    return .valid
}
