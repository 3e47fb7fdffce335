// The names are those that PAM looks for.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CPAM
import Sessions

// The six functions that pam(3) calls. Nothing is decided here: `Sessions` decides.

/// The module arguments.
public typealias Arguments = UnsafeMutablePointer<UnsafePointer<CChar>?>

/// pam_sm_authenticate(3).
@c @implementation
public func pam_sm_authenticate(_ pamh: OpaquePointer!, _ flags: CInt, _ argc: CInt, _ argv: Arguments!) -> CInt {
    unsafe withHooks(pamh, flags, "auth", argc, argv) { hooks in hooks.authenticate() }
}

/// pam_sm_setcred(3).
@c @implementation
public func pam_sm_setcred(_ pamh: OpaquePointer!, _ flags: CInt, _ argc: CInt, _ argv: Arguments!) -> CInt {
    unsafe withHooks(pamh, flags, "setcred", argc, argv) { hooks in
        hooks.setCredentials(
            deleting: flags & CInt(PAM_DELETE_CRED) != 0,
            renewing: flags & CInt(PAM_REINITIALIZE_CRED | PAM_REFRESH_CRED) != 0)
    }
}

/// pam_sm_acct_mgmt(3).
@c @implementation
public func pam_sm_acct_mgmt(_ pamh: OpaquePointer!, _ flags: CInt, _ argc: CInt, _ argv: Arguments!) -> CInt {
    unsafe withHooks(pamh, flags, "account", argc, argv) { hooks in hooks.checkAccount() }
}

/// pam_sm_open_session(3).
@c @implementation
public func pam_sm_open_session(_ pamh: OpaquePointer!, _ flags: CInt, _ argc: CInt, _ argv: Arguments!) -> CInt {
    unsafe withHooks(pamh, flags, "session", argc, argv) { hooks in hooks.openSession() }
}

/// pam_sm_close_session(3).
@c @implementation
public func pam_sm_close_session(_ pamh: OpaquePointer!, _ flags: CInt, _ argc: CInt, _ argv: Arguments!) -> CInt {
    unsafe withHooks(pamh, flags, "session", argc, argv) { hooks in hooks.closeSession() }
}

/// pam_sm_chauthtok(3).
@c @implementation
public func pam_sm_chauthtok(_ pamh: OpaquePointer!, _ flags: CInt, _ argc: CInt, _ argv: Arguments!) -> CInt {
    unsafe withHooks(pamh, flags, "chauthtok", argc, argv) { hooks in
        hooks.changePassword(
            flags & CInt(PAM_PRELIM_CHECK) != 0 ? .preliminary : .update,
            onlyIfExpired: flags & CInt(PAM_CHANGE_EXPIRED_AUTHTOK) != 0
        )
    }
}
