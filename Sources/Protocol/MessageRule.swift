/// How often a field may stand in a message.
package enum FieldRule: Sendable {
    case required
    case optional
    case repeated
}

/// Whether a request is served while the tokens of its session are locked (`lock_tokens`).
package enum WhileLocked: Sendable {
    /// It takes no token, or proves who the user is.
    case served
    /// For jobs of `exec --keep` alone: a secret of their own proves that they are such.
    case servedForJobs
    case refused
}

/// Who sends a message, and what must have come before it. See `Exchange`.
package enum MessagePlace: Sendable {
    // From the root side, or a client of the agent: the first one.

    case step
    case request(WhileLocked)
    /// It gets no answer.
    case note(WhileLocked)
    /// Right after one of these.
    case reply([MessageKind])

    // From the worker, or the agent.

    /// In the course of one of these, which goes on.
    case during([MessageKind])
    /// The last one of these.
    case end([MessageKind])
    case endOfAnyStep
    case endOfAnyRequest
}

/// What is fixed for a kind of message.
package struct MessageRule: Sendable {
    package let place: MessagePlace
    package let fields: [(Field, FieldRule)]

    init(_ place: MessagePlace, _ required: [Field] = [], optional: [Field] = [], repeated: [Field] = []) {
        self.place = place
        fields =
            required.map { field in (field, .required) } + optional.map { field in (field, .optional) }
            + repeated.map { field in (field, .repeated) }
    }

    /// A step of a worker: each has the way to Cognito.
    fileprivate static func step(
        _ required: [Field] = [], optional: [Field] = [], repeated: [Field] = []
    ) -> MessageRule {
        MessageRule(
            .step, [.userPoolID, .clientID, .timeLimit, .connectTimeLimit] + required,
            optional: [
                .clientSecret, .endpoint, .caFile, .options, .requestingService,
            ] + optional,
            repeated: repeated)
    }

    /// A step about a session: whose its tokens must be, and the keys by which that is seen.
    fileprivate static func step(
        withTokens required: [Field], optional: [Field] = []
    ) -> MessageRule {
        step(
            [.userName, .loginName, .identityRule, .bundle] + required, optional: [.keySet, .fixedKeySet] + optional)
    }

    /// New tokens.
    fileprivate static func tokens(_ steps: [MessageKind]) -> MessageRule {
        MessageRule(
            .during(steps), [.userName, .subject, .bundle, .accessTokenExpiry],
            optional: [
                .sessionBundle, .text, .device, .logText, .realName, .uidClaim, .acr, .authenticatedAt, .sessionPlace,
                .identityRule,
            ],
            repeated: [.group, .amr])
    }

    func rule(for field: Field) -> FieldRule? {
        for (candidate, rule) in fields where candidate == field {
            return rule
        }
        return nil
    }
}

