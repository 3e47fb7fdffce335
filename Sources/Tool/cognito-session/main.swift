internal import Commands

// Under another program's name for it, this one is that one of its commands.
let helper = Command(helper: programPath).map { command in [Array(command.rawValue.utf8)] } ?? []

run(helper + programArguments) { invocation throws(Refusal) in try perform(invocation) }
