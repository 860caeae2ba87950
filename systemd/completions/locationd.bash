# bash completion for locationd
_locationd() {
  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"
  case "$before" in
  --config | --socket) COMPREPLY=($(compgen -f -- "$word")) ;;
  --state) COMPREPLY=($(compgen -d -- "$word")) ;;
  --source) COMPREPLY=($(compgen -W "gpsd:// nmea:// nmea+tcp:// nmea+tls:// nmea+udp:// nmea+unix:// gpx:// log:// fixed: fixes:// scans+tcp:// bluez: geoip: ichnaea:https:// geosubmit:https:// iio: modem: wifi: zone:" -- "$word")) ;;
  *) COMPREPLY=($(compgen -W "--system --config --source --socket --state --geoclue --check --version --help" -- "$word")) ;;
  esac
}
complete -F _locationd locationd
