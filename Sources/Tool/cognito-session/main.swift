internal import Commands

run(programArguments) { invocation throws(Refusal) in
    switch invocation.command {
    case .status: try showStatus(invocation)
    case .whoami: try showPerson(invocation)
    case .token: try printToken(invocation)
    case .exec: try execute(invocation)
    case .claims: try showClaims(invocation)
    case .prompt: try showPrompt(invocation)
    case .refresh: try refresh(invocation)
    case .signOut: try signOut(invocation)
    case .signIn: try signIn(invocation)
    case .forgotPassword: try forgotPassword(invocation)
    case .doctor: try becomeDoctor()
    case .sessions: try listSessions(invocation)
    }
}
