internal import CognitoIdentityProvider
internal import Messages
internal import Tokens

/// Text from outside, made fit to be shown, and the questions as a person sees them.
enum PromptText {
    /// `text` without control and format characters, which could move the cursor or turn words around: blanks instead,
    /// at most `limit` characters.
    static func cleaned(_ text: String, limit: Int) -> String {
        var cleaned = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
                if cleaned.last != " ", !cleaned.isEmpty {
                    cleaned.append(" ")
                }
            default:
                cleaned.append(scalar)
            }
        }
        let shown = String(cleaned.prefix(limit))
        return String(shown.reversed().drop { character in character == " " }.reversed())
    }

    /// The question for a one-time code.
    static func code(_ question: ChallengeQuestion, _ challenge: Challenge, _ manner: Manner) -> String {
        switch question.prompt {
        case .app:
            let device = cleaned(challenge.parameters["FRIENDLY_DEVICE_NAME"] ?? "", limit: 64)
            return device.isEmpty
                ? manner.say(ChallengeWording.appCode) : manner.say(ChallengeWording.namedAppCode, filling: device)
        case .sent(let phrase):
            return sent(phrase, to: challenge.parameters["CODE_DELIVERY_DESTINATION"] ?? "", manner)
        }
    }

    /// The question for a code that was sent for setting a new password.
    static func delivery(_ delivery: CodeDelivery, _ manner: Manner) -> String {
        sent(
            delivery.medium == "SMS" ? ChallengeWording.messageCode : ChallengeWording.mailCode,
            to: delivery.destination, manner)
    }

    private static func sent(_ phrase: Phrase, to destination: String, _ manner: Manner) -> String {
        let destination = cleaned(destination, limit: 100)
        return manner.say(
            phrase, filling: destination.isEmpty ? manner.say(ChallengeWording.unknownDestination) : destination)
    }

    /// A numbered menu; Enter takes the first.
    static func menu(_ title: Phrase, _ choices: [String], _ manner: Manner) -> String {
        let lines = choices.enumerated().map { index, name in
            "  \(index + 1)  \(manner.say(ChallengeName.label(name)))\n"
        }
        return manner.say(title) + lines.joined() + manner.say(ChallengeWording.number)
    }

    /// The question for an attribute of the person.
    static func attribute(_ name: String, _ manner: Manner) -> String {
        switch name {
        case "email": manner.say(ChallengeWording.email)
        case "phone_number": manner.say(ChallengeWording.phoneNumber)
        default:
            manner.say(
                ChallengeWording.otherAttribute,
                filling: cleaned(String(name.map { letter in letter == "_" ? " " : letter }), limit: 64))
        }
    }

    /// Returns the key for an authenticator app, as a picture and as text in groups of four.
    static func setup(_ token: SoftwareToken, account: String, _ manner: Manner) -> String {
        let key = token.secretCode.text ?? ""
        var groups: [Substring] = []
        var rest = Substring(key)
        while !rest.isEmpty {
            groups.append(rest.prefix(4))
            rest = rest.dropFirst(4)
        }
        let picture = QRCode(address(key, account: account))?.text ?? ""
        return manner.say(ChallengeWording.setupStart) + picture
            + manner.say(ChallengeWording.setupKey, filling: groups.joined(separator: " "))
            + manner.say(ChallengeWording.setupCode)
    }

    /// The otpauth address that authenticator apps read.
    private static func address(_ key: String, account: String) -> String {
        let issuer = ChallengeWording.issuer.description
        let label = "\(issuer):\(cleaned(account, limit: 64).percentEncoded(but: "-._@"))"
        return "otpauth://totp/\(label)?secret=\(key)&issuer=\(issuer)"
    }

    /// The pool's own question. Its Lambda trigger names the parameters as it likes: one that says "question" in its
    /// name comes first; several are shown with their names.
    static func custom(_ challenge: Challenge, _ manner: Manner) -> String {
        let own = challenge.parameters
            .filter { name, value in
                !["USERNAME", "USER_ID_FOR_SRP"].contains(name) && !cleaned(value, limit: 1024).isEmpty
            }
        let spoken = ["question", "prompt", "message", "text"]
            .compactMap { wanted in own.first { name, _ in name.lowercased() == wanted } }.first
        let text: String
        if let spoken {
            text = cleaned(spoken.value, limit: 1024)
        } else if let only = own.first, own.count == 1 {
            text = cleaned(only.value, limit: 1024)
        } else {
            let lines = own.sorted { left, right in left.key < right.key }.prefix(8).map { name, value in
                "\(cleaned(name, limit: 64)): \(cleaned(value, limit: 256))\n"
            }
            return lines.joined() + manner.say(ChallengeWording.custom)
        }
        switch text.last {
        case "?", ":": return text + " "
        case nil: return manner.say(ChallengeWording.custom)
        default: return text + ": "
        }
    }
}
