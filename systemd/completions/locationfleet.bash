# bash completion for locationfleet
_locationfleet() {
  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"
  case "$before" in
  --config | fences) COMPREPLY=($(compgen -f -- "$word")) ;;
  --name | --wait) COMPREPLY=() ;;
  sink) COMPREPLY=($(compgen -W "webhook postgis mqtt nats" -- "$word")) ;;
  *) COMPREPLY=($(compgen -W "run init streams fences publish events erase erasures expire ingress sink refused forget-sink doctor password seed tenant-key --config --name --wait --all --yes --check --schema --json --version --help" -- "$word")) ;;
  esac
}
complete -F _locationfleet locationfleet
