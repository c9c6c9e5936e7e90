/* SPDX-License-Identifier: MIT */
/*
 * Where every member of the structures of gpusort.h lies, and what every constant is: a
 * program that was compiled yesterday relies on it. layout.txt has what was promised.
 */
#include <gpusort.h>
#include <stdio.h>

#define M(type, member)                                                                  \
    printf("%s.%s %zu %zu\n", #type, #member, offsetof(gpusort_##type, member),          \
           sizeof((gpusort_##type){0}.member))
#define S(type) printf("%s %zu\n", #type, sizeof(gpusort_##type))
#define C(name) printf("%s %lld\n", #name, (long long)(name))

static void job(void)
{
    S(error);
    M(error, code), M(error, system_error), M(error, hint), M(error, message);
    S(progress);
    M(progress, size), M(progress, input_bytes), M(progress, input_bytes_total);
    M(progress, records), M(progress, output_bytes), M(progress, spilled_bytes);
    S(job);
    M(job, memory_bytes), M(job, threads), M(job, temp_folders);
    M(job, temp_folder_count), M(job, engine), M(job, gpu_memory_bytes), M(job, log);
    M(job, progress), M(job, context), M(job, cancel), M(job, gpus), M(job, gpu_count);
    M(job, flags), M(job, stats), M(job, reserved);
    S(figures);
    M(figures, size), M(figures, phase), M(figures, threads), M(figures, input_bytes);
    M(figures, input_bytes_total), M(figures, records), M(figures, text_bytes);
    M(figures, output_bytes), M(figures, output_records), M(figures, spilled_bytes);
    M(figures, runs), M(figures, passes), M(figures, merged_bytes);
    M(figures, merged_bytes_total), M(figures, phase_ns), M(figures, memory_bytes);
    M(figures, output_sum), M(figures, has_output_sum), M(figures, engine);
    M(figures, verified), M(figures, spans_lost), M(figures, method), M(figures, tokens);
    M(figures, terms), M(figures, skipped);
    S(span);
    M(span, size), M(span, name), M(span, lane), M(span, number), M(span, begin_ns);
    M(span, end_ns), M(span, bytes);
}

static void machine(void)
{
    S(gpu);
    M(gpu, size), M(gpu, number), M(gpu, is_usable), M(gpu, major), M(gpu, minor);
    M(gpu, processors), M(gpu, memory_bytes), M(gpu, free_bytes), M(gpu, name);
    S(machine);
    M(machine, size), M(machine, cores), M(machine, threads), M(machine, memory_bytes);
    M(machine, available_bytes), M(machine, sort_bytes), M(machine, uring_refusal);
    M(machine, has_liburing), M(machine, has_cuda), M(machine, gpus);
    C(GPUSORT_GPU_NAME_BYTES);
}

static void generating(void)
{
    S(generate_options);
    M(generate_options, size), M(generate_options, job), M(generate_options, kind);
    M(generate_options, distribution), M(generate_options, has_zeros);
    M(generate_options, records), M(generate_options, bytes), M(generate_options, seed);
    M(generate_options, distinct), M(generate_options, exponent);
    M(generate_options, mean), M(generate_options, disorder);
    M(generate_options, line_bytes_min), M(generate_options, line_bytes_max);
    M(generate_options, alphabet), M(generate_options, documents);
    M(generate_options, document_words), M(generate_options, first_record);
    M(generate_options, documents_ascend), M(generate_options, has_tabs);
    M(generate_options, is_text), M(generate_options, is_binary);
    M(generate_options, output), M(generate_options, output_fd);
    M(generate_options, write);
}

static void sort(void)
{
    S(key);
    M(key, start_field), M(key, start_char), M(key, end_field), M(key, end_char);
    M(key, kind), M(key, flags);
    S(byte_key);
    M(byte_key, offset), M(byte_key, length), M(byte_key, number);
    M(byte_key, is_little_endian), M(byte_key, flags);
    S(path);
    M(path, names), M(path, depth);
    S(order);
    M(order, keys), M(order, key_count), M(order, delimiter);
    M(order, has_nul_delimiter), M(order, ends_with_nul), M(order, is_stable);
    M(order, is_unique), M(order, is_reverse), M(order, record_bytes);
    M(order, byte_keys), M(order, byte_key_count), M(order, form);
    M(order, follows_locale), M(order, paths), M(order, random_seed);
    M(order, reserved);
    S(sort_options);
    M(sort_options, size), M(sort_options, job), M(sort_options, order);
    M(sort_options, inputs), M(sort_options, input_count), M(sort_options, input_fds);
    M(sort_options, input_fd_count), M(sort_options, output), M(sort_options, output_fd);
    M(sort_options, header_lines), M(sort_options, top_count), M(sort_options, has_top);
    M(sort_options, counts), M(sort_options, output_zstd), M(sort_options, syncs_output);
    M(sort_options, verifies), M(sort_options, keeps_packed), M(sort_options, may_map);
    M(sort_options, checkpoint), M(sort_options, compress_program);
    M(sort_options, disorder), M(sort_options, batch_size);
    M(sort_options, output_level), M(sort_options, sums_output), M(sort_options, write);
}

static void parts(void)
{
    S(tally);
    M(tally, size), M(tally, records), M(tally, bytes), M(tally, sum_high);
    M(tally, sum_low), M(tally, duplicates), M(tally, disorders);
    M(tally, first_disorder);
    S(sample_options);
    M(sample_options, size), M(sample_options, sort), M(sample_options, records);
    M(sample_options, seed), M(sample_options, parts), M(sample_options, has_range);
    M(sample_options, range_begin), M(sample_options, range_end);
    S(partition_options);
    M(partition_options, size), M(partition_options, sort);
    M(partition_options, splitters), M(partition_options, parts);
    M(partition_options, is_merge), M(partition_options, is_framed);
    M(partition_options, packs), M(partition_options, has_range);
    M(partition_options, range_begin), M(partition_options, range_end);
    S(part);
    M(part, records), M(part, bytes);
    S(parts);
    M(parts, count), M(parts, parts);
}

static void joins(void)
{
    S(join_field);
    M(join_field, side), M(join_field, number), M(join_field, name);
    S(tuple);
    M(tuple, bytes), M(tuple, fields), M(tuple, field_count);
    S(join_options);
    M(join_options, size), M(join_options, sort), M(join_options, key_fields);
    M(join_options, key_names), M(join_options, band), M(join_options, fields);
    M(join_options, field_count), M(join_options, filler), M(join_options, match);
    M(join_options, skips_bad), M(join_options, folds_case);
    M(join_options, hides_pairs), M(join_options, shows_unpaired);
    M(join_options, is_semi), M(join_options, is_auto);
    M(join_options, right_is_first), M(join_options, prints_text);
    M(join_options, tuples);
    C(GPUSORT_LEFT), C(GPUSORT_RIGHT);
    C(GPUSORT_EQUAL), C(GPUSORT_IN_BAND), C(GPUSORT_LESS), C(GPUSORT_AT_MOST);
    C(GPUSORT_GREATER), C(GPUSORT_AT_LEAST), C(GPUSORT_TUPLE_BYTES_MAX);
}

static void index_of_words(void)
{
    S(build_options);
    M(build_options, size), M(build_options, job), M(build_options, folder);
    M(build_options, replaces), M(build_options, inputs), M(build_options, input_count);
    M(build_options, format), M(build_options, id_field), M(build_options, text_fields);
    M(build_options, text_field_count), M(build_options, skips_bad);
    M(build_options, has_positions), M(build_options, keeps_case);
    M(build_options, stem_language), M(build_options, stop_words);
    M(build_options, checkpoint), M(build_options, inputs_found);
    M(build_options, tokenizer), M(build_options, min_len), M(build_options, max_len);
    M(build_options, weight_scale), M(build_options, doc_base), M(build_options, method);
    M(build_options, batch_size), M(build_options, folds_case);
    M(build_options, has_texts), M(build_options, reorders);
    M(build_options, unique_names), M(build_options, keeps_packed);
    S(index_merge_options);
    M(index_merge_options, size), M(index_merge_options, job);
    M(index_merge_options, folder), M(index_merge_options, replaces);
    M(index_merge_options, inputs), M(index_merge_options, input_count);
    M(index_merge_options, doc_ids), M(index_merge_options, unique_names);
    M(index_merge_options, from_term), M(index_merge_options, to_term);
    M(index_merge_options, joins_terms), M(index_merge_options, checkpoint);
    S(import_options);
    M(import_options, size), M(import_options, job), M(import_options, folder);
    M(import_options, replaces), M(import_options, input);
    M(import_options, unique_names), M(import_options, has_impacts);
    M(import_options, is_strict), M(import_options, keeps_packed);
    S(index_info);
    M(index_info, size), M(index_info, documents), M(index_info, terms);
    M(index_info, postings), M(index_info, tokens), M(index_info, has_positions);
    M(index_info, has_names), M(index_info, has_texts), M(index_info, has_impacts);
    M(index_info, length_sum), M(index_info, doc_base), M(index_info, segments);
    M(index_info, deleted), M(index_info, word_rules);
    S(heads_options);
    M(heads_options, size), M(heads_options, job), M(heads_options, head);
    M(heads_options, expected_terms);
    S(heads_lists);
    M(heads_lists, size), M(heads_lists, counts), M(heads_lists, offsets);
    M(heads_lists, documents), M(heads_lists, frequencies), M(heads_lists, room);
    S(lookup_options);
    M(lookup_options, size), M(lookup_options, job), M(lookup_options, write);
    M(lookup_options, next), M(lookup_options, expected_terms);
    M(lookup_options, is_prefix), M(lookup_options, from_term);
    M(lookup_options, to_term), M(lookup_options, as_json);
    M(lookup_options, counts_only);
    S(postings);
    M(postings, count), M(postings, documents), M(postings, frequencies);
    S(search_options);
    M(search_options, size), M(search_options, k1), M(search_options, b);
    M(search_options, needs_all), M(search_options, is_plain);
    M(search_options, has_zeros), M(search_options, threads);
    M(search_options, is_exhaustive), M(search_options, statistics);
    S(question);
    M(question, query), M(question, bytes), M(question, code), M(question, message);
    M(question, hint), M(question, hits), M(question, hit_count), M(question, reserved);
    S(mark);
    M(mark, begin), M(mark, end);
    S(snippet);
    M(snippet, text), M(snippet, bytes), M(snippet, marks), M(snippet, mark_count);
    M(snippet, is_cut_before), M(snippet, is_cut_behind), M(snippet, reserved);
    S(search_figures);
    M(search_figures, size), M(search_figures, queries), M(search_figures, postings);
    M(search_figures, postings_scored), M(search_figures, blocks);
    M(search_figures, blocks_read);
    S(hit);
    M(hit, document), M(hit, score);
}

static void constants(void)
{
    C(GPUSORT_OK), C(GPUSORT_IO), C(GPUSORT_NOMEM), C(GPUSORT_FORMAT), C(GPUSORT_ARG);
    C(GPUSORT_LIMIT), C(GPUSORT_GPU), C(GPUSORT_CANCELLED);
    C(GPUSORT_SAYS_ERROR), C(GPUSORT_SAYS_WARNING), C(GPUSORT_SAYS_INFO);
    C(GPUSORT_BYTES), C(GPUSORT_NUMERIC), C(GPUSORT_GENERAL), C(GPUSORT_HUMAN);
    C(GPUSORT_MONTH), C(GPUSORT_VERSION), C(GPUSORT_RANDOM);
    C(GPUSORT_REVERSE), C(GPUSORT_SKIP_START_BLANKS), C(GPUSORT_SKIP_END_BLANKS);
    C(GPUSORT_FOLD), C(GPUSORT_DICTIONARY), C(GPUSORT_IGNORE_NONPRINTING);
    C(GPUSORT_RAW), C(GPUSORT_UNSIGNED), C(GPUSORT_SIGNED), C(GPUSORT_FLOAT);
    C(GPUSORT_U32), C(GPUSORT_I32), C(GPUSORT_F32), C(GPUSORT_U64), C(GPUSORT_I64);
    C(GPUSORT_F64);
    C(GPUSORT_AUTO), C(GPUSORT_BSBI), C(GPUSORT_SPIMI), C(GPUSORT_TEXT_FIELDS_MAX);
    C(GPUSORT_UPDATE), C(GPUSORT_NO_MERGE), C(GPUSORT_SUMS_ONLY), C(GPUSORT_POSITIONS);
    C(GPUSORT_NO_ORDER), C(GPUSORT_PARTS_MAX), C(GPUSORT_TERM_BYTES_MAX),
        C(GPUSORT_REPLACE);
    C(GPUSORT_IDS_AUTO), C(GPUSORT_IDS_KEEP), C(GPUSORT_IDS_SHIFT);
    C(GPUSORT_NO_URING), C(GPUSORT_ENDS_BY_PIPE), C(GPUSORT_SPANS);
    C(GPUSORT_STARTING), C(GPUSORT_READING), C(GPUSORT_SORTING), C(GPUSORT_MERGING);
    C(GPUSORT_FINISHING), C(GPUSORT_PHASES);
    C(GPUSORT_LANE_READ), C(GPUSORT_LANE_WORKER), C(GPUSORT_LANE_UPLOAD);
    C(GPUSORT_LANE_GPU), C(GPUSORT_LANE_DOWNLOAD), C(GPUSORT_LANE_WRITE);
    C(GPUSORT_LANES);
    C(GPUSORT_LINES), C(GPUSORT_CSV), C(GPUSORT_TABLE), C(GPUSORT_JSON);
    C(GPUSORT_SEED_BYTES), C(GPUSORT_JSON_KEYS_MAX), C(GPUSORT_JSON_DEPTH_MAX);
    C(GPUSORT_JSON_NAME_BYTES_MAX);
}

static void streams(void)
{
    S(field);
    M(field, name), M(field, number);
    S(stream_options);
    M(stream_options, size), M(stream_options, job), M(stream_options, statistic);
    M(stream_options, inputs), M(stream_options, input_count);
    M(stream_options, input_fds), M(stream_options, input_fd_count);
    M(stream_options, stop), M(stream_options, values), M(stream_options, is_binary);
    M(stream_options, is_csv), M(stream_options, delimiter);
    M(stream_options, has_header), M(stream_options, skips_bad);
    M(stream_options, value), M(stream_options, second), M(stream_options, eps);
    M(stream_options, window), M(stream_options, window_seconds);
    M(stream_options, is_exact), M(stream_options, has_ranks);
    M(stream_options, hierarchy), M(stream_options, step);
    M(stream_options, every_values), M(stream_options, every_ns);
    M(stream_options, asked), M(stream_options, report);
    S(summary_info);
    M(summary_info, size), M(summary_info, statistic), M(summary_info, values);
    M(summary_info, is_end), M(summary_info, has_ranks), M(summary_info, eps);
    M(summary_info, seen), M(summary_info, in_window), M(summary_info, error_max);
    M(summary_info, held_bytes), M(summary_info, held_bytes_max);
    M(summary_info, spilled_bytes), M(summary_info, columns), M(summary_info, with_more);
    S(value);
    M(value, type), M(value, f64), M(value, i64), M(value, u64), M(value, text);
    M(value, bytes);
    S(count);
    M(count, value), M(count, count), M(count, rest);
    S(sum);
    M(sum, limit), M(sum, least), M(sum, most), M(sum, total);
    S(column);
    M(column, size), M(column, name), M(column, name_bytes), M(column, empty);
    M(column, integers), M(column, decimals), M(column, dates), M(column, texts);
    M(column, missing), M(column, distinct), M(column, distinct_error);
    M(column, top_error), M(column, has_numbers), M(column, has_texts), M(column, least);
    M(column, most), M(column, first), M(column, last);
    S(bin);
    M(bin, begin), M(bin, end), M(bin, count);
}

static void stream_constants(void)
{
    C(GPUSORT_QUANTILES), C(GPUSORT_FREQUENT), C(GPUSORT_PREFIXES), C(GPUSORT_SUMS);
    C(GPUSORT_COLUMNS), C(GPUSORT_VALUES_F64), C(GPUSORT_VALUES_I64);
    C(GPUSORT_VALUES_U64), C(GPUSORT_VALUES_U32), C(GPUSORT_VALUES_TEXT);
    C(GPUSORT_BY_DOTS), C(GPUSORT_BY_SLASH), C(GPUSORT_BY_DOMAIN), C(GPUSORT_BY_IP);
    C(GPUSORT_STEP_MIN), C(GPUSORT_STEP_MAX), C(GPUSORT_LEVELS_MAX), C(GPUSORT_AVERAGE);
    C(GPUSORT_LEAST), C(GPUSORT_MOST), C(GPUSORT_QUANTILE), C(GPUSORT_NUMBER_BYTES);
    C(GPUSORT_BINS_MAX);
}

int main(void)
{
    job();
    sort();
    parts();
    joins();
    index_of_words();
    constants();
    streams();
    stream_constants();
    machine();
    generating();
    return 0;
}
