// Package output replaces a file by new contents, all at once.
package output

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/sha256-simd/sha256-simd/cmd/internal/replace"
	"github.com/sha256-simd/sha256-simd/cmd/sha256sum/internal/message"
)

// A File is the file of --output. What stood there stays until Commit
// puts the whole of the new contents in its place, by renaming a temporary file
// or, where the system refuses that, by copying it.
//
// The module atomicwriter, which this project's other tools use, cannot do
// this: it deletes a file that it could not rename, and its temporary names are
// longer than the file's name, which may have the greatest length allowed.
type File struct {
	*os.File
	target    string
	Temporary bool // takes target's place; otherwise it is target itself: a device, a pipe or somebody's descriptor
	Replaces  bool // something stands in target's place until then
}

func Create(name string) (*File, error) { return create(name, "") }

// CreateBeside is Create. If nothing has the name, the new file gets the rights of the file
// beside, if there is one.
func CreateBeside(beside, name string) (*File, error) { return create(name, beside) }

func create(name, beside string) (*File, error) {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return nil, syscall.EISDIR
	case err == nil && !info.Mode().IsRegular():
		// A device or a pipe, perhaps by way of /dev/stdout, cannot be replaced.
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		return &File{File: f, target: name}, err
	case err == nil:
		return replaceOutput(name, info)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if _, err := os.Lstat(name); err == nil {
		return nil, errors.New("dangling symbolic link")
	}
	o := &File{target: name, Temporary: true}
	if info, err := os.Stat(beside); err != nil || !info.Mode().IsRegular() {
		o.File, err = createTemporary(filepath.Dir(name), 0o666)
		return o, err
	}
	if o.File, err = createTemporary(filepath.Dir(name), 0o600); err != nil {
		return o, err
	}
	return o, o.keepRights(beside)
}

// keepRights gives a temporary file the rights of another one, or removes it.
func (o *File) keepRights(target string) error {
	if err := replace.KeepRights(o.File, target); err != nil {
		o.Abort()
		return err
	}
	return nil
}

// Replaces reports whether Create is going to replace a file that has the name.
func Replaces(name string) bool {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	_, numbered := descriptorNumber(name)
	return !numbered && standardStream(info) == nil
}

// replaceOutput prepares to replace the file that info is of.
func replaceOutput(name string, info fs.FileInfo) (*File, error) {
	// A link stays: what it leads to is replaced.
	target, err := filepath.EvalSymlinks(name)
	// Other programs, such as the shell, may have the file of a descriptor
	// open. They would go on with the replaced file.
	if f := descriptor(name, info); f != nil {
		return &File{File: f, target: target}, nil
	}
	if err != nil {
		return nil, err
	}
	// To replace a file takes no right to write to it; who protected it means it.
	f, err := os.OpenFile(target, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	f.Close()
	const mode = 0o600
	o := &File{target: target, Temporary: true, Replaces: info.Size() > 0}
	if o.File, err = createTemporary(filepath.Dir(target), mode); err != nil {
		// The directory takes no new file. The contents wait elsewhere.
		o.File, err = createTemporary(os.TempDir(), mode)
		return o, err
	}
	return o, o.keepRights(target)
}

// createTemporary makes a file that is locked as long as it is open.
func createTemporary(dir string, mode fs.FileMode) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, fmt.Sprintf("%s%08x", temporaryPrefix, rand.Uint32())), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err == nil {
		lock(f)
	}
	return f, err
}

// leftAfter is the age of a temporary file that no run needs any more.
const leftAfter = 24 * time.Hour

// sweep removes what runs that were killed have left in a directory: temporary
// files of the same owner that are older than a day and that no run has locked.
func sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // all that is lost is some room
	}
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		if !IsTemporary(e.Name()) || !e.Type().IsRegular() {
			continue
		}
		info, err := e.Info()
		if err != nil || time.Since(info.ModTime()) < leftAfter || !isOwn(info) {
			continue
		}
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			continue
		}
		if now, err := f.Stat(); err == nil && os.SameFile(info, now) && lock(f) {
			os.Remove(name)
		}
		f.Close()
	}
}

