import Protocol
import Testing
import Tokens

@Suite struct ProbeTests {
    @Test("what anybody may ask for is asked for, and nothing else")
    func reached() {
        let step = Step()
        let root = step.run([Step.probe()])
        #expect(root.kinds == [.probed])
        #expect(step.pool.operations == ["jwks"])
        let report = root.last?.fields[.report].flatMap(JSONValue.init(parsing:))
        #expect((report?["keys"]?.seconds ?? 0) > 0)
        // Of its connections a script has nothing to tell.
        #expect(report?["address"] == nil)
    }

    @Test("a pool that is not there is a fault of the configuration")
    func missing() {
        let step = Step()
        step.pool.answers["jwks"] = [.success((404, "{}"))]
        let root = step.run([Step.probe()])
        #expect(root.kinds == [.failed])
        #expect(root.last?.reason == .configuration)
    }
}
