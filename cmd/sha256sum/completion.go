package main

import (
	"fmt"
	"strings"
)

func bashCompletion() string {
	var words, free, all strings.Builder
	for _, p := range table {
		long := "--" + p.long
		pattern := long
		if p.short != 0 {
			pattern += " | -" + string(p.short)
		}
		switch {
		case len(p.words) > 0:
			fmt.Fprintf(&words, "\t%s)\n\t\tCOMPREPLY=($(compgen -W '%s' -- \"$cur\"))\n\t\treturn\n\t\t;;\n", pattern, strings.Join(p.words, " "))
		case p.argument != "" && !p.takesFile():
			fmt.Fprintf(&free, " | %s", pattern)
		}
		if p.argument != "" {
			long += "="
		}
		all.WriteString(" " + long)
	}
	return fmt.Sprintf(`# bash completion for sha256sum
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
%s	%s)
		return
		;;
	esac
	if [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W '%s' -- "$cur"))
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
`, &words, strings.TrimPrefix(free.String(), " | "), strings.TrimSpace(all.String()))
}

func zshCompletion() string {
	var b strings.Builder
	b.WriteString("#compdef sha256sum\n# zsh completion for sha256sum\n_sha256sum() {\n\t_arguments -s -S \\\n")
	for _, p := range table {
		names, suffix, argument := "--"+p.long, "", ""
		if p.argument != "" {
			suffix = "="
			switch {
			case len(p.words) > 0:
				argument = ":" + strings.ToLower(p.argument) + ":(" + strings.Join(p.words, " ") + ")"
			case p.takesFile():
				argument = ":file:_files"
			default:
				argument = ":" + strings.ToLower(p.argument)
			}
		}
		text := strings.NewReplacer("'", `'\''`, "[", `\[`, "]", `\]`, ":", `\:`).Replace(p.help)
		if p.short != 0 {
			fmt.Fprintf(&b, "\t\t'(-%c %s)'{-%c,%s%s}'[%s]%s' \\\n", p.short, names, p.short, names, suffix, text, argument)
		} else {
			// A glob may be given again.
			again := ""
			if p.argument == "GLOB" {
				again = "*"
			}
			fmt.Fprintf(&b, "\t\t'%s%s%s[%s]%s' \\\n", again, names, suffix, text, argument)
		}
	}
	b.WriteString("\t\t'*:file:_files'\n}\n" + `if [[ $funcstack[1] == _sha256sum ]]; then
	_sha256sum "$@"
else
	compdef _sha256sum sha256sum
fi
`)
	return b.String()
}

func fishCompletion() string {
	var b strings.Builder
	b.WriteString("# fish completion for sha256sum\n")
	for _, p := range table {
		b.WriteString("complete -c sha256sum")
		if p.short != 0 {
			b.WriteString(" -s " + string(p.short))
		}
		b.WriteString(" -l " + p.long)
		switch {
		case len(p.words) > 0:
			b.WriteString(" -x -a '" + strings.Join(p.words, " ") + "'")
		case p.takesFile():
			b.WriteString(" -r -F")
		case p.argument != "":
			b.WriteString(" -x")
		}
		b.WriteString(" -d '" + strings.ReplaceAll(p.help, "'", `\'`) + "'\n")
	}
	return b.String()
}
