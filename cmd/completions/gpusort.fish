# SPDX-License-Identifier: MIT
# fish completion for gpusort.

function __gpusort_is_sort
    set -l words (commandline -opc)
    test (count $words) -lt 2; and return 0
    not contains -- $words[2] gen join index lookup search stats sample partition device bench help
end

function __gpusort_option
    complete -c gpusort -n __gpusort_is_sort $argv
end

set -l first 'test (count (commandline -opc)) -eq 1'
complete -c gpusort -n $first -a sort -d 'sort, merge or check files'
complete -c gpusort -n $first -a gen -d 'make test data'
complete -c gpusort -n $first -a join -d 'lines with the same key, in one'
complete -c gpusort -n $first -a index -d 'build and read an inverted index'
complete -c gpusort -n $first -a lookup -d 'posting lists of terms'
complete -c gpusort -n $first -a search -d 'the best documents for a query'
complete -c gpusort -n $first -a stats -d 'quantiles, frequencies and more'
complete -c gpusort -n $first -a sample -d 'some of the records'
complete -c gpusort -n $first -a partition -d 'sort, and cut into parts'
complete -c gpusort -n $first -a check -d 'order and checksum of a file'
complete -c gpusort -n $first -a device -d 'what would be used here'
complete -c gpusort -n $first -a bench -d 'measure the engines'
complete -c gpusort -n $first -a help -d 'help on a command'
complete -c gpusort -n '__fish_seen_subcommand_from help' -x -a 'sort gen join index lookup search stats sample partition check device bench'

__gpusort_option -s b -l ignore-leading-blanks -d 'blanks in front do not count'
__gpusort_option -s d -l dictionary-order -d 'only blanks, letters and digits count'
__gpusort_option -s f -l ignore-case -d 'lower case counts as upper case'
__gpusort_option -s g -l general-numeric-sort -d 'as numbers with exponents'
__gpusort_option -s i -l ignore-nonprinting -d 'only printable bytes count'
__gpusort_option -s M -l month-sort -d 'by the name of the month'
__gpusort_option -s h -l human-numeric-sort -d 'as sizes, 2K 1G'
__gpusort_option -s n -l numeric-sort -d 'as decimal numbers'
__gpusort_option -s R -l random-sort -d 'shuffled, equal keys together'
__gpusort_option -l random-source -r -d 'seed of the shuffle'
__gpusort_option -s r -l reverse -d 'the other way round'
__gpusort_option -l sort -x -a 'general-numeric human-numeric month numeric random version' -d 'kind of comparison'
__gpusort_option -s V -l version-sort -d 'numbers inside text by value'
__gpusort_option -s k -l key -x -d 'compare POS1[,POS2]'
__gpusort_option -s t -l field-separator -x -d 'what stands between fields'
__gpusort_option -s s -l stable -d 'equal keys stay as they came'
__gpusort_option -s u -l unique -d 'of equal keys the first'
__gpusort_option -s z -l zero-terminated -d 'lines end with a zero byte'
__gpusort_option -s c -d 'is the input in order?'
__gpusort_option -s C -d 'is the input in order? without a word'
__gpusort_option -l check -a 'quiet silent diagnose-first' -d 'is the input in order?'
__gpusort_option -s m -l merge -d 'the inputs are sorted already'
__gpusort_option -s o -l output -r -d 'write to a file'
__gpusort_option -l files0-from -r -d 'read the names of inputs'
__gpusort_option -l debug -d 'underline what was compared'
__gpusort_option -s S -l buffer-size -x -d 'memory of the whole process'
__gpusort_option -s T -l temporary-directory -x -a '(__fish_complete_directories)' -d 'where to spill'
__gpusort_option -l parallel -x -d 'number of threads'
__gpusort_option -l batch-size -x -d 'runs merged at once'
__gpusort_option -l compress-program -x -a '(__fish_complete_command)' -d 'packs what is spilled'
__gpusort_option -l record-size -x -d 'records of so many bytes'
__gpusort_option -l key-bytes -x -d 'compare OFF:LEN[:TYPE] of the record'
__gpusort_option -l csv -d 'records as RFC 4180 has them'
__gpusort_option -l tsv -d 'the same with tabs'
__gpusort_option -l no-quotes -d 'in tables quotes are bytes as others'
__gpusort_option -l jsonl-key -x -d 'a value of JSON lines'
__gpusort_option -l locale-order -d 'text in the order of the locale'
__gpusort_option -l no-header -d 'tables have no header'
__gpusort_option -l header -d 'first lines stay on top'
__gpusort_option -l count -d 'each distinct line once, counted'
__gpusort_option -l top -x -d 'only the first lines of the result'
__gpusort_option -l output-compress -x -a zstd -d 'write a compressed file'
__gpusort_option -l no-decompress -d 'take compressed inputs as they are'
__gpusort_option -l verify -d 'check that the output holds every record, in order'
__gpusort_option -l progress -a 'always auto never' -d 'how far it is'
__gpusort_option -l stats -d 'figures of the run as JSON'
__gpusort_option -l trace -r -d 'timeline in the Chrome trace format'
__gpusort_option -l engine -x -a 'auto cpu gpu' -d 'what sorts'
__gpusort_option -l gpu -x -d 'use these GPUs'
__gpusort_option -l gpu-mem -x -d 'memory of each GPU'
__gpusort_option -l no-uring -d 'read and write without io_uring'
__gpusort_option -l checkpoint -xa '(__fish_complete_directories)' -d 'keep what is done in a folder, and go on from it'
__gpusort_option -l sync -d 'on disk before the name appears'
__gpusort_option -s v -l verbose -d 'say what was chosen and why'
__gpusort_option -l help -d 'show help'
__gpusort_option -l version -d 'show the version'
complete -c gpusort -n '__fish_seen_subcommand_from device' -s h -l help -d 'show help'
complete -c gpusort -n '__fish_seen_subcommand_from device' -l version -d 'show the version'
complete -c gpusort -n '__fish_seen_subcommand_from device' -s T -l temporary-directory -x -a '(__fish_complete_directories)' -d 'look at this folder'

