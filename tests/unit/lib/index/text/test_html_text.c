/* SPDX-License-Identifier: MIT */
/*
 * html_text: words of a page must come out whole and nothing of its mark-up, whatever is
 * malformed; and no page takes longer than in proportion to its bytes.
 */
#include "lib/index/text/html_text.h"

#include <string.h>
#include <time.h>

#include "lib/base/mem.h"
#include "lib/index/text/html_entities.h"
#include "tests/check.h"

enum { PAGE_MAX = 4096 };

/* With spaces for line ends, since either separates words. */
static void expect_of(const char *page, bool is_xml, const char *wanted)
{
    gs_status st = {.code = GS_OK};
    uint8_t *memory = NULL; /* exactly as long, so that a step too far is seen */
    const size_t bytes = strlen(page);
    REQUIRE_OK(gs_mem_new(&memory, bytes + 1, "page", &st), &st);
    memcpy(memory, page, bytes);
    const size_t n = gs_html_to_text(memory, bytes, is_xml);
    REQUIRE(n <= bytes);
    for (size_t i = 0; i < n; i++)
        memory[i] = memory[i] == '\n' ? ' ' : memory[i];
    memory[n] = '\0';
    if (strcmp((const char *)memory, wanted) != 0) {
        fprintf(stderr, "page:   %s\nwanted: <%s>\ngot:    <%s>\n", page, wanted,
                (const char *)memory);
        check_failures++;
    }
    gs_mem_free(memory);
}

static void expect(const char *page, const char *wanted)
{
    expect_of(page, false, wanted);
}

/* What XML has as an element without content would else hide the rest of the page. */
static void empty_elements(void)
{
    expect_of("<script src=\"a.js\"/>x<style />y<iframe/>z", true, " x y z");
    expect_of("<script>no/</script>x<style a='/'>no</style>y", true, "  x  y");
    expect_of("<script/", true, " ");
    expect("<script src=\"a.js\"/>no</script>x", "  x");
    CHECK(gs_html_is_xml((const uint8_t *)"\xef\xbb\xbf\n<?xml", 9));
    CHECK(!gs_html_is_xml((const uint8_t *)"<?xml", 4));
    CHECK(!gs_html_is_xml((const uint8_t *)"<html><?xml", 11));
}

static void tags(void)
{
    expect("", "");
    expect("plain", "plain");
    expect("<p>a<b>b</b>c<br/>d</p>", " abc d ");
    expect("<P Class=\"x>y\" b = '>' c>a", " a");
    expect("<td>a</td><TD>b</TD>", " a  b ");
    expect("a<!-- <p>no</p> -- > -->b<!-->c<!DOCTYPE html>d<?xml x?>e", "abcde");
    expect("a<!-- c --!>b<!--x--->c<!------>d<!----!>e", "abcde");
    expect("a<!--!>b-->c<!---!>d-->e<!->f<!--x--!--y-->g", "acefg");
    expect("a<!-- --!", "a");
    expect("<script>if (a<b) '</p>'</script >x<style>y{}</STYLE>z", "  x  z");
    expect("<script src=x></scripty>no</script>x", "  x");
    expect("<![CDATA[x]]>", "x]]>");
    expect("1 < 2 <3 <- a<", "1 < 2 <3 <- a<");
    expect("<a href=\"no end>x</a>y", "xy"); /* its quotation mark is never closed */
    expect("a<b", "a");
    expect("a<!-- no", "a");
    expect("a<script>no", "a ");
    expect("a</", "a</");
}

