// Put together with what the ordinary build's String can do; the module needs none of it.
#if !hasFeature(Embedded)

package enum AccountWording {
    package static let abstract = text("For root: who has an account on this machine from the pool alone.")
    package static let optionShow = text("Show one account.")
    package static let optionLock = text("Lock an account on this machine, whatever the pool says.")
    package static let optionUnlock = text("Open an account again that was locked here.")
    package static let optionForget = text("Forget an account; the files stay, and no other account gets its user id.")
    package static let optionReleaseUID = text("Give back a forgotten account's user id, if nothing has it.")
    package static let notPermitted = text(
        "Only root may see and change accounts. Your own: id, and cognito-session whoami")

    package static let nobody = text("Nobody has an account on this machine from the pool alone.")
    package static let userHeading = text("User")
    package static let numberHeading = text("User id")
    package static let stateHeading = text("State")
    package static let groupsHeading = text("Groups")
    package static let keysHeading = text("ssh keys")
    package static let changedHeading = text("Changed")
    package static let subjectHeading = text("Who at Cognito")
    package static let poolHeading = text("User pool")
    package static let nameHeading = text("Name")
    package static let homeHeading = text("Home")
    package static let shellHeading = text("Shell")
    package static let sourceHeading = text("Source")

    package static let enabled = text("enabled")
    package static let locked = text("locked, as the pool has it")
    package static let barred = text("locked here")
    package static let forgotten = text("forgotten")
    package static let damaged = text("damaged: not believed")

    package static func unknown(_ name: String) -> String {
        text("No account of that name is kept on this machine: '\(name)'. cognito-session accounts lists them.")
    }
    package static func done(locked name: String) -> String {
        text(
            "\(name) is locked on this machine: nobody signs in with that account, and the pool's Unix groups are gone."
        )
            + "\n"
            + text(
                "What runs already goes on. To end it: \(command("cognito-session sessions --end \(shellWord(name))"))")
            + "\n"
    }
    package static func done(unlocked name: String) -> String {
        text("\(name) may come in again.") + "\n"
    }
    package static func granted(_ name: String, in files: String) -> String {
        text("\(name) is still named in \(files): the groups or subordinate ids there are for whoever is called so.")
            + "\n"
            + text("To take them away: take the name out there.") + "\n"
    }
    package static func done(waiting name: String) -> String {
        text(
            "\(name) is not locked by root any more. The next round opens the account, if the pool lets its person in.")
            + "\n"
            + text("To have it now: \(command("cognito-agent accounts sync"))") + "\n"
    }
    package static func done(forgotten name: String, _ uid: UInt32, home: String) -> String {
        text("\(name) has no account on this machine any more. No other account gets the user id \(uid).") + "\n"
            + text("\(home) is still there, and belongs to that user id.") + "\n"
    }
    package static func mayBeReused(_ uid: UInt32) -> String {
        text("useradd may give the user id \(uid) to its next user, and all these files with it.") + "\n"
            + text("To prevent that, give them to somebody else first: \(command("find / -xdev -uid \(uid)"))") + "\n"
    }
    package static func done(removed name: String) -> String {
        text("The damaged record of \(name) is gone; the user id stays kept for that name.") + "\n"
    }
    package static func done(released uids: String, of name: String) -> String {
        text("This machine keeps nothing for \(name) any more. Another account can get the user id \(uids).") + "\n"
    }
    package static func nothingKept(_ name: String) -> String {
        text("No user id is kept for that name: '\(name)'.")
    }
    package static func stillHas(_ uid: UInt32, account name: String) -> String {
        text("Nothing was changed: the account \(name) has the user id \(uid).") + "\n"
            + text("To forget it first: \(command("cognito-session accounts --forget \(shellWord(name))"))")
    }
    package static func stillHas(_ uid: UInt32, process: Int32) -> String {
        text("Nothing was changed: the process \(process) has the user id or group id \(uid).") + "\n"
            + text("To see what it is: \(command("ps -fp \(process)"))")
    }
    package static func stillHas(_ uid: UInt32, file: String) -> String {
        text("Nothing was changed: \(file) belongs to the user id or group id \(uid).") + "\n"
            + text("To find all such files: \(command("find / -xdev '(' -uid \(uid) -o -gid \(uid) ')'"))")
    }
    package static func stillHas(_ uid: UInt32, in file: String) -> String {
        text("Nothing was changed: \(file) has a line about the user id \(uid), or a range that contains it.") + "\n"
            + text("Take that out first.")
    }
    package static func stillNamed(_ name: String, in files: String) -> String {
        text("Nothing was changed: \(name) is still named in \(files), which the next user of that name would get.")
            + "\n"
            + text("Take the name out there first.")
    }
    package static func cannotTell(_ uid: UInt32, _ place: String, _ error: Int32) -> String {
        text(
            "Nothing was changed: \(place) cannot be read (errno \(error)), so the user id \(uid) may be in use there.")
    }
    package static func cannotRead(_ reason: String) -> String {
        text("The accounts of this machine cannot be read: \(reason)")
    }
    package static func cannotWrite(_ reason: String) -> String {
        text("Nothing was changed: \(reason)")
    }
}

#endif