set -l index_first 'test (count (commandline -opc)) -eq 2; and contains -- index (commandline -opc)'
complete -c gpusort -n $index_first -x -a build -d 'documents or tuples to an index'
complete -c gpusort -n $index_first -x -a merge -d 'several indexes to one'
complete -c gpusort -n $index_first -x -a reorder -d 'the same index, smaller and faster'
complete -c gpusort -n $index_first -x -a info -d 'counts and sizes of an index'
complete -c gpusort -n $index_first -x -a dump -d 'every posting as a line of text'
complete -c gpusort -n $index_first -x -a show -d 'documents whose texts are stored'
complete -c gpusort -n $index_first -x -a export -d 'to the Common Index File Format'
complete -c gpusort -n $index_first -x -a import -d 'from the Common Index File Format'
complete -c gpusort -n $index_first -x -a verify -d 'check every checksum, order and count'
function __gpusort_build
    complete -c gpusort -n '__fish_seen_subcommand_from index; and __fish_seen_subcommand_from build' $argv
end
__gpusort_build -s o -l output -x -a '(__fish_complete_directories)' -d 'the index, a new folder'
__gpusort_build -l format -x -a 'jsonl json vectors tsv csv trec warc text html tuples tuples-bin' -d 'what is read'
__gpusort_build -l method -x -a 'auto bsbi spimi' -d 'how blocks are made'
__gpusort_build -l id-field -x -d 'field or column with the name'
__gpusort_build -l text-field -x -d 'field or column with text'
__gpusort_build -l weight-scale -x -d 'times so much weights are impacts'
__gpusort_build -l positions -d 'keep where terms come'
__gpusort_build -l tokenizer -x -a 'bigrams words whitespace raw' -d 'what a word is'
__gpusort_build -l fold -d 'fold case and form'
__gpusort_build -l no-fold -d 'take characters as they are'
__gpusort_build -l stem -x -a 'arabic armenian basque catalan danish dutch english finnish french german greek hindi hungarian indonesian irish italian lithuanian nepali norwegian porter portuguese romanian russian serbian spanish swedish tamil turkish yiddish' -d 'stem words of a language'
__gpusort_build -l stopwords -r -d 'words to leave out'
__gpusort_build -l min-len -x -d 'shortest word, in characters'
__gpusort_build -l max-len -x -d 'longest word'
__gpusort_build -l docnames -d 'keep the names of documents'
__gpusort_build -l store -d 'keep the text of documents'
__gpusort_build -l reorder -d 'documents that share terms side by side'
__gpusort_build -l files0-from -r -d 'read the files named in a file'
__gpusort_build -l skip-bad -d 'leave malformed documents out'
__gpusort_build -l unique-ids -d 'no two documents have the same name'
__gpusort_build -l replace -d 'an index there is replaced'
__gpusort_build -s S -l buffer-size -x -d 'memory of the whole process'
__gpusort_build -s T -l temporary-directory -x -a '(__fish_complete_directories)' -d 'where to spill'
__gpusort_build -l batch-size -x -d 'runs merged at once'
__gpusort_build -l parallel -x -d 'number of threads'
__gpusort_build -l progress -a 'always auto never' -d 'how far it is'
__gpusort_build -l stats -d 'figures of the run as JSON'
__gpusort_build -l trace -r -d 'timeline in the Chrome trace format'
__gpusort_build -l engine -x -a 'auto cpu gpu' -d 'what sorts tuples'
__gpusort_build -l gpu-mem -x -d 'memory of the GPU'
__gpusort_build -l gpu -x -d 'use this GPU'
__gpusort_build -s v -l verbose -d 'say what was chosen and why'
__gpusort_build -l no-uring -d 'read and write without io_uring'
__gpusort_build -l checkpoint -xa '(__fish_complete_directories)' -d 'keep what is done in a folder, and go on from it'
__gpusort_build -l no-decompress -d 'take compressed inputs as they are'
__gpusort_build -s h -l help -d 'show help'
__gpusort_build -l version -d 'show the version'

