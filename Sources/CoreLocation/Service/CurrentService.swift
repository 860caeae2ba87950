/// The service that answers this process: the one line to change when an engine is connected.
let currentService: any LocationService = SwitchedOffService()
