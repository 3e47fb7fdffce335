// swift-tools-version: 6.2

import PackageDescription

// One package, two builds. PAM_COGNITO_EMBEDDED=1 builds pam_cognito.so alone, as Embedded Swift: it lives
// inside sshd and su, where a runtime of several megabytes has no place. Everything else, and the same
// targets for their unit tests, is built the ordinary way. Each build needs a scratch path of its own.
let embedded = Context.environment["PAM_COGNITO_EMBEDDED"] == "1"

// Where the programs are installed. It is compiled in: a path that came from the environment could not be
// trusted inside a set-uid host.
let prefix = Context.environment["PAM_COGNITO_PREFIX"] ?? "/usr"

/// A program's tables of function addresses are complete and read-only before its first instruction (RELRO, BIND_NOW).
let hardened: [LinkerSetting] = [.unsafeFlags(["-Xlinker", "-z", "-Xlinker", "now"])]

/// What the module and the agent are made of: no Foundation, no concurrency, names as bytes.
let rootSide: [Target] = [
    .systemLibrary(name: "CPAM", path: "Sources/CPAM"),
    .systemLibrary(name: "CKeyutils", path: "Sources/CKeyutils"),
    .target(
        name: "CLinux",
        cSettings: [
            .define("PAM_COGNITO_WORKER", to: "\"\(prefix)/libexec/pam-cognito/cognito-worker\""),
            .define("PAM_COGNITO_AGENT", to: "\"\(prefix)/libexec/pam-cognito/cognito-agent\""),
            .unsafeFlags(["-Wall", "-Wextra", "-Werror", "-fvisibility=hidden", "-fstack-protector-strong"]),
        ]
    ),
    .target(name: "SecretMemory", dependencies: ["CLinux"]),
    .target(name: "LinuxProcess", dependencies: ["CLinux", "SecretMemory"]),
    .target(name: "WorkerProtocol", dependencies: ["SecretMemory"]),
    .target(name: "ByteText"),
    .target(name: "Configuration", dependencies: ["ByteText"]),
    .target(name: "Wording"),
    .target(name: "KernelKeyring", dependencies: ["CKeyutils", "CLinux", "SecretMemory", "LinuxProcess"]),
    .target(
        name: "LoginCore",
        dependencies: [
            "ByteText", "Configuration", "LinuxProcess", "KernelKeyring", "SecretMemory", "WorkerProtocol", "Wording",
        ]
    ),
    .target(
        name: "LoginSystem",
        dependencies: [
            "ByteText", "CLinux", "Configuration", "KernelKeyring", "LinuxProcess", "LoginCore", "SecretMemory",
            "Wording", "WorkerProtocol",
        ]
    ),
    .target(
        name: "PAMModule",
        dependencies: ["ByteText", "CLinux", "CPAM", "LoginCore", "LoginSystem", "SecretMemory", "Wording"],
        // Embedded Swift does not carry the module maps' libraries into the link.
        linkerSettings: [.linkedLibrary("pam"), .linkedLibrary("keyutils")]
            + (embedded
                ? [
                    .unsafeFlags([
                        "-use-ld=lld",
                        "-Xlinker", "--version-script=\(Context.packageDirectory)/packaging/pam_cognito.map",
                        "-Xlinker", "--gc-sections", "-Xlinker", "-z", "-Xlinker", "now",
                        "-Xlinker", "--no-undefined", "-Xlinker", "--as-needed",
                    ])
                ] : [])
    ),
]