function __gpusort_lookup
    complete -c gpusort -n '__fish_seen_subcommand_from lookup; and not __fish_seen_subcommand_from bench' $argv
end
__gpusort_lookup -l df-only -d 'without the documents'
__gpusort_lookup -l json -d 'a JSON object a line'
__gpusort_lookup -l prefix -d 'every term that begins so'
__gpusort_lookup -l from -x -d 'every term from this one on'
__gpusort_lookup -l to -x -d 'every term that is less'
__gpusort_lookup -l engine -x -a 'auto cpu gpu' -d 'what searches'
__gpusort_lookup -l parallel -x -d 'number of threads'
__gpusort_lookup -l verify -d 'compare checksums first'
__gpusort_lookup -s v -l verbose -d 'say what was chosen and why'
__gpusort_lookup -s h -l help -d 'show help'
__gpusort_lookup -l version -d 'show the version'

complete -c gpusort -n 'test (count (commandline -opc)) -eq 2; and contains -- bench (commandline -opc)' -x -a 'lookup stats' -d 'batches of searches, streams'
function __gpusort_bench_lookup
    complete -c gpusort -n '__fish_seen_subcommand_from bench; and __fish_seen_subcommand_from lookup' $argv
end
__gpusort_bench_lookup -l keys -x -d 'in the sorted array'
__gpusort_bench_lookup -l queries -x -d 'sizes of batches'
__gpusort_bench_lookup -l runs -x -d 'of each case at most'
__gpusort_bench_lookup -l parallel -x -d 'number of threads'
__gpusort_bench_lookup -l gpu -x -d 'which GPU'
__gpusort_bench_lookup -l csv -r -d 'as comma-separated values'
__gpusort_bench_lookup -s h -l help -d 'show help'
__gpusort_bench_lookup -l version -d 'show the version'

function __gpusort_bench_stats
    complete -c gpusort -n '__fish_seen_subcommand_from bench; and __fish_seen_subcommand_from stats' $argv
