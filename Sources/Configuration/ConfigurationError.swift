package import Base

/// A mistake in the configuration, with all that somebody needs to mend it.
package struct ConfigurationError: Error, Equatable, Sendable {
    /// Line number from 1; nil when it is about the file as a whole.
    package let line: Int?
    /// What was found and what to do: one line of printable text, without secrets.
    package let finding: ByteText

    init(line: Int? = nil, _ finding: ByteText) {
        self.line = line
        self.finding = finding
    }

    /// The whole message, `FILE:LINE: finding`.
    package func message(file: [UInt8]) -> ByteText {
        guard let line else {
            return "\(file): \(finding)"
        }
        return "\(file):\(line): \(finding)"
    }
}

/// The option whose name takes the fewest changes to get from `name`; nil when none is near.
func nearestOption(to name: ArraySlice<UInt8>) -> Option? {
    guard name.count <= 40 else {
        return nil
    }
    var best: (option: Option, distance: Int)?
    for option in Option.allCases {
        let distance = editDistance(Array(name), option.nameBytes)
        if distance <= max(2, name.count / 3), distance < best?.distance ?? Int.max {
            best = (option, distance)
        }
    }
    return best?.option
}

/// Levenshtein's distance.
private func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var previous = Array(0...right.count)
    for (row, from) in left.enumerated() {
        var current = [row + 1]
        for ((column, to), diagonal) in zip(right.enumerated(), previous) {
            let above = previous.dropFirst(column + 1).first ?? 0
            let leftward = current.last ?? 0
            current.append(min(diagonal + (from == to ? 0 : 1), above + 1, leftward + 1))
        }
        previous = current
    }
    return previous.last ?? 0
}
