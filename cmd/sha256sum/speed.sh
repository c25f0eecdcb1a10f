#!/usr/bin/env bash
# Measures this sha256sum beside other tools, and prints the table of SPEED.md:
#
#	cmd/sha256sum/speed.sh FOLDER [tree|small|bar|million|large|tiny]...
#
# FOLDER takes 7 GB of files, which stay there for the next run. It needs
# hyperfine, and leaves out the tools that are not installed.
set -euo pipefail
mkdir -p "$1"
work=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
rows=("${@:2}")
[ ${#rows[@]} -gt 0 ] || rows=(tree small bar million large tiny)
# The system holds what the linker has written in single pages, and loads that
# more slowly than a copy, or what it has read from a disk as it has the others.
go build -o "$work/linked" ./cmd/sha256sum
cp "$work/linked" "$work/ours"
ln -sf ours "$work/ours-with-bar"
export LC_ALL=C
runs=${RUNS:-5}

# files DIRECTORY N SIZE makes N files in directories of 1,000, or in one if a
# fourth argument is given.
files() {
	local dir=$work/$1 n=$2 size=$3
	[ ! -e "$dir" ] || return 0
	mkdir "$dir"
	(cd "$dir" && head -c $((n * size)) /dev/zero | openssl enc -aes-128-ctr -nosalt -K 00 -iv 00 2>/dev/null |
		split -b "$size" -a 7 -d - file)
	if [ $# = 3 ]; then
		(cd "$dir" && for d in $(seq -f %04.0f 0 $((n / 1000 - 1))); do
			mkdir "$d"
			mv -t "$d" "file$d"???
		done)
	fi
}
files small 200000 2000
files million 1000000 10 flat
[ -e "$work/large" ] || head -c 2G /dev/zero | openssl enc -aes-128-ctr -nosalt -K 00 -iv 00 >"$work/large" 2>/dev/null
ln -sfn "$(go env GOROOT)" "$work/goroot"
[ -e "$work/tiny" ] || echo x >"$work/tiny"

columns=(ours sha256sum openssl rhash b3sum ours-with-bar)

# measure TITLE [TOOL COMMAND]... prints a row: the time of each tool's fastest
# run, and its ratio to the first tool's.
measure() {
	local title=$1 names=() commands=() column i
	shift
	while [ $# -gt 0 ]; do
		if command -v "$1" >/dev/null; then
			names+=("$1")
			commands+=("$2")
		fi
		shift 2
	done
	hyperfine -N --style none --warmup 1 --runs "$runs" --export-csv "$work/csv" "${commands[@]}" >/dev/null 2>&1
	# The columns from the right: min is the last but one.
	mapfile -t best < <(tail -n +2 "$work/csv" | awk -F, '{print $(NF-1)}')
	printf '| %s |' "$title"
	for column in "${columns[@]}"; do
		for i in "${!names[@]}"; do
			if [ "${names[i]##*/}" = "$column" ]; then
				awk -v t="${best[i]}" -v ours="${best[0]}" 'BEGIN { printf " %.1f (%.2f)", 1000 * t, t / ours }'
			fi
		done
		printf ' |'
	done
	echo
}

cd "$work"
two="taskset -c 0,1"
small() {
	measure "200,000 files of 2,000 bytes, two processors" \
		./ours "$two ./ours -r small" \
		sha256sum "$two sh -c 'find small -type f -print0 | sort -z | xargs -0 sha256sum'" \
		openssl "$two sh -c 'find small -type f -print0 | sort -z | xargs -0 openssl dgst -sha256 -r'" \
		rhash "$two rhash --sha256 -r small" \
		b3sum "$two sh -c 'find small -type f -print0 | sort -z | xargs -0 b3sum'"
}
bar() {
	measure "200,000 files of 2,000 bytes, two processors, progress shown" \
		./ours "$two ./ours --progress=never -r small" \
		./ours-with-bar "$two ./ours-with-bar --progress=always -r small"
}
tree() {
	measure "\`\$(go env GOROOT)\`, two processors" \
		./ours "$two ./ours -r goroot" \
		sha256sum "$two sh -c 'find goroot/ -type f -print0 | sort -z | xargs -0 -P2 -n 400 sha256sum'" \
		openssl "$two sh -c 'find goroot/ -type f -print0 | sort -z | xargs -0 -P2 -n 400 openssl dgst -sha256 -r'" \
		rhash "$two sh -c 'find goroot/ -type f -print0 | sort -z | xargs -0 -P2 -n 400 rhash --sha256'" \
		b3sum "$two sh -c 'find goroot/ -type f -print0 | sort -z | xargs -0 b3sum'"
}
million() {
	measure "a million files in one directory, two processors" \
		./ours "$two ./ours -r million" \
		sha256sum "$two sh -c 'find million -type f | sort | xargs sha256sum'" \
		openssl "$two sh -c 'find million -type f | sort | xargs openssl dgst -sha256 -r'" \
		rhash "$two rhash --sha256 -r million" \
		b3sum "$two sh -c 'find million -type f | sort | xargs b3sum'"
}
large() {
	measure "one file of 2 GiB" \
		./ours "./ours large" sha256sum "sha256sum large" openssl "openssl dgst -sha256 -r large" \
		rhash "rhash --sha256 large" b3sum "b3sum large"
}
tiny() {
	runs=200 measure "start-up: a file of two bytes, 200 runs" \
		./ours "./ours tiny" sha256sum "sha256sum tiny" openssl "openssl dgst -sha256 -r tiny" rhash "rhash --sha256 tiny" b3sum "b3sum tiny"
}
echo "$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), $(uname -sr), $(sha256sum --version | head -n 1), $(openssl version | cut -d' ' -f1,2), $(rhash --version 2>/dev/null || true), $(b3sum --version 2>/dev/null || true)"
echo
echo "| fastest of $runs, ms (times ours) |$(printf ' %s |' "${columns[@]}")"
echo "| --- |$(printf ' ---: |%.0s' "${columns[@]}")"
for row in "${rows[@]}"; do
	"$row"
done
