internal import Protocol

extension SignInEvent {
    /// What Cognito's answer to `request` says of what the user entered. Every refusal that is not known to be about something else
    /// counts as a wrong guess.
    ///
    /// - Parameter earlier: What was known before this request: a refusal stays one, whatever follows without a prompt.
    func judgement(of request: Request, after earlier: AnswerJudgement) -> AnswerJudgement {
        guard earlier != .wrong else {
            return .wrong
        }
        return switch self {
        // The pool's own program may ask again after a wrong answer, and Cognito does not say so.
        case .challenge(.custom, _) where request == .custom: .undecided
        case .tokens, .challenge, .granted, .resetRequired: .notWrong
        // About a new password or an address, and not about who the user is.
        case .notAcceptable, .attributeNotAcceptable, .aliasTaken: .notWrong
        case .wrongAnswer, .usedCode, .expired, .refused: .wrong
        // Cognito has not looked at the answer.
        case .busy, .deviceUnknown: earlier
        case .begin, .beginInBrowser, .recover, .answered, .empty, .unusable, .password, .differs, .chosePassword,
            .choseApp, .choseAddress, .choseBrowser, .ofAnotherPrompt, .truncated, .refusedInBrowser, .gone:
            earlier
        }
    }

    /// Whether Cognito has sent the user a code with its answer to `request`, or may have.
    func hasSentCode(for request: Request, asking question: ChallengeQuestion?) -> Bool {
        switch self {
        case .challenge(.code, _):
            if case .sent? = question?.prompt { true } else { false }
        case .challenge(.custom, _): true
        case .granted: request == .sendResetCode
        case .challenge, .tokens, .resetRequired, .wrongAnswer, .usedCode, .notAcceptable, .attributeNotAcceptable,
            .aliasTaken, .busy, .expired, .deviceUnknown, .refused, .begin, .beginInBrowser, .recover, .answered,
            .empty, .unusable, .password, .differs, .chosePassword, .choseApp, .choseAddress, .choseBrowser,
            .ofAnotherPrompt, .truncated, .refusedInBrowser, .gone:
            false
        }
    }
}
