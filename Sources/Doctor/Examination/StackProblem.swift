internal import Messages

/// What is wrong with a service's stacks.
enum StackProblem: Hashable {
    case unreadable(Place, String)
    /// A module of others is not there; how bad what follows from it is.
    case missesModule(Place, String, Severity)
    /// Somebody gets in who has not proved anything.
    case letsAnybodyIn
    /// This machine's password opens an account although Cognito refused the person.
    case overridesRefusal
    /// Whoever starts the program with too little memory for the module gets by without it.
    case opensUnloaded(Facility)
    /// Local accounts or root stay out.
    case locksLocalOut(Facility, Condition)
    case locksCognitoOut(Facility)
    /// pam_setcred(3) fails, which sshd and others take for a failed login.
    case refusesCredentials
    case ignoresLockout
    case checksLockoutLate
    case countsNoFailures
    case countsOutages
    case neverForgetsFailures
    case countsInFiles
    case letsExpiredIn(isSkipped: Bool)
    /// Cognito's accounts stay out whose entry in shadow(5) wants a new password, which they do not have here.
    case keepsAgedOut
    case skipsNologin
    case acceptsKeys
    case hasNoAuth
    case hasNoSession
    case hasNoAccount
    case hasNoPassword
    case cutsShort(Facility)
    case losesKeyring(Place)
    case hasNoKeyring
    case keepsKeyring(Place)
    case ignoresUndelivered
    case changesNoPassword
    /// A module that asks for a new password does so before Cognito's own question for one.
    case asksForNewFirst(String)
    case isTwice(Facility)
    case badArgument(Place, Facility, String)
    case usesOtherFile(String)
    /// The file that `config=` names is not read, or has a mistake.
    case badFile(Place, Facility, Finding)

    var severity: Severity {
        switch self {
        case .unreadable, .letsAnybodyIn, .overridesRefusal, .locksCognitoOut, .refusesCredentials, .skipsNologin,
            .acceptsKeys, .hasNoAuth, .hasNoSession:
            .broken
        case .missesModule(_, _, let severity): severity
        case .locksLocalOut(_, let condition): condition == .removed ? .warning : .broken
        case .letsExpiredIn(let isSkipped): isSkipped ? .broken : .warning
        case .badArgument(_, let facility, _), .badFile(_, let facility, _):
            // What is said on the other lines, and in the file for them, is lost; whoever signs in does not notice.
            facility == .auth ? .broken : facility == .password ? .warning : .note
        case .ignoresLockout, .checksLockoutLate, .countsNoFailures, .countsOutages, .neverForgetsFailures,
            .countsInFiles, .cutsShort,
            .keepsAgedOut, .losesKeyring, .opensUnloaded, .hasNoKeyring, .changesNoPassword, .hasNoPassword, .isTwice:
            .warning
        case .keepsKeyring, .ignoresUndelivered, .hasNoAccount, .usesOtherFile, .asksForNewFirst: .note
        }
    }

    /// Whether there is something to be done about it though it is a note.
    var isMendable: Bool {
        if case .asksForNewFirst = self {
            return true
        }
        return false
    }

    /// What is told of it: what, and why it matters.
    func text(_ services: String) -> (what: String, why: String) {
        switch self {
        case .unreadable(let place, let problem):
            DoctorWording.unreadableLine(services, place.path, place.line, problem)
        case .missesModule(let place, let module, let severity):
            DoctorWording.missesModule(services, place.path, place.line, module, isPassedOver: severity == .note)
        case .letsAnybodyIn: DoctorWording.letsAnybodyIn(services)
        case .opensUnloaded(let facility): DoctorWording.opensUnloaded(services, isAccount: facility == .account)
        case .overridesRefusal: DoctorWording.overridesRefusal(services)
        case .locksLocalOut(let facility, let condition):
            DoctorWording.locksLocalOut(services, facility.rawValue, condition.words)
        case .locksCognitoOut(let facility): DoctorWording.locksCognitoOut(services, facility.rawValue)
        case .refusesCredentials: DoctorWording.refusesCredentials(services)
        case .ignoresLockout: DoctorWording.ignoresLockout(services)
        case .checksLockoutLate: DoctorWording.checksLockoutLate(services)
        case .countsNoFailures: DoctorWording.countsNoFailures(services)
        case .countsOutages: DoctorWording.countsOutages(services)
        case .neverForgetsFailures: DoctorWording.neverForgetsFailures(services)
        case .countsInFiles: DoctorWording.countsInFiles(services)
        case .letsExpiredIn(let isSkipped): DoctorWording.letsExpiredIn(services, isSkipped)
        case .keepsAgedOut: DoctorWording.keepsAgedOut(services)
        case .skipsNologin: DoctorWording.skipsNologin(services)
        case .acceptsKeys: DoctorWording.acceptsKeys(services)
        case .hasNoAuth: DoctorWording.hasNoAuth(services)
        case .hasNoSession: DoctorWording.hasNoSession(services)
        case .hasNoAccount: DoctorWording.hasNoAccount(services)
        case .hasNoPassword: DoctorWording.hasNoPassword(services)
        case .cutsShort(let facility): DoctorWording.cutsShort(services, facility.rawValue)
        case .losesKeyring(let place): DoctorWording.losesKeyring(services, place.path, place.line)
        case .hasNoKeyring: DoctorWording.hasNoKeyring(services)
        case .keepsKeyring(let place): DoctorWording.keepsKeyring(services, place.path, place.line)
        case .ignoresUndelivered: DoctorWording.ignoresUndelivered(services)
        case .changesNoPassword: DoctorWording.changesNoPassword(services)
        case .asksForNewFirst(let module): DoctorWording.asksForNewFirst(services, module)
        case .isTwice(let facility): DoctorWording.isTwice(services, facility.rawValue)
        case .badArgument(let place, let facility, let finding):
            DoctorWording.badArgument(services, place.path, place.line, facility.rawValue, finding)
        case .usesOtherFile(let path): DoctorWording.usesOtherFile(services, path)
        case .badFile(let place, let facility, let fault):
            DoctorWording.badFile(services, place.path, place.line, facility.rawValue, fault.what)
        }
    }
}

extension Condition {
    fileprivate var words: String? {
        switch self {
        case .reachable: nil
        case .unreachable: DoctorWording.whileUnreachable
        case .misconfigured: DoctorWording.whileMisconfigured
        case .switchedOff: DoctorWording.whileSwitchedOff
        case .removed: DoctorWording.whileRemoved
        }
    }
}
