#!/bin/bash
# SPDX-License-Identifier: MIT
# Pages as they come from the web and from other programs: nothing of their text is lost
# without a word, and nothing that is no text becomes words.
. "$GS_CLI/try.inc"
build() {
    rm -rf i
    gpusort index build --parallel=1 -o i "$@" || return
    gpusort index dump i | tr '\n\t' ';:'
    echo
}
record() { # TYPE URI CONTENT-TYPE, content on standard input
    cat >content
    printf 'WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n' "$1" "$2" "$3" "$(wc -c <content)"
    cat content
    printf '\r\n\r\n'
}
answer() { # URI HEADERS BODY, as printf has them
    printf "HTTP/1.1 200 OK\r\n$2\r\n\r\n$3" | record response "$1" 'application/http; msgtype=response'
}
# Elements without content, in XML and in HTML.
printf '<?xml version="1.0"?><r><style/>words <script src="a.js" />here</r>' >a.xml
printf '<r><style/>words here</r>' >b.xml
printf '<html><script src="a.js"/>no</script>words here</html>' >a.html
answer u 'Content-Type: application/xhtml+xml; charset=utf-8' '<script src="a.js"/>words here' >xhtml.warc
answer u 'Content-Type: text/html' '<?xml version="1.0"?><script src="a.js"/>no</script>words here' >html.warc
try_lines <<'LINES'
build a.xml
build b.xml
build a.html
build xhtml.warc
build html.warc
LINES
