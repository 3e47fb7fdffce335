internal import Base
internal import Commands
internal import Sessions

/// What keeps polkit's helper in, which asks for passwords through PAM since polkit 127 (systemd.exec(5)).
struct PolkitSandbox: Equatable, Sendable {
    static let unit = "polkit-agent-helper@.service"

    private let hasNetwork: Bool
    /// Whether the module asks cognito-agent there: not where its line has options, which the agent would not know.
    private let asksAgent: Bool

    init(_ shown: String, asksAgent: Bool) {
        self.asksAgent = asksAgent
        let families = fields(shown, by: "=").first { name, _ in name == "RestrictAddressFamilies" }?.1 ?? "~"
        let words = Set(families.drop { letter in letter == "~" }.split(separator: " "))
        let internet: Set<Substring> = ["AF_INET", "AF_INET6"]
        // Those that are forbidden, or else those that are allowed.
        let reaches = families.hasPrefix("~") ? !words.isSuperset(of: internet) : !words.isDisjoint(with: internet)
        hasNetwork = reaches && !shown.mentions("PrivateNetwork=yes")
    }

    /// What is wrong with it.
    ///
    /// - Parameter agentListens: Whether there is a listener at cognito-agent's socket.
    @CheckList
    func findings(agentListens: Bool) -> [Check] {
        if asksAgent, !agentListens {
            Check(
                .polkitWithoutAgent, .broken, "polkit-1: no program is listening on cognito-agent's socket.",
                why: "Without the agent, users of managed accounts cannot use pkexec, run0 or polkit's desktop "
                    + "prompts, because polkit's helper runs in a sandbox and reaches Cognito only through the agent.",
                fix: SystemdUnit.start("pam-cognito-agent.socket"))
        } else if !asksAgent, !hasNetwork {
            Check(
                .polkitWithoutNetwork, .broken,
                "polkit-1: pam_cognito.so has arguments, but \(Self.unit) has no network access.",
                why: "If pam_cognito.so has arguments, the module contacts Cognito without using the agent, but the "
                    + "sandbox of polkit's helper has no network access. Users of managed accounts cannot use pkexec, "
                    + "run0 or polkit's desktop prompts.",
                fix: "systemctl edit \(Self.unit)   # [Service], PrivateNetwork=no, "
                    + "RestrictAddressFamilies=AF_INET AF_INET6 AF_NETLINK")
        }
    }
}

extension PolkitSandbox {
    /// As it is; nil where there is none, or polkit does not ask Cognito.
    init?(_ services: PAMServices) {
        let lines = services.service("polkit-1").stack(.auth).filter(\.isOurs)
        let instance = "polkit-agent-helper@0.service"
        let properties = "--property=LoadState,PrivateNetwork,RestrictAddressFamilies"
        guard services.text(of: "polkit-1") != nil, !lines.isEmpty, isSystemdRunning,
            let (_, shown) = run(["/usr/bin/systemctl", "show", properties, instance]),
            shown.split(separator: "\n").contains("LoadState=loaded")
        else {
            return nil
        }
        self.init(
            shown,
            asksAgent: lines.allSatisfy { line in
                line.arguments.allSatisfy { text in flagArguments.contains { flag in flag.equals(text.utf8) } }
            })
    }
}
