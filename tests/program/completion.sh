#!/bin/sh
# completion.sh - bash and zsh offer every command and option that the program has
# SPDX-License-Identifier: BSD-2-Clause
. "${srcdir:-.}/tests/lib.sh"
needs bash
if grep -q enable-sanitizers "$build/config.log"; then
	echo 'SKIP: the shells start the program a thousand times, which sanitizers make too slow'
	exit 77
fi
PATH=$build:$PATH
export PATH

# ---- what there is, by the messages of the programs themselves: LINE of words, then what may follow ----
list()
{
	"$@" --help-all | awk '/^  [a-z]/ && !/^  [a-z-]*$/ { print $1 }'
}
offered_words()
{
	"$@" --help-all | awk '/^ *(-.,|--)/ { for (i = 1; i <= 2; i++) if ($i ~ /^--/) { sub(/[[=].*/, "", $i); print $i } }'
}
for c in $(list heddle); do
	echo "heddle:$c"
	if heddle "$c" --help-all | grep -q '^Usage: heddle [a-z-]* COMMAND'; then
		for part in $(list heddle "$c"); do
			echo "heddle $c:$part"
			offered_words heddle "$c" "$part" | sed "s/^/heddle $c $part:/"
		done
	else
		offered_words heddle "$c" | sed "s/^/heddle $c:/"
	fi
done >expected
test "$(wc -l <expected)" -ge 100 && grep -q '^heddle trace print:--strict' expected ||
	{ fail 'commands and options are not found in --help'; cat expected; }

# ---- bash ----
cat >complete.bash <<'END'
. "$1"
complete_line() # WORD...: what is offered for the last
{
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	COMPREPLY=()
	_heddle
	printf '%s\n' "${COMPREPLY[@]}"
}
while IFS=: read -r before word; do
	if [[ $before != "${last-}" ]]; then
		commands=$(complete_line $before '')
		options=$(complete_line $before -- | sed 's/=$//')
		last=$before
	fi
	[[ $word == --* ]] && have=$options || have=$commands
	[[ $'\n'$have$'\n' == *$'\n'$word$'\n'* ]] || echo "$before $word"
done <expected
{
	complete_line heddle dump --to = k
	complete_line heddle dump x.hdump --to =
	complete_line heddle mon
	complete_line heddle run --max-cycles = 1
	complete_line heddle run net
	complete_line heddle trace pr
	complete_line heddle modules scheduler_g
	complete_line heddle run '--stuck-aft'
	complete_line heddle new-module --kind = p
} >some
END
expect 0 '' bash complete.bash "$src/tools/completion/heddle.bash"
test ! -s out || { fail 'bash does not offer:'; cat out; }
printf '%s\n' kanata text kanata perfetto sqlite csv vcd monitor '' '' print scheduler_gto --stuck-after= pipeline policy | cmp - some ||
	{ fail 'bash: other words'; cat some; }

# ---- zsh ----
command -v zsh >/dev/null || { echo 'there is no zsh'; done_testing; }
cat >complete.zsh <<'END'
emulate -R zsh
# what _describe is given, instead of menus
functions[_heddle_file]=$(sed '/^_heddle "\$@"$/d' $1)
_heddle_file
_describe() { local last=$#; [[ $1 == -o ]] && shift; print -rl -- ${(P)2} }
_files() { print FILES }
compset() { : }
complete_line() # WORD...
{
	local -a words=("$@")
	local CURRENT=$# PREFIX=$words[-1]
	_heddle
}
while IFS=: read -r before word; do
	if [[ $before != ${last-} ]]; then
		names=(${(f)"$(complete_line ${=before} '')"})
		flags=(${(f)"$(complete_line ${=before} --)"})
		last=$before
	fi
	if [[ $word == --* ]]; then
		(( ${flags[(I)($word|$word=):*]} )) || print -r -- $before $word
	else
		(( ${names[(I)$word:*]} )) || print -r -- $before $word
	fi
done <expected
[[ $(complete_line heddle run net) == FILES ]] || print heddle run FILES
END
expect 0 '' zsh -f complete.zsh "$src/tools/completion/_heddle"
test ! -s out || { fail 'zsh does not offer:'; cat out; }
# in a real one
cat >real.zsh <<'END'
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1=; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D; setopt no_beep; bindkey '^I' complete-word"
zpty -w z $'heddle monit\t --hel\t; echo R''EADY'
zpty -r -m z text '*READY*'
print -r -- $text
END
case $(timeout 600 zsh -f real.zsh "$src/tools/completion") in
*'heddle monitor'*--help*) ;;
*) fail 'zsh completes nothing'; timeout 600 zsh -f real.zsh "$src/tools/completion" ;;
esac
done_testing