static void references(void)
{
    expect("&amp;&lt;&gt;&quot;&apos;", "&<>\"'");
    expect("&eacute;&Eacute;&#233;&#xE9;&#XE9;&euro;", "\xc3\xa9\xc3\x89\xc3\xa9\xc3\xa9"
                                                       "\xc3\xa9\xe2\x82\xac");
    expect("&amp;lt;", "&lt;"); /* once */
    expect("&#146;&#150;", "\xe2\x80\x99\xe2\x80\x93");
    expect("&#0;&#xD800;&#x110000;&#99999999;",
           "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    expect("&;&#;&#x;&#1a;&nosuch;&amp &toolongforany;", "&;&#;&#x;&#1a;&nosuch;&amp "
                                                         "&toolongforany;");
    expect("a&", "a&");
    expect("&#00000000233;&#x000000000000000000000e9;&#233&#0000000000065x;",
           "\xc3\xa9\xc3\xa9&#233&#0000000000065x;");
    expect("&#", "&#");
    expect("&#65", "&#65");
    expect("&#000000000000000;&#99999999999999999999;", "\xef\xbf\xbd\xef\xbf\xbd");
    expect("&#x;&#;&#xg;", "&#x;&#;&#xg;");
    expect("&thetasym;", "\xcf\x91"); /* as long as names are */
    expect("&#x1F600;", "\xf0\x9f\x98\x80");
}

/* They are searched by halves. */
static void entities_are_in_order(void)
{
    const size_t n = sizeof gs_html_entities / sizeof *gs_html_entities;
    for (size_t i = 0; i < n; i++) {
        const gs_html_entity *const e = &gs_html_entities[i];
        char page[GS_HTML_ENTITY_BYTES_MAX + 3];
        CHECK(i == 0 || strcmp(e[-1].name, e->name) < 0);
        (void)snprintf(page, sizeof page, "&%.*s;", GS_HTML_ENTITY_BYTES_MAX, e->name);
        const size_t bytes = gs_html_to_text((uint8_t *)page, strlen(page), false);
        CHECK(bytes <= 3 && (bytes == 1) == (e->point < 0x80));
    }
}

/* What no mark-up is in stays as it is; what there is never grows, nor is its mark-up
 * left. */
static void random_pages(uint64_t seed)
{
    static const char *const bits[] = {
        "<", ">",  "/",        "!",   "--",   "-",    "'",      "\"",   "=",
        "&", ";",  "#",        "x",   "1",    "amp",  "script", "p",    "b",
        " ", "\n", "\xc3\xa9", "<p>", "</p>", "<!--", "-->",    "&#9;",
    };
    const unsigned tries = check_often(40000);
    for (unsigned t = 0; t < tries; t++) {
        gs_status st = {.code = GS_OK};
        char page[PAGE_MAX];
        size_t bytes = 0;
        for (uint64_t n = check_random(&seed) % 200; n > 0; n--) {
            const char *const bit =
                bits[check_random(&seed) % (sizeof bits / sizeof *bits)];
            memcpy(page + bytes, bit, strlen(bit));
            bytes += strlen(bit);
        }
        uint8_t *memory = NULL;
        REQUIRE_OK(gs_mem_new(&memory, bytes + 1, "page", &st), &st);
        memcpy(memory, page, bytes);
        const size_t n = gs_html_to_text(memory, bytes, t % 2 == 0);
        const bool is_plain =
            memchr(page, '<', bytes) == NULL && memchr(page, '&', bytes) == NULL;
        CHECK(n <= bytes && (!is_plain || (n == bytes && memcmp(memory, page, n) == 0)));
        gs_mem_free(memory);
    }
}

/* Pages that send a careless reader to their end again and again. */
static void time_is_linear(void)
{
    static const char *const bits[] = {
        "<a b=\"", "<a b='", "<!--",      "<script>", "&amp",     "<!-- --!", "-",
        "&#0",     "<!-",    "<![CDATA[", "<",        "</script", "<xmp></xm"};
    enum { BYTES = 4 << 20 };
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        gs_status st = {.code = GS_OK};
        uint8_t *page = NULL;
        const size_t n = strlen(bits[i]);
        REQUIRE_OK(gs_mem_new(&page, BYTES, "page", &st), &st);
        for (size_t at = 0; at < BYTES; at++)
            page[at] = (uint8_t)bits[i][at % n];
        const clock_t begin = clock();
        CHECK(gs_html_to_text(page, BYTES, i % 2 == 0) <= BYTES);
        CHECK(clock() - begin < 5 * CLOCKS_PER_SEC);
        gs_mem_free(page);
    }
}

int main(void)
{
    tags();
    empty_elements();
    references();
    entities_are_in_order();
    random_pages(check_seed(11));
    time_is_linear();
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
