// The tool's texts are put together with what the ordinary build's String can do; the module needs none of them.
#if !hasFeature(Embedded)

/// Every text of `cognito-session doctor` that a person can see, in one place.
package enum DoctorWording {
    // MARK: The report

    package static let abstract = text("Find out what is wrong with this machine's set-up, as root.")
    package static let optionConfig = text("Another configuration file than /etc/security/pam_cognito.conf.")
    package static func notAFile(_ option: String, _ value: String) -> String {
        text("'\(value)' is no path for '\(option)'.")
    }
    package static let statusWarnings = text("doctor: it works, and something should be fixed.")
    package static let statusBroken = text("doctor: somebody cannot sign in who should, or can who should not.")
    package static let notRoot =
        text("The doctor looks at files and keys that only root may see. Run it as root: sudo cognito-session doctor.")

    package static let areaMachine = text("Machine")
    package static let areaConfiguration = text("Configuration")
    package static let areaFiles = text("Files")
    package static let areaAccount = text("Worker account")
    package static let areaKeyrings = text("Keyrings")
    package static let areaAgent = text("Agent")
    package static let areaStacks = text("PAM stacks")
    package static let areaSSH = text("sshd")
    package static let areaWorker = text("Worker")
    package static let areaCognito = text("Cognito")
    package static let areaPeople = text("People")

    package static let severityNote = text("Note")
    package static let severityWarning = text("Warning")
    package static let severityBroken = text("Broken")
    /// Before the reason and the remedy of a finding.
    package static let why = text("Why")
    package static let fix = text("Fix")
    /// How many findings an area has, beyond notes.
    package static func faults(_ count: Int) -> String {
        plural(Int64(count), one: "\(count) thing to fix", other: "\(count) things to fix")
    }

    // MARK: The machine

    package static let machineSummary = text("room in /run, /var and /var/log, a log, names, and open to people")
    package static func readOnly(_ path: String) -> String { text("\(path) is read-only.") }
    package static func full(_ path: String) -> String { text("\(path) is full.") }
    package static let noRunRoomWhy = text(
        "Locks, key sets and counts have no place: sign-ins are slow or refused, and sessions are not renewed. cognito-session sign-out works."
    )
    package static let noStateRoomWhy = text(
        "Devices are not remembered and no journal is kept; the log may be lost, too.")
    package static let noLogRoomWhy = text(
        "What pam_cognito, sshd and sudo have to say of sign-ins and refusals may be lost.")
    package static func showRoom(_ path: String) -> String {
        command(
            "df -h \(shellWord(path)); du -xah \(shellWord(path)) | sort -h | tail   # and remove what is not needed")
    }
    package static func remount(_ path: String) -> String {
        command("dmesg | tail -20; findmnt -T \(shellWord(path))   # a fault of the disk? If not: ")
            + command("mount -o remount,rw \"$(findmnt -no TARGET -T \(shellWord(path)))\"")
    }
    package static func closed(_ path: String) -> String { text("\(path) is there: nobody but root may sign in.") }
    package static let closedWhy = text(
        "pam_nologin and sshd turn everybody else away, Cognito's accounts and local ones; shutdown(8) and systemd make it."
    )
    package static func reopen(_ path: String) -> String {
        command("cat \(path); rm \(path)   # if the machine is not about to stop")
    }
    package static func noLog(_ error: Int32) -> String { text("Nobody listens at /dev/log (errno \(error)).") }
    package static let noLogWhy = text(
        "What pam_cognito, sshd and sudo have to say of sign-ins and refusals is lost, to whoever looks for a cause and to auditors."
    )
    package static let startLog = command(
        "systemctl restart systemd-journald.socket systemd-journald-dev-log.socket   # without systemd: rsyslogd")
    package static func blindNames(_ database: String) -> String {
        text("What stands in /etc/\(database) is not found: /etc/nsswitch.conf, \(database).")
    }
    package static let blindNamesWhy = text(
        "Accounts that are there count as missing, root's too: nobody can be signed in. Do not make them anew.")
    package static func addFiles(_ database: String) -> String {
        command("/etc/nsswitch.conf: write files first behind \(database):")
    }
    package static func missingNames(_ service: String) -> String {
        text("/etc/nsswitch.conf names \(service), whose library libnss_\(service).so.2 cannot be loaded.")
    }
    package static let missingNamesWhy = text(
        "Accounts and groups that come from there are not found. Do not make them anew on this machine.")
    package static func findLibrary(_ service: String) -> String {
        command(
            "apt-cache search libnss | grep -i \(shellWord(service))   # install it, or take it out of /etc/nsswitch.conf"
        )
    }
    package static func lookUp(_ database: String, _ name: String) -> String {
        command(
            "getent \(database) \(shellWord(name))   # /etc/nsswitch.conf says where names come from: look for it there"
        )
    }

    // MARK: The agent

    package static let agentSummary = text(
        "its socket answers, its timer runs, and it signs out when the machine stops")
    package static let agentAnswers = text("its socket answers")
    package static let timerWhy = text(
        "Sessions that ended badly are not ended at Cognito, and nobody notices those that were ended elsewhere.")
    package static let drainWhy = text("Sessions are not signed out when the machine stops: their tokens outlive it.")
    package static func unitMissing(_ unit: String) -> String { text("\(unit) is not there.") }
    package static func unitMasked(_ unit: String) -> String { text("\(unit) is masked.") }
    package static func unitDisabled(_ unit: String) -> String {
        text("\(unit) runs, and will not when the machine has started again: it is disabled.")
    }
    package static func unitStopped(_ unit: String, _ state: String) -> String {
        text("\(unit) does not run (\(state)).")
    }
    package static func unitFailed(_ unit: String) -> String { text("\(unit) has failed.") }
    package static func unmask(_ unit: String) -> String {
        command("systemctl unmask \(unit) && systemctl enable --now \(unit)")
    }
    package static func enable(_ unit: String) -> String { command("systemctl enable \(unit)") }
    package static func start(_ unit: String) -> String { command("systemctl enable --now \(unit)") }
    package static func showLog(of unit: String) -> String { command("journalctl -b -n 20 -u \(unit)") }
    package static func agentAbsent(_ path: String) -> String { text("The agent does not run: \(path) is not there.") }
    package static func agentDeaf(_ path: String, _ error: Int32) -> String {
        text("The agent does not run: nobody listens at \(path) (errno \(error)).")
    }
    package static func agentForeign(_ path: String) -> String { text("Somebody other than root listens at \(path).") }
    package static func agentSilent(_ path: String) -> String { text("The agent at \(path) does not answer.") }
    package static func agentClosed(_ path: String) -> String {
        text("\(path) has a mode that keeps people from their agent.")
    }
    package static let restartSocket = command(
        "systemctl restart pam-cognito-agent.socket && systemctl status pam-cognito-agent.service")
    package static let startAgent = command(
        "cognito-agent listen &   # and have it started with the machine: cognito-agent(8)")
    package static func openSocket(_ path: String) -> String { command("chmod 0666 \(path)") }

    // MARK: Configuration

    package static func configurationSummary(_ path: String, _ pool: String, _ client: String) -> String {
        text("\(path): user pool \(pool), app client \(client)")
    }
    package static func mistake(_ path: String, _ line: Int?, _ finding: String) -> (what: String, why: String) {
        (
            "\(path)\(line.map { number in text(", line \(number)") } ?? ""): \(finding)\(finding.hasSuffix("?") ? "" : ".")",
            configurationWhy
        )
    }
    package static let configurationWhy =
        text(
            "Until that is corrected, no managed account signs in with Cognito. Root and local accounts sign in as before."
        )
    package static func refusedAccounts(_ names: [String]) -> String {
        text("These accounts are refused because of that: \(peopleSummary(names, most: 20)).")
    }
    package static let refusedAccountsWhy =
        text(
            "They are managed accounts, or accounts without a local password that may be managed. Administrators among them are refused, too."
        )
    package static func openedAccounts(_ names: [String]) -> String {
        text("Their local password alone opens these accounts because of that: \(peopleSummary(names, most: 20)).")
    }
    package static let openedAccountsWhy =
        text("They are managed accounts, and local_password = unavailable: Cognito is not asked about them.")
    package static func perhapsOpenedAccounts(_ names: [String]) -> String {
        text(
            "Their local password alone opens these accounts, even if they are meant to be managed accounts: \(peopleSummary(names, most: 20))."
        )
    }
    package static let perhapsOpenedAccountsWhy =
        text("The lines that say which accounts are managed cannot be read, or have a mistake.")
    package static func noAbsolutePath(_ path: String) -> String {
        text("'\(path)' is no absolute path, such as /etc/security/pam_cognito.conf.")
    }
    package static func copySample(_ sample: String, to path: String) -> String {
        command("install -m 0644 \(shellWord(sample)) \(shellWord(path)) && editor \(shellWord(path))")
    }
    package static func edit(_ path: String, line: Int?) -> String {
        command("editor \(line.map { number in "+\(number) " } ?? "")\(shellWord(path))")
    }
    static func setOption(_ name: String, _ value: String) -> String {
        command("/etc/security/pam_cognito.conf: \(name) = \(value)")
    }
    package static let secretWhy =
        text("Without the app client's secret Cognito answers no sign-in: none of its accounts gets in.")

    package static let keySetWhy = text(
        "Tokens are verified by the keys in key_set_file alone. If one is missing, sign-ins and renewals fail.")
    package static func fetchKeySet(_ address: String, to path: String) -> String {
        command("curl -sSfo \(shellWord(path)) \(shellWord(address))")
            + command("   # or on a machine that reaches this address, then copy it; root:root, mode 0644")
    }
    package static func noKeySet(_ path: String) -> String {
        text("\(path) (key_set_file) holds no key set: it needs JSON with a list \"keys\".")
    }
    package static func oldKeySet(_ path: String, days: Int64) -> String {
        text("\(path) (key_set_file) is \(days) days old, and may lack a key that Cognito has begun to use.")
    }
    package static func keySetOfTheFuture(_ path: String) -> String {
        text("\(path) (key_set_file) has a date in the future, so its age is not known.")
    }
    package static let keySetOfAnotherPool = text(
        "key_set_file has none of the keys that Cognito shows for this pool: it is another pool's, or far too old.")
    package static let keySetLacksKey = text("key_set_file lacks a key that Cognito shows for this pool.")

    // MARK: The machine's own identity

    package static let fileWithoutKeys = text(
        "has no aws_access_key_id and aws_secret_access_key in a section [default]")
    package static let noKeysWhy =
        text("Sessions that a crash left are not ended: their tokens live until they expire.")
    package static let openKeysWhy =
        text("Somebody else than root has this machine's keys there, and can sign everybody in the user pool out.")
    package static let noJournal = text("This machine has an IAM identity, and keeps no journal.")
    package static let noJournalWhy =
        text("Without journal = yes nothing is known of sessions that a crash left, and nothing is done about them.")
    package static func metadataAnswersAnybody(_ address: String) -> String {
        text("The instance's metadata at \(address) answers an account without any right.")
    }
    package static func metadataUntried(_ account: String) -> String {
        text("Whether the account \(account) reaches the instance's metadata could not be tried.")
    }
    package static let metadataUntriedWhy = text(
        "Whatever else runs as that account can stop or end the trial, and so hide what is wrong.")
    package static func showProcesses(of account: String) -> String {
        command("ps -u \(account) -o pid,stat,args   # end what has no business there, and ask the doctor again")
    }
    package static let metadataSilent = text("Workers cannot reach the instance's metadata at 169.254.169.254.")
    package static func blockMetadata(_ rules: String) -> String {
        command("nft '\(rules)'   # also in /etc/nftables.conf")
    }
    package static let showFirewall = command("nft list ruleset   # see cognito-agent(8), JOURNAL")

    // MARK: Files

    package static let filesSummary = text("module, worker, agent and folders are root's alone")
    package static func fileFault(_ path: String, _ fault: String) -> String {
        "\(path) \(fault)."
    }
    package static let fileMissing = text("is not there")
    package static let fileNotRegular = text("is no regular file")
    package static let fileNoFolder = text("is no folder")
    package static let fileWrongOwner = text("does not belong to root")
    package static let fileWritable = text("can be changed by others than root")
    package static let fileReadable = text("can be read by others than root")
    package static let fileTooLarge = text("is larger than anything that belongs there")
    package static func fileUnreadable(_ error: Int32) -> String { text("cannot be read (errno \(error))") }
    package static let fileNoMemory = text("cannot be read, there is no memory")
    package static let fileEmpty = text("is empty")
    package static let fileUnusable = text("has a mode that keeps out those who need it")
    package static func own(_ path: String, mode: String) -> String {
        command("chown root:root \(shellWord(path)) && chmod \(mode) \(shellWord(path))")
    }
    package static func create(_ path: String, mode: String) -> String {
        command("install -m \(mode) /dev/null \(shellWord(path)) && editor \(shellWord(path))")
    }
    package static func inspect(_ path: String) -> String { command("ls -ld \(shellWord(path))") }
    package static let reinstall = command(
        "apt install --reinstall ./pam-cognito_*.deb   # with the file it was installed from")
    package static let makeFolders = command(
        "systemd-tmpfiles --create pam-cognito.conf || install -d -m 0755 /run/pam-cognito")
    package static let fileBehindLink = text("is no folder, or is reached by a link")
    package static func makeFolder(_ path: String) -> String { command("install -d -m 0755 \(shellWord(path))") }
    package static let noScreens = text("lock_tokens = yes, and systemd-logind does not run here.")
    package static let noScreensWhy = text(
        "Nothing says that a session's screen is locked: only cognito-session lock locks its tokens.")
    package static let exportsAreOn = text("export_tokens = yes: people may seal their sessions' tokens into files.")
    package static let exportsAreOnWhy = text(
        "It is the one exception to tokens being in the kernel alone; whoever has such a file and runs as its person here gets them, once."
    )
    package static let noMetricsWhy = text("Figures for Prometheus are not written there, and what is there is old.")
    package static let moduleWhy = text("libpam cannot load it, so no service can ask Cognito.")
    package static let workerWhy = text("Nobody else speaks with Cognito: none of its accounts can sign in.")
    package static let agentWhy =
        text("Sessions that ended badly are not ended at Cognito, and nobody can renew or sign out.")
    package static let programWhy = text("Whoever can change it has every password that is typed, and this machine.")
    package static let stateWhy = text("What proves this machine to Cognito as people's device is in there.")
    package static let journalFolderWhy =
        text("Who has open sessions is in there; pam_cognito does not use a folder that is not root's alone.")
    package static let trustedWhy = text("Whoever can change it decides who gets in.")
    package static let runFolderWhy =
        text(
            "Key sets, locks and the agent's socket have no place, and the switch that turns pam_cognito off cannot be set."
        )
    package static let runFolderForeignWhy =
        text(
            "Somebody else than root can turn Cognito off there, or take the agent's place; pam_cognito does not use it."
        )
    package static let switchedOff = text("/run/pam-cognito/disabled is there: pam_cognito is switched off.")
    package static let switchedOffWhy = text("No service asks Cognito until it is removed or the machine restarts.")
    package static let switchOn = command("rm /run/pam-cognito/disabled")

    // MARK: The worker's account

    package static func accountSummary(_ name: String, _ uid: UInt32) -> String {
        text("\(name), uid \(uid), can sign in nowhere")
    }
    package static func noWorkerAccount(_ name: String) -> String { text("There is no account \(name).") }
    package static let workerAccountWhy =
        text(
            "Workers speak with Cognito as that account and nothing else; without it none of Cognito's accounts can sign in."
        )
    package static let workerAccountLoginWhy = text("Nobody is meant to be that account: it would see workers' memory.")
    package static func makeWorkerAccount(_ name: String) -> String {
        command(
            "useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin \(name)")
    }
    package static func workerAccountIsRoot(_ name: String) -> String { text("\(name) has root's uid or group.") }
    package static func remakeWorkerAccount(_ name: String) -> String {
        command("userdel --force \(name); \(makeWorkerAccount(name))")
    }
    package static func workerAccountHasPassword(_ name: String) -> String { text("\(name) has a password.") }
    package static func lockWorkerAccount(_ name: String) -> String { command("usermod --password '!' \(name)") }
    package static func workerAccountHasShell(_ name: String, _ shell: String) -> String {
        text("\(name) has a shell, \(shell).")
    }
    package static func unshellWorkerAccount(_ name: String) -> String {
        command("usermod --shell /usr/sbin/nologin \(name)")
    }

    // MARK: Keyrings

    package static func keyringsSummary(_ sessions: Int?) -> String {
        sessions.map { count in text("the kernel has room for \(count) more sessions") } ?? text("the kernel has them")
    }
    package static func noKeyrings(_ error: Int32) -> String {
        text("keyrings(7) calls are not permitted here (errno \(error)).")
    }
    package static let noKeyringsWhy = text(
        "Tokens are kept in kernel keyrings only: without them all sign-ins with Cognito are refused.")
    package static let allowKeyrings = allowCalls(command("keyctl, add_key"))
    package static func noRegistry(_ error: Int32) -> String {
        text("The registry of sessions in root's user keyring cannot be read (errno \(error)).")
    }
    package static let noRegistryWhy = text(
        "Without it all sign-ins with Cognito are refused, and the tokens of sessions that have ended are not revoked.")
    package static let showRegistry = command(
        "keyctl show @u   # pam-cognito:sessions must belong to root; unlink what another program has put there")
    /// Who may change the filter is outside of what it is around.
    package static func allowCalls(_ calls: String) -> String {
        command(
            "docker run --security-opt seccomp=PROFILE ...   # PROFILE must allow \(calls); other containers: SECURITY.md, Containers"
        )
    }
    package static func fewKeys(_ sessions: Int, _ keys: Int, _ bytes: Int) -> String {
        text(
            "Root's key quota (kernel.keys.root_maxkeys \(keys), root_maxbytes \(bytes)) has room for \(sessions) more sessions."
        )
    }
    package static let fewKeysWhy = text("When it is full, sign-ins with Cognito are refused.")
    package static func moreKeys(_ keys: Int, _ bytes: Int) -> String {
        command(
            "printf 'kernel.keys.root_maxkeys = \(keys)\\nkernel.keys.root_maxbytes = \(bytes)\\n' > /etc/sysctl.d/60-keys.conf "
                + "&& sysctl -p /etc/sysctl.d/60-keys.conf")
    }

    // MARK: The worker, and the way to Cognito

    package static let workerSummary = text("an account of its own, no groups, no capabilities, no way to get any")
    package static let layerAccount = text("The worker does not run as its own account.")
    package static let layerGroups = text("The worker has supplementary groups.")
    package static let layerPrivileges = text("The worker may gain rights by running set-uid programs.")
    package static let layerCapabilities = text("The worker has capabilities.")
    package static let layerSystemCalls = text("The worker may use every system call: this kernel has no seccomp.")
    package static let layerSystemCallsFiltered = text(
        "The worker may use every system call that its container may: the container's own seccomp filter forbids seccomp(2)."
    )
    package static let findSeccomp = command("grep Seccomp /proc/self/status   # it is part of Debian's kernels")
    package static let layerFiles = text("The worker may read what every account may: this kernel has no Landlock.")
    package static let findLandlock = command(
        "uname -r   # Landlock needs Linux 5.13, built with CONFIG_SECURITY_LANDLOCK")
    package static let layerFilesOff = text(
        "The worker may read what every account may: Landlock is switched off in this kernel.")
    package static let switchLandlockOn = command(
        "cat /sys/kernel/security/lsm   # add landlock to this list with the kernel's parameter lsm=, for a container on its host"
    )
    package static let layerFilesFiltered = text(
        "The worker may read what every account may: the seccomp filter of this container or service forbids Landlock.")
    package static let layerLimits = text(
        "The worker has too much room: the seccomp filter of this container or service forbids setting limits.")
    package static let layerWhy = text(
        "A fault in what reads from the network would reach further than that one process.")
    package static func noWorker(_ why: String) -> String { text("No worker: \(why).") }
    package static let workerNonsense = text("it said nothing understandable")
    package static let workerLate = text("there was no answer within network_timeout.")
    package static func unreachable(_ host: String, _ why: String) -> String { "\(host): \(why)" }
    package static let unreachableWhy =
        text("Cognito's accounts cannot sign in; sessions end when it is back. Local accounts do not notice.")
    package static let proxyUnused =
        text("There is a proxy in this environment: workers use only the one that the option proxy names.")
    /// With what is on every machine that has CA certificates; curl need not be, and only it knows all kinds of proxies.
    package static func tryReaching(_ host: String, proxy: String?) -> String {
        guard let proxy else {
            return command("openssl s_client -connect \(host.contains(":") ? host : "\(host):443") </dev/null")
        }
        return command("curl -v --proxy \(proxy) https://\(host)/")
    }
    package static func showAnswer(of host: String, proxy: String?) -> String {
        command("curl -sS -i \(proxy.map { proxy in command("--proxy \(proxy) ") } ?? "")https://\(host)/")
            + command("   # shows what answers: a firewall or a proxy in front of Cognito?")
    }
    package static let waitForQuota = command(
        "sleep 60; cognito-session doctor   # if it stays so: raise the user pool's request rate quotas (AWS Service Quotas)"
    )
    package static func cognitoSummary(
        _ host: String, _ address: String, milliseconds: Int64, parts: (name: Int64, connect: Int64, tls: Int64),
        issuer: String, expires: String, clockAhead: Int64?, keys: Int64, proxy: String?, publicKey: String?,
        isPinned: Bool, isAccepted: Bool, tokenIssuer: (type: String, address: String)?
    ) -> String {
        let place = proxy.map { proxy in text("\(address) through the proxy \(proxy)") } ?? address
        let key = publicKey.map { key in
            isPinned ? text(", public key \(key), which is pinned") : text(", public key \(key)")
        }
        let clock = clockAhead.map { seconds in text(", clock \(seconds) s ahead") }
        let client =
            isAccepted
            ? text("; client id, secret and flow are accepted")
            : text("; client id, secret and flow show in a sign-in only")
        let tokens =
            tokenIssuer.map { issuer in text("; issuer type \(issuer.type): \(issuer.address)") }
            ?? text("; the issuer type shows in a sign-in only")
        let more = (key ?? "") + (clock ?? "")
        return
            text(
                "\(host) answered in \(milliseconds) ms (name \(parts.name), connection \(parts.connect), TLS \(parts.tls)) "
                    + "at \(place), certificate by \(issuer) until \(expires)\(more), \(keys) keys") + client
            + tokens
    }
    package static let noClient = text(
        "Cognito knows no app client of this id (client_id), or not in this pool's region.")
    package static let secretDoesNotFit = text(
        "The app client has another secret than client_secret_file, has none, or has one that is not set here.")
    package static func flowNotAllowed(_ flow: String) -> String {
        text("The app client does not allow \(flow), with which sign-ins begin (auth_flow): it takes ALLOW_\(flow).")
    }
    package static let choiceNotInPlan = text(
        "The user pool's feature plan has no choice of factors (auth_flow = choice): it takes Essentials or Plus.")
    package static let firstEndpointWhy = text(
        "Sign-ins go to the next endpoint meanwhile. Sign-outs wait: a session is over only when the first endpoint agrees."
    )
    package static let otherEndpointWhy = text(
        "Sign-ins use the other endpoints. If those fail, this one cannot take their place.")
    package static let signInNotEnabled = text(
        "Cognito signs in no user at this endpoint (OperationNotEnabledException): a replica may be inactive (endpoint)."
    )
    package static let noSignInWhy = text("Cognito refuses everybody so, whatever password they give.")
    package static let refusedSecretWhy = text(
        "Cognito refuses all users. If this secret used to work, it was probably rotated: by default, app client secrets made in the "
            + "AWS console rotate every seven days. Write the new secret into the file, or turn off its rotation.")
    package static let noRevocation = text(
        "The app client does not allow that tokens are revoked (EnableTokenRevocation).")
    package static let noRevocationWhy = text(
        "A session's refresh token outlives the logout: whoever has a copy of it can use it until it runs out.")
    package static func showClient(_ client: String, of pool: String) -> String {
        command("aws cognito-idp describe-user-pool-client --user-pool-id \(pool) --client-id \(client)")
            + command("   # and update-user-pool-client with all of it, and --enable-token-revocation")
    }
    package static func clockOff(_ ahead: Int64) -> String {
        ahead > 0
            ? text("This machine's clock is \(ahead) s ahead of Cognito's.")
            : text("This machine's clock is \(ahead.magnitude) s behind Cognito's.")
    }
    package static let clockOffWhy =
        text(
            "Beyond five minutes Cognito takes a right password for a wrong one, and programs take its tokens for expired."
        )
    package static let compareClock = command("date; ") + setClock
    package static let setClock = command(
        "timedatectl set-ntp true   # needs systemd-timesyncd, chrony or another such service")
    package static func slow(_ host: String, _ time: Int64, _ limit: Int64) -> String {
        text("\(host) took \(time) ms to connect; connect_timeout is \(limit / 1000) s.")
    }
    package static let levelsNotInPlan = text(
        "The user pool's feature plan has no levels of authentication, and required_acr wants one: it takes Essentials or Plus."
    )
    package static let levelsIgnored = text(
        "Cognito pays no attention to levels of authentication for this user pool, and required_acr wants one.")
    package static let levelsWithoutFlow = text(
        "The app client does not allow USER_AUTH, which required_acr needs: it takes ALLOW_USER_AUTH.")
    package static let levelsWhy = text("Whoever needs a level to sign in is refused, with any password.")
    package static let slowWhy = text("A little more, and sign-ins fail as if Cognito were not there.")
    package static func moreTime(_ seconds: Int64) -> String {
        setOption(command("connect_timeout"), command("\(seconds)s"))
    }
}
#endif
