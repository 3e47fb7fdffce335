internal import Base
internal import Commands
internal import Glibc
internal import Messages
internal import Protocol

/// `kube-credential`.
func giveToKubectl(_ invocation: Invocation) throws(Refusal) -> ExitCode {
    try keepFromTerminal(invocation)
    let credential = try KubernetesCredential(askedBy: environment("KUBERNETES_EXEC_INFO"))
    try answer(credential: credential.text(grantedToken(invocation, .kubectl)))
    return .valid
}

/// `git-credential`: what else than `get` git may want is no business of this helper's (gitcredentials(7)).
func answerGit(_ invocation: Invocation) throws(Refusal) -> ExitCode {
    let request = try GitRequest(parsing: requestFromProgram(ToolWording.noGitRequest))
    guard invocation.operands == [Array("get".utf8)] else {
        return .valid
    }
    // git goes on to its other helpers; a person is told why this one gives nothing.
    let hosts = invocation.text(.host) ?? ""
    guard try request.isAbout(oneOf: hosts) else {
        complain(sentence: request.hostNotNamed(hosts) + "\n")
        return .valid
    }
    try keepFromTerminal(invocation)
    let token = try grantedToken(invocation, .git)
    guard let text = request.answer(token) else {
        complain(sentence: request.otherName(token) + "\n")
        return .valid
    }
    try answer(credential: text)
    return .valid
}

/// `docker-credential`.
func answerDocker(_ invocation: Invocation) throws(Refusal) -> ExitCode {
    let operation = invocation.operands.first.map(printable) ?? ""
    do throws(Refusal) {
        return try answerDocker(operation, invocation)
    } catch {
        // docker goes on without a credential by that line alone; of the others, a person is told.
        if error.exitStatus != .unwritten, ["get", "list"].contains(operation) {
            try answer(DockerRegistries.notFound)
        }
        throw error
    }
}

private func answerDocker(_ operation: String, _ invocation: Invocation) throws(Refusal) -> ExitCode {
    let registries = DockerRegistries(configuration: dockerConfiguration)
    switch operation {
    case "get":
        let registry = try registries.registry(requestFromProgram(ToolWording.noDockerRequest))
        try keepFromTerminal(invocation)
        try answer(credential: registries.answer(registry, grantedToken(invocation, .docker)))
    case "list":
        try answer(registries.list(Person(currentStatus, at: now).text))
    case "store":
        try registries.store(requestFromProgram(ToolWording.noDockerRequest), currentStatus)
    case "erase":
        _ = try registries.registry(requestFromProgram(ToolWording.noDockerRequest))
        throw Refusal(.fault, ToolWording.nothingErased)
    default:
        throw Refusal(.usage, ToolWording.unknownOperation(operation, ToolWording.dockerOperations))
    }
    return .valid
}

/// docker's configuration, where docker has it.
private var dockerConfiguration: [UInt8]? {
    let folder = environment("DOCKER_CONFIG") ?? environment("HOME").map { home in home + Array("/.docker".utf8) }
    return folder.flatMap { path in try? readFile(String(decoding: path, as: UTF8.self) + "/config.json") }
}

/// All of standard input.
private func requestFromProgram(_ complaint: String) throws(Refusal) -> [UInt8] {
    do throws(ErrorNumber) {
        return try readRest(STDIN_FILENO)
    } catch {
        throw Refusal(.usage, complaint)
    }
}

/// Returns the environment variable `name`; nil if it is unset or empty.
private func environment(_ name: String) -> [UInt8]? {
    guard let value = unsafe getenv(name), unsafe value.pointee != 0 else {
        return nil
    }
    return unsafe Array(UnsafeRawBufferPointer(start: value, count: strlen(value)))
}
