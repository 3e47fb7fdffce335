import Accounts
package import Base
import CLinux
package import Keyring

/// The machine as it is: its accounts, files, processes and keyrings.
package struct LinuxMachine: Machine, RootKeyrings {
    let configurations = ConfigurationFiles()
    let lastAnswer = LastAnswer()

    /// The system account that workers run as.
    package static let workerAccount: StaticString = "_pam-cognito"

    /// Puts a token key where its session finds it: the bundle, its description, and for how many seconds; and has it
    /// held by root before it may be used.
    package typealias Delivery = (
        borrowing Secret, [UInt8], Int64, _ hold: (KeySerial) throws(ErrorNumber) -> Void
    ) throws(ErrorNumber) -> KeySerial

    private let host: ProcessIdentity?
    let delivery: Delivery?

    /// This machine, seen from a process that hosts sessions itself.
    package init() {
        host = nil
        delivery = nil
    }

    /// This machine, for a session that `host` hosts and that only `delivery` reaches.
    package init(hostedBy host: ProcessIdentity, delivery: @escaping Delivery) {
        self.host = host
        self.delivery = delivery
    }

    package var isDisabled: Bool { unsafe linux_exists("/run/pam-cognito/disabled") == 1 }
    package var realUserID: UInt32 { linux_user_id() }
    package var sessionBegan: Int64? {
        (try? ProcessStat(of: process.id)).flatMap { own in began(own.session) }
    }
    package var processBegan: Int64? { began(process.id) }

    /// When a process began, in milliseconds since the epoch.
    private func began(_ process: Int32) -> Int64? {
        guard process > 0, let stat = try? ProcessStat(of: process) else {
            return nil
        }
        return linux_realtime_ms() - (now.milliseconds - stat.startMilliseconds)
    }
    package var effectiveUserID: UInt32 { linux_effective_user_id() }
    package var isStoppable: Bool { linux_starter_id() != 0 }
    package var inputPeer: UInt32? {
        // Sockets of other families have no peer.
        guard let (process, userID) = PacketSocket(0).peer, userID != .max else {
            return nil
        }
        guard userID == 0 else {
            return userID
        }
        return process > 0 ? (try? ProcessStatus(of: process))?.numbers("Uid").first ?? nobodysUserID : nobodysUserID
    }
    package var process: ProcessIdentity { host ?? .current }
    /// Whether it is this process that hosts sessions.
    var isHost: Bool { host == nil }
    package var arguments: [[UInt8]] { ownArguments() }
    package var parentProcess: Int32 { linux_parent_process_id() }
    package var parentOfSameProgram: ProcessIdentity? { isHost ? .parentOfSameProgram : nil }
    package var rootDirectory: RootDirectory { .current }
    /// Looked up once: a process never leaves its pid namespace, and a round of the reaper asks for each of thousands
    /// of entries.
    package let pidNamespace = PIDNamespace.current
    package var now: Instant { .now }
    package var time: Int64 { secondsSinceEpoch() }

    package func life(of process: ProcessIdentity) -> Life {
        process.life
    }

    package func life(of process: ProcessIdentity, from namespace: PIDNamespace) -> Life {
        // Only the initial namespace sees the processes of all others.
        guard pidNamespace == .initial else {
            return .unknown(.notPermitted)
        }
        // One whose namespace could not be read may well be of this one.
        guard namespace.isKnown || process.life == .gone else {
            return process.life
        }
        return process.lifeElsewhere
    }

    package func random(below bound: Int64) -> Int64 {
        var number: UInt64 = 0
        let filled = unsafe withUnsafeMutableBytes(of: &number) { bytes in
            unsafe linux_random(bytes.baseAddress, bytes.count)
        }
        return bound > 0 && filled == 0 ? Int64(number % UInt64(bound)) : 0
    }

    package func pause(milliseconds: Int64) {
        linux_sleep_ms(milliseconds)
    }
}

extension FileFault {
    var isResourceExhaustion: Bool {
        switch self {
        case .unreadable(let error): error.isResourceExhaustion
        case .outOfMemory: true
        case .missing, .notRegular, .wrongOwner, .writableByOthers, .readableByOthers, .tooLarge: false
        }
    }
}

extension AccountFault {
    var isResourceExhaustion: Bool {
        switch self {
        case .directory(let error): error.isResourceExhaustion
        case .file(let fault): fault.isResourceExhaustion
        case .damaged: false
        }
    }
}

extension ErrorNumber {
    var isResourceExhaustion: Bool {
        switch self {
        case .interrupted, .resourceTemporarilyUnavailable, .noMemory, .tooManyOpenFilesInSystem, .tooManyOpenFiles:
            true
        default: false
        }
    }
}

/// A C string's bytes.
package struct StaticBytes {
    /// The bytes, without the NUL.
    package let bytes: [UInt8]

    /// Copies `text`; empty for NULL.
    package init(_ text: UnsafePointer<CChar>?) {
        var bytes: [UInt8] = []
        if var next = unsafe text {
            while unsafe next.pointee != 0 {
                bytes.append(UInt8(truncatingIfNeeded: unsafe next.pointee))
                unsafe next += 1
            }
        }
        self.bytes = bytes
    }
}
