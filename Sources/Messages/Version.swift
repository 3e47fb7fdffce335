internal import CVersion

/// The version of this program, as packaging/version.sh names it.
package var version: String {
    unsafe String(cString: version_text())
}
