/// The version of everything that is built here. It is changed in this line alone: the packages read it from here, and are not
/// built while their change log names another.
package let version: StaticString = "0.1.0"