end
__gpusort_bench_stats -l values -x -d 'of the stream'
__gpusort_bench_stats -l eps -x -d 'errors'
__gpusort_bench_stats -l engine -x -a 'cpu gpu' -d 'what sorts windows'
__gpusort_bench_stats -l runs -x -d 'of each case'
__gpusort_bench_stats -l parallel -x -d 'number of threads'
__gpusort_bench_stats -l csv -r -d 'as comma-separated values'
__gpusort_bench_stats -s h -l help -d 'show help'
__gpusort_bench_stats -l version -d 'show the version'

function __gpusort_bench_option
    complete -c gpusort -n '__fish_seen_subcommand_from bench' $argv
end

__gpusort_bench_option -l engine -x -d 'engines, or all'
__gpusort_bench_option -l distribution -x -d 'of the keys, or all'
__gpusort_bench_option -l type -x -a 'u64 u128 u64+u32 all' -d 'of the keys'
__gpusort_bench_option -l size -x -d 'how many keys'
__gpusort_bench_option -l runs -x -d 'timed runs of each'
__gpusort_bench_option -l gpu -x -d 'which GPU, or several together'
__gpusort_bench_option -l place -x -a 'device host' -d 'where the keys are'
__gpusort_bench_option -l csv -r -d 'also as comma-separated values'
__gpusort_bench_option -l svg -r -d 'also as a picture'
__gpusort_bench_option -l papers -d 'the comparisons that papers made'
__gpusort_bench_option -l size-max -x -d 'leave larger sizes of the papers out'
__gpusort_bench_option -l list -d 'engines and distributions'
__gpusort_bench_option -s h -l help -d 'show help'
__gpusort_bench_option -l version -d 'show the version'

function __gpusort_merge
    complete -c gpusort -n '__fish_seen_subcommand_from index; and __fish_seen_subcommand_from merge' $argv
end
__gpusort_merge -s o -l output -x -a '(__fish_complete_directories)' -d 'the index, a new folder'
__gpusort_merge -l replace -d 'an index there is replaced'
__gpusort_merge -l checkpoint -xa '(__fish_complete_directories)' -d 'keep what is done in a folder, and go on from it'
__gpusort_merge -l doc-ids -x -a 'keep shift' -d 'docIDs of later indexes'
__gpusort_merge -l unique-ids -d 'no two documents have the same name'
__gpusort_merge -s S -l buffer-size -x -d 'memory of the whole process'
__gpusort_merge -l parallel -x -d 'number of threads'
__gpusort_merge -l progress -a 'always auto never' -d 'how far it is'
__gpusort_merge -l stats -d 'figures of the run as JSON'
__gpusort_merge -l trace -r -d 'timeline in the Chrome trace format'
__gpusort_merge -s v -l verbose -d 'say what was chosen and why'
__gpusort_merge -s h -l help -d 'show help'
__gpusort_merge -l version -d 'show the version'
function __gpusort_reorder
    complete -c gpusort -n '__fish_seen_subcommand_from index; and __fish_seen_subcommand_from reorder' $argv
end
__gpusort_reorder -s o -l output -x -a '(__fish_complete_directories)' -d 'the index, a new folder'
__gpusort_reorder -l replace -d 'an index there is replaced'
__gpusort_reorder -s S -l buffer-size -x -d 'memory of the whole process'
__gpusort_reorder -l parallel -x -d 'number of threads'
__gpusort_reorder -l progress -a 'always auto never' -d 'how far it is'
__gpusort_reorder -l stats -d 'figures of the run as JSON'
__gpusort_reorder -l trace -r -d 'timeline in the Chrome trace format'
__gpusort_reorder -s v -l verbose -d 'say what was chosen and why'
__gpusort_reorder -s h -l help -d 'show help'
__gpusort_reorder -l version -d 'show the version'

function __gpusort_import
    complete -c gpusort -n '__fish_seen_subcommand_from index; and __fish_seen_subcommand_from import' $argv
