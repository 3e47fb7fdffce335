// Put together with what the ordinary build's String can do; the module needs none of it.
#if !hasFeature(Embedded)

package enum AccountWording {
    package static let abstract = text("Root only: list the accounts on this machine that come from the user pool.")
    package static let optionShow = text("Show the account of this user.")
    package static let optionLock = text(
        "Lock an account on this machine, even if the account is enabled in the user pool.")
    package static let optionUnlock = text("Unlock an account that was locked on this machine.")
    package static let optionForget = text(
        "Remove an account from this machine. The account's files are kept, and the user id stays reserved.")
    package static let optionReleaseUID = text("Release the unused user id of a removed account.")
    package static let notPermitted = text(
        "Only root may view or change accounts. To view your own account, run 'id' and 'cognito-session whoami'.")

    package static let noManagedAccount = text("No account on this machine comes from the user pool.")
    package static let userHeading = text("User")
    package static let numberHeading = text("User id")
    package static let stateHeading = text("State")
    package static let groupsHeading = text("Groups")
    package static let keysHeading = text("ssh keys")
    package static let changedHeading = text("Changed")
    package static let subjectHeading = text("Cognito user")
    package static let poolHeading = text("User pool")
    package static let nameHeading = text("Name")
    package static let homeHeading = text("Home")
    package static let shellHeading = text("Shell")
    package static let sourceHeading = text("Source")

    package static let enabled = text("enabled")
    package static let locked = text("locked by the user pool")
    package static let barred = text("locked on this machine")
    package static let forgotten = text("forgotten")
    package static let damaged = text("damaged: not trusted")

    package static func unknown(_ name: String) -> String {
        text(
            "No account named '\(name)' has a record on this machine. To list the accounts, run 'cognito-session "
                + "accounts'.")
    }
    package static func done(locked name: String) -> String {
        let end = command("cognito-session sessions --end \(shellWord(name))")
        let locked = text(
            "\(name) is locked on this machine: the account cannot sign in, and it has no Unix groups from the pool.")
        return "\(locked)\n\(text("Programs of the account keep running. To end these programs: \(end)"))\n"
    }
    package static func done(unlocked name: String) -> String {
        text("\(name) can sign in again.") + "\n"
    }
    package static func granted(_ name: String, in files: String) -> String {
        text(
            "\(name) is still listed in \(files). Any user with that name gets the groups or subordinate ids that "
                + "these files list.")
            + "\n"
            + text("To remove these groups and ids, delete the user's name from the files.") + "\n"
    }
    package static func done(waiting name: String) -> String {
        text(
            "\(name) is no longer locked by root. The next synchronization unlocks the account if the user pool "
                + "admits the user.")
            + "\n"
            + text("To synchronize immediately: \(command("cognito-agent accounts sync"))") + "\n"
    }
    package static func done(forgotten name: String, _ uid: UInt32, home: String) -> String {
        text("\(name) no longer has an account on this machine. No other account will get the user id \(uid).") + "\n"
            + text("\(home) still exists and belongs to the reserved user id.") + "\n"
    }
    package static func mayBeReused(_ uid: UInt32) -> String {
        text(
            "useradd may assign the user id \(uid) to a new user, who would then own all files of this "
                + "account.") + "\n"
            + text("Find the account's files and change their owner: \(command("find / -xdev -uid \(uid)"))")
            + "\n"
    }
    package static func done(removed name: String) -> String {
        text("The damaged record of \(name) was removed. The user id stays reserved for that user name.") + "\n"
    }
    package static func done(released uids: String, of name: String) -> String {
        text(
            "No user id is reserved for \(name) on this machine any more. The user id \(uids) can now be assigned to "
                + "another account.") + "\n"
    }
    package static func nothingKept(_ name: String) -> String {
        text("No user id is reserved for the name '\(name)'.")
    }
    package static func stillHas(_ uid: UInt32, account name: String) -> String {
        text("Nothing was changed: the account \(name) has the user id \(uid).") + "\n"
            + text("First remove the account: \(command("cognito-session accounts --forget \(shellWord(name))"))")
    }
    package static func stillHas(_ uid: UInt32, process: Int32) -> String {
        text("Nothing was changed: process \(process) has the user id or group id \(uid).") + "\n"
            + text("To see that process: \(command("ps -fp \(process)"))")
    }
    package static func stillHas(_ uid: UInt32, file: String) -> String {
        text("Nothing was changed: \(file) belongs to the user id or group id \(uid).") + "\n"
            + text(
                "To find files of this owner or group: \(command("find / -xdev '(' -uid \(uid) -o -gid \(uid) ')'"))")
    }
    package static func stillHas(_ uid: UInt32, in file: String) -> String {
        text(
            "Nothing was changed: \(file) has a line for the user id \(uid), or a range that contains that "
                + "user id.") + "\n"
            + text("Remove the line or the range first.")
    }
    package static func stillNamed(_ name: String, in files: String) -> String {
        text(
            "Nothing was changed: \(name) is still listed in \(files), so the next user with that name would get the "
                + "groups or subordinate ids in these files.")
            + "\n"
            + text("First remove the name from these files.")
    }
    package static func cannotTell(_ uid: UInt32, _ place: String, _ error: Int32) -> String {
        text(
            "Nothing was changed: \(place) cannot be read (errno \(error)), so the user id \(uid) may still be in use.")
    }
    package static func cannotRead(_ reason: String) -> String {
        text("The account records of this machine cannot be read: \(reason)")
    }
    package static func cannotWrite(_ reason: String) -> String {
        text("Nothing was changed: \(reason)")
    }
}

#endif
