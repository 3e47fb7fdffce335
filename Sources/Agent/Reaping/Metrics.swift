package import Base
package import Sessions

/// The figures of a run about this machine's sessions, for administrators of many machines. They contain only numbers,
/// no names.
package struct FleetFigures: Equatable, Sendable {
    /// How many there are in each state.
    package var pending = 0
    package var open = 0
    package var closing = 0
    /// For how long the oldest of them has waited for its session, and for Cognito's yes to its end, in seconds.
    package var oldestPending: Int64 = 0
    package var oldestClosing: Int64 = 0
    /// How often Cognito was asked in vain about the one that it was asked about most often.
    package var mostAttempts: Int64 = 0
    /// How many a round could not see to.
    package var left = 0

    /// Goes through the registry of `machine`.
    package init(of machine: some Machine, left: Int) throws(ErrorNumber) {
        self.left = left
        for key in try machine.entries() {
            guard let entry = machine.readEntry(key) else {
                continue
            }
            let now = machine.now.milliseconds
            switch entry.state {
            case .open: open += 1
            // One of them lasts as long as a step with a person.
            case .pending, .temporary:
                pending += 1
                oldestPending = max(oldestPending, (now - entry.created.milliseconds) / 1000)
            case .closing:
                closing += 1
                let since = entry.closed.milliseconds > 0 ? entry.closed : entry.renewed
                oldestClosing = max(oldestClosing, (now - since.milliseconds) / 1000)
            }
            mostAttempts = max(mostAttempts, Int64(entry.attempts))
        }
    }
}

