#!/bin/sh
# web.sh - heddle monitor --web: who is let in, what is answered, and what a crowd does to it
# SPDX-License-Identifier: BSD-2-Clause
#
# The page itself is tested by web_browser.sh.
. "${srcdir:-.}/tests/lib.sh"
. "$src/tests/monitored.sh"

client=$build/tests/program/web_client
volta=$src/netlists/volta_sm.json

# begin_served OPTION... TRACE: a run that waits at ./s, and a page about it: $port, $token
begin_served()
{
	begin "$@"
	serve 127.0.0.1:0
}

serve()
{
	rm -f web.out web.err # those of one before
	"$heddle" monitor --web "$1" s >web.out 2>web.err &
	web=$!
	until_true grep -q '^http://' web.out
	address=$(head -1 web.out)
	port=${address#http://*:}
	port=${port%%/*}
	token=${address%/}
	token=${token##*/}
}

# web_ended STATUS WHAT: the monitor
web_ended()
{
	status=0
	wait "$web" || status=$?
	test "$status" -eq "$1" || { fail "$2: exit status $status of the monitor"; cat web.err; }
}

# send METHOD PATH [BODY]: the answer in ./reply, without keeping the connection; $headers are added
headers=
host=localhost
send()
{
	{
		printf '%s %s HTTP/1.1\n' "$1" "$2"
		test -z "$host" || printf 'Host: %s\n' "$host"
		test -z "$headers" || printf '%s\n' "$headers"
		test -z "${3-}" || printf 'Content-Length: %d\n' "${#3}"
		printf 'Connection: close\n\n%s' "${3-}"
	} | "$client" raw "$port" >reply
}

# answers STATUS TEXT METHOD PATH [BODY]
answers()
{
	code=$1 text=$2
	shift 2
	send "$@"
	head -1 reply | grep -q "^HTTP/1.1 $code " || { fail "$*: expected status $code, got"; head -5 reply; }
	grep -qF -e "$text" reply || { fail "$*: expected '$text', got"; cat reply; }
}
does()
{
	answers "$1" "$2" POST "/$token/do" "$3"
}

# ---- arguments, and no run there ----
expect 2 'no other option but --interval' "$heddle" monitor --web 0 s pause
expect 2 'no other option but --interval' "$heddle" monitor --web 0 --once s
expect 2 'expected PATH' "$heddle" monitor --web 0
expect 2 's: No such file' "$heddle" monitor --web 127.0.0.1:0 s
for bad in '' : x 127.0.0.1 127.0.0.1: 127.0.0.1:65536 :8080 127.0.0.1:-1 8080x '127.0.0.1: 80'; do
	expect 2 "'$bad': expected [ADDRESS:]PORT, like 127.0.0.1:8080" "$heddle" monitor "--web=$bad" s
done
expect 2 "expected brackets around an address of IPv6, like [::1]:8080" "$heddle" monitor --web=::1:80 s
expect 2 '192.0.2.1: Cannot assign requested address' "$heddle" monitor --web=192.0.2.1:0 s

# ---- who is let in ----
begin_served --dump s.hdump "$volta" long/kernelslist.g
case $address in http://127.0.0.1:[0-9]*/????????????????????????????????/) ;; *) fail "address '$address'" ;; esac
test "$(wc -l <web.out)" -eq 1 || fail 'more is printed than the address'
test ! -s web.err || { fail 'a message'; cat web.err; }
expect 2 '127.0.0.1: Address already in use; another program listens at this port' "$heddle" monitor --web "$port" s
answers 200 '<title>heddle monitor</title>' GET "/$token/"
for h in 'Cache-Control: no-store' "Content-Security-Policy: default-src 'none'; script-src 'self';" \
	'X-Content-Type-Options: nosniff' 'Referrer-Policy: no-referrer' 'X-Frame-Options: DENY'; do
	grep -qF "$h" reply || fail "the page is sent without $h"
done
for f in monitor.js monitor_core.js monitor_tables.js monitor.css colours.css theme.js; do
	answers 200 "$f" GET "/$token/$f"
	grep -qF "\"$f\"" "$src/tools/web/monitor.html" || fail "the page does not use $f"
done
grep -nE 'https?://|url\(|@import' "$src"/tools/web/*.html "$src"/tools/web/*.css "$src"/tools/web/*.js |
	grep -v 'http://www.w3.org/2000/svg' && fail 'the page fetches something'
wrong=$(echo "$token" | tr '0-9a-f' '1-9a-f0')
for path in / /run /state "/$wrong/" "/$wrong/run" "/${token%?}/" "/${token}0/" "/$token" "//$token/" \
	"/x/../$token/" "/?token=$token" '/favicon.ico' '*' "/%00$token/" '/../../etc/passwd'; do
	answers 403 'forbidden: expected the address that heddle monitor has printed' GET "$path"
done
for bad in example.org "example.org:$port" 127.0.0.1.example.org 'localhost:' 'localhost:x' '[::1' '[::1]x' \
	'[example.org]' "$token" 'localhost:80:80' 0x7f.1; do
	host=$bad
	answers 403 'forbidden: this is another host' GET "/$token/"
done
host=
send GET "/$token/"
grep -q '^HTTP/1.1 40[03] ' reply || fail 'no Host'
for good in localhost LocalHost:1 127.0.0.1 "127.0.0.1:$port" '[::1]:80' 192.0.2.7:80; do
	host=$good
	answers 200 '"hello":{' GET "/$token/run"
done
host=localhost
headers='Origin: http://evil.example'
does 403 'the page is of another origin' '{"request": "resume"}'
headers='Origin: null'
does 403 'the page is of another origin' '{"request": "resume"}'
headers='Origin: http://localhost'
does 200 '"ok":true' '{"request": "step"}'
headers=

# ---- what is answered ----
for method in PUT DELETE PATCH OPTIONS TRACE CONNECT HEAD X; do
	send $method "/$token/"
	head -1 reply | grep -qE '^HTTP/1.1 (405|400) ' || { fail "$method"; head -1 reply; }
done
answers 404 'nothing at this address' GET "/$token/do"
answers 404 'nothing at this address' GET "/$token/monitor.html"
answers 404 'nothing at this address' POST "/$token/run" x
answers 400 "'since': expected the version" GET "/$token/state?since=x"
answers 200 '"state":"paused","cycle":1,' GET "/$token/state?since=0"
answers 200 '"inside":[0,' GET "/$token/state"
answers 200 '"from":["issue[0].out"' GET "/$token/run"
does 400 'expected a JSON object with a string' ''
does 400 'expected a JSON object with a string' '[]'
does 400 'expected a JSON object with a string' '{"request": 7}'
does 400 'expected a JSON object with a string' '{"request": "pause", "request": "step"}'
does 400 "unknown request 'paus'; did you mean 'pause'?" '{"request": "paus"}'
does 400 "unknown request 'stop'" '{"request": "stop"}'
does 400 "unknown request 'subscribe'" '{"request": "subscribe", "period": 10}'
does 400 "unknown member 'id' of 'pause'" '{"request": "pause", "id": 1}'
does 400 "unknown member 'x' of 'step'; expected cycles" '{"request": "step", "x": 1}'
does 400 "'cycles' of 'step': expected an integer from 1" '{"request": "step", "cycles": 0}'
does 400 "'cycles' of 'step': expected an integer from 1" '{"request": "step", "cycles": 1.5}'
does 400 "'cycle' of 'until': it is missing" '{"request": "until"}'
does 400 "'on' of 'dump': expected true or false" '{"request": "dump", "on": 1}'
does 400 "'select' of 'pending': expected a string" '{"request": "pending", "select": []}'
does 200 '"state":"paused","cycle":100,' '{"request": "step", "cycles": 99}'
does 200 'cycle 1 has passed; the run is at' '{"request": "until", "cycle": 1}'
does 200 '"state":"paused","cycle":3000,' '{"request": "until", "cycle": 3000}'
does 200 '"path":"dispatcher","text":"kernel 1' '{"request": "pending", "select": "dispatcher"}'
does 200 '"collector":{"collected":' '{"request": "counters", "select": "collector"}'
does 200 '"on":false,' '{"request": "dump", "on": false}'
until_true sh -c "'$heddle' monitor s --json status | grep -q '\"recording\":false'"
does 200 '"on":true,' '{"request": "dump", "on": true}'
does 200 "no counter is selected by" "{\"request\": \"counters\", \"select\": \"$(printf '%02000d' 0)\"}"
does 413 'the body is too long' "{\"request\": \"counters\", \"select\": \"$(printf '%04100d' 0)\"}"
send POST "/$token/do" "$(printf '{"request": "%059d\303\244"}' 0)"
grep -q '"error":' reply || { fail 'a quotation cut in a character'; cat reply; }
send POST "/$token/do" "$(printf '{"request": "\377"}')"
grep -q '^HTTP/1.1 400 ' reply || { fail 'not UTF-8'; cat reply; }
# chunks without a length
headers='Transfer-Encoding: chunked'
printf 'POST /%s/do HTTP/1.1\nHost: localhost\n%s\nConnection: close\n\n1400\n%05120d\n0\n\n' "$token" "$headers" 0 |
	"$client" raw "$port" >reply
test ! -s reply || { fail 'long chunks are answered'; cat reply; }
headers=
# steps and waits are those of the socket
"$heddle" monitor s --json waits | sed 's/.*"waits":\(.*\),"waiting".*/\1/' >these
send GET "/$token/state"
test "$(sed -n 's/.*"waits":\(.*\),"waiting".*/\1/p' reply)" = "$(cat these)" || fail 'waits'
test "$(wc -c <these)" -gt 100 || fail 'no port waits at cycle 3000'

# ---- news: a request for them is answered when there are some, not before ----
version=$(sed -n 's/.*"version":\([0-9]*\),.*/\1/p' reply)
printf 'GET /%s/state?since=%s HTTP/1.1\nHost: localhost\nConnection: close\n\n' "$token" "$version" |
	"$client" raw "$port" >news &
news=$!
sleep 1
test ! -s news || fail 'news of a run that is paused'
does 200 '"cycle":3001,' '{"request": "step"}'
wait "$news"
grep -q '"cycle":3001,' news || { fail 'no news after a step'; cat news; }
# a request that takes long is answered without its end
does 200 '"waiting":true' '{"request": "until", "cycle": 1000000000}'
does 200 '"state":"paused"' '{"request": "pause"}'

# ---- crowds ----
crowded()
{
	rm -f crowd.ready
	"$client" "$@" >crowd.ready & crowd=$!
	until_true grep -q ready crowd.ready
	answers 200 '"state":"paused"' GET "/$token/state"
	answers 403 'forbidden' GET /
	does 200 '"ok":true' '{"request": "step"}'
	kill -9 "$crowd"
	wait "$crowd" 2>/dev/null
}
crowded crowd "$port" 1000
crowded drip "$port" 100
"$client" churn "$port" 1000
"$client" noise "$port" 1000
"$client" big "$port" 100000 >reply
head -1 reply | grep -qE '^HTTP/1.1 (431|413|400) ' || { fail 'a header of 100 kB'; head -1 reply; }
# more that wait than there are places
i=0
while test $i -lt 40; do
	version=$(send GET "/$token/state"; sed -n 's/.*"version":\([0-9]*\),.*/\1/p' reply)
	printf 'GET /%s/state?since=%s HTTP/1.1\nHost: localhost\nConnection: close\n\n' "$token" "$version" |
		"$client" raw "$port" >"wait.$i" &
	waiters="${waiters-} $!"
	i=$((i + 1))
done
until_true grep -q 'too many requests wait' wait.*
does 503 'too many requests wait' '{"request": "pause"}'
"$heddle" monitor s step >/dev/null # frees them
# shellcheck disable=SC2086 # a list of words
wait $waiters
grep -L '"version":\|too many' wait.* >unanswered
test ! -s unanswered || { fail 'not all that waited are answered'; cat unanswered; }
does 200 '"ok":true' '{"request": "step"}'

# ---- two monitors, and one on the terminal ----
first=$web first_address=$address
serve 127.0.0.1:0
test "$address" != "$first_address" || fail 'two monitors have one address'
does 200 '"ok":true' '{"request": "step"}'
expect 0 '' "$heddle" monitor s status
kill -INT "$web"
web_ended 0 'SIGINT'
kill -0 "$pid" || fail 'the run has ended with its monitor'
test "$(wc -l <web.out)" -eq 1 || { fail 'SIGINT: something is printed'; cat web.out; }

# ---- killed with -9 ----
web=$first
kill -9 "$pid"
wait "$pid" 2>/dev/null
web_ended 1 'a run that is killed'

# ---- the end ----
begin_served --stats watched.json "$volta" "$src/traces/samples/reduce/kernelslist.g"
send GET "/$token/state" # as a page does
does 200 '"ok":true' '{"request": "step"}'
send GET "/$token/state"
version=$(sed -n 's/.*"version":\([0-9]*\),.*/\1/p' reply)
"$heddle" monitor s resume >/dev/null
ended 0 'resumed'
send GET "/$token/state?since=$version" # the server stays until pages have got this
grep -q '"state":"finished","end":"finished",.*"end":"finished"' reply || { fail 'the end'; cat reply; }
does 409 'the run has ended' '{"request": "step"}'
web_ended 0 'a run that ends'
tail -1 web.out | grep -q '^cycle [0-9,]*, finished, ' || { fail 'the last line'; cat web.out; }
"$heddle" run -q --stats plain.json "$volta" "$src/traces/samples/reduce/kernelslist.g"
cmp watched.json plain.json || fail 'statistics of a run that a page has watched'

# ---- an address that others reach is served with a warning; --web without an address is not one ----
begin_served "$volta" "$src/traces/samples/reduce/kernelslist.g"
kill -INT "$web"
web_ended 0 'SIGINT, no page'
serve 0.0.0.0:0
grep -q '0.0.0.0:[0-9]* can be reached from other machines, and what is sent there is not encrypted' web.err ||
	{ fail '0.0.0.0: no warning'; cat web.err; }
answers 403 'forbidden' GET /
kill -INT "$web"
web_ended 0 '0.0.0.0'
serve 0
case $address in http://127.0.0.1:*) ;; *) fail "a port alone: $address" ;; esac
kill -INT "$web"
web_ended 0 'a port alone'
kill "$pid"
wait "$pid" 2>/dev/null
done_testing
