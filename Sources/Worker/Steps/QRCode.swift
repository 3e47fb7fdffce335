internal import CQRencode

/// A QR code (ISO/IEC 18004) as a terminal can show it.
package struct QRCode: Sendable {
    /// Modules of light around the code. The standard wants four; readers are content with two, and screens are small.
    static let margin = 2

    private let width: Int
    private let dark: [Bool]

    /// Encodes `text` at the lowest level of error correction: a screen has no stains. Nil when it does not fit.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let code = unsafe QRcode_encodeData(CInt(clamping: bytes.count), bytes, 0, QR_ECLEVEL_L) else {
            return nil
        }
        defer { unsafe QRcode_free(code) }
        let width = unsafe Int(code.pointee.width)
        self.width = width
        // The lowest bit is the module's colour.
        dark = unsafe UnsafeBufferPointer(start: code.pointee.data, count: width * width).map { module in
            module & 1 == 1
        }
    }

    private func isLight(_ row: Int, _ column: Int) -> Bool {
        guard (0..<width).contains(row), (0..<width).contains(column) else {
            return (-Self.margin..<(width + Self.margin)).contains(row)
        }
        return !dark[row * width + column]
    }

    /// The code in block characters, two rows of modules to a line. What is light is drawn, as terminals are dark.
    package var text: String {
        let range = -Self.margin..<(width + Self.margin)
        var lines: [String] = []
        for row in stride(from: range.lowerBound, to: range.upperBound, by: 2) {
            lines.append(
                range.map { column in
                    switch (isLight(row, column), isLight(row + 1, column)) {
                    case (true, true): "\u{2588}"
                    case (true, false): "\u{2580}"
                    case (false, true): "\u{2584}"
                    case (false, false): " "
                    }
                }.joined()
            )
        }
        return lines.joined(separator: "\n")
    }
}
