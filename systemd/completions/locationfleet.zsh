#compdef locationfleet
_arguments \
  '1:command:(run init fences publish events ingress password)' \
  '2:file:_files' \
  '--config[read this file]:file:_files' \
  '--name[name of the worker]:name:' \
  '--check[only look at the configuration]' \
  '--help[show help]'