/// The text for Prometheus (its exposition format, version 0.0.4), for the textfile collector. Labels are fixed words.
package struct MetricsText {
    package private(set) var text: ByteText = ""
    private let counters: [UInt64]

    /// - Parameter counters: By the cells of `Counter`.
    package init(_ figures: FleetFigures, _ counters: [UInt64], _ quota: KeyQuota?, at time: Int64, version: ByteText) {
        self.counters = counters
        begin("build_info", "gauge", "Version of pam-cognito on this machine.")
        add("build_info", "version=\"\(version)\"", "1")
        gauge("last_round_timestamp_seconds", time, "Time of the last cleanup run.")
        gauge(
            "round_left", Int64(figures.left),
            "Sessions that the last cleanup run could not handle, for example because Cognito was unreachable.")
        addSessions(figures)
        if let quota {
            addQuota(quota)
        }
        addSignIns()
        addRefusals()
        addSignOuts()
        begin("renewals_total", "counter", "Token renewals.")
        add("renewals_total", "", number(.renewal))
        begin("fault_lines_total", "counter", "Log lines that report a fault on this machine.")
        add("fault_lines_total", "", number(.fault))
        begin("log_lines_lost_total", "counter", "Log lines that systemd-journald did not accept within half a second.")
        add("log_lines_lost_total", "", number(.lostLine))
        addWaits()
    }

    private mutating func begin(_ name: StaticString, _ type: StaticString, _ help: StaticString) {
        text = "\(text)# HELP pam_cognito_\(name) \(help)\n# TYPE pam_cognito_\(name) \(type)\n"
    }

    private mutating func add(_ name: StaticString, _ labels: ByteText, _ value: ByteText) {
        let braced: ByteText = labels.bytes.isEmpty ? "" : "{\(labels)}"
        text = "\(text)pam_cognito_\(name)\(braced) \(value)\n"
    }

    private mutating func gauge(_ name: StaticString, _ value: Int64, _ help: StaticString) {
        begin(name, "gauge", help)
        add(name, "", "\(value)")
    }

    private func value(_ counter: Counter) -> UInt64 {
        counters.indices.contains(counter.cell) ? counters[counter.cell] : 0
    }

    private func number(_ counter: Counter) -> ByteText {
        "\(Int64(clamping: value(counter)))"
    }

    private mutating func addSessions(_ figures: FleetFigures) {
        begin(
            "sessions", "gauge",
            """
            Sessions in the registry by state: open, pending (signed in, not yet open), closing (not yet revoked by \
            Cognito).
            """)
        add("sessions", "state=\"open\"", "\(figures.open)")
        add("sessions", "state=\"pending\"", "\(figures.pending)")
        add("sessions", "state=\"closing\"", "\(figures.closing)")
        gauge("oldest_pending_seconds", figures.oldestPending, "Age in seconds of the oldest pending session.")
        gauge(
            "oldest_closing_seconds", figures.oldestClosing,
            "Age in seconds of the oldest closing session that is waiting for Cognito's confirmation.")
        gauge(
            "sign_out_attempts", figures.mostAttempts,
            "Highest number of failed attempts to revoke the tokens of a single session.")
    }

    private mutating func addQuota(_ quota: KeyQuota) {
        gauge("root_keys", quota.keys, "Number of kernel keys owned by root.")
        gauge(
            "root_keys_limit", quota.mostKeys, "Limit on the number of root's kernel keys (kernel.keys.root_maxkeys).")
        gauge("root_key_bytes", quota.bytes, "Total size in bytes of root's kernel keys.")
        gauge(
            "root_key_bytes_limit", quota.mostBytes,
            "Limit on the total size in bytes of root's kernel keys (kernel.keys.root_maxbytes).")
    }

    private mutating func addSignIns() {
        begin(
            "sign_ins_total", "counter",
            "Sign-ins, by method (Cognito, open session, screen lock or step-up authentication) and by PAM service.")
        for (way, names) in signInWays.enumerated() {
            for (service, name) in countedServices.enumerated() {
                let counter = Counter.signIn(way: way, service: service)
                // What is never used has no line.
                if way == 0 || value(counter) > 0 {
                    add("sign_ins_total", "way=\"\(names.name)\",service=\"\(name)\"", number(counter))
                }
            }
        }
    }

    private mutating func addRefusals() {
        begin("refusals_total", "counter", "Refusals, by step and by the reason in the log.")
        for (step, names) in refusedSteps.enumerated() {
            for (reason, name) in (logReasons + ["other"]).enumerated() {
                let counter = Counter.refusal(step: step, reason: reason)
                if step == 0 && reason < shownReasons || value(counter) > 0 {
                    add("refusals_total", "step=\"\(names.name)\",reason=\"\(name)\"", number(counter))
                }
            }
        }
    }

    private mutating func addSignOuts() {
        begin("sign_outs_total", "counter", "Cognito sign-outs, by logged outcome.")
        for (outcome, name) in signOutOutcomes.enumerated() {
            add("sign_outs_total", "outcome=\"\(name)\"", number(.signOut(outcome: outcome)))
        }
    }

    private mutating func addWaits() {
        begin(
            "wait_seconds", "histogram",
            "Time from the start of a worker, or from the user's answer, until the worker replies.")
        for (step, name) in waitedSteps.enumerated() {
            var sum: UInt64 = 0
            for place in 0...waitLimits.count {
                sum += value(.wait(step: step, place: place))
                let limit = place < waitLimits.count ? seconds(waitLimits[place]) : "+Inf"
                add("wait_seconds_bucket", "step=\"\(name)\",le=\"\(limit)\"", "\(Int64(clamping: sum))")
            }
            add("wait_seconds_sum", "step=\"\(name)\"", seconds(Int64(clamping: value(.waited(step: step)))))
            add("wait_seconds_count", "step=\"\(name)\"", "\(Int64(clamping: sum))")
        }
    }

    private func seconds(_ milliseconds: Int64) -> ByteText {
        let rest = milliseconds % 1000
        let digits: ByteText = rest < 10 ? "00\(rest)" : rest < 100 ? "0\(rest)" : "\(rest)"
        return "\(milliseconds / 1000).\(digits)"
    }
}
