import Decoders
import Glibc

/// The decoder that this process tries: FUZZ_DECODER.
private let decoder: Decoder = {
    guard let name = unsafe getenv("FUZZ_DECODER"), let decoder = Decoder(rawValue: unsafe String(cString: name)) else {
        preconditionFailure("FUZZ_DECODER must name a decoder")
    }
    return decoder
}()

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func readOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe decoder.read(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}
