# fish completion for locationd
complete -c locationd -f
complete -c locationd -l system -d 'Serve the machine, not one user'
complete -c locationd -l config -r -F -d 'Read this file'
complete -c locationd -l source -x -a 'gpsd:// nmea:// nmea+tcp:// nmea+tls:// nmea+udp:// nmea+unix:// gpx:// log:// fixed: fixes:// scans+tcp:// bluez: geoip: ichnaea:https:// geosubmit:https:// iio: modem: wifi: zone:' -d 'Where fixes come from'
complete -c locationd -l socket -r -F -d 'Listen here'
complete -c locationd -l state -x -a '(__fish_complete_directories)' -d 'Keep the state here'
complete -c locationd -l geoclue -d 'Serve programs that ask GeoClue, too'
complete -c locationd -l check -d 'Only look at the configuration'
complete -c locationd -l help -d 'Show help'
complete -c locationd -l version -d 'Show the version'
