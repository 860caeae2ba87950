#compdef locationfleet
_arguments \
  '1:command:(run init streams fences publish events erase erasures expire ingress sink refused forget-sink doctor password seed tenant-key)' \
  '2:argument:{ if [[ $words[2] == sink ]]; then compadd webhook postgis mqtt nats; else _files; fi }' \
  '--config[read this file]:file:_files' \
  '--name[name of the worker or sink]:name:' \
  '--all[with erase, all devices of a tenant]' \
  '--yes[with erase --all and fences, do not ask]' \
  '--wait[seconds to wait for a worker]:seconds:' \
  '--schema[print the SQL that makes the table of sink postgis]' \
  '--json[with doctor, print JSON]' \
  '--check[only look at the configuration]' \
  '--version[show the version]' \
  '--help[show help]'
