// swift-tools-version: 6.2

import PackageDescription

// One package, two builds. PAM_COGNITO_EMBEDDED=1 builds pam_cognito.so alone, as Embedded Swift: it lives
// inside sshd and su, where a runtime of several megabytes has no place. Everything else, and the same
// targets for their unit tests, is built the ordinary way. Each build needs a scratch path of its own.
let embedded = Context.environment["PAM_COGNITO_EMBEDDED"] == "1"

// PAM_COGNITO_FUZZ=1 builds what Tests/fuzz runs.
let fuzzing = Context.environment["PAM_COGNITO_FUZZ"] == "1"

// PAM_COGNITO_RELEASE=1 leaves out what is for the tests alone: some of that can be compiled for tests only.
let release = Context.environment["PAM_COGNITO_RELEASE"] == "1"

// Where the programs are installed. It is compiled in: a path that came from the environment could not be
// trusted inside a set-uid host.
let prefix = Context.environment["PAM_COGNITO_PREFIX"] ?? "/usr"

/// A program's tables of function addresses are complete and read-only before its first instruction (RELRO, BIND_NOW).
let hardened: [LinkerSetting] = [.unsafeFlags(["-Xlinker", "-z", "-Xlinker", "now"])]

/// What is C: optimized in every build, without which there is no FORTIFY. Branch protection (CET) is left out: the
/// linker grants it only where every object has it, and the Swift compiler makes none that do.
let hardenedC: CSetting = .unsafeFlags([
    "-Wall", "-Wextra", "-Werror", "-fvisibility=hidden", "-fstack-protector-strong", "-ffunction-sections",
    "-O2", "-D_FORTIFY_SOURCE=3",
])

