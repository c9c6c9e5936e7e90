/* SPDX-License-Identifier: MIT */
/*
 * query_parser: every rule of the grammar by example, as text and as the tree it stands
 * for; what does not follow it must be refused at the right column; and any text at all
 * must give a tree or an error, however little memory there is.
 */
#include "lib/index/query/query_parser.h"

#include <string.h>

#include "lib/base/mem.h"
#include "tests/check.h"

enum { TEXT_BYTES = 4000 };

static char shown[TEXT_BYTES];

static void show_text(const char *text, size_t bytes)
{
    const size_t used = strlen(shown);
    REQUIRE(used + bytes + 1 < sizeof shown);
    memcpy(shown + used, text, bytes);
    shown[used + bytes] = '\0';
}

static void show_leaf(const gs_query *q, const gs_query_node *n, const char *behind)
{
    char weight[32];
    show_text((const char *)q->text + n->text, n->bytes);
    show_text(behind, strlen(behind));
    if (n->weight != 1)
        show_text(weight, (size_t)snprintf(weight, sizeof weight, "~%g", n->weight));
}

static void show(const gs_query *q, int at);

/* With their roles before them, or with their offsets behind them. */
static void show_children(const gs_query *q, const gs_query_node *n, bool has_offsets)
{
    static const char *const marks[] = {
        [GS_QUERY_SHOULD] = "", [GS_QUERY_MUST] = "+", [GS_QUERY_MUST_NOT] = "-"};
    for (int i = n->first; i != GS_QUERY_NONE; i = q->nodes[i].next) {
        const gs_query_node *const child = &q->nodes[i];
        char offset[16];
        show_text(" ", i != n->first);
        if (!has_offsets)
            show_text(marks[child->role], strlen(marks[child->role]));
        show(q, i);
        if (has_offsets)
            show_text(offset,
                      (size_t)snprintf(offset, sizeof offset, ":%u", child->offset));
    }
}

/* A list of clauses as (+must should -not), a phrase as [a:0 b:1]. */
static void show(const gs_query *q, int at)
{
    const gs_query_node *const n = &q->nodes[at];
    CHECK(gs_query_is_leaf(n->kind) == (n->first == GS_QUERY_NONE));
    switch (n->kind) {
    case GS_QUERY_TERM: show_leaf(q, n, ""); break;
    case GS_QUERY_PREFIX: show_leaf(q, n, "*"); break;
    case GS_QUERY_PHRASE:
        show_text("[", 1);
        show_children(q, n, true);
        show_text("]", 1);
        break;
    case GS_QUERY_CLAUSES:
        show_text("(", 1);
        show_children(q, n, false);
        show_text(")", 1);
        break;
    }
}

static gs_query_parser *new_parser(const gs_word_rules *rules, bool plain, bool all,
                                   bool positions)
{
    gs_status st = {.code = GS_OK};
    gs_query_parser *p = NULL;
    const gs_query_parser_options o = {
        .rules = rules, .is_plain = plain, .needs_all = all, .has_positions = positions};
    REQUIRE_OK(gs_query_parser_new(&p, &o, &st), &st);
    return p;
}

typedef struct example {
    const char *text, *tree;
} example;

static void trees_are(gs_query_parser *p, const example *examples, size_t count)
{
    gs_query q = {0};
    for (size_t i = 0; i < count; i++) {
        gs_status st = {.code = GS_OK};
        shown[0] = '\0';
        if (gs_query_parse(p, examples[i].text, strlen(examples[i].text), &q, &st) !=
            GS_OK)
            show_text(st.msg, strlen(st.msg));
        else if (q.root != GS_QUERY_NONE)
            show(&q, q.root);
        if (strcmp(shown, examples[i].tree) != 0) {
            fprintf(stderr, "%s\n  wanted %s\n  got    %s\n", examples[i].text,
                    examples[i].tree, shown);
            check_failures++;
        }
    }
    gs_query_release(&q);
    gs_query_parser_free(p);
}

#define TREES(parser, ...)                                                               \
    do {                                                                                 \
        static const example examples[] = {__VA_ARGS__};                                 \
        trees_are((parser), examples, sizeof examples / sizeof *examples);               \
    } while (0)

