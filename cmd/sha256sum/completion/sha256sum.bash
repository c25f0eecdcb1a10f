# bash completion for sha256sum
_sha256sum() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
	# --option=value arrives in three words.
	if [[ $cur == '=' ]]; then
		cur=
	elif [[ $prev == '=' ]]; then
		prev=${COMP_WORDS[COMP_CWORD-2]}
	fi
	COMPREPLY=()
	case $prev in
	--progress)
		COMPREPLY=($(compgen -W 'auto always never' -- "$cur"))
		return
		;;
	--generate-completion)
		COMPREPLY=($(compgen -W 'bash zsh fish' -- "$cur"))
		return
		;;
	--exclude | --jobs | -j | --part-size)
		return
		;;
	esac
	if [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W '--binary --check --exclude= --files0-from=
			--generate-completion= --help --ignore-missing --jobs= --json --output=
			--part-size= --progress= --quiet --recursive --status --strict --tag
			--text --version --warn --zero' -- "$cur"))
		if [[ ${COMPREPLY[0]-} == *= ]]; then
			compopt -o nospace
		fi
		return
	fi
	compopt -o filenames
	# Names with * and the like are not to be expanded.
	mapfile -t COMPREPLY < <(compgen -f -- "$cur")
}
complete -F _sha256sum sha256sum
