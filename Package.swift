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

/// Where the files of targets lie that do not have a folder of their own.
let places: [String: [String]] = [
    "AgentClient": [
        "Sources/Tool/SessionTool/AgentClient.swift",
    ],
    "AgentCore": [
        "Sources/Agent/Requests/AccountMemory.swift",
        "Sources/Agent/Requests/AgentPeer.swift",
        "Sources/Agent/Requests/AgentRefusal.swift",
        "Sources/Agent/Requests/AgentRequest.swift",
        "Sources/Agent/Requests/AgentSurroundings.swift",
        "Sources/Agent/Requests/PeerConversation.swift",
        "Sources/Agent/Requests/PeerTransaction.swift",
        "Sources/Agent/Requests/PersonRequests.swift",
        "Sources/Agent/Requests/Places.swift",
        "Sources/Agent/Requests/RegistryRequest.swift",
    ],
    "AgentCoreTests": [
        "Tests/AgentRequestsTests/AgentRequestTests.swift",
        "Tests/AgentRequestsTests/PlacesTests.swift",
    ],
    "ByteText": [
        "Sources/Base/ByteText.swift",
        "Sources/Base/Mention.swift",
    ],
    "CognitoIdentityProvider": [
        "Sources/Worker/CognitoIdentityProvider/CognitoClient.swift",
        "Sources/Worker/CognitoIdentityProvider/HTTPDate.swift",
        "Sources/Worker/CognitoIdentityProvider/InstanceMetadata.swift",
        "Sources/Worker/CognitoIdentityProvider/Operations.swift",
        "Sources/Worker/CognitoIdentityProvider/SecretHash.swift",
        "Sources/Worker/CognitoIdentityProvider/SecureRemotePassword.swift",
        "Sources/Worker/CognitoIdentityProvider/ServiceError.swift",
        "Sources/Worker/CognitoIdentityProvider/SignInOperations.swift",
        "Sources/Worker/CognitoIdentityProvider/Timestamp.swift",
        "Sources/Worker/CognitoIdentityProvider/TokenOperations.swift",
        "Sources/Worker/CognitoIdentityProvider/UserPool.swift",
    ],
    "Configuration": [
        "Sources/Configuration/ConfigurationError.swift",
        "Sources/Configuration/Option.swift",
        "Sources/Configuration/Parser.swift",
        "Sources/Configuration/Settings.swift",
        "Sources/Configuration/Values.swift",
    ],
    "Cryptography": [
        "Sources/Worker/Cryptography/BigNumber.swift",
        "Sources/Worker/Cryptography/CryptographyError.swift",
        "Sources/Worker/Cryptography/Hash.swift",
        "Sources/Worker/Cryptography/PublicKeyPin.swift",
        "Sources/Worker/Cryptography/RSAPublicKey.swift",
    ],
    "CryptographyTests": [
        "Tests/CryptographyTests/CryptographyTests.swift",
    ],
    "Doctor": [
        "Sources/Agent/Doctor/AccountExamination.swift",
        "Sources/Agent/Doctor/Attempt.swift",
        "Sources/Agent/Doctor/CognitoExamination.swift",
        "Sources/Agent/Doctor/ConfigurationExamination.swift",
        "Sources/Agent/Doctor/Explanation.swift",
        "Sources/Agent/Doctor/FileExamination.swift",
        "Sources/Agent/Doctor/Finding.swift",
        "Sources/Agent/Doctor/IdentityExamination.swift",
        "Sources/Agent/Doctor/KeyringExamination.swift",
        "Sources/Agent/Doctor/OldSetUp.swift",
        "Sources/Agent/Doctor/PAMLine.swift",
        "Sources/Agent/Doctor/PAMServices.swift",
        "Sources/Agent/Doctor/PeopleExamination.swift",
        "Sources/Agent/Doctor/SSHConfiguration.swift",
        "Sources/Agent/Doctor/SSHExamination.swift",
        "Sources/Agent/Doctor/StackCheck.swift",
        "Sources/Agent/Doctor/StackExamination.swift",
        "Sources/Agent/Doctor/StackProblem.swift",
        "Sources/Agent/Doctor/StackRun.swift",
    ],
    "Encodings": [
        "Sources/Tokens/Base64.swift",
        "Sources/Tokens/Hexadecimal.swift",
        "Sources/Tokens/JSONText.swift",
        "Sources/Tokens/JSONValue.swift",
    ],
    "EncodingsTests": [
        "Tests/TokensTests/EncodingsTests.swift",
        "Tests/TokensTests/JSONTextTests.swift",
    ],
    "HTTPClient": [
        "Sources/Worker/HTTPClient/HTTPClient.swift",
        "Sources/Worker/HTTPClient/HTTPMessage.swift",
        "Sources/Worker/HTTPClient/RequestSigner.swift",
    ],
    "HostedSessions": [
        "Sources/Agent/HostedSessions/HostedSession.swift",
        "Sources/Agent/HostedSessions/ProcessTable.swift",
    ],
    "HostedSessionsTests": [
        "Tests/HostedSessionsTests/ProcessTableTests.swift",
        "Tests/HostedSessionsTests/TellTests.swift",
    ],
    "JSONWebToken": [
        "Sources/Worker/Cryptography/Claims.swift",
        "Sources/Worker/Cryptography/JSONWebToken.swift",
        "Sources/Worker/Cryptography/KeySet.swift",
    ],
    "JSONWebTokenTests": [
        "Tests/CryptographyTests/JSONWebTokenTests.swift",
    ],
    "KernelKeyring": [
        "Sources/Keyring/AttemptKeyring.swift",
        "Sources/Keyring/Inbox.swift",
        "Sources/Keyring/Key.swift",
        "Sources/Keyring/RootKeyring.swift",
        "Sources/Keyring/RootRing.swift",
        "Sources/Keyring/SessionKeyring.swift",
        "Sources/Keyring/TokenKey.swift",
    ],
    "KernelKeyringTests": [
        "Tests/KeyringTests/KeyDescriptionTests.swift",
        "Tests/KeyringTests/TokenKeyTests.swift",
    ],
    "LinuxProcess": [
        "Sources/Base/Account.swift",
        "Sources/Base/ChildProcess.swift",
        "Sources/Base/Clock.swift",
        "Sources/Base/Descriptor.swift",
        "Sources/Base/ProcessIdentity.swift",
        "Sources/Base/TrustedFile.swift",
    ],
    "LinuxProcessTests": [
        "Tests/BaseTests/FileTests.swift",
        "Tests/BaseTests/LimitsTests.swift",
        "Tests/BaseTests/StartTests.swift",
        "Tests/BaseTests/Support.swift",
        "Tests/BaseTests/TurnTests.swift",
    ],
    "LoginCore": [
        "Sources/Module/Hooks/AttemptCount.swift",
        "Sources/Module/Hooks/Coverage.swift",
        "Sources/Module/Hooks/HandOff.swift",
        "Sources/Module/Hooks/Hooks.swift",
        "Sources/Module/Hooks/PasswordHook.swift",
        "Sources/Module/Hooks/PasswordShape.swift",
        "Sources/Module/Hooks/PersonStep.swift",
        "Sources/Module/Hooks/Purpose.swift",
        "Sources/Module/Hooks/RecoveryHook.swift",
        "Sources/Module/Hooks/RememberedDevice.swift",
        "Sources/Module/Hooks/ReturnValue.swift",
        "Sources/Module/Hooks/ScreenLock.swift",
        "Sources/Module/Hooks/SessionHooks.swift",
        "Sources/Module/Hooks/SessionReuse.swift",
        "Sources/Module/Hooks/SignIn.swift",
        "Sources/Module/Hooks/Transaction.swift",
        "Sources/Sessions/AdminSignOut.swift",
        "Sources/Sessions/AskedStep.swift",
        "Sources/Sessions/AuditLine.swift",
        "Sources/Sessions/JournalRecord.swift",
        "Sources/Sessions/LiveSessions.swift",
        "Sources/Sessions/Machine.swift",
        "Sources/Sessions/PrintableText.swift",
        "Sources/Sessions/Probe.swift",
        "Sources/Sessions/RegistryEntry.swift",
        "Sources/Sessions/SessionCheck.swift",
        "Sources/Sessions/SessionEnding.swift",
        "Sources/Sessions/SessionRenewal.swift",
        "Sources/Sessions/SessionStep.swift",
        "Sources/Sessions/SignOutNotice.swift",
        "Sources/Sessions/WorkerStep.swift",
    ],
    "LoginCoreTests": [
        "Tests/LoginHooksTests/AttemptTests.swift",
        "Tests/LoginHooksTests/AuthenticateTests.swift",
        "Tests/LoginHooksTests/CoverageTests.swift",
        "Tests/LoginHooksTests/DeviceTests.swift",
        "Tests/LoginHooksTests/EndingTests.swift",
        "Tests/LoginHooksTests/LanguageTests.swift",
        "Tests/LoginHooksTests/PasswordTests.swift",
        "Tests/LoginHooksTests/RecoveryTests.swift",
        "Tests/LoginHooksTests/RefusedSignInTests.swift",
        "Tests/LoginHooksTests/RegistryEntryTests.swift",
        "Tests/LoginHooksTests/RenewalTests.swift",
        "Tests/LoginHooksTests/ReuseTests.swift",
        "Tests/LoginHooksTests/ScreenLockTests.swift",
        "Tests/LoginHooksTests/SessionTests.swift",
        "Tests/LoginHooksTests/UnclaimedTests.swift",
    ],
    "LoginSystem": [
        "Sources/Module/LinuxHost/DeviceStore.swift",
        "Sources/Module/LinuxHost/JournalStore.swift",
        "Sources/Module/LinuxHost/LinuxMachine.swift",
        "Sources/Module/LinuxHost/Sealing.swift",
        "Sources/Module/LinuxHost/Turns.swift",
    ],
    "MachineIdentity": [
        "Sources/Worker/MachineIdentity/IAMCredentials.swift",
    ],
    "PAMModule": [
        "Sources/Module/PAM/EntryPoints.swift",
        "Sources/Module/PAM/LibPAMTransaction.swift",
    ],
    "QRCode": [
        "Sources/Worker/Steps/QRCode.swift",
    ],
    "Reaping": [
        "Sources/Agent/Reaping/EndCause.swift",
        "Sources/Agent/Reaping/EntriesByPerson.swift",
        "Sources/Agent/Reaping/JournalRound.swift",
        "Sources/Agent/Reaping/Reaper.swift",
        "Sources/Agent/Reaping/ReaperChecks.swift",
        "Sources/Agent/Reaping/ReaperIdle.swift",
        "Sources/Agent/Reaping/ReaperRound.swift",
        "Sources/Agent/Reaping/SessionControl.swift",
        "Sources/Agent/Reaping/UnaskedEnd.swift",
        "Sources/Agent/Reaping/Verdict.swift",
    ],
    "SecretMemory": [
        "Sources/Base/Secret.swift",
    ],
    "Session": [
        "Sources/Tokens/Claims.swift",
        "Sources/Tokens/Session.swift",
    ],
    "SessionTests": [
        "Tests/TokensTests/SessionTests.swift",
    ],
    "SessionTool": [
        "Sources/Tool/SessionTool/Agent.swift",
        "Sources/Tool/SessionTool/AnswerObject.swift",
        "Sources/Tool/SessionTool/ClaimsReport.swift",
        "Sources/Tool/SessionTool/Command.swift",
        "Sources/Tool/SessionTool/DoctorReport.swift",
        "Sources/Tool/SessionTool/ExitCode.swift",
        "Sources/Tool/SessionTool/Layout.swift",
        "Sources/Tool/SessionTool/OnlineCheck.swift",
        "Sources/Tool/SessionTool/Parser.swift",
        "Sources/Tool/SessionTool/Person.swift",
        "Sources/Tool/SessionTool/Refreshment.swift",
        "Sources/Tool/SessionTool/Report.swift",
        "Sources/Tool/SessionTool/SessionsReport.swift",
        "Sources/Tool/SessionTool/ShellPrompt.swift",
        "Sources/Tool/SessionTool/SignOut.swift",
        "Sources/Tool/SessionTool/Situation.swift",
        "Sources/Tool/SessionTool/TokenRequest.swift",
        "Sources/Tool/SessionTool/Watch.swift",
    ],
    "SignIn": [
        "Sources/Worker/Steps/AdminSignOutStep.swift",
        "Sources/Worker/Steps/Authentication.swift",
        "Sources/Worker/Steps/ChallengeMachine.swift",
        "Sources/Worker/Steps/ChallengeName.swift",
        "Sources/Worker/Steps/ChangePasswordStep.swift",
        "Sources/Worker/Steps/CheckStep.swift",
        "Sources/Worker/Steps/HeldSession.swift",
        "Sources/Worker/Steps/PasswordFailure.swift",
        "Sources/Worker/Steps/PersonDialogue.swift",
        "Sources/Worker/Steps/ProbeStep.swift",
        "Sources/Worker/Steps/PromptText.swift",
        "Sources/Worker/Steps/Questions.swift",
        "Sources/Worker/Steps/RecoverPasswordStep.swift",
        "Sources/Worker/Steps/RememberedDevice.swift",
        "Sources/Worker/Steps/RenewStep.swift",
        "Sources/Worker/Steps/RootChannel.swift",
        "Sources/Worker/Steps/SecretText.swift",
        "Sources/Worker/Steps/ServiceDialogue.swift",
        "Sources/Worker/Steps/SessionHandOver.swift",
        "Sources/Worker/Steps/SignInDialogue.swift",
        "Sources/Worker/Steps/SignInFailure.swift",
        "Sources/Worker/Steps/SignInFlow.swift",
        "Sources/Worker/Steps/SignInProgress.swift",
        "Sources/Worker/Steps/SignInStep.swift",
        "Sources/Worker/Steps/SignInVocabulary.swift",
        "Sources/Worker/Steps/SignOutStep.swift",
        "Sources/Worker/Steps/StepFailure.swift",
        "Sources/Worker/Steps/StepSettings.swift",
        "Sources/Worker/Steps/TokenVerification.swift",
        "Sources/Worker/Steps/UserAgent.swift",
        "Sources/Worker/Steps/Worker.swift",
    ],
    "SignInTests": [
        "Tests/StepsTests/AdminSignOutTests.swift",
        "Tests/StepsTests/ChallengeMachineTests.swift",
        "Tests/StepsTests/ChangePasswordTests.swift",
        "Tests/StepsTests/CheckTests.swift",
        "Tests/StepsTests/DeviceTests.swift",
        "Tests/StepsTests/DialogueTests.swift",
        "Tests/StepsTests/Fakes.swift",
        "Tests/StepsTests/FlowChallengeTests.swift",
        "Tests/StepsTests/HeldSessionTests.swift",
        "Tests/StepsTests/ProbeTests.swift",
        "Tests/StepsTests/ResetPasswordTests.swift",
        "Tests/StepsTests/SignInTests.swift",
        "Tests/StepsTests/UserAgentTests.swift",
    ],
    "SignOutHooks": [
        "Sources/Agent/HostedSessions/SignOutHooks.swift",
    ],
    "SignOutHooksTests": [
        "Tests/HostedSessionsTests/SignOutHooksTests.swift",
    ],
    "Wording": [
        "Sources/Messages/AgentWording.swift",
        "Sources/Messages/ChallengeWording.swift",
        "Sources/Messages/DoctorWording.swift",
        "Sources/Messages/Language.swift",
        "Sources/Messages/Phrase.swift",
        "Sources/Messages/ProgramWording.swift",
        "Sources/Messages/RecoveryWording.swift",
        "Sources/Messages/Sentence.swift",
        "Sources/Messages/SessionWording.swift",
        "Sources/Messages/Spanish.swift",
        "Sources/Messages/TerminalWording.swift",
        "Sources/Messages/ToolWording.swift",
        "Sources/Messages/Version.swift",
        "Sources/Messages/Wording.swift",
        "Sources/Messages/WorkerWording.swift",
    ],
    "WordingTests": [
        "Tests/MessagesTests/LanguageTests.swift",
        "Tests/MessagesTests/PhraseTests.swift",
    ],
    "WorkerProtocol": [
        "Sources/Protocol/AgentExchange.swift",
        "Sources/Protocol/Exchange.swift",
        "Sources/Protocol/Frame.swift",
        "Sources/Protocol/Message.swift",
        "Sources/Protocol/RegisteredSession.swift",
        "Sources/Protocol/SignOutResult.swift",
    ],
    "WorkerProtocolTests": [
        "Tests/ProtocolTests/ExchangeTests.swift",
        "Tests/ProtocolTests/FrameTests.swift",
        "Tests/ProtocolTests/RegisteredSessionTests.swift",
        "Tests/ProtocolTests/SignOutResultTests.swift",
        "Tests/ProtocolTests/Support.swift",
    ],
    "cognito-agent": [
        "Sources/Agent/cognito-agent/AccountReader.swift",
        "Sources/Agent/cognito-agent/Listener.swift",
        "Sources/Agent/cognito-agent/PacketPeer.swift",
        "Sources/Agent/cognito-agent/SealingFilter.swift",
        "Sources/Agent/cognito-agent/Surroundings.swift",
        "Sources/Agent/cognito-agent/main.swift",
    ],
    "cognito-session": [
        "Sources/Tool/cognito-session/AgentCommands.swift",
        "Sources/Tool/cognito-session/Commands.swift",
        "Sources/Tool/cognito-session/Examination.swift",
        "Sources/Tool/cognito-session/Execution.swift",
        "Sources/Tool/cognito-session/Explaining.swift",
        "Sources/Tool/cognito-session/ForgotPassword.swift",
        "Sources/Tool/cognito-session/MachineReading.swift",
        "Sources/Tool/cognito-session/Output.swift",
        "Sources/Tool/cognito-session/RootAgent.swift",
        "Sources/Tool/cognito-session/Sessions.swift",
        "Sources/Tool/cognito-session/Surroundings.swift",
        "Sources/Tool/cognito-session/Terminal.swift",
        "Sources/Tool/cognito-session/TrialSignIn.swift",
        "Sources/Tool/cognito-session/Watching.swift",
        "Sources/Tool/cognito-session/main.swift",
    ],
    "cognito-worker": [
        "Sources/Worker/cognito-worker/PacketChannel.swift",
        "Sources/Worker/cognito-worker/SystemClock.swift",
        "Sources/Worker/cognito-worker/main.swift",
    ],
]
for target in package.targets {
    if let files = places[target.name] {
        target.path = "."
        target.sources = files
    }
}