end
__gpusort_import -l ciff -d 'from the Common Index File Format'
__gpusort_import -s o -l output -x -a '(__fish_complete_directories)' -d 'the index, a new folder'
__gpusort_import -l replace -d 'an index there is replaced'
__gpusort_import -l unique-ids -d 'no two documents have the same name'
__gpusort_import -l impacts -d 'frequencies are weights of terms'
__gpusort_import -l strict -d 'sums that do not agree are an error'
__gpusort_import -s S -l buffer-size -x -d 'memory of the whole process'
__gpusort_import -l parallel -x -d 'number of threads'
__gpusort_import -l progress -a 'always auto never' -d 'how far it is'
__gpusort_import -l stats -d 'figures of the run as JSON'
__gpusort_import -l trace -r -d 'timeline in the Chrome trace format'
__gpusort_import -s v -l verbose -d 'say what was chosen and why'
__gpusort_import -l no-uring -d 'read without io_uring'
__gpusort_import -l no-decompress -d 'take a compressed input as it is'
__gpusort_import -s h -l help -d 'show help'
__gpusort_import -l version -d 'show the version'

complete -c gpusort -n 'test (count (commandline -opc)) -eq 2; and contains -- stats (commandline -opc)' -x -a 'summary quantile freq hhh corrsum merge'
function __gpusort_stats
    complete -c gpusort -n '__fish_seen_subcommand_from stats' $argv
end
__gpusort_stats -l phi -x -d 'shares of the values'
__gpusort_stats -l eps -x -d 'error, a share of the values'
__gpusort_stats -l support -x -d 'share of the values that is frequent'
__gpusort_stats -l top -x -d 'no more than the first K'
__gpusort_stats -l histogram -d 'a histogram wherever the output goes'
__gpusort_stats -l by -x -a 'dots slash domain ip' -d 'hierarchy of prefixes'
__gpusort_stats -l step -x -d 'bits between prefixes of addresses'
__gpusort_stats -l sum -x -d 'the column that is summed'
__gpusort_stats -l agg -x -a 'avg min max quantile' -d 'figure of the other column'
__gpusort_stats -l times -x -d 'of that figure'
__gpusort_stats -l plus -x -d 'on top of it'
__gpusort_stats -l window -x -d 'of the last W values alone, or of a time'
__gpusort_stats -l time-column -x -d 'where times stand'
__gpusort_stats -l save -rF -d 'keep what is known in the end'
__gpusort_stats -l exact -d 'the very values'
__gpusort_stats -s T -l temporary-directory -xa '(__fish_complete_directories)' -d 'where values are kept'
__gpusort_stats -s t -l field-separator -x -d 'what stands between fields'
__gpusort_stats -s k -l column -x -d 'the field that is the value'
__gpusort_stats -l header -d 'the first line of a file is a header'
__gpusort_stats -l csv -d 'comma-separated, with quotes'
__gpusort_stats -l type -x -a 'text f64 i64 u64 u32' -d 'of numbers'
__gpusort_stats -l binary -d 'little-endian numbers, no text'
__gpusort_stats -l skip-bad -d 'leave out what is no value'
__gpusort_stats -l every -x -d 'report every N values, or every 5s'
__gpusort_stats -l json -d 'a JSON object a report'
__gpusort_stats -l engine -x -a 'auto cpu gpu' -d 'what sorts windows'
__gpusort_stats -l gpu -x -d 'these GPUs'
__gpusort_stats -l gpu-mem -x -d 'memory of a GPU'
__gpusort_stats -s S -l buffer-size -x -d 'memory'
__gpusort_stats -l parallel -x -d 'number of threads'
__gpusort_stats -s v -l verbose -d 'say what was chosen and why'
__gpusort_stats -s h -l help -d 'show help'
__gpusort_stats -l version -d 'show the version'

function __gpusort_search
    complete -c gpusort -n '__fish_seen_subcommand_from search' $argv
end
__gpusort_search -s k -l top -x -d 'so many documents'
__gpusort_search -l all -d 'words side by side must all be there'
__gpusort_search -l plain -d 'queries are nothing but words'
__gpusort_search -l boolean -d 'all that match, in the order of the index'
__gpusort_search -l k1 -x -d 'how fast more of a word stops to count'
__gpusort_search -l b -x -d 'how much the length of a document counts'
__gpusort_search -l count -d 'only how many documents match'
__gpusort_search -l json -d 'a JSON object a query'
__gpusort_search -l snippets -d 'with a stretch of the text'
__gpusort_search -l trec -x -d 'lines of a TREC run'
__gpusort_search -l parallel -x -d 'threads for several queries'
__gpusort_search -l exhaustive -d 'score every match'
__gpusort_search -l verify -d 'compare checksums first'
__gpusort_search -s v -l verbose -d 'tell how much was read and scored'
__gpusort_search -s h -l help -d 'show help'
__gpusort_search -l version -d 'show the version'

