package import CognitoIdentityProvider
package import Configuration
internal import Glibc
package import HTTPClient
internal import Protocol

/// The settings of a connection.
package struct TransportSettings: Sendable, Equatable {
    /// A file of CA certificates instead of the system's.
    package let caFile: String?
    package let options: WorkerSettings
    package let userAgent: String
    /// Milliseconds for one connection.
    package let connectTimeLimit: Int64
    /// Whether the transport is to tell of its connections.
    package let describesConnections: Bool
}

/// The surroundings of a step besides its own fields: time, and a way to connect.
package struct StepSurroundings {
    let clock: any Clock
    let hostName: () -> String?
    let makeTransport: (TransportSettings) throws(HTTPError) -> any HTTPTransport
    /// The way to the instance's metadata.
    let makeMetadataTransport: () throws(HTTPError) -> any HTTPTransport
    /// The layers of this process's sandbox that let pass what they should forbid.
    let openLayers: () -> [String]

    /// Makes surroundings: the real ones, or a test's.
    package init(
        clock: any Clock,
        hostName: @escaping () -> String? = { nil },
        makeTransport: @escaping (TransportSettings) throws(HTTPError) -> any HTTPTransport,
        makeMetadataTransport: @escaping () throws(HTTPError) -> any HTTPTransport,
        openLayers: @escaping () -> [String] = { [] }
    ) {
        self.clock = clock
        self.hostName = hostName
        self.makeTransport = makeTransport
        self.makeMetadataTransport = makeMetadataTransport
        self.openLayers = openLayers
    }
}

extension StepSurroundings {
    /// The same for steps that follow each other: those with equal settings use one transport, and so its connection.
    func keepingConnections() -> StepSurroundings {
        var made: (settings: TransportSettings, transport: any HTTPTransport)?
        return StepSurroundings(
            clock: clock, hostName: hostName,
            makeTransport: { [makeTransport] settings throws(HTTPError) in
                if let made, made.settings == settings {
                    return made.transport
                }
                let transport = try makeTransport(settings)
                made = (settings, transport)
                return transport
            },
            makeMetadataTransport: makeMetadataTransport, openLayers: openLayers)
    }

    /// The client for the pool that `frame` names.
    func client(for frame: borrowing Frame) throws(StepFailure) -> CognitoClient {
        guard let identifier = Self.text(frame.bytes(.userPoolID)), let clientID = Self.text(frame.bytes(.clientID)),
            let pool = UserPool(identifier: identifier, clientID: clientID)
        else {
            throw StepFailure(
                .configuration,
                "The id of the pool or of the app client is malformed: check \"user_pool_id\" and \"client_id\"."
            )
        }
        let options = try WorkerSettings(frame)
        let transport = try transport(for: frame, options, describingConnections: frame.kind == .probe)
        let client = CognitoClient(
            pool: pool, secret: frame.sharedSecret(.clientSecret), endpoint: Self.text(frame.bytes(.endpoint)),
            transport: transport, clock: clock, timeLimit: frame.number(.timeLimit) ?? 0
        )
        guard let client else {
            throw StepFailure(
                .configuration,
                """
                The endpoint does not have the form https://host or https://host:port: check "endpoint".
                """
            )
        }
        client.endsBrowserSession = options.endsBrowserSession
        return client
    }

    /// The way to AWS's own services, which are not the pool's endpoint, nor have its keys.
    func awsCredentialService(for frame: borrowing Frame) throws(StepFailure) -> AWSCredentialService {
        var options = try WorkerSettings(frame)
        options.pinnedPublicKeys = nil
        return AWSCredentialService(
            endpoint: Self.text(options.awsEndpoint), transport: try transport(for: frame, options), clock: clock,
            timeLimit: frame.number(.timeLimit) ?? 0)
    }

    /// A way to servers, for the step that `frame` begins.
    private func transport(
        for frame: borrowing Frame, _ options: WorkerSettings, describingConnections: Bool = false
    ) throws(StepFailure) -> any HTTPTransport {
        do {
            return try makeTransport(
                TransportSettings(
                    caFile: Self.text(frame.bytes(.caFile)), options: options,
                    userAgent: UserAgent.text(host: hostName(), service: frame.bytes(.requestingService)),
                    connectTimeLimit: frame.number(.connectTimeLimit) ?? frame.number(.timeLimit) ?? 0,
                    describesConnections: describingConnections))
        } catch {
            throw StepFailure(signIn: .transport(error))
        }
    }

    /// The way through a browser that the sign-in of `frame` may go; nil where the administrator wants none.
    func browserSignIn(_ frame: borrowing Frame, loginName: String) throws(StepFailure) -> BrowserSignIn? {
        var options = try WorkerSettings(frame)
        guard let federation = Federation(options), let domain = Self.text(options.managedLoginDomain),
            let provider = Self.text(options.identityProvider), let redirectURI = Self.text(options.redirectURI),
            let scopes = Self.text(options.managedLoginScopes), let clientID = Self.text(frame.bytes(.clientID))
        else {
            return nil
        }
        // The pins are of the pool's endpoint.
        options.pinnedPublicKeys = nil
        let login = ManagedLogin(
            domain: domain, provider: provider, redirectURI: redirectURI, scopes: scopes,
            acceptsBrowserSession: options.acceptsBrowserSession, transport: try transport(for: frame, options))
        return BrowserSignIn(
            login: login, federation: federation, isOnly: options.federated == .only, clientID: clientID,
            loginName: loginName, hostName: hostName(),
            clientAddress: Self.text(frame.bytes(.clientAddress)).flatMap(Self.literalAddress),
            service: Self.text(frame.bytes(.requestingService)), clock: clock)
    }

    /// Reads the circumstances of the sign-in from `frame`.
    func context(_ frame: borrowing Frame) -> RequestContext {
        var context = RequestContext()
        context.address = Self.text(frame.bytes(.clientAddress)).flatMap(Self.literalAddress)
        if let service = Self.text(frame.bytes(.serviceName)) {
            context.metadata["service"] = PromptText.cleaned(service, limit: 64)
            context.metadata["host"] = hostName().map { name in PromptText.cleaned(name, limit: 64) }
        }
        return context
    }

    /// Returns `text` if it is an IPv4 or IPv6 address; nil for names, which anyone can write into their own DNS.
    static func literalAddress(_ text: String) -> String? {
        var address = in6_addr()
        // inet_pton(3) stops at a zero byte, and would take what stands before it.
        guard !text.utf8.contains(0) else {
            return nil
        }
        let isAddress = [AF_INET, AF_INET6].contains { family in unsafe inet_pton(family, text, &address) == 1 }
        return isAddress ? text : nil
    }

    /// Text that is valid UTF-8; nil without bytes or with others.
    static func text(_ bytes: [UInt8]?) -> String? {
        bytes.flatMap { bytes in String(validating: bytes, as: UTF8.self) }
    }
}

extension WorkerSettings {
    /// Reads the settings from `frame`.
    init(_ frame: borrowing Frame) throws(StepFailure) {
        guard let settings = WorkerSettings(frame.bytes(.options) ?? []) else {
            throw StepFailure(.internalFault, "The calling program sent a request with an unknown option.")
        }
        self = settings
    }
}
