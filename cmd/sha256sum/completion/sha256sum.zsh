#compdef sha256sum
# zsh completion for sha256sum
_sha256sum() {
	_arguments -s -S \
		'(-b --binary -t --text)'{-b,--binary}'[read in binary mode]' \
		'(-c --check)'{-c,--check}'[read checksums from the files and check them]' \
		'--tag[create a BSD-style checksum]' \
		'(-b --binary -t --text)'{-t,--text}'[read in text mode]' \
		'(-z --zero)'{-z,--zero}'[end each line with NUL]' \
		'(-r --recursive)'{-r,--recursive}'[hash the files under directories]' \
		'*--exclude=[leave out what matches]:pattern' \
		'--files0-from=[read names from a file]:file:_files' \
		'(-j --jobs)'{-j,--jobs=}'[hash on this many processors]:number' \
		'--json[print one JSON object a line]' \
		'--output=[write to a file at the end]:file:_files' \
		'--part-size=[print S3 composite checksums too]:size' \
		'--progress=[show a progress bar]:when:(auto always never)' \
		'--ignore-missing[do not fail for missing files]' \
		'--quiet[do not print OK]' \
		'--status[print nothing]' \
		'--strict[fail for improperly formatted lines]' \
		'(-w --warn)'{-w,--warn}'[warn about improperly formatted lines]' \
		'--generate-completion=[print a completion script]:shell:(bash zsh fish)' \
		'--help[display help]' \
		'--version[output version information]' \
		'*:file:_files'
}
if [[ $funcstack[1] == _sha256sum ]]; then
	_sha256sum "$@"
else
	compdef _sha256sum sha256sum
fi
