# fish completion for locationfleet
complete -c locationfleet -f
complete -c locationfleet -n __fish_use_subcommand -a run -d 'Own partitions and judge their fixes'
complete -c locationfleet -n __fish_use_subcommand -a init -d 'Make the streams of the fleet'
complete -c locationfleet -n __fish_use_subcommand -a fences -d 'Judge by the fences of a file'
complete -c locationfleet -n __fish_use_subcommand -a publish -d 'Append fixes from standard input'
complete -c locationfleet -n __fish_use_subcommand -a events -d 'Print the events'
complete -c locationfleet -n __fish_use_subcommand -a erase -d 'Forget a device, and overwrite it where it is stored'
complete -c locationfleet -n __fish_use_subcommand -a erasures -d 'Print what was erased when'
complete -c locationfleet -n __fish_use_subcommand -a expire -d 'Overwrite events that tenants keep no longer'
complete -c locationfleet -n __fish_use_subcommand -a ingress -d 'Take fixes from devices by MQTT and HTTP'
complete -c locationfleet -n __fish_use_subcommand -a password -d 'Print the hash of a password'
complete -c locationfleet -n __fish_use_subcommand -a seed -d 'Print a new seed'
complete -c locationfleet -n '__fish_seen_subcommand_from fences' -F
complete -c locationfleet -l config -r -F -d 'Read this file'
complete -c locationfleet -l name -x -d 'Name of the worker'
complete -c locationfleet -l wait -x -d 'Seconds to wait for a worker'
complete -c locationfleet -l check -d 'Only look at the configuration'
complete -c locationfleet -l help -d 'Show help'
