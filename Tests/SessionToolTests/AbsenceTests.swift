import Base
import Testing

@testable import cognito_session

@Suite("Why there are no tokens")
struct AbsenceTests {
    @Test(
        "is told from the surroundings",
        arguments: [
            (.init(uid: 1000, isInsideTmux: true, isInsideJob: true), "_ses", 1000, .insideJob),
            (.init(uid: 1000, isInsideJob: true), "_uid_ses.1000", 0, .insideJob),
            (.init(uid: 1000, isInsideTmux: true), "_ses", 1000, .insideTmux),
            (.init(uid: 1000, isInsideScreen: true), "_ses", 1000, .insideScreen),
            (.init(uid: 1000, isInsideUserManager: true), "_ses", 1000, .insideUserManager),
            (.init(uid: 0, loginUID: 1000, isInsideSudo: true), "_ses", 0, .insideSudo),
            (.init(uid: 1001, loginUID: 1000), "_ses", 1001, .insideSu),
            (.init(uid: 1001, loginUID: 1000), "_ses", 1000, .foreignKeyring),
            (.init(uid: 1000), "_uid_ses.1000", 1000, .defaultKeyring),
            (.init(uid: 1000, loginUID: 1000), "_ses", 1000, .noSignIn),
        ] as [(Surroundings, String, UInt32, Absence)])
    func surroundings(surroundings: Surroundings, ring: String, owner: UInt32, absence: Absence) {
        #expect(SessionStatus.absence(ringName: ring, owner: owner, in: surroundings) == absence)
    }

    @Test(
        "is told from the kernel's refusal",
        arguments: [
            (128, false, .sessionEnded), (127, false, .sessionEnded), (128, true, .insideTmux),
            (126, false, .defaultKeyring), (1, false, .unreadable(error: 1)), (38, true, .unreadable(error: 38)),
        ] as [(Int32, Bool, Absence)])
    func refusal(error: Int32, tmux: Bool, absence: Absence) {
        var surroundings = Surroundings(uid: 1000, isInsideTmux: tmux)
        #expect(SessionStatus.absence(ofRingFault: ErrorNumber(error), in: surroundings) == absence)
        surroundings.isInsideJob = true
        #expect(SessionStatus.absence(ofRingFault: ErrorNumber(error), in: surroundings) == .insideJob)
    }
}