/// The worker's and the tool's side: JSON, TLS and cryptography live here.
let workerSide: [Target] = [
    .systemLibrary(name: "CCurl", path: "Sources/CCurl"),
    .systemLibrary(name: "CCrypto", path: "Sources/CCrypto"),
    .systemLibrary(name: "CQRencode", path: "Sources/CQRencode"),
    .systemLibrary(name: "CJansson", path: "Sources/CJansson"),
    .target(name: "Encodings", dependencies: ["CJansson"]),
    .target(name: "Cryptography", dependencies: ["CCrypto", "CLinux", "SecretMemory"]),
    .target(name: "JSONWebToken", dependencies: ["Cryptography", "Encodings"]),
    .target(name: "MachineIdentity", dependencies: ["ByteText", "SecretMemory"]),
    .target(name: "HTTPClient", dependencies: ["ByteText", "CCurl", "Cryptography", "SecretMemory"]),
    .target(
        name: "CognitoIdentityProvider",
        dependencies: ["ByteText", "Cryptography", "Encodings", "HTTPClient", "MachineIdentity", "SecretMemory"]
    ),
    .target(name: "QRCode", dependencies: ["CQRencode"]),
    .target(name: "Session", dependencies: ["Encodings", "SecretMemory"]),
    .target(
        name: "SignIn",
        dependencies: [
            "CognitoIdentityProvider", "Encodings", "HTTPClient", "JSONWebToken", "MachineIdentity", "QRCode",
            "SecretMemory", "Session", "WorkerProtocol", "Wording",
        ]
    ),
    .executableTarget(
        name: "cognito-worker",
        dependencies: [
            "SignIn", "CognitoIdentityProvider", "HTTPClient", "CLinux", "WorkerProtocol", "SecretMemory", "Wording",
        ],
        linkerSettings: hardened
    ),
    // Not in `rootSide`, from here on: no part of a session looks at it from outside.
    .target(
        name: "Reaping",
        dependencies: [
            "ByteText", "Configuration", "KernelKeyring", "LinuxProcess", "LoginCore", "SecretMemory", "WorkerProtocol",
            "Wording",
        ]
    ),
    .target(
        name: "AgentCore",
        dependencies: [
            "ByteText", "Configuration", "KernelKeyring", "LinuxProcess", "LoginCore", "Reaping", "SecretMemory",
            "WorkerProtocol", "Wording",
        ]
    ),
    .target(name: "HostedSessions", dependencies: ["ByteText", "CLinux", "LinuxProcess", "LoginCore", "Reaping"]),
    .target(name: "SignOutHooks", dependencies: ["ByteText", "CLinux", "LoginCore"]),
    .executableTarget(
        name: "cognito-agent",
        dependencies: [
            "AgentCore", "ByteText", "CLinux", "HostedSessions", "KernelKeyring", "LinuxProcess", "LoginCore",
            "LoginSystem", "Reaping", "SecretMemory", "SignOutHooks", "WorkerProtocol", "Wording",
        ],
        linkerSettings: hardened
    ),
    .target(name: "AgentClient", dependencies: ["CLinux", "LinuxProcess", "SecretMemory", "WorkerProtocol"]),
    .target(
        name: "SessionTool",
        dependencies: [
            "Doctor", "Encodings", "KernelKeyring", "LinuxProcess", "SecretMemory", "Session", "WorkerProtocol",
            "Wording",
        ]
    ),
    .target(name: "Doctor", dependencies: ["ByteText", "Configuration", "LinuxProcess", "Wording"]),
    .executableTarget(
        name: "cognito-session",
        dependencies: [
            "AgentClient", "ByteText", "CLinux", "Configuration", "Doctor", "Encodings", "KernelKeyring",
            "LinuxProcess", "LoginCore", "LoginSystem", "MachineIdentity", "SecretMemory", "SessionTool",
            "WorkerProtocol", "Wording",
        ],
        linkerSettings: hardened
    ),
]

