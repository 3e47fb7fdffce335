package import Base
internal import CCrypto
internal import CLinux

/// SHA-256 (FIPS 180-4) over bytes that come piece by piece. Digests of secrets are secrets.
@safe
package struct SHA256: ~Copyable {
    /// The length of a digest in bytes.
    package static let size = 32

    private let context: OpaquePointer

    package init() throws(CryptographyError) {
        guard let context = unsafe cryptoNewSHA256() else {
            throw CryptographyError("start a digest")
        }
        unsafe self.context = context
    }

    deinit {
        unsafe EVP_MD_CTX_free(context)
    }

    package mutating func update(_ bytes: RawSpan) throws(CryptographyError) {
        let result = unsafe bytes.withUnsafeBytes { buffer in
            unsafe EVP_DigestUpdate(context, buffer.baseAddress, buffer.count)
        }
        try check(result, "update a digest")
    }

    package mutating func update(_ bytes: [UInt8]) throws(CryptographyError) {
        try update(unsafe bytes.span.bytes)
    }

    /// The digest: 32 bytes.
    package consuming func finish() throws(CryptographyError) -> Secret {
        let digest = unsafe Secret(capacity: Self.size) { memory, capacity in
            var length: CUnsignedInt = 0
            let start = unsafe memory.assumingMemoryBound(to: UInt8.self)
            return unsafe EVP_DigestFinal_ex(context, start, &length) == 1 ? Int(length) : -1
        }
        guard let digest else {
            throw CryptographyError("finish a digest")
        }
        return digest
    }

    /// The digest of bytes that are not secret.
    package static func digest(_ bytes: [UInt8]) throws(CryptographyError) -> [UInt8] {
        var hash = try SHA256()
        try hash.update(bytes)
        return try hash.finish().withBytes { digest in digest.copied() }
    }
}

/// HMAC-SHA-256 (RFC 2104) over bytes that come piece by piece.
@safe
package struct HMACSHA256: ~Copyable {
    private let context: OpaquePointer

    /// Begins a code under `key`.
    package init(key: RawSpan) throws(CryptographyError) {
        let made = unsafe key.withUnsafeBytes { key in
            unsafe cryptoNewHMACSHA256(key.baseAddress, key.count)
        }
        guard let context = unsafe made else {
            throw CryptographyError("start an HMAC")
        }
        unsafe self.context = context
    }

    deinit {
        unsafe EVP_MAC_CTX_free(context)
    }

    package mutating func update(_ bytes: RawSpan) throws(CryptographyError) {
        let result = unsafe bytes.withUnsafeBytes { buffer in
            unsafe EVP_MAC_update(context, buffer.bindMemory(to: UInt8.self).baseAddress, buffer.count)
        }
        try check(result, "update an HMAC")
    }

    package mutating func update(_ bytes: [UInt8]) throws(CryptographyError) {
        try update(unsafe bytes.span.bytes)
    }

    /// The code: 32 bytes.
    package consuming func finish() throws(CryptographyError) -> Secret {
        let code = unsafe Secret(capacity: SHA256.size) { memory, capacity in
            var length = 0
            let start = unsafe memory.assumingMemoryBound(to: UInt8.self)
            return unsafe EVP_MAC_final(context, start, &length, capacity) == 1 ? length : -1
        }
        guard let code else {
            throw CryptographyError("finish an HMAC")
        }
        return code
    }
}

/// HKDF with SHA-256 (RFC 5869), its two steps apart so that each can be tested.
package enum HKDFSHA256 {
    /// The pseudo-random key that lies in `material`: 32 bytes.
    package static func extract(salt: RawSpan, material: RawSpan) throws(CryptographyError) -> Secret {
        var code = try HMACSHA256(key: salt)
        try code.update(material)
        return try code.finish()
    }

    /// The first `size` bytes of output, at most 32.
    package static func expand(_ key: RawSpan, info: [UInt8], size: Int) throws(CryptographyError) -> Secret {
        var code = try HMACSHA256(key: key)
        try code.update(info)
        try code.update([1])
        let block = try code.finish()
        let output = block.withBytes { bytes in
            size <= bytes.byteCount ? Secret(copying: bytes.extracting(0..<size)) : nil
        }
        guard let output else {
            throw CryptographyError("derive a key of \(size) bytes")
        }
        return output
    }
}

/// Random bytes from the kernel.
package enum RandomBytes {
    /// As many random bytes as `count` says.
    package static func secret(_ count: Int) throws(CryptographyError) -> Secret {
        let bytes = unsafe Secret(capacity: count) { memory, capacity in
            unsafe linux_random(memory, capacity) == 0 ? capacity : -1
        }
        guard let bytes else {
            throw CryptographyError("get random bytes")
        }
        return bytes
    }
}