/// The root side's part of a session, in the host and in the agent: no Foundation, no concurrency, names as bytes.
let rootSide: [Target] = [
    .systemLibrary(name: "CPAM", path: "Sources/CPAM"),
    .systemLibrary(name: "CKeyutils", path: "Sources/CKeyutils"),
    .target(
        name: "CLinux",
        cSettings: [
            .define("PAM_COGNITO_WORKER", to: "\"\(prefix)/libexec/pam-cognito/cognito-worker\""),
            .define("PAM_COGNITO_AGENT", to: "\"\(prefix)/libexec/pam-cognito/cognito-agent\""),
            hardenedC,
        ]
    ),
    .target(name: "Base", dependencies: ["CLinux"]),
    .target(name: "Protocol", dependencies: ["Base"]),
    .target(name: "CVersion", cSettings: [hardenedC]),
    .target(name: "Messages", dependencies: ["Base", "CVersion"]),
    .target(name: "Keyring", dependencies: ["Base", "CKeyutils", "CLinux"]),
    .target(name: "Configuration", dependencies: ["Base"]),
    .target(name: "Accounts", dependencies: ["Base", "CLinux", "Configuration"]),
    .target(
        name: "Sessions",
        dependencies: ["Accounts", "Base", "CLinux", "Configuration", "Keyring", "Messages", "Protocol"]),
    .target(
        name: "PAMModule",
        dependencies: ["Base", "CLinux", "CPAM", "Messages", "Protocol", "Sessions"],
        path: "Sources/Module/PAM",
        // Embedded Swift does not carry the module maps' libraries into the link.
        linkerSettings: [.linkedLibrary("pam"), .linkedLibrary("crypt"), .linkedLibrary("keyutils")]
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

/// Who answers for people's accounts, whenever anybody on the machine asks whose a user id is: as small as the module.
let accountService: [Target] = [
    .systemLibrary(name: "CJansson", path: "Sources/CJansson"),
    .target(
        name: "UserDatabase", dependencies: ["Accounts", "Base", "CJansson"],
        path: "Sources/AccountService/UserDatabase"
    ),
    .executableTarget(
        name: "cognito-accounts",
        dependencies: ["Accounts", "Base", "CLinux", "Configuration", "UserDatabase"],
        path: "Sources/AccountService/cognito-accounts",
        // Embedded Swift does not carry the module maps' libraries into the link.
        linkerSettings: [.linkedLibrary("jansson")] + hardened
            + (embedded ? [.unsafeFlags(["-use-ld=lld", "-Xlinker", "--gc-sections", "-Xlinker", "--as-needed"])] : [])
    ),
]

/// What understands tokens: the worker makes bundles of them, the tool reads them. Not the root side, to which they are
/// bytes.
let tokens: [Target] = [
    .target(name: "Tokens", dependencies: ["Base", "CJansson"])
]

/// What a command line asks for, and how it is answered: for the programs that people start.
let commands: [Target] = [
    .target(name: "Commands", dependencies: ["Base", "CLinux", "Messages", "Tokens"])
]

/// The worker: network, TLS and cryptography.
let worker: [Target] = [
    .systemLibrary(name: "CCurl", path: "Sources/CCurl"),
    .systemLibrary(name: "CCrypto", path: "Sources/CCrypto"),
    .systemLibrary(name: "CQRencode", path: "Sources/CQRencode"),
    .target(name: "CSandbox", cSettings: [hardenedC], linkerSettings: [.linkedLibrary("seccomp")]),
    .target(
        name: "Cryptography", dependencies: ["Base", "CCrypto", "CLinux", "Tokens"], path: "Sources/Worker/Cryptography"
    ),
    .target(name: "MachineIdentity", dependencies: ["Base", "Tokens"], path: "Sources/Worker/MachineIdentity"),
    .target(
        name: "HTTPClient", dependencies: ["Base", "CCrypto", "CCurl", "Configuration", "Cryptography", "Tokens"],
        path: "Sources/Worker/HTTPClient"
    ),
    .target(
        name: "CognitoIdentityProvider",
        dependencies: ["Base", "Cryptography", "HTTPClient", "MachineIdentity", "Tokens"],
        path: "Sources/Worker/CognitoIdentityProvider"
    ),
    .target(
        name: "Steps",
        dependencies: [
            "Base", "CognitoIdentityProvider", "CQRencode", "Cryptography", "HTTPClient", "MachineIdentity", "Messages",
            "Protocol", "Tokens",
        ],
        path: "Sources/Worker/Steps"
    ),
    .executableTarget(
        name: "cognito-worker",
        dependencies: [
            "Base", "CLinux", "CognitoIdentityProvider", "CSandbox", "HTTPClient", "Messages", "Protocol", "Steps",
        ],
        path: "Sources/Worker/cognito-worker",
        linkerSettings: hardened
    ),
]

/// The agent: sessions seen from outside.
let agent: [Target] = [
    .target(
        name: "Agent",
        dependencies: [
            "Accounts", "Base", "CLinux", "Configuration", "Keyring", "Messages", "Protocol", "Sessions",
        ],
        path: "Sources/Agent", exclude: ["cognito-agent"]
    ),
    .executableTarget(
        name: "cognito-agent",
        dependencies: [
            "Accounts", "Agent", "Base", "CLinux", "Configuration", "Keyring", "Messages", "Protocol", "Sessions",
        ],
        path: "Sources/Agent/cognito-agent",
        linkerSettings: hardened
    ),
]

/// The doctor, which root's shell starts.
let doctor: [Target] = [
    .target(
        name: "CStackJudge", dependencies: ["CLinux"], path: "Sources/Doctor/CStackJudge", cSettings: [hardenedC],
        linkerSettings: [.linkedLibrary("pam")]
    ),
    .target(
        name: "Doctor",
        dependencies: [
            "Accounts", "Base", "CLinux", "CStackJudge", "Commands", "Configuration", "Keyring", "MachineIdentity",
            "Messages", "Protocol", "Sessions", "Tokens",
        ],
        path: "Sources/Doctor",
        exclude: ["AccountKeeping", "CStackJudge", "cognito-doctor"]
    ),
    .target(
        name: "AccountKeeping", dependencies: ["Accounts", "Base", "CLinux", "Commands", "Messages", "Tokens"],
        path: "Sources/Doctor/AccountKeeping"
    ),
    .executableTarget(
        name: "cognito-doctor",
        dependencies: ["AccountKeeping", "Commands", "Doctor", "Messages"],
        path: "Sources/Doctor/cognito-doctor",
        linkerSettings: hardened
    ),
]

/// The tool of whoever is logged in.
let tool: [Target] = [
    .executableTarget(
        name: "cognito-session",
        dependencies: ["Base", "CLinux", "Commands", "Keyring", "Messages", "Protocol", "Tokens"],
        path: "Sources/Tool",
        linkerSettings: hardened
    )
]

/// All that reads bytes of others', for whatever these are.
let decoders: Target = .target(
    name: "Decoders",
    dependencies: [
        "Accounts", "Agent", "Base", "CognitoIdentityProvider", "Commands", "Configuration", "Cryptography", "Doctor",
        "HTTPClient", "Keyring", "MachineIdentity", "Protocol", "Sessions", "Tokens", "UserDatabase",
    ],
    path: "Tests/Fuzzing/Decoders"
)

/// libFuzzer has the main function.
let fuzzer: Target = .executableTarget(
    name: "fuzz", dependencies: ["Decoders"], path: "Tests/Fuzzing/Driver",
    swiftSettings: [.unsafeFlags(["-parse-as-library"])])

let tests: [Target] = [
    decoders,
    .testTarget(name: "DecodersTests", dependencies: ["Decoders"]),
    .testTarget(name: "BaseTests", dependencies: ["Base", "CLinux"]),
    .testTarget(name: "ConfigurationTests", dependencies: ["Base", "Configuration", "Fakes"]),
    // What the tests of accounts share.
    .testTarget(name: "AccountFakes", dependencies: ["Accounts", "Base"], path: "Tests/AccountFakes"),
    .testTarget(name: "AccountsTests", dependencies: ["AccountFakes", "Accounts", "Base", "Configuration"]),
    .testTarget(
        name: "AccountKeepingTests",
        dependencies: ["AccountFakes", "AccountKeeping", "Accounts", "Base", "Commands", "Configuration", "Tokens"]),
    .testTarget(
        name: "UserDatabaseTests",
        dependencies: ["AccountFakes", "Accounts", "Base", "Configuration", "Fakes", "UserDatabase"]),
    .testTarget(name: "ProtocolTests", dependencies: ["Base", "Protocol"]),
    .testTarget(name: "MessagesTests", dependencies: ["Messages"]),
    .testTarget(name: "KeyringTests", dependencies: ["Base", "CKeyutils", "CLinux", "Keyring"]),
    .testTarget(
        name: "Fakes",
        dependencies: [
            "Accounts", "Agent", "Base", "Configuration", "Keyring", "Messages", "Protocol", "Sessions",
        ],
        path: "Tests/Fakes"
    ),
    .testTarget(
        name: "LoginHooksTests",
        dependencies: [
            "Accounts", "Base", "Configuration", "CPAM", "Fakes", "Keyring", "Messages", "Protocol", "Sessions",
        ]
    ),
    .testTarget(
        name: "ReapingTests",
        dependencies: [
            "Accounts", "Agent", "Base", "Configuration", "Fakes", "Keyring", "Protocol", "Sessions",
        ]
    ),
    .testTarget(
        name: "HistoriesTests",
        dependencies: ["Agent", "Base", "Configuration", "Fakes", "Keyring", "Protocol", "Sessions"]
    ),
    .testTarget(
        name: "AgentRequestsTests",
        dependencies: ["Agent", "Base", "Fakes", "Keyring", "Protocol", "Sessions"]
    ),
    .testTarget(
        name: "AccountSyncTests",
        dependencies: [
            "AccountFakes", "Accounts", "Agent", "Base", "Configuration", "Fakes", "Keyring", "Protocol", "Sessions",
        ]
    ),
    .testTarget(name: "HostedSessionsTests", dependencies: ["Agent", "Base", "Sessions"]),
    .testTarget(
        name: "DoctorTests",
        dependencies: [
            "Accounts", "Base", "Commands", "Configuration", "Doctor", "Keyring", "Messages", "Protocol", "Sessions",
            "Tokens",
        ]),
    .target(name: "TokenSigning", dependencies: ["Base", "CCrypto", "Tokens"], path: "Tests/TokenSigning"),
    .testTarget(name: "TokensTests", dependencies: ["Base", "TokenSigning", "Tokens"]),
    .testTarget(name: "CommandsTests", dependencies: ["Commands"]),
    .testTarget(name: "CryptographyTests", dependencies: ["Base", "Cryptography", "TokenSigning", "Tokens"]),
    .testTarget(name: "HTTPClientTests", dependencies: ["Base", "CCurl", "HTTPClient", "TokenSigning", "Tokens"]),
    .testTarget(
        name: "CognitoIdentityProviderTests",
        dependencies: ["Base", "CognitoIdentityProvider", "Cryptography", "HTTPClient", "TokenSigning", "Tokens"],
        exclude: ["Vectors"]
    ),
    .testTarget(
        name: "StepsTests",
        dependencies: [
            "Base", "CognitoIdentityProvider", "Cryptography", "Fakes", "HTTPClient", "Messages", "Protocol", "Steps",
            "TokenSigning", "Tokens",
        ]
    ),
    .testTarget(
        name: "SessionToolTests",
        dependencies: [
            "Base", "cognito-session", "Commands", "Doctor", "Messages", "Protocol", "TokenSigning", "Tokens",
        ],
        exclude: ["texts.golden", "texts.es.golden"]
    ),
]

let package = Package(
    name: "pam-cognito",
    products: embedded
        ? [
            .library(name: "pam_cognito", type: .dynamic, targets: ["PAMModule"]),
            .executable(name: "cognito-accounts", targets: ["cognito-accounts"]),
        ] : [],
    targets: embedded
        ? rootSide + accountService
        : rootSide + accountService + tokens + commands + worker + agent + doctor + tool
            + (fuzzing ? [decoders, fuzzer] : release ? [] : tests)
)

// The standing settings of every Swift target.
let inC = ["CLinux", "CSandbox", "CStackJudge", "CVersion"]
for target in package.targets where target.type != .system && !inC.contains(target.name) {
    var settings: [SwiftSetting] = [
        .swiftLanguageMode(.v6),
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
    if target.type != .test, target.name != "Decoders" {
        settings.append(.strictMemorySafety())
    }
    // Optimized in the debug build, too: the tests would spend half of their time in what is not.
    if target.type != .test {
        settings.append(.unsafeFlags(["-O"], .when(configuration: .debug)))
    }
    if fuzzing {
        settings.append(.unsafeFlags(["-sanitize=fuzzer"]))
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
            // A section for each function, or the linker could drop an unused one only with all of its file.
            .unsafeFlags([
                "-wmo", "-Osize", "-Xllvm", "-sil-disable-pass=object-outliner", "-Xfrontend", "-function-sections",
            ]),
        ]
    }
    target.swiftSettings = (target.swiftSettings ?? []) + settings
}
