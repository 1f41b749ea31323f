// Every tool of the reference server with many arguments. % stands for the root.
//
// A case without `differs` must have the same outcome on both servers: the same
// text and structured content of a success (after `as`, where order or times are
// none of ours to fix), or a failure on both. A case with `differs` names the
// entry of docs/compat-filesystem.md that explains why it does not, and `ours`
// checks what Bailey answers instead.

const lines = (r) => ({ ...r, text: r.text.split("\n").sort().join("\n") });
const sizeLines = (r) => {
  const [list, summary] = r.text.split("\n\n");
  return { ...r, text: list.split("\n").sort().join("\n") + "\n\n" + summary };
};
const sortTree = (nodes) => nodes.map((n) => (n.children ? { ...n, children: sortTree(n.children) } : n)).sort((a, b) => (a.name < b.name ? -1 : 1));
const tree = (r) => ({ ...r, text: JSON.stringify(sortTree(JSON.parse(r.text)), null, 2) });

// Times of creation and access belong to each run; that they are dates in the
// same form is what matters.
const times = (r) => ({
  ...r,
  text: r.text.replace(/^(created|accessed): (.*)$/gm, (_, key, date) => {
    const form = /^[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d{4} \d\d:\d\d:\d\d GMT\+0000 \(Coordinated Universal Time\)$/;
    return `${key}: ${form.test(date) && !Number.isNaN(Date.parse(date)) ? "a date" : date}`;
  }),
});

const fails = (kind) => (r) => r.failed && r.text.startsWith(kind + ": ");
const says = (text) => (r) => !r.failed && r.text === text;
const holds = (part) => (r) => !r.failed && r.text.includes(part);

const read = (args, more) => ["read_file", "read_text_file"].map((tool) => ({ tool, args, ...more }));
const edit = (path, edits, more) => ({ tool: "edit_file", args: { path, edits: edits.map(([oldText, newText]) => ({ oldText, newText })) }, ...more });

const all = [
  // read_file, read_text_file
  ...read({ path: "%/a.txt" }),
  ...read({ path: "a.txt" }),
  ...read({ path: "./sub/../a.txt" }),
  ...read({ path: "sub/nested.txt" }),
  ...read({ path: "open-end.txt" }),
  ...read({ path: "empty.txt" }),
  ...read({ path: "crlf.txt" }),
  ...read({ path: "日本語.txt" }),
  ...read({ path: "link-in" }),
  ...read({ path: "link-dir/nested.txt" }),
  ...read({ path: ".hidden" }),
  ...read({ path: "ignored.log" }),
  ...read({ path: "long.txt" }),
  ...[0, 1, 2, 3, 4, 100].flatMap((n) => [
    ...["a.txt", "open-end.txt", "empty.txt", "newlines.txt", "long.txt"].flatMap((path) => [...read({ path, head: n }), ...read({ path, tail: n })]),
  ]),
  ...read({ path: "long.txt", head: 2999 }),
  ...read({ path: "long.txt", tail: 3001 }),
  ...read({ path: "crlf.txt", head: 2 }),
  ...read({ path: "crlf.txt", tail: 3 }, { differs: "line-endings", ours: says("two\r\nthree\r\n") }),
  ...read({ path: "a.txt", head: 1, tail: 1 }),
  ...read({ path: "a.txt", head: 1.5 }, { differs: "line-counts", ours: fails("invalid_argument") }),
  ...read({ path: "a.txt", head: -1 }, { differs: "line-counts", ours: fails("invalid_argument") }),
  ...read({ path: "a.txt", head: "2" }, { differs: "lenient-types", ours: says("one\ntwo") }),
  ...read({ path: "bom.txt" }, { differs: "encodings", ours: says("with a mark\n") }),
  ...read({ path: "utf16.txt" }, { differs: "encodings", ours: says("wide\n") }),
  ...read({ path: "latin1.txt" }, { differs: "binary", ours: fails("not_text") }),
  ...read({ path: "data.bin" }, { differs: "binary", ours: fails("not_text") }),
  ...read({ path: "link-out" }),
  ...read({ path: "link-gone" }),
  ...read({ path: "../outside/secret.txt" }),
  ...read({ path: "%/../outside/secret.txt" }),
  ...read({ path: "/etc/passwd" }),
  ...read({ path: "none.txt" }),
  ...read({ path: "sub" }),
  ...read({ path: "" }),
  ...read({ path: "a.txt/x" }),
  ...read({ path: "C:\\Users\\x" }),
  ...read({ path: "~/home.txt" }),
  ...read({}),
  ...read({ path: 5 }),
  ...read({ path: "a.txt", encoding: "base64" }, { differs: "unknown-arguments", ours: fails("invalid_argument") }),

  // read_media_file
  ...["pixel.png", "clip.MP3", "drawing.svg", "data.bin", "a.txt", "empty.txt", "odd name é #100% [x].bin", "link-in", "size-2MB.dat"].map((path) => ({ tool: "read_media_file", args: { path } })),
  { tool: "read_media_file", args: { path: "none.png" } },
  { tool: "read_media_file", args: { path: "sub" } },
  { tool: "read_media_file", args: { path: "link-out" } },

  // read_multiple_files
  { tool: "read_multiple_files", args: { paths: ["a.txt", "%/sub/nested.txt", "open-end.txt", "empty.txt", "a.txt"] } },
  { tool: "read_multiple_files", args: { paths: ["a.txt"] } },
  { tool: "read_multiple_files", args: { paths: Array.from({ length: 600 }, () => "empty.txt") } },
  { tool: "read_multiple_files", args: { paths: ["a.txt", "none.txt", "link-out", "b.md"] }, as: (r) => ({ ...r, text: r.text.replace(/: Error - .*/g, ": Error - …") }) },
  { tool: "read_multiple_files", args: { paths: ["latin1.txt"] }, differs: "binary", ours: holds("latin1.txt: Error - not_text: ") },
  { tool: "read_multiple_files", args: { paths: [] } },
  { tool: "read_multiple_files", args: { paths: "a.txt" } },

  // list_directory, list_directory_with_sizes
  ...["%", ".", "sub", "sub/deep", "sub/none", "link-dir"].map((path) => ({ tool: "list_directory", args: { path }, as: lines })),
  ...["sub", "sub/deep", "sub/none", "built"].flatMap((path) => [undefined, "name", "size"].map((sortBy) => ({ tool: "list_directory_with_sizes", args: { path, sortBy }, as: sizeLines }))),
  { tool: "list_directory_with_sizes", args: { path: "." }, as: sizeLines, differs: "link-sizes", ours: (r) => /^\[FILE\] link-in +5 B$/m.test(r.text) },
  { tool: "list_directory_with_sizes", args: { path: "sub", sortBy: "mtime" } },
  ...["list_directory", "list_directory_with_sizes"].flatMap((tool) => [
    ...["none", "a.txt", "../outside", "/etc", "link-out", "link-gone"].map((path) => ({ tool, args: { path } })),
    { tool, args: { path: "" }, differs: "empty-path", ours: fails("invalid_argument") },
    { tool, args: {} },
  ]),

  // directory_tree
  ...[".", "%", "sub", "sub/none", "link-dir"].map((path) => ({ tool: "directory_tree", args: { path }, as: tree })),
  ...[["node_modules"], ["*.txt"], ["**/*.md"], ["sub/*"], ["sub/deep"], ["deep"], ["sub/**"], ["node_modules/**"], ["**/node_modules/**"], ["*.{js,md}"], ["[ab].*"], ["deeper.md", "*.dat"], ["nothing"], ["!sub"], ["#sub"], ["**"], [".*"], ["sub/"], ["?.txt"], []].map((excludePatterns) => ({
    tool: "directory_tree",
    args: { path: "%", excludePatterns },
    as: tree,
  })),
  ...["none", "a.txt", "../outside", "link-out"].map((path) => ({ tool: "directory_tree", args: { path } })),
  { tool: "directory_tree", args: { path: ".", excludePatterns: ["+(a|b).txt"] }, differs: "glob-dialect", ours: fails("invalid_argument") },

  // search_files
  ...["*.txt", "**/*.txt", "**/*.md", "sub/**", "**", "*", "**/deep", "deep", "**/node_modules/**", "*.{txt,md}", "[a-c]*.txt", "?.txt", ".*", "**/.*", "nothing", "sub/*", "sub/", "ignored.log", "built/*", "**/*é*", "#*", "\\.hidden"].map((pattern) => ({
    tool: "search_files",
    args: { path: "%", pattern },
    as: (r) => lines({ ...r, text: r.text.replace(/^.*\/link-(out|gone)\n?/gm, "").replace(/\n$/, "") }),
  })),
  { tool: "search_files", args: { path: "%", pattern: "link-*" }, as: lines, differs: "dead-links", ours: holds("/link-out") },
  { tool: "search_files", args: { path: "sub", pattern: "**/*.md" }, as: lines },
  { tool: "search_files", args: { path: "link-dir", pattern: "**/*.md" }, as: lines },
  { tool: "search_files", args: { path: "%", pattern: "!sub/**" }, as: (r) => ({ ...r, text: r.text.split("\n").filter((l) => !/link-(out|gone)$/.test(l)).sort().join("\n") }) },
  ...[["*.md"], ["node_modules"], ["**/node_modules"], ["**/node_modules/**"], ["sub"], ["sub/**"], ["**/*.js", "sub/deep"], ["!a.txt"], [".*"], ["{sub,built}"], ["nothing"], []].map((excludePatterns) => ({
    tool: "search_files",
    args: { path: "%", pattern: "**/*.{js,md,txt}", excludePatterns },
    as: lines,
  })),
  ...["none", "../outside", "link-out"].map((path) => ({ tool: "search_files", args: { path, pattern: "*" } })),
  { tool: "search_files", args: { path: "a.txt", pattern: "*" } },
  { tool: "search_files", args: { path: "." } },
  { tool: "search_files", args: { path: "%", pattern: "**/[bad" }, differs: "glob-dialect", ours: fails("invalid_argument") },
  { tool: "search_files", args: { path: "%", pattern: "@(a|b).txt" }, differs: "glob-dialect", ours: fails("invalid_argument") },
  { tool: "search_files", args: { path: "%", pattern: "../**" } },
  { tool: "search_files", args: { path: "%", pattern: "/etc/*" } },
  { tool: "search_files", args: { path: "%", pattern: "" } },

  // get_file_info, list_allowed_directories
  ...["a.txt", "%/b.md", "sub", ".", "link-in", "link-dir", "empty.txt", "日本語.txt"].map((path) => ({ tool: "get_file_info", args: { path }, as: times })),
  ...["none", "link-out", "link-gone", "../outside", "/etc/passwd"].map((path) => ({ tool: "get_file_info", args: { path } })),
  { tool: "list_allowed_directories", args: {} },
  { tool: "list_allowed_directories", args: { random_string: "x" } },

  // From here on the tree changes, on both sides alike.
  // write_file
  { tool: "write_file", args: { path: "new.txt", content: "new\n" } },
  { tool: "write_file", args: { path: "%/sub/new.txt", content: "new é\r\n" } },
  { tool: "write_file", args: { path: "b.md", content: "changed\n" } },
  { tool: "write_file", args: { path: "empty-new.txt", content: "" } },
  { tool: "write_file", args: { path: "link-in", content: "through the link\n" } },
  { tool: "write_file", args: { path: "sub", content: "x" } },
  { tool: "write_file", args: { path: "link-out", content: "x" } },
  { tool: "write_file", args: { path: "../outside/x", content: "x" } },
  { tool: "write_file", args: { path: "a.txt" } },
  { tool: "write_file", args: { path: "C:/x", content: "x" } },
  { tool: "write_file", args: { path: "fresh/dir/x.txt", content: "x" }, differs: "parents", ours: says("Successfully wrote to fresh/dir/x.txt") },
  { tool: "write_file", args: { path: "link-gone", content: "x" }, differs: "write-through-dangling", ours: says("Successfully wrote to link-gone") },

  // edit_file
  edit("open-end.txt", [["y", "Y"]]),
  edit("open-end.txt", [["x", "X"], ["z", "Z\n"]]),
  edit("fence.txt", [["code", "`code`"]]),
  edit("a.txt", [["none of this", "x"]]),
  edit("none.txt", [["x", "y"]]),
  edit("link-out", [["TOP", "BOTTOM"]]),
  edit("sub", [["x", "y"]]),
  { tool: "edit_file", args: { path: "long.txt", edits: [{ oldText: "line 1 \n", newText: "first\n" }], dryRun: true }, differs: "diff-context", ours: holds("@@ -1,4 +1,4 @@") },
  { tool: "edit_file", args: { path: "a.txt", edits: [{ oldText: "x" }] } },
  { tool: "edit_file", args: { path: "a.txt", edits: [{ oldText: "through", newText: "x" }], dry_run: true }, differs: "unknown-arguments", ours: fails("invalid_argument") },
  edit("a.txt", [], { differs: "unique-edits", ours: fails("invalid_argument") }),
  edit("a.txt", [["", "x"]], { differs: "unique-edits", ours: fails("invalid_argument") }),
  edit("twice.txt", [["same", "new"]], { differs: "unique-edits", ours: fails("edit_mismatch") }),
  edit("indented.txt", [["if x:\n  one()", "if y:\n  one()"]], { differs: "exact-edits", ours: fails("edit_mismatch") }),
  edit("crlf.txt", [["two\nthree", "2\n3"]], { differs: "line-endings", ours: holds("+2\r\n+3\r\n") }),
  edit("latin1.txt", [["é", "e"]], { differs: "binary", ours: fails("not_text") }),

  // create_directory
  { tool: "create_directory", args: { path: "made" } },
  { tool: "create_directory", args: { path: "%/made/deep/er" } },
  { tool: "create_directory", args: { path: "sub" } },
  { tool: "create_directory", args: { path: "a.txt" } },
  { tool: "create_directory", args: { path: "a.txt/x" } },
  { tool: "create_directory", args: { path: "../outside/made" } },
  { tool: "create_directory", args: { path: "link-out/x" } },

  // move_file
  { tool: "move_file", args: { source: "new.txt", destination: "moved.txt" } },
  { tool: "move_file", args: { source: "%/made", destination: "%/sub/made" } },
  { tool: "move_file", args: { source: "moved.txt", destination: "b.md" } },
  { tool: "move_file", args: { source: "moved.txt", destination: "sub" } },
  { tool: "move_file", args: { source: "moved.txt", destination: "moved.txt" } },
  { tool: "move_file", args: { source: "none.txt", destination: "x.txt" } },
  { tool: "move_file", args: { source: "moved.txt", destination: "../outside/x" } },
  { tool: "move_file", args: { source: "../outside/secret.txt", destination: "x" } },
  { tool: "move_file", args: { source: "sub", destination: "sub/inside" } },
  { tool: "move_file", args: { source: "moved.txt" } },
  { tool: "move_file", args: { source: "moved.txt", destination: "brand/new/m.txt" }, differs: "parents", ours: says("Successfully moved moved.txt to brand/new/m.txt") },
  { tool: "move_file", args: { source: "link-dir", destination: "link-moved" }, differs: "links-themselves", ours: says("Successfully moved link-dir to link-moved") },
  { tool: "move_file", args: { source: "link-out", destination: "link-moved-too" }, differs: "links-themselves", ours: says("Successfully moved link-out to link-moved-too") },

  { tool: "no_such_tool", args: {} },
];

export const changes = (c) => ["write_file", "edit_file", "create_directory", "move_file"].includes(c.tool);

// Changes that differ come last, so that until then both trees must be the same.
const last = (c) => changes(c) && c.differs !== undefined;
export const cases = [...all.filter((c) => !last(c)), ...all.filter(last)];