extension MessageKind {
    /// The one description of each message: its place, which says who sends it, what comes before it, and of a request
    /// if locked tokens refuse it; then its fields. Nothing of its place has a default.
    package var rule: MessageRule {
        switch self {
        // Root side and worker.
        case .signIn:
            .step(
                [
                    .userName, .loginName, .identityRule, .flow, .preconnect, .signOutMode, .withholdRefreshToken,
                    .refreshTokenValidity,
                ],
                optional: [
                    .keySet, .fixedKeySet, .preferredFactor, .combinedCode, .clientAddress, .serviceName, .device,
                    .rememberDevice, .language, .translatesPrompts, .uidAttribute, .maxAge, .bundle, .tellsJudgement,
                    .sessionPlace,
                ],
                repeated: [.requiredACR])
        case .renew:
            .step(withTokens: [.withholdRefreshToken, .refreshTokenValidity], optional: [.takesLateAnswer])
        case .changePassword:
            .step(
                [.userName, .loginName, .identityRule, .flow, .preconnect, .refreshTokenValidity],
                optional: [
                    .keySet, .fixedKeySet, .preferredFactor, .clientAddress, .serviceName, .device, .language,
                    .translatesPrompts, .tellsJudgement,
                ])
        // Without a name: a user who does not exist, for whom nothing may look different.
        case .forgotPassword:
            .step(optional: [.loginName, .clientAddress, .serviceName, .language, .translatesPrompts])
        case .signOut:
            .step([.bundle, .revocation], optional: [.persistence, .tellsReach, .keepsConnection])
        case .adminSignOut: .step([.loginName], optional: [.credentials, .instanceMetadata, .tellsReach])
        case .check: .step(withTokens: [.online], optional: [.unexpired, .sessionPlace])
        case .makeCredential: .step(withTokens: [.credentialName], optional: [.identityID])
        case .probe: .step(optional: [.flow, .keySet, .fixedKeySet], repeated: [.requiredACR])
        case .poolSessions: .step([.bundle], optional: [.poolSession])
        case .listPeople:
            .step(
                [.group],
                optional: [.credentials, .instanceMetadata, .nextToken, .publicKeyAttribute, .uidAttribute])
        case .registered: MessageRule(.reply([.signedIn, .renewed]))
        case .signedIn: .tokens([.signIn, .changePassword])
        case .renewed: .tokens([.renew])
        case .keep:
            MessageRule(
                .during([.signIn, .changePassword, .renew, .check, .makeCredential, .probe]),
                optional: [.keySet, .device])
        case .late: MessageRule(.during([.renew]))
        case .withheld: MessageRule(.during([.forgotPassword]), [.reason, .logText])
        case .person:
            MessageRule(
                .during([.listPeople]), [.userName, .subject, .isEnabled, .createdAt],
                optional: [.emailAddress, .realName, .publicKeys, .uidClaim])
        case .page: MessageRule(.during([.listPeople]), [.nextToken])
        case .listed: MessageRule(.end([.listPeople]))
        case .signedOut:
            MessageRule(.end([.signOut, .adminSignOut]), [.outcome], optional: [.logText, .reach, .shortfall])
        case .passwordChanged:
            MessageRule(.end([.forgotPassword, .changePassword]), optional: [.outcome, .logText])
        case .checked:
            MessageRule(
                .end([.check]), optional: [.authenticatedAt, .sessionPlace, .acr], repeated: [.group, .amr])
        case .credentialMade:
            MessageRule(.end([.makeCredential]), [.credential, .credentialExpiry], optional: [.identityID])
        case .probed: MessageRule(.end([.probe]), [.report])
        case .poolSessionList: MessageRule(.end([.poolSessions]), optional: [.poolSession], repeated: [.report])
        case .failed:
            MessageRule(
                .endOfAnyStep, [.reason, .logText], optional: [.text, .outcome, .revoked, .ranOut, .judgement])

        // Both.
        case .ask:
            MessageRule(
                .during([
                    .signIn, .changePassword, .forgotPassword, .signInRequest, .recoverRequest, .unlockRequest,
                    .giveRequest,
                ]),
                [.promptStyle, .text], optional: [.judgement, .codeSent])
        case .answer: MessageRule(.reply([.ask]), [.answer], optional: [.clientSecret])

        // A client and the agent.
        case .renewRequest:
            MessageRule(
                .request(.servedForJobs), [.key, .minimumLife, .askedAt], optional: [.language, .proof])
        case .signOutRequest:
            MessageRule(
                .request(.served), [.key, .revocation], optional: [.language, .tellsReach, .userName])
        case .signInRequest, .attachRequest: MessageRule(.request(.served), [.key], optional: [.language])
        case .checkRequest: MessageRule(.request(.served), [.key, .online], optional: [.language, .proof])
        // Without a name: the caller's own account.
        case .recoverRequest: MessageRule(.request(.served), optional: [.userName, .language])
        case .unlockRequest: MessageRule(.request(.served), [.userName], optional: [.language, .requester])
        case .registryRequest: MessageRule(.request(.served), optional: [.language])
        case .poolSessionsRequest:
            MessageRule(.request(.refused), [.key], optional: [.poolSession, .language, .proof])
        case .credentialRequest:
            MessageRule(
                .request(.servedForJobs), [.key, .inbox, .credentialName],
                optional: [.language, .sharesCredentials, .proof])
        case .giveRequest: MessageRule(.request(.refused), [.key], optional: [.proof, .language])
        case .lockRequest: MessageRule(.request(.served), [.key], optional: [.language])
        case .keepRequest: MessageRule(.request(.refused), [.key, .inbox], optional: [.proof, .language])
        case .exportRequest: MessageRule(.request(.refused), [.key, .exportLife], optional: [.proof, .language])
        // Looks at the session that it leads to by itself.
        case .importRequest: MessageRule(.request(.served), [.key, .sealed], optional: [.language])
        case .openingRequest, .endingRequest: MessageRule(.request(.served), [.key])
        case .watchRequest: MessageRule(.note(.served), [.key])
        case .handOut: MessageRule(.note(.served), [.key, .tokenKind, .handOutUse], optional: [.proof])
        case .taken: MessageRule(.reply([.inInbox]))
        case .inInbox:
            MessageRule(
                .during([.signInRequest, .credentialRequest, .attachRequest, .keepRequest, .importRequest]), [.key])
        case .show:
            MessageRule(
                .during([.signInRequest, .recoverRequest, .unlockRequest, .attachRequest, .giveRequest, .taken]),
                [.text])
        case .registeredSession:
            MessageRule(
                .during([.registryRequest]), [.key, .registeredStatus],
                optional: [
                    .userName, .serviceName, .clientAddress, .terminal, .signOutMode, .userPoolID, .clientID,
                    .hostProcess, .signedInAgo, .renewedAgo, .accessTokenExpiry, .refreshTokenExpiry, .attempts,
                    .nextAttemptIn,
                ])
        case .renewal: MessageRule(.end([.renewRequest]), [.renewalOutcome, .accessTokenExpiry])
        case .ending:
            MessageRule(
                .end([.signOutRequest]), [.outcome],
                optional: [.reach, .shortfall, .sessionCount, .sessionsLeft])
        case .tokensValid: MessageRule(.end([.checkRequest]))
        case .poolSessionsFound: MessageRule(.end([.poolSessionsRequest]), repeated: [.report])
        case .credential: MessageRule(.end([.credentialRequest]), [.key])
        case .exported: MessageRule(.end([.exportRequest]), [.sealed])
        case .sessionChecked:
            MessageRule(
                .end([.openingRequest]), optional: [.authenticatedAt, .acr, .reason, .logText],
                repeated: [.group, .amr])
        case .complete:
            MessageRule(
                .end([
                    .recoverRequest, .unlockRequest, .registryRequest, .giveRequest, .lockRequest, .endingRequest,
                    .taken,
                ]))
        case .refused: MessageRule(.endOfAnyRequest, [.refusal, .text])
        }
    }

    /// Whether the agent's client sends it, or the root side.
    package var isAsked: Bool {
        switch rule.place {
        case .step, .request, .note, .reply: true
        case .during, .end, .endOfAnyStep, .endOfAnyRequest: false
        }
    }

    /// Whether this request is served while tokens are locked.
    package var allowedWhileLocked: WhileLocked {
        switch rule.place {
        case .request(let answer), .note(let answer): answer
        case .step, .reply, .during, .end, .endOfAnyStep, .endOfAnyRequest: .refused
        }
    }
}
