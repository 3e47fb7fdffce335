import Testing

@testable import Doctor

@Suite struct PackageSumsTests {
    @Test(
        "what dpkg and rpm mark as configuration, and what they do not",
        arguments: [
            ("??5?????? c /etc/security/pam_cognito.conf", true),
            ("S.5....T.  c /etc/security/pam_cognito.conf", true),
            ("missing   c /etc/security/pam_cognito.conf", true),
            ("??5??????   /usr/libexec/pam-cognito/cognito-worker", false),
            ("S.5....T.    /usr/libexec/pam-cognito/cognito-worker", false),
            ("missing     /usr/libexec/pam-cognito/cognito-worker", false),
            (".M.......  d /usr/share/doc/c", false),
            ("", false),
        ])
    func configuration(line: String, isAbout: Bool) {
        #expect(isAboutConfiguration(line) == isAbout)
    }
}
