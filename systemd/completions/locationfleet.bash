# bash completion for locationfleet
_locationfleet() {
  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"
  case "$before" in
  --config | fences) COMPREPLY=($(compgen -f -- "$word")) ;;
  --name) COMPREPLY=() ;;
  *) COMPREPLY=($(compgen -W "run init fences publish events ingress password --config --name --check --help" -- "$word")) ;;
  esac
}
complete -F _locationfleet locationfleet
