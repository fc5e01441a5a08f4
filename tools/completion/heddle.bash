# heddle.bash - completion of the command line of heddle for bash
# SPDX-License-Identifier: BSD-2-Clause
#
# Installed as share/bash-completion/completions/heddle; `. heddle.bash` does as well.  Commands and options
# are those that the program prints for --help-all, so that they are always its own.

# Commands, one a line, if there are any: "_heddle_commands PROGRAM [COMMAND]"
_heddle_commands()
{
	"$@" --help-all 2>/dev/null </dev/null | sed -n '1{/ COMMAND /!q};s/^  \([a-z][a-z-]*\)  *[^ ].*/\1/p'
}

# Options as the program prints them, one a line: --quiet, --stats=FILE, --head[=N]
_heddle_options()
{
	"$@" --help-all 2>/dev/null </dev/null | sed -n 's/^ *\(-[a-zA-Z?], \)\{0,1\}\(--[^ ]*\).*/\2/p'
}

# Names in the section of that heading: "_heddle_section Formats PROGRAM COMMAND"
_heddle_section()
{
	local heading=$1
	shift
	"$@" --help-all 2>/dev/null </dev/null | sed -n "/^$heading:/,/^\$/s/^  \([a-z]*\)  .*/\1/p"
}

# Words for the value of an option; nothing: the name of a file.
_heddle_values()
{
	case $1 in
	*=FORMAT) _heddle_section Formats "${@:2}" ;;
	*=KIND) _heddle_section Kinds "${@:2}" ;;
	*=FILE | *=PATH | *=FOLDER | *=DUMP | *=NETLIST) ;;
	*) echo ' ' ;; # a number, a name: no file
	esac
}

_heddle()
{
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words=() names option i
	COMPREPLY=()

	# the commands before this word: heddle run, heddle trace print
	words=("${COMP_WORDS[0]}")
	for ((i = 1; i < COMP_CWORD; i++)); do
		names=$(_heddle_commands "${words[@]}")
		[[ $'\n'$names$'\n' == *$'\n'${COMP_WORDS[i]}$'\n'* ]] || break
		words+=("${COMP_WORDS[i]}")
	done

	# the value of an option: "--to=ka" are three words
	if [[ $word == = || $before == = ]]; then
		[[ $word == = ]] && word= && before=${COMP_WORDS[COMP_CWORD - 1]} || before=${COMP_WORDS[COMP_CWORD - 2]}
		option=$(_heddle_options "${words[@]}" | grep -e "^$before=" -e "^$before\\[")
		names=$(_heddle_values "$option" "${words[@]}")
		if [[ -n $names ]]; then
			compopt +o default 2>/dev/null
			mapfile -t COMPREPLY < <(compgen -W "$names" -- "$word")
		fi
		return
	fi

	if [[ $word == -* ]]; then
		names=$(_heddle_options "${words[@]}" | sed 's/\[.*//; s/=.*/=/')
		mapfile -t COMPREPLY < <(compgen -W "$names" -- "$word")
		[[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
	elif [[ ${#words[@]} -eq COMP_CWORD ]] && names=$(_heddle_commands "${words[@]}") && [[ -n $names ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$names" -- "$word")
	elif [[ ${words[1]-} == modules ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$("${words[@]}" 2>/dev/null | sed 's/ .*//')" -- "$word")
	fi
}

# where nothing is found, names of files
complete -o default -F _heddle heddle
