import Testing

@testable import Keyring

struct RootSecretTests {
    /// The vectors of the authors' own: bytes 0, 1, 2 ... by the key 0 ... 15.
    @Test(
        "numbers are SipHash-2-4's",
        arguments: [
            (0, 0x726f_db47_dd0e_0e31), (1, 0x74f8_39c5_93dc_67fd), (7, 0xab02_00f5_8b01_d137),
            (8, 0x93f5_f579_9a93_2462), (15, 0xa129_ca61_49be_45e5), (63, 0x958a_324c_eb06_4572),
        ] as [(UInt8, UInt64)])
    func vectors(length: UInt8, expected: UInt64) {
        let key: (UInt64, UInt64) = (0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908)
        #expect(sipHash(Array(0..<length), by: key) == expected)
    }
}
