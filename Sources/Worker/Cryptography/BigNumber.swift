package import Base
internal import CCrypto

/// A number without a bound, never negative here. Erased when dropped; treated in constant time wherever libcrypto can.
@safe
package struct BigNumber: ~Copyable {
    fileprivate let number: OpaquePointer

    private init(owning number: OpaquePointer?) throws(CryptographyError) {
        guard let number = unsafe number else {
            throw CryptographyError("create a big number")
        }
        unsafe self.number = number
        unsafe BN_set_flags(number, BN_FLG_CONSTTIME)
    }

    private init() throws(CryptographyError) {
        try unsafe self.init(owning: BN_new())
    }

    deinit {
        unsafe BN_clear_free(number)
    }

    /// Makes the number that `bytes` spell, the most significant first.
    package init(bigEndian bytes: RawSpan) throws(CryptographyError) {
        let made = unsafe bytes.withUnsafeBytes { buffer in
            unsafe BN_bin2bn(buffer.bindMemory(to: UInt8.self).baseAddress, CInt(clamping: buffer.count), nil)
        }
        try unsafe self.init(owning: made)
    }

    /// Makes the number that `bytes` spell, the most significant first.
    package init(bigEndian bytes: [UInt8]) throws(CryptographyError) {
        try self.init(bigEndian: unsafe bytes.span.bytes)
    }

    package init(_ value: UInt32) throws(CryptographyError) {
        try self.init(
            bigEndian: stride(from: 24, through: 0, by: -8).map { shift in
                UInt8(truncatingIfNeeded: value >> UInt32(shift))
            })
    }

    /// The prime of RFC 3526's group 15: 3072 bits.
    package static func prime3072() throws(CryptographyError) -> BigNumber {
        try unsafe BigNumber(owning: BN_get_rfc3526_prime_3072(nil))
    }

    package borrowing func isZero() -> Bool {
        unsafe BN_is_zero(number) == 1
    }

    /// How many bits the number has.
    package borrowing func bitCount() -> Int {
        Int(unsafe BN_num_bits(number))
    }

    /// The number in its shortest big-endian form; empty for zero.
    package borrowing func bytes() throws(CryptographyError) -> Secret {
        try spelled(signByte: false)
    }

    /// The shortest big-endian two's complement form, as Java's `BigInteger.toByteArray()` has it: a zero byte stands
    /// in front where the top bit is set, and zero is one zero byte.
    package borrowing func signedBytes() throws(CryptographyError) -> Secret {
        try spelled(signByte: bitCount().isMultiple(of: 8))
    }

    private borrowing func spelled(signByte: Bool) throws(CryptographyError) -> Secret {
        let length = (bitCount() + 7) / 8
        let extra = signByte ? 1 : 0
        let number = unsafe number
        let spelled = unsafe Secret(capacity: length + extra) { memory, capacity in
            let start = unsafe memory.assumingMemoryBound(to: UInt8.self)
            if extra == 1 {
                unsafe start.pointee = 0
            }
            return unsafe Int(BN_bn2binpad(number, start + extra, CInt(length))) == length ? capacity : -1
        }
        guard let spelled else {
            throw CryptographyError("convert a big number")
        }
        return spelled
    }

    private static func make(
        _ operation: String, _ body: (OpaquePointer, OpaquePointer) -> CInt
    ) throws(CryptographyError) -> BigNumber {
        // Its numbers are erased with it.
        guard let context = unsafe BN_CTX_new() else {
            throw CryptographyError("create a context for big numbers")
        }
        defer { unsafe BN_CTX_free(context) }
        let result = try BigNumber()
        let target = unsafe result.number
        try check(unsafe body(target, context), operation)
        return result
    }

    /// `self + other`.
    package borrowing func adding(_ other: borrowing BigNumber) throws(CryptographyError) -> BigNumber {
        let (left, right) = unsafe (number, other.number)
        return try unsafe Self.make("add") { result, _ in unsafe BN_add(result, left, right) }
    }

    /// `self * other`.
    package borrowing func multiplied(by other: borrowing BigNumber) throws(CryptographyError) -> BigNumber {
        let (left, right) = unsafe (number, other.number)
        return try unsafe Self.make("multiply") { result, context in unsafe BN_mul(result, left, right, context) }
    }

    /// `self` reduced into `0 ..< modulus`.
    package borrowing func reduced(modulo modulus: borrowing BigNumber) throws(CryptographyError) -> BigNumber {
        let (value, modulus) = unsafe (number, modulus.number)
        return try unsafe Self.make("reduce") { result, context in unsafe BN_nnmod(result, value, modulus, context) }
    }

    /// `self - other`, reduced into `0 ..< modulus`.
    package borrowing func subtracting(
        _ other: borrowing BigNumber, modulo modulus: borrowing BigNumber
    ) throws(CryptographyError) -> BigNumber {
        let (left, right, modulus) = unsafe (number, other.number, modulus.number)
        return try unsafe Self.make("subtract") { result, context in
            unsafe BN_mod_sub(result, left, right, modulus, context)
        }
    }

    /// `self * other`, reduced into `0 ..< modulus`.
    package borrowing func multiplied(
        by other: borrowing BigNumber, modulo modulus: borrowing BigNumber
    ) throws(CryptographyError) -> BigNumber {
        let (left, right, modulus) = unsafe (number, other.number, modulus.number)
        return try unsafe Self.make("multiply") { result, context in
            unsafe BN_mod_mul(result, left, right, modulus, context)
        }
    }

    /// `self ^ exponent`, reduced into `0 ..< modulus`, in a time that does not depend on `exponent`'s value. `modulus`
    /// must be odd and `self` below it.
    package borrowing func power(
        _ exponent: borrowing BigNumber, modulo modulus: borrowing BigNumber
    ) throws(CryptographyError) -> BigNumber {
        let (base, exponent, modulus) = unsafe (number, exponent.number, modulus.number)
        return try unsafe Self.make("compute a power") { result, context in
            unsafe BN_mod_exp_mont_consttime(result, base, exponent, modulus, context, nil)
        }
    }

    /// Lends this number and `other` to libcrypto.
    borrowing func withNumbers<R>(_ other: borrowing BigNumber, _ body: (OpaquePointer, OpaquePointer) -> R) -> R {
        unsafe body(number, other.number)
    }
}
