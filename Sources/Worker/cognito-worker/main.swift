internal import Base
internal import CLinux
internal import CSandbox
internal import CognitoIdentityProvider
internal import Glibc
internal import HTTPClient
internal import Messages
internal import Steps

// Started by the root side for one step, already without any right: standard input is a packet socket, there is
// nothing else. Everything that comes from the network is read in this process and nowhere else.

/// Ends the program with a line for a user who started it by hand.
func refuse(_ line: String, status: CInt) -> Never {
    let text = Array("cognito-worker: \(line)\n".utf8)
    _ = unsafe write(STDERR_FILENO, text, text.count)
    exit(status)
}

guard CommandLine.argc == 1, PacketSocket.isOne(STDIN_FILENO) else {
    // The environment does not influence a step. A user who starts this by hand is answered in their language.
    Language.current = .ofEnvironment
    refuse(ProgramWording.workerUsage, status: EX_USAGE)
}
guard linux_harden() == 0 else {
    refuse(ProgramWording.workerUnprotected, status: EX_OSERR)
}
guard linux_confirm_unprivileged() == 0 else {
    let line = "Not started, because this process has root privileges or could regain them."
    unsafe linux_log("cognito-worker", LOG_ERR, line)
    refuse(line, status: EX_NOPERM)
}

/// gethostname(2).
func machineName() -> String? {
    var name = [CChar](repeating: 0, count: Int(HOST_NAME_MAX) + 1)
    // The last byte stays zero, whatever the length.
    guard unsafe gethostname(&name, name.count - 1) == 0 else {
        return nil
    }
    let bytes = name.prefix { byte in byte != 0 }.map(UInt8.init(truncatingIfNeeded:))
    return String(validating: bytes, as: UTF8.self)
}

/// The network, which is touched from inside the sandbox alone. Certificates, which may be anywhere, are read when it
/// is made.
final class SandboxedTransport: HTTPTransport {
    private let client: HTTPClient

    init(_ client: HTTPClient) {
        self.client = client
    }

    var connection: ConnectionDescription? { client.connection }
    var mayHaveSent: Bool { client.mayHaveSent }

    func send(_ request: HTTPRequest, timeLimit: Int64) throws(HTTPError) -> HTTPResponse {
        sandbox_enter()
        return try client.send(request, timeLimit: timeLimit)
    }
}

/// Takes the one step that it was started for.
func takeStep() {
    let surroundings = StepSurroundings(
        clock: SystemClock(), hostName: machineName,
        makeTransport: { settings throws(HTTPError) in
            SandboxedTransport(
                try HTTPClient(
                    caFile: settings.caFile, options: settings.options,
                    connectTimeLimit: settings.connectTimeLimit, userAgent: settings.userAgent,
                    describesConnections: settings.describesConnections
                ))
        },
        makeMetadataTransport: { () throws(HTTPError) in
            SandboxedTransport(
                try HTTPClient(ofMetadataWithin: InstanceMetadata.timeLimit, userAgent: CognitoClient.userAgent))
        },
        openLayers: {
            sandbox_enter()
            let isOpen = sandbox_try()
            let layers: KeyValuePairs = [
                "system_calls": SANDBOX_SYSTEM_CALLS, "files": SANDBOX_FILES, "limits": SANDBOX_LIMITS,
            ]
            return layers.filter { layer in isOpen & CInt(layer.value.rawValue) != 0 }.map(\.key)
        })
    WorkerProcess(channel: PacketChannel(), surroundings: surroundings).run()
}

takeStep()
// Not exit(3): its handlers, those of libcrypto above all, free what ends with the process, while a thread of libcurl's
// may still use it.
_exit(EXIT_SUCCESS)
