import CLinux

/// Why nothing was received.
package enum ReceiveFault: Error, Equatable {
    case endOfFile
    case timedOut
    case tooLarge
    case failed(ErrorNumber)
    case outOfMemory
}

/// A connected SOCK_SEQPACKET socket (unix(7)), owned by the caller: one packet is one message.
package struct PacketSocket {
    private let number: CInt

    /// Wraps a descriptor that is known to be one: made, accepted or checked before.
    package init(_ number: CInt) {
        self.number = number
    }

    /// Whether `number` is such a socket: it came from the program that started this one.
    package static func isOne(_ number: CInt) -> Bool {
        linux_is_packet_socket(number) == 1
    }

    /// Connects to the listener at `path`; nil when there is none, or it is not root's: passwords go through there.
    ///
    /// - Parameter seconds: How long to wait where its queue is full.
    package static func connect(toRootsAt path: StaticString, timeout seconds: CInt = 10) -> Descriptor? {
        let path = unsafe UnsafeRawPointer(path.utf8Start).assumingMemoryBound(to: CChar.self)
        guard let socket = Descriptor(owning: unsafe linux_connect(path, seconds)) else {
            return nil
        }
        guard let peer = PacketSocket(socket.number).peer, peer.uid == 0 else {
            return nil
        }
        return socket
    }

    /// The peer, by the kernel (SO_PEERCRED); nil if it has none.
    package var peer: (process: Int32, uid: UInt32)? {
        var process: Int32 = 0
        var userID: UInt32 = 0
        guard unsafe linux_peer(number, &process, &userID) == 0 else {
            return nil
        }
        return (process, userID)
    }

    /// Whether the peer is in the network namespace of this process, as far as that can be seen.
    package var peerSharesNetwork: Bool {
        linux_peer_shares_network(number) == 1
    }

    /// Sends one packet, which the other side must take within the time.
    package func send(_ packet: RawSpan, timeout milliseconds: Int32) throws(ErrorNumber) {
        let result = unsafe packet.withUnsafeBytes { bytes in
            unsafe linux_send(number, bytes.baseAddress, bytes.count, milliseconds)
        }
        try ErrorNumber.check(result)
    }

    /// Waits for one packet of at most `largest` bytes.
    package func receive(atMost largest: Int, timeout milliseconds: Int32) throws(ReceiveFault) -> Secret {
        var length: Int64 = 0
        let packet = unsafe Secret(capacity: largest) { memory, capacity in
            length = unsafe linux_receive(number, memory, capacity, milliseconds)
            return length > 0 ? Int(length) : 0
        }
        guard let packet else {
            throw .outOfMemory
        }
        if length > 0 {
            return packet
        }
        switch ErrorNumber(CInt(truncatingIfNeeded: -length)) {
        case _ where length == 0: throw .endOfFile
        case .timedOut: throw .timedOut
        case .messageTooLong: throw .tooLarge
        case let error: throw .failed(error)
        }
    }
}
