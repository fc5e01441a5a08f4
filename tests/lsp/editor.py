"""editor.py - tests of heddle lsp in the place of an editor: HEDDLE NETLISTS [unittest arguments]

SPDX-License-Identifier: BSD-2-Clause
"""
import json
import os
import subprocess
import sys
import unittest

HEDDLE, NETLISTS = sys.argv[1:3]
ALL = bool(os.environ.get("HEDDLE_ALL"))


class Editor:
    """One language server, and one document at a time."""

    def __init__(self, *options, initialize=True):
        self.process = subprocess.Popen([HEDDLE, "lsp", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0
        self.file = ""
        if initialize:
            self.capabilities = self.ask("initialize", {"capabilities": {}})["capabilities"]
            self.tell("initialized", {})

    def raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, **message):
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.raw(b"Content-Length: %d\r\n\r\n" % len(data) + data)

    def receive(self):
        length = None
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise EOFError("the server has ended: %s" % self.process.wait())
            if line == b"\r\n":
                break
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(length))

    def tell(self, method, params):
        self.send(method=method, params=params)

    def request(self, method, params):
        """The answer, with notifications in front of it left out."""
        self.number += 1
        self.send(id=self.number, method=method, params=params)
        while True:
            message = self.receive()
            if message.get("id") == self.number:
                return message

    def ask(self, method, params):
        return self.request(method, params)["result"]

    def type(self, text, file="typed.json"):
        """Opens or changes the document; gives what is wrong with it."""
        uri = "file://" + os.path.abspath(file)
        if file != self.file:
            self.tell("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "json", "version": 1, "text": text}})
        else:
            self.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": text}]})
        self.file, self.text, self.uri = file, text, uri
        while True:
            message = self.receive()
            if message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == uri:
                return message["params"]["diagnostics"]

    def at(self, what, method, byte):
        before = self.text[:byte].split("\n")
        position = {"line": len(before) - 1, "character": len(before[-1].encode("utf-16-le")) // 2}
        return self.ask("textDocument/" + what, {"textDocument": {"uri": self.uri}, "position": position})

    def marked(self, what, text, file="typed.json"):
        """Asks at the sign | of a text."""
        byte = text.index("|")
        self.type(text[:byte] + text[byte + 1:], file)
        return self.at(what, None, byte)

    def complete(self, text):
        """Labels at the sign |, and what the document is after each is taken."""
        found = {}
        for item in self.marked("completion", text):
            edit = item["textEdit"]
            begin, end = (self.byte(edit["range"][side]) for side in ("start", "end"))
            found[item["label"]] = self.text[:begin] + edit["newText"] + self.text[end:]
        return found

    def byte(self, position):
        lines = self.text.split("\n")
        line = lines[position["line"]].encode("utf-16-le")[:2 * position["character"]].decode("utf-16-le")
        return sum(len(before) + 1 for before in lines[:position["line"]]) + len(line)

    def slice(self, where):
        return self.text[self.byte(where["start"]):self.byte(where["end"])]

    def close(self):
        self.ask("shutdown", None)
        self.tell("exit", None)
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait()


def read(name):
    with open(os.path.join(NETLISTS, name), encoding="utf-8") as f:
        return f.read()


VOLTA = read("volta_sm.json")
CHANGE = '{ "heddle": 1, "extends": "volta_sm.json",\n  %s }\n'


class Lsp(unittest.TestCase):
    def setUp(self):
        self.editor = Editor()

    def tearDown(self):
        self.assertEqual(self.editor.close(), 0)

    # ---- mistakes ----

    def test_every_netlist_is_right(self):
        names = [n for n in sorted(os.listdir(NETLISTS)) if n.endswith(".json")]
        for name in names if ALL else ["volta_sm.json", "a100_sm.json", "sm.json", "rtx_2060.json"]:
            shown = self.editor.type(read(name), os.path.join(NETLISTS, name))
            self.assertEqual([m for m in shown if m["severity"] == 1], [], name)

    def test_mistakes_as_the_program_reports_them(self):
        text = VOLTA.replace('"memory_perfect"', '"memory_perfekt"').replace('"max_ctas": 32', '"max_cta": 32')
        with open("typed.json", "w") as f:
            f.write(text)
        printed = subprocess.run([HEDDLE, "check", os.path.abspath("typed.json")], capture_output=True, text=True).stderr
        shown = self.editor.type(text)
        self.assertEqual(len(shown), 2)
        for message in shown:
            start = message["range"]["start"]
            self.assertIn("%s:%d:%d: error: %s\n" % (os.path.abspath("typed.json"), start["line"] + 1, start["character"] + 1,
                                                   message["message"]), printed)
            self.assertIn(self.editor.slice(message["range"]), ('"memory_perfekt"', '"max_cta"'))
        self.assertEqual(self.editor.type(VOLTA), [])

    def test_while_it_is_not_json(self):
        shown = self.editor.type('{ "heddle": 1,\n "instances": { "a" } }')
        self.assertEqual(len(shown), 1)
        self.assertEqual(shown[0]["range"]["start"]["line"], 1)

    def test_mistakes_in_what_is_extended(self):
        with open("base.json", "w") as f:
            f.write('{ "heddle": 1, "clocks": { "c": { "mhz": 1 } }, "instances": { "a": { "module": "warp" } } }')
        shown = self.editor.type('{ "heddle": 1, "name": "x", "extends": "base.json" }')
        self.assertEqual([self.editor.slice(m["range"]) for m in shown], ['"base.json"'])
        self.assertRegex(shown[0]["message"], r"base.json:1:\d+: unknown module 'warp'; did you mean 'warps'")

    def test_other_files_are_left_alone(self):
        self.assertEqual(self.editor.type('{ "name": "package", "version": "1" }'), [])
        self.assertEqual(self.editor.type("not json", "other.txt"), [])

    def test_units_of_utf_16(self):
        shown = self.editor.type('{ "heddle": 1, "doc": "\U0001d11e\u00e4", "heddlee": "x", "clocks": {"c": {"mhz": 1}}, "instances": {} }')
        self.assertIn('"heddlee"', [self.editor.slice(m["range"]) for m in shown])

    # ---- completion ----

    def test_members(self):
        found = self.editor.complete(CHANGE % '"re|')
        self.assertIn("rewire", found)
        self.assertIn("remove", found)
        self.assertNotIn("module", found)
        self.assertIn('"rewire', found["rewire"])
        found = self.editor.complete('{ "heddle": 1, "clocks": { "core": { | } } }')
        self.assertEqual(json.loads(found["mhz"].replace('"mhz": ', '"mhz": 1'))["clocks"], {"core": {"mhz": 1}})

    def test_modules(self):
        for text in ('{ "heddle": 1, "instances": { "a": { "module": "sch|" } } }', '{ "heddle": 1, "instances": { "a": { "module": |'):
            found = self.editor.complete(text)
            self.assertIn("scheduler_gto", found)
            self.assertIn('"module": "scheduler_gto"', found["scheduler_gto"])

    def test_parameters(self):
        found = self.editor.complete('{ "heddle": 1, "instances": { "a": { "module": "ibuffer", "params": { "en|" } } } }')
        self.assertEqual(json.loads(found["entries"].replace('"entries"', '"entries": 2'))["instances"]["a"]["params"], {"entries": 2})
        found = self.editor.complete('{ "heddle": 1, "instances": { "a": { "module": "trace_source", "params": { "control": "|" } } } }')
        self.assertIn('"control": "available"', found["available"])
        found = self.editor.complete(CHANGE % '"add": { "instances": { "x": { "module": "fu_pipeline", "params": { "timing": [ { "l|')
        self.assertIn("latency", found)
        found = self.editor.complete('{ "heddle": 1, "instances": { "sm": { "netlist": "sm.json", "params": { "|" } } } }')
        self.assertIn("sub_cores", found)

    def test_values_of_the_netlist(self):
        found = self.editor.complete(VOLTA.replace('"clock": "core"}', '"clock": "|"}'))
        self.assertEqual(sorted(found), ["core", "dispatch", "frontend", "sm"])
        found = self.editor.complete(read("sm.json").replace('"count": "$sub_cores"', '"count": "$|"', 1))
        self.assertIn('"count": "$warps"', found["warps"])
        found = self.editor.complete(read("sm.json").replace('"count": "$sub_cores"', '"count": "$(2 * su|)"', 1))
        self.assertIn('"count": "$(2 * sub_cores)"', found["sub_cores"])

    def test_ends_of_links(self):
        link = '"add": { "links": [ { "from": "%s", "to": "%s" } ] }'
        found = self.editor.complete(CHANGE % (link % ("sched|", "")))
        self.assertIn('"from": "scheduler[*]."', found["scheduler"])
        self.assertIn('"from": "warps."', found["warps"])
        found = self.editor.complete(CHANGE % (link % ("issue[*].po|", "warps.state")))
        self.assertIn('"issue[*].policy"', found["policy"])
        self.assertNotIn("policy", self.editor.complete(CHANGE % (link % ("scheduler[*].|", "warps.state"))))
        found = self.editor.complete(CHANGE % (link % ("scheduler[*].warps", "fetch.icache, warps.st|")))
        self.assertIn('"fetch.icache, warps.state"', found["state"])
        found = self.editor.complete(CHANGE % '"add": { "instances": { "new": { "module": "scheduler_gto" } }, "links": [ { "from": [ "n|')
        self.assertIn("new", found)
        found = self.editor.complete(read("rtx_2060.json").rstrip()[:-1] + ', "rewire": [ { "link": { "to": "cluster[*].|')
        self.assertEqual([n for n in found if n.startswith("re")], [n for n in json.loads(read("cluster.json"))["exports"] if n.startswith("re")])

    def test_rewire_and_remove(self):
        found = self.editor.complete(CHANGE % '"rewire": [ { "link": { "to": "sche|" } } ]')
        self.assertIn("scheduler", found)
        found = self.editor.complete(CHANGE % '"rewire": [ { "link": { "to": "scheduler.|" } } ]')
        self.assertIn('"scheduler.policy"', found["policy"])
        found = self.editor.complete(CHANGE % '"remove": { "instances": [ "icache", "|" ] }')
        self.assertIn("scoreboard", found)
        self.assertIn('[ "icache", "scoreboard" ]', found["scoreboard"])

    def test_paths(self):
        found = self.editor.complete(CHANGE % '"set": { "|" }')
        for name in "sub_cores", "core", "scheduler":
            self.assertIn(name, found)
        self.assertIn('"scheduler[*]."', found["scheduler"])
        found = self.editor.complete(CHANGE % '"set": { "collector.s| }')
        self.assertIn('"collector.sets', found["sets"])
        found = self.editor.complete(CHANGE % '"set": { "collector.sets[0].u|": 4 }')
        self.assertIn('"collector.sets[0].units": 4', found["units"])
        found = self.editor.complete(CHANGE % '"set": { "scheduler[*].module": "sch|" }')
        self.assertIn('"scheduler[*].module": "scheduler_gto"', found["scheduler_gto"])
        found = self.editor.complete(CHANGE % '"set": { "core.|": 4 }')
        self.assertIn('"core.mhz": 4', found["mhz"])
        found = self.editor.complete('{ "heddle": 1, "extends": "rtx_2060.json", "set": { "cluster[*].sm[*].sche|')
        self.assertIn('"cluster[*].sm[*].scheduler[*].', found["scheduler"])
        found = self.editor.complete('{ "study": 1, "netlists": ["volta_sm.json"], "traces": [], "set": { "sub|" } }')
        self.assertIn('"sub_cores"', found["sub_cores"])
        self.assertIn("together", self.editor.complete('{ "study": 1, "netlists": ["volta_sm.json"], "|'))

    def test_strings_without_an_end(self):
        for rest in ', "to": "warps.state" } ] }', ' } ] }', '':
            found = self.editor.complete(CHANGE % ('"add": { "links": [ { "from": "issue[0..1].po|' + rest))
            self.assertIn('"from": "issue[0..1].policy' + rest, found["policy"])
        found = self.editor.complete('{ "heddle": 1, "extends": "vol|, "name": "x" }')
        self.assertIn('"extends": "volta_sm.json', found["volta_sm.json"])
        found = self.editor.complete('{ "heddle": 1, "instances": { "a": { "module": "sch|, "count": 2 } } }')
        self.assertIn('"module": "scheduler_gto, "count": 2', found["scheduler_gto"])
        found = self.editor.complete('{ "heddle": 1, "instances": { "a": { "module": "collector", "params": { "x": 1 } }, "b": { "mod|: "warps" } } }')
        self.assertIn("module", found)

    def test_words(self):
        found = self.editor.complete('{ "heddle": 1, "instances": { "a": { "module": "cache", "params": { "sectored": tr|')
        self.assertIn('"sectored": true', found["true"])
        self.assertEqual(found["false"].count("false"), 1)

    def test_files(self):
        found = self.editor.complete('{ "heddle": 1, "extends": "vol|" }')
        self.assertIn('"volta_sm_gto.json"', found["volta_sm_gto.json"])

    # ---- hover, definition ----

    def hover(self, text):
        shown = self.editor.marked("hover", text)
        return (shown["contents"]["value"], self.editor.slice(shown["range"])) if shown else (None, None)

    def test_hover(self):
        doc, of = self.hover(VOLTA.replace('"memory_perfect"', '"memory_per|fect"'))
        self.assertEqual(of, "memory_perfect")
        self.assertIn(doc, subprocess.run([HEDDLE, "modules", "memory_perfect"], capture_output=True, text=True).stdout)
        doc, of = self.hover(VOLTA.replace('"max_ctas"', '"max|_ctas"'))
        self.assertEqual(of, "max_ctas")
        self.assertIn("integer", doc)
        doc, of = self.hover(VOLTA.replace('"load_store.request"', '"load_store.requ|est"'))
        self.assertEqual(of, "request")
        doc, of = self.hover(VOLTA.replace('"load_store.request"', '"load_s|tore.request"'))
        self.assertEqual(of, "load_store")
        self.assertTrue(doc.startswith("`load_store`: "), doc)
        doc, of = self.hover(CHANGE % '"set": { "sub_|cores": 2 }')
        self.assertIn("schedulers, each with units", doc)
        doc, of = self.hover(CHANGE % '"set": { "collector.sets[0].uni|ts": 2 }')
        self.assertEqual(of, "units")
        doc, of = self.hover(VOLTA.replace('"extends"', '"ext|ends"'))
        self.assertIn("the netlist that this one is", doc)
        self.assertEqual(self.hover(VOLTA.replace('"volta_sm"', '"volta|_sm"'))[0], "what reports call this core")

    def definition(self, text, file="typed.json"):
        found = self.editor.marked("definition", text, file)
        if found is None:
            return None
        name = found["uri"][len("file://"):]
        if found["uri"] == self.editor.uri:
            lines = self.editor.text.split("\n")
        else:
            with open(name, encoding="utf-8") as f:
                lines = f.read().split("\n")
        start, end = found["range"]["start"], found["range"]["end"]
        return os.path.basename(name), lines[start["line"]][start["character"]:end["character"]]

    def test_definition(self):
        self.assertEqual(self.definition(VOLTA.replace('"load_store.request"', '"load_|store.request"')), ("sm.json", '"load_store"'))
        self.assertEqual(self.definition(VOLTA.replace('"memory.request"', '"mem|ory.request"')), ("typed.json", '"memory"'))
        self.assertEqual(self.definition(CHANGE % '"set": { "memory|.module": "memory_fixed" }'), ("volta_sm.json", '"memory"'))
        self.assertEqual(self.definition(CHANGE % '"set": { "sub_co|res": 2 }'), ("sm.json", '"sub_cores"'))
        self.assertEqual(self.definition(CHANGE % '"rewire": [ { "link": { "to": "sched|uler.policy" }, "x": '), ("sm.json", '"scheduler"'))
        self.assertEqual(self.definition(CHANGE % '"remove": { "instances": [ "ba|rrier" ] }'), ("sm.json", '"barrier"'))
        self.assertEqual(self.definition(read("sm.json").replace('"$sub_cores"', '"$sub_|cores"', 1)), ("typed.json", '"sub_cores"'))
        self.assertEqual(self.definition(CHANGE.replace("volta_sm", "volta|_sm") % '"set": {}'), ("volta_sm.json", ""))
        self.assertEqual(self.definition('{ "heddle": 1, "extends": "rtx_2060.json", "set": { "cluster[*].sm[*].scheduler[*].mod|ule": "x" } }'), None)
        self.assertEqual(self.definition('{ "heddle": 1, "extends": "rtx_2060.json", "set": { "cluster[*].sm[*].sched|uler[*].module": "x" } }'),
                         ("sm.json", '"scheduler"'))
        self.assertIsNone(self.definition(VOLTA.replace('"heddle"', '"hed|dle"')))

    # ---- any text, at any place ----

    def test_every_beginning(self):
        text = VOLTA + CHANGE % '"set": { "a.b[0].c": [1, {"x": "$y"}] }, "rewire": [{"link": {"to": "a[*].b"}}], "remove": {"links": [{}]}'
        for byte in range(0, len(text), 1 if ALL else 17):
            self.editor.type(text[:byte])
            for what in "completion", "hover", "definition":
                self.editor.at(what, None, byte)

    def test_odd_texts(self):
        for text in ("", "[", "]" * 50, "[" * 5000, '{"' * 3000, '{"a":' * 3000, '"', '"\\', '{"\\u00', '{"heddle": 1, "extends": "typed.json"}',
                     '{"heddle":1,"instances":[]}', '{"heddle":1,"links":{"from":1}}', '{"heddle":1,"set":[{"a":1}]}', '{"heddle":1,"set":{"%s":1}}' % ("a." * 3000),
                     '{"heddle":1,"links":[{"from":"%s"}]}' % ("[" * 500), '{"heddle":1,"links":[{"from":",.,[.],"}]}'):
            self.editor.type(text)
            for byte in {0, len(text) // 2, max(len(text) - 3, 0), len(text)}:
                for what in "completion", "hover", "definition":
                    self.editor.at(what, None, byte)


class Protocol(unittest.TestCase):
    def good(self, editor):
        """It still works."""
        self.assertIn("scheduler_gto", editor.complete('{ "heddle": 1, "instances": { "a": { "module": "|" } } }'))

    def test_damaged_messages(self):
        editor = Editor()
        for data, answered in ((b"Content-Length: 5\r\n\r\n{\"a\":", True), (b"Content-Length: 9\r\n\r\n\xff\xfe\x00\x01\x02\x03\x04\x05\x06", True),
                               (b"Content-Length: 2\r\n\r\n[]", True), (b"Content-Length: 4\r\n\r\nnull", True), (b"Content-Length: -7\r\n\r\n", True),
                               (b"Content-Length: 99999999999999999999999999\r\n\r\n", True), (b"Content-Length: 0\r\n\r\n", True),
                               (b"Content-Length: many\r\n\r\n{}", True), (b"GET / HTTP/1.1\r\n\r\n", False), (b"\r\n" * 100, False),
                               (b"A" * 100000, False), (b"content-length:2\r\nContent-Type: x\r\n\r\n{}", False)):
            editor.raw(data)
            if answered:
                message = editor.receive()
                self.assertIn("error", message, data)
                self.assertIsNone(message.get("id"))
            self.good(editor)
        self.assertEqual(editor.close(), 0)

    def test_unknown_methods(self):
        editor = Editor()
        self.assertEqual(editor.request("textDocument/rename", {})["error"]["code"], -32601)
        self.assertEqual(editor.request("", None)["error"]["code"], -32601)
        editor.tell("$/cancelRequest", {"id": 1})
        editor.tell("workspace/didChangeConfiguration", [])
        editor.send(id=7, result=None)
        editor.send(id="text", method="textDocument/hover")
        self.assertEqual(editor.receive(), {"jsonrpc": "2.0", "id": "text", "result": None})
        for params in (None, [], 3, {"textDocument": 3}, {"textDocument": {"uri": 3}}, {"textDocument": {"uri": "file:///nowhere"}},
                       {"textDocument": {"uri": editor_uri(editor)}}, {"textDocument": {"uri": editor_uri(editor)}, "position": {"line": -5, "character": -1}},
                       {"textDocument": {"uri": editor_uri(editor)}, "position": {"line": 2 ** 62, "character": 2 ** 62}}):
            for what in "completion", "hover", "definition":
                self.assertNotIn("error", editor.request("textDocument/" + what, params))
            for what in "didOpen", "didChange", "didClose", "didSave":
                editor.tell("textDocument/" + what, params)
        self.good(editor)
        self.assertEqual(editor.close(), 0)

    def test_order(self):
        editor = Editor(initialize=False)
        self.assertEqual(editor.request("textDocument/hover", {})["error"]["code"], -32002)
        editor.ask("initialize", {})
        editor.ask("shutdown", None)
        self.assertEqual(editor.request("textDocument/hover", {})["error"]["code"], -32600)
        editor.tell("exit", None)
        self.assertEqual(editor.process.wait(), 0)
        editor.process.stdin.close()
        editor.process.stdout.close()
        editor = Editor()
        editor.process.stdin.close()
        self.assertEqual(editor.process.wait(), 1)
        editor.process.stdout.close()


def editor_uri(editor):
    editor.type("{}")
    return editor.uri


unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
