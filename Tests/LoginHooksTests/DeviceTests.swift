import Base
import Configuration
import Protocol
import Sessions
import Testing

@testable import Fakes

private let name = "eu-west-1_AbCdEf123.1example23456789.616c696365"
private let on = "remember_device = yes"

private let forget = Act.send(packet(.keep, [(.device, [])]))
private let withDevice = Act.signedIn(device: "fresh", log: "to be\u{7}known")

private func signIn(
    _ configuration: String = on, script: [Act] = [.ask(.password), .signedIn()],
    prepare: (FakeMachine) -> Void = { _ in }
) -> (world: World, value: ReturnValue) {
    let world = World(configuration, scripts: script)
    prepare(world.machine)
    return (world, world.authenticate())
}

@Suite struct DeviceTests {
    @Test("what is kept goes to the worker, and nothing where devices are not wanted", arguments: [true, false])
    func given(isWanted: Bool) {
        let (world, value) = signIn(isWanted ? on : "") { machine in machine.devices[name] = "kept" }
        #expect(value == .success)
        let worker = world.machine.workers[0]
        #expect(worker.field(.rememberDevice) == [isWanted ? 1 : 0])
        #expect(worker.field(.device) == (isWanted ? Array("kept".utf8) : nil))
    }

    @Test("a new device is kept once the person is in")
    func kept() {
        let (world, value) = signIn(script: [.ask(.password), withDevice])
        #expect(value == .success)
        #expect(world.machine.devices == [name: "fresh"])
        let log = world.host.takeLog()
        #expect(
            log.contains(
                """
                WARNING signed in with a remark; user='alice' session=1001 service='sshd' rhost='203.0.113.7': to \
                be?known
                """
            ))
        #expect(log.last == "INFO Cognito remembers this host as a device of 'alice'; seal=systemd-creds")
    }

    @Test(
        "nothing is kept of somebody who does not come in, or where that is not wanted",
        arguments: [(on + "\ndenied_groups = staff", ReturnValue.permissionDenied), ("", .success)])
    func notKept(configuration: String, expected: ReturnValue) {
        let (world, value) = signIn(configuration, script: [.ask(.password), withDevice])
        #expect(value == expected)
        #expect(world.machine.devices.isEmpty)
    }

    @Test("what Cognito has forgotten is removed, also when nobody comes in")
    func forgotten() {
        let (world, value) = signIn(script: [.ask(.password), forget, .failed(.refused)]) { machine in
            machine.devices = [name: "old", "other": "old"]
        }
        #expect(value == .authenticationError)
        #expect(world.machine.devices == ["other": "old"])
        #expect(world.host.takeLog().contains { line in line.contains("was removed") })
    }

    @Test("a fault of what is kept, or of keeping, keeps nobody out and is in the log")
    func faults() {
        let (world, value) = signIn(script: [.ask(.password), withDevice]) { machine in
            machine.deviceFault = Fault("/var/lib/x does not belong to root")
        }
        #expect(value == .success)
        #expect(world.machine.workers[0].field(.device) == nil)
        let faults = world.host.takeLog().filter { line in
            line.hasPrefix("WARNING /var/lib/x does not belong to root")
        }
        #expect(faults.count == 2)
    }

    @Test("nothing is kept of somebody whose name does not fit a file's, and the log says so")
    func tooLong() {
        let long = [UInt8](repeating: 0x61, count: 117)
        let world = World(scripts: [.ask(.password), .signedIn(as: text(long), device: "fresh")])
        world.host.userName = .success(long)
        world.machine.accounts[long] = world.machine.accounts[Array("alice".utf8)]
        world.machine.people.append(long)
        world.machine.configuration = FakeMachine.configuration(on)
        #expect(world.authenticate() == .success)
        #expect(world.machine.devices.isEmpty)
        #expect(
            world.host.takeLog().contains { line in
                line.contains(
                    """
                    is too long for the file name of a device record
                    """)
            })
    }

    @Test("each pool, app client and account has a name of its own, fit for a file")
    func names() throws {
        func named(_ user: [UInt8], _ pool: String = "eu-west-1_AbCdEf123") throws -> String? {
            let text = "user_pool_id = \(pool)\nclient_id = c\nallowed_groups = *\nusers = x"
            let settings = try Settings(parsing: Array(text.utf8), arguments: [])
            return deviceName(of: user, settings).map { name in String(decoding: name, as: UTF8.self) }
        }
        #expect(try named(Array("alice".utf8)) == "eu-west-1_AbCdEf123.c.616c696365")
        #expect(try named([0, 0x2f, 0x2e, 0xff]) == "eu-west-1_AbCdEf123.c.002f2eff")
        #expect(try named(Array("alice".utf8), "eu-west-1_Other") == "eu-west-1_Other.c.616c696365")
        #expect(try named([UInt8](repeating: 0x61, count: 116))?.utf8.count == 254)
        #expect(try named([UInt8](repeating: 0x61, count: 117)) == nil)
    }
}