const temporaryPrefix = ".sha256sum."

// IsTemporary reports whether a file of this name was made by createTemporary.
func IsTemporary(base string) bool {
	digits, found := strings.CutPrefix(base, temporaryPrefix)
	return found && len(digits) == 8 && strings.Trim(digits, "0123456789abcdef") == ""
}

// descriptor returns the file that the process was started with under one of
// its descriptors and that the name means: by number, or because it is standard
// output or standard error.
func descriptor(name string, info fs.FileInfo) *os.File {
	if f := standardStream(info); f != nil {
		return f
	}
	if fd, ok := descriptorNumber(name); ok {
		return os.NewFile(fd, name)
	}
	return nil
}

// standardStream returns standard output or standard error, if info is of its file.
func standardStream(info fs.FileInfo) *os.File {
	for _, f := range []*os.File{os.Stdout, os.Stderr} {
		if own, err := f.Stat(); err == nil && os.SameFile(info, own) {
			return f
		}
	}
	return nil
}

// descriptorNumber returns the descriptor that a name has the number of.
func descriptorNumber(name string) (fd uintptr, ok bool) {
	for _, dir := range []string{"/dev/fd/", "/proc/self/fd/"} {
		if number, found := strings.CutPrefix(filepath.ToSlash(filepath.Clean(name)), dir); found {
			if fd, err := strconv.ParseUint(number, 10, 31); err == nil {
				return uintptr(fd), true
			}
		}
	}
	return 0, false
}

// Commit puts the file in its place. When that is impossible it keeps the
// contents, and the error says where.
func (o *File) Commit() error {
	if !o.Temporary {
		return o.Close()
	}
	err := o.Sync()
	if closeErr := o.Close(); err == nil {
		err = closeErr
	}
	if err == nil && os.Rename(o.Name(), o.target) != nil {
		// A mount point such as a container's, or somebody else's file in a
		// directory like /tmp.
		if err = copyFile(o.target, o.Name()); err == nil {
			os.Remove(o.Name())
		}
	}
	if err != nil {
		// No later run takes the contents for what a killed run has left.
		kept := filepath.Join(filepath.Dir(o.Name()), strings.TrimPrefix(filepath.Base(o.Name()), "."))
		if os.Rename(o.Name(), kept) != nil {
			kept = o.Name()
		}
		return fmt.Errorf("%s; the new contents are in %s", message.Reason(err), message.Quote(kept))
	}
	sweep(filepath.Dir(o.target))
	return nil
}

// copyFile gives an existing file the contents of another one.
func copyFile(to, from string) error {
	contents, err := os.Open(from)
	if err != nil {
		return err
	}
	defer contents.Close()
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	if _, err = io.Copy(f, contents); err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}

// Abort leaves what stood in the file's place.
func (o *File) Abort() {
	o.Close()
	if o.Temporary {
		os.Remove(o.Name())
	}
}

// Is reports whether name is the file or what it will replace, as Same does.
func (o *File) Is(name string, follow bool) bool {
	return Same(name, o.target, follow) || Same(name, o.Name(), follow)
}

// Same reports whether name is of the file own, which is no link. Its other hard links are
// files of their own: they keep the contents when it is replaced. With follow, all links
// that lead to it are the file.
func Same(name, own string, follow bool) bool {
	if follow {
		if info, err := os.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			if name, err = filepath.EvalSymlinks(name); err != nil {
				return false
			}
		}
	}
	return filepath.Base(name) == filepath.Base(own) && sameInfo(os.Lstat, name, own) && sameInfo(os.Stat, filepath.Dir(name), filepath.Dir(own))
}

// sameInfo reports whether two paths are of one file, of which stat returns the information.
func sameInfo(stat func(string) (fs.FileInfo, error), a, b string) bool {
	infoA, err := stat(a)
	if err != nil {
		return false
	}
	infoB, err := stat(b)
	return err == nil && os.SameFile(infoA, infoB)
}
