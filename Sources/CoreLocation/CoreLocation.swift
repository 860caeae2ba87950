// What `import CoreLocation` brings along: the C types under this module, and Foundation.
@_exported public import CoreLocation
@_exported public import Foundation
