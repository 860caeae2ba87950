// `import CoreLocation` also imports the C types of this module, and Foundation.
@_exported public import CoreLocation
@_exported public import Foundation
