package gitguard

import (
	"path"
	"regexp"
	"strings"
)

// origin is what a new repository's configuration is judged by.
type origin struct {
	inside func(path string) bool     // the path lies in an allowed folder
	tree   func(worktree string) bool // the value of core.worktree is a work tree of this repository
	remote map[string]bool            // the remotes of this configuration
}

var (
	isBool    = matching(`(?i)(true|false|yes|no|on|off|0|1)`)
	isNumber  = matching(`[0-9]{1,9}[kKmMgG]?`)
	isWordy   = matching(`[A-Za-z0-9][A-Za-z0-9_.:=,-]{0,99}`)
	isRefspec = matching(`\+?refs/[\pL\pN._+@/#=*-]*:refs/[\pL\pN._+@/#=*-]*|\+?HEAD:refs/[\pL\pN._+@/#=-]*`)
	isBranch  = matching(`refs/[\pL\pN._+@/#=-]+`)
)

func matching(pattern string) func(string) bool {
	return regexp.MustCompile(`^(` + pattern + `)$`).MatchString
}

// isText accepts what is only ever shown.
func isText(s string) bool {
	return len(s) <= 500 && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// plainKeys are the keys of a repository's own configuration that run nothing and
// lead nowhere, with what they may be set to.
var plainKeys = map[string]func(string) bool{
	"core.repositoryformatversion": isNumber,
	"core.filemode":                isBool,
	"core.bare":                    isBool,
	"core.logallrefupdates":        isWordy,
	"core.ignorecase":              isBool,
	"core.precomposeunicode":       isBool,
	"core.symlinks":                isBool,
	"core.autocrlf":                isWordy,
	"core.eol":                     isWordy,
	"core.safecrlf":                isWordy,
	"core.quotepath":               isBool,
	"core.abbrev":                  isWordy,
	"core.sparsecheckout":          isBool,
	"core.sparsecheckoutcone":      isBool,
	"core.untrackedcache":          isWordy,
	"core.commitgraph":             isBool,
	"core.multipackindex":          isBool,
	"core.compression":             isNumber,
	"index.sparse":                 isBool,
	"index.version":                isNumber,
	"extensions.objectformat":      isWordy,
	"extensions.refstorage":        isWordy,
	"extensions.worktreeconfig":    isBool,
	"extensions.relativeworktrees": isBool,
	"extensions.preciousobjects":   isBool,
	"extensions.noop":              isText,
	"extensions.partialclone":      plainName,
	"feature.manyfiles":            isBool,
	"user.name":                    isText,
	"user.email":                   isText,
	"user.useconfigonly":           isBool,
	"author.name":                  isText,
	"author.email":                 isText,
	"committer.name":               isText,
	"committer.email":              isText,
	"init.defaultbranch":           plainName,
	"commit.gpgsign":               isBool,
	"tag.gpgsign":                  isBool,
	"pull.rebase":                  isWordy,
	"pull.ff":                      isWordy,
	"merge.ff":                     isWordy,
	"merge.conflictstyle":          isWordy,
	"push.default":                 isWordy,
	"push.autosetupremote":         isBool,
	"push.followtags":              isBool,
	"rebase.autostash":             isBool,
	"rebase.autosquash":            isBool,
	"fetch.prune":                  isBool,
	"fetch.recursesubmodules":      isWordy,
	"rerere.enabled":               isBool,
	"gc.auto":                      isNumber,
	"gc.autodetach":                isBool,
	"maintenance.auto":             isBool,
	"maintenance.strategy":         isWordy,
	"color.ui":                     isWordy,
	"status.showuntrackedfiles":    isWordy,
	"submodule.active":             isText,
	"submodule.recurse":            isBool,
	"lfs.repositoryformatversion":  isNumber,
	"diff.renames":                 isWordy,
	"diff.algorithm":               isWordy,
}

// subKeys are those of sections with a name.
var subKeys = map[string]func(string) bool{
	"remote.fetch":                     isRefspec,
	"remote.promisor":                  isBool,
	"remote.partialclonefilter":        isWordy,
	"remote.tagopt":                    matching(`--no-tags|--tags`),
	"remote.prune":                     isBool,
	"remote.mirror":                    isWordy,
	"remote.skipdefaultupdate":         isBool,
	"remote.skipfetchall":              isBool,
	"remote.followremotehead":          isWordy,
	"branch.merge":                     isBranch,
	"branch.rebase":                    isWordy,
	"branch.description":               isText,
	"branch.vscode-merge-base":         isWordy,
	"branch.github-pr-owner-number":    isText,
	"submodule.active":                 isBool,
	"submodule.branch":                 plainName,
	"submodule.update":                 matching(`checkout|rebase|merge|none`),
	"submodule.ignore":                 isWordy,
	"submodule.shallow":                isBool,
	"submodule.fetchrecursesubmodules": isWordy,
}

// harmless tells why an entry of a new repository must not stay, or "".
func (o *origin) harmless(e entry) string {
	value := e.value
	if e.bare {
		value = "true"
	}
	ok := false
	switch check, known := plainKeys[e.section+"."+e.key], false; {
	case e.sub == "" && check != nil:
		ok = check(value)
	case e.sub == "":
		ok = e.section == "core" && e.key == "worktree" && o.tree(value)
	default:
		check, known = subKeys[e.section+"."+e.key]
		ok = known && check(value) || o.leads(e, value)
	}
	if ok {
		return ""
	}
	return "is not among the harmless ones"
}

// leads judges the keys of named sections that lead to other repositories.
func (o *origin) leads(e entry, value string) bool {
	switch e.section + "." + e.key {
	case "remote.url", "submodule.url":
		return o.address(value) || e.section == "submodule" && relativeURL(value)
	case "branch.remote":
		return value == "." || o.remote[value]
	default:
		return false
	}
}

// address reports whether git reaches an address without running a program that
// the address names.
func (o *origin) address(url string) bool {
	if publicURL(url) || otherURL.MatchString(url) {
		return true
	}
	local := strings.TrimPrefix(url, "file://")
	return path.IsAbs(local) && isText(local) && o.inside(path.Clean(local))
}

var otherURL = regexp.MustCompile(`^(http|git)://[A-Za-z0-9][A-Za-z0-9._:-]*(/[A-Za-z0-9._~%:@!$&'()*+,=/-]*)?$`)

var relativePath = regexp.MustCompile(`^\.\.?/[A-Za-z0-9._~+@/-]*$`)

func relativeURL(url string) bool { return relativePath.MatchString(url) }

// sanitize keeps the harmless entries of a new configuration.
func (o *origin) sanitize(entries []entry) (kept []entry, refuse []refusal) {
	o.remote = remotesOf(entries)
	for _, e := range entries {
		if reason := o.harmless(e); reason != "" {
			refuse = append(refuse, refusal{e.name, reason})
			continue
		}
		kept = append(kept, e)
	}
	return kept, refuse
}
