#compdef locationd
_arguments \
  '--system[serve the machine, not one user]' \
  '--config[read this file]:file:_files' \
  '*--source[where fixes come from]:URL:(gpsd:// nmea:// nmea+tcp:// nmea+tls:// nmea+udp:// nmea+unix:// gpx:// log:// fixed: fixes:// scans+tcp:// bluez: geoip: ichnaea:https:// geosubmit:https:// iio: modem: wifi: zone:)' \
  '--socket[listen here]:path:_files' \
  '--state[keep the state here]:folder:_files -/' \
  '--geoclue[serve programs that ask GeoClue, too]' \
  '--check[only look at the configuration]' \
  '--version[show the version]' \
  '--help[show help]'
