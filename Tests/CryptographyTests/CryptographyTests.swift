import Base
import Cryptography
import Testing
import Tokens

private func hexadecimal(_ secret: borrowing Secret) -> String {
    secret.withBytes { bytes in Hexadecimal.encode(bytes.copied()) }
}

@Suite struct HashTests {
    @Test("SHA-256 of FIPS 180-4's examples")
    func sha256() throws {
        #expect(
            Hexadecimal.encode(try SHA256.digest(Array("abc".utf8)))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        )
        #expect(
            Hexadecimal.encode(try SHA256.digest([]))
                == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        )
    }

    @Test("HMAC-SHA-256 of RFC 4231, test cases 1, 2 and 6; an empty key is a key")
    func hmac() throws {
        let cases: [([UInt8], [UInt8], String)] = [
            (
                [UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8),
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xaa, count: 131),
                Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
            ([], [], "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
        ]
        for (key, message, expected) in cases {
            var code = try HMACSHA256(key: key.span.bytes)
            try code.update(Array(message.prefix(3)))
            try code.update(Array(message.dropFirst(3)))
            #expect(hexadecimal(try code.finish()) == expected)
        }
    }

    @Test("HKDF of RFC 5869, test case 1, as far as one block goes")
    func hkdf() throws {
        let salt: [UInt8] = Array(0...0x0c)
        let extracted = try HKDFSHA256.extract(
            salt: salt.span.bytes, material: [UInt8](repeating: 0x0b, count: 22).span.bytes
        )
        #expect(
            hexadecimal(extracted) == "077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5"
        )
        let output = try extracted.withBytes { key in
            try HKDFSHA256.expand(key, info: Array(0xf0...0xf9), size: 32)
        }
        #expect(hexadecimal(output) == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf")
    }

    @Test("more than one block is refused")
    func tooLong() throws {
        #expect(throws: CryptographyError.self) {
            _ = try HKDFSHA256.expand([1].span.bytes, info: [], size: 33).count
        }
    }
}

@Suite struct BigNumberTests {
    @Test(
        "spelled as Java's BigInteger.toByteArray()",
        arguments: [
            (0, "00"), (1, "01"), (0x7f, "7f"), (0x80, "0080"), (0xff, "00ff"), (0x100, "0100"), (0xffff, "00ffff"),
        ]
    )
    func signedBytes(value: UInt32, expected: String) throws {
        #expect(hexadecimal(try BigNumber(value).signedBytes()) == expected)
    }

    @Test("small arithmetic")
    func arithmetic() throws {
        let (a, b, m) = (UInt32(5), UInt32(9), UInt32(13))
        #expect(hexadecimal(try BigNumber(a).adding(BigNumber(b)).bytes()) == "0e")
        #expect(hexadecimal(try BigNumber(a).multiplied(by: BigNumber(b)).bytes()) == "2d")
        #expect(hexadecimal(try BigNumber(a).subtracting(BigNumber(b), modulo: BigNumber(m)).bytes()) == "09")
        #expect(hexadecimal(try BigNumber(a).power(BigNumber(b), modulo: BigNumber(m)).bytes()) == "05")
        #expect(hexadecimal(try BigNumber(0).bytes()) == "")
        #expect(try BigNumber(0).isZero())
    }
}