static gs_word_rules *new_rules(void)
{
    gs_status st = {.code = GS_OK};
    gs_word_rules *rules = NULL;
    REQUIRE_OK(gs_word_rules_read(&rules,
                                  "{\"words\": \"unicode\", \"fold\": true, \"stem\": "
                                  "\"english\", \"min_len\": 0, \"max_len\": 20, "
                                  "\"stopwords\": [\"of\", \"the\"]}",
                                  &st),
               &st);
    return rules;
}

static void grammar(const gs_word_rules *rules)
{
    TREES(new_parser(rules, false, false, true), {"", ""}, {" \t ", ""}, {"cat", "cat"},
          {"Cats", "cat"}, {"cat dog", "(cat dog)"}, {"cat the dog", "(cat dog)"},
          {"the of", ""}, {"+cat -dog bird", "(+cat -dog bird)"}, {"-cat", "(-cat)"},
          {"NOT cat", "(-cat)"}, {"NOT NOT cat", "cat"}, {"cat NOT dog", "(cat -dog)"},
          {"cat AND dog", "(+cat +dog)"}, {"cat OR dog", "(cat dog)"},
          {"cat OR dog bird", "((cat dog) bird)"},
          {"cat AND dog OR bird", "((+cat +dog) bird)"},
          {"bird cat AND dog", "(bird (+cat +dog))"},
          {"cat OR dog AND NOT bird", "(cat (+dog -bird))"},
          {"cat AND -bird", "(+cat -bird)"}, {"(cat dog) AND bird", "(+(cat dog) +bird)"},
          {"+(cat dog) bird", "(+(cat dog) bird)"},
          {"+cat OR dog bird", "(+(cat dog) bird)"}, {"((cat))", "cat"}, {"()", ""},
          {"() cat", "cat"}, {"cat AND the", "cat"}, {"cat OR (the)", "cat"},
          {"+the cat", "cat"}, {"and or not", "(and or not)"},
          {"\"AND\" cat", "(and cat)"}, {"\"cats and dogs\"", "[cat:0 and:1 dog:2]"},
          {"\"the cats of the dogs\"", "[cat:1 dog:4]"}, {"\"cats\"", "cat"},
          {"\"the\"", ""}, {"\"\" cat", "cat"}, {"-\"a b\" c", "(-[a:0 b:1] c)"},
          {"cat\"a b\"dog", "(cat [a:0 b:1] dog)"}, {"x-ray", "(x ray)"},
          {"+x-ray", "(+x +ray)"}, {"+x-ray cat", "(+(+x +ray) cat)"},
          {"x-ray AND dog", "(+(+x +ray) +dog)"}, {"-x-ray dog", "(-(+x +ray) dog)"},
          {"- cat - dog -", "(cat dog)"}, {"cats*", "cats*"},
          {"Caf\xc3\xa9* dog", "(caf\xc3\xa9* dog)"}, {"the* -do*", "(the* -do*)"},
          {"tooooooooooooooooooooooooolong cat", "cat"},
          {"ANDROID ORDER NOTE", "(android order note)"});
    TREES(new_parser(rules, false, true, true), {"cat dog", "(+cat +dog)"},
          {"cat NOT dog", "(+cat -dog)"}, {"cat OR dog bird", "(+(cat dog) +bird)"},
          {"x-ray cat", "(+x +ray +cat)"}, {"+cat dog", "(+cat +dog)"});
    TREES(new_parser(rules, true, false, false), {"+cat -dog (x \"y", "(cat dog x y)"},
          {"cat AND dog", "(cat and dog)"}, {"\"the\" of", ""});
}

static void mistakes(const gs_word_rules *rules)
{
    TREES(new_parser(rules, false, false, false),
          {"(cat", "column 1: this parenthesis does not close"},
          {"cat)", "column 4: a ')' without its '('"},
          {"cat AND", "column 8: an operator has nothing here"},
          {"cat OR )", "column 8: an operator has nothing here"},
          {"NOT", "column 4: nothing follows NOT"},
          {"AND cat", "column 1: an operator where a word should be"},
          {"cat OR AND dog", "column 8: an operator where a word should be"},
          {"\xc3\xa9 \"cat", "column 3: this quote does not end"},
          {"*", "column 1: '*' needs the beginning of a word before it"},
          {"cat x-r*", "column 5: '*' stands behind more than one word"},
          {"a \"cat dog\"", "column 3: the index has no positions, which a phrase needs"},
          {"a (b OR NOT \"cat dog\")",
           "column 13: the index has no positions, which a phrase needs"},
          {"a \"cat\" \"of the\"", "(a cat)"});
}

