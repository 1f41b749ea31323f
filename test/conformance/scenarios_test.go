package conformance

// face is one of the fixture's servers.
type face string

const (
	own   face = "own"   // Bailey's tools, and the files as resources
	named face = "named" // tools of the names that the suite calls
)

// applies lists the scenarios that a server of tools and resources has to pass, and
// on which of the fixture's servers.
var applies = map[string][]face{
	"server-initialize":            {own, named},
	"server-session-lifecycle":     {own, named},
	"server-stateless":             {own, named},
	"logging-set-level":            {own, named},
	"ping":                         {own, named},
	"tools-list":                   {own, named},
	"tools-call-simple-text":       {named},
	"tools-call-image":             {named},
	"tools-call-audio":             {named},
	"tools-call-embedded-resource": {named},
	"tools-call-mixed-content":     {named},
	"tools-call-with-logging":      {named},
	"tools-call-error":             {named},
	"tools-call-with-progress":     {named},
	"json-schema-2020-12":          {named},
	"server-sse-multiple-streams":  {own, named},
	"resources-list":               {own},
	"resources-read-text":          {own},
	"resources-read-binary":        {own},
	"resources-templates-read":     {own},
	"sep-2164-resource-not-found":  {own},
	"dns-rebinding-protection":     {own, named},
	"caching":                      {own},
	"http-header-validation":       {own, named},
}

// Why a scenario does not apply.
const (
	noPrompts       = "Bailey has no prompts"
	noCompletion    = "Bailey completes no arguments"
	noSampling      = "Bailey never asks the client's model"
	noElicitation   = "Bailey asks the client's user for approvals only; internal/mcpserver tests that"
	noInput         = "the only input that a call of Bailey takes is an approval; internal/mcpserver tests that"
	noTasks         = "an extension: a call of Bailey is answered, not left as a task"
	noSkills        = "an extension: Bailey has no skills"
	noSubscriptions = "Bailey does not watch files, and does not promise to"
	noReconnection  = "no call of Bailey drops its own stream for the client to come back to"
	noParamHeaders  = "no tool of Bailey has an argument mirrored in a header"
)

// doesNotApply lists the other scenarios.
var doesNotApply = map[string]string{
	"completion-complete":           noCompletion,
	"tools-call-sampling":           noSampling,
	"tools-call-elicitation":        noElicitation,
	"elicitation-sep1034-defaults":  noElicitation,
	"elicitation-sep1330-enums":     noElicitation,
	"server-sse-polling":            noReconnection,
	"resources-subscribe":           noSubscriptions,
	"resources-unsubscribe":         noSubscriptions,
	"prompts-list":                  noPrompts,
	"prompts-get-simple":            noPrompts,
	"prompts-get-with-args":         noPrompts,
	"prompts-get-embedded-resource": noPrompts,
	"prompts-get-with-image":        noPrompts,

	"http-custom-header-server-validation": noParamHeaders,

	"sep-2640-skills-directory":   noSkills,
	"sep-2640-skills-enumeration": noSkills,
	"sep-2640-skills-manifest":    noSkills,

	"tasks-lifecycle":              noTasks,
	"tasks-capability-negotiation": noTasks,
	"tasks-wire-fields":            noTasks,
	"tasks-request-state-removal":  noTasks,
	"tasks-mrtr-input":             noTasks,
	"tasks-request-headers":        noTasks,
	"tasks-dispatch-and-envelope":  noTasks,
	"tasks-status-notifications":   noTasks,
	"tasks-required-task-error":    noTasks,
	"tasks-mrtr-composition":       noTasks,

	"input-required-result-basic-elicitation":       noInput,
	"input-required-result-basic-sampling":          noInput,
	"input-required-result-basic-list-roots":        noInput,
	"input-required-result-request-state":           noInput,
	"input-required-result-multiple-input-requests": noInput,
	"input-required-result-multi-round":             noInput,
	"input-required-result-missing-input-response":  noInput,
	"input-required-result-non-tool-request":        noInput,
	"input-required-result-result-type":             noInput,
	"input-required-result-unsupported-methods":     noInput,
	"input-required-result-tampered-state":          noInput,
	"input-required-result-capability-check":        noInput,
	"input-required-result-ignore-extra-params":     noInput,
	"input-required-result-validate-input":          noInput,
}

// checksApart lists the checks of scenarios that apply which do not. They must
// fail: one that passes has to leave the list.
var checksApart = map[string]map[string]string{
	"server-stateless": {
		"sep-2575-server-rejects-undeclared-capability": noSampling,
		"sep-2575-missing-capability-http-400":          noSampling,
	},
	"caching": {
		"sep-2549-prompts-list-caching-hints": noPrompts,
	},
}
