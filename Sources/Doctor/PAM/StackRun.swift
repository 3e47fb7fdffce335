/// What libpam would do with a stack, module by module: `_pam_dispatch_aux` of libpam/pam_dispatch.c.
struct StackRun {
    /// The outcome for the program that called.
    private(set) var result = ModuleResult.permDenied
    /// The lines whose modules were called, with what they returned, in order.
    private(set) var called: [(line: StackLine, result: ModuleResult)] = []

    private enum Impression {
        case undefined
        case positive
        case negative
    }

    private struct StackState {
        var impression = Impression.undefined
        var status = ModuleResult.permDenied
    }

    private var state = StackState()
    private var substates: [Int: StackState] = [:]

    /// Runs a stack.
    ///
    /// - Parameters:
    ///   - stack: The lines of one facility.
    /// - frozen: The values of an earlier run, of pam_authenticate(3) for pam_setcred(3), which then decide the way;
    /// without,
    ///     as in sshd's process after keyboard-interactive, this run's own do.
    ///   - module: What each module returns.
    init(_ stack: [StackLine], frozen: [Place: ModuleResult]? = nil, _ module: (StackLine) -> ModuleResult) {
        guard !stack.isEmpty else {
            return
        }
        substates[0] = state
        var index = 0
        var previousLevel = 0
        while index < stack.count {
            let line = stack[index]
            if previousLevel < line.level {
                substates[line.level] = state
            }
            previousLevel = line.level
            if !line.isSubstack {
                let result = line.module == nil ? ModuleResult.permDenied : module(line)
                called.append((line, result))
                index = step(line, result, frozen.map { earlier in earlier[line.place] ?? result }, stack, index)
            }
            index += 1
        }
        result = state.status == .success && state.impression != .positive ? .permDenied : state.status
    }

    /// Takes note of one module's value; the index of the last line that is done with.
    private mutating func step(
        _ line: StackLine, _ result: ModuleResult, _ earlier: ModuleResult?, _ stack: [StackLine], _ index: Int
    ) -> Int {
        let decisive = earlier ?? result
        switch line.control.action(for: decisive) {
        case .ignore:
            return index
        case .reset:
            state = substates[line.level] ?? StackState()
            return index
        case .ok:
            accept(result, decisive)
            return index
        case .done:
            accept(result, decisive)
            return state.impression == .positive ? end(of: line.level, stack, index) : index
        case .bad:
            refuse(result)
            return index
        case .die:
            refuse(result)
            return end(of: line.level, stack, index)
        case .jump(let count):
            if earlier != nil {
                accept(result, decisive)
            }
            return jump(count, from: line.level, stack, index)
        }
    }

    private mutating func accept(_ result: ModuleResult, _ decisive: ModuleResult) {
        let isOpen = state.impression == .undefined || (state.impression == .positive && state.status == .success)
        if isOpen, result != .ignore || decisive == result {
            state = StackState(impression: .positive, status: result)
        }
    }

    private mutating func refuse(_ result: ModuleResult) {
        if state.impression != .negative {
            state = StackState(impression: .negative, status: result == .ignore ? .permDenied : result)
        }
    }

    private func end(of level: Int, _ stack: [StackLine], _ index: Int) -> Int {
        var index = index
        while index + 1 < stack.count, stack[index + 1].level >= level {
            index += 1
        }
        return index
    }

    private mutating func jump(_ count: Int, from level: Int, _ stack: [StackLine], _ index: Int) -> Int {
        var index = index
        var left = count
        while left > 0, index + 1 < stack.count, stack[index + 1].level >= level {
            repeat {
                index += 1
            } while index + 1 < stack.count && stack[index + 1].level > level
            left -= 1
        }
        if left > 0 {
            // "bad jump in stack"
            state = StackState(impression: .negative, status: .permDenied)
        }
        return index
    }

    /// The values by place, for a run that is to go the same way.
    var frozen: [Place: ModuleResult] {
        Dictionary(called.map { call in (call.line.place, call.result) }) { first, _ in first }
    }
}