let tests: [Target] = [
    .testTarget(name: "ConfigurationTests", dependencies: ["ByteText", "Configuration"]),
    .testTarget(name: "WorkerProtocolTests", dependencies: ["WorkerProtocol", "SecretMemory"]),
    .testTarget(
        name: "Fakes",
        dependencies: [
            "ByteText", "Configuration", "KernelKeyring", "LinuxProcess", "LoginCore", "Reaping", "SecretMemory",
            "Wording", "WorkerProtocol",
        ],
        path: "Tests/Fakes"
    ),
    .testTarget(
        name: "LoginCoreTests",
        dependencies: [
            "ByteText", "Configuration", "CPAM", "Fakes", "KernelKeyring", "LinuxProcess", "LoginCore", "SecretMemory",
            "Wording", "WorkerProtocol",
        ]
    ),
    .testTarget(
        name: "ReapingTests",
        dependencies: [
            "ByteText", "Configuration", "Fakes", "KernelKeyring", "LinuxProcess", "LoginCore", "Reaping",
            "WorkerProtocol",
        ]
    ),
    .testTarget(
        name: "AgentCoreTests",
        dependencies: [
            "AgentCore", "ByteText", "Fakes", "KernelKeyring", "LinuxProcess", "LoginCore", "Reaping", "SecretMemory",
            "WorkerProtocol",
        ]
    ),
    .testTarget(name: "WordingTests", dependencies: ["Wording"]),
    .testTarget(
        name: "KernelKeyringTests",
        dependencies: ["CKeyutils", "CLinux", "KernelKeyring", "LinuxProcess", "SecretMemory"]),
    .testTarget(name: "CryptographyTests", dependencies: ["Cryptography", "Encodings", "SecretMemory"]),
    .testTarget(
        name: "CognitoIdentityProviderTests",
        dependencies: ["CognitoIdentityProvider", "Cryptography", "Encodings", "HTTPClient", "SecretMemory"],
        exclude: ["Vectors"]
    ),
    .target(name: "TokenSigning", dependencies: ["CCrypto", "Encodings"], path: "Tests/TokenSigning"),
    .testTarget(name: "JSONWebTokenTests", dependencies: ["Encodings", "JSONWebToken", "TokenSigning"]),
    .testTarget(
        name: "SignInTests",
        dependencies: [
            "CognitoIdentityProvider", "Encodings", "HTTPClient", "SecretMemory", "Session", "SignIn", "TokenSigning",
            "WorkerProtocol", "Wording",
        ]
    ),
    .testTarget(name: "EncodingsTests", dependencies: ["Encodings"]),
    .testTarget(
        name: "SessionToolTests",
        dependencies: ["Doctor", "Encodings", "Session", "SessionTool", "Wording", "WorkerProtocol"],
        exclude: ["texts.golden", "texts.es.golden"]
    ),
    .testTarget(name: "DoctorTests", dependencies: ["Doctor", "LinuxProcess"]),
    .testTarget(name: "SessionTests", dependencies: ["Encodings", "Session"]),
    .testTarget(name: "SignOutHooksTests", dependencies: ["LoginCore", "SignOutHooks"]),
    .testTarget(name: "HostedSessionsTests", dependencies: ["CLinux", "HostedSessions", "LinuxProcess"]),
    .testTarget(name: "LinuxProcessTests", dependencies: ["LinuxProcess", "CLinux", "SecretMemory"]),
]

let package = Package(
    name: "pam-cognito",
    products: embedded ? [.library(name: "pam_cognito", type: .dynamic, targets: ["PAMModule"])] : [],
    targets: embedded ? rootSide : rootSide + workerSide + tests
)

// The standing settings of every Swift target.
for target in package.targets where target.type != .system && target.name != "CLinux" {
    var settings: [SwiftSetting] = [
        .swiftLanguageMode(.v6),
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
    if target.type != .test {
        settings.append(.strictMemorySafety())
    }
    if target.type != .test {
        // What is imported is linked: programs that start in a millisecond have no use for these two libraries.
        settings.append(
            .unsafeFlags([
                "-Xfrontend", "-disable-implicit-concurrency-module-import",
                "-Xfrontend", "-disable-implicit-string-processing-module-import",
            ]))
    }
    if embedded {
        settings += [
            .enableExperimentalFeature("Embedded"),
            // Array literals outlined into global objects get the same weak symbol with different contents in different
            // modules, and the linker takes any one of them (seen with Swift 6.3.1): so they are not outlined.
            .unsafeFlags(["-wmo", "-Osize", "-Xllvm", "-sil-disable-pass=object-outliner"]),
        ]
    }
    target.swiftSettings = (target.swiftSettings ?? []) + settings
}
