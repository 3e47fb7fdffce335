internal import Commands

run(programArguments) { invocation throws(Refusal) in try perform(invocation) }