#define FIELDS  "fields, as in title:word, are not known"
#define WEIGHTS "weights, as in word^2, are not known"
#define ALIKE   "words that are alike, as in word~1, are not known"
#define NEAR    "words near each other, as in \"a b\"~2, are not known"

/* What other programs know is refused and not taken for text; what is written like that
 * in text is text. */
static void foreign(const gs_word_rules *rules)
{
    TREES(new_parser(rules, false, false, true), {"cat^2", "column 4: " WEIGHTS},
          {"dog cat^0.5 bird", "column 8: " WEIGHTS}, {"+cat^2", "column 5: " WEIGHTS},
          {"\"a b\"^2", "column 6: " WEIGHTS}, {"(a b)^2", "column 6: " WEIGHTS},
          {"cat~", "column 4: " ALIKE}, {"cat~1 AND dog", "column 4: " ALIKE},
          {"\"a b\"~2", "column 6: " NEAR}, {"title:cat", "column 6: " FIELDS},
          {"dog OR title:\"a b\"", "column 13: " FIELDS},
          {"-title:(a b)", "column 7: " FIELDS}, {"a.b-c_1:x", "column 8: " FIELDS},
          {"title:cat*", "column 6: " FIELDS},
          {"c*t", "column 2: '*' can only stand at the end of a word"},
          {"*cat dog", "column 1: '*' can only stand at the end of a word"},
          {"c?t", "column 2: '?' does not stand for a letter"},
          {"cat && dog", "column 5: '&&' is no operator: write AND"},
          {"cat||dog", "column 4: '||' is no operator: write OR"},
          {"cat !dog", "column 5: '!' is no operator: write NOT"},
          {"cat !(dog)", "column 5: '!' is no operator: write NOT"});
    TREES(new_parser(rules, false, false, true), {"cat\\^2", "(cat 2)"},
          {"cat\\~1", "(cat 1)"}, {"title\\:cat", "(titl cat)"}, {"c\\*t", "(c t)"},
          {"c\\?t", "(c t)"}, {"cat \\&& dog", "(cat dog)"}, {"\\!cat", "cat"},
          {"\"title:cat^2\"", "[titl:0 cat:1 2:2]"}, {"cat\\", "cat"},
          {"10:30", "(10 30)"}, {"std::sort", "(std sort)"},
          {"http://x.org", "(http x org)"}, {"note: cat", "(note cat)"}, {"cat:", "cat"},
          {"who? wow!", "(who wow)"}, {"x^y", "(x y)"}, {"^2 ~", "2"},
          {"a & b | c", "(a b c)"});
    TREES(new_parser(rules, true, false, false),
          {"title:cat^2 !c?t~", "(titl cat 2 c t)"});
    TREES(new_parser(NULL, false, false, false),
          {"title:cat^2 !c?t~", "(title:cat^2 !c?t~)"});
}

/* Without rules, words are terms byte for byte. */
static void raw(void)
{
    TREES(new_parser(NULL, false, false, false), {"Cat the", "(Cat the)"},
          {"\"a b\" +x-ray", "(a b +x-ray)"}, {"\"\"", ""}, {"ab* -c", "(ab* -c)"},
          {"*", "column 1: '*' needs the beginning of a word before it"});
    TREES(new_parser(NULL, true, false, false), {" (a \"b ", "((a \"b)"});
}

static void depth_is_bounded(const gs_word_rules *rules)
{
    enum { DEEP = 100000 };
    gs_query_parser *const p = new_parser(rules, false, false, false);
    gs_query q = {0};
    gs_status st = {.code = GS_OK};
    void *memory = NULL;
    REQUIRE_OK(gs_mem_new(&memory, DEEP, "text", &st), &st);
    memset(memory, '(', DEEP);
    CHECK(gs_query_parse(p, memory, DEEP, &q, &st) == GS_ERR_ARG);
    CHECK(strcmp(st.msg, "column 101: parentheses are nested too deep") == 0);
    gs_mem_free(memory);
    gs_query_release(&q);
    gs_query_parser_free(p);
}

/* Pieces of queries in any order: a tree or an error; and with any request for memory
 * refused, an error, and the next query is answered as ever. */
