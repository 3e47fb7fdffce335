package import Base

/// How long what a client proves with is, in bytes: a session's secret, or the fold of what its token key holds.
let secretLength = 16
let foldedLength = 256

/// The proof that a program can read the token key of a session without a secret, because version 0.1.0 has opened it:
/// its payload, folded, so that it contains no token. Each signature has more bytes than that, and so a part in each of
/// them.
package func sessionProof(_ payload: borrowing Secret) -> Secret? {
    var folded = [UInt8](repeating: 0, count: foldedLength)
    payload.withBytes { bytes in
        for index in 0..<bytes.byteCount {
            folded[index % foldedLength] ^= bytes.byte(at: index) ?? 0
        }
    }
    return unsafe Secret(copying: folded.span.bytes)
}
