package import Base

/// How long a proof is, in bytes: less than a token's signature, so that each of them has something of one in it.
let sessionProofLength = 256

/// What proves that somebody can read a session's token key, without a token in it: its payload, folded.
package func sessionProof(_ payload: borrowing Secret) -> [UInt8] {
    payload.withBytes { bytes in
        var folded = [UInt8](repeating: 0, count: sessionProofLength)
        for index in 0..<bytes.byteCount {
            folded[index % sessionProofLength] ^= bytes.byte(at: index) ?? 0
        }
        return folded
    }
}