# An option of one command, which is the first word.
function __gpusort_of -a word
    complete -c gpusort -n "test (count (commandline -opc)) -ge 2; and test (commandline -opc)[2] = $word" $argv[2..]
end

function __gpusort_gen
    __gpusort_of gen $argv
end
__gpusort_gen -x -a 'lines u32 u64 tuples records docs weblog' -d 'what'
__gpusort_gen -s n -l count -x -d 'records'
__gpusort_gen -l bytes -x -d 'ends with the first record at or past it'
__gpusort_gen -l dist -x -a 'uniform gaussian zipf poisson sorted reversed almost equal few' -d 'distribution'
__gpusort_gen -l seed -x -d 'another seed, other data'
__gpusort_gen -l distinct -x -d 'values, terms, words or paths'
__gpusort_gen -l terms -x -d 'the same as --distinct'
__gpusort_gen -l exponent -x -d 'of zipf'
__gpusort_gen -l mean -x -d 'of poisson'
__gpusort_gen -l disorder -x -d 'part that is out of order'
__gpusort_gen -l min-len -x -d 'shortest line'
__gpusort_gen -l max-len -x -d 'longest line'
__gpusort_gen -l alphabet -x -d 'what lines are made of'
__gpusort_gen -l docs -x -d 'docIDs are below'
__gpusort_gen -l ascending-docs -d 'docIDs grow with the line'
__gpusort_gen -l doc-words -x -d 'words in a document, on average'
__gpusort_gen -l format -x -a 'jsonl tsv' -d 'of documents'
__gpusort_gen -l binary -d 'pairs of u32'
__gpusort_gen -s a -l ascii -d 'printable keys'
__gpusort_gen -l begin -x -d 'number of the first record'
__gpusort_gen -s o -l output -r -d 'instead of standard output'
__gpusort_gen -l parallel -x -d 'number of threads'
__gpusort_gen -s h -l help -d 'show help'
__gpusort_gen -l version -d 'show the version'

function __gpusort_join
    __gpusort_of join $argv
end
__gpusort_join -s 1 -x -d 'field of the first file'
__gpusort_join -s 2 -x -d 'field of the second file'
__gpusort_join -s j -x -d 'field of both files'
__gpusort_join -s t -x -d 'what stands between fields'
__gpusort_join -s i -l ignore-case -d 'keys in capital letters'
__gpusort_join -l band -x -d 'second key less first: LO:HI'
__gpusort_join -l lt -d 'first key less than second'
__gpusort_join -l le -d 'first key at most second'
__gpusort_join -l gt -d 'first key greater than second'
__gpusort_join -l ge -d 'first key at least second'
__gpusort_join -l skip-bad -d 'leave lines out whose key is no number'
__gpusort_join -s a -x -a '1 2' -d 'lines without a partner too'
__gpusort_join -s v -x -a '1 2' -d 'only lines without a partner'
__gpusort_join -l semi -d 'lines of the first file that have a partner'
__gpusort_join -l anti -d 'lines of the first file that have none'
__gpusort_join -s o -x -a auto -d 'fields of the output'
__gpusort_join -s e -x -d 'stands for missing fields'
__gpusort_join -l header -d 'the first lines are headers'
__gpusort_join -l csv -d 'fields may be in quotes; a header on top'
__gpusort_join -l tsv -d 'the same with tabs'
__gpusort_join -l no-header -d 'no header with --csv, --tsv'
__gpusort_join -l binary -x -d 'files are binary tuples of these fields'
__gpusort_join -l text -d 'lines of text come out of these'
__gpusort_join -s z -l zero-terminated -d 'lines end with a zero byte'
__gpusort_join -l check-order -d 'changes nothing'
__gpusort_join -l nocheck-order -d 'changes nothing'
__gpusort_join -l output -r -d 'instead of standard output'
__gpusort_join -l output-compress -x -a zstd -d 'compress the output'
__gpusort_join -l no-decompress -d 'take compressed files as they are'
__gpusort_join -s S -l buffer-size -x -d 'memory of the process'
__gpusort_join -s T -l temporary-directory -xa '(__fish_complete_directories)' -d 'where temporary files go'
__gpusort_join -l parallel -x -d 'number of threads'
__gpusort_join -l engine -x -a 'auto cpu' -d 'who sorts'
__gpusort_join -l progress -a 'always auto never' -d 'tell how far it is'
__gpusort_join -l stats -d 'figures of the run as JSON'
__gpusort_join -l trace -r -d 'a timeline of the run'
__gpusort_join -l verbose -d 'say what was chosen and why'
__gpusort_join -l no-uring -d 'as if the kernel had no io_uring'
__gpusort_join -s h -l help -d 'show help'
__gpusort_join -l version -d 'show the version'