static void anything_goes(gs_query_parser *p)
{
    static const char *const pieces[] = {
        "cat",          "(",    ")", "\"",  "+",        "-",    " ",   " ",  "AND",
        "OR ",          " NOT", "*", "the", "\xc3\xa9", "\xff", "x-y", "\t", "\xcc\x81",
        "\xe2\x84\xab", "^2",   "~", "\\",  "a:",       "?x",   "{",   "}",  ":1"};
    uint64_t state = check_seed(9);
    gs_query q = {0};
    for (unsigned round = 0; round < 20000; round++) {
        char text[300];
        size_t bytes = 0;
        const size_t count = check_random(&state) % 30;
        for (size_t i = 0; i < count; i++) {
            const char *const piece =
                pieces[check_random(&state) % (sizeof pieces / sizeof *pieces)];
            memcpy(text + bytes, piece, strlen(piece));
            bytes += strlen(piece);
        }
        gs_status st = {.code = GS_OK};
        if (round % 4 == 0)
            gs_mem_fail_nth(1 + check_random(&state) % 4);
        const gs_code code = gs_query_parse(p, text, bytes, &q, &st);
        gs_mem_fail_nth(0);
        CHECK(code == GS_OK || code == GS_ERR_ARG ||
              (code == GS_ERR_NOMEM && round % 4 == 0));
        CHECK(code != GS_ERR_ARG || strncmp(st.msg, "column ", 7) == 0);
        if (round % 500 == 0) /* memory is asked for anew */
            gs_query_release(&q);
    }
    gs_query_release(&q);
    gs_query_parser_free(p);
}

/* Terms of an index of impacts, with weights behind them or as JSON. */
static gs_query_parser *new_weight_parser(bool plain, bool all)
{
    gs_status st = {.code = GS_OK};
    gs_query_parser *p = NULL;
    const gs_query_parser_options o = {
        .is_plain = plain, .needs_all = all, .has_weights = true};
    REQUIRE_OK(gs_query_parser_new(&p, &o, &st), &st);
    return p;
}

#define BAD_WEIGHT "a weight is a number above 0, and at most 10^9"

static void weights(void)
{
    TREES(new_weight_parser(false, false), {"cat^2.5 dog", "(cat~2.5 dog)"},
          {"Cats^0.5", "Cats~0.5"}, {"+cat^2 -dog^3", "(+cat~2 -dog~3)"},
          {"ca*^2 AND dog^1e3", "(+ca*~2 +dog~1000)"}, {"ca*^2", "ca*~2"},
          {"\"new york\"^0.25 x", "(new york~0.25 x)"}, {"\"a^2\"", "a^2"},
          {"\"a^2\"^3", "a^2~3"}, {"a^2^3", "a^2~3"}, {"^", "^"}, {"^2", "^2"},
          {"a^", "a^"}, {"a^b", "a^b"}, {"a^e", "a^e"}, {"a^2x", "a^2x"},
          {"##s^.5", "##s~0.5"}, {"\"\"^2 a", "a"});
    TREES(new_weight_parser(false, false), {"cat^0", "column 4: " BAD_WEIGHT},
          {"a cat^-1", "column 6: " BAD_WEIGHT}, {"cat^1e10", "column 4: " BAD_WEIGHT},
          {"cat^1.2.3", "column 4: " BAD_WEIGHT}, {"\"a b\"^x", "column 6: " BAD_WEIGHT},
          {"\"a\"^", "column 4: " BAD_WEIGHT});
    TREES(new_weight_parser(false, false), {"{\"a\": 1, \"b c\": 2.5}", "(a b c~2.5)"},
          {" { \"\\u0041\" : 3 , \"x\":0, \"y\":0.00 } ", "A~3"}, {"{}", ""},
          {"{\"a\": \"b\"}", "column 7: a weight is not a number"},
          {"{\"a\": -1}", "column 9: " BAD_WEIGHT},
          {"{\"a\": 1} x", "column 10: something follows the object"},
          {"{\"a\" 1}", "column 6: no colon after the name of a field"});
    TREES(new_weight_parser(false, true), {"{\"a\": 1, \"b\": 2}", "(+a +b~2)"});
    TREES(new_weight_parser(true, false), {"cat^2 {\"a\": 1}", "(cat^2 {\"a\": 1})"});
}

int main(void)
{
    gs_word_rules *const rules = new_rules();
    grammar(rules);
    mistakes(rules);
    foreign(rules);
    raw();
    weights();
    depth_is_bounded(rules);
    anything_goes(new_parser(rules, false, false, true));
    anything_goes(new_weight_parser(false, false));
    gs_word_rules_free(rules);
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
