internal import Protocol

extension SignInEvent {
    /// Judges the user's input by Cognito's answer to `request`. A refusal counts as a wrong guess unless it is known
    /// to have another cause.
    ///
    /// - Parameter earlier: The judgement before this request. A refusal stays one, whatever follows without a prompt.
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