# What order means, check is told with the options of sort.
function __gpusort_check
    __gpusort_of check $argv
end
__gpusort_check -l same -r -d 'the same records as this one, in any order'
__gpusort_check -l expect -x -d 'this checksum'
__gpusort_check -l no-order -d 'only count and sum up'
__gpusort_check -l json -d 'a JSON object a line'
__gpusort_check -l help -d 'show help'
__gpusort_check -l version -d 'show the version'

# Nor is sample, which is no sort.
function __gpusort_sample
    __gpusort_of sample $argv
end
__gpusort_sample -s n -l records -x -d 'so many records'
__gpusort_sample -l splitters -x -d 'what cuts all into so many parts, instead'
__gpusort_sample -l seed -x -d 'another seed, another sample'
__gpusort_sample -l range -x -d 'FROM:TO, records that begin at these bytes'
__gpusort_sample -s k -l key -x -d 'what the order is by'
__gpusort_sample -s t -l field-separator -x -d 'what stands between fields'
__gpusort_sample -s r -l reverse -d 'the other way round'
__gpusort_sample -s o -l output -r -d 'instead of standard output'
__gpusort_sample -s S -l buffer-size -x -d 'at most so much memory'
__gpusort_sample -s v -l verbose -d 'say how many records were looked at'
__gpusort_sample -l help -d 'show help'
__gpusort_sample -l version -d 'show the version'

# Nor is partition, which has most options of sort.
function __gpusort_partition
    __gpusort_of partition $argv
end
__gpusort_partition -l splitters -r -d 'records in order, where parts begin'
__gpusort_partition -l parts -x -d 'so many parts'
__gpusort_partition -s o -l output -r -d 'what the names of parts begin with'
__gpusort_partition -s m -l merge -d 'each file is in order already'
__gpusort_partition -s k -l key -x -d 'what the order is by'
__gpusort_partition -s t -l field-separator -x -d 'what stands between fields'
__gpusort_partition -s r -l reverse -d 'the other way round'
__gpusort_partition -s s -l stable -d 'equal keys stay as they came'
__gpusort_partition -s u -l unique -d 'the first of equals only'
__gpusort_partition -s S -l buffer-size -x -d 'at most so much memory'
__gpusort_partition -s v -l verbose -d 'say what is in each part'
__gpusort_partition -l help -d 'show help'
__gpusort_partition -l version -d 'show the version'

function __gpusort_index_reader
    complete -c gpusort -n "__fish_seen_subcommand_from index; and __fish_seen_subcommand_from $argv[1]" $argv[2..]
end
for reader in info dump show export verify
    __gpusort_index_reader $reader -s h -l help -d 'show help'
    __gpusort_index_reader $reader -l version -d 'show the version'
end
__gpusort_index_reader info -l json -d 'the same as a JSON object'
__gpusort_index_reader dump -l positions -d 'and where'
__gpusort_index_reader show -l docids -d 'names are numbers of documents'
__gpusort_index_reader show -l json -d 'a JSON object a document'
__gpusort_index_reader export -l ciff -d 'to the Common Index File Format'
__gpusort_index_reader export -s o -l output -r -d 'instead of standard output'
