package text

import (
	"strings"
	"unicode"

	"github.com/gabriel-vasile/mimetype"
)

// prefixSize is how many bytes of a file's beginning are looked at to say what
// it is.
const prefixSize = 3 << 10

// MediaType returns the media type of a file that starts with prefix, of which
// at most 3 KiB are looked at, without parameters: "image/png". What is not
// recognised is "application/octet-stream". It is a description, not a
// decision: whether a file is text is for [Decode] and [Read] to say.
func MediaType(prefix []byte) string {
	full := mimetype.Detect(prefix[:min(len(prefix), prefixSize)]).String()
	media, _, _ := strings.Cut(full, ";")
	return strings.TrimSpace(media)
}

// descriptions of media types whose name says little.
var descriptions = map[string]string{
	"application/octet-stream":                      "binary data",
	"text/plain":                                    "plain text",
	"application/x-elf":                             "ELF file",
	"application/x-object":                          "ELF object file",
	"application/x-executable":                      "ELF executable",
	"application/x-sharedlib":                       "ELF shared library or executable",
	"application/x-coredump":                        "ELF core dump",
	"application/x-mach-binary":                     "Mach-O executable",
	"application/wasm":                              "WebAssembly module",
	"application/x-java-applet":                     "Java class file",
	"application/java-archive":                      "Java archive",
	"application/x-bytecode.python":                 "Python bytecode",
	"application/vnd.microsoft.portable-executable": "Windows executable",
	"application/gzip":                              "gzip archive",
	"application/zip":                               "ZIP archive",
	"application/zstd":                              "Zstandard archive",
	"application/x-xz":                              "xz archive",
	"application/x-bzip2":                           "bzip2 archive",
	"application/x-tar":                             "tar archive",
	"application/x-7z-compressed":                   "7-Zip archive",
	"application/vnd.rar":                           "RAR archive",
	"application/zlib":                              "zlib data",
	"application/x-archive":                         "ar archive",
	"application/pdf":                               "PDF document",
	"application/vnd.sqlite3":                       "SQLite database",
	"application/msword":                            "Word document",
	"application/vnd.ms-excel":                      "Excel workbook",
	"application/vnd.ms-powerpoint":                 "PowerPoint presentation",
	"application/epub+zip":                          "EPUB book",
	"application/vnd.apache.parquet":                "Parquet file",
	"application/vnd.tcpdump.pcap":                  "packet capture",
	"application/x-rpm":                             "RPM package",
	"image/svg+xml":                                 "SVG image",
	"image/x-icon":                                  "icon",
	"application/vnd.debian.binary-package":         "Debian package",
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document":   "Word document",
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":         "Excel workbook",
	"application/vnd.openxmlformats-officedocument.presentationml.presentation": "PowerPoint presentation",
}

// nouns of the top-level media types.
var nouns = map[string]string{
	"image": "image", "audio": "audio", "video": "video", "font": "font",
	"text": "text", "model": "model", "message": "message",
}

// Describe says in a few words what a file that starts with prefix is, such as
// "PNG image" or "ELF executable".
func Describe(prefix []byte) string {
	media := MediaType(prefix)
	if d, ok := descriptions[media]; ok {
		return d
	}
	kind, sub, _ := strings.Cut(media, "/")
	name := strings.TrimPrefix(strings.TrimPrefix(sub, "x-"), "vnd.")
	if noun, ok := nouns[kind]; ok {
		if len(name) <= 4 {
			name = strings.ToUpper(name)
		} else {
			name = capitalised(name)
		}
		return name + " " + noun
	}
	return name + " file"
}

func capitalised(s string) string {
	r := []rune(s)
	r[0] = unicode.ToUpper(r[0])
	return string(r)
}
