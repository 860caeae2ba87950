#compdef locationfleet
_arguments \
  '1:command:(run init fences publish events erase erasures expire ingress password seed)' \
  '2:file:_files' \
  '--config[read this file]:file:_files' \
  '--name[name of the worker]:name:' \
  '--wait[seconds to wait for a worker]:seconds:' \
  '--check[only look at the configuration]' \
  '--help[show help]'
