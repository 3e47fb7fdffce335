internal import Messages

/// Sentences and commands that several checks share. What an administrator reads is English.
enum DoctorWording {
    static func lookUp(_ database: String, _ name: String) -> String {
        "getent \(database) \(shellWord(name))   # /etc/nsswitch.conf says where names come "
            + "from: look for it there"
    }
    static let timerWhy =
        "Sessions that ended badly are not ended at Cognito, and nobody notices those that were ended elsewhere."
    static func unitDisabled(_ unit: String) -> String {
        "\(unit) runs, and will not when the machine has started again: it is disabled."
    }
    static func enable(_ unit: String) -> String { "systemctl enable \(unit)" }
    static func start(_ unit: String) -> String { "systemctl enable --now \(unit)" }
    static let configurationWhy =
        "Until that is corrected, no managed account signs in with Cognito. Root and local "
        + "accounts sign in as before."
    static func refusedAccounts(_ names: [String]) -> String {
        "These accounts are refused because of that: \(peopleSummary(names, most: 20))."
    }
    static func openedAccounts(_ names: [String]) -> String {
        "Their local password alone opens these accounts because of that: \(peopleSummary(names, most: 20))."
    }
    static func perhapsOpenedAccounts(_ names: [String]) -> String {
        "Their local password alone opens these accounts, even if they are meant to be managed "
            + "accounts: \(peopleSummary(names, most: 20))."
    }
    static func edit(_ path: String, line: Int?) -> String {
        "editor \(line.map { number in "+\(number) " } ?? "")\(shellWord(path))"
    }
    static func setOption(_ name: String, _ value: String) -> String {
        "/etc/security/pam_cognito.conf: \(name) = \(value)"
    }
    static let keySetWhy =
        "Tokens are verified by the keys in key_set_file alone. If one is missing, sign-ins and renewals fail."
    static func fetchKeySet(_ address: String, to path: String) -> String {
        "curl -sSfo \(shellWord(path)) \(shellWord(address))   # or on a machine that reaches "
            + "this address, then copy it; root:root, mode 0644"
    }
    static let noKeysWhy =
        "Sessions that a crash left are not ended: their tokens live until they expire."
    static let openKeysWhy =
        "Somebody else than root has this machine's keys there, and can sign everybody in the user pool out."
    static func fileFault(_ path: String, _ fault: String) -> String {
        "\(path) \(fault)."
    }
    static let fileMissing = "is not there"
    static let fileNotRegular = "is no regular file"
    static let fileNoFolder = "is no folder"
    static let fileWrongOwner = "does not belong to root"
    static let fileWritable = "can be changed by others than root"
    static let fileReadable = "can be read by others than root"
    static func fileUnreadable(_ error: Int32) -> String { "cannot be read (errno \(error))" }
    static let fileEmpty = "is empty"
    static func own(_ path: String, mode: String) -> String {
        "chown root:root \(shellWord(path)) && chmod \(mode) \(shellWord(path))"
    }
    static func inspect(_ path: String) -> String { "ls -ld \(shellWord(path))" }
    static let reinstall = "apt install --reinstall ./pam-cognito_*.deb   # with the file it was installed from"
    static let workerWhy = "Nobody else speaks with Cognito: none of its accounts can sign in."
    static let agentWhy =
        "Sessions that ended badly are not ended at Cognito, and nobody can renew or sign out."
    static let programWhy = "Whoever can change it has every password that is typed, and this machine."
    static let journalFolderWhy =
        "Who has open sessions is in there; pam_cognito does not use a folder that is not root's alone."
    static let runFolderWhy =
        "Key sets, locks and the agent's socket have no place, and the switch that turns "
        + "pam_cognito off cannot be set."
    static let runFolderForeignWhy =
        "Somebody else than root can turn Cognito off there, or take the agent's place; "
        + "pam_cognito does not use it."
    static let workerAccountWhy =
        "Workers speak with Cognito as that account and nothing else; without it none of "
        + "Cognito's accounts can sign in."
    static let workerAccountLoginWhy = "Nobody is meant to be that account: it would see workers' memory."
    static func makeWorkerAccount(_ name: String) -> String {
        "useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin \(name)"
    }
    static let allowKeyrings = allowCalls("keyctl, add_key")
    /// Who may change the filter is outside of what it is around.
    static func allowCalls(_ calls: String) -> String {
        "docker run --security-opt seccomp=PROFILE ...   # PROFILE must allow \(calls); other "
            + "containers: SECURITY.md, Containers"
    }
    static let layerWhy = "A fault in what reads from the network would reach further than that one process."
    /// With what is on every machine that has CA certificates; curl need not be, and only it knows all kinds of proxies.
    static func tryReaching(_ host: String, proxy: String?) -> String {
        guard let proxy else {
            return "openssl s_client -connect \(host.contains(":") ? host : "\(host):443") </dev/null"
        }
        return "curl -v --proxy \(proxy) https://\(host)/"
    }
    static func cognitoSummary(
        _ host: String, _ address: String, milliseconds: Int64, parts: (name: Int64, connect: Int64, tls: Int64),
        issuer: String, expires: String, clockAhead: Int64?, keys: Int64, proxy: String?, publicKey: String?,
        isPinned: Bool, isAccepted: Bool, tokenIssuer: (type: String, address: String)?
    ) -> String {
        let place = proxy.map { proxy in "\(address) through the proxy \(proxy)" } ?? address
        let key = publicKey.map { key in
            isPinned ? ", public key \(key), which is pinned" : ", public key \(key)"
        }
        let clock = clockAhead.map { seconds in ", clock \(seconds) s ahead" }
        let client =
            isAccepted
            ? "; client id, secret and flow are accepted"
            : "; client id, secret and flow show in a sign-in only"
        let tokens =
            tokenIssuer.map { issuer in "; issuer type \(issuer.type): \(issuer.address)" }
            ?? "; the issuer type shows in a sign-in only"
        let more = (key ?? "") + (clock ?? "")
        return
            "\(host) answered in \(milliseconds) ms (name \(parts.name), connection "
            + "\(parts.connect), TLS \(parts.tls)) at \(place), certificate by \(issuer) until "
            + "\(expires)\(more), \(keys) keys" + client
            + tokens
    }
    static let noSignInWhy = "Cognito refuses everybody so, whatever password they give."
    static let setClock = "timedatectl set-ntp true   # needs systemd-timesyncd, chrony or another such service"
    static func findModule(_ module: String, _ file: String, _ line: Int) -> String {
        let name = module.split(separator: "/").last.map(String.init) ?? module
        return "apt-file search \(shellWord("/security/\(name)"))   # install it; if nobody needs it, "
            + "remove line \(line) of \(file)"
    }
    static func copy(_ file: String, to path: String) -> String { "cp -n \(file) \(path)" }
    static func compare(_ path: String, _ shipped: String) -> String {
        "diff \(path) \(shipped)   # take over the second; keep lines of your own, and a root shell open"
    }
    static func unreadableInclude(_ file: String) -> String {
        "it includes \"\(file)\", which is not there"
    }
    static func sshSummary(grace: String, offersBoth: Bool) -> String {
        let said = "asks through PAM, keyboard-interactive, LoginGraceTime \(grace)"
        return offersBoth
            ? said + "; better with PasswordAuthentication no, see pam_cognito(8)" : said
    }
    static func sshRefused(_ words: String) -> String {
        "sshd does not accept its configuration: \(words)"
    }
    static let sshRefusedWhy = "It will not start again, and nobody can sign in over the network."
    static let sshTest = "/usr/sbin/sshd -t"
    static let sshKeepsOutWhy =
        "They may give the right password and are turned away all the same: only whom its lists "
        + "let in comes in over ssh."
    static func peopleSummary(_ names: [String], most: Int = 10) -> String {
        let shown = names.prefix(most).joined(separator: ", ")
        return names.count > most ? "\(shown) and \(names.count - most) more" : shown
    }
    static func noGroup(_ group: String) -> String {
        "unix_group names \(group), which is no group of this machine."
    }
    static let noGroupWhy =
        "Whose account is Cognito's cannot be told: none can sign in that users does not name."
    static func makeGroup(_ group: String) -> String {
        "groupadd \(shellWord(group))   # or put the name right in /etc/security/pam_cognito.conf"
    }
    static func makeUser(_ name: String) -> String {
        "useradd --create-home -K PASS_MAX_DAYS=-1 \(shellWord(name))"
    }
    static func lockPassword(_ name: String) -> String { "usermod --password '!' \(shellWord(name))" }
    static func agedPassword(_ names: String) -> String {
        "This machine wants a new password of its own of: \(names)."
    }
    static func unage(_ names: [String]) -> String {
        each(names, "chage --maxdays -1 --lastday \"$(date +%F)\"")
    }
    static func setShell(_ names: [String]) -> String { each(names, "usermod --shell /bin/bash") }
    static func each(_ names: [String], _ line: String) -> String {
        names.map { name in "\(line) \(shellWord(name))" }.joined(separator: "; ")
    }
    static func tooManyFailures(
        _ name: String, _ most: Int64, _ seconds: Int64, _ caller: UInt32
    ) -> (what: String, why: String) {
        let who = caller == 0 ? "from the network or the console" : "by uid \(caller)"
        return (
            "\(name) was tried \(most) times or more, \(who), without success.",
            "pam_cognito asks Cognito no more (max_failures), for \(seconds) s at most."
        )
    }
    static func tooManyCodes(
        _ name: String, _ most: Int64, _ seconds: Int64, _ caller: UInt32
    ) -> (what: String, why: String) {
        let who = caller == 0 ? "from the network or the console" : "by uid \(caller)"
        return (
            "Cognito has sent \(most) codes or more for \(name), asked for \(who), that were not entered.",
            "pam_cognito has no more sent (max_failures), for \(seconds) s at most."
        )
    }
    static let noAccountsWhy =
        "The people of the pool have no account, or not their groups: sshd turns them away "
        + "before anybody is asked."
    static let noRoundsWhy =
        "Accounts stay as they are: who comes into the pool has none here, and who leaves it "
        + "keeps theirs, with their ssh keys."
    static func showAccount(_ name: String) -> String {
        "cognito-session accounts --show \(shellWord(name)); getent passwd \(shellWord(name)); "
            + "getent group \(shellWord(name))"
    }
}
